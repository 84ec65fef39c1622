#include "store/vault_db_inside.h"

/* A group that removes chunks takes no more: each names 17 free pages. */
#define DROP_MAX 512

static enum err
put_staging(struct vault_db *db, struct uuid revision, const struct db_staging *s)
{
	uint8_t buf[16];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key1(revision);

	db_records_put_staging(&o, s);
	return vault_db_put(db, DB_STAGING, &key, &o);
}

enum err
vault_db_check_staged(struct vault_db *db, const struct revision_row *row, bool damaged, bool *staged)
{
	uint32_t n = row->deleted ? 0 : revision_n_chunks(row->bytes);
	struct db_staging s = { .n_chunks = 0 };
	enum err e;

	if ((e = vault_db_get_staging(db, row->revision, &s)) != OK && e != ERR_NOT_FOUND)
		return e;
	*staged = e == OK;
	if (s.dropped)
		return ERR_INVALID_ARGUMENT;
	/* n distinct indices, none over n - 1: exactly 0 .. n - 1. */
	if (!damaged && (s.n_chunks != n || s.end != n))
		return ERR_INVALID_ARGUMENT;
	return OK;
}

/* What is staged so far; all zero at first. ERR_INVALID_ARGUMENT: no chunk can be added. */
static enum err
find_staging(struct vault_db *db, struct uuid revision, struct db_staging *s)
{
	struct db_key key = db_records_key1(revision);
	enum err e;

	if ((e = vault_db_get_staging(db, revision, s)) == OK)
		return s->dropped ? ERR_INVALID_ARGUMENT : OK;
	if (e != ERR_NOT_FOUND)
		return e;
	*s = (struct db_staging){ .n_chunks = 0 };
	if ((e = vault_db_check_absent(db, DB_REVISION, key)) != OK)
		return e;
	return vault_db_check_absent(db, DB_PROPOSAL, key);
}

enum err
vault_db_stage_chunk(struct vault_db *db, struct uuid revision, uint32_t index, struct span sealed)
{
	struct db_key key = db_records_chunk_key(revision, index);
	struct db_staging s;
	bool existed;
	enum err e;

	if (index >= DB_N_CHUNKS_MAX || sealed.len > SEALED_CHUNK_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = find_staging(db, revision, &s)) == ERR_INVALID_ARGUMENT)
		return e;
	if (e != OK)
		return env_fail(db->env, e);
	if ((e = env_put(db->env, DB_CHUNK, db_records_span(&key), sealed, &existed)) != OK)
		return e;
	if (existed)
		return OK;
	s.n_chunks++;
	if (s.end <= index)
		s.end = index + 1;
	return put_staging(db, revision, &s);
}

enum err
vault_db_drop_chunks(struct vault_db *db, struct uuid revision, size_t max, bool *left)
{
	struct db_key from = db_records_chunk_key(revision, 0);
	struct env_row row;
	enum err e;

	for (size_t i = 0;; i++) {
		e = env_seek(db->env, DB_CHUNK, db_records_span(&from), &row);
		if (e == ERR_NOT_FOUND || (e == OK && !db_records_is_chunk_of(row.key, revision, &from)))
			break;
		if (e != OK)
			return env_fail(db->env, e);
		if (i == max) {
			*left = true;
			return OK;
		}
		if ((e = env_delete(db->env, DB_CHUNK, db_records_span(&from))) != OK)
			return e;
	}
	*left = false;
	return OK;
}

/* Removes some chunks, and the staging record with the last of them; before that marks it. */
static enum err
drop(struct vault_db *db, struct uuid revision, struct db_staging s, bool *left)
{
	struct db_key key = db_records_key1(revision);
	enum err e;

	if ((e = vault_db_drop_chunks(db, revision, DROP_MAX, left)) != OK)
		return e;
	if (!*left)
		return env_delete(db->env, DB_STAGING, db_records_span(&key));
	s.dropped = true;
	return put_staging(db, revision, &s);
}

enum err
vault_db_discard(struct vault_db *db, struct uuid revision)
{
	struct db_staging s;
	bool left;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = vault_db_get_staging(db, revision, &s)) == ERR_NOT_FOUND)
		return OK;
	if (e != OK)
		return env_fail(db->env, e);
	return s.dropped ? OK : drop(db, revision, s, &left);
}

/* The first staged revision, or the first dropped one. ERR_NOT_FOUND. */
static enum err
find_victim(struct vault_db *db, bool dropped_only, struct uuid *revision, struct db_staging *s)
{
	struct db_key from = db_records_key1((struct uuid){ { 0 } });
	struct env_row row;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_seek(db->env, DB_STAGING, db_records_span(&from), &row);
	for (; e == OK; e = env_next(db->env, DB_STAGING, &row)) {
		if (!db_records_key_id(row.key, 1, 0, revision) || !db_records_take_staging(row.value, s))
			return ERR_STORAGE_CORRUPT;
		if (s->dropped || !dropped_only)
			return OK;
	}
	return e;
}

/* One group of removals. *more is false when there was nothing to remove. */
static enum err
sweep_some(struct vault_db *db, bool dropped_only, bool *more)
{
	struct db_staging s;
	struct uuid revision;
	bool left;
	enum err e;

	if ((e = find_victim(db, dropped_only, &revision, &s)) == ERR_NOT_FOUND) {
		*more = false;
		return OK;
	}
	if (e != OK || (e = env_begin(db->env)) != OK)
		return e;
	if ((e = drop(db, revision, s, &left)) != OK) {
		env_abort(db->env);
		return e;
	}
	*more = true;
	return vault_db_commit(db);
}

enum err
vault_db_tend(struct vault_db *db, bool *more)
{
	if (env_in_group(db->env))
		return ERR_BUSY;
	return sweep_some(db, true, more);
}

enum err
vault_db_sweep(struct vault_db *db)
{
	bool more = true;
	enum err e = OK;

	while (e == OK && more)
		e = sweep_some(db, false, &more);
	return e;
}
