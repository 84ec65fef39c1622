#include <string.h>

#include "store/profile_book_inside.h"

enum err
profile_book_new(struct profile_book *b)
{
	memset(b, 0, sizeof *b);
	return (b->memory = search_memory_new(&b->bill, true)) == NULL ? ERR_NO_MEMORY : OK;
}

void
profile_book_free(struct profile_book *b)
{
	search_memory_free(&b->memory);
	memset(b, 0, sizeof *b);
}

size_t
book_place(const struct profile_book *b, size_t n,
    int (*compare)(const struct profile_book *b, size_t at, const void *key), const void *key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare(b, middle, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Room for one more of that size at place `at` of an array of n. */
enum err
book_open_place(struct profile_book *b, void **array, size_t *cap, size_t n, size_t size, size_t at)
{
	size_t wanted = *cap == 0 ? 32 : *cap * 2;
	void *grown;

	if (n == *cap) {
		if ((grown = search_memory_grow(b->memory, *array, *cap * size, wanted * size)) == NULL)
			return ERR_NO_MEMORY;
		*array = grown;
		*cap = wanted;
	}
	memmove((uint8_t *)*array + (at + 1) * size, (uint8_t *)*array + at * size, (n - at) * size);
	return OK;
}

void
book_close_place(void *array, size_t n, size_t size, size_t at)
{
	memmove((uint8_t *)array + at * size, (uint8_t *)array + (at + 1) * size, (n - at - 1) * size);
}

/* Copies a text behind the struct that is at *end. */
struct span
book_keep_text(uint8_t **end, struct span s)
{
	struct span kept = { *end, s.len };

	if (s.len > 0)
		memcpy(*end, s.p, s.len);
	*end += s.len;
	return kept;
}

static size_t
fact_size(const struct profile_fact *f)
{
	return sizeof *f + f->label.len + f->value.len + f->evidence.len;
}

static int
compare_fact(const struct profile_book *b, size_t at, const void *fact)
{
	return uuid_compare(b->facts[at]->fact, *(const struct uuid *)fact);
}

static size_t
fact_place(const struct profile_book *b, struct uuid fact)
{
	return book_place(b, b->n_facts, compare_fact, &fact);
}

const struct profile_fact *
profile_book_fact(const struct profile_book *b, struct uuid fact)
{
	size_t at = fact_place(b, fact);

	return at < b->n_facts && uuid_equal(b->facts[at]->fact, fact) ? b->facts[at] : NULL;
}

enum err
profile_book_put_fact(struct profile_book *b, const struct profile_fact *f)
{
	size_t at = fact_place(b, f->fact), size = fact_size(f);
	bool there = at < b->n_facts && uuid_equal(b->facts[at]->fact, f->fact);
	struct profile_fact *kept;
	void *array = b->facts;
	uint8_t *end;

	if ((kept = search_memory_take(b->memory, size)) == NULL)
		return ERR_NO_MEMORY;
	if (!there && book_open_place(b, &array, &b->facts_cap, b->n_facts, sizeof *b->facts, at) != OK) {
		search_memory_give(b->memory, kept, size);
		return ERR_NO_MEMORY;
	}
	b->facts = array;
	*kept = *f;
	end = (uint8_t *)(kept + 1);
	kept->label = book_keep_text(&end, f->label);
	kept->value = book_keep_text(&end, f->value);
	kept->evidence = book_keep_text(&end, f->evidence);
	if (there)
		search_memory_give(b->memory, b->facts[at], fact_size(b->facts[at]));
	else
		b->n_facts++;
	b->facts[at] = kept;
	return OK;
}

void
profile_book_remove_fact(struct profile_book *b, struct uuid fact)
{
	size_t at = fact_place(b, fact);

	if (at == b->n_facts || !uuid_equal(b->facts[at]->fact, fact))
		return;
	search_memory_give(b->memory, b->facts[at], fact_size(b->facts[at]));
	book_close_place(b->facts, b->n_facts--, sizeof *b->facts, at);
}

/* By connection, then by fact; key is a share of which those two are set. */
static int
compare_share(const struct profile_book *b, size_t at, const void *key)
{
	const struct profile_share *share = key;
	int order = uuid_compare(b->shares[at].connection, share->connection);

	return order != 0 ? order : uuid_compare(b->shares[at].fact, share->fact);
}

static size_t
share_place(const struct profile_book *b, struct uuid connection, struct uuid fact)
{
	return book_place(b, b->n_shares, compare_share, &(struct profile_share){ .connection = connection, .fact = fact });
}

static bool
is_share(const struct profile_book *b, size_t at, struct uuid connection, struct uuid fact)
{
	return at < b->n_shares && uuid_equal(b->shares[at].connection, connection) && uuid_equal(b->shares[at].fact, fact);
}

const struct profile_share *
profile_book_share(const struct profile_book *b, struct uuid connection, struct uuid fact)
{
	size_t at = share_place(b, connection, fact);

	return is_share(b, at, connection, fact) ? &b->shares[at] : NULL;
}

const struct profile_share *
profile_book_shares_of(const struct profile_book *b, struct uuid connection, size_t *n)
{
	size_t from = share_place(b, connection, (struct uuid){ { 0 } }), to = from;

	while (to < b->n_shares && uuid_equal(b->shares[to].connection, connection))
		to++;
	*n = to - from;
	return b->shares == NULL ? NULL : b->shares + from;
}

enum err
profile_book_put_share(struct profile_book *b, const struct profile_share *s)
{
	size_t at = share_place(b, s->connection, s->fact);
	void *array = b->shares;

	if (!is_share(b, at, s->connection, s->fact)) {
		if (book_open_place(b, &array, &b->shares_cap, b->n_shares, sizeof *b->shares, at) != OK)
			return ERR_NO_MEMORY;
		b->shares = array;
		b->n_shares++;
	}
	b->shares[at] = *s;
	return OK;
}

void
profile_book_remove_share(struct profile_book *b, struct uuid connection, struct uuid fact)
{
	size_t at = share_place(b, connection, fact);

	if (is_share(b, at, connection, fact))
		book_close_place(b->shares, b->n_shares--, sizeof *b->shares, at);
}
