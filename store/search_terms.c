#include <string.h>

#include "store/search_terms.h"

#define SLOTS_MIN 1024U

static size_t
size_of(size_t len)
{
	return offsetof(struct search_term, text) + len;
}

static uint64_t
mixed(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15U) * (b ^ 0xe7037ed1a0b428dbU);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint32_t
search_term_hash(uint64_t seed, const uint8_t *text, size_t len)
{
	uint64_t h = seed ^ len, piece;

	for (; len > 8; text += 8, len -= 8) {
		memcpy(&piece, text, 8);
		h = mixed(h, piece);
	}
	piece = 0;
	memcpy(&piece, text, len);
	return (uint32_t)mixed(h, piece);
}

void
search_terms_prefetch(const struct search_terms *t, uint32_t hash)
{
	if (t->n_slots > 0)
		__builtin_prefetch(&t->slots[hash & (t->n_slots - 1)]);
}

static bool
is_it(const struct search_term_slot *s, uint32_t hash, const uint8_t *text, size_t len)
{
	return s->hash == hash && s->term->len == len && memcmp(s->term->text, text, len) == 0;
}

struct search_term *
search_terms_find(const struct search_terms *t, uint32_t hash, const uint8_t *text, size_t len)
{
	uint32_t mask = t->n_slots - 1;

	if (t->n_slots == 0)
		return NULL;
	for (uint32_t i = hash & mask; t->slots[i].term != NULL; i = (i + 1) & mask)
		if (is_it(&t->slots[i], hash, text, len))
			return t->slots[i].term;
	return NULL;
}

static void
place(struct search_terms *t, struct search_term *term)
{
	uint32_t mask = t->n_slots - 1, i = term->hash & mask;

	while (t->slots[i].term != NULL)
		i = (i + 1) & mask;
	t->slots[i] = (struct search_term_slot){ .hash = term->hash, .term = term };
}

/* At most two of three slots are taken. */
static bool
make_room(struct search_terms *t)
{
	uint32_t n_old = t->n_slots;
	struct search_term_slot *old = t->slots, *wider;

	if (3 * ((uint64_t)t->n_terms + 1) <= 2 * (uint64_t)n_old)
		return true;
	t->n_slots = n_old == 0 ? SLOTS_MIN : 2 * n_old;
	if ((wider = search_memory_take(t->memory, t->n_slots * sizeof *wider)) == NULL) {
		t->n_slots = n_old;
		return false;
	}
	t->slots = wider;
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i].term != NULL)
			place(t, old[i].term);
	search_memory_give(t->memory, old, n_old * sizeof *old);
	return true;
}

static struct search_term **
alike(const struct search_terms *t, const uint8_t *text)
{
	return &t->alike[(text[0] * 31U + text[1]) % SEARCH_ALIKE];
}

static bool
is_listed(enum search_token_kind kind, size_t len)
{
	return kind == SEARCH_WORD && len >= 2;
}

struct search_term *
search_terms_add(struct search_terms *t, enum search_token_kind kind, uint32_t hash, const uint8_t *text, size_t len)
{
	struct search_term *term = search_terms_find(t, hash, text, len);

	if (term != NULL)
		return term;
	if (t->alike == NULL && (t->alike = search_memory_take(t->memory, SEARCH_ALIKE * sizeof(struct search_term *))) == NULL)
		return NULL;
	if (!make_room(t) || (term = search_memory_take(t->memory, size_of(len))) == NULL)
		return NULL;
	term->hash = hash;
	term->kind = (uint8_t)kind;
	term->len = (uint8_t)len;
	memcpy(term->text, text, len);
	place(t, term);
	t->n_terms++;
	if (is_listed(kind, len)) {
		term->next_alike = *alike(t, text);
		*alike(t, text) = term;
	}
	return term;
}

/* What stood behind it, so that no search ends before what it looks for. */
static void
close_gap(struct search_terms *t, uint32_t gap)
{
	uint32_t mask = t->n_slots - 1;

	for (uint32_t i = (gap + 1) & mask; t->slots[i].term != NULL; i = (i + 1) & mask) {
		if (((i - t->slots[i].hash) & mask) < ((i - gap) & mask))
			continue;
		t->slots[gap] = t->slots[i];
		gap = i;
	}
	t->slots[gap] = (struct search_term_slot){ .term = NULL };
}

void
search_terms_remove(struct search_terms *t, struct search_term *term)
{
	uint32_t i = term->hash & (t->n_slots - 1);
	struct search_term **at;

	while (t->slots[i].term != term)
		i = (i + 1) & (t->n_slots - 1);
	close_gap(t, i);
	if (is_listed(term->kind, term->len)) {
		for (at = alike(t, term->text); *at != term; at = &(*at)->next_alike)
			;
		*at = term->next_alike;
	}
	t->n_terms--;
	search_memory_give(t->memory, term, size_of(term->len));
}

bool
search_term_has_positions(const struct search_term *term)
{
	return term->kind != SEARCH_ONE;
}

const struct search_term *
search_terms_longer(const struct search_terms *t, const struct search_term *word, const uint8_t *text, size_t len)
{
	if (t->alike == NULL)
		return NULL;
	for (word = word == NULL ? *alike(t, text) : word->next_alike; word != NULL; word = word->next_alike)
		if (word->len > len && memcmp(word->text, text, len) == 0)
			return word;
	return NULL;
}
