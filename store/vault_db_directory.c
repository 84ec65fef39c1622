/*
 * The directory cuts the assets of a vault, in the order of ids, into blocks of
 * at most DB_BLOCK_MAX rows, live or not, and keeps for each how many are live
 * of each class: a page at a deep offset adds up blocks instead of walking
 * assets, and passes over those that have nothing of its classes. The first
 * block of a vault begins at the zero id, so that every id lies in a block.
 * Rows never leave, so blocks are split and never joined.
 */
#include <string.h>

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

/* What must be known of a block's rows to count them. */
struct block_rows {
	struct uuid    ids[DB_BLOCK_MAX + 1];
	bool           live[DB_BLOCK_MAX + 1];
	enum key_class classes[DB_BLOCK_MAX + 1];
};

static enum err
read_block(struct vault_db *db, struct uuid vault, struct uuid first, size_t n, struct block_rows *rows)
{
	struct db_key key = db_records_key2(vault, first);
	struct env_row row;
	struct db_asset a;
	enum err e = env_seek(db->env, DB_ASSET, db_records_span(&key), &row);

	for (size_t i = 0; i < n; i++) {
		if (e != OK || (e = take_own_asset(&row, vault, &a)) != OK)
			return vault_db_must(e);
		rows->ids[i] = a.row.asset;
		rows->live[i] = db_records_is_live(&a);
		rows->classes[i] = a.row.key_class;
		if (i + 1 < n)
			e = env_next(db->env, DB_ASSET, &row);
	}
	return OK;
}

static struct db_block
count_rows(const struct block_rows *rows, size_t from, size_t to)
{
	struct db_block b = { .n_rows = (uint16_t)(to - from) };

	for (size_t i = from; i < to; i++)
		if (rows->live[i])
			b.n_live[rows->classes[i]]++;
	return b;
}

/*
 * Splits a block that has one row too many: in the middle, or, when the new row
 * is its last, before that, because ids mostly rise and full blocks stay full.
 */
static enum err
split(struct vault_db *db, struct uuid vault, struct uuid first, struct uuid asset)
{
	struct block_rows rows;
	size_t at;
	enum err e;

	if ((e = read_block(db, vault, first, DB_BLOCK_MAX + 1, &rows)) != OK)
		return e;
	at = uuid_equal(rows.ids[DB_BLOCK_MAX], asset) ? DB_BLOCK_MAX : DB_BLOCK_MAX / 2;
	if ((e = put_block(db, vault, first, count_rows(&rows, 0, at))) != OK)
		return e;
	return put_block(db, vault, rows.ids[at], count_rows(&rows, at, DB_BLOCK_MAX + 1));
}

enum err
vault_db_directory_add(struct vault_db *db, const struct db_asset *a)
{
	struct uuid vault = a->row.vault, first = { { 0 } };
	struct db_block block = { .n_rows = 0 };
	enum err e = find_block(db, vault, a->row.asset, &first, &block);

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	if (block.n_rows == DB_BLOCK_MAX)
		return split(db, vault, first, a->row.asset);
	block.n_rows++;
	if (db_records_is_live(a))
		block.n_live[a->row.key_class]++;
	return put_block(db, vault, first, block);
}

enum err
vault_db_directory_change(struct vault_db *db, const struct db_asset *a)
{
	bool live = db_records_is_live(a);
	struct uuid first;
	struct db_block block;
	uint16_t *n;
	enum err e;

	if ((e = find_block(db, a->row.vault, a->row.asset, &first, &block)) != OK)
		return vault_db_must(e);
	n = &block.n_live[a->row.key_class];
	if (live ? *n == block.n_rows : *n == 0)
		return ERR_STORAGE_CORRUPT;
	*n = (uint16_t)(live ? *n + 1 : *n - 1);
	return put_block(db, a->row.vault, first, block);
}

/* The next block after that one that counts no classes. ERR_NOT_FOUND. */
static enum err
find_old_block(struct vault_db *db, const struct db_key *after, struct uuid *vault, struct uuid *first, uint16_t *n_rows)
{
	struct env_row row;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_seek(db->env, DB_DIRECTORY, db_records_span(after), &row);
	if (e == OK && row.key.len == after->len && memcmp(row.key.p, after->b, after->len) == 0)
		e = env_next(db->env, DB_DIRECTORY, &row);
	for (; e == OK; e = env_next(db->env, DB_DIRECTORY, &row)) {
		if (!db_records_key_id(row.key, 2, 0, vault) || !db_records_key_id(row.key, 2, 1, first))
			return ERR_STORAGE_CORRUPT;
		if (db_records_take_old_block(row.value, n_rows))
			return OK;
	}
	return e;
}

enum err
vault_db_directory_upgrade(struct vault_db *db)
{
	struct db_key after = db_records_key2((struct uuid){ { 0 } }, (struct uuid){ { 0 } });
	struct block_rows rows;
	struct uuid vault, first;
	uint16_t n;
	enum err e;

	while ((e = find_old_block(db, &after, &vault, &first, &n)) == OK) {
		if ((e = env_begin(db->env)) == ERR_BUSY && (e = env_commit(db->env)) == OK)
			e = env_begin(db->env);
		if (e == OK && (e = read_block(db, vault, first, n, &rows)) == OK)
			e = put_block(db, vault, first, count_rows(&rows, 0, n));
		/* A damaged one stays, for whoever reads it to find. */
		if (e != OK && e != ERR_STORAGE_CORRUPT)
			return e;
		after = db_records_key2(vault, first);
	}
	return e == ERR_NOT_FOUND ? env_commit(db->env) : e;
}

void
vault_db_walk_start(struct vault_db *db, struct uuid vault, unsigned classes, uint64_t offset,
    struct vault_db_walk *w)
{
	*w = (struct vault_db_walk){ .db = db, .vault = vault, .classes = classes, .skip = offset };
}

static unsigned
count_shown(const struct vault_db_walk *w, const struct db_block *block)
{
	unsigned n = 0;

	for (unsigned c = 0; c < CLASS__COUNT; c++)
		if ((w->classes & 1u << c) != 0)
			n += block->n_live[c];
	return n;
}

static bool
is_shown(const struct vault_db_walk *w, const struct db_asset *a)
{
	return db_records_is_live(a) && (w->classes & 1u << a->row.key_class) != 0;
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
		if (count_shown(w, &block) > w->skip)
			break;
		w->skip -= count_shown(w, &block);
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
		if (!is_shown(w, out))
			continue;
		if (w->skip == 0)
			return OK;
		w->skip--;
	}
}
