#include <string.h>

#include "store/db_records_connections.h"
#include "store/grants_db_inside.h"

enum err
grants_db_moment(struct grants_db *db, struct moment *out)
{
	struct db_key key = grants_db_only_key();
	struct span value;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_get(db->env, DB_MOMENT, db_records_span(&key), &value);
	if (e == OK && !db_records_take_moment(value, out))
		e = ERR_STORAGE_CORRUPT;
	env_release(db->env);
	if (e == ERR_NOT_FOUND)
		*out = (struct moment){ .now = { 0 } };
	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err
put_moment(struct grants_db *db, const struct moment *at)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = grants_db_only_key();

	db_records_put_moment(&o, at);
	return grants_db_put(db, DB_MOMENT, db_records_span(&key), &o);
}

enum err
grants_db_end_at(struct grants_db *db, enum err e, const struct moment *at)
{
	return grants_db_end(db, e == OK ? put_moment(db, at) : e);
}

enum err
grants_db_keep_moment(struct grants_db *db, const struct moment *at)
{
	enum err e = env_begin(db->env);

	return e == OK ? grants_db_end_at(db, OK, at) : e;
}

enum err
grants_db_get_connection(struct grants_db *db, struct uuid connection, struct connection_record *out)
{
	struct db_key key = db_records_key1(connection);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_CONNECTION, db_records_span(&key), &value)) != OK)
		return e;
	return db_records_take_connection(value, connection, out) ? OK : ERR_STORAGE_CORRUPT;
}

enum err
grants_db_put_connection(struct grants_db *db, const struct connection_record *c)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key1(c->connection);

	db_records_put_connection(&o, c);
	return grants_db_put(db, DB_CONNECTION, db_records_span(&key), &o);
}

enum err
grants_db_kill_access(struct grants_db *db, struct connection_record *c)
{
	enum err e = OK;

	for (size_t i = 0; i < c->n_access && e == OK; i++)
		e = env_delete(db->env, DB_ACCESS, (struct span){ c->access[i], SHA256_LEN });
	c->n_access = 0;
	return e;
}

enum err
grants_db_connection(struct grants_db *db, struct uuid connection, struct connection_record *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = grants_db_get_connection(db, connection, out);
	env_release(db->env);
	return e;
}

struct client_key
grants_db_client_key(const uint8_t client[SHA256_LEN], const uint8_t redirect_hash[SHA256_LEN])
{
	struct client_key k;

	memcpy(k.b, client, SHA256_LEN);
	memcpy(k.b + SHA256_LEN, redirect_hash, SHA256_LEN);
	return k;
}

enum err
grants_db_get_client(struct grants_db *db, const struct client_key *key, struct connection_record *out)
{
	struct span value;
	struct uuid id;
	enum err e;

	if ((e = env_get(db->env, DB_CLIENT, (struct span){ key->b, sizeof key->b }, &value)) != OK)
		return e;
	if (!db_records_take_token(value, &id))
		return ERR_STORAGE_CORRUPT;
	e = grants_db_get_connection(db, id, out);
	return e == ERR_NOT_FOUND || (e == OK && out->end != CONNECTION_LIVES) ? ERR_STORAGE_CORRUPT : e;
}

enum err
grants_db_client(struct grants_db *db, const uint8_t client[SHA256_LEN], const uint8_t redirect_hash[SHA256_LEN],
    struct connection_record *out)
{
	struct client_key key = grants_db_client_key(client, redirect_hash);
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = grants_db_get_client(db, &key, out);
	env_release(db->env);
	return e;
}

/* Each row of `client` is one that lives. */
enum err
grants_db_count_living(struct grants_db *db, uint32_t *n)
{
	static const uint8_t first[1] = { 0 };
	struct env_row row;
	enum err e = env_seek(db->env, DB_CLIENT, (struct span){ first, sizeof first }, &row);

	for (*n = 0; e == OK; e = env_next(db->env, DB_CLIENT, &row))
		(*n)++;
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
grants_db_count_connections(struct grants_db *db, uint32_t *living)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = grants_db_count_living(db, living);
	env_release(db->env);
	return e;
}

static enum err
list(struct grants_db *db, uint64_t offset, size_t limit, struct connection_record *rows, size_t *n, bool *more)
{
	struct db_key key = db_records_key1((struct uuid){ { 0 } });
	struct connection_record c;
	struct env_row row;
	struct uuid id;
	uint64_t place = 0;
	enum err e = env_seek(db->env, DB_CONNECTION, db_records_span(&key), &row);

	for (*n = 0, *more = false; e == OK && !*more; e = env_next(db->env, DB_CONNECTION, &row)) {
		if (!db_records_key_id(row.key, 1, 0, &id) || !db_records_take_connection(row.value, id, &c))
			return ERR_STORAGE_CORRUPT;
		if (place++ < offset)
			continue;
		if (*n == limit)
			*more = true;
		else
			rows[(*n)++] = c;
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
grants_db_list_connections(struct grants_db *db, uint64_t offset, size_t limit, struct connection_record *rows,
    size_t *n, bool *more)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = list(db, offset, limit, rows, n, more);
	env_release(db->env);
	return e;
}

static enum err
reduce(struct grants_db *db, struct uuid connection, uint8_t scopes, uint8_t categories)
{
	struct connection_record c;
	enum err e;

	if ((e = grants_db_get_connection(db, connection, &c)) != OK)
		return e;
	if (c.end != CONNECTION_LIVES)
		return ERR_NOT_FOUND;
	if ((scopes & ~c.scopes) != 0 || (categories & ~c.categories) != 0)
		return ERR_INVALID_ARGUMENT;
	c.scopes = scopes_closed(scopes);
	c.categories = categories;
	c.revision++;
	return grants_db_put_connection(db, &c);
}

enum err
grants_db_reduce(struct grants_db *db, struct uuid connection, uint8_t scopes, uint8_t categories, const struct moment *at)
{
	enum err e = env_begin(db->env);

	return e == OK ? grants_db_end_at(db, reduce(db, connection, scopes, categories), at) : e;
}

/* Only of one that lives: another may have come after it. */
enum err
grants_db_drop_client(struct grants_db *db, const struct connection_record *c)
{
	struct client_key key = grants_db_client_key(c->client, c->redirect_hash);

	return c->end == CONNECTION_LIVES ? env_delete(db->env, DB_CLIENT, (struct span){ key.b, sizeof key.b }) : OK;
}

enum err
grants_db_finish_connection(struct grants_db *db, struct connection_record *c, enum connection_end why, const struct moment *at)
{
	enum err e;

	if (c->end != CONNECTION_LIVES)
		return OK;
	if ((e = grants_db_kill_access(db, c)) != OK || (e = grants_db_drop_client(db, c)) != OK)
		return e;
	c->end = why;
	c->ended = at->now;
	c->revision++;
	if ((e = grants_db_put_connection(db, c)) != OK)
		return e;
	return grants_db_note_unrecorded(db, (struct unrecorded){ .connection = true, .id = c->connection });
}

enum err
grants_db_end_connection(struct grants_db *db, struct uuid connection, enum connection_end why, const struct moment *at)
{
	struct connection_record c;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = grants_db_get_connection(db, connection, &c)) == OK)
		e = grants_db_finish_connection(db, &c, why, at);
	return grants_db_end_at(db, e, at);
}
