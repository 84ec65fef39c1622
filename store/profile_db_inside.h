/* profile_db_inside: the sealed rows under the profile's database, for its own files and nobody else. */
#ifndef STORE_PROFILE_DB_INSIDE_H
#define STORE_PROFILE_DB_INSIDE_H

#include "store/env.h"
#include "store/profile_db.h"

#define PROFILE_VERIFIER_MAX 256

enum profile_table {
	TABLE_FACT,
	TABLE_SHARE,
	TABLE_PROPOSAL,
	TABLE_ENDED,
	TABLE_META,
	TABLE_SEALED__COUNT,
	TABLE_GONE = TABLE_SEALED__COUNT, /* connections, in clear */
	TABLE__COUNT
};

struct profile_db {
	struct env         *env;
	struct key         *keys[TABLE_SEALED__COUNT];
	struct key         *set_key, *same_key;
	profile_sensitive  *sensitive;
	struct profile_book book;
	struct secret      *plain;        /* room for one row */
	uint8_t            *verifier;     /* in the book's memory */
	size_t              verifier_len;
	uint8_t             set[32];      /* over all rows, the group's included */
	uint64_t            change;
	struct wall_ms      clock;        /* never goes back */
	bool                changed;      /* there is something to commit */
	enum err            failed;       /* what the commit will say */
	enum err            failure;
};

/* A key of up to two ids and a tag. */
struct profile_key {
	uint8_t b[ENV_KEY_MAX];
	size_t  len;
};

struct profile_key profile_key_of(const void *a, size_t a_len, const void *b, size_t b_len);

/* Room for a row's plain bytes; what was put there last goes into the row. */
struct wire_out profile_rows_room(struct profile_db *db);

/* Seals and writes a row, or takes it out; the tag over all follows. An error is kept for the commit. */
void profile_rows_put(struct profile_db *db, enum profile_table table, const struct profile_key *key, const struct wire_out *row);
void profile_rows_remove(struct profile_db *db, enum profile_table table, const struct profile_key *key);

/* The row of state: read when it is opened, written last in each group. ERR_NOT_FOUND: it is a new one. */
enum err profile_rows_read_state(struct profile_db *db, uint8_t set[32]);
enum err profile_rows_write_state(struct profile_db *db);

/* Opens each row of a table; each() gets its key and plain bytes. Adds their tags to set. */
enum err profile_rows_load(struct profile_db *db, enum profile_table table, uint8_t set[32],
    enum err (*each)(struct profile_db *db, struct span key, struct span plain));

#endif
