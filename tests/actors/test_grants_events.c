/* What grants tells the log while it is away, refuses, or has no room: later, in order, once. */
#include "tests/actors/grants_rig.h"

static enum err failed_with; /* what the actor told its host */

void host_fail(enum err e);

void
host_fail(enum err e)
{
	failed_with = e;
}

/* The event that is told now; its ask is in *ask_id. */
static struct event_body
told(struct grants_rig *g, uint64_t *ask_id)
{
	const union any_body *b = rig_expect(g->r, MSG_EVENT_KEEP);

	assert_non_null(b);
	*ask_id = rig_ask_id(g->r);
	return b->event;
}

static void
say_kept(struct grants_rig *g, uint64_t ask_id, enum err e)
{
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, ask_id, &(struct result_body){ .error = (uint16_t)e }), OK);
}

/* The next one told is of that type, and is taken. */
static void
takes(struct grants_rig *g, enum log_type type)
{
	uint64_t ask_id;

	assert_int_equal(told(g, &ask_id).type, type);
	say_kept(g, ask_id, OK);
}

static void
revoke(struct grants_rig *g, struct uuid grant)
{
	struct revoke_ask_body ask = { .peer = g->peer, .grant_type = GRANT_UNATTENDED, .grant = grant };

	assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
}

static void
unlock(struct grants_rig *g, enum err e)
{
	struct kek_offer_body offer = { .peer = g->peer };
	struct result_body tried = { .error = (uint16_t)e };

	assert_int_equal(grants_rig_say(g, MSG_UNLOCK_WANTED, &offer), OK);
	assert_int_equal(rig_deliver(g->r, MSG_KEK_TRIED, ACTOR_KEYRING, g->n_asks, &tried), OK);
}

static void
lock(struct grants_rig *g)
{
	struct owner_ask_body ask = { .peer = g->peer };

	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
}

static void
audit_comes(struct grants_rig *g)
{
	rig_edge(g->r, ACTOR_AUDIT, true);
	assert_non_null(rig_expect(g->r, MSG_GRANTS_ANCHOR));
	assert_non_null(rig_expect(g->r, MSG_LIBRARY));
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
}

static void
add_grant(struct grants_rig *g, uint8_t what)
{
	static struct grant_record r;

	r = (struct grant_record){ .grant = grants_rig_id(what), .type = GRANT_UNATTENDED, .revision = 1, .classes = 1,
		.token_hash = { what }, .n_vaults = 1 };
	r.vaults[0].classes = 1;
	assert_int_equal(grants_db_add_grant(grants_rig_self(g)->db, &r), OK);
}

static void
what_happened_while_the_log_was_away_is_told_in_order_when_it_comes(void **state)
{
	struct grants_rig *g = *state;
	uint64_t ask_id;

	grants_rig_ready(g);
	add_grant(g, 0x42);
	rig_edge(g->r, ACTOR_AUDIT, false);
	unlock(g, ERR_WRONG_PASSWORD);
	revoke(g, g->grant);
	unlock(g, OK);
	revoke(g, grants_rig_id(0x42));
	lock(g);
	rig_forget(g->r);
	audit_comes(g);
	assert_int_equal(told(g, &ask_id).outcome, LOG_REFUSED);
	assert_true(rig_silent(g->r));
	say_kept(g, ask_id, OK);
	assert_true(uuid_equal(told(g, &ask_id).subject, g->grant));
	say_kept(g, ask_id, OK);
	takes(g, LOG_UNLOCK);
	assert_true(uuid_equal(told(g, &ask_id).subject, grants_rig_id(0x42)));
	say_kept(g, ask_id, OK);
	takes(g, LOG_LOCK);
	assert_true(rig_silent(g->r));
}

static void
a_revocation_is_told_after_a_restart_until_the_log_has_it(void **state)
{
	struct grants_rig *g = *state;
	struct disable_ask_body ask = { .peer = g->peer };
	struct event_body b;
	uint64_t ask_id;

	grants_rig_ready(g);
	revoke(g, g->grant);
	b = told(g, &ask_id);
	/* The log is lost over it, and the disable is made without one. */
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(grants_rig_say(g, MSG_DISABLE_WANTED, &ask), OK);
	for (int i = 0; i < 2; i++) {
		grants_rig_restart(g);
		audit_comes(g);
		b = told(g, &ask_id);
		assert_int_equal(b.type, LOG_REVOKE);
		assert_true(b.subject_kind == LOG_GRANT_ID && uuid_equal(b.subject, g->grant));
	}
	say_kept(g, ask_id, OK);
	b = told(g, &ask_id);
	assert_int_equal(b.type, LOG_DISABLE);
	assert_true(b.subject_kind == LOG_TERMINAL && uuid_equal(b.subject, terminal_tag(&g->peer)));
	say_kept(g, ask_id, OK);
	assert_true(rig_silent(g->r));
	grants_rig_restart(g);
	audit_comes(g);
	assert_true(rig_silent(g->r));
}

static void
a_mark_that_cannot_be_removed_ends_the_process_and_is_told_once_more(void **state)
{
	struct grants_rig *g = *state;
	uint64_t ask_id;

	grants_rig_ready(g);
	revoke(g, g->grant);
	(void)told(g, &ask_id);
	rig_forget(g->r);
	failed_with = OK;
	disk_limit(0);
	say_kept(g, ask_id, OK);
	disk_unlimit();
	assert_int_equal(failed_with, ERR_STORAGE_FAILED);
	assert_true(rig_silent(g->r));
	grants_rig_restart(g);
	audit_comes(g);
	takes(g, LOG_REVOKE);
	assert_true(rig_silent(g->r));
}

