#include <string.h>

#include "escrow/secret.h"
#include "store/search_excerpt.h"

#define SPOTS_MAX  512
#define STRETCH    160 /* bytes: leaves room for some of what stands around it */
#define LEAD       3   /* of that room, one part in so many goes before */
#define TOKENS_MAX 32768 /* after the first spot: a better one is not looked for for ever */
#define SUMS       1024

/* A unit, met. */
struct spot {
	uint32_t unit;
	uint32_t field;
	uint32_t offset;
	uint32_t end;
};

struct looking {
	const struct search_units *u;
	uint64_t    sums[SUMS / 64];           /* of all terms: most tokens of a long text are none of them, and cost no more than this */
	bool        has_prefix;
	bool        is_begun;                  /* some unit of several terms may be under way */
	uint32_t    field;
	uint32_t    position;                  /* the one after the last */
	uint64_t    met[SEARCH_UNITS_MAX];     /* bit i: the first i + 1 places of the unit end here */
	uint32_t    n_of_unit[SEARCH_UNITS_MAX];
	uint32_t    offsets[SEARCH_SPAN_MAX];  /* of the last positions */
	struct spot latest[SEARCH_UNITS_MAX];  /* of each unit */
	struct spot spots[SPOTS_MAX];
	uint32_t    n;
	uint32_t    n_tokens;                  /* since the first spot */
	bool        enough;
};

static unsigned
last_at(const struct search_units *u, const struct search_unit *unit)
{
	return u->terms[unit->first + unit->n_terms - 1].at;
}

/* Bits of the places of the unit at which t may stand; t NULL: nothing that an index keeps the place of. */
static uint64_t
fitting(const struct search_units *u, const struct search_unit *unit, const struct search_token *t)
{
	uint64_t free = ~(uint64_t)0, fits = 0;

	for (unsigned i = 0; i < unit->n_terms; i++) {
		const struct search_wanted *w = &u->terms[unit->first + i];

		free &= ~((uint64_t)1 << w->at);
		if (t != NULL && search_wanted_is(w, unit->is_prefix, t))
			fits |= (uint64_t)1 << w->at;
	}
	return free | fits;
}

/* True when the latest spots of all units are in one stretch that ends here: none can be better. */
static bool
is_whole(const struct looking *l, uint32_t end)
{
	for (unsigned i = 0; i < l->u->n_units; i++)
		if (l->latest[i].end == 0 || l->latest[i].field != l->field || l->latest[i].offset + STRETCH < end)
			return false;
	return true;
}

static unsigned
sum_of(const uint8_t *term, size_t len)
{
	return (term[0] * 7u + term[len / 2] * 13u + term[len - 1] * 31u + (unsigned)len) % SUMS;
}

static void
remember_sums(struct looking *l)
{
	for (unsigned i = 0; i < l->u->n_units; i++) {
		const struct search_unit *unit = &l->u->units[i];

		l->has_prefix |= unit->is_prefix;
		for (unsigned k = unit->first; k < unit->first + unit->n_terms; k++) {
			unsigned sum = sum_of(l->u->terms[k].text, l->u->terms[k].len);

			l->sums[sum / 64] |= (uint64_t)1 << sum % 64;
		}
	}
}

/* False: it is no term of any unit. */
static bool
may_be_wanted(const struct looking *l, const struct search_token *t)
{
	unsigned sum = sum_of(t->term, t->term_len);

	return (l->has_prefix && t->kind == SEARCH_WORD) || (l->sums[sum / 64] >> sum % 64 & 1) != 0;
}

static void
note(struct looking *l, unsigned unit, uint32_t offset, uint32_t end)
{
	if (l->n == SPOTS_MAX || ++l->n_of_unit[unit] > SPOTS_MAX / l->u->n_units)
		return;
	l->latest[unit] = l->spots[l->n++] = (struct spot){ .unit = unit, .field = l->field, .offset = offset, .end = end };
	l->enough = is_whole(l, end);
}

/* A place with t, or with nothing that an index keeps the place of. */
static void
step(struct looking *l, const struct search_token *t)
{
	l->is_begun = false;
	for (unsigned i = 0; i < l->u->n_units; i++) {
		const struct search_unit *unit = &l->u->units[i];
		unsigned last = last_at(l->u, unit);

		if (unit->n_terms == 1 || unit->is_apart)
			continue;
		l->met[i] = (l->met[i] << 1 | 1) & fitting(l->u, unit, t);
		l->is_begun |= (l->met[i] & (((uint64_t)1 << last) - 1)) != 0;
		if (t != NULL && (l->met[i] >> last & 1) != 0)
			note(l, i, l->offsets[(t->position - last) % SEARCH_SPAN_MAX], t->end);
	}
}

