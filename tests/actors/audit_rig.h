/* audit_rig: the audit actor in a directory of its own, its disk watched, and short ways to bring it to a state. */
#ifndef TESTS_ACTORS_AUDIT_RIG_H
#define TESTS_ACTORS_AUDIT_RIG_H

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/audit.h"
#include "actors/settings.h"
#include "escrow/random.h"
#include "escrow/ticket.h"
#include "store/log.h"
#include "store/log_commit.h"
#include "store/log_head.h"
#include "store/log_io.h"
#include "store/log_read.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

static struct {
	struct settings settings;
	struct rig     *r;
	struct signer  *log_key;
	struct uuid     library, epoch;
	uint8_t         epoch_public[32];
} a;

/* The disk, and what the actor would have told its host. */
static struct {
	int      sync_errno;
	int      n_syncs;
	enum err failed_with;
	bool     stopped;
} world;

void host_fail(enum err e);
void host_stop(void);

void
host_stop(void)
{
	world.stopped = true;
}

void
host_fail(enum err e)
{
	world.failed_with = e;
}

static inline int
watched_fdatasync(int fd)
{
	world.n_syncs++;
	errno = world.sync_errno;
	return world.sync_errno != 0 ? -1 : fdatasync(fd);
}

static const struct log_io watched = { .pread = pread, .pwrite = pwrite, .fdatasync = watched_fdatasync, .fsync = fsync,
	.fallocate = fallocate };

static inline struct uuid
id(uint8_t what)
{
	struct uuid u;

	memset(u.b, what, UUID_LEN);
	return u;
}

static inline void
start(void)
{
	assert_int_equal(rig_open(&audit_actor, &a.settings, &a.r), OK);
}

static inline int
setup(void **state)
{
	(void)state;
	memset(&world, 0, sizeof world);
	rig_dir_make();
	if (mkdir("audit", 0700) != 0 || signer_new(&a.log_key) != OK)
		return -1;
	log_io_replace(&watched);
	a.settings = (struct settings){ .log_first_segment = 1 << 20, .log_segment = 1 << 20, .weakened = "" };
	a.library = id(0x51);
	start();
	return 0;
}

static inline int
teardown(void **state)
{
	(void)state;
	rig_close(&a.r);
	signer_free(&a.log_key);
	log_io_replace(NULL);
	rig_dir_remove();
	return 0;
}

static inline void
restart(void)
{
	rig_close(&a.r);
	start();
}

static inline void
anchor(enum actor from, uint64_t size, const uint8_t *root)
{
	struct head_body b = { .size = size };

	if (root != NULL)
		memcpy(b.root, root, sizeof b.root);
	assert_int_equal(rig_deliver(a.r, from == ACTOR_VAULT ? MSG_VAULT_ANCHOR : MSG_GRANTS_ANCHOR, from, 0, &b), OK);
}

static inline void
expect_heads(void)
{
	assert_non_null(rig_expect(a.r, MSG_VAULT_HEAD));
	assert_non_null(rig_expect(a.r, MSG_GRANTS_HEAD));
}

/* The library is known: the log is opened and says its epoch. Vault and grants know of none before. */
static inline void
open_log(void)
{
	struct library_body library = { .library = a.library };
	const union any_body *b;

	anchor(ACTOR_VAULT, 0, NULL);
	anchor(ACTOR_GRANTS, 0, NULL);
	memcpy(library.log_public, signer_public(a.log_key), 32);
	assert_int_equal(rig_deliver(a.r, MSG_LIBRARY, ACTOR_GRANTS, 0, &library), OK);
	assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
	a.epoch = b->epoch.epoch;
	memcpy(a.epoch_public, b->epoch.epoch_public, 32);
	assert_non_null(rig_expect(a.r, MSG_LOG_BAN));
	expect_heads();
}

static inline void
say_certificate(void)
{
	struct certificate_body body;
	uint8_t buf[CERT_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct cert c;

	cert_make(a.log_key, NULL, CERT_EPOCH, a.epoch, a.epoch_public, &c);
	cert_put(&o, &c);
	body.certificate = wire_written(&o);
	assert_int_equal(rig_deliver(a.r, MSG_EPOCH_CERTIFIED, ACTOR_KEYRING, 0, &body), OK);
	assert_int_equal(rig_batch(a.r), OK);
}

static inline void
certify(void)
{
	say_certificate();
	assert_true(rig_silent(a.r));
}

static inline void
open_and_certify(void)
{
	open_log();
	certify();
}

static inline struct intent_body
an_intent(uint8_t n)
{
	static uint8_t ticket[100];

	memset(ticket, n, sizeof ticket);
	return (struct intent_body){ .type = LOG_INTENT, .surface = SURFACE_CLI, .subject_kind = LOG_GRANT_ID, .subject = id(0x41),
		.op = OP_READ, .vault = id(0x11), .asset = id(0x21), .revision = id(0x31), .length = 10, .n_chunks = 1,
		.ticket = { ticket, sizeof ticket } };
}

static inline enum err
intend(uint64_t ask_id)
{
	struct intent_body i = an_intent((uint8_t)ask_id);

	return rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, ask_id, &i);
}

static inline enum err
refused(uint64_t ask_id)
{
	const union any_body *b = rig_expect(a.r, MSG_INTENT_REFUSED);

	assert_non_null(b);
	assert_int_equal(rig_ask_id(a.r), ask_id);
	return (enum err)b->refusal.error;
}

static inline struct log_state_body
log_state_of(void)
{
	const union any_body *b;

	assert_int_equal(rig_deliver(a.r, MSG_LOG_STATE_WANTED, ACTOR_GATE, 1, &(struct nothing_body){ 0 }), OK);
	assert_non_null(b = rig_expect(a.r, MSG_LOG_STATE));
	return b->log_state;
}

static inline uint64_t
records_on_disk(void)
{
	struct log_verify_options o = { .dir = "audit", .full = true };
	struct log_verdict v;

	assert_int_equal(log_verify(&o, &v), OK);
	assert_true(v.valid);
	return v.size;
}

/* Grants tells an event; and the log's word for it. */
static inline enum err
tell(uint64_t ask_id, const struct event_body *b)
{
	return rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, ask_id, b);
}

static inline enum err
kept(uint64_t ask_id)
{
	const union any_body *b = rig_expect(a.r, MSG_EVENT_KEPT);

	assert_non_null(b);
	assert_int_equal(rig_ask_id(a.r), ask_id);
	return (enum err)b->result.error;
}

#define AUDIT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
