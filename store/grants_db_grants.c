#include <string.h>

#include "store/grants_db_inside.h"

static struct span
hash_key(const uint8_t token_hash[32])
{
	return (struct span){ token_hash, 32 };
}

enum err
grants_db_get_head(struct grants_db *db, struct uuid grant, struct db_grant *out)
{
	struct db_key key = db_records_key1(grant);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_GRANT, db_records_span(&key), &value)) != OK)
		return e;
	return db_records_take_grant(value, grant, out) ? OK : ERR_STORAGE_CORRUPT;
}

static enum err
must(enum err e)
{
	return e == ERR_NOT_FOUND ? ERR_STORAGE_CORRUPT : e;
}

static enum err
get_head_of_token(struct grants_db *db, const uint8_t token_hash[32], struct db_grant *out)
{
	struct span value;
	struct uuid grant;
	enum err e;

	if ((e = env_get(db->env, DB_TOKEN, hash_key(token_hash), &value)) != OK)
		return e;
	if (!db_records_take_token(value, &grant))
		return ERR_STORAGE_CORRUPT;
	if ((e = must(grants_db_get_head(db, grant, out))) != OK)
		return e;
	return memcmp(out->token_hash, token_hash, 32) == 0 ? OK : ERR_STORAGE_CORRUPT;
}

/* A grant's wraps, one for each of its n_vaults and no more, each of its classes; of no class once it expired. */
static enum err
get_wraps(struct grants_db *db, const struct db_grant *g, struct grant_vault *vaults)
{
	struct db_key from = db_records_key2(g->grant, (struct uuid){ { 0 } });
	struct uuid grant, vault;
	struct env_row row;
	size_t n = 0;
	enum err e = env_seek(db->env, DB_WRAP, db_records_span(&from), &row);

	for (; e == OK; e = env_next(db->env, DB_WRAP, &row)) {
		if (!db_records_key_id(row.key, 2, 0, &grant) || !db_records_key_id(row.key, 2, 1, &vault))
			return ERR_STORAGE_CORRUPT;
		if (!uuid_equal(grant, g->grant))
			break;
		if (n == g->n_vaults || !db_records_take_wrap(row.value, vault, &vaults[n]) ||
		    vaults[n++].classes != (g->life.expired ? 0 : g->classes))
			return ERR_STORAGE_CORRUPT;
	}
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	return n == g->n_vaults ? OK : ERR_STORAGE_CORRUPT;
}

static enum err
fill_record(struct grants_db *db, const struct db_grant *g, struct grant_record *out)
{
	struct grant_record r = { .grant = g->grant, .type = g->type, .revision = g->revision, .life = g->life,
	    .classes = g->classes, .may_propose = g->may_propose, .revoked = g->revoked, .n_vaults = g->n_vaults };
	enum err e;

	memcpy(r.token_hash, g->token_hash, sizeof r.token_hash);
	memcpy(r.label, g->label, sizeof r.label);
	if ((e = get_wraps(db, g, r.vaults)) != OK)
		return e;
	*out = r;
	return OK;
}

enum err
grants_db_grant(struct grants_db *db, struct uuid grant, struct grant_record *out)
{
	struct db_grant g;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = grants_db_get_head(db, grant, &g)) == OK)
		e = fill_record(db, &g, out);
	env_release(db->env);
	return e;
}

static enum err
use(struct grants_db *db, const uint8_t token_hash[32], struct uuid vault, struct grant_use *out)
{
	struct grant_vault wrap = { .classes = 0 };
	struct db_grant g;
	struct db_key key;
	struct span value;
	enum err e;

	if ((e = get_head_of_token(db, token_hash, &g)) != OK)
		return e;
	key = db_records_key2(g.grant, vault);
	if ((e = env_get(db->env, DB_WRAP, db_records_span(&key), &value)) != OK && e != ERR_NOT_FOUND)
		return e;
	if (e == OK && (!db_records_take_wrap(value, vault, &wrap) || wrap.classes != g.classes))
		return ERR_STORAGE_CORRUPT;
	*out = (struct grant_use){ .grant = g.grant, .type = g.type, .revision = g.revision, .life = g.life,
	    .may_propose = g.may_propose, .vault = wrap };
	return e == OK ? OK : ERR_VAULT_NOT_GRANTED;
}

enum err
grants_db_use(struct grants_db *db, const uint8_t token_hash[32], struct uuid vault, struct grant_use *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = use(db, token_hash, vault, out);
	env_release(db->env);
	return e;
}

