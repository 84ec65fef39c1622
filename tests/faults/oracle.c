#include <stdio.h>
#include <string.h>

#include "store/ban.h"
#include "store/vault_db.h"
#include "tests/faults/oracle.h"
#include "tests/faults/oracle_log.h"

#define PAGE 64

static bool
say(char why[ORACLE_WHY_MAX], const char *what, struct uuid id, enum err e)
{
	char text[UUID_TEXT_LEN + 1];

	uuid_text(id, text);
	snprintf(why, ORACLE_WHY_MAX, "%s %s: %s", what, text, err_code(e));
	return false;
}

/* The hash of all chunks of a revision that shows; each must be there. */
static enum err
hash_revision(struct vault_db *db, const struct revision_row *row, uint8_t out[SHA256_LEN])
{
	uint32_t n = row->deleted ? 0 : revision_n_chunks(row->bytes);
	uint8_t both[2 * SHA256_LEN] = { 0 };
	struct span chunk;
	enum err e;

	for (uint32_t i = 0; i < n; i++) {
		if ((e = vault_db_chunk(db, row->revision, i, &chunk)) != OK)
			return e;
		sha256(chunk.p, chunk.len, both + SHA256_LEN);
		sha256(both, sizeof both, both);
	}
	memcpy(out, both, SHA256_LEN);
	return OK;
}

struct visit {
	struct vault_db *db;
	bool (*each)(void *arg, struct uuid revision, const uint8_t hash[SHA256_LEN]);
	void  *arg;
	char  *why; /* ORACLE_WHY_MAX */
};

static bool
visit_asset(const struct visit *v, struct uuid vault, struct uuid asset)
{
	static struct revision_record revisions[PAGE];
	static struct revision_row rows[PAGE];
	uint8_t hash[SHA256_LEN];
	bool more;
	size_t n;
	enum err e;

	if ((e = vault_db_history(v->db, vault, asset, CLASSES_ALL, 0, PAGE, revisions, &n, &more)) != OK)
		return say(v->why, "history of asset", asset, e);
	for (size_t i = 0; i < n; i++)
		rows[i] = revisions[i].row;
	for (size_t i = 0; i < n; i++) {
		if ((e = hash_revision(v->db, &rows[i], hash)) != OK)
			return say(v->why, "a chunk of revision", rows[i].revision, e);
		if (!v->each(v->arg, rows[i].revision, hash))
			return say(v->why, "changed or too many: revision", rows[i].revision, OK);
	}
	return true;
}

static bool
visit_vault(const struct visit *v, struct uuid vault)
{
	static struct asset_page_row assets[PAGE];
	static struct uuid ids[PAGE];
	bool more = true;
	size_t n;
	enum err e;

	for (uint64_t at = 0; more; at += PAGE) {
		if ((e = vault_db_list_assets(v->db, vault, CLASSES_ALL, at, PAGE, assets, &n, &more)) != OK)
			return say(v->why, "assets of vault", vault, e);
		for (size_t i = 0; i < n; i++)
			ids[i] = assets[i].asset.asset;
		for (size_t i = 0; i < n; i++)
			if (!visit_asset(v, vault, ids[i]))
				return false;
	}
	return true;
}

/* Every revision that shows, in every vault. */
static bool
visit_all(const struct visit *v)
{
	static struct vault_row vaults[PAGE];
	bool more;
	size_t n;
	enum err e;

	if ((e = vault_db_list_vaults(v->db, 0, PAGE, vaults, &n, &more)) != OK)
		return say(v->why, "vaults", (struct uuid){ { 0 } }, e);
	for (size_t i = 0; i < n; i++)
		if (!visit_vault(v, vaults[i].vault))
			return false;
	return true;
}

static bool
learn_one(void *arg, struct uuid revision, const uint8_t hash[SHA256_LEN])
{
	struct known *k = arg;

	if (k->n == KNOWN_MAX)
		return false;
	k->rows[k->n].revision = revision;
	memcpy(k->rows[k->n++].hash, hash, SHA256_LEN);
	return true;
}

static bool
open_vault(const char *home, struct vault_db **db, char why[ORACLE_WHY_MAX])
{
	char dir[4096];
	enum err e;

	snprintf(dir, sizeof dir, "%s/vault", home);
	if ((e = vault_db_open(dir, db)) == OK)
		return true;
	snprintf(why, ORACLE_WHY_MAX, "the vault cannot be opened: %s", err_code(e));
	return false;
}

bool
oracle_learn(const char *home, struct known *known, char why[ORACLE_WHY_MAX])
{
	struct vault_db *db = NULL;
	bool fine = open_vault(home, &db, why) && visit_all(&(struct visit){ db, learn_one, known, why });

	vault_db_close(&db);
	return fine;
}

struct looking {
	const struct known  *known;
	const struct expect *expect;
	size_t               event;
	struct known         seen;
};

