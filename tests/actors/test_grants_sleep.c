/* What the watcher says of sleep: what it does, whom it leaves alone, and how long its word holds. */
#include "tests/actors/grants_rig.h"

static enum err
say(struct grants_rig *g, unsigned word)
{
	struct sleep_body b = { .peer = g->peer, .word = (uint8_t)word };

	return grants_rig_say(g, MSG_SLEEP_WANTED, &b);
}

static unsigned
word_in_status(struct grants_rig *g)
{
	const union any_body *b;

	assert_int_equal(grants_rig_say(g, MSG_STATE_WANTED, &(struct nothing_body){ 0 }), OK);
	assert_non_null(b = rig_expect(g->r, MSG_STATE));
	return b->state.sleep_word;
}

static void
answer_is_owed_until_the_keys_of_the_password_are_gone(void **state)
{
	struct grants_rig *g = *state;
	const union any_body *b;

	grants_rig_ready(g);
	grants_rig_sudo(g);
	assert_int_equal(say(g, SLEEP_COMES), OK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_CHECKPOINT_OVER, ACTOR_AUDIT, g->n_asks,
	    &(struct result_body){ .error = OK }), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.password, 1);
	assert_int_equal(b->keys_drop.unattended, 0);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_false(grants_banned(grants_rig_self(g)));
	assert_false(sudo_has(&grants_rig_self(g)->sudo, &g->peer, clock_mono()));
}

static void
a_second_word_while_the_first_lock_waits_drops_the_keys_at_once(void **state)
{
	struct grants_rig *g = *state;
	const union any_body *b;

	grants_rig_ready(g);
	assert_int_equal(say(g, SLEEP_COMES), OK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	assert_int_equal(say(g, SLEEP_COMES), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.unattended, 0);
}

static void
a_locked_library_is_done_at_once_and_so_is_one_without_a_keyring(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	grants_rig_keyring(g, false, true);
	assert_int_equal(say(g, SLEEP_COMES), OK);
	assert_int_equal(grants_rig_end(g), OK);
	rig_edge(g->r, ACTOR_KEYRING, false);
	rig_forget(g->r);
	assert_int_equal(say(g, SLEEP_COMES), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
}

static void
what_it_tells_of_itself_holds_for_a_while(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	assert_int_equal(word_in_status(g), SLEEP_UNKNOWN);
	for (unsigned word = SLEEP_UNWATCHED; word <= SLEEP_WATCHED; word++) {
		assert_int_equal(say(g, word), OK);
		assert_int_equal(grants_rig_end(g), OK);
		assert_int_equal(word_in_status(g), word);
	}
	fake_clock_advance(SLEEP_STALE_MS - 1);
	assert_int_equal(word_in_status(g), SLEEP_WATCHED);
	fake_clock_advance(1);
	assert_int_equal(word_in_status(g), SLEEP_UNKNOWN);
}

static void
a_word_that_is_none_is_refused(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	assert_int_equal(say(g, SLEEP_UNKNOWN), OK);
	assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
	assert_int_equal(say(g, SLEEP_COMES + 1), OK);
	assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
	assert_int_equal(word_in_status(g), SLEEP_UNKNOWN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(answer_is_owed_until_the_keys_of_the_password_are_gone),
		GRANTS_TEST(a_second_word_while_the_first_lock_waits_drops_the_keys_at_once),
		GRANTS_TEST(a_locked_library_is_done_at_once_and_so_is_one_without_a_keyring),
		GRANTS_TEST(what_it_tells_of_itself_holds_for_a_while),
		GRANTS_TEST(a_word_that_is_none_is_refused),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
