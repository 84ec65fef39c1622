/* Access tokens and refresh tokens: looked up, issued, rotated, given up. */
#include "store/grants_db_tokens_inside.h"

enum err
tokens_get_living(struct grants_db *db, const struct db_family *f, struct connection_record *out)
{
	enum err e = grants_db_get_connection(db, f->connection, out);

	if (e == ERR_NOT_FOUND)
		return ERR_INVALID_TOKEN;
	return e == OK && (out->end != CONNECTION_LIVES || out->generation != f->generation) ? ERR_INVALID_TOKEN : e;
}

/* What a token of these scopes gives; the access token ends then. */
static struct token_use
use_of(const struct connection_record *c, uint8_t scopes, struct forward_ms ends, const struct moment *at)
{
	return (struct token_use){ .connection = c->connection, .revision = c->revision, .scopes = scopes & c->scopes,
		.categories = c->categories, .left_ms = moment_left(at, ends),
		.refresh_left_ms = moment_left(at, c->refresh_ends) };
}

static enum err
find_access(struct grants_db *db, const uint8_t token[SHA256_LEN], const struct moment *at, struct token_use *out)
{
	struct connection_record c;
	struct db_access a;
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_ACCESS, hash_span(token), &value)) != OK)
		return e == ERR_NOT_FOUND ? ERR_INVALID_TOKEN : e;
	if (!db_records_take_access(value, &a))
		return ERR_STORAGE_CORRUPT;
	if ((e = tokens_get_living(db, &a.family, &c)) != OK)
		return e;
	if (moment_left(at, a.ends) == 0)
		return ERR_INVALID_TOKEN;
	*out = use_of(&c, a.scopes, a.ends, at);
	return OK;
}

enum err
grants_db_access(struct grants_db *db, const uint8_t token[SHA256_LEN], const struct moment *at, struct token_use *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = find_access(db, token, at, out);
	env_release(db->env);
	return e;
}

/* OK when no token has that hash. */
static enum err
check_free(struct grants_db *db, const uint8_t hash[SHA256_LEN])
{
	struct span value;
	enum err e = env_get(db->env, DB_ACCESS, hash_span(hash), &value);

	if (e == ERR_NOT_FOUND)
		e = env_get(db->env, DB_REFRESH, hash_span(hash), &value);
	if (e == ERR_NOT_FOUND)
		return OK;
	return e == OK ? ERR_INVALID_ARGUMENT : e;
}

static enum err
put_refresh(struct grants_db *db, const uint8_t hash[SHA256_LEN], const struct db_refresh *r)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);

	db_records_put_refresh(&o, r);
	return grants_db_put(db, DB_REFRESH, hash_span(hash), &o);
}

static enum err
put_access(struct grants_db *db, const uint8_t hash[SHA256_LEN], const struct db_access *a)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);

	db_records_put_access(&o, a);
	return grants_db_put(db, DB_ACCESS, hash_span(hash), &o);
}

/* The oldest makes room for it. */
static enum err
add_access(struct grants_db *db, struct connection_record *c, const uint8_t hash[SHA256_LEN], const struct db_access *a)
{
	enum err e = OK;

	if (c->n_access == CONNECTION_ACCESS_MAX) {
		e = env_delete(db->env, DB_ACCESS, hash_span(c->access[0]));
		memmove(c->access[0], c->access[1], (CONNECTION_ACCESS_MAX - 1) * SHA256_LEN);
		c->n_access--;
	}
	memcpy(c->access[c->n_access++], hash, SHA256_LEN);
	return e == OK ? put_access(db, hash, a) : e;
}

enum err
tokens_issue(struct grants_db *db, struct connection_record *c, const struct token_pair *p, const struct moment *at, struct token_use *use)
{
	struct db_family f = { c->connection, c->generation };
	struct db_access a = { .family = f, .scopes = p->scopes, .ends = { at->now.ms + CONNECTION_ACCESS_MS } };
	struct db_refresh r = { .family = f, .scopes = p->refresh_scopes };
	enum err e;

	if (a.ends.ms > c->refresh_ends.ms)
		a.ends = c->refresh_ends;
	if (same(p->access, p->refresh))
		return ERR_INVALID_ARGUMENT;
	if ((e = check_free(db, p->access)) != OK || (e = check_free(db, p->refresh)) != OK)
		return e;
	if ((e = add_access(db, c, p->access, &a)) != OK || (e = put_refresh(db, p->refresh, &r)) != OK)
		return e;
	*use = use_of(c, p->scopes, a.ends, at);
	return grants_db_put_connection(db, c);
}

