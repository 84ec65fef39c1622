#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "store/grants_db_tokens.h"
#include "store/profile_db.h"
#include "tests/faults/remote_run.h"

#define N_CHANGES 8
#define N_FACTS   3

static void
path_of(const struct remote_run *r, const char *name, char out[320])
{
	snprintf(out, 320, "%s/%s", r->home, name);
}

static void
begin(struct remote_run *r, enum remote_part part)
{
	r->begun[part] = r->done[part] + 1;
	if (r->step != NULL)
		r->step(r);
}

/* What a step came to. */
static bool
end(struct remote_run *r, enum remote_part part, enum err e)
{
	r->internal = r->internal || e == ERR_INTERNAL;
	if (e != OK)
		return false;
	r->done[part]++;
	if (r->step != NULL)
		r->step(r);
	return true;
}

/* The profile */

static bool
never_sensitive(const struct profile_fact *f)
{
	(void)f;
	return false;
}

/* Secret memory does not outlive a fork, so each process makes the key anew. */
static enum err
open_profile(const struct remote_run *r, struct key **key, struct profile_db **db)
{
	static const uint8_t bytes[KEY_LEN] = { 7 };
	char path[320];
	enum err e = *key != NULL ? OK : key_of(bytes, key);

	path_of(r, "profile", path);
	return e != OK ? e : profile_db_open(path, *key, never_sensitive, db);
}

static struct uuid
id_of(uint8_t what, unsigned n)
{
	return (struct uuid){ { what, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, (uint8_t)n } };
}

/* Step g: the fact of its turn is at version g + 1, and shared or not any more; a proposal comes or goes. */
static enum err
change(struct profile_db *db, unsigned g)
{
	struct span text = { (const uint8_t *)"text", 4 };
	struct profile_fact f = { .fact = id_of(1, g % N_FACTS), .revision = id_of(2, g), .version = g + 1,
		.category = CATEGORY_HABIT, .created = { 1000 }, .updated = { 1000 + g }, .label = text, .value = text,
		.evidence = text };
	struct profile_share s = { .connection = id_of(3, 1), .fact = f.fact, .revision = f.revision };
	struct profile_proposal p = { .proposal = id_of(4, 1), .connection = s.connection, .op = PROFILE_ADD,
		.category = CATEGORY_GOAL, .label = text, .value = text, .created = { 5 }, .expires = { 6 } };

	profile_db_put_fact(db, &f);
	if (g % 2 == 0) {
		profile_db_put_share(db, &s);
		profile_db_put_proposal(db, &p);
	} else {
		profile_db_remove_share(db, s.connection, id_of(1, (g - 1) % N_FACTS));
		profile_db_remove_proposal(db, p.proposal);
	}
	return profile_db_commit(db);
}

/* How many steps the database holds; ~0: it holds no whole number of them. */
static unsigned
n_changes(const struct profile_db *db)
{
	const struct profile_book *b = profile_db_book(db);
	unsigned n = 0;

	for (size_t i = 0; i < b->n_facts; i++)
		n = b->facts[i]->version > n ? (unsigned)b->facts[i]->version : n;
	if (b->n_facts != (n < N_FACTS ? n : N_FACTS) || b->n_shares != n % 2 || b->n_proposals != n % 2)
		return ~0u;
	for (size_t i = 0; i < b->n_facts; i++)
		if (n - b->facts[i]->version >= N_FACTS)
			return ~0u;
	return n;
}

static void
use_profile(struct remote_run *r)
{
	struct profile_db *db = NULL;
	struct key *key = NULL;
	enum err e = open_profile(r, &key, &db);

	r->internal = r->internal || e == ERR_INTERNAL;
	for (unsigned g = 0; e == OK && g < N_CHANGES; g++) {
		begin(r, REMOTE_PROFILE);
		if (end(r, REMOTE_PROFILE, e = change(db, g)) || profile_db_failure(db) != OK)
			continue;
		/* It goes on with what is on the disk: the last step as a whole, or not at all. */
		r->shows_otherwise = n_changes(db) != g && n_changes(db) != g + 1;
	}
	profile_db_close(&db);
	key_free(&key);
}

static bool
check_profile(const struct remote_run *r, unsigned *n, enum err *e)
{
	struct profile_db *db = NULL;
	struct key *key = NULL;

	*e = open_profile(r, &key, &db);
	*n = *e == OK ? n_changes(db) : ~0u;
	profile_db_close(&db);
	key_free(&key);
	return *e == OK;
}

/* The connection */

static const struct moment now = { .now = { 86400000000 } };

static void
hash_of(uint8_t what, uint8_t n, uint8_t out[SHA256_LEN])
{
	memset(out, 0, SHA256_LEN);
	out[0] = what;
	out[1] = n;
}

static enum err
consent(struct grants_db *db)
{
	struct connection_consent c = { .connection = id_of(9, 1), .client = { 1 },
		.scopes = 1u << SCOPE_READ | 1u << SCOPE_SEARCH, .categories = 1u << CATEGORY_HABIT };

	hash_of('c', 1, c.code);
	return grants_db_consent(db, &c, &now);
}

static enum err
redeem(struct grants_db *db)
{
	struct code_offer o = { .client = { 1 } };
	struct token_outcome out;
	enum err e;

	hash_of('c', 1, o.code);
	hash_of('a', 1, o.access);
	hash_of('r', 1, o.refresh);
	e = grants_db_redeem(db, &o, &now, &out);
	return e != OK ? e : out.error;
}

