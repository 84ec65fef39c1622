/*
 * client_search: asks for a search and opens what was found, in the process
 * whose stdout is the exit. The words of the query leave it only boxed to the
 * keyring.
 */
#ifndef GATEWAY_CLIENT_SEARCH_H
#define GATEWAY_CLIENT_SEARCH_H

#include "escrow/query.h"
#include "gateway/client.h"
#include "gateway/found.h"
#include "gateway/json_write.h"

struct client_search_want {
	enum surface surface;
	struct uuid  vault;      /* zero: all that are in scope */
	enum kind    kind;       /* 0: memories and cards */
	uint64_t     offset;     /* results passed over */
	uint32_t     limit;      /* 1 .. FOUND_ROWS_MAX */
	struct span  query;      /* UTF-8, at most QUERY_TEXT_MAX bytes */
	const struct key *token; /* NULL: the owner asks */
	enum grant_type grant_type; /* of the token; 0: the owner asks */
};

struct client_search {
	uint64_t          index;  /* the record's place in the log */
	bool              more;   /* another page begins at offset + page.n_rows */
	struct found_page page;
	struct found_row  rows[FOUND_ROWS_MAX]; /* what they point at is in plain */
	struct secret    *plain;
};

/*
 * *out  new; client_search_free wipes it
 * ERR_SEARCH_WARMING: the index of a vault in scope is being built; ask again.
 * ERR_VAULT_NOT_ACTIVE: each vault in scope was removed.
 * ERR_QUERY_EMPTY: nothing in it can be searched for. ERR_QUERY_TOO_LONG.
 * The rest as client_ask.
 */
enum err client_search(struct client *c, const struct client_search_want *want, struct client_search **out);
void     client_search_free(struct client_search **s);

/*
 * {"hits":[…],"offset":…,"next":…,"total":…,"relaxed":…,"audit":{…}}; a hit is
 * {"vault","asset","revision","kind","title","score","created_at","updated_at",
 * "match":{"field","number","offset","length"},"excerpt","excerpt_offset"},
 * offsets and lengths in bytes of UTF-8.
 */
void client_search_write(struct json_writer *w, const struct client_search *s, struct uuid library);

#endif
