/* grants_db_tokens_inside: what the files of codes and tokens share. */
#ifndef STORE_GRANTS_DB_TOKENS_INSIDE_H
#define STORE_GRANTS_DB_TOKENS_INSIDE_H

#include <string.h>

#include "store/db_records_connections.h"
#include "store/grants_db_inside.h"

static inline struct span
hash_span(const uint8_t hash[SHA256_LEN])
{
	return (struct span){ hash, SHA256_LEN };
}

static inline bool
same(const uint8_t a[SHA256_LEN], const uint8_t b[SHA256_LEN])
{
	return memcmp(a, b, SHA256_LEN) == 0;
}

/* The living connection of a code or token. ERR_INVALID_TOKEN: it is over, or has had another consent since. */
enum err tokens_get_living(struct grants_db *db, const struct db_family *f, struct connection_record *out);

struct token_pair {
	const uint8_t *access, *refresh; /* hashes */
	uint8_t        scopes;           /* of the access token */
	uint8_t        refresh_scopes;
};

/* In a group: the two tokens, and what they give. No access token outlives the time to refresh it. */
enum err tokens_issue(struct grants_db *db, struct connection_record *c, const struct token_pair *p, const struct moment *at,
    struct token_use *use);

/* In a group: a used code or a spent token was shown again. */
enum err tokens_replayed(struct grants_db *db, struct connection_record *c, const struct moment *at, struct token_outcome *out);

/* Ends the group of an offer: what was refused outright left nothing to commit. */
enum err tokens_end_offer(struct grants_db *db, enum err e, const struct moment *at, struct token_outcome *out);

#endif