enum err
tokens_replayed(struct grants_db *db, struct connection_record *c, const struct moment *at, struct token_outcome *out)
{
	out->error = ERR_INVALID_TOKEN;
	out->ended = true;
	out->use.connection = c->connection;
	return grants_db_finish_connection(db, c, CONNECTION_REPLAYED, at);
}

/* Whether an error is of what was offered; others are of the database. */
static bool
is_of_offer(enum err e)
{
	return e == ERR_INVALID_TOKEN || e == ERR_INSUFFICIENT_SCOPE || e == ERR_INVALID_ARGUMENT;
}

enum err
tokens_end_offer(struct grants_db *db, enum err e, const struct moment *at, struct token_outcome *out)
{
	if (is_of_offer(e)) {
		out->error = e;
		(void)grants_db_end(db, e);
		return OK;
	}
	return grants_db_end_at(db, e, at);
}

/* In a look or a group. ERR_INVALID_TOKEN. */
static enum err
get_refresh(struct grants_db *db, const uint8_t hash[SHA256_LEN], struct db_refresh *r, struct connection_record *c)
{
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_REFRESH, hash_span(hash), &value)) != OK)
		return e == ERR_NOT_FOUND ? ERR_INVALID_TOKEN : e;
	return db_records_take_refresh(value, r) ? tokens_get_living(db, &r->family, c) : ERR_STORAGE_CORRUPT;
}

static enum err
rotate(struct grants_db *db, const struct refresh_offer *offer, struct db_refresh *r, struct connection_record *c,
    const struct moment *at, struct token_outcome *out)
{
	struct token_pair p = { offer->access, offer->refresh, r->scopes & c->scopes, r->scopes & c->scopes };
	enum err e;

	if ((offer->scopes & ~r->scopes) != 0)
		return ERR_INSUFFICIENT_SCOPE;
	if (offer->scopes != 0)
		p.scopes &= offer->scopes;
	if ((p.scopes = scopes_closed(p.scopes)) == 0)
		return ERR_INSUFFICIENT_SCOPE;
	r->spent = true;
	c->n_refreshes++;
	if ((e = put_refresh(db, offer->token, r)) != OK)
		return e;
	return tokens_issue(db, c, &p, at, &out->use);
}

static enum err
refresh(struct grants_db *db, const struct refresh_offer *offer, const struct moment *at, struct token_outcome *out)
{
	struct connection_record c;
	struct db_refresh r;
	enum err e = get_refresh(db, offer->token, &r, &c);

	if (e != OK)
		return e;
	if (moment_left(at, c.refresh_ends) == 0)
		return ERR_INVALID_TOKEN;
	if (r.spent)
		return tokens_replayed(db, &c, at, out);
	if (!same(offer->client, c.client) || c.n_refreshes >= CONNECTION_REFRESH_MAX)
		return ERR_INVALID_TOKEN;
	return rotate(db, offer, &r, &c, at, out);
}

enum err
grants_db_refresh(struct grants_db *db, const struct refresh_offer *offer, const struct moment *at, struct token_outcome *out)
{
	enum err e;

	*out = (struct token_outcome){ .error = OK };
	if ((e = env_begin(db->env)) != OK)
		return e;
	return tokens_end_offer(db, refresh(db, offer, at, out), at, out);
}

/* The living connection of a token of either kind. */
static enum err
get_of_token(struct grants_db *db, const uint8_t token[SHA256_LEN], struct connection_record *c)
{
	struct db_access a;
	struct db_refresh r;
	struct span value;
	enum err e = env_get(db->env, DB_ACCESS, hash_span(token), &value);

	if (e == ERR_NOT_FOUND)
		return get_refresh(db, token, &r, c);
	if (e != OK)
		return e;
	return db_records_take_access(value, &a) ? tokens_get_living(db, &a.family, c) : ERR_STORAGE_CORRUPT;
}

enum err
grants_db_leave(struct grants_db *db, const uint8_t token[SHA256_LEN], const uint8_t client[SHA256_LEN],
    const struct moment *at, struct token_outcome *out)
{
	struct connection_record c;
	enum err e;

	*out = (struct token_outcome){ .error = OK };
	if ((e = env_begin(db->env)) != OK)
		return e;
	e = get_of_token(db, token, &c);
	if (e == OK && !same(client, c.client))
		e = ERR_INVALID_TOKEN;
	if (e == OK && (e = grants_db_finish_connection(db, &c, CONNECTION_LEFT, at)) == OK) {
		out->ended = true;
		out->use.connection = c.connection;
	}
	e = tokens_end_offer(db, e, at, out);
	out->error = OK;
	return e;
}
