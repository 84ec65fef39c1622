#include <string.h>

#include "mailbox/utf8.h"
#include "store/search_terms.h"
#include "store/search_units.h"

#define NONE       SEARCH_UNITS_MAX
#define HALVES     3 /* pairs of a run of two and two */

struct parsing {
	struct search_units *u;
	uint64_t             seed;
	struct span          text; /* the piece being cut */
	bool                 is_quoted;
	unsigned             n_terms; /* from the bottom: those of units that may grow */
	unsigned             n_alone; /* from the top: single characters */
	unsigned             open;    /* the unit that may grow; or NONE */
	uint32_t             start;   /* its position */
	uint32_t             last;    /* of its last term */
	enum search_token_kind last_kind;
	uint32_t             last_end;
};

static bool
is_space(uint32_t point)
{
	return point <= ' ' || point == 0xa0 || point == 0x3000 || (point >= 0x2000 && point <= 0x200a);
}

/* What may stand within a word that is meant as one: joined, not listed. */
static bool
is_joint(struct span between)
{
	static const char joints[] = "'-._@/:&+#=~%?!\\$*";
	uint32_t point;
	size_t len;

	for (; between.len > 0; between.p += len, between.len -= len) {
		if ((len = utf8_take(between.p, between.len, &point)) == 0 || is_space(point))
			return false;
		if (point != 0x2019 && (point >= 0x80 || strchr(joints, (int)point) == NULL))
			return false;
	}
	return true;
}

static bool
extends(const struct parsing *p, const struct search_token *t)
{
	if (p->open == NONE || t->position - p->start >= SEARCH_SPAN_MAX)
		return false;
	if (p->is_quoted)
		return true;
	if (t->kind == SEARCH_TWO)
		return p->last_kind == SEARCH_TWO && p->last == t->position - 1;
	if (p->last_kind != SEARCH_WORD || p->last != t->position - 1)
		return false;
	/* One half and the like are two words in one character. */
	return t->offset <= p->last_end || is_joint((struct span){ p->text.p + p->last_end, t->offset - p->last_end });
}

static void
set_term(struct parsing *p, unsigned i, const struct search_token *t, uint32_t at)
{
	struct search_wanted *w = &p->u->terms[i];

	w->hash = search_term_hash(p->seed, t->term, t->term_len);
	w->kind = (uint8_t)t->kind;
	w->len = (uint8_t)t->term_len;
	w->at = (uint8_t)at;
	memcpy(w->text, t->term, t->term_len);
}

static bool
add_alone(struct parsing *p, const struct search_token *t)
{
	uint16_t i = (uint16_t)(SEARCH_TERMS_MAX - ++p->n_alone);

	set_term(p, i, t, 0);
	p->u->units[p->u->n_units++] = (struct search_unit){ .first = i, .n_terms = 1, .is_quoted = p->is_quoted };
	return true;
}

static bool
on_token(void *arg, const struct search_token *t)
{
	struct parsing *p = arg;
	bool more;

	if (t->kind == SEARCH_ONE && !t->alone)
		return true;
	more = t->kind != SEARCH_ONE && extends(p, t);
	if ((!more && p->u->n_units == SEARCH_UNITS_PARSED) || p->n_terms + p->n_alone == SEARCH_TERMS_MAX)
		return false;
	if (t->kind == SEARCH_ONE)
		return add_alone(p, t);
	if (!more) {
		p->open = p->u->n_units++;
		p->start = t->position;
		p->u->units[p->open] = (struct search_unit){ .first = (uint16_t)p->n_terms, .is_quoted = p->is_quoted };
	}
	set_term(p, p->n_terms++, t, t->position - p->start);
	p->u->units[p->open].n_terms++;
	p->last = t->position;
	p->last_kind = t->kind;
	p->last_end = t->end;
	return true;
}

static bool
same_unit(const struct search_units *u, const struct search_unit *a, const struct search_unit *b)
{
	if (a->n_terms != b->n_terms)
		return false;
	for (unsigned i = 0; i < a->n_terms; i++) {
		const struct search_wanted *x = &u->terms[a->first + i], *y = &u->terms[b->first + i];

		if (x->at != y->at || x->len != y->len || memcmp(x->text, y->text, x->len) != 0)
			return false;
	}
	return true;
}

/* A thing asked for twice is asked for once, in its narrower sense. */
static void
drop_doubles(struct search_units *u)
{
	unsigned n = 0, j;

	for (unsigned i = 0; i < u->n_units; i++) {
		for (j = 0; j < n && !same_unit(u, &u->units[j], &u->units[i]); j++)
			;
		if (j == n)
			u->units[n++] = u->units[i];
	}
	u->n_units = n;
	for (u->n_needed = 0; u->n_needed < n && !u->units[u->n_needed].is_bonus; u->n_needed++)
		;
}

