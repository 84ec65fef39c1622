/* search_rig: an index that is filled and asked in one line each. */
#ifndef TESTS_STORE_SEARCH_RIG_H
#define TESTS_STORE_SEARCH_RIG_H

#include <string.h>

#include "store/search_index.h"
#include "tests/support/check.h"

struct search_rig {
	struct search_index *ix;
	struct search_hit    hits[SEARCH_LIMIT_MAX];
	struct search_found  found;
};

static inline struct uuid
search_rig_id(uint8_t kind, uint32_t n)
{
	return (struct uuid){ { kind, [12] = (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n } };
}

static inline struct uuid
search_rig_vault(uint32_t n)
{
	return search_rig_id('v', n);
}

static inline struct uuid
search_rig_asset(uint32_t n)
{
	return search_rig_id('a', n);
}

static inline uint32_t
search_rig_number(struct uuid id)
{
	return (uint32_t)id.b[12] << 24 | (uint32_t)id.b[13] << 16 | (uint32_t)id.b[14] << 8 | id.b[15];
}

static inline struct span
search_rig_span(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static inline void
search_rig_open(struct search_rig *r)
{
	memset(r, 0, sizeof *r);
	assert_int_equal(search_index_new(0, &r->ix), OK);
}

static inline void
search_rig_close(struct search_rig *r)
{
	search_index_free(&r->ix);
}

static inline enum err
search_rig_put(struct search_rig *r, uint32_t vault, uint32_t asset, struct span title, struct span body)
{
	struct search_field fields[] = { { SEARCH_TITLE, 0, title }, { SEARCH_BODY, 0, body } };
	struct search_document d = { .vault = search_rig_vault(vault), .asset = search_rig_asset(asset),
		.revision = search_rig_id('r', asset), .kind = KIND_MEMORY, .created = 1, .updated = 1, .fields = fields, .n_fields = 2 };

	return search_index_put(r->ix, &d);
}

/* A memory in vault 1. */
static inline void
search_rig_add(struct search_rig *r, uint32_t asset, const char *title, const char *body)
{
	assert_int_equal(search_rig_put(r, 1, asset, search_rig_span(title), search_rig_span(body)), OK);
}

/* Asks in all vaults; the number of documents found. */
static inline uint64_t
search_rig_ask(struct search_rig *r, const char *query)
{
	struct search_query q = { .text = search_rig_span(query), .limit = SEARCH_LIMIT_MAX };

	assert_int_equal(search_index_find(r->ix, &q, r->hits, &r->found), OK);
	return r->found.total;
}

/* The same, and nothing but what has all of it. */
static inline uint64_t
search_rig_ask_strictly(struct search_rig *r, const char *query)
{
	struct search_query q = { .text = search_rig_span(query), .limit = SEARCH_LIMIT_MAX, .strict = true };

	assert_int_equal(search_index_find(r->ix, &q, r->hits, &r->found), OK);
	return r->found.total;
}

/* The asset of a hit. */
static inline uint32_t
search_rig_hit(const struct search_rig *r, uint32_t i)
{
	assert_true(i < r->found.n_hits);
	return search_rig_number(r->hits[i].asset);
}

#endif
