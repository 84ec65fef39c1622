#include <stdlib.h>
#include <string.h>

#include "escrow/hash.h"
#include "store/profile_db_inside.h"

static const char *const names[TABLE__COUNT] = {
	[TABLE_FACT] = "fact", [TABLE_SHARE] = "share", [TABLE_PROPOSAL] = "proposal", [TABLE_ENDED] = "ended",
	[TABLE_META] = "meta", [TABLE_GONE] = "gone",
};
static const char verifier_word[] = "verifier";

static enum err
make_keys(struct profile_db *db, const struct key *profile_key)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < TABLE_SEALED__COUNT; i++)
		if ((e = key_new(&db->keys[i])) == OK)
			derive(profile_key, "memories/profile-table/v1", (struct span){ (const uint8_t *)names[i], strlen(names[i]) }, db->keys[i]);
	if (e != OK || (e = key_new(&db->set_key)) != OK || (e = key_new(&db->same_key)) != OK)
		return e;
	derive(profile_key, "memories/profile-set/v1", (struct span){ NULL, 0 }, db->set_key);
	derive(profile_key, "memories/profile-same/v1", (struct span){ NULL, 0 }, db->same_key);
	return OK;
}

static enum err
load_fact(struct profile_db *db, struct span key, struct span plain)
{
	struct wire_in in = wire_in(key.p, key.len);
	struct uuid fact = wire_take_id(&in);
	struct profile_fact f;

	if (!wire_done(&in) || !profile_fact_take(plain, fact, &f))
		return ERR_STORAGE_CORRUPT;
	f.sensitive = db->sensitive(&f);
	return profile_book_put_fact(&db->book, &f);
}

static enum err
load_share(struct profile_db *db, struct span key, struct span plain)
{
	struct wire_in in = wire_in(key.p, key.len);
	struct uuid connection = wire_take_id(&in), fact = wire_take_id(&in);
	struct profile_share s;

	if (!wire_done(&in) || !profile_share_take(plain, connection, fact, &s))
		return ERR_STORAGE_CORRUPT;
	return profile_book_put_share(&db->book, &s);
}

static enum err
load_proposal(struct profile_db *db, struct span key, struct span plain)
{
	struct wire_in in = wire_in(key.p, key.len);
	struct uuid proposal = wire_take_id(&in);
	struct profile_proposal p;

	if (!wire_done(&in) || !profile_proposal_take(plain, proposal, &p))
		return ERR_STORAGE_CORRUPT;
	return profile_book_put_proposal(&db->book, &p);
}

static enum err
load_ended(struct profile_db *db, struct span key, struct span plain)
{
	struct wire_in in = wire_in(key.p, key.len);
	struct uuid connection = wire_take_id(&in);
	struct span same = wire_take_raw(&in, PROFILE_SAME_LEN);
	struct profile_ended x;

	if (!wire_done(&in) || !profile_ended_take(plain, connection, same.p, &x))
		return ERR_STORAGE_CORRUPT;
	return profile_book_put_ended(&db->book, &x);
}

static enum err
keep_verifier(struct profile_db *db, struct span v)
{
	uint8_t *kept = NULL;

	if (v.len > 0 && (kept = search_memory_take(db->book.memory, v.len)) == NULL)
		return ERR_NO_MEMORY;
	if (v.len > 0)
		memcpy(kept, v.p, v.len);
	search_memory_give(db->book.memory, db->verifier, db->verifier_len);
	db->verifier = kept;
	db->verifier_len = v.len;
	return OK;
}

static enum err
load_meta(struct profile_db *db, struct span key, struct span plain)
{
	struct wire_in in = wire_in(plain.p, plain.len);
	bool is_ours = wire_take_u8(&in) == 1 && key.len == sizeof verifier_word - 1 && memcmp(key.p, verifier_word, key.len) == 0;
	struct span v = wire_take_span(&in, PROFILE_VERIFIER_MAX);

	return is_ours && wire_done(&in) ? keep_verifier(db, v) : ERR_STORAGE_CORRUPT;
}

static enum err
load_tables(struct profile_db *db)
{
	static enum err (*const each[TABLE_SEALED__COUNT])(struct profile_db *, struct span, struct span) = {
		[TABLE_FACT] = load_fact, [TABLE_SHARE] = load_share, [TABLE_PROPOSAL] = load_proposal,
		[TABLE_ENDED] = load_ended, [TABLE_META] = load_meta,
	};
	uint8_t kept[32] = { 0 }, found[32] = { 0 };
	enum err e = profile_rows_read_state(db, kept);

	if (e != OK && e != ERR_NOT_FOUND)
		return e;
	for (unsigned i = 0; i < TABLE_SEALED__COUNT; i++)
		if ((e = profile_rows_load(db, (enum profile_table)i, found, each[i])) != OK)
			return e;
	memcpy(db->set, found, sizeof found);
	return same_bytes(kept, found, sizeof found) ? OK : ERR_STORAGE_CORRUPT;
}

