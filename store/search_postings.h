/*
 * search_postings: in which documents a term stands, how often, and where.
 *
 * Documents are numbered upwards and added in that order; they can be taken
 * out in any. In blocks that grow with the list, as varints (7 bits a byte,
 * the least first, the top bit: more):
 *
 *   difference to the document before (for the first of a block, to its base)
 *   count << 1 | stands in the title
 *   if places are kept: for a count of 1 the place; for more, the bytes that
 *   the places take, and each place as the difference to the one before
 */
#ifndef STORE_SEARCH_POSTINGS_H
#define STORE_SEARCH_POSTINGS_H

#include <stdint.h>

#include "mailbox/wire.h"
#include "store/search_memory.h"

struct search_block {
	struct search_block *next;
	uint32_t             base; /* no document of the blocks before is after it, none in this is not */
	uint32_t             len;
	uint32_t             cap;
	uint8_t              bytes[];
};

/* All zero: none. */
struct search_postings {
	struct search_block *first;
	struct search_block *last;
	uint32_t             last_doc; /* what the next is counted from */
	uint32_t             n_docs;
};

/* One document's. */
struct search_posting {
	uint32_t        doc;
	uint32_t        n;         /* 1 and up */
	bool            in_title;
	const uint32_t *positions; /* n of them, rising; NULL: not kept */
};

/* p->doc is after all that are there. False: out of memory, and nothing was added. */
bool search_postings_add(struct search_memory *m, struct search_postings *list, const struct search_posting *p);

/* Takes out that document and wipes what was said of it. has_positions as it was added; does nothing if it is not there. */
void search_postings_remove(struct search_memory *m, struct search_postings *list, uint32_t doc, bool has_positions);

/* Reads a list from its start. */
struct search_cursor {
	const struct search_block *block;
	uint32_t                   at;
	bool                       has_positions;
	uint32_t                   doc; /* the one read last; 0 before the first: documents are numbered from 1 */
	uint32_t                   n;
	bool                       in_title;
	struct span                places; /* as search_places reads them */
};

void search_cursor_start(struct search_cursor *c, const struct search_postings *list, bool has_positions);

/* False at the end. */
bool search_cursor_next(struct search_cursor *c);

/* To the first document not before doc: stays where that is the one it is at. False at the end. */
bool search_cursor_seek(struct search_cursor *c, uint32_t doc);

struct search_places {
	struct span left;
	uint32_t    position;
};

void search_places_start(struct search_places *p, const struct search_cursor *c);

/* False at the end. */
bool search_places_next(struct search_places *p);

#endif