static bool
has_two_characters(const struct search_wanted *w)
{
	uint32_t point;

	return utf8_take(w->text, w->len, &point) < w->len;
}

static void
cut_piece(struct parsing *p, struct span piece, bool is_quoted)
{
	p->text = piece;
	p->is_quoted = is_quoted;
	p->open = NONE;
	p->last_end = 0;
	(void)search_tokens(piece, 0, on_token, p);
}

/* The last word, with nothing after it. */
static void
find_prefix(struct parsing *p, struct span piece)
{
	struct search_unit *last;

	if (piece.len == 0 || p->open == NONE || p->last_kind != SEARCH_WORD || p->last_end != piece.len)
		return;
	last = &p->u->units[p->open];
	last->is_prefix = last->n_terms == 1 && has_two_characters(&p->u->terms[last->first]);
}

static bool
is_plain_word(const struct parsing *p, unsigned i)
{
	const struct search_unit *unit = &p->u->units[i];

	return unit->n_terms == 1 && !unit->is_quoted && p->u->terms[unit->first].kind == SEARCH_WORD;
}

/* For each two words that are asked for one after the other. */
static void
add_bonuses(struct parsing *p)
{
	unsigned n = p->u->n_units;
	uint16_t at;

	for (unsigned i = 0; i + 1 < n && p->n_terms + p->n_alone + 2 <= SEARCH_TERMS_MAX; i++) {
		if (!is_plain_word(p, i) || !is_plain_word(p, i + 1))
			continue;
		at = (uint16_t)(SEARCH_TERMS_MAX - (p->n_alone += 2));
		p->u->terms[at] = p->u->terms[p->u->units[i].first];
		p->u->terms[at + 1] = p->u->terms[p->u->units[i + 1].first];
		p->u->terms[at + 1].at = 1;
		p->u->units[p->u->n_units++] = (struct search_unit){ .first = at, .n_terms = 2, .is_quoted = true, .is_bonus = true };
	}
}

/* The length of the quotation mark at the start, or 0. */
static size_t
quote_len(struct span s)
{
	uint32_t point;
	size_t len = utf8_take(s.p, s.len, &point);

	if (len == 0)
		return 0;
	return point == '"' || (point >= 0x201c && point <= 0x201e) || point == 0x300c || point == 0x300d || point == 0xff02 ?
	    len : 0;
}

/* Where the next quotation mark begins; the length if there is none. */
static size_t
next_quote(struct span s)
{
	size_t i = 0;

	while (i < s.len && quote_len((struct span){ s.p + i, s.len - i }) == 0)
		i++;
	return i;
}

static struct span
after(struct span s, size_t n)
{
	return (struct span){ s.p + n, s.len - n };
}

void
search_units_parse(struct search_units *u, uint64_t seed, struct span query)
{
	struct parsing p = { .u = u, .seed = seed };
	struct span rest;
	size_t plain, quoted;

	while (query.len > 0) {
		plain = next_quote(query);
		rest = after(query, plain);
		rest = after(rest, quote_len(rest));
		quoted = next_quote(rest);
		if (plain < query.len && quoted == rest.len)
			plain = query.len;
		cut_piece(&p, (struct span){ query.p, plain }, false);
		if (plain == query.len) {
			find_prefix(&p, query);
			break;
		}
		cut_piece(&p, (struct span){ rest.p, quoted }, true);
		query = after(rest, quoted);
		query = after(query, quote_len(query));
	}
	drop_doubles(u);
	add_bonuses(&p);
	drop_doubles(u);
}

void
search_units_loosen(struct search_units *u)
{
	struct search_unit kept[SEARCH_UNITS_MAX];
	unsigned n_kept = u->n_units, n = 0;

	memcpy(kept, u->units, sizeof kept);
	for (unsigned i = 0; i < n_kept; i++) {
		const struct search_unit *k = &kept[i];
		bool is_run = u->terms[k->first].kind == SEARCH_TWO;
		bool splits = !k->is_quoted && k->n_terms > 1 && (!is_run || k->n_terms > HALVES);

		if (!splits && n < SEARCH_UNITS_MAX) {
			u->units[n] = *k;
			u->units[n++].is_apart = is_run && !k->is_quoted && k->n_terms == HALVES;
		}
		for (uint16_t j = 0; splits && j < k->n_terms && n < SEARCH_UNITS_MAX; j++)
			u->units[n++] = (struct search_unit){ .first = (uint16_t)(k->first + j), .n_terms = 1 };
	}
	u->n_units = n;
	drop_doubles(u);
}

bool
search_wanted_is(const struct search_wanted *w, bool prefix, const struct search_token *t)
{
	if (prefix ? t->term_len < w->len || t->kind != SEARCH_WORD : t->term_len != w->len)
		return false;
	return memcmp(t->term, w->text, w->len) == 0;
}
