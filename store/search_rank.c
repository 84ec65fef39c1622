#include <math.h>

#include "store/search_rank.h"

#define K1           1.2
#define B            0.75
#define LENGTH_MAX   4.0 /* times the mean: what is longer is not held against a document */
#define TITLE        2.0 /* BM25 gives at most K1 + 1 for a unit, and at least some of it */
#define TITLE_SHORT  8.0 /* words: about half as much again for a title of so many */
#define PREFIX       (1.0 / 16)
#define BONUS        0.5

/* What the matches of one vault add up to, by the document's number. */
struct sums {
	double  *score;
	uint8_t *n_units;
};

static bool
is_better(const struct search_ranked *a, const struct search_ranked *b)
{
	int order;

	if (a->score > b->score || a->score < b->score)
		return a->score > b->score;
	if (a->doc->updated != b->doc->updated)
		return a->doc->updated > b->doc->updated;
	order = uuid_compare(a->vault->id, b->vault->id);
	return (order != 0 ? order : uuid_compare(a->doc->asset, b->doc->asset)) < 0;
}

/* Lets the worse of two sink, in a heap whose first is the worst of all. */
static void
sink(struct search_ranked *heap, size_t n, size_t i)
{
	struct search_ranked moved = heap[i];
	size_t child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && is_better(&heap[child], &heap[child + 1]))
			child++;
		if (!is_better(&moved, &heap[child]))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

static void
rise(struct search_ranked *heap, size_t i)
{
	struct search_ranked moved = heap[i];

	for (; i > 0 && is_better(&heap[(i - 1) / 2], &moved); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = moved;
}

static void
offer(struct search_ranking *r, size_t wanted, const struct search_ranked *one)
{
	r->total++;
	if (r->n_best < wanted) {
		r->best[r->n_best] = *one;
		rise(r->best, r->n_best++);
	} else if (wanted > 0 && is_better(one, &r->best[0])) {
		r->best[0] = *one;
		sink(r->best, r->n_best, 0);
	}
}

static void
sort(struct search_ranking *r)
{
	struct search_ranked worst;

	for (size_t n = r->n_best; n > 1; n--) {
		worst = r->best[0];
		r->best[0] = r->best[n - 1];
		r->best[n - 1] = worst;
		sink(r->best, n - 1, 0);
	}
}

static double
unit_score(const struct search_match *m, const struct search_numbered *doc, double weight, double mean_len)
{
	double len = doc->n_positions / mean_len, score;

	if (len > LENGTH_MAX)
		len = LENGTH_MAX;
	score = m->n * (K1 + 1) / (m->n + K1 * (1 - B + B * len));
	if (m->in_title)
		score += TITLE + TITLE_SHORT / (TITLE_SHORT + doc->title_end);
	return weight * score * (m->is_exact ? 1 : PREFIX);
}

struct adding {
	double   weight;
	double   mean_len;
	unsigned have;     /* only to those that have so many units already */
	bool     is_bonus; /* and is none */
};

static void
add_up(const struct search_vault *v, const struct search_matches *m, const struct adding *a, struct sums *sums)
{
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t doc = m->at[i].doc;

		if (sums->n_units[doc] < a->have)
			continue;
		sums->score[doc] += unit_score(&m->at[i], &v->docs[doc], a->weight, a->mean_len);
		sums->n_units[doc] += !a->is_bonus;
	}
}

static enum err
rank_vault(struct search_ranking *r, const struct search_vault *v, const struct search_matches *matches, double mean_len,
    size_t wanted)
{
	unsigned need = r->any ? 1 : r->units->n_needed;
	struct sums sums;

	sums.score = search_memory_take(r->scratch, v->n_numbers * sizeof *sums.score);
	sums.n_units = search_memory_take(r->scratch, v->n_numbers);
	if (sums.score == NULL || sums.n_units == NULL)
		return ERR_NO_MEMORY;
	for (unsigned u = 0; u < r->units->n_units; u++) {
		struct adding a = { .weight = r->weights[u], .mean_len = mean_len, .is_bonus = r->units->units[u].is_bonus };

		if (!r->any)
			a.have = u < need ? u : need;
		add_up(v, &matches[u], &a, &sums);
	}
	for (uint32_t i = 1; i < v->n_numbers; i++) {
		struct search_ranked one = { .score = sums.score[i], .vault = v, .doc = v->docs[i].doc };

		if (sums.n_units[i] >= need && (r->kinds == 0 || (r->kinds & 1U << one.doc->kind) != 0))
			offer(r, wanted, &one);
	}
	search_memory_give(r->scratch, sums.score, v->n_numbers * sizeof *sums.score);
	search_memory_give(r->scratch, sums.n_units, v->n_numbers);
	return OK;
}

/* All units in all vaults; weighs them. Says whether any document can be a hit. */
static enum err
match_all(struct search_ranking *r, struct search_matches *matches, double n_docs, bool *possible)
{
	for (unsigned u = 0; u < r->units->n_units; u++) {
		double n = 0;

		for (size_t v = 0; v < r->n_vaults; v++) {
			struct search_matches *m = &matches[v * r->units->n_units + u];

			if (!search_match(r->vaults[v], r->units, &r->units->units[u], r->scratch, m))
				return ERR_NO_MEMORY;
			n += m->n;
		}
		r->weights[u] = log(1 + (n_docs - n + 0.5) / (n + 0.5));
		if (r->units->units[u].is_bonus)
			r->weights[u] *= BONUS;
		else if (n == 0 && !r->any)
			return OK;
	}
	*possible = true;
	return OK;
}

enum err
search_rank(struct search_ranking *r)
{
	size_t wanted = r->n_best, n_units = r->units->n_units;
	struct search_matches *matches;
	double n_docs = 0, n_positions = 0;
	bool possible = false;
	enum err e;

	r->n_best = 0;
	r->total = 0;
	for (size_t v = 0; v < r->n_vaults; v++) {
		n_docs += r->vaults[v]->n_docs;
		n_positions += (double)r->vaults[v]->n_positions;
	}
	if (n_units == 0 || n_docs < 1)
		return OK;
	if ((double)wanted > n_docs)
		wanted = (size_t)n_docs;
	if ((matches = search_memory_take(r->scratch, r->n_vaults * n_units * sizeof *matches)) == NULL ||
	    (r->best = search_memory_take(r->scratch, (wanted + 1) * sizeof *r->best)) == NULL)
		return ERR_NO_MEMORY;
	if ((e = match_all(r, matches, n_docs, &possible)) != OK || !possible)
		return e;
	for (size_t v = 0; v < r->n_vaults; v++)
		if ((e = rank_vault(r, r->vaults[v], matches + v * n_units, (n_positions + 1) / n_docs, wanted)) != OK)
			return e;
	sort(r);
	return OK;
}
