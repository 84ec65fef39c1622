#include "tests/support/check.h"

#include <string.h>

#include "tests/support/chain.h"
#include "tests/support/chain_actors.h"
#include "tests/support/rig.h"

static int
open_gate(void **state)
{
	struct rig *r = NULL;

	fake_clock_set(1000000, 5000);
	if (rig_open(chain_actors[0], NULL, &r) != OK)
		return -1;
	*state = r;
	return 0;
}

static int
close_gate(void **state)
{
	struct rig *r = *state;

	rig_close(&r);
	fake_clock_off();
	return r != NULL;
}

static void
an_actor_alone_says_what_its_handlers_put(void **state)
{
	struct rig *r = *state;
	struct ask_body ask = { .op = CHAIN_PASS, .offset = 3 };
	struct deposit_body deposit = { .items = { (const uint8_t *)"sealed", 6 } };
	struct ack_body ack = { .index = 9 };
	const union any_body *said;

	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 17, &ask), OK);
	said = rig_expect(r, MSG_RULING_WANTED);
	assert_non_null(said);
	assert_int_equal(said->ask.offset, 3);
	assert_int_equal(rig_ask_id(r), 17);
	assert_true(rig_silent(r));
	assert_int_equal(rig_deliver(r, MSG_DEPOSIT, ACTOR_VAULT, 17, &deposit), OK);
	assert_true(rig_silent(r));
	assert_int_equal(rig_deliver(r, MSG_AUDIT_ACK, ACTOR_AUDIT, 17, &ack), OK);
	assert_int_equal(rig_next(r), MSG_ANSWER);
	assert_null(rig_expect(r, MSG_REFUSED));
	said = rig_expect(r, MSG_ANSWER);
	assert_non_null(said);
	assert_int_equal(said->answer.ack.index, 9);
	assert_memory_equal(said->answer.deposit.items.p, "sealed", 6);
}

static void
a_failing_handler_says_nothing(void **state)
{
	struct rig *r = *state;
	struct ask_body ask = { .op = CHAIN_GATE_FAILS };

	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 1, &ask), ERR_NOT_FOUND);
	assert_true(rig_silent(r));
}

static void
what_the_table_does_not_allow_is_not_heard(void **state)
{
	struct rig *r = *state;
	struct ask_body ask = { .op = CHAIN_PASS };
	struct nothing_body nothing = { 0 };

	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_VAULT, 1, &ask), ERR_PROTOCOL);
	assert_int_equal(rig_deliver(r, MSG_STATUS_ASK, ACTOR_CLIENT, 1, &nothing), ERR_UNSUPPORTED);
	assert_true(rig_silent(r));
}

static void
deadlines_come_with_the_fake_clock(void **state)
{
	struct rig *r = *state;
	struct ask_body ask = { .op = CHAIN_PASS };
	const union any_body *said;

	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 1, &ask), OK);
	rig_forget(r);
	fake_clock_advance(CHAIN_DEADLINE_MS - 1);
	assert_true(rig_tick(r, clock_mono()).ms > 0);
	assert_true(rig_silent(r));
	fake_clock_advance(1);
	rig_tick(r, clock_mono());
	said = rig_expect(r, MSG_REFUSED);
	assert_non_null(said);
	assert_int_equal(said->refusal.error, ERR_TIMEOUT);
}

static void
a_failing_batch_drops_what_was_put_since_the_last(void **state)
{
	struct intent_body intent = { .op = CHAIN_PASS };
	struct rig *r = NULL;

	(void)state;
	assert_int_equal(rig_open(chain_actors[4], NULL, &r), OK);
	assert_int_equal(rig_deliver(r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 1, &intent), OK);
	assert_int_equal(rig_batch(r), OK);
	intent.op = CHAIN_BATCH_FAILS;
	assert_int_equal(rig_deliver(r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 2, &intent), OK);
	assert_int_equal(rig_batch(r), ERR_AUDIT_UNAVAILABLE);
	assert_non_null(rig_expect(r, MSG_AUDIT_ACK));
	assert_int_equal(rig_ask_id(r), 1);
	assert_true(rig_silent(r));
	rig_close(&r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_gate, close_gate)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_actor_alone_says_what_its_handlers_put),
		TEST(a_failing_handler_says_nothing),
		TEST(what_the_table_does_not_allow_is_not_heard),
		TEST(deadlines_come_with_the_fake_clock),
		TEST(a_failing_batch_drops_what_was_put_since_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