/* The n-th rotation; of a spent one: the replay, which is to end the connection. */
static enum err
rotate(struct grants_db *db, uint8_t from, bool is_replay)
{
	struct refresh_offer o = { .client = { 1 } };
	struct token_outcome out;
	enum err e;

	hash_of('r', from, o.token);
	hash_of('a', (uint8_t)(from + 1 + 10 * is_replay), o.access);
	hash_of('r', (uint8_t)(from + 1 + 10 * is_replay), o.refresh);
	if ((e = grants_db_refresh(db, &o, &now, &out)) != OK)
		return e;
	return is_replay ? (out.ended ? OK : ERR_INTERNAL) : out.error;
}

enum { CONSENTED = 1, REDEEMED, ROTATED, ROTATED_TWICE, REDUCED, REPLAYED };

static enum err
take_step(struct grants_db *db, unsigned step)
{
	switch (step) {
	case CONSENTED:
		return consent(db);
	case REDEEMED:
		return redeem(db);
	case ROTATED:
	case ROTATED_TWICE:
		return rotate(db, (uint8_t)(step - REDEEMED), false);
	case REDUCED:
		return grants_db_reduce(db, id_of(9, 1), 1u << SCOPE_READ, 1u << CATEGORY_HABIT, &now);
	case REPLAYED:
		return rotate(db, 1, true);
	}
	return ERR_INTERNAL;
}

static enum err
open_grants(const struct remote_run *r, struct grants_db **db)
{
	char path[320];

	path_of(r, "grants", path);
	return grants_db_open(path, db);
}

static void
use_connection(struct remote_run *r)
{
	struct grants_db *db = NULL;
	enum err e = open_grants(r, &db);

	r->internal = r->internal || e == ERR_INTERNAL;
	for (unsigned step = CONSENTED; e == OK && step <= REPLAYED; step++) {
		begin(r, REMOTE_CONNECTION);
		(void)end(r, REMOTE_CONNECTION, e = take_step(db, step));
	}
	grants_db_close(&db);
}

/* How many access tokens live, which have to be the first ones; ~0: there is a gap, or one that nobody made. */
static unsigned
n_access(struct grants_db *db)
{
	struct token_use use;
	uint8_t hash[SHA256_LEN];
	unsigned n = 0, all = 0;

	for (uint8_t i = 1; i < 16; i++) {
		hash_of('a', i, hash);
		if (grants_db_access(db, hash, &now, &use) != OK)
			continue;
		all++;
		n += i == n + 1;
	}
	return all == n ? n : ~0u;
}

/* How many steps the database holds; ~0: it holds no whole number of them. */
static unsigned
n_steps(struct grants_db *db, enum err *e)
{
	static struct connection_record c;
	unsigned n = n_access(db);

	*e = grants_db_connection(db, id_of(9, 1), &c);
	if (*e == ERR_NOT_FOUND) {
		*e = OK;
		return n == 0 ? 0 : ~0u;
	}
	if (*e != OK)
		return ~0u;
	if (c.ended.ms != 0)
		return n == 0 && c.end == CONNECTION_REPLAYED ? REPLAYED : ~0u;
	if (c.scopes == 1u << SCOPE_READ)
		return n == 3 ? REDUCED : ~0u;
	return n <= 3 ? CONSENTED + n : ~0u;
}

static bool
check_connection(const struct remote_run *r, unsigned *n, enum err *e)
{
	struct grants_db *db = NULL;

	*n = ~0u;
	if ((*e = open_grants(r, &db)) == OK)
		*n = n_steps(db, e);
	grants_db_close(&db);
	return *e == OK;
}

enum err
remote_run_make(struct remote_run *r)
{
	static const char *const names[] = { "", "profile", "grants" };
	struct profile_db *profile = NULL;
	struct grants_db *grants = NULL;
	struct key *key = NULL;
	char path[320];
	enum err e;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		path_of(r, names[i], path);
		if (mkdir(path, 0700) != 0)
			return ERR_STORAGE_FAILED;
	}
	if ((e = open_profile(r, &key, &profile)) == OK)
		e = open_grants(r, &grants);
	grants_db_close(&grants);
	profile_db_close(&profile);
	key_free(&key);
	return e;
}

void
remote_run_go(struct remote_run *r)
{
	use_profile(r);
	use_connection(r);
}

bool
remote_run_check(const struct remote_run *r, char why[REMOTE_WHY_MAX])
{
	static const char *const names[REMOTE__PARTS] = { "profile", "connection" };
	unsigned n[REMOTE__PARTS];
	enum err e[REMOTE__PARTS];

	if (!check_profile(r, &n[REMOTE_PROFILE], &e[REMOTE_PROFILE]) ||
	    !check_connection(r, &n[REMOTE_CONNECTION], &e[REMOTE_CONNECTION])) {
		snprintf(why, REMOTE_WHY_MAX, "the %s cannot be opened: %s", e[REMOTE_PROFILE] != OK ? "profile" : "grants",
		    err_code(e[REMOTE_PROFILE] != OK ? e[REMOTE_PROFILE] : e[REMOTE_CONNECTION]));
		return false;
	}
	for (size_t i = 0; i < REMOTE__PARTS; i++)
		if (n[i] < r->done[i] || n[i] > r->begun[i]) {
			snprintf(why, REMOTE_WHY_MAX, "%s: step %d after %u were done and %u begun", names[i], (int)n[i], r->done[i],
			    r->begun[i]);
			return false;
		}
	return true;
}
