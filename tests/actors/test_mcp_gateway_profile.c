/* The gate and the profile: what was found needs its ack, and what waits for a profile that is lost ends. */
#include <string.h>

#include "actors/mcp_gateway.h"
#include "actors/settings.h"
#include "mailbox/words.h"
#include "store/revision.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

static struct settings settings;
static struct rig *r;

static int
setup(void **state)
{
	static const enum actor all[] = { ACTOR_KEYRING, ACTOR_AUDIT, ACTOR_GRANTS, ACTOR_VAULT, ACTOR_PROFILE };

	(void)state;
	fake_clock_set(1764496800000, 1000000);
	settings = (struct settings){ .ready_fd = -1, .weakened = "" };
	if (rig_open(&mcp_gateway_actor, &settings, &r) != OK)
		return -1;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		rig_edge(r, all[i], true);
	assert_int_equal(rig_deliver(r, MSG_BOOT, ACTOR_KEYRING, 0, &(struct boot_body){ .boot = { { 7 } } }), OK);
	assert_true(rig_silent(r));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	fake_clock_off();
	return 0;
}

static void
ask(uint64_t id, enum op op)
{
	struct ask_body a = { .op = (uint8_t)op, .surface = SURFACE_OWNER, .client_ask = 3, .limit = 10 };

	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, id, &a), OK);
	assert_non_null(rig_expect(r, MSG_RULING_WANTED));
}

static void
found(uint64_t id, enum msg type)
{
	struct found_body b = { .sealed = { (const uint8_t *)"sealed", 6 } };

	assert_int_equal(rig_deliver(r, type, msg_row(type)->from, id, &b), OK);
}

static void
ack(uint64_t id)
{
	uint8_t ticket[40] = { 1 };

	assert_int_equal(rig_deliver(r, MSG_AUDIT_ACK, ACTOR_AUDIT, id, &(struct ack_body){ .ticket = { ticket, sizeof ticket } }), OK);
}

static enum err
refused(uint64_t id)
{
	const union any_body *b = rig_expect(r, MSG_REFUSED);

	assert_non_null(b);
	assert_int_equal(rig_ask_id(r), id);
	return (enum err)b->refusal.error;
}

static void
what_was_found_is_answered_with_its_ack_alone(void **state)
{
	struct item_body item;
	const union any_body *b;
	struct wire_in in;

	(void)state;
	ask(1, OP_PROFILE_LIST);
	found(1, MSG_PROFILE_FOUND);
	assert_true(rig_silent(r));
	ack(1);
	assert_non_null(b = rig_expect(r, MSG_ANSWER));
	assert_int_equal(b->answer.deposit.n_items, 1);
	in = wire_in(b->answer.deposit.items.p, b->answer.deposit.items.len);
	item_body_take(&in, &item);
	assert_true(wire_done(&in));
	assert_int_equal(item.ref.part, PART_FOUND);
	assert_int_equal(item.sealed.len, 6);
	assert_true(rig_silent(r));
}

static void
search_answers_no_ask_of_the_profile_nor_the_other_way_round(void **state)
{
	(void)state;
	ask(1, OP_PROFILE_LIST);
	found(1, MSG_FOUND);
	ask(2, OP_SEARCH);
	found(2, MSG_PROFILE_FOUND);
	ack(1);
	ack(2);
	assert_true(rig_silent(r));
}

static void
asks_end_with_the_profile_that_they_wait_for(void **state)
{
	(void)state;
	ask(1, OP_PROFILE_LIST);
	ask(2, OP_PROFILE_CHANGE);
	ask(3, OP_READ);
	rig_edge(r, ACTOR_PROFILE, false);
	/* A change may have been made: its asker must not make it again by itself. */
	for (int i = 0; i < 2; i++) {
		const union any_body *b = rig_expect(r, MSG_REFUSED);

		assert_non_null(b);
		assert_int_equal(b->refusal.error, rig_ask_id(r) == 1 ? ERR_INTERRUPTED : ERR_TIMEOUT);
		assert_int_not_equal(rig_ask_id(r), 3);
	}
	assert_true(rig_silent(r));
}

