#include <limits.h>

#include "store/search_match.h"

#define AGAIN      UINT_MAX /* one before 0 */
#define BONUS_MIN  1000     /* two words of which both are in more documents than this, and than one in */
#define BONUS_PART 16       /* so many, tell little by standing together, and cost much to find */

static bool
make(struct search_memory *scratch, uint32_t cap, struct search_matches *out)
{
	*out = (struct search_matches){ .cap = cap };
	if (cap == 0)
		return true;
	return (out->at = search_memory_take(scratch, cap * sizeof *out->at)) != NULL;
}

static uint16_t
capped(uint64_t n)
{
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

static const struct search_term *
term_of(const struct search_vault *v, const struct search_wanted *w)
{
	return search_terms_find(&v->terms, w->hash, w->text, w->len);
}

static bool
match_term(const struct search_term *t, struct search_memory *scratch, struct search_matches *out)
{
	struct search_cursor c;

	if (!make(scratch, t == NULL ? 0 : t->postings.n_docs, out))
		return false;
	if (t == NULL)
		return true;
	search_cursor_start(&c, &t->postings, search_term_has_positions(t));
	while (search_cursor_next(&c))
		out->at[out->n++] = (struct search_match){ .doc = c.doc, .n = capped(c.n), .in_title = c.in_title, .is_exact = true };
	return true;
}

static void
add_all(const struct search_term *t, bool is_exact, struct search_match *by_number)
{
	struct search_cursor c;

	search_cursor_start(&c, &t->postings, true);
	while (search_cursor_next(&c)) {
		struct search_match *m = &by_number[c.doc];

		m->n = capped((uint64_t)m->n + c.n);
		m->in_title |= c.in_title;
		m->is_exact |= is_exact;
	}
}

static bool
match_prefix(const struct search_vault *v, const struct search_wanted *w, struct search_memory *scratch,
    struct search_matches *out)
{
	const struct search_term *exact = term_of(v, w), *longer = NULL;

	if (search_terms_longer(&v->terms, NULL, w->text, w->len) == NULL)
		return match_term(exact, scratch, out);
	if (!make(scratch, v->n_numbers, out))
		return false;
	if (exact != NULL)
		add_all(exact, true, out->at);
	while ((longer = search_terms_longer(&v->terms, longer, w->text, w->len)) != NULL)
		add_all(longer, false, out->at);
	for (uint32_t i = 0; i < v->n_numbers; i++) {
		struct search_match m = out->at[i];

		m.doc = i;
		if (m.n > 0)
			out->at[out->n++] = m;
	}
	return true;
}

/* The terms of a unit, the rarest first. */
struct phrase {
	struct search_cursor cursors[SEARCH_SPAN_MAX];
	struct search_places places[SEARCH_SPAN_MAX];
	uint32_t             at[SEARCH_SPAN_MAX];
	unsigned             n;
};

/* To the next document that has all of the terms. */
static bool
next_doc(struct phrase *p)
{
	uint32_t doc;

	if (!search_cursor_next(&p->cursors[0]))
		return false;
	doc = p->cursors[0].doc;
	for (unsigned i = 0; i < p->n; i++) {
		if (!search_cursor_seek(&p->cursors[i], doc))
			return false;
		if (p->cursors[i].doc == doc)
			continue;
		doc = p->cursors[i].doc;
		i = AGAIN;
	}
	return true;
}

/* To the first place from *start on where all terms follow each other. */
static bool
next_place(struct phrase *p, uint32_t *start)
{
	for (unsigned i = 0; i < p->n; i++) {
		while (p->places[i].position < *start + p->at[i])
			if (!search_places_next(&p->places[i]))
				return false;
		if (p->places[i].position == *start + p->at[i])
			continue;
		*start = p->places[i].position - p->at[i];
		i = AGAIN;
	}
	return true;
}

static struct search_match
places_in_doc(struct phrase *p, const struct search_doc *doc)
{
	struct search_match m = { .doc = doc->number, .is_exact = true };
	uint32_t n = 0;

	for (unsigned i = 0; i < p->n; i++) {
		search_places_start(&p->places[i], &p->cursors[i]);
		(void)search_places_next(&p->places[i]);
	}
	for (uint32_t start = 0; next_place(p, &start); start++, n++)
		m.in_title |= start < doc->title_end;
	m.n = capped(n);
	return m;
}

static void
add_term(struct phrase *p, const struct search_term *t, uint32_t at, uint32_t *n_docs)
{
	unsigned i = p->n++;

	for (; i > 0 && n_docs[i - 1] > t->postings.n_docs; i--) {
		n_docs[i] = n_docs[i - 1];
		p->cursors[i] = p->cursors[i - 1];
		p->at[i] = p->at[i - 1];
	}
	n_docs[i] = t->postings.n_docs;
	search_cursor_start(&p->cursors[i], &t->postings, true);
	p->at[i] = at;
}

static bool
match_phrase(const struct search_vault *v, const struct search_wanted *w, unsigned n, bool is_bonus,
    struct search_memory *scratch, struct search_matches *out)
{
	struct phrase p = { .n = 0 };
	uint32_t n_docs[SEARCH_SPAN_MAX];
	const struct search_term *t;

	for (unsigned i = 0; i < n; i++) {
		if ((t = term_of(v, &w[i])) == NULL)
			return make(scratch, 0, out);
		add_term(&p, t, w[i].at, n_docs);
	}
	if (is_bonus && n_docs[0] > BONUS_MIN && n_docs[0] > v->n_docs / BONUS_PART)
		return make(scratch, 0, out);
	if (!make(scratch, n_docs[0], out))
		return false;
	while (next_doc(&p)) {
		out->at[out->n] = places_in_doc(&p, v->docs[p.cursors[0].doc].doc);
		out->n += out->at[out->n].n > 0;
	}
	return true;
}

/* How often the second stands after the first, near enough to be in the same field. */
static struct search_match
apart_in_doc(const struct search_cursor *first, const struct search_cursor *second, const struct search_doc *doc)
{
	struct search_match m = { .doc = doc->number, .is_exact = true };
	struct search_places a, b;
	uint32_t n = 0;
	bool more;

	search_places_start(&a, first);
	search_places_start(&b, second);
	more = search_places_next(&b);
	while (more && search_places_next(&a)) {
		while (more && b.position < a.position + 2)
			more = search_places_next(&b);
		if (!more || b.position - a.position >= SEARCH_SPAN_MAX)
			continue;
		m.in_title |= a.position < doc->title_end;
		n++;
	}
	m.n = capped(n);
	return m;
}

static bool
match_apart(const struct search_vault *v, const struct search_wanted *first, const struct search_wanted *second,
    struct search_memory *scratch, struct search_matches *out)
{
	const struct search_term *a = term_of(v, first), *b = term_of(v, second);
	struct search_cursor x, y;

	if (!make(scratch, a == NULL || b == NULL ? 0 : a->postings.n_docs, out))
		return false;
	if (out->cap == 0)
		return true;
	search_cursor_start(&x, &a->postings, true);
	search_cursor_start(&y, &b->postings, true);
	while (search_cursor_next(&x) && search_cursor_seek(&y, x.doc)) {
		if (x.doc != y.doc)
			continue;
		out->at[out->n] = apart_in_doc(&x, &y, v->docs[x.doc].doc);
		out->n += out->at[out->n].n > 0;
	}
	return true;
}

bool
search_match(const struct search_vault *v, const struct search_units *u, const struct search_unit *unit,
    struct search_memory *scratch, struct search_matches *out)
{
	const struct search_wanted *first = &u->terms[unit->first];

	if (unit->is_apart)
		return match_apart(v, first, first + unit->n_terms - 1, scratch, out);
	if (unit->n_terms > 1)
		return match_phrase(v, first, unit->n_terms, unit->is_bonus, scratch, out);
	if (unit->is_prefix)
		return match_prefix(v, first, scratch, out);
	return match_term(term_of(v, first), scratch, out);
}
