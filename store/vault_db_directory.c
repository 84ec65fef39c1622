/*
 * The directory cuts the assets of a vault, in the order of ids, into blocks of
 * at most DB_BLOCK_MAX rows, live or not, and keeps for each how many are live:
 * a page at a deep offset adds up blocks instead of walking assets. The first
 * block of a vault begins at the zero id, so that every id lies in a block.
 * Rows never leave, so blocks are split and never joined.
 */
#include "store/vault_db_inside.h"

static enum err
put_block(struct vault_db *db, struct uuid vault, struct uuid first, struct db_block block)
{
	uint8_t buf[16];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key2(vault, first);

	db_records_put_block(&o, &block);
	return vault_db_put(db, DB_DIRECTORY, &key, &o);
}

/* A row of a database keyed by (vault, id). ERR_NOT_FOUND: it is of another vault. */
static enum err
own_row(const struct env_row *row, struct uuid vault, struct uuid *id)
{
	struct uuid v;

	if (!db_records_key_id(row->key, 2, 0, &v) || !db_records_key_id(row->key, 2, 1, id))
		return ERR_STORAGE_CORRUPT;
	return uuid_equal(v, vault) ? OK : ERR_NOT_FOUND;
}

static enum err
take_own_block(const struct env_row *row, struct uuid vault, struct uuid *first, struct db_block *block)
{
	enum err e;

	if ((e = own_row(row, vault, first)) != OK)
		return e;
	return db_records_take_block(row->value, block) ? OK : ERR_STORAGE_CORRUPT;
}

/* The block in which an asset lies. ERR_NOT_FOUND: the vault has none yet. */
static enum err
find_block(struct vault_db *db, struct uuid vault, struct uuid asset, struct uuid *first,
    struct db_block *block)
{
	struct db_key key = db_records_key2(vault, asset);
	struct env_row row;
	enum err e;

	if ((e = env_floor(db->env, DB_DIRECTORY, db_records_span(&key), &row)) != OK)
		return e;
	return take_own_block(&row, vault, first, block);
}

static enum err
take_own_asset(const struct env_row *row, struct uuid vault, struct db_asset *out)
{
	struct uuid asset;
	enum err e;

	if ((e = own_row(row, vault, &asset)) != OK)
		return e;
	return db_records_take_asset(row->value, vault, asset, out) ? OK : ERR_STORAGE_CORRUPT;
}

/* What a split must know of a block's rows. */
struct block_rows {
	struct uuid ids[DB_BLOCK_MAX + 1];
	bool        live[DB_BLOCK_MAX + 1];
};

static enum err
read_block(struct vault_db *db, struct uuid vault, struct uuid first, struct block_rows *rows)
{
	struct db_key key = db_records_key2(vault, first);
	struct env_row row;
	struct db_asset a;
	enum err e = env_seek(db->env, DB_ASSET, db_records_span(&key), &row);

	for (size_t i = 0; i <= DB_BLOCK_MAX; i++, e = env_next(db->env, DB_ASSET, &row)) {
		if (e != OK || (e = take_own_asset(&row, vault, &a)) != OK)
			return vault_db_must(e);
		rows->ids[i] = a.row.asset;
		rows->live[i] = db_records_is_live(&a);
	}
	return OK;
}

/*
 * Splits a block that has one row too many: in the middle, or, when the new row
 * is its last, before that, because ids mostly rise and full blocks stay full.
 */
static enum err
split(struct vault_db *db, struct uuid vault, struct uuid first, struct uuid asset)
{
	struct db_block low = { 0 }, high = { 0 };
	struct block_rows rows;
	size_t at;
	enum err e;

	if ((e = read_block(db, vault, first, &rows)) != OK)
		return e;
	at = uuid_equal(rows.ids[DB_BLOCK_MAX], asset) ? DB_BLOCK_MAX : DB_BLOCK_MAX / 2;
	for (size_t i = 0; i <= DB_BLOCK_MAX; i++) {
		struct db_block *b = i < at ? &low : &high;

		b->n_rows++;
		b->n_live = (uint16_t)(b->n_live + rows.live[i]);
	}
	if ((e = put_block(db, vault, first, low)) != OK)
		return e;
	return put_block(db, vault, rows.ids[at], high);
}

enum err
vault_db_directory_add(struct vault_db *db, struct uuid vault, struct uuid asset, bool live)
{
	struct uuid first;
	struct db_block block;
	enum err e = find_block(db, vault, asset, &first, &block);

	if (e == ERR_NOT_FOUND)
		return put_block(db, vault, (struct uuid){ { 0 } }, (struct db_block){ 1, live });
	if (e != OK)
		return e;
	if (block.n_rows == DB_BLOCK_MAX)
		return split(db, vault, first, asset);
	block.n_rows++;
	block.n_live = (uint16_t)(block.n_live + live);
	return put_block(db, vault, first, block);
}

enum err
vault_db_directory_change(struct vault_db *db, struct uuid vault, struct uuid asset, bool live)
{
	struct uuid first;
	struct db_block block;
	enum err e;

	if ((e = find_block(db, vault, asset, &first, &block)) != OK)
		return vault_db_must(e);
	if (live ? block.n_live == block.n_rows : block.n_live == 0)
		return ERR_STORAGE_CORRUPT;
	block.n_live = (uint16_t)(live ? block.n_live + 1 : block.n_live - 1);
	return put_block(db, vault, first, block);
}

void
vault_db_walk_start(struct vault_db *db, struct uuid vault, uint64_t offset, struct vault_db_walk *w)
{
	*w = (struct vault_db_walk){ .db = db, .vault = vault, .skip = offset };
}

/* Goes to the next block that holds an asset to show. */
static enum err
enter_block(struct vault_db_walk *w)
{
	struct db_key key = db_records_key2(w->vault, (struct uuid){ { 0 } });
	struct db_block block;
	struct env_row row;
	struct uuid first;
	enum err e;

	for (;;) {
		e = w->started ? env_next(w->db->env, DB_DIRECTORY, &row) :
		    env_seek(w->db->env, DB_DIRECTORY, db_records_span(&key), &row);
		if (e != OK || (e = take_own_block(&row, w->vault, &first, &block)) != OK)
			return e;
		w->started = true;
		if (block.n_live > w->skip)
			break;
		w->skip -= block.n_live;
	}
	w->n_left = block.n_rows;
	key = db_records_key2(w->vault, first);
	return vault_db_must(env_seek(w->db->env, DB_ASSET, db_records_span(&key), &w->row));
}

enum err
vault_db_walk_next(struct vault_db_walk *w, struct db_asset *out)
{
	enum err e;

	for (;;) {
		e = w->n_left == 0 ? enter_block(w) : vault_db_must(env_next(w->db->env, DB_ASSET, &w->row));
		if (e != OK)
			return e;
		if ((e = take_own_asset(&w->row, w->vault, out)) != OK)
			return vault_db_must(e);
		w->n_left--;
		if (!db_records_is_live(out))
			continue;
		if (w->skip == 0)
			return OK;
		w->skip--;
	}
}