static void
note_single(struct looking *l, const struct search_token *t)
{
	for (unsigned i = 0; i < l->u->n_units; i++) {
		const struct search_unit *unit = &l->u->units[i];

		if ((unit->n_terms == 1 || unit->is_apart) && search_wanted_is(&l->u->terms[unit->first], unit->is_prefix, t))
			note(l, i, t->offset, t->end);
	}
}

static bool
on_token(void *arg, const struct search_token *t)
{
	struct looking *l = arg;
	bool wanted = may_be_wanted(l, t);

	if (wanted)
		note_single(l, t);
	if (l->n > 0 && ++l->n_tokens > TOKENS_MAX)
		l->enough = true;
	if (t->kind == SEARCH_ONE || l->enough)
		return !l->enough;
	for (; l->is_begun && l->position < t->position; l->position++)
		step(l, NULL);
	l->offsets[t->position % SEARCH_SPAN_MAX] = t->offset;
	if (wanted || l->is_begun)
		step(l, t);
	l->position = t->position + 1;
	return !l->enough;
}

static void
look(struct looking *l, const struct search_doc *doc)
{
	for (l->field = 0; l->field < doc->n_fields && !l->enough; l->field++) {
		memset(l->met, 0, sizeof l->met);
		l->is_begun = false;
		l->position = 0;
		(void)search_tokens(search_doc_text(doc, &doc->fields[l->field]), 0, on_token, l);
	}
}

/* What the units weigh that are met from spot i on within one stretch; *heaviest: of these. */
static double
weigh(const struct looking *l, const double *weights, uint32_t i, uint32_t *heaviest)
{
	uint64_t counted = 0;
	double sum = 0;

	*heaviest = i;
	for (uint32_t j = i; j < l->n && l->spots[j].field == l->spots[i].field &&
	    l->spots[j].end <= l->spots[i].offset + STRETCH; j++) {
		uint64_t unit = (uint64_t)1 << l->spots[j].unit;

		if ((counted & unit) == 0)
			sum += weights[l->spots[j].unit];
		counted |= unit;
		if (weights[l->spots[j].unit] > weights[l->spots[*heaviest].unit])
			*heaviest = j;
	}
	return sum;
}

static struct spot
best_spot(const struct looking *l, const double *weights, uint32_t *from)
{
	struct spot best = { .unit = 0 };
	double most = -1, sum;
	uint32_t heaviest;

	*from = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		if ((sum = weigh(l, weights, i, &heaviest)) <= most)
			continue;
		most = sum;
		best = l->spots[heaviest];
		*from = l->spots[i].offset < best.offset ? l->spots[i].offset : best.offset;
	}
	return best;
}

static bool
is_inside(struct span text, uint32_t at)
{
	return at < text.len && (text.p[at] & 0xc0) == 0x80;
}

static void
cut_excerpt(struct span text, uint32_t from, struct search_hit *hit)
{
	uint32_t len = (uint32_t)text.len, begin = 0, end = len;

	if (len > SEARCH_EXCERPT_MAX) {
		begin = (SEARCH_EXCERPT_MAX - STRETCH) / LEAD;
		begin = from > begin ? from - begin : 0;
		if (begin > len - SEARCH_EXCERPT_MAX)
			begin = len - SEARCH_EXCERPT_MAX;
		end = begin + SEARCH_EXCERPT_MAX;
		for (unsigned i = 0; i < 3 && is_inside(text, begin); i++)
			begin++;
		for (unsigned i = 0; i < 3 && is_inside(text, end); i++)
			end--;
	}
	if (end > begin)
		memcpy(hit->excerpt, text.p + begin, end - begin);
	hit->excerpt_len = end - begin;
	hit->excerpt_offset = begin;
	hit->match_offset = hit->offset - begin;
	hit->match_length = hit->length <= end - hit->offset ? hit->length : end - hit->offset;
}

void
search_excerpt(const struct search_units *u, const double *weights, const struct search_doc *doc, struct search_hit *hit)
{
	struct looking l = { .u = u };
	struct spot best;
	uint32_t from;

	if (doc->n_fields == 0)
		return;
	remember_sums(&l);
	look(&l, doc);
	best = best_spot(&l, weights, &from);
	hit->part = doc->fields[best.field].part;
	hit->number = doc->fields[best.field].number;
	hit->offset = best.offset;
	hit->length = best.end - best.offset;
	cut_excerpt(search_doc_text(doc, &doc->fields[best.field]), from, hit);
	wipe(&l, sizeof l);
}
