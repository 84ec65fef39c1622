/* What is over and was needed no more: codes, tokens and connections, a few at a time. */
#include <string.h>

#include "store/db_records_connections.h"
#include "store/grants_db_inside.h"

#define LOOK_MAX 128

static const enum grants_db_name tables[] = { DB_CODE, DB_REFRESH, DB_CONNECTION };

#define N_TABLES (sizeof tables / sizeof *tables)

/* What a look found to be done. */
struct found {
	size_t  n;
	uint8_t key[LOOK_MAX][SHA256_LEN];
};

/* Nobody is waiting for it to be shown again. */
static enum err
family_over(struct grants_db *db, const struct db_family *f, const struct moment *at, bool *over)
{
	struct connection_record c;
	enum err e = grants_db_get_connection(db, f->connection, &c);

	*over = e != OK || c.end != CONNECTION_LIVES || c.generation != f->generation || moment_left(at, c.refresh_ends) == 0;
	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err
code_over(struct grants_db *db, struct span value, const struct moment *at, bool *over)
{
	struct db_code code;

	if (!db_records_take_code(value, &code))
		return ERR_STORAGE_CORRUPT;
	if (!code.used && moment_left(at, code.ends) == 0) {
		*over = true;
		return OK;
	}
	return family_over(db, &code.family, at, over);
}

static enum err
refresh_over(struct grants_db *db, struct span value, const struct moment *at, bool *over)
{
	struct db_refresh r;

	return db_records_take_refresh(value, &r) ? family_over(db, &r.family, at, over) : ERR_STORAGE_CORRUPT;
}

static bool
connection_over(const struct connection_record *c, const struct moment *at)
{
	struct forward_ms over = c->end == CONNECTION_LIVES ? c->refresh_ends : c->ended;

	return moment_left(at, (struct forward_ms){ over.ms + CONNECTION_KEEP_MS }) == 0;
}

/* In a look or a group: whether that access token is over. */
static enum err
access_over(struct grants_db *db, const uint8_t hash[SHA256_LEN], const struct moment *at, bool *over)
{
	struct db_access a;
	struct span value;
	enum err e = env_get(db->env, DB_ACCESS, (struct span){ hash, SHA256_LEN }, &value);

	*over = true;
	if (e != OK)
		return e == ERR_NOT_FOUND ? OK : e;
	if (!db_records_take_access(value, &a))
		return ERR_STORAGE_CORRUPT;
	*over = moment_left(at, a.ends) == 0;
	return OK;
}

/* It is over, or its oldest access token is. */
static enum err
connection_wants(struct grants_db *db, struct span key, struct span value, const struct moment *at, bool *wants)
{
	struct connection_record c;
	struct uuid id;

	if (!db_records_key_id(key, 1, 0, &id) || !db_records_take_connection(value, id, &c))
		return ERR_STORAGE_CORRUPT;
	*wants = connection_over(&c, at);
	return *wants || c.n_access == 0 ? OK : access_over(db, c.access[0], at, wants);
}

static enum err
wants_tidying(struct grants_db *db, enum grants_db_name table, const struct env_row *row, const struct moment *at, bool *wants)
{
	if (table == DB_CODE)
		return code_over(db, row->value, at, wants);
	if (table == DB_REFRESH)
		return refresh_over(db, row->value, at, wants);
	return connection_wants(db, row->key, row->value, at, wants);
}

/* In a look: what is to be done among the next rows. The place is behind them; table N_TABLES: there are no more. */
static enum err
look_at(struct grants_db *db, struct tidy_place *place, size_t look, const struct moment *at, struct found *f)
{
	enum grants_db_name table = tables[place->table];
	size_t key_len = table == DB_CONNECTION ? UUID_LEN : SHA256_LEN;
	struct env_row row;
	bool wants;
	enum err e = env_seek(db->env, table, (struct span){ place->key, key_len }, &row);

	for (size_t n = 0; e == OK && n < look; n++, e = env_next(db->env, table, &row)) {
		if (row.key.len != key_len)
			return ERR_STORAGE_CORRUPT;
		if ((e = wants_tidying(db, table, &row, at, &wants)) != OK)
			return e;
		if (wants)
			memcpy(f->key[f->n++], row.key.p, key_len);
	}
	if (e == OK)
		memcpy(place->key, row.key.p, key_len);
	if (e != ERR_NOT_FOUND)
		return e;
	*place = (struct tidy_place){ .table = place->table + 1 };
	return OK;
}

/* In a group. */
static enum err
drop_access(struct grants_db *db, struct connection_record *c, const struct moment *at)
{
	uint8_t n = 0;
	bool over;
	enum err e;

	for (uint8_t i = 0; i < c->n_access; i++) {
		if ((e = access_over(db, c->access[i], at, &over)) != OK)
			return e;
		if (!over)
			memmove(c->access[n++], c->access[i], SHA256_LEN);
		else if ((e = env_delete(db->env, DB_ACCESS, (struct span){ c->access[i], SHA256_LEN })) != OK)
			return e;
	}
	c->n_access = n;
	return grants_db_put_connection(db, c);
}

/* In a group. */
static enum err
tidy_connection(struct grants_db *db, struct uuid id, const struct moment *at, struct uuid *gone)
{
	struct db_key key = db_records_key1(id);
	struct connection_record c;
	enum err e = grants_db_get_connection(db, id, &c);

	if (e != OK)
		return e;
	if (!connection_over(&c, at))
		return drop_access(db, &c, at);
	if (!uuid_is_zero(*gone))
		return OK;
	*gone = id;
	if ((e = grants_db_kill_access(db, &c)) != OK || (e = grants_db_drop_client(db, &c)) != OK)
		return e;
	return env_delete(db->env, DB_CONNECTION, db_records_span(&key));
}

static enum err
remove_found(struct grants_db *db, enum grants_db_name table, const struct found *f, const struct moment *at, struct uuid *gone)
{
	struct uuid id;
	enum err e = env_begin(db->env);

	if (e != OK)
		return e;
	for (size_t i = 0; i < f->n && e == OK; i++) {
		memcpy(id.b, f->key[i], UUID_LEN);
		e = table == DB_CONNECTION ? tidy_connection(db, id, at, gone)
		    : env_delete(db->env, table, (struct span){ f->key[i], SHA256_LEN });
	}
	return grants_db_end_at(db, e, at);
}

enum err
grants_db_tidy(struct grants_db *db, struct tidy_place *place, size_t look, const struct moment *at, bool *around,
    struct uuid *gone)
{
	enum grants_db_name table = tables[place->table];
	struct found f = { .n = 0 };
	enum err e;

	*around = false;
	*gone = (struct uuid){ { 0 } };
	if ((e = env_look(db->env)) != OK)
		return e;
	e = look_at(db, place, look < LOOK_MAX ? look : LOOK_MAX, at, &f);
	env_release(db->env);
	if (e == OK && f.n > 0)
		e = remove_found(db, table, &f, at, gone);
	if (e != OK || place->table == N_TABLES) {
		*around = true;
		*place = (struct tidy_place){ .table = 0 };
	}
	return e;
}
