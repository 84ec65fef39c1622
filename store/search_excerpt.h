/* search_excerpt: where in a document a query is met best, and the text around it. */
#ifndef STORE_SEARCH_EXCERPT_H
#define STORE_SEARCH_EXCERPT_H

#include "store/search_doc.h"
#include "store/search_units.h"

/*
 * Sets part, number, offset, length, the excerpt and the match's place in it:
 * of the stretches of a field that an excerpt can hold, the first in which the
 * units weigh most; of these the heaviest. In a long document those are
 * looked at that begin not too far after the first. weights: one a unit.
 */
void search_excerpt(const struct search_units *u, const double *weights, const struct search_doc *doc, struct search_hit *hit);

#endif
