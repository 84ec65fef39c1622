/* Rows of the profile: sealed each under its table's key, bound to its table and key, and all of them to one tag. */
#include <string.h>

#include "escrow/hash.h"
#include "escrow/seal.h"
#include "store/profile_db_inside.h"

#define SEALED_MAX  (PROFILE_ROW_MAX + SEAL_OVERHEAD)
#define BINDING_MAX (16 + ENV_KEY_MAX)
#define STATE_LEN   (1 + 8 + 8 + 32)

static const char *const words[TABLE_SEALED__COUNT] = {
	[TABLE_FACT] = "fact/v1", [TABLE_SHARE] = "share/v1", [TABLE_PROPOSAL] = "proposal/v1",
	[TABLE_ENDED] = "ended/v1", [TABLE_META] = "meta/v1",
};
static const char state_word[] = "state";

struct profile_key
profile_key_of(const void *a, size_t a_len, const void *b, size_t b_len)
{
	struct profile_key key = { .len = a_len + b_len };

	memcpy(key.b, a, a_len);
	if (b_len > 0)
		memcpy(key.b + a_len, b, b_len);
	return key;
}

static struct span
key_span(const struct profile_key *key)
{
	return (struct span){ key->b, key->len };
}

/* Which row it is: the table's word with its zero byte, and the key. */
static struct span
binding(enum profile_table table, struct span key, uint8_t buf[BINDING_MAX])
{
	struct wire_out o = wire_out(buf, BINDING_MAX);

	wire_put_bytes(&o, words[table], strlen(words[table]) + 1);
	wire_put_bytes(&o, key.p, key.len);
	return wire_written(&o);
}

/* Adds a row to the tag over all, or takes it out again: the tags of rows are summed without carry. */
static void
toggle(const struct profile_db *db, enum profile_table table, struct span key, struct span sealed, uint8_t set[32])
{
	uint8_t buf[BINDING_MAX + SEALED_MAX], tag[32];
	struct wire_out o = wire_out(buf, sizeof buf);
	uint8_t binding_buf[BINDING_MAX];
	struct span which = binding(table, key, binding_buf);

	wire_put_bytes(&o, which.p, which.len);
	wire_put_bytes(&o, sealed.p, sealed.len);
	keyed_tag(db->set_key, "memories/profile-row/v1", wire_written(&o), tag);
	for (size_t i = 0; i < sizeof tag; i++)
		set[i] ^= tag[i];
}

struct wire_out
profile_rows_room(struct profile_db *db)
{
	return wire_out(secret_bytes(db->plain), PROFILE_ROW_MAX);
}

