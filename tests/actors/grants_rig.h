/* grants_rig: the grants actor in a home of its own, and short ways to bring it to a state. */
#ifndef TESTS_ACTORS_GRANTS_RIG_H
#define TESTS_ACTORS_GRANTS_RIG_H

#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>

#include "actors/grants.h"
#include "actors/grants_state.h"
#include "escrow/binding.h"
#include "tests/support/check.h"
#include "tests/support/disk.h"
#include "tests/support/rig.h"

struct grants_rig {
	struct rig     *r;
	struct settings settings;
	struct uuid     library, vault, grant;
	uint8_t         token_id[32];
	struct peer_body peer;
	uint64_t        n_asks;
};

static inline struct uuid
grants_rig_id(uint8_t what)
{
	struct uuid id;

	memset(id.b, what, UUID_LEN);
	return id;
}

static inline struct grants *
grants_rig_self(const struct grants_rig *g)
{
	return rig_self(g->r);
}

static inline int
grants_rig_setup(void **state)
{
	static struct grants_rig g;

	g = (struct grants_rig){ .settings = { .home = "/home/ada", .weakened = "" }, .library = grants_rig_id(0x51),
		.vault = grants_rig_id(0x11), .grant = grants_rig_id(0x41), .token_id = { 9, 9, 9 },
		.peer = { .uid = 1000, .pid = 77, .session = 70, .terminal = 0x8801, .leader_start = 5 } };
	fake_clock_set(1764496800000, 1000000);
	rig_dir_make();
	assert_int_equal(mkdir("grants", 0700), 0);
	assert_int_equal(rig_open(&grants_actor, &g.settings, &g.r), OK);
	*state = &g;
	return 0;
}

static inline int
grants_rig_teardown(void **state)
{
	struct grants_rig *g = *state;

	rig_close(&g->r);
	rig_dir_remove();
	fake_clock_off();
	return 0;
}

static inline void
grants_rig_restart(struct grants_rig *g)
{
	rig_close(&g->r);
	assert_int_equal(rig_open(&grants_actor, &g->settings, &g->r), OK);
}

static inline enum err
grants_rig_say(struct grants_rig *g, enum msg type, const void *body)
{
	return rig_deliver(g->r, type, msg_row(type)->from, ++g->n_asks, body);
}

/* The answer that an owner's command must have now, with nothing else waiting. */
static inline enum err
grants_rig_end(struct grants_rig *g)
{
	const union any_body *b;
	enum err e = OK;

	if (rig_next(g->r) == MSG_ASK_DENIED) {
		b = rig_expect(g->r, MSG_ASK_DENIED);
		e = (enum err)b->refusal.error;
	} else if (rig_expect(g->r, MSG_COMMAND_DONE) == NULL) {
		fail_msg("%s came instead of an end", msg_name(rig_next(g->r)));
	}
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	return e;
}

static inline void
grants_rig_init(struct grants_rig *g)
{
	struct library_init_body b = { .peer = g->peer, .library = g->library, .device = grants_rig_id(0x52),
		.kdf = { .passes = 3, .memory_kib = 4096 } };

	assert_int_equal(grants_rig_say(g, MSG_INIT_WANTED, &b), OK);
	rig_forget(g->r);
}

static inline void
grants_rig_keyring(struct grants_rig *g, bool unlocked, bool loaded)
{
	struct keyring_state_body s = { .unlocked = unlocked, .loaded = loaded };

	rig_edge(g->r, ACTOR_KEYRING, true);
	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &s), OK);
	rig_forget(g->r);
}

static inline void
grants_rig_audit(struct grants_rig *g, bool banned)
{
	rig_edge(g->r, ACTOR_AUDIT, true);
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ .manual_lock = banned }), OK);
	rig_forget(g->r);
}

/* This terminal gave its password again. */
static inline void
grants_rig_sudo(struct grants_rig *g)
{
	assert_int_equal(sudo_give(&grants_rig_self(g)->sudo, &g->peer, clock_mono()), OK);
}

static inline void
grants_rig_enrol(struct grants_rig *g)
{
	struct enrolment_record r = { .enrolment = grants_rig_id(0x61), .backend = "owner-file" };

	assert_int_equal(grants_db_put_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), OK);
	assert_int_equal(grants_load_library(grants_rig_self(g)), OK);
}

static inline void
grants_rig_vault(struct grants_rig *g)
{
	struct vault_keys keys = { .vault = g->vault };

	memset(keys.sealed, 0x33, sizeof keys.sealed);
	assert_int_equal(grants_db_put_vault_keys(grants_rig_self(g)->db, &keys), OK);
}

/* A grant over the vault, for that many milliseconds; 0: for ever. */
static inline void
grants_rig_grant_of(struct grants_rig *g, enum grant_type type, uint64_t for_ms, uint8_t classes)
{
	static struct grant_record r;

	r = (struct grant_record){ .grant = g->grant, .type = type, .revision = 1, .classes = classes, .n_vaults = 1,
		.life = { .created = clock_wall(), .boot = clock_boot(), .minted = clock_mono() } };
	r.life.expires.ms = for_ms != 0 ? clock_wall().ms + for_ms : 0;
	sha256(g->token_id, sizeof g->token_id, r.token_hash);
	r.vaults[0].vault = g->vault;
	r.vaults[0].classes = classes;
	memset(r.vaults[0].sealed, 0x44, sizeof r.vaults[0].sealed);
	assert_int_equal(grants_db_add_grant(grants_rig_self(g)->db, &r), OK);
}

static inline void
grants_rig_grant(struct grants_rig *g, uint64_t for_ms, uint8_t classes)
{
	grants_rig_grant_of(g, GRANT_UNATTENDED, for_ms, classes);
}

/* Everything is up and open: unlocked, enrolled, loaded, a vault, a grant over all of it, sudo. */
static inline void
grants_rig_ready(struct grants_rig *g)
{
	grants_rig_init(g);
	grants_rig_enrol(g);
	grants_rig_vault(g);
	grants_rig_grant(g, 0, 0x0f);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, true);
	grants_rig_sudo(g);
}

/* The record that the last command waits for; gives its subject. */
static inline struct uuid
grants_rig_keep(struct grants_rig *g, enum log_type type)
{
	const union any_body *b = rig_expect(g->r, MSG_EVENT_KEEP);

	assert_non_null(b);
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_int_equal(b->event.type, type);
	assert_int_equal(b->event.outcome, LOG_DONE);
	return b->event.subject;
}

/* The log's word for it. */
static inline void
grants_rig_kept(struct grants_rig *g, enum err e)
{
	struct result_body kept = { .error = (uint16_t)e };

	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, g->n_asks, &kept), OK);
}

/* Audit's word that the checkpoint before a lock is there, or is none. */
static inline void
grants_rig_checkpoint_over(struct grants_rig *g, enum err e)
{
	struct result_body over = { .error = (uint16_t)e };

	assert_int_equal(rig_deliver(g->r, MSG_CHECKPOINT_OVER, ACTOR_AUDIT, g->n_asks, &over), OK);
}

/* What the ban file says to a next start. */
static inline struct ban_state
grants_rig_ban_on_disk(void)
{
	struct ban *b = NULL;
	struct ban_state s;

	assert_int_equal(ban_open("grants/ban", &b), OK);
	s = ban_state(b);
	ban_close(&b);
	return s;
}

#define GRANTS_TEST(f) cmocka_unit_test_setup_teardown(f, grants_rig_setup, grants_rig_teardown)

#endif
