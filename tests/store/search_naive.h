/*
 * search_naive: what the header of the index says is found, told by walking
 * over the folded characters of a document, with no index and no tokens.
 */
#ifndef TESTS_STORE_SEARCH_NAIVE_H
#define TESTS_STORE_SEARCH_NAIVE_H

#include <stdlib.h>
#include <string.h>

#include "store/search_fold.h"
#include "tests/support/check.h"

#define NAIVE_ITEMS 1024
#define NAIVE_WORD  64

/* A word, or a character of a run, or a symbol. */
struct naive_item {
	enum search_class of;
	uint32_t          points[NAIVE_WORD];
	unsigned          n;
	bool              glued; /* a run's: the one before is beside it */
	uint32_t          offset, end;
};

struct naive_text {
	struct naive_item items[NAIVE_ITEMS];
	unsigned          n;
};

static inline void
naive_cut(struct span text, struct naive_text *out)
{
	struct search_folding f;
	struct search_char c, before = { .of = SEARCH_BREAK };

	out->n = 0;
	search_fold_start(&f, text);
	for (; search_fold_next(&f, &c); before = c) {
		struct naive_item *item = &out->items[out->n];

		if (c.of == SEARCH_BREAK)
			continue;
		if (c.of == SEARCH_LETTER && before.of == SEARCH_LETTER)
			item--;
		else
			*item = (struct naive_item){ .of = c.of, .offset = c.offset, .glued = c.of == SEARCH_RUN && before.of == SEARCH_RUN };
		assert_true(item->n < NAIVE_WORD && out->n < NAIVE_ITEMS - 1);
		item->points[item->n++] = c.point;
		item->end = c.end;
		out->n = (unsigned)(item - out->items) + 1;
	}
}

static inline bool
naive_same(const struct naive_item *a, const struct naive_item *b, bool prefix)
{
	return a->of == b->of && (prefix ? a->n <= b->n : a->n == b->n) && memcmp(a->points, b->points, a->n * sizeof *a->points) == 0;
}

/* Items a .. b - 1 of the query one after the other; a character that stands alone in the query may be anything. */
static inline bool
naive_follows(const struct naive_text *q, unsigned a, unsigned b, const struct naive_text *t)
{
	for (unsigned start = 0; start + (b - a) <= t->n; start++) {
		bool fits = true;

		for (unsigned i = a; i < b && fits; i++) {
			const struct naive_item *want = &q->items[i], *is = &t->items[start + i - a];
			bool alone = want->of == SEARCH_SYMBOL || (want->of == SEARCH_RUN && !want->glued &&
			    !(i + 1 < q->n && q->items[i + 1].glued));

			fits = alone || (naive_same(want, is, false) && (!want->glued || is->glued));
		}
		if (fits)
			return true;
	}
	return false;
}

static inline bool
naive_has(const struct naive_item *want, bool prefix, const struct naive_text *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (naive_same(want, &t->items[i], prefix))
			return true;
	return false;
}

/* All of a query without quotes or joints; or, quoted, the whole of it as one phrase. */
static inline bool
naive_finds(struct span query, bool quoted, const struct naive_text *fields, unsigned n_fields)
{
	static struct naive_text q;
	unsigned end;

	naive_cut(query, &q);
	for (unsigned a = 0; a < q.n; a = end) {
		bool found = false, alone, prefix;

		for (end = a + 1; end < q.n && q.items[end].glued; end++)
			;
		alone = end == a + 1 && q.items[a].of != SEARCH_LETTER;
		prefix = !quoted && end == q.n && q.items[a].of == SEARCH_LETTER && q.items[a].n >= 2 && q.items[a].end == query.len;
		for (unsigned f = 0; f < n_fields && !found; f++)
			found = alone || end == a + 1 ? naive_has(&q.items[a], prefix, &fields[f]) : naive_follows(&q, a, end, &fields[f]);
		if (!found)
			return false;
	}
	if (!quoted)
		return q.n > 0;
	for (unsigned a = 0, b = q.n; b > 0; b = 0) {
		/* Characters that stand alone at either end need no place. */
		while (a < b && q.items[a].of != SEARCH_LETTER && !(a + 1 < q.n && q.items[a + 1].glued))
			a++;
		while (b > a && q.items[b - 1].of != SEARCH_LETTER && !q.items[b - 1].glued)
			b--;
		for (unsigned f = 0; f < n_fields; f++)
			if (a == b || naive_follows(&q, a, b, &fields[f]))
				return true;
	}
	return false;
}

#endif
