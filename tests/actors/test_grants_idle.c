/* The lock that comes by itself: when, and what it leaves alone. */
#include "tests/actors/grants_rig.h"

#define IDLE_MS 900000

static void
ready(struct grants_rig *g)
{
	g->settings.idle_lock_ms = IDLE_MS;
	grants_rig_ready(g);
	grants_rig_sudo(g);
}

static void
ask_for_a_vault(struct grants_rig *g, enum err expected)
{
	struct owner_ask_body ask = { .peer = g->peer };

	assert_int_equal(grants_rig_say(g, MSG_VAULT_WANTED, &ask), OK);
	if (expected != OK)
		assert_int_equal(grants_rig_end(g), expected);
	else
		assert_non_null(rig_expect(g->r, MSG_VAULT_KEYS_WANTED));
}

/* The checkpoint is due, and after it the keys of the password go, and no others. */
static void
expect_idle_lock(struct grants_rig *g)
{
	const union any_body *b;
	uint64_t ask;

	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	ask = rig_ask_id(g->r);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_CHECKPOINT_OVER, ACTOR_AUDIT, ask, &(struct result_body){ .error = OK }), OK);
	b = rig_expect(g->r, MSG_KEYS_DROP);
	assert_int_equal(b->keys_drop.password, 1);
	assert_int_equal(b->keys_drop.unattended, 0);
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, ask, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
}

static void
after_a_time_without_the_owner_the_library_locks_and_nothing_is_banned(void **state)
{
	struct grants_rig *g = *state;
	struct mono_ms wish;

	ready(g);
	wish = rig_tick(g->r, clock_mono());
	assert_true(wish.ms != 0 && wish.ms <= clock_mono().ms + IDLE_MS);
	fake_clock_advance(IDLE_MS - 1);
	rig_tick(g->r, clock_mono());
	assert_true(rig_silent(g->r));
	fake_clock_advance(1);
	rig_tick(g->r, clock_mono());
	expect_idle_lock(g);
	assert_false(grants_banned(grants_rig_self(g)));
	assert_false(ban_state(grants_rig_self(g)->ban).manual_lock);
	assert_false(sudo_has(&grants_rig_self(g)->sudo, &g->peer, clock_mono()));
}

static void
each_request_of_the_owner_puts_it_off(void **state)
{
	struct grants_rig *g = *state;

	ready(g);
	fake_clock_advance(IDLE_MS - 1);
	ask_for_a_vault(g, OK);
	rig_forget(g->r);
	fake_clock_advance(IDLE_MS - 1);
	rig_tick(g->r, clock_mono());
	rig_forget(g->r); /* the command that nobody answered ends */
	assert_int_equal(grants_rig_self(g)->locking, 0);
	fake_clock_advance(1);
	rig_tick(g->r, clock_mono());
	expect_idle_lock(g);
}

static void
meanwhile_the_owner_is_locked_out_and_a_grant_reads_on(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = { .op = OP_READ, .surface = SURFACE_CLI, .vault = g->vault, .grant_type = GRANT_UNATTENDED };

	ready(g);
	memcpy(ask.token_id, g->token_id, sizeof ask.token_id);
	ask.grant_type = GRANT_UNATTENDED;
	fake_clock_advance(IDLE_MS);
	rig_tick(g->r, clock_mono());
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	ask_for_a_vault(g, ERR_LOCKED);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_RECORD_WANTED));
}

static void
a_manual_lock_in_between_drops_every_key_at_once(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	const union any_body *b;

	ready(g);
	fake_clock_advance(IDLE_MS);
	rig_tick(g->r, clock_mono());
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	(void)grants_rig_keep(g, LOG_LOCK);
	b = rig_expect(g->r, MSG_KEYS_DROP);
	assert_int_equal(b->keys_drop.password, 1);
	assert_int_equal(b->keys_drop.unattended, 1);
	assert_true(grants_banned(grants_rig_self(g)));
}

static void
zero_means_never_and_a_locked_library_has_nothing_to_lock(void **state)
{
	struct grants_rig *g = *state;

	ready(g);
	g->settings.idle_lock_ms = 0;
	fake_clock_advance(IDLE_MS * 100);
	rig_tick(g->r, clock_mono());
	assert_true(rig_silent(g->r));
	g->settings.idle_lock_ms = IDLE_MS;
	grants_rig_keyring(g, false, true);
	rig_tick(g->r, clock_mono());
	assert_true(rig_silent(g->r));
}

static void
what_an_assistant_or_the_index_asks_puts_it_off_no_more_than_unattended_reads(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = { .op = OP_READ, .surface = SURFACE_STDIO, .vault = g->vault, .grant_type = GRANT_ORDINARY };
	struct index_ask_body index = { .vault = g->vault };

	g->settings.idle_lock_ms = IDLE_MS;
	grants_rig_ready(g);
	g->grant = grants_rig_id(0x42);
	g->token_id[0] = 8;
	grants_rig_grant_of(g, GRANT_ORDINARY, 0, 1u << CLASS_ORDINARY);
	memcpy(ask.token_id, g->token_id, sizeof ask.token_id);
	fake_clock_advance(IDLE_MS - 1);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_RECORD_WANTED));
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_ASK, ACTOR_SEARCH, 900, &index), OK);
	assert_non_null(rig_expect(g->r, MSG_INDEX_WANTED));
	fake_clock_advance(1);
	rig_tick(g->r, clock_mono());
	expect_idle_lock(g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(after_a_time_without_the_owner_the_library_locks_and_nothing_is_banned),
		GRANTS_TEST(each_request_of_the_owner_puts_it_off),
		GRANTS_TEST(meanwhile_the_owner_is_locked_out_and_a_grant_reads_on),
		GRANTS_TEST(what_an_assistant_or_the_index_asks_puts_it_off_no_more_than_unattended_reads),
		GRANTS_TEST(a_manual_lock_in_between_drops_every_key_at_once),
		GRANTS_TEST(zero_means_never_and_a_locked_library_has_nothing_to_lock),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
