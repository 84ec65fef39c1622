/* A vault is opened to the index only once that stands in the log, and only search hears of it. */
#include "tests/actors/audit_rig.h"

static enum err
intend_index(uint64_t ask_id, enum log_type type)
{
	struct intent_body i = an_intent((uint8_t)ask_id);

	i.type = (uint8_t)type;
	i.subject_kind = LOG_DAEMON;
	i.op = OP_SEARCH;
	return rig_deliver(a.r, MSG_INDEX_INTENT, ACTOR_KEYRING, ask_id, &i);
}

static void
the_key_of_an_index_is_passed_on_after_the_sync_and_to_search(void **state)
{
	const union any_body *b;
	int before;

	(void)state;
	open_and_certify();
	before = world.n_syncs;
	assert_int_equal(intend_index(41, LOG_INDEX), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(world.n_syncs, before + 1);
	assert_non_null(b = rig_expect(a.r, MSG_INDEX_ACK));
	assert_int_equal(rig_ask_id(a.r), 41);
	assert_int_equal(b->ack.ticket.p[0], 41);
	assert_int_equal(b->ack.index + 1, records_on_disk());
	assert_true(rig_silent(a.r));
}

static void
a_failed_sync_gives_the_index_no_key(void **state)
{
	(void)state;
	open_and_certify();
	assert_int_equal(intend_index(41, LOG_INDEX), OK);
	world.sync_errno = EIO;
	assert_int_equal(rig_batch(a.r), ERR_AUDIT_UNAVAILABLE);
	assert_true(rig_silent(a.r));
}

/* One row's record never comes in another's, or a ticket would go where its record does not say. */
static void
an_index_intent_is_of_its_type_and_no_other_is(void **state)
{
	const union any_body *b;
	struct intent_body i = an_intent(7);

	(void)state;
	open_and_certify();
	assert_int_equal(intend_index(42, LOG_INTENT), OK);
	assert_non_null(b = rig_expect(a.r, MSG_INDEX_NOT_KEPT));
	assert_int_equal(b->result.error, ERR_INTERNAL);
	i.type = LOG_INDEX;
	assert_int_equal(rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 43, &i), OK);
	assert_int_equal(refused(43), ERR_INTERNAL);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(the_key_of_an_index_is_passed_on_after_the_sync_and_to_search),
		AUDIT_TEST(a_failed_sync_gives_the_index_no_key),
		AUDIT_TEST(an_index_intent_is_of_its_type_and_no_other_is),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
