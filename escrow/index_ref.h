/*
 * index_ref: what the two tickets of search are for, in the place of the refs
 * of a deposit's pieces: a class key, and the key of a page of results.
 * Source: docs/store-format.md, "Tickets".
 */
#ifndef ESCROW_INDEX_REF_H
#define ESCROW_INDEX_REF_H

#include "mailbox/protocol.h"
#include "mailbox/words.h"

#define INDEX_REF_LEN 38

/* Into buf; the result points into it. */
struct span index_ref(enum key_class c, uint8_t buf[INDEX_REF_LEN]);
struct span index_ref_found(uint8_t buf[INDEX_REF_LEN]);

#endif
