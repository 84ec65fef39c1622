#include "store/vault_db_inside.h"

/* The asset that lies there. ERR_NOT_FOUND: it is another vault's. */
static enum err
take_asset(const struct env_row *row, struct uuid vault, struct db_asset *out)
{
	struct uuid of, asset;

	if (!db_records_key_id(row->key, 2, 0, &of) || !db_records_key_id(row->key, 2, 1, &asset))
		return ERR_STORAGE_CORRUPT;
	if (!uuid_equal(of, vault))
		return ERR_NOT_FOUND;
	return db_records_take_asset(row->value, of, asset, out) ? OK : ERR_STORAGE_CORRUPT;
}

/* Its first head that is no tombstone. */
static enum err
fill(struct vault_db *db, const struct db_asset *a, struct asset_page_row *out)
{
	size_t i = 0;
	enum err e;

	while (a->tombstone[i])
		i++;
	if ((e = vault_db_get_revision(db, a->row.heads[i], &out->first_head)) != OK)
		return vault_db_must(e);
	out->asset = a->row;
	out->first_head.head = true;
	return uuid_equal(out->first_head.row.vault, a->row.vault) && uuid_equal(out->first_head.row.asset, a->row.asset)
	    ? OK : ERR_STORAGE_CORRUPT;
}

enum err
vault_db_next_asset(struct vault_db *db, struct uuid vault, struct uuid from, struct asset_page_row *out)
{
	struct db_key key = db_records_key2(vault, from);
	struct env_row row;
	struct db_asset a;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_seek(db->env, DB_ASSET, db_records_span(&key), &row);
	for (; e == OK; e = env_next(db->env, DB_ASSET, &row))
		if ((e = take_asset(&row, vault, &a)) != OK || db_records_is_live(&a))
			break;
	return e == OK ? fill(db, &a, out) : e;
}