static bool
fact_holds(const struct expect *x, size_t event, enum fact_type type, struct uuid revision)
{
	for (size_t i = 0; i < x->n && x->facts[i].event <= event; i++)
		if (x->facts[i].type == type && uuid_equal(x->facts[i].revision, revision))
			return true;
	return false;
}

/* A revision shows only if it had been asked for by then or was there from the start, and as it is in the end. */
static bool
look_at(void *arg, struct uuid revision, const uint8_t hash[SHA256_LEN])
{
	struct looking *l = arg;
	bool begun = fact_holds(l->expect, l->event, FACT_BEGUN, revision);
	bool later = !begun && fact_holds(l->expect, SIZE_MAX, FACT_BEGUN, revision);

	for (size_t i = 0; i < l->known->n && !later; i++)
		if (uuid_equal(l->known->rows[i].revision, revision))
			return memcmp(l->known->rows[i].hash, hash, SHA256_LEN) == 0 && learn_one(&l->seen, revision, hash);
	return false;
}

static bool
has_seen(const struct known *k, struct uuid revision)
{
	for (size_t i = 0; i < k->n; i++)
		if (uuid_equal(k->rows[i].revision, revision))
			return true;
	return false;
}

static bool
check_vault(const char *home, const struct expect *x, size_t event, const struct known *known, char why[ORACLE_WHY_MAX])
{
	static struct looking l;
	struct vault_db *db = NULL;
	bool fine;

	l = (struct looking){ .known = known, .expect = x, .event = event };
	fine = open_vault(home, &db, why) && visit_all(&(struct visit){ db, look_at, &l, why });
	for (size_t i = 0; fine && i < x->n && x->facts[i].event <= event; i++)
		if (x->facts[i].type == FACT_ADDED && !has_seen(&l.seen, x->facts[i].revision))
			fine = say(why, "acknowledged and lost: revision", x->facts[i].revision, ERR_NOT_FOUND);
	vault_db_close(&db);
	return fine;
}

static bool
check_grants(struct grants_db *db, const struct expect *x, size_t event, char why[ORACLE_WHY_MAX])
{
	static struct grant_record g;

	for (size_t i = 0; i < x->n && x->facts[i].event <= event; i++) {
		const struct fact *f = &x->facts[i];
		bool revoking = false;
		enum err e;

		if (f->type != FACT_GRANTED && f->type != FACT_REVOKED)
			continue;
		for (size_t k = 0; k < x->n && x->facts[k].event <= event; k++)
			revoking = revoking || (x->facts[k].type == FACT_REVOKING && uuid_equal(x->facts[k].grant, f->grant));
		if ((e = grants_db_grant(db, f->grant, &g)) != OK)
			return say(why, "acknowledged and lost: grant", f->grant, e);
		if (f->type == FACT_REVOKED && !g.revoked)
			return say(why, "revoked and back: grant", f->grant, OK);
		if (f->type == FACT_GRANTED && g.revoked && !revoking)
			return say(why, "revoked by nobody: grant", f->grant, OK);
	}
	return true;
}

/* Of lock and resume the newest that was acknowledged holds, unless another had begun. */
static bool
check_lock(const char *home, bool in_log, const struct expect *x, size_t event, char why[ORACLE_WHY_MAX])
{
	enum fact_type newest = FACT_RESUMED;
	struct ban *ban = NULL;
	char path[4096];
	bool locked;
	enum err e;

	for (size_t i = 0; i < x->n && x->facts[i].event <= event; i++)
		if (x->facts[i].type >= FACT_LOCKING && x->facts[i].type <= FACT_RESUMED)
			newest = x->facts[i].type;
	snprintf(path, sizeof path, "%s/grants/ban", home);
	if ((e = ban_open(path, &ban)) != OK) {
		snprintf(why, ORACLE_WHY_MAX, "the ban file: %s", err_code(e));
		return false;
	}
	locked = in_log || ban_state(ban).manual_lock;
	ban_close(&ban);
	if ((newest == FACT_LOCKED && !locked) || (newest == FACT_RESUMED && locked)) {
		snprintf(why, ORACLE_WHY_MAX, "manual lock is %d after %s", locked, newest == FACT_LOCKED ? "lock" : "resume");
		return false;
	}
	return true;
}

bool
oracle_check(const char *home, const struct expect *x, size_t event, const struct known *known,
    char why[ORACLE_WHY_MAX])
{
	struct grants_db *db = NULL;
	struct library_record library;
	bool manual_lock = false, fine;
	char dir[4096];
	enum err e;

	snprintf(dir, sizeof dir, "%s/grants", home);
	if ((e = grants_db_open(dir, &db)) != OK || (e = grants_db_library(db, &library)) != OK) {
		snprintf(why, ORACLE_WHY_MAX, "the grants: %s", err_code(e));
		grants_db_close(&db);
		return false;
	}
	fine = check_grants(db, x, event, why);
	grants_db_close(&db);
	return fine && oracle_log_check(home, &library, x, event, &manual_lock, why) &&
	    check_lock(home, manual_lock, x, event, why) && check_vault(home, x, event, known, why);
}