/* Takes the row that is there out of the tag over all. */
static enum err
toggle_old(struct profile_db *db, enum profile_table table, struct span key)
{
	struct span old;
	enum err e = env_get(db->env, table, key, &old);

	if (e == OK && old.len > SEALED_MAX)
		return ERR_STORAGE_CORRUPT;
	if (e == OK)
		toggle(db, table, key, old, db->set);
	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err
put(struct profile_db *db, enum profile_table table, const struct profile_key *key, struct span plain)
{
	uint8_t sealed[SEALED_MAX], buf[BINDING_MAX];
	struct span value = { sealed, plain.len + SEAL_OVERHEAD };
	enum err e;

	if ((e = env_begin(db->env)) != OK || (e = toggle_old(db, table, key_span(key))) != OK)
		return e;
	seal(db->keys[table]->b, binding(table, key_span(key), buf), plain, sealed);
	toggle(db, table, key_span(key), value, db->set);
	return env_put(db->env, table, key_span(key), value, NULL);
}

static enum err
take_out(struct profile_db *db, enum profile_table table, const struct profile_key *key)
{
	enum err e;

	if ((e = env_begin(db->env)) != OK || (e = toggle_old(db, table, key_span(key))) != OK)
		return e;
	return env_delete(db->env, table, key_span(key));
}

void
profile_rows_put(struct profile_db *db, enum profile_table table, const struct profile_key *key, const struct wire_out *row)
{
	db->changed = true;
	if (db->failed == OK)
		db->failed = row->failed ? ERR_INTERNAL : put(db, table, key, wire_written(row));
	wipe(secret_bytes(db->plain), PROFILE_ROW_MAX);
}

void
profile_rows_remove(struct profile_db *db, enum profile_table table, const struct profile_key *key)
{
	db->changed = true;
	if (db->failed == OK)
		db->failed = take_out(db, table, key);
}

static struct profile_key
state_key(void)
{
	return profile_key_of(state_word, sizeof state_word - 1, NULL, 0);
}

/* The row of state is under the meta table's key and is the one row that the tag does not cover. */
enum err
profile_rows_write_state(struct profile_db *db)
{
	uint8_t plain[STATE_LEN], sealed[STATE_LEN + SEAL_OVERHEAD], buf[BINDING_MAX];
	struct profile_key key = state_key();
	struct wire_out o = wire_out(plain, sizeof plain);
	enum err e = env_begin(db->env);

	if (e != OK)
		return e;
	wire_put_u8(&o, 1);
	wire_put_u64(&o, db->clock.ms);
	wire_put_u64(&o, db->change + 1);
	wire_put_bytes(&o, db->set, sizeof db->set);
	seal(db->keys[TABLE_META]->b, binding(TABLE_META, key_span(&key), buf), wire_written(&o), sealed);
	return env_put(db->env, TABLE_META, key_span(&key), (struct span){ sealed, sizeof sealed }, NULL);
}

enum err
profile_rows_read_state(struct profile_db *db, uint8_t set[32])
{
	uint8_t plain[STATE_LEN] = { 0 }, buf[BINDING_MAX];
	struct profile_key key = state_key();
	struct wire_in in = wire_in(plain, sizeof plain);
	struct span sealed;
	enum err e;

	if ((e = env_get(db->env, TABLE_META, key_span(&key), &sealed)) != OK)
		return e;
	if (sealed.len != STATE_LEN + SEAL_OVERHEAD)
		return ERR_STORAGE_CORRUPT;
	if ((e = seal_open(db->keys[TABLE_META]->b, binding(TABLE_META, key_span(&key), buf), sealed, plain)) != OK)
		return e;
	if (wire_take_u8(&in) != 1)
		return ERR_STORAGE_CORRUPT;
	db->clock.ms = wire_take_u64(&in);
	db->change = wire_take_u64(&in);
	wire_take_bytes(&in, set, 32);
	return OK;
}

static bool
is_state(enum profile_table table, struct span key)
{
	return table == TABLE_META && key.len == sizeof state_word - 1 && memcmp(key.p, state_word, key.len) == 0;
}

static enum err
open_row(struct profile_db *db, enum profile_table table, const struct env_row *row,
    enum err (*each)(struct profile_db *db, struct span key, struct span plain))
{
	uint8_t buf[BINDING_MAX], key[ENV_KEY_MAX];
	struct span at = { key, row->key.len };
	enum err e;

	if (row->key.len > sizeof key || row->value.len < SEAL_OVERHEAD || row->value.len > SEALED_MAX)
		return ERR_STORAGE_CORRUPT;
	memcpy(key, row->key.p, row->key.len);
	if ((e = seal_open(db->keys[table]->b, binding(table, at, buf), row->value, secret_bytes(db->plain))) == OK)
		e = each(db, at, (struct span){ secret_view(db->plain), row->value.len - SEAL_OVERHEAD });
	wipe(secret_bytes(db->plain), PROFILE_ROW_MAX);
	return e;
}

enum err
profile_rows_load(struct profile_db *db, enum profile_table table, uint8_t set[32],
    enum err (*each)(struct profile_db *db, struct span key, struct span plain))
{
	static const uint8_t least[1];
	struct env_row row;
	enum err e = env_seek(db->env, table, (struct span){ least, 1 }, &row);

	for (; e == OK; e = env_next(db->env, table, &row)) {
		if (is_state(table, row.key))
			continue;
		if ((e = open_row(db, table, &row, each)) != OK)
			return e;
		toggle(db, table, row.key, row.value, set);
	}
	return e == ERR_NOT_FOUND ? OK : e;
}