/* The log refuses when the change is made; grants, before. */
static void
a_change_that_may_be_made_is_not_called_interrupted(void **state)
{
	struct refusal_body why = { .error = ERR_INTERRUPTED };

	(void)state;
	ask(1, OP_PROFILE_CHANGE);
	assert_int_equal(rig_deliver(r, MSG_INTENT_REFUSED, ACTOR_AUDIT, 1, &why), OK);
	assert_int_equal(refused(1), ERR_TIMEOUT);
	ask(2, OP_PROFILE_CHANGE);
	assert_int_equal(rig_deliver(r, MSG_ASK_DENIED, ACTOR_GRANTS, 2, &why), OK);
	assert_int_equal(refused(2), ERR_INTERRUPTED);
	ask(3, OP_PROFILE_LIST);
	assert_int_equal(rig_deliver(r, MSG_INTENT_REFUSED, ACTOR_AUDIT, 3, &why), OK);
	assert_int_equal(refused(3), ERR_INTERRUPTED);
	assert_true(rig_silent(r));
}

static void
who_was_silent_is_said_when_the_time_is_over(void **state)
{
	(void)state;
	ask(1, OP_PROFILE_LIST);
	fake_clock_advance(2000);
	(void)rig_tick(r, clock_mono());
	assert_int_equal(refused(1), ERR_TIMEOUT);
	ask(2, OP_PROFILE_LIST);
	found(2, MSG_PROFILE_FOUND);
	fake_clock_advance(2000);
	(void)rig_tick(r, clock_mono());
	assert_int_equal(refused(2), ERR_AUDIT_TIMEOUT);
}

static void
a_refusal_of_the_profile_is_noted_and_said(void **state)
{
	struct refusal_body why = { .error = ERR_CONFLICT, .authenticated = 1, .subject_kind = 3, .subject = { { 9 } } };
	const union any_body *b;

	(void)state;
	ask(1, OP_PROFILE_CHANGE);
	assert_int_equal(rig_deliver(r, MSG_PROFILE_REFUSED, ACTOR_PROFILE, 1, &why), OK);
	assert_non_null(b = rig_expect(r, MSG_REFUSAL_NOTED));
	assert_int_equal(b->noted.op, OP_PROFILE_CHANGE);
	assert_int_equal(refused(1), ERR_CONFLICT);
	assert_true(rig_silent(r));
}

/* Each command goes to grants as from who asks it, whatever he says of himself. */
static void
the_owners_commands_go_to_grants_with_who_asks(void **state)
{
	static const enum msg pairs[][2] = { { MSG_PROFILE_ENABLE_ASK, MSG_PROFILE_ENABLE_WANTED },
		{ MSG_PROFILE_DISABLE_ASK, MSG_PROFILE_DISABLE_WANTED }, { MSG_MAINTENANCE_ASK, MSG_MAINTENANCE_WANTED },
		{ MSG_PROFILE_STATE_ASK, MSG_PROFILE_STATE_WANTED }, { MSG_CONNECTIONS_ASK, MSG_CONNECTIONS_WANTED },
		{ MSG_REDUCE_ASK, MSG_REDUCE_WANTED } };
	union any_body body;
	const union any_body *b;

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		memset(&body, 0, sizeof body);
		body.owner_ask.peer.uid = 4242;
		assert_int_equal(rig_deliver(r, pairs[i][0], ACTOR_CLIENT, 10 + i, &body), OK);
		assert_non_null(b = rig_expect(r, pairs[i][1]));
		assert_int_not_equal(b->owner_ask.peer.uid, 4242);
		assert_true(rig_silent(r));
	}
	assert_int_equal(rig_deliver(r, MSG_PROFILE_STATE_FOUND, ACTOR_GRANTS, 13, &(struct profile_state_body){ .phase = 3 }), OK);
	assert_non_null(b = rig_expect(r, MSG_PROFILE_STATE));
	assert_int_equal(b->profile_state.phase, 3);
	/* A page of connections waits for the log, too. */
	rig_edge(r, ACTOR_AUDIT, false);
	assert_int_equal(refused(14), ERR_AUDIT_UNAVAILABLE);
	assert_true(rig_silent(r));
}

#define GATE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(what_was_found_is_answered_with_its_ack_alone),
		GATE_TEST(search_answers_no_ask_of_the_profile_nor_the_other_way_round),
		GATE_TEST(asks_end_with_the_profile_that_they_wait_for),
		GATE_TEST(a_change_that_may_be_made_is_not_called_interrupted),
		GATE_TEST(who_was_silent_is_said_when_the_time_is_over),
		GATE_TEST(a_refusal_of_the_profile_is_noted_and_said),
		GATE_TEST(the_owners_commands_go_to_grants_with_who_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
