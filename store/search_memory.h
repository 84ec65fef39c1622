/*
 * search_memory: room for what the index holds, in mappings that are left out
 * of core files and of forked children and locked as far as the limit goes.
 * What is given back is wiped, and so is everything at the end.
 */
#ifndef STORE_SEARCH_MEMORY_H
#define STORE_SEARCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* What several memories use together. */
struct search_bill {
	size_t max;    /* bytes that may be mapped; 0: no such limit */
	size_t bytes;  /* mapped */
	size_t locked; /* of these */
};

struct search_memory;

/* bill  borrowed. lock: whether to try. NULL: out of memory. */
struct search_memory *search_memory_new(struct search_bill *bill, bool lock);

/* Wipes and unmaps all of it. Sets the pointer to NULL; accepts NULL inside. */
void search_memory_free(struct search_memory **m);

/* len > 0 zeroed bytes, at a multiple of 16. NULL: out of memory, or beyond the bill's limit. */
void *search_memory_take(struct search_memory *m, size_t len);

/* Wipes them and keeps the room for others. len as it was taken; accepts NULL. */
void search_memory_give(struct search_memory *m, void *p, size_t len);

/*
 * Moves len bytes to a new place of new_len > len, the rest zeroed, and gives
 * the old one back. p may be NULL with len 0. NULL: as above, and p is as it was.
 */
void *search_memory_grow(struct search_memory *m, void *p, size_t len, size_t new_len);

#endif
