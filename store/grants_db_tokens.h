/*
 * grants_db_tokens: codes, access tokens and refresh tokens of connections, by
 * hash alone. A code and a refresh token that were used stay until their
 * connection is over or has a new consent, so that it is seen when they are
 * used again: then somebody else has them too, and the connection ends.
 *
 * Commits, errors and moments are as in grants_db_connections.h.
 * Source: OAuth 2.1, 4.1.3 and 4.3; RFC 9700, 4.14; docs/store-format.md, "Connections".
 */
#ifndef STORE_GRANTS_DB_TOKENS_H
#define STORE_GRANTS_DB_TOKENS_H

#include "store/grants_db_connections.h"

#define CODE_WRONG_MAX 3 /* tries with a wrong verifier, client or redirect URI; then the code is burnt */

/* What a token gives, now. */
struct token_use {
	struct uuid connection;
	uint64_t    revision;   /* of the connection */
	uint8_t     scopes;     /* of the token and of the connection */
	uint8_t     categories;
	uint64_t    left_ms;    /* of the access token, more than 0 */
	uint64_t    refresh_left_ms;
};

/*
 * What became of an offer: OK, or why it was refused. `ended`: it was a replay,
 * and the connection is over by it; then, and with OK, use.connection is set.
 */
struct token_outcome {
	enum err         error;
	bool             ended;
	struct token_use use;
};

/* What lives under that hash of an access token. ERR_INVALID_TOKEN: unknown, expired, or its connection is over. */
enum err grants_db_access(struct grants_db *db, const uint8_t token[SHA256_LEN], const struct moment *at,
    struct token_use *out);

struct code_offer {
	uint8_t code[SHA256_LEN];
	uint8_t client[SHA256_LEN];
	bool    has_redirect;
	uint8_t redirect_given[SHA256_LEN];
	uint8_t challenge[SHA256_LEN]; /* of the verifier that came with it */
	uint8_t access[SHA256_LEN];    /* the tokens that it is to become */
	uint8_t refresh[SHA256_LEN];
};

/*
 * A code for tokens: it is used and they are there, in one commit. What is
 * returned tells of the database; out->error of the offer:
 * ERR_INVALID_TOKEN     unknown, dead, expired, burnt or used, or a wrong
 *                       verifier, client or redirect URI
 * ERR_INSUFFICIENT_SCOPE the connection has none of the code's scopes any more
 * ERR_INVALID_ARGUMENT  a token of that hash exists
 */
enum err grants_db_redeem(struct grants_db *db, const struct code_offer *offer, const struct moment *at,
    struct token_outcome *out);

struct refresh_offer {
	uint8_t token[SHA256_LEN];
	uint8_t client[SHA256_LEN];
	uint8_t scopes; /* wanted of the access token; 0: as before */
	uint8_t access[SHA256_LEN];
	uint8_t refresh[SHA256_LEN];
};

/*
 * A refresh token for the next one, in one commit. A spent one ends the
 * connection, whoever offers it. out->error as grants_db_redeem;
 * ERR_INSUFFICIENT_SCOPE also: more is wanted than the token gives.
 */
enum err grants_db_refresh(struct grants_db *db, const struct refresh_offer *offer, const struct moment *at,
    struct token_outcome *out);

/*
 * RFC 7009: the client gives the connection of that token up. Nothing, for
 * what is unknown, dead or another client's; out->ended says whether it was.
 */
enum err grants_db_leave(struct grants_db *db, const uint8_t token[SHA256_LEN], const uint8_t client[SHA256_LEN],
    const struct moment *at, struct token_outcome *out);

/* Where the tidying of what is over stands; zero at first. */
struct tidy_place {
	uint8_t table;
	uint8_t key[SHA256_LEN];
};

/*
 * Looks at the next `look` records and removes, in one commit, up to `look` of
 * those that nobody needs any more. *around: the end was reached, and the next
 * begins anew. *gone: a connection that was removed, at most one a call; zero: none.
 */
enum err grants_db_tidy(struct grants_db *db, struct tidy_place *place, size_t look, const struct moment *at,
    bool *around, struct uuid *gone);

#endif
