/* search_match: which documents of a vault have a unit of a query, and how often. */
#ifndef STORE_SEARCH_MATCH_H
#define STORE_SEARCH_MATCH_H

#include "store/search_units.h"
#include "store/search_vault.h"

struct search_match {
	uint32_t doc; /* its number */
	uint16_t n;   /* 1 and up; 65535 is that or more */
	bool     in_title;
	bool     is_exact; /* not only as a beginning */
};

struct search_matches {
	struct search_match *at; /* by number */
	uint32_t             n;
	uint32_t             cap;
};

/* In scratch. False: out of memory. */
bool search_match(const struct search_vault *v, const struct search_units *u, const struct search_unit *unit,
    struct search_memory *scratch, struct search_matches *out);

#endif