static bool
has_form(const struct grant_record *g)
{
	if (g->revoked || g->life.expired || g->n_vaults == 0 || g->n_vaults > GRANT_VAULTS_MAX ||
	    g->classes == 0 || g->classes >> CLASS__COUNT != 0 || !grant_type_known(g->type) ||
	    (g->may_propose && g->type != GRANT_ORDINARY))
		return false;
	for (size_t i = 0; i < g->n_vaults; i++) {
		if (g->vaults[i].classes != g->classes)
			return false;
		for (size_t j = 0; j < i; j++)
			if (uuid_equal(g->vaults[i].vault, g->vaults[j].vault))
				return false;
	}
	return true;
}

/* OK when neither the id nor the token hash is there. */
static enum err
check_new(struct grants_db *db, const struct grant_record *g)
{
	struct db_key key = db_records_key1(g->grant);
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_GRANT, db_records_span(&key), &value)) == ERR_NOT_FOUND)
		e = env_get(db->env, DB_TOKEN, hash_key(g->token_hash), &value);
	if (e == ERR_NOT_FOUND)
		return OK;
	return e == OK ? ERR_INVALID_ARGUMENT : e;
}

enum err
grants_db_put_head(struct grants_db *db, const struct db_grant *g)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key1(g->grant);

	db_records_put_grant(&o, g);
	return grants_db_put(db, DB_GRANT, db_records_span(&key), &o);
}

enum err
grants_db_put_wrap(struct grants_db *db, struct uuid grant, const struct grant_vault *w)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key2(grant, w->vault);

	db_records_put_wrap(&o, w);
	return grants_db_put(db, DB_WRAP, db_records_span(&key), &o);
}

static enum err
put_grant(struct grants_db *db, const struct grant_record *g)
{
	struct db_grant head = { .grant = g->grant, .type = g->type, .revision = g->revision, .life = g->life,
	    .classes = g->classes, .may_propose = g->may_propose, .n_vaults = g->n_vaults };
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	enum err e;

	memcpy(head.token_hash, g->token_hash, sizeof head.token_hash);
	memcpy(head.label, g->label, sizeof head.label);
	if ((e = grants_db_put_head(db, &head)) != OK)
		return e;
	for (size_t i = 0; i < g->n_vaults; i++)
		if ((e = grants_db_put_wrap(db, g->grant, &g->vaults[i])) != OK)
			return e;
	db_records_put_token(&o, g->grant);
	return grants_db_put(db, DB_TOKEN, hash_key(g->token_hash), &o);
}

enum err
grants_db_add_grant(struct grants_db *db, const struct grant_record *g)
{
	enum err e;

	if (!has_form(g))
		return ERR_INVALID_ARGUMENT;
	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = check_new(db, g)) == OK)
		e = put_grant(db, g);
	return grants_db_end(db, e);
}

/* The first grant of that type at or after a row of the walk that is not revoked. ERR_NOT_FOUND. */
static enum err
skip_others(struct grants_db *db, enum grant_type type, enum err e, struct env_row *row, struct db_grant *g)
{
	struct uuid id;

	for (; e == OK; e = env_next(db->env, DB_GRANT, row)) {
		if (!db_records_key_id(row->key, 1, 0, &id) || !db_records_take_grant(row->value, id, g))
			return ERR_STORAGE_CORRUPT;
		if (!g->revoked && g->type == type)
			return OK;
	}
	return e;
}

enum err
grants_db_seek_head(struct grants_db *db, enum grant_type type, struct uuid from, struct env_row *row, struct db_grant *g)
{
	struct db_key key = db_records_key1(from);

	return skip_others(db, type, env_seek(db->env, DB_GRANT, db_records_span(&key), row), row, g);
}

static enum err
list(struct grants_db *db, enum grant_type type, uint64_t offset, size_t limit, struct grant_record *rows,
    size_t *n, bool *more)
{
	struct env_row row;
	struct db_grant g;
	uint64_t place = 0;
	size_t n_rows = 0;
	enum err e = grants_db_seek_head(db, type, (struct uuid){ { 0 } }, &row, &g);

	for (; e == OK; e = skip_others(db, type, env_next(db->env, DB_GRANT, &row), &row, &g), place++) {
		if (place < offset)
			continue;
		if (n_rows == limit)
			break;
		if ((e = fill_record(db, &g, &rows[n_rows++])) != OK)
			return e;
	}
	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	*n = n_rows;
	*more = e == OK;
	return OK;
}

enum err
grants_db_list(struct grants_db *db, enum grant_type type, uint64_t offset, size_t limit,
    struct grant_record *rows, size_t *n, bool *more)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = list(db, type, offset, limit, rows, n, more);
	env_release(db->env);
	return e;
}
