#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/ban.h"
#include "store/grants_db.h"
#include "store/log.h"
#include "store/vault_db.h"
#include "tests/faults/store_run.h"

#define SEGMENT 65536
#define N_ASSETS 3

/* Secret memory does not outlive a fork, so each process makes it anew from the same seed. */
static struct signer *log_key;

static enum err
make_key(struct store_run *r)
{
	static const uint8_t seed[KEY_LEN] = { 7 };
	struct key *k = NULL;
	enum err e;

	if ((e = key_of(seed, &k)) == OK && (e = signer_of_seed(k, &log_key)) == OK)
		memcpy(r->log_public, signer_public(log_key), sizeof r->log_public);
	key_free(&k);
	return e;
}

static struct uuid
id_of(uint8_t what, uint8_t n)
{
	return (struct uuid){ { what, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, n } };
}

static void
path_of(const struct store_run *r, const char *name, char out[320])
{
	snprintf(out, 320, "%s/%s", r->home, name);
}

static void
say(struct store_run *r, struct fact f)
{
	f.event = 1;
	if (r->n_facts < STORE_FACTS_MAX)
		r->facts[r->n_facts++] = f;
}

static bool
went_well(struct store_run *r, enum err e)
{
	r->internal = r->internal || e == ERR_INTERNAL;
	return e == OK;
}

static enum err
seal_nothing(void *arg, uint8_t **bytes, size_t *len)
{
	(void)arg;
	*len = 4;
	return (*bytes = calloc(1, 4)) == NULL ? ERR_NO_MEMORY : OK;
}

static bool
unseal_nothing(void *arg, struct span bytes)
{
	(void)arg;
	return bytes.len == 4;
}

static enum err
open_log(struct store_run *r, struct log **log)
{
	char dir[320];
	struct log_settings s = { .dir = dir, .library = r->library, .log_public = r->log_public,
	    .first_segment_bytes = SEGMENT, .segment_bytes = SEGMENT, .seal = seal_nothing, .unseal = unseal_nothing };

	path_of(r, "audit", dir);
	return log_open(&s, log);
}

static enum err
certify(struct log *log)
{
	struct cert c;

	cert_make(log_key, NULL, CERT_EPOCH, log_epoch(log), log_epoch_public(log), &c);
	return log_epoch_certify(log, &c);
}

static struct grant_record
grant_of(uint8_t n)
{
	struct grant_record g = { .grant = id_of(0x40, n), .type = GRANT_UNATTENDED, .revision = 1,
		.life = { .created = { 1000 } }, .classes = 1, .n_vaults = 1 };

	memset(g.token_hash, n, sizeof g.token_hash);
	g.vaults[0].vault = id_of(0x10, 1);
	g.vaults[0].classes = 1;
	return g;
}

static enum err
make_databases(struct store_run *r)
{
	struct library_record library = { .library = r->library, .created = { 1000 } };
	struct vault_row vault = { .vault = id_of(0x10, 1), .active = true, .created = { 1000 },
	    .name_revision = id_of(0x70, 99), .name_len = 50 };
	struct grant_record g = grant_of(1);
	struct grants_db *grants = NULL;
	struct vault_db *db = NULL;
	struct ban *ban = NULL;
	char path[320];
	enum err e;

	memcpy(library.log_public, r->log_public, sizeof library.log_public);
	path_of(r, "grants", path);
	if ((e = grants_db_open(path, &grants)) == OK && (e = grants_db_init_library(grants, &library)) == OK)
		e = grants_db_add_grant(grants, &g);
	grants_db_close(&grants);
	path_of(r, "vault", path);
	if (e == OK && (e = vault_db_open(path, &db)) == OK && (e = vault_db_put_vault(db, &vault)) == OK)
		e = vault_db_commit(db);
	vault_db_close(&db);
	path_of(r, "grants/ban", path);
	if (e == OK && (e = ban_open(path, &ban)) == OK)
		ban_close(&ban);
	return e;
}

enum err
store_run_make(struct store_run *r)
{
	static const char *const names[] = { "", "audit", "vault", "grants" };
	const struct log_receipt *receipt;
	struct log *log = NULL;
	char path[320];
	enum err e;

	r->library = id_of(0x50, 1);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		path_of(r, names[i], path);
		if (mkdir(path, 0700) != 0)
			return ERR_STORAGE_FAILED;
	}
	if ((e = make_key(r)) != OK || (e = make_databases(r)) != OK || (e = open_log(r, &log)) != OK)
		return e;
	if ((e = certify(log)) == OK)
		e = log_commit(log, &receipt);
	log_close(&log);
	signer_free(&log_key);
	return e;
}

