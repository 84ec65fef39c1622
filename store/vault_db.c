#include <stdlib.h>

#include "store/vault_db_inside.h"

static const char *const names[DB__COUNT] = {
	[DB_VAULT] = "vault", [DB_ASSET] = "asset", [DB_DIRECTORY] = "directory",
	[DB_REVISION] = "revision", [DB_HISTORY] = "history", [DB_STAGING] = "staging",
	[DB_CHUNK] = "chunk", [DB_ANCHOR] = "anchor", [DB_PROPOSAL] = "proposal",
};

enum err
vault_db_open(const char *dir, struct vault_db **out)
{
	struct vault_db *db = calloc(1, sizeof *db);
	enum err e;

	if (db == NULL)
		return ERR_NO_MEMORY;
	if ((e = env_open(dir, names, DB__COUNT, &db->env)) != OK)
		goto close;
	if ((e = db_anchor_load(db->env, DB_ANCHOR, &db->anchor)) != OK)
		goto close;
	if ((e = vault_db_directory_upgrade(db)) != OK || (e = vault_db_sweep(db)) != OK)
		goto close;
	if ((e = env_rest(db->env)) != OK)
		goto close;
	*out = db;
	return OK;

close:
	vault_db_close(&db);
	return e;
}

void
vault_db_close(struct vault_db **db)
{
	if (*db == NULL)
		return;
	env_close(&(*db)->env);
	free(*db);
	*db = NULL;
}

void
vault_db_release(struct vault_db *db)
{
	env_release(db->env);
}

enum err
vault_db_rest(struct vault_db *db)
{
	return env_rest(db->env);
}

enum err
vault_db_commit(struct vault_db *db)
{
	return db_anchor_commit(db->env, DB_ANCHOR, &db->anchor);
}

struct log_head
vault_db_anchor(const struct vault_db *db)
{
	return db_anchor_newest(&db->anchor);
}

void
vault_db_note_head(struct vault_db *db, const struct log_head *head)
{
	db_anchor_note(&db->anchor, head);
}

enum err
vault_db_keep_anchor(struct vault_db *db)
{
	return db_anchor_keep(db->env, DB_ANCHOR, &db->anchor);
}

void
vault_db_abort(struct vault_db *db)
{
	env_abort(db->env);
}

enum err
vault_db_must(enum err e)
{
	return e == ERR_NOT_FOUND ? ERR_STORAGE_CORRUPT : e;
}

enum err
vault_db_get_vault(struct vault_db *db, struct uuid vault, struct vault_row *out)
{
	struct db_key key = db_records_key1(vault);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_VAULT, db_records_span(&key), &value)) != OK)
		return e;
	return db_records_take_vault(value, vault, out) ? OK : ERR_STORAGE_CORRUPT;
}

enum err
vault_db_get_active(struct vault_db *db, struct uuid vault, struct vault_row *out)
{
	enum err e = vault_db_get_vault(db, vault, out);

	return e != OK || out->active ? e : ERR_VAULT_NOT_ACTIVE;
}

enum err
vault_db_get_asset(struct vault_db *db, struct uuid vault, struct uuid asset, struct db_asset *out)
{
	struct db_key key = db_records_key2(vault, asset);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_ASSET, db_records_span(&key), &value)) != OK)
		return e;
	return db_records_take_asset(value, vault, asset, out) ? OK : ERR_STORAGE_CORRUPT;
}

enum err
vault_db_get_revision(struct vault_db *db, struct uuid revision, struct revision_record *out)
{
	struct db_key key = db_records_key1(revision);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_REVISION, db_records_span(&key), &value)) != OK)
		return e;
	return db_records_take_revision(value, revision, out) ? OK : ERR_STORAGE_CORRUPT;
}

enum err
vault_db_get_staging(struct vault_db *db, struct uuid revision, struct db_staging *out)
{
	struct db_key key = db_records_key1(revision);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_STAGING, db_records_span(&key), &value)) != OK)
		return e;
	return db_records_take_staging(value, out) ? OK : ERR_STORAGE_CORRUPT;
}

enum err
vault_db_put(struct vault_db *db, enum vault_db_name name, const struct db_key *key,
    const struct wire_out *o)
{
	if (o->failed)
		return env_fail(db->env, ERR_INTERNAL);
	return env_put(db->env, name, db_records_span(key), wire_written(o), NULL);
}

enum err
vault_db_put_vault_row(struct vault_db *db, const struct vault_row *row)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key1(row->vault);

	db_records_put_vault(&o, row);
	return vault_db_put(db, DB_VAULT, &key, &o);
}

enum err
vault_db_put_vault(struct vault_db *db, const struct vault_row *row)
{
	struct vault_row old, v = *row;
	enum err e;

	if (row->name_len > SEALED_NAME_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = env_begin(db->env)) != OK)
		return e;
	v.active = true;
	v.n_assets = 0;
	if ((e = vault_db_get_vault(db, row->vault, &old)) == OK) {
		if (!old.active)
			return ERR_VAULT_NOT_ACTIVE;
		v.created = old.created;
		v.n_assets = old.n_assets;
	} else if (e != ERR_NOT_FOUND) {
		return env_fail(db->env, e);
	}
	return vault_db_put_vault_row(db, &v);
}

enum err
vault_db_remove_vault(struct vault_db *db, struct uuid vault)
{
	struct vault_row v;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = vault_db_get_vault(db, vault, &v)) != OK)
		return e == ERR_NOT_FOUND ? e : env_fail(db->env, e);
	if (!v.active)
		return ERR_VAULT_NOT_ACTIVE;
	v.active = false;
	return vault_db_put_vault_row(db, &v);
}

enum err
vault_db_vault(struct vault_db *db, struct uuid vault, struct vault_row *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	return vault_db_get_vault(db, vault, out);
}

enum err
vault_db_check_active(struct vault_db *db, struct uuid vault)
{
	struct vault_row row;
	enum err e = vault_db_vault(db, vault, &row);

	return e != OK || row.active ? e : ERR_VAULT_NOT_ACTIVE;
}

enum err
vault_db_list_vaults(struct vault_db *db, uint64_t offset, size_t limit,
    struct vault_row *rows, size_t *n, bool *more)
{
	struct db_key from = db_records_key1((struct uuid){ { 0 } });
	struct env_row row;
	struct uuid id;
	uint64_t place = 0;
	size_t n_rows = 0;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_seek(db->env, DB_VAULT, db_records_span(&from), &row);
	for (; e == OK; e = env_next(db->env, DB_VAULT, &row), place++) {
		if (place < offset)
			continue;
		if (n_rows == limit)
			break;
		if (!db_records_key_id(row.key, 1, 0, &id) ||
		    !db_records_take_vault(row.value, id, &rows[n_rows++]))
			return ERR_STORAGE_CORRUPT;
	}
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*more = e == OK;
	*n = n_rows;
	return OK;
}
