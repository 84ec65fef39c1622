/*
 * db_records: the form of every record of the vault and grants environments.
 * Private to the folder (and to tests): others use vault_db.h and grants_db.h.
 *
 * A take function accepts exactly one value and only bytes that the put
 * function writes; otherwise it returns false and leaves *out. The ids that
 * stand in a record's key are arguments of its take function.
 * Source: docs/store-format.md, "The vault" and "Grants".
 */
#ifndef STORE_DB_RECORDS_H
#define STORE_DB_RECORDS_H

#include "store/grants_db.h"
#include "store/vault_db.h"

#define DB_RECORD_VERSION 1
#define DB_GRANT_VERSION 2  /* 1 knew no types */
#define DB_RECORD_MAX 8192 /* every value but a chunk is shorter */
#define DB_N_CHUNKS_MAX ((uint32_t)(FILE_LEN_MAX / CHUNK_LEN))

/* A key: up to three ids, or an id and a number. */
struct db_key {
	uint8_t b[3 * UUID_LEN];
	size_t  len;
};

struct db_key db_records_key1(struct uuid a);
struct db_key db_records_key2(struct uuid a, struct uuid b);
struct db_key db_records_key3(struct uuid a, struct uuid b, struct uuid c);
struct db_key db_records_chunk_key(struct uuid revision, uint32_t index);
struct span   db_records_span(const struct db_key *key);

/* The id at that place of a key of n_ids ids. False when the key is no such key. */
bool db_records_key_id(struct span key, size_t n_ids, size_t place, struct uuid *out);

/* True for a chunk of that revision; then *out is the key. */
bool db_records_is_chunk_of(struct span key, struct uuid revision, struct db_key *out);

/* What every take function begins with: a reader past the version byte, failed if that is not ours. */
struct wire_in db_records_start(struct span value);
struct wire_in db_records_start_of(uint8_t version, struct span value);
bool           db_records_take_bool(struct wire_in *in);

void db_records_put_vault(struct wire_out *o, const struct vault_row *v);
bool db_records_take_vault(struct span value, struct uuid vault, struct vault_row *out);

struct db_asset {
	struct asset_row row;
	bool             tombstone[ASSET_HEADS_MAX]; /* of each head */
};

void db_records_put_asset(struct wire_out *o, const struct db_asset *a);
bool db_records_take_asset(struct span value, struct uuid vault, struct uuid asset, struct db_asset *out);

/* Of an asset: it has a head that is no tombstone. */
bool db_records_is_live(const struct db_asset *a);

/* Sets row.deleted from the heads. */
void db_records_set_deleted(struct db_asset *a);

#define DB_BLOCK_MAX 512

/* How many assets lie from a block's first id up to the next block's. */
struct db_block {
	uint16_t n_rows; /* 1 .. DB_BLOCK_MAX */
	uint16_t n_live[CLASS__COUNT];
};

void db_records_put_block(struct wire_out *o, const struct db_block *b);
bool db_records_take_block(struct span value, struct db_block *out);

/* True for a block in the form of version 1, which counted no classes. */
bool db_records_take_old_block(struct span value, uint16_t *n_rows);

/* The spans point into value; out->head is false. */
void db_records_put_revision(struct wire_out *o, const struct new_revision *r);
bool db_records_take_revision(struct span value, struct uuid revision, struct revision_record *out);

/* The spans point into value. */
void db_records_put_proposal(struct wire_out *o, const struct proposal *p);
bool db_records_take_proposal(struct span value, struct uuid proposal, struct proposal *out);

/* Chunks of a revision that is not published. */
struct db_staging {
	bool     dropped;
	uint32_t n_chunks; /* distinct ones */
	uint32_t end;      /* the highest index and 1 */
};

void db_records_put_staging(struct wire_out *o, const struct db_staging *s);
bool db_records_take_staging(struct span value, struct db_staging *out);

void db_records_put_library(struct wire_out *o, const struct library_record *r);
bool db_records_take_library(struct span value, struct library_record *out);

void db_records_put_vault_keys(struct wire_out *o, const struct vault_keys *k);
bool db_records_take_vault_keys(struct span value, struct uuid vault, struct vault_keys *out);

/* A grant's head: everything but its vaults, of which only the number is kept. */
struct db_grant {
	struct uuid       grant;
	enum grant_type   type;
	uint64_t          revision;
	struct grant_life life;       /* once expired the token hash is zero */
	uint8_t           classes;
	bool              may_propose;
	char              label[GRANT_LABEL_MAX + 1];
	bool              revoked;    /* then the token hash is zero and n_vaults 0 */
	uint8_t           token_hash[32];
	uint16_t          n_vaults;
};

void db_records_put_grant(struct wire_out *o, const struct db_grant *g);
bool db_records_take_grant(struct span value, struct uuid grant, struct db_grant *out);

void db_records_put_wrap(struct wire_out *o, const struct grant_vault *w);
bool db_records_take_wrap(struct span value, struct uuid vault, struct grant_vault *out);

void db_records_put_token(struct wire_out *o, struct uuid grant);
bool db_records_take_token(struct span value, struct uuid *grant);

/* Its number is the key. */
void db_records_put_unrecorded(struct wire_out *o, const struct unrecorded *u);
bool db_records_take_unrecorded(struct span value, struct unrecorded *out); /* leaves the number alone */

void db_records_put_enrolment(struct wire_out *o, const struct enrolment_record *r);
bool db_records_take_enrolment(struct span value, struct enrolment_record *out);

#endif
