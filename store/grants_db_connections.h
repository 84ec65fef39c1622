/*
 * grants_db_connections: remote assistants that the owner let in, beside the
 * grants and in the same environment. A connection is one client at one
 * redirect URI; its tokens are in grants_db_tokens.h. Of a client, a redirect
 * URI, a code and a token only hashes are known here; the name and the redirect
 * URI of a connection are kept too, for the owner to see.
 *
 * As in grants_db.h each call that changes something is one durable commit,
 * and changes nothing when it fails, but for ERR_STORAGE_FAILED. The moment
 * that it is given is kept in that commit.
 * Source: RFC 6749, RFC 7009, RFC 7636; docs/store-format.md, "Connections".
 */
#ifndef STORE_GRANTS_DB_CONNECTIONS_H
#define STORE_GRANTS_DB_CONNECTIONS_H

#include "store/grants_db.h"
#include "store/moment.h"

#define CONNECTIONS_MAX         256 /* that live */
#define CONNECTION_NAME_MAX     320 /* bytes */
#define CONNECTION_REDIRECT_MAX 2000
#define CONNECTION_ACCESS_MAX   32    /* access tokens of one that live; the oldest go */
#define CONNECTION_REFRESH_MAX  16384 /* rotations between two consents */

#define CONNECTION_CODE_MS    120000
#define CONNECTION_ACCESS_MS  600000
#define CONNECTION_REFRESH_MS ((uint64_t)30 * 86400000) /* from the consent on, however often it is rotated */
#define CONNECTION_KEEP_MS    ((uint64_t)30 * 86400000) /* one that is over is still listed so long */

struct connection_record {
	struct uuid         connection;
	uint8_t             client[SHA256_LEN];
	uint8_t             redirect_hash[SHA256_LEN];
	struct wall_ms      created;      /* for people: when the owner first consented */
	uint64_t            revision;     /* rises with each change of its rights, and with its end */
	uint32_t            generation;   /* of its codes and tokens: rises with each consent, others are dead */
	uint8_t             scopes;       /* bit (1 << enum scope) */
	uint8_t             categories;   /* bit (1 << enum category) */
	struct forward_ms   refresh_ends; /* no token outlives it */
	uint32_t            n_refreshes;  /* of this generation */
	enum connection_end end;
	struct forward_ms   ended;        /* 0: it lives */
	uint16_t            name_len, redirect_len;
	uint8_t             name[CONNECTION_NAME_MAX];
	uint8_t             redirect[CONNECTION_REDIRECT_MAX];
	uint8_t             n_access;     /* hashes of those access tokens that may live, oldest first */
	uint8_t             access[CONNECTION_ACCESS_MAX][SHA256_LEN];
};

/* The moment that was kept last; all zero: none was. */
enum err grants_db_moment(struct grants_db *db, struct moment *out);
enum err grants_db_keep_moment(struct grants_db *db, const struct moment *at);

/* One, also one that is over. ERR_NOT_FOUND. */
enum err grants_db_connection(struct grants_db *db, struct uuid connection, struct connection_record *out);

/* The living one of that client at that redirect URI. ERR_NOT_FOUND. */
enum err grants_db_client(struct grants_db *db, const uint8_t client[SHA256_LEN],
    const uint8_t redirect_hash[SHA256_LEN], struct connection_record *out);

/* In the order of ids, from that place on; those that are over, too. */
enum err grants_db_list_connections(struct grants_db *db, uint64_t offset, size_t limit,
    struct connection_record *rows, size_t *n, bool *more);
enum err grants_db_count_connections(struct grants_db *db, uint32_t *living);

/* What the owner consented to. */
struct connection_consent {
	struct uuid    connection; /* the living one of that client, else a new id */
	uint8_t        client[SHA256_LEN];
	uint8_t        redirect_hash[SHA256_LEN];
	uint8_t        redirect_given[SHA256_LEN];
	uint8_t        code[SHA256_LEN];
	uint8_t        challenge[SHA256_LEN];
	uint8_t        scopes;
	uint8_t        categories;
	struct wall_ms wall;
	struct span    name;
	struct span    redirect;
};

/* Scopes that somebody may be given: some, all known, and a search only beside a read. */
bool connection_scopes_hold(uint8_t scopes);

/*
 * Makes the connection, or goes on with it: it has these rights from now on
 * and no others, and its codes and tokens of before are dead. And its code.
 * ERR_INVALID_ARGUMENT: scopes that do not hold, a category that is never
 * shared, a name or redirect URI that is too long, a code that exists.
 * ERR_CONFLICT: that client has another living one, or this one is over.
 * ERR_PROFILE_FULL: CONNECTIONS_MAX live.
 */
enum err grants_db_consent(struct grants_db *db, const struct connection_consent *c, const struct moment *at);

/*
 * Takes rights away: these are left. A search falls with the read.
 * ERR_INVALID_ARGUMENT: one that it does not have. ERR_NOT_FOUND: there is no
 * such one that lives.
 */
enum err grants_db_reduce(struct grants_db *db, struct uuid connection, uint8_t scopes, uint8_t categories,
    const struct moment *at);

/*
 * Its end: every code and token of it is dead, and the end is noted as
 * unrecorded. OK again on one that is over, which keeps its reason. ERR_NOT_FOUND.
 */
enum err grants_db_end_connection(struct grants_db *db, struct uuid connection, enum connection_end why,
    const struct moment *at);

#endif
