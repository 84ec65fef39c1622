#include "store/vault_db_inside.h"

/* An asset, for who sees these classes. */
static enum err
seen_asset(struct vault_db *db, struct uuid vault, struct uuid asset, unsigned classes, struct db_asset *out)
{
	enum err e = vault_db_get_asset(db, vault, asset, out);

	return e == OK && (classes & 1u << out->row.key_class) == 0 ? ERR_NOT_FOUND : e;
}

enum err
vault_db_asset(struct vault_db *db, struct uuid vault, struct uuid asset, unsigned classes, struct asset_row *out)
{
	struct db_asset a;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = seen_asset(db, vault, asset, classes, &a)) != OK)
		return e;
	*out = a.row;
	return OK;
}

bool
vault_db_has_head(const struct asset_row *a, struct uuid revision)
{
	for (size_t i = 0; i < a->n_heads; i++)
		if (uuid_equal(a->heads[i], revision))
			return true;
	return false;
}

static bool
is_of(const struct revision_row *r, struct uuid vault, struct uuid asset)
{
	return uuid_equal(r->vault, vault) && uuid_equal(r->asset, asset);
}

enum err
vault_db_revision(struct vault_db *db, struct uuid vault, struct uuid asset,
    struct uuid revision, unsigned classes, struct revision_record *out)
{
	struct revision_record r;
	struct db_asset a;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = vault_db_get_revision(db, revision, &r)) != OK)
		return e;
	if ((classes & 1u << r.row.key_class) == 0)
		return ERR_NOT_FOUND;
	if (!is_of(&r.row, vault, asset))
		return ERR_REVISION_MISMATCH;
	if ((e = vault_db_get_asset(db, vault, asset, &a)) != OK)
		return vault_db_must(e);
	r.head = vault_db_has_head(&a.row, revision);
	*out = r;
	return OK;
}

/* A revision that the asset names. */
static enum err
own_revision(struct vault_db *db, const struct asset_row *a, struct uuid revision,
    struct revision_record *out)
{
	enum err e;

	if ((e = vault_db_get_revision(db, revision, out)) != OK)
		return vault_db_must(e);
	if (!is_of(&out->row, a->vault, a->asset))
		return ERR_STORAGE_CORRUPT;
	out->head = vault_db_has_head(a, revision);
	return OK;
}

static enum err
fill_page_row(struct vault_db *db, const struct db_asset *a, struct asset_page_row *row)
{
	size_t i = 0;

	while (a->tombstone[i])
		i++;
	row->asset = a->row;
	return own_revision(db, &a->row, a->row.heads[i], &row->first_head);
}

enum err
vault_db_list_assets(struct vault_db *db, struct uuid vault, unsigned classes, uint64_t offset, size_t limit,
    struct asset_page_row *rows, size_t *n, bool *more)
{
	struct vault_row v;
	struct vault_db_walk w;
	struct db_asset a;
	size_t n_rows = 0;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = vault_db_get_vault(db, vault, &v)) != OK)
		return e;
	vault_db_walk_start(db, vault, classes, offset, &w);
	for (; (e = vault_db_walk_next(&w, &a)) == OK && n_rows < limit; n_rows++)
		if ((e = fill_page_row(db, &a, &rows[n_rows])) != OK)
			return e;
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	if (e == ERR_NOT_FOUND && classes == CLASSES_ALL && offset < v.n_assets && v.n_assets - offset > n_rows)
		return ERR_STORAGE_CORRUPT;
	*n = n_rows;
	*more = e == OK;
	return OK;
}

/* The revision that an index row of this asset names. ERR_NOT_FOUND: it is another asset's. */
static enum err
indexed_revision(const struct env_row *row, const struct asset_row *a, struct uuid *revision)
{
	struct uuid vault, asset;

	if (!db_records_key_id(row->key, 3, 0, &vault) || !db_records_key_id(row->key, 3, 1, &asset) ||
	    !db_records_key_id(row->key, 3, 2, revision) || row->value.len != 0)
		return ERR_STORAGE_CORRUPT;
	return uuid_equal(vault, a->vault) && uuid_equal(asset, a->asset) ? OK : ERR_NOT_FOUND;
}

enum err
vault_db_history(struct vault_db *db, struct uuid vault, struct uuid asset, unsigned classes,
    uint64_t offset, size_t limit, struct revision_record *rows, size_t *n, bool *more)
{
	struct db_key from = db_records_key3(vault, asset, (struct uuid){ { 0 } });
	struct uuid revision;
	struct env_row row;
	struct db_asset a;
	uint64_t place = 0;
	size_t n_rows = 0;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = seen_asset(db, vault, asset, classes, &a)) != OK)
		return e;
	e = env_seek(db->env, DB_HISTORY, db_records_span(&from), &row);
	for (; e == OK; e = env_next(db->env, DB_HISTORY, &row), place++) {
		if ((e = indexed_revision(&row, &a.row, &revision)) != OK)
			break;
		if (place < offset)
			continue;
		if (n_rows == limit)
			break;
		if ((e = own_revision(db, &a.row, revision, &rows[n_rows++])) != OK)
			return e;
	}
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*n = n_rows;
	*more = e == OK;
	return OK;
}

enum err
vault_db_chunk(struct vault_db *db, struct uuid revision, uint32_t index, struct span *out)
{
	struct db_key key = db_records_chunk_key(revision, index);
	struct db_staging staging;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = vault_db_get_staging(db, revision, &staging)) != ERR_NOT_FOUND)
		return e == OK ? ERR_NOT_FOUND : e;
	return env_get(db->env, DB_CHUNK, db_records_span(&key), out);
}
