/*
 * search_rank: the best documents for a query, in order.
 *
 * BM25 (k1 1.2, b 0.75) over all words of a document, and for each unit that
 * stands in its title more than BM25 gives for any number of times elsewhere;
 * what only begins with the last word counts a sixteenth; two words
 * side by side, as they were asked for, count half as much on top. How rare a unit is,
 * and how long documents are, is counted over the vaults searched.
 * Source: Robertson, Zaragoza, The Probabilistic Relevance Framework, 2009.
 */
#ifndef STORE_SEARCH_RANK_H
#define STORE_SEARCH_RANK_H

#include "store/search_match.h"

struct search_ranked {
	double                     score;
	const struct search_vault *vault;
	const struct search_doc   *doc;
};

struct search_ranking {
	struct search_memory       *scratch; /* borrowed, as all it points at */
	struct search_vault *const *vaults;  /* those searched */
	size_t                      n_vaults;
	const struct search_units  *units;
	unsigned                    kinds;   /* 0: all */
	bool                        any;     /* one unit is enough */
	double                      weights[SEARCH_UNITS_MAX]; /* made here: how much a unit tells */
	struct search_ranked       *best;    /* made here: the best first */
	size_t                      n_best;  /* in: how many are wanted at most */
	uint64_t                    total;   /* made here: all there are */
};

/* ERR_NO_MEMORY. What it made is gone with scratch. */
enum err search_rank(struct search_ranking *r);

#endif
