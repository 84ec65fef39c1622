/* search_terms: the words of one vault, each with its postings. */
#ifndef STORE_SEARCH_TERMS_H
#define STORE_SEARCH_TERMS_H

#include "store/search_postings.h"
#include "store/search_tokens.h"

struct search_term {
	struct search_postings postings;
	struct search_term    *next_alike; /* words only: begins with bytes of the same kind */
	uint32_t               hash;
	uint32_t               mark;       /* store/search_walk.h's and store/search_vault.c's; means nothing between two walks */
	uint8_t                kind;       /* enum search_token_kind */
	uint8_t                len;
	uint8_t                text[];
};

struct search_term_slot {
	uint32_t            hash;
	struct search_term *term; /* NULL: free */
};

#define SEARCH_ALIKE 1024

/* All zero but memory: none. */
struct search_terms {
	struct search_memory    *memory; /* borrowed */
	uint64_t                 seed;   /* of the hashes: an index has one that nobody can foresee */
	struct search_term_slot *slots;  /* a power of two of them */
	uint32_t                 n_slots;
	uint32_t                 n_terms;
	struct search_term     **alike;  /* heads of SEARCH_ALIKE lists of words */
};

/* Of the term's bytes; the same in all vaults of an index. */
uint32_t search_term_hash(uint64_t seed, const uint8_t *text, size_t len);

/* Wants the term's slot in the processor's cache soon. */
void search_terms_prefetch(const struct search_terms *t, uint32_t hash);

/* NULL: not there. */
struct search_term *search_terms_find(const struct search_terms *t, uint32_t hash, const uint8_t *text, size_t len);

/* The term, made if it is not there. NULL: out of memory. len <= SEARCH_TERM_MAX. */
struct search_term *search_terms_add(struct search_terms *t, enum search_token_kind kind, uint32_t hash,
    const uint8_t *text, size_t len);

/* Takes out and wipes a term that stands in no document any more. */
void search_terms_remove(struct search_terms *t, struct search_term *term);

/* True when the term's places are kept. */
bool search_term_has_positions(const struct search_term *term);

/* The first of the words, or the next after `word`, that begins with text, len >= 2, and is longer. NULL: no more. */
const struct search_term *search_terms_longer(const struct search_terms *t, const struct search_term *word,
    const uint8_t *text, size_t len);

#endif
