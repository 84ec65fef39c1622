/* What the owner consents to: a connection, new or of before, and a code for it. */
#include <string.h>

#include "store/db_records_connections.h"
#include "store/grants_db_inside.h"

bool
connection_scopes_hold(uint8_t scopes)
{
	return scopes != 0 && (scopes & ~SCOPES_ALL) == 0 && scopes_closed(scopes) == scopes;
}

static enum err
put_code(struct grants_db *db, const struct connection_consent *c, uint32_t generation, const struct moment *at)
{
	struct span key = { c->code, SHA256_LEN }, value;
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_code code = { .family = { c->connection, generation }, .scopes = c->scopes,
		.ends = { at->now.ms + CONNECTION_CODE_MS } };
	enum err e = env_get(db->env, DB_CODE, key, &value);

	if (e != ERR_NOT_FOUND)
		return e == OK ? ERR_INVALID_ARGUMENT : e;
	memcpy(code.redirect_given, c->redirect_given, SHA256_LEN);
	memcpy(code.challenge, c->challenge, SHA256_LEN);
	db_records_put_code(&o, &code);
	return grants_db_put(db, DB_CODE, key, &o);
}

/* A new one, and what it is found by. */
static enum err
begin_connection(struct grants_db *db, const struct connection_consent *c, const struct client_key *key,
    struct connection_record *out)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	uint32_t living;
	enum err e;

	if ((e = grants_db_get_connection(db, c->connection, out)) != ERR_NOT_FOUND)
		return e == OK ? ERR_CONFLICT : e;
	if ((e = grants_db_count_living(db, &living)) != OK)
		return e;
	if (living >= CONNECTIONS_MAX)
		return ERR_PROFILE_FULL;
	*out = (struct connection_record){ .connection = c->connection, .created = c->wall };
	memcpy(out->client, c->client, SHA256_LEN);
	memcpy(out->redirect_hash, c->redirect_hash, SHA256_LEN);
	db_records_put_token(&o, c->connection);
	return grants_db_put(db, DB_CLIENT, (struct span){ key->b, sizeof key->b }, &o);
}

static void
set_texts(struct connection_record *r, const struct connection_consent *c)
{
	r->name_len = (uint16_t)c->name.len;
	r->redirect_len = (uint16_t)c->redirect.len;
	if (c->name.len > 0)
		memcpy(r->name, c->name.p, c->name.len);
	if (c->redirect.len > 0)
		memcpy(r->redirect, c->redirect.p, c->redirect.len);
}

static enum err
consent(struct grants_db *db, const struct connection_consent *c, const struct moment *at)
{
	struct client_key key = grants_db_client_key(c->client, c->redirect_hash);
	struct connection_record r;
	enum err e = grants_db_get_client(db, &key, &r);

	if (e == OK && !uuid_equal(r.connection, c->connection))
		return ERR_CONFLICT;
	if (e == ERR_NOT_FOUND)
		e = begin_connection(db, c, &key, &r);
	if (e != OK || (e = grants_db_kill_access(db, &r)) != OK)
		return e;
	r.scopes = c->scopes;
	r.categories = c->categories;
	r.refresh_ends.ms = at->now.ms + CONNECTION_REFRESH_MS;
	r.n_refreshes = 0;
	r.revision++;
	r.generation++;
	set_texts(&r, c);
	e = grants_db_put_connection(db, &r);
	return e == OK ? put_code(db, c, r.generation, at) : e;
}

enum err
grants_db_consent(struct grants_db *db, const struct connection_consent *c, const struct moment *at)
{
	enum err e;

	if (!connection_scopes_hold(c->scopes) || (c->categories & ~CATEGORIES_SHAREABLE) != 0 ||
	    c->name.len > CONNECTION_NAME_MAX || c->redirect.len > CONNECTION_REDIRECT_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = env_begin(db->env)) != OK)
		return e;
	return grants_db_end_at(db, consent(db, c, at), at);
}