static void
what_the_log_refused_is_told_again_each_second_and_when_the_log_says_a_word(void **state)
{
	struct grants_rig *g = *state;
	uint64_t ask_id;

	grants_rig_ready(g);
	revoke(g, g->grant);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(told(g, &ask_id).type, LOG_REVOKE);
		rig_forget(g->r);
		say_kept(g, ask_id, ERR_AUDIT_TAMPERED);
		rig_tick(g->r, clock_mono());
		assert_true(rig_silent(g->r));
		if (i == 0)
			fake_clock_advance(1000);
		rig_tick(g->r, clock_mono());
		if (i == 1)
			assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
		if (i == 2)
			assert_int_equal(rig_deliver(g->r, MSG_GRANTS_HEAD, ACTOR_AUDIT, 0, &(struct head_body){ .size = 9 }), OK);
	}
	takes(g, LOG_REVOKE);
	assert_true(rig_silent(g->r));
}

/* Otherwise the log would end what was enabled with the disable before it. */
static void
what_widens_waits_behind_what_narrowed_and_ends_with_its_error(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	uint64_t ask_id;

	grants_rig_ready(g);
	revoke(g, g->grant);
	(void)told(g, &ask_id);
	rig_forget(g->r);
	assert_int_equal(grants_rig_say(g, MSG_RESUME_WANTED, &ask), OK);
	assert_true(rig_silent(g->r));
	say_kept(g, ask_id, ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_UNAVAILABLE);
	/* The next tries again what came before it. */
	assert_int_equal(grants_rig_say(g, MSG_RESUME_WANTED, &ask), OK);
	takes(g, LOG_REVOKE);
	(void)grants_rig_keep(g, LOG_RESUME);
	grants_rig_kept(g, OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
}

static void
a_full_log_takes_what_its_reserve_is_for_past_what_it_refuses(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	uint64_t ask_id;

	grants_rig_ready(g);
	unlock(g, OK);
	rig_forget(g->r);
	rig_edge(g->r, ACTOR_AUDIT, false);
	rig_forget(g->r);
	audit_comes(g);
	assert_int_equal(told(g, &ask_id).type, LOG_UNLOCK);
	revoke(g, g->grant);
	assert_int_equal(grants_rig_say(g, MSG_RESUME_WANTED, &ask), OK);
	rig_forget(g->r);
	say_kept(g, ask_id, ERR_AUDIT_FULL);
	takes(g, LOG_REVOKE);
	(void)grants_rig_keep(g, LOG_RESUME);
	grants_rig_kept(g, OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
	/* The unlock follows when there is room again. */
	assert_int_equal(rig_deliver(g->r, MSG_GRANTS_HEAD, ACTOR_AUDIT, 0, &(struct head_body){ .size = 9 }), OK);
	takes(g, LOG_UNLOCK);
}

static void
a_lock_is_told_at_once_and_again_if_it_was_refused(void **state)
{
	struct grants_rig *g = *state;
	uint64_t ask_id;

	grants_rig_ready(g);
	revoke(g, g->grant);
	(void)told(g, &ask_id);
	rig_forget(g->r);
	lock(g);
	(void)grants_rig_keep(g, LOG_LOCK);
	rig_forget(g->r);
	say_kept(g, g->n_asks, ERR_AUDIT_UNAVAILABLE);
	rig_forget(g->r);
	say_kept(g, ask_id, OK);
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
	takes(g, LOG_LOCK);
	assert_true(rig_silent(g->r));
}

static void
the_events_that_wait_in_memory_are_bounded_and_keep_their_order(void **state)
{
	struct grants_rig *g = *state;
	size_t n = 0;

	grants_rig_ready(g);
	rig_edge(g->r, ACTOR_AUDIT, false);
	unlock(g, OK);
	for (int i = 0; i < 1000; i++)
		unlock(g, ERR_WRONG_PASSWORD);
	revoke(g, g->grant);
	rig_forget(g->r);
	audit_comes(g);
	takes(g, LOG_UNLOCK);
	for (; n < 1000; n++) {
		uint64_t ask_id;
		bool over = told(g, &ask_id).type == LOG_REVOKE;

		say_kept(g, ask_id, OK);
		if (over)
			break;
	}
	assert_int_equal(n, GRANTS_EVENTS_MAX - 1);
	assert_true(rig_silent(g->r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(what_happened_while_the_log_was_away_is_told_in_order_when_it_comes),
		GRANTS_TEST(a_revocation_is_told_after_a_restart_until_the_log_has_it),
		GRANTS_TEST(a_mark_that_cannot_be_removed_ends_the_process_and_is_told_once_more),
		GRANTS_TEST(what_the_log_refused_is_told_again_each_second_and_when_the_log_says_a_word),
		GRANTS_TEST(what_widens_waits_behind_what_narrowed_and_ends_with_its_error),
		GRANTS_TEST(a_full_log_takes_what_its_reserve_is_for_past_what_it_refuses),
		GRANTS_TEST(a_lock_is_told_at_once_and_again_if_it_was_refused),
		GRANTS_TEST(the_events_that_wait_in_memory_are_bounded_and_keep_their_order),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
