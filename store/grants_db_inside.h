/* grants_db_inside: what the grants_db*.c files share. */
#ifndef STORE_GRANTS_DB_INSIDE_H
#define STORE_GRANTS_DB_INSIDE_H

#include "store/db_anchor.h"
#include "store/db_records.h"
#include "store/env.h"
#include "store/grants_db_connections.h"

/* The databases; their keys and values are in docs/store-format.md. */
enum grants_db_name {
	DB_LIBRARY,    /* zero id: one record */
	DB_VAULT_KEYS, /* vault */
	DB_GRANT,      /* grant */
	DB_WRAP,       /* grant, vault */
	DB_TOKEN,      /* token hash */
	DB_ENROLMENT,  /* an id that is the purpose */
	DB_ANCHOR,     /* zero id: one record */
	DB_UNRECORDED, /* number */
	DB_PROFILE,    /* zero id: one record */
	DB_CONNECTION, /* connection */
	DB_CLIENT,     /* client hash, redirect hash: of living ones */
	DB_CODE,       /* code hash */
	DB_ACCESS,     /* token hash */
	DB_REFRESH,    /* token hash */
	DB_MOMENT,     /* zero id: one record */
	DB__COUNT
};

/* Every read ends with env_release, because values are copied out. */
struct grants_db {
	struct env      *env;
	struct db_anchor anchor;
	uint64_t         unrecorded_end;
};

/* The one key of a database with one record. */
struct db_key grants_db_only_key(void);

/* Puts what o holds; a writer that failed is a fault of ours and forgets the group. */
enum err grants_db_put(struct grants_db *db, enum grants_db_name name, struct span key,
    const struct wire_out *o);

/* grants_db_grants.c. In a look or a group: a grant's head. ERR_NOT_FOUND. */
enum err grants_db_get_head(struct grants_db *db, struct uuid grant, struct db_grant *out);

/* The first of that type at or after an id that is not revoked; a change ends the walk. ERR_NOT_FOUND. */
enum err grants_db_seek_head(struct grants_db *db, enum grant_type type, struct uuid from,
    struct env_row *row, struct db_grant *out);

/* In a group: makes or replaces them. */
enum err grants_db_put_head(struct grants_db *db, const struct db_grant *g);
enum err grants_db_put_wrap(struct grants_db *db, struct uuid grant, const struct grant_vault *w);

/* grants_db_unrecorded.c. At the opening: what there is. */
enum err grants_db_load_unrecorded(struct grants_db *db);

/* In a group: notes it, unless it is noted. The number is set here. */
enum err grants_db_note_unrecorded(struct grants_db *db, struct unrecorded u);

/*
 * grants_db_connections.c. In a look or a group: one of them, living or over.
 * In a group: makes or replaces it; kills its access tokens; is found by its
 * client no more; ends it.
 */
enum err grants_db_get_connection(struct grants_db *db, struct uuid connection, struct connection_record *out);
enum err grants_db_put_connection(struct grants_db *db, const struct connection_record *c);
enum err grants_db_kill_access(struct grants_db *db, struct connection_record *c);
enum err grants_db_drop_client(struct grants_db *db, const struct connection_record *c); /* what it is found by */
enum err grants_db_finish_connection(struct grants_db *db, struct connection_record *c, enum connection_end why,
    const struct moment *at);

/* What a living connection is found by, and it; how many there are. In a look or a group. */
struct client_key {
	uint8_t b[2 * SHA256_LEN];
};
struct client_key grants_db_client_key(const uint8_t client[SHA256_LEN], const uint8_t redirect_hash[SHA256_LEN]);
enum err grants_db_get_client(struct grants_db *db, const struct client_key *key, struct connection_record *out);
enum err grants_db_count_living(struct grants_db *db, uint32_t *n);

/* As grants_db_end, and the moment goes with the commit. */
enum err grants_db_end_at(struct grants_db *db, enum err e, const struct moment *at);

/* Commits the group if e is OK and forgets it if not; the outcome of both. */
enum err grants_db_end(struct grants_db *db, enum err e);

#endif
