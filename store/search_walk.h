/* search_walk: which terms a document is made of, each once, with the places where it stands. */
#ifndef STORE_SEARCH_WALK_H
#define STORE_SEARCH_WALK_H

#include "store/search_doc.h"
#include "store/search_terms.h"

struct search_seen; /* one token */

/* One of the terms. */
struct search_told {
	struct search_term *term;
	uint32_t            n;
	uint32_t            first; /* of what was seen of it, and the last */
	uint32_t            last;
	bool                in_title;
};

/* All zero but memory: ready. What it holds is wiped after each walk. */
struct search_walk {
	struct search_memory *memory; /* borrowed */
	struct search_seen   *seen;
	uint32_t              n_seen, seen_cap;
	uint8_t              *bytes;  /* the words seen */
	uint32_t              n_bytes, bytes_cap;
	struct search_told   *told;
	uint32_t              n_told, told_cap;
	uint32_t             *positions;
	uint32_t              positions_cap;
	bool                  failed;
};

/*
 * Adds the document's terms to `terms` and tells of each in w->told, in the
 * order in which they first stand; sets where its title ends and how long it is. False: out of memory; terms that stand in no
 * document may have been added, and told says which.
 */
bool search_walk_doc(struct search_walk *w, struct search_terms *terms, struct search_doc *doc);

/* The places of one of the terms, rising. NULL: out of memory. */
const uint32_t *search_walk_positions(struct search_walk *w, const struct search_told *told);

/* Wipes it. A walk ends before the next begins. */
void search_walk_end(struct search_walk *w);

#endif
