#include <stdlib.h>
#include <string.h>

#include "store/grants_db_inside.h"

static const char *const names[DB__COUNT] = {
	[DB_LIBRARY] = "library", [DB_VAULT_KEYS] = "vault_keys", [DB_GRANT] = "grant",
	[DB_WRAP] = "wrap", [DB_TOKEN] = "token", [DB_ENROLMENT] = "enrolment",
	[DB_ANCHOR] = "anchor", [DB_UNRECORDED] = "unrecorded", [DB_PROFILE] = "profile",
	[DB_CONNECTION] = "connection", [DB_CLIENT] = "client", [DB_CODE] = "code", [DB_ACCESS] = "access", [DB_REFRESH] = "refresh",
	[DB_MOMENT] = "moment",
};

enum err
grants_db_open(const char *dir, struct grants_db **out)
{
	struct grants_db *db = calloc(1, sizeof *db);
	enum err e;

	if (db == NULL)
		return ERR_NO_MEMORY;
	if ((e = env_open(dir, names, DB__COUNT, &db->env)) != OK ||
	    (e = db_anchor_load(db->env, DB_ANCHOR, &db->anchor)) != OK ||
	    (e = grants_db_load_unrecorded(db)) != OK) {
		grants_db_close(&db);
		return e;
	}
	*out = db;
	return OK;
}

void
grants_db_close(struct grants_db **db)
{
	if (*db == NULL)
		return;
	env_close(&(*db)->env);
	free(*db);
	*db = NULL;
}

struct db_key
grants_db_only_key(void)
{
	return db_records_key1((struct uuid){ { 0 } });
}

enum err
grants_db_put(struct grants_db *db, enum grants_db_name name, struct span key,
    const struct wire_out *o)
{
	if (o->failed)
		return env_fail(db->env, ERR_INTERNAL);
	return env_put(db->env, name, key, wire_written(o), NULL);
}

enum err
grants_db_end(struct grants_db *db, enum err e)
{
	if (e == OK)
		return db_anchor_commit(db->env, DB_ANCHOR, &db->anchor);
	env_abort(db->env);
	return e;
}

struct log_head
grants_db_anchor(const struct grants_db *db)
{
	return db_anchor_newest(&db->anchor);
}

void
grants_db_note_head(struct grants_db *db, const struct log_head *head)
{
	db_anchor_note(&db->anchor, head);
}

enum err
grants_db_keep_anchor(struct grants_db *db)
{
	return db_anchor_keep(db->env, DB_ANCHOR, &db->anchor);
}

/* In a look or a group. */
static enum err
get_library(struct grants_db *db, struct library_record *out)
{
	struct db_key key = grants_db_only_key();
	struct span value;
	enum err e;

	if ((e = env_get(db->env, DB_LIBRARY, db_records_span(&key), &value)) != OK)
		return e == ERR_NOT_FOUND ? ERR_NOT_INITIALIZED : e;
	return db_records_take_library(value, out) ? OK : ERR_STORAGE_CORRUPT;
}

enum err
grants_db_library(struct grants_db *db, struct library_record *out)
{
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = get_library(db, out);
	env_release(db->env);
	return e;
}

static enum err
put_library(struct grants_db *db, const struct library_record *r)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = grants_db_only_key();

	db_records_put_library(&o, r);
	return grants_db_put(db, DB_LIBRARY, db_records_span(&key), &o);
}

enum err
grants_db_init_library(struct grants_db *db, const struct library_record *r)
{
	struct library_record old;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = get_library(db, &old)) == OK)
		e = ERR_ALREADY_INITIALIZED;
	else if (e == ERR_NOT_INITIALIZED)
		e = put_library(db, r);
	return grants_db_end(db, e);
}

enum err
grants_db_put_library(struct grants_db *db, const struct library_record *r)
{
	struct library_record old;
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	if ((e = get_library(db, &old)) == OK)
		e = uuid_equal(old.library, r->library) ? put_library(db, r) : ERR_INVALID_ARGUMENT;
	return grants_db_end(db, e);
}

enum err
grants_db_put_vault_keys(struct grants_db *db, const struct vault_keys *k)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = db_records_key1(k->vault);
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	db_records_put_vault_keys(&o, k);
	return grants_db_end(db, grants_db_put(db, DB_VAULT_KEYS, db_records_span(&key), &o));
}

enum err
grants_db_vault_keys(struct grants_db *db, struct uuid vault, struct vault_keys *out)
{
	struct db_key key = db_records_key1(vault);
	struct span value;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_get(db->env, DB_VAULT_KEYS, db_records_span(&key), &value);
	if (e == OK && !db_records_take_vault_keys(value, vault, out))
		e = ERR_STORAGE_CORRUPT;
	env_release(db->env);
	return e;
}

/* By purpose, as a number in an id. */
static struct db_key
enrolment_key(enum custody_purpose purpose)
{
	return db_records_key1((struct uuid){ { [UUID_LEN - 1] = (uint8_t)purpose } });
}

enum err
grants_db_put_enrolment(struct grants_db *db, enum custody_purpose purpose, const struct enrolment_record *r)
{
	uint8_t buf[DB_RECORD_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct db_key key = enrolment_key(purpose);
	size_t len = strnlen(r->backend, BACKEND_NAME_MAX + 1);
	enum err e;

	if (len == 0 || len > BACKEND_NAME_MAX)
		return ERR_INVALID_ARGUMENT;
	if ((e = env_begin(db->env)) != OK)
		return e;
	db_records_put_enrolment(&o, r);
	return grants_db_end(db, grants_db_put(db, DB_ENROLMENT, db_records_span(&key), &o));
}

enum err
grants_db_enrolment(struct grants_db *db, enum custody_purpose purpose, struct enrolment_record *out)
{
	struct db_key key = enrolment_key(purpose);
	struct span value;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	e = env_get(db->env, DB_ENROLMENT, db_records_span(&key), &value);
	if (e == OK && !db_records_take_enrolment(value, out))
		e = ERR_STORAGE_CORRUPT;
	env_release(db->env);
	return e == ERR_NOT_FOUND ? ERR_NOT_ENABLED : e;
}

enum err
grants_db_drop_enrolment(struct grants_db *db, enum custody_purpose purpose)
{
	struct db_key key = enrolment_key(purpose);
	enum err e;

	if ((e = env_begin(db->env)) != OK)
		return e;
	return grants_db_end(db, env_delete(db->env, DB_ENROLMENT, db_records_span(&key)));
}
