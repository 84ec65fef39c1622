/* search_units: a query cut into what is looked for. */
#ifndef STORE_SEARCH_UNITS_H
#define STORE_SEARCH_UNITS_H

#include "store/search_tokens.h"

#define SEARCH_UNITS_PARSED 32 /* of a query; what comes after is passed over */
#define SEARCH_UNITS_MAX    64
#define SEARCH_TERMS_MAX    512
#define SEARCH_SPAN_MAX     64 /* positions of one unit */

struct search_wanted {
	uint32_t hash;
	uint8_t  kind; /* enum search_token_kind */
	uint8_t  len;
	uint8_t  at;   /* positions after the first of its unit */
	uint8_t  text[SEARCH_TERM_MAX];
};

/* Terms that follow each other at their places. */
struct search_unit {
	uint16_t first;   /* in terms */
	uint16_t n_terms; /* 1 and up; more than one are never SEARCH_ONE */
	bool     is_quoted;
	bool     is_prefix; /* one word, and longer ones that begin with it */
	bool     is_bonus;  /* two words side by side, as asked: no hit has to have it, and one that has is better */
	bool     is_apart;  /* the first term, and later in the field the last; what is between does not count */
};

struct search_units {
	struct search_wanted terms[SEARCH_TERMS_MAX];
	struct search_unit   units[SEARCH_UNITS_MAX];
	unsigned             n_units;
	unsigned             n_needed; /* the first so many; what follows are bonuses */
};

/* seed as of the index's terms. u is zeroed. Any text; none of it may be of use. */
void search_units_parse(struct search_units *u, uint64_t seed, struct span query);

/*
 * Loosens them, for when no document has all: runs of five characters or more
 * become their pairs, one of four its two halves in their order, joined words
 * single words.
 */
void search_units_loosen(struct search_units *u);

/* True when the token is this term; with prefix, begins with it. */
bool search_wanted_is(const struct search_wanted *w, bool prefix, const struct search_token *t);

#endif
