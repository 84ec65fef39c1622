/* What grants is to search: the scope, rulings for the index, and a lock that waits for the index to be gone. */
#include <unistd.h>

#include "actors/process.h"
#include "tests/actors/grants_rig.h"

static const struct search_scope_body *
scope(struct grants_rig *g)
{
	const union any_body *b = rig_expect(g->r, MSG_SEARCH_SCOPE);

	assert_non_null(b);
	return &b->search_scope;
}

static void
meet_search(struct grants_rig *g)
{
	rig_edge(g->r, ACTOR_SEARCH, true);
	(void)scope(g);
	assert_true(rig_silent(g->r));
}

static void
search_hears_of_vaults_while_unlocked_and_of_none_else(void **state)
{
	struct grants_rig *g = *state;
	const struct search_scope_body *s;

	grants_rig_ready(g);
	rig_edge(g->r, ACTOR_SEARCH, true);
	s = scope(g);
	assert_true(s->unlocked);
	assert_int_equal(s->vaults.len, UUID_LEN);
	assert_memory_equal(s->vaults.p, g->vault.b, UUID_LEN);
	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0,
	    &(struct keyring_state_body){ .unlocked = 0, .loaded = 1 }), OK);
	s = scope(g);
	assert_false(s->unlocked);
	assert_int_equal(s->vaults.len, 0);
}

static void
an_index_is_ruled_for_the_ordinary_class_in_the_daemons_name(void **state)
{
	struct grants_rig *g = *state;
	struct index_ask_body ask;
	const union any_body *b;

	grants_rig_ready(g);
	meet_search(g);
	ask = (struct index_ask_body){ .vault = g->vault, .boot = grants_rig_id(0x66) };
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_ASK, ACTOR_SEARCH, 5, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_INDEX_WANTED));
	assert_int_equal(b->ruling.classes, 1u << CLASS_ORDINARY);
	assert_int_equal(b->ruling.wraps.len, 1 + SEALED_KEY_LEN);
	assert_int_equal(b->ruling.wraps.p[0], CLASS_ORDINARY);
	assert_int_equal(b->ruling.subject_kind, LOG_DAEMON);
	assert_true(uuid_is_zero(b->ruling.grant));
	ask.vault = grants_rig_id(0x12);
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_ASK, ACTOR_SEARCH, 6, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_INDEX_DENIED));
	assert_int_equal(b->result.error, ERR_NOT_FOUND);
	((struct grants *)grants_rig_self(g))->unlocked = false;
	ask.vault = g->vault;
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_ASK, ACTOR_SEARCH, 7, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_INDEX_DENIED));
	assert_int_equal(b->result.error, ERR_LOCKED);
}

/* A lock whose keys are gone, and whose index is not yet. */
static void
lock_up_to_the_index(struct grants_rig *g)
{
	struct owner_ask_body ask = { .peer = g->peer };

	grants_rig_ready(g);
	meet_search(g);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	(void)grants_rig_keep(g, LOG_LOCK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(rig_expect(g->r, MSG_INDEX_DROP));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
}

static void
a_lock_answers_when_the_index_is_gone(void **state)
{
	struct grants_rig *g = *state;

	lock_up_to_the_index(g);
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_DROPPED, ACTOR_SEARCH, g->n_asks + 1, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_DROPPED, ACTOR_SEARCH, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
}

static void
a_lock_answers_when_search_is_gone(void **state)
{
	struct grants_rig *g = *state;

	lock_up_to_the_index(g);
	rig_edge(g->r, ACTOR_SEARCH, false);
	assert_int_equal(grants_rig_end(g), OK);
}

static void
a_search_that_does_not_answer_a_lock_is_ended(void **state)
{
	struct grants_rig *g = *state;
	uint8_t word = 0;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	g->settings.ready_fd = ends[1];
	lock_up_to_the_index(g);
	fake_clock_advance(1499);
	rig_tick(g->r, clock_mono());
	assert_true(rig_silent(g->r));
	fake_clock_advance(1);
	rig_tick(g->r, clock_mono());
	assert_int_equal(read(ends[0], &word, 1), 1);
	assert_int_equal(word, PROCESS_END_SEARCH);
	/* Not before it is gone. */
	assert_true(rig_silent(g->r));
	rig_edge(g->r, ACTOR_SEARCH, false);
	assert_int_equal(grants_rig_end(g), OK);
	g->settings.ready_fd = -1;
	close(ends[0]);
	close(ends[1]);
}

/* Whose supervisor does not hear: a lock is a lock all the same, a second later. */
static void
a_search_that_cannot_be_ended_holds_no_lock_for_ever(void **state)
{
	struct grants_rig *g = *state;

	lock_up_to_the_index(g);
	fake_clock_advance(1500);
	rig_tick(g->r, clock_mono());
	fake_clock_advance(999);
	rig_tick(g->r, clock_mono());
	assert_true(rig_silent(g->r));
	fake_clock_advance(1);
	rig_tick(g->r, clock_mono());
	assert_int_equal(grants_rig_end(g), OK);
}

/* The machine is about to sleep: up to where the keys are gone, and the index is not yet. */
static void
sleep_up_to_the_index(struct grants_rig *g)
{
	struct sleep_body b = { .peer = g->peer, .word = SLEEP_COMES };

	grants_rig_ready(g);
	meet_search(g);
	assert_int_equal(grants_rig_say(g, MSG_SLEEP_WANTED, &b), OK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(rig_expect(g->r, MSG_INDEX_DROP));
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
}

static void
a_machine_that_is_about_to_sleep_is_told_when_the_index_is_gone(void **state)
{
	struct grants_rig *g = *state;

	sleep_up_to_the_index(g);
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_DROPPED, ACTOR_SEARCH, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
}

/* Both are answered then, and none of them before. */
static void
two_locks_wait_for_the_same_index(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	uint64_t first;

	sleep_up_to_the_index(g);
	first = g->n_asks;
	grants_rig_self(g)->unlocked = grants_rig_self(g)->loaded = false;
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	(void)grants_rig_keep(g, LOG_LOCK);
	assert_non_null(rig_expect(g->r, MSG_INDEX_DROP));
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_DROPPED, ACTOR_SEARCH, first, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_INDEX_DROPPED, ACTOR_SEARCH, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_non_null(rig_expect(g->r, MSG_COMMAND_DONE));
	assert_non_null(rig_expect(g->r, MSG_COMMAND_DONE));
	assert_true(rig_silent(g->r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(search_hears_of_vaults_while_unlocked_and_of_none_else),
		GRANTS_TEST(an_index_is_ruled_for_the_ordinary_class_in_the_daemons_name),
		GRANTS_TEST(a_lock_answers_when_the_index_is_gone),
		GRANTS_TEST(a_lock_answers_when_search_is_gone),
		GRANTS_TEST(a_search_that_does_not_answer_a_lock_is_ended),
		GRANTS_TEST(a_search_that_cannot_be_ended_holds_no_lock_for_ever),
		GRANTS_TEST(a_machine_that_is_about_to_sleep_is_told_when_the_index_is_gone),
		GRANTS_TEST(two_locks_wait_for_the_same_index),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