/* A group of intents; once durable, each is a delivery. */
static bool
deliver(struct store_run *r, struct log *log, size_t n)
{
	const struct log_receipt *receipt;
	size_t had = r->n_facts;
	uint32_t n_failed = r->n_failed != NULL ? *r->n_failed : 0;
	struct fact facts[128];
	bool fine = true;

	for (size_t i = 0; i < n && fine; i++) {
		struct log_record rec = { .type = LOG_INTENT, .surface = SURFACE_CLI, .subject_kind = LOG_GRANT_ID,
		    .subject = id_of(0x40, 1), .op = OP_READ, .vault = id_of(0x10, 1), .asset = id_of(0x20, (uint8_t)i),
		    .revision = id_of(0x30, (uint8_t)(had + i)), .offset = i, .length = 100 + i, .n_chunks = 1, .reason = "" };

		facts[i] = (struct fact){ .type = FACT_DELIVERED, .asset = rec.asset, .revision = rec.revision,
		    .offset = rec.offset, .length = rec.length };
		fine = went_well(r, log_append(log, &rec, &facts[i].index));
	}
	if (!fine || !went_well(r, log_commit(log, &receipt))) {
		struct log_record more = { .type = LOG_LOCK, .subject_kind = LOG_DAEMON, .reason = "" };

		r->unlatched = r->unlatched || (fine && log_append(log, &more, &facts[0].index) == OK);
		return false;
	}
	r->unlatched = r->unlatched || (r->n_failed != NULL && *r->n_failed != n_failed);
	for (size_t i = 0; i < n; i++)
		say(r, facts[i]);
	return true;
}

static void
rotate(struct store_run *r, struct log *log)
{
	const uint8_t *public_key;
	struct uuid epoch;
	struct cert c;

	if (!went_well(r, log_epoch_next(log, &epoch, &public_key)))
		return;
	cert_make(log_key, NULL, CERT_EPOCH, epoch, public_key, &c);
	(void)went_well(r, log_epoch_rotate(log, &c));
}

static void
use_log(struct store_run *r)
{
	const struct log_receipt *receipt;
	struct log *log = NULL;

	if (!went_well(r, open_log(r, &log)))
		return;
	if (went_well(r, certify(log)) && went_well(r, log_commit(log, &receipt))) {
		deliver(r, log, 3);
		while (log_failure(log) == OK && log_tend(log))
			;
		rotate(r, log);
		/* On into the next segment. */
		for (size_t i = 0; i < 3; i++)
			deliver(r, log, 60);
		deliver(r, log, 1);
	}
	log_close(&log);
}

/* The one chunk of an asset, and the hash that the oracle will find. */
static struct span
chunk_of(uint8_t n, struct known *known)
{
	static uint8_t bytes[20000];
	uint8_t both[2 * SHA256_LEN] = { 0 };

	memset(bytes, n + 1, sizeof bytes);
	sha256(bytes, sizeof bytes, both + SHA256_LEN);
	sha256(both, sizeof both, known->rows[known->n].hash);
	known->rows[known->n++].revision = id_of(0x70, n);
	return (struct span){ bytes, sizeof bytes };
}

static bool
add_asset(struct store_run *r, struct vault_db *db, uint8_t n)
{
	static const uint8_t head[SEALED_HEAD_LEN] = { 1 }, title[60] = { 2 }, meta[90] = { 3 };
	struct new_revision rev = {
		.row = { .vault = id_of(0x10, 1), .asset = id_of(0x20, n), .revision = id_of(0x70, n), .kind = KIND_FILE,
		    .key_class = CLASS_FILE, .bytes = 20000 - 40, .created = { 2000 }, .asset_created = { 1500 } },
		.sealed_head = { head, sizeof head }, .sealed_title = { title, sizeof title },
		.sealed_meta = { meta, sizeof meta } };
	struct span chunk = chunk_of(n, &r->known);

	say(r, (struct fact){ .type = FACT_BEGUN, .revision = rev.row.revision });
	if (!went_well(r, vault_db_stage_chunk(db, rev.row.revision, 0, chunk)) ||
	    !went_well(r, vault_db_commit(db)) || !went_well(r, vault_db_publish(db, &rev)) ||
	    !went_well(r, vault_db_commit(db)))
		return false;
	say(r, (struct fact){ .type = FACT_ADDED, .vault = rev.row.vault, .asset = rev.row.asset, .revision = rev.row.revision });
	return true;
}

static void
use_vault(struct store_run *r)
{
	struct vault_db *db = NULL;
	char path[320];

	path_of(r, "vault", path);
	if (!went_well(r, vault_db_open(path, &db)))
		return;
	for (uint8_t n = 0; n < N_ASSETS; n++)
		add_asset(r, db, n);
	vault_db_close(&db);
}

static void
use_grants(struct store_run *r)
{
	struct grant_record two = grant_of(2);
	struct uuid one = grant_of(1).grant;
	struct grants_db *db = NULL;
	char path[320];

	path_of(r, "grants", path);
	if (!went_well(r, grants_db_open(path, &db)))
		return;
	if (went_well(r, grants_db_add_grant(db, &two)))
		say(r, (struct fact){ .type = FACT_GRANTED, .grant = two.grant });
	say(r, (struct fact){ .type = FACT_REVOKING, .grant = one });
	if (went_well(r, grants_db_revoke(db, GRANT_UNATTENDED, one)))
		say(r, (struct fact){ .type = FACT_REVOKED, .grant = one });
	grants_db_close(&db);
}

static void
use_ban(struct store_run *r)
{
	struct ban *ban = NULL;
	char path[320];

	path_of(r, "grants/ban", path);
	say(r, (struct fact){ .type = FACT_LOCKING });
	if (!went_well(r, ban_open(path, &ban)))
		return;
	if (went_well(r, ban_set(ban, (struct ban_state){ .manual_lock = true })))
		say(r, (struct fact){ .type = FACT_LOCKED });
	ban_close(&ban);
}

void
store_run_go(struct store_run *r)
{
	if (went_well(r, make_key(r)))
		use_log(r);
	signer_free(&log_key);
	use_vault(r);
	use_grants(r);
	use_ban(r);
}
