/* How grants end: revoked, or expired. */
#include <string.h>

#include "store/grants_db_inside.h"

/* The first wrap of a grant goes until none is left. */
static enum err
delete_wraps(struct grants_db *db, struct uuid grant)
{
	struct db_key key = db_records_key2(grant, (struct uuid){ { 0 } });
	struct uuid id, vault;
	struct env_row row;
	enum err e;

	while ((e = env_seek(db->env, DB_WRAP, db_records_span(&key), &row)) == OK) {
		if (!db_records_key_id(row.key, 2, 0, &id) || !db_records_key_id(row.key, 2, 1, &vault))
			return ERR_STORAGE_CORRUPT;
		if (!uuid_equal(id, grant))
			return OK;
		key = db_records_key2(grant, vault);
		if ((e = env_delete(db->env, DB_WRAP, db_records_span(&key))) != OK)
			return e;
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

/* An expired grant has none. */
static enum err
delete_token(struct grants_db *db, struct db_grant *g)
{
	enum err e = g->life.expired ? OK : env_delete(db->env, DB_TOKEN, (struct span){ g->token_hash, sizeof g->token_hash });

	if (e == OK)
		memset(g->token_hash, 0, sizeof g->token_hash);
	return e;
}

static enum err
revoke(struct grants_db *db, struct db_grant *g)
{
	enum err e;

	if (g->revoked)
		return OK;
	if ((e = delete_wraps(db, g->grant)) != OK || (e = delete_token(db, g)) != OK)
		return e;
	g->revoked = true;
	g->revision++;
	g->n_vaults = 0;
	return grants_db_put_head(db, g);
}

enum err
grants_db_revoke(struct grants_db *db, enum grant_type type, struct uuid grant)
{
	struct db_grant g;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = grants_db_get_head(db, grant, &g)) == OK && g.type != type)
		e = ERR_NOT_FOUND;
	if (e == OK && (e = revoke(db, &g)) == OK)
		e = grants_db_note_unrecorded(db, (struct unrecorded){ .id = grant });
	return grants_db_end(db, e);
}

/* The vaults stay, for the list; their keys go. */
static enum err
empty_wraps(struct grants_db *db, struct uuid grant)
{
	struct db_key key = db_records_key2(grant, (struct uuid){ { 0 } });
	struct grant_vault wrap = { .classes = 0 };
	struct env_row row;
	struct uuid id;
	enum err e;

	while ((e = env_seek(db->env, DB_WRAP, db_records_span(&key), &row)) == OK) {
		if (!db_records_key_id(row.key, 2, 0, &id) || !db_records_key_id(row.key, 2, 1, &wrap.vault))
			return ERR_STORAGE_CORRUPT;
		if (!uuid_equal(id, grant))
			return OK;
		if ((e = grants_db_put_wrap(db, grant, &wrap)) != OK)
			return e;
		/* The first key behind this one. */
		key = db_records_key3(grant, wrap.vault, (struct uuid){ { 0 } });
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err
expire(struct grants_db *db, struct db_grant *g)
{
	enum err e;

	if (g->revoked || g->life.expired)
		return OK;
	if ((e = empty_wraps(db, g->grant)) != OK || (e = delete_token(db, g)) != OK)
		return e;
	g->life.expired = true;
	g->revision++;
	if ((e = grants_db_put_head(db, g)) != OK)
		return e;
	return grants_db_note_unrecorded(db, (struct unrecorded){ .id = g->grant });
}

enum err
grants_db_expire(struct grants_db *db, struct uuid grant)
{
	struct db_grant g;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = grants_db_get_head(db, grant, &g)) == OK)
		e = expire(db, &g);
	return grants_db_end(db, e);
}

static enum err
next_mortal(struct grants_db *db, struct uuid after, struct uuid *grant, struct grant_life *out)
{
	struct db_key key = db_records_key1(after);
	struct env_row row;
	struct db_grant g;
	struct uuid id;
	enum err e = env_seek(db->env, DB_GRANT, db_records_span(&key), &row);

	for (; e == OK; e = env_next(db->env, DB_GRANT, &row)) {
		if (!db_records_key_id(row.key, 1, 0, &id) || !db_records_take_grant(row.value, id, &g))
			return ERR_STORAGE_CORRUPT;
		if (uuid_equal(id, after) || g.revoked || g.life.expired || g.life.expires.ms == 0)
			continue;
		*grant = id;
		*out = g.life;
		return OK;
	}
	return e;
}

enum err
grants_db_next_mortal(struct grants_db *db, struct uuid after, struct uuid *grant, struct grant_life *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = next_mortal(db, after, grant, out);
	env_release(db->env);
	return e;
}

enum err
grants_db_revoke_all(struct grants_db *db, struct uuid by)
{
	struct uuid from = { { 0 } };
	struct env_row row;
	struct db_grant g;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	/* Each turn seeks anew: the walk does not outlive a change. */
	while ((e = grants_db_seek_head(db, GRANT_UNATTENDED, from, &row, &g)) == OK) {
		if ((e = revoke(db, &g)) != OK)
			break;
		from = g.grant;
	}
	if (e == ERR_NOT_FOUND)
		e = grants_db_note_unrecorded(db, (struct unrecorded){ .all = true, .id = by });
	return grants_db_end(db, e);
}
