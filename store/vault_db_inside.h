/* vault_db_inside: what the vault_db*.c files share. */
#ifndef STORE_VAULT_DB_INSIDE_H
#define STORE_VAULT_DB_INSIDE_H

#include "store/db_anchor.h"
#include "store/db_records.h"
#include "store/env.h"

/* The databases; their keys and values are in docs/store-format.md. */
enum vault_db_name {
	DB_VAULT,     /* vault */
	DB_ASSET,     /* vault, asset */
	DB_DIRECTORY, /* vault, first asset of a block */
	DB_REVISION,  /* revision */
	DB_HISTORY,   /* vault, asset, revision: an index, no value */
	DB_STAGING,   /* revision */
	DB_CHUNK,     /* revision, index */
	DB_ANCHOR,    /* zero id: one record */
	DB_PROPOSAL,  /* revision */
	DB__COUNT
};

struct vault_db {
	struct env      *env;
	struct db_anchor anchor;
};

/*
 * After env_look or env_begin: one record, decoded. ERR_NOT_FOUND,
 * ERR_STORAGE_CORRUPT.
 */
enum err vault_db_get_vault(struct vault_db *db, struct uuid vault, struct vault_row *out);

/* One that is active. ERR_VAULT_NOT_ACTIVE: *out is set all the same. */
enum err vault_db_get_active(struct vault_db *db, struct uuid vault, struct vault_row *out);
enum err vault_db_get_asset(struct vault_db *db, struct uuid vault, struct uuid asset, struct db_asset *out);
enum err vault_db_get_revision(struct vault_db *db, struct uuid revision, struct revision_record *out);
enum err vault_db_get_staging(struct vault_db *db, struct uuid revision, struct db_staging *out);
enum err vault_db_get_proposal(struct vault_db *db, struct uuid vault, struct uuid proposal, struct proposal *out);

/* A record that another one names: without it the database is corrupt. */
enum err vault_db_must(enum err e);

/* Puts what o holds; a writer that failed is a fault of ours and forgets the group. */
enum err vault_db_put(struct vault_db *db, enum vault_db_name name, const struct db_key *key,
    const struct wire_out *o);
enum err vault_db_put_vault_row(struct vault_db *db, const struct vault_row *row);

/* The directory, after the asset's own record was put. */
enum err vault_db_directory_add(struct vault_db *db, const struct db_asset *a);
enum err vault_db_directory_change(struct vault_db *db, const struct db_asset *a);

/* Gives blocks that an earlier build wrote their counts a class. Commits groups of its own. */
enum err vault_db_directory_upgrade(struct vault_db *db);

/* A walk over the live assets of some classes of a vault in the order of ids, from the offset-th on. */
struct vault_db_walk {
	struct vault_db *db;
	struct uuid      vault;
	unsigned         classes;
	uint64_t         skip;    /* live assets still to pass over */
	bool             started; /* in the directory */
	uint16_t         n_left;  /* rows of the block not looked at */
	struct env_row   row;     /* of the asset in hand */
};

void     vault_db_walk_start(struct vault_db *db, struct uuid vault, unsigned classes, uint64_t offset,
    struct vault_db_walk *w);
enum err vault_db_walk_next(struct vault_db_walk *w, struct db_asset *out); /* ERR_NOT_FOUND at the end */

/* Removes chunks of a staged revision, at most max of them; *left when others remain. In a group. */
enum err vault_db_drop_chunks(struct vault_db *db, struct uuid revision, size_t max, bool *left);

/* OK when key is not there, ERR_INVALID_ARGUMENT when it is. */
enum err vault_db_check_absent(struct vault_db *db, enum vault_db_name name, struct db_key key);

/*
 * ERR_INVALID_ARGUMENT: the revision is being discarded, or not all of its
 * chunks are staged and no others; of a damaged one any may be. *staged: some are.
 */
enum err vault_db_check_staged(struct vault_db *db, const struct revision_row *row, bool damaged, bool *staged);

/* In a group: a proposal with its chunks. */
enum err vault_db_take_out_proposal(struct vault_db *db, struct uuid proposal);

/* Removes what no publish will come for: all staged revisions. Commits groups of its own. */
enum err vault_db_sweep(struct vault_db *db);

#endif
