/* Lock and its last checkpoint: the keys wait for it a little, and for nothing else. */
#include "tests/actors/grants_rig.h"

static void
begin_lock(struct grants_rig *g)
{
	struct owner_ask_body ask = { .peer = g->peer };

	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	if (grants_rig_self(g)->audit_up)
		(void)grants_rig_keep(g, LOG_LOCK);
}

static void
end_lock(struct grants_rig *g)
{
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
}

static void
the_keys_wait_for_the_checkpoint_and_no_ruling_is_made_meanwhile(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };

	grants_rig_ready(g);
	begin_lock(g);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	assert_true(rig_silent(g->r));
	/* Also when keyring says in between that it still has its keys. */
	grants_rig_keyring(g, true, true);
	assert_int_equal(grants_check_owner(grants_rig_self(g)), ERR_LOCKED);
	g->n_asks += 7;
	assert_int_equal(grants_rig_say(g, MSG_VAULT_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	g->n_asks -= 8;
	grants_rig_checkpoint_over(g, OK);
	end_lock(g);
}

static void
a_checkpoint_that_could_not_be_made_holds_no_lock_up(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	begin_lock(g);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	grants_rig_checkpoint_over(g, ERR_AUDIT_UNAVAILABLE);
	end_lock(g);
}

static void
the_keys_go_after_half_a_second_without_a_word(void **state)
{
	struct grants_rig *g = *state;
	struct mono_ms wish;

	grants_rig_ready(g);
	begin_lock(g);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	wish = rig_tick(g->r, clock_mono());
	assert_int_equal(wish.ms, clock_mono().ms + 500);
	fake_clock_advance(499);
	rig_tick(g->r, clock_mono());
	assert_true(rig_silent(g->r));
	fake_clock_advance(1);
	rig_tick(g->r, clock_mono());
	end_lock(g);
	/* A word that comes late changes nothing. */
	grants_rig_checkpoint_over(g, OK);
	assert_true(rig_silent(g->r));
}

static void
the_keys_go_at_once_when_the_log_is_lost(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	begin_lock(g);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	rig_edge(g->r, ACTOR_AUDIT, false);
	end_lock(g);
}

static void
without_keys_or_without_a_log_no_checkpoint_is_waited_for(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	grants_rig_keyring(g, false, false);
	begin_lock(g);
	end_lock(g);
	grants_rig_keyring(g, true, false);
	rig_edge(g->r, ACTOR_AUDIT, false);
	begin_lock(g);
	end_lock(g);
}

static void
a_second_lock_takes_the_keys_without_waiting_for_the_first(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	begin_lock(g);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	begin_lock(g);
	end_lock(g);
	g->n_asks--;
	grants_rig_checkpoint_over(g, OK);
	end_lock(g);
}

static void
a_checkpoint_is_ordered_by_an_unlocked_owner_only(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_CHECKPOINT_ORDERED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_ALLOWED));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(grants_rig_say(g, MSG_CHECKPOINT_ORDERED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_UNAVAILABLE);
	grants_rig_keyring(g, false, true);
	assert_int_equal(grants_rig_say(g, MSG_CHECKPOINT_ORDERED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(the_keys_wait_for_the_checkpoint_and_no_ruling_is_made_meanwhile),
		GRANTS_TEST(a_checkpoint_that_could_not_be_made_holds_no_lock_up),
		GRANTS_TEST(the_keys_go_after_half_a_second_without_a_word),
		GRANTS_TEST(the_keys_go_at_once_when_the_log_is_lost),
		GRANTS_TEST(without_keys_or_without_a_log_no_checkpoint_is_waited_for),
		GRANTS_TEST(a_second_lock_takes_the_keys_without_waiting_for_the_first),
		GRANTS_TEST(a_checkpoint_is_ordered_by_an_unlocked_owner_only),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