/* All of it from the disk, in the place of what was in memory. */
static enum err
load(struct profile_db *db)
{
	struct wall_ms clock = db->clock;
	uint64_t change = db->change;
	enum err e;

	profile_book_free(&db->book);
	db->verifier = NULL;
	db->verifier_len = 0;
	if ((e = profile_book_new(&db->book)) != OK || (e = env_look(db->env)) != OK)
		return e;
	e = load_tables(db);
	env_release(db->env);
	if (db->clock.ms < clock.ms)
		db->clock = clock;
	/* What was never committed may have been looked at under this number. */
	if (db->change <= change)
		db->change = change + 1;
	return e;
}

static enum err
next_gone(struct profile_db *db, struct uuid *out)
{
	static const uint8_t least[1];
	struct env_row row;
	struct wire_in in;
	enum err e;

	if ((e = env_look(db->env)) != OK)
		return e;
	if ((e = env_seek(db->env, TABLE_GONE, (struct span){ least, 1 }, &row)) == OK) {
		in = wire_in(row.key.p, row.key.len);
		*out = wire_take_id(&in);
		if (!wire_done(&in))
			e = ERR_STORAGE_CORRUPT;
	}
	env_release(db->env);
	return e;
}

/* What belongs to connections that ended while it was closed. */
static enum err
remove_gone(struct profile_db *db)
{
	struct uuid connection;
	enum err e;

	while ((e = next_gone(db, &connection)) == OK) {
		profile_db_remove_connection(db, connection);
		db->changed = true;
		if (db->failed == OK && (db->failed = env_begin(db->env)) == OK)
			db->failed = env_delete(db->env, TABLE_GONE, (struct span){ connection.b, UUID_LEN });
		if ((e = profile_db_commit(db)) != OK)
			return e;
	}
	return e == ERR_NOT_FOUND ? OK : e;
}

enum err
profile_db_open(const char *dir, const struct key *profile_key, profile_sensitive *sensitive, struct profile_db **out)
{
	struct profile_db *db = calloc(1, sizeof *db);
	enum err e;

	if (db == NULL)
		return ERR_NO_MEMORY;
	db->sensitive = sensitive;
	if ((e = make_keys(db, profile_key)) != OK || (e = secret_new(PROFILE_ROW_MAX, &db->plain)) != OK ||
	    (e = env_open(dir, names, TABLE__COUNT, &db->env)) != OK || (e = load(db)) != OK || (e = remove_gone(db)) != OK) {
		profile_db_close(&db);
		return e;
	}
	*out = db;
	return OK;
}

void
profile_db_close(struct profile_db **db)
{
	struct profile_db *d = *db;

	if (d == NULL)
		return;
	profile_book_free(&d->book);
	for (size_t i = 0; i < TABLE_SEALED__COUNT; i++)
		key_free(&d->keys[i]);
	key_free(&d->set_key);
	key_free(&d->same_key);
	secret_free(&d->plain);
	env_close(&d->env);
	free(d);
	*db = NULL;
}

enum err
profile_db_note_gone(const char *dir, struct uuid connection)
{
	static const uint8_t one = 1;
	struct env *env = NULL;
	enum err e;

	if ((e = env_open(dir, names, TABLE__COUNT, &env)) != OK)
		return e;
	if ((e = env_begin(env)) == OK &&
	    (e = env_put(env, TABLE_GONE, (struct span){ connection.b, UUID_LEN }, (struct span){ &one, 1 }, NULL)) == OK)
		e = env_commit(env);
	env_close(&env);
	return e;
}

enum err
profile_db_failure(const struct profile_db *db)
{
	return db->failure;
}

const struct profile_book *
profile_db_book(const struct profile_db *db)
{
	return &db->book;
}

uint64_t
profile_db_change(const struct profile_db *db)
{
	return db->change;
}

struct wall_ms
profile_db_now(struct profile_db *db)
{
	struct wall_ms now = clock_wall();

	if (now.ms > db->clock.ms)
		db->clock = now;
	return db->clock;
}

struct span
profile_db_verifier(const struct profile_db *db)
{
	return (struct span){ db->verifier, db->verifier_len };
}

void
profile_db_put_verifier(struct profile_db *db, struct span verifier)
{
	struct profile_key key = profile_key_of(verifier_word, sizeof verifier_word - 1, NULL, 0);
	struct wire_out row = profile_rows_room(db);

	wire_put_u8(&row, 1);
	wire_put_span(&row, verifier);
	profile_rows_put(db, TABLE_META, &key, &row);
	if (db->failed == OK)
		db->failed = keep_verifier(db, verifier);
}

void
profile_db_keep_clock(struct profile_db *db)
{
	db->changed = true;
}

enum err
profile_db_commit(struct profile_db *db)
{
	enum err e = db->failed;

	if (db->failure != OK)
		return db->failure;
	if (!db->changed)
		return OK;
	(void)profile_db_now(db);
	if (e == OK && (e = profile_rows_write_state(db)) == OK && (e = env_commit(db->env)) == OK)
		db->change++;
	db->changed = false;
	db->failed = OK;
	if (e == OK)
		return OK;
	env_abort(db->env);
	if ((db->failure = load(db)) != OK)
		profile_book_free(&db->book);
	return e;
}
