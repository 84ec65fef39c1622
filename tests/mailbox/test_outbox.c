#include "tests/support/check.h"

#include <string.h>

#include "mailbox/outbox.h"

static const struct nothing_body nothing;

static int
make(void **state)
{
	struct outbox *o = NULL;

	if (outbox_new(ACTOR_GATE, &o) != OK)
		return -1;
	*state = o;
	return 0;
}

static int
unmake(void **state)
{
	struct outbox *o = *state;

	outbox_free(&o);
	return o != NULL;
}

static void
a_message_goes_where_its_row_says(void **state)
{
	struct outbox *o = *state;
	struct outbox_view v;
	struct wire_in in;
	union any_body body;
	enum msg type = MSG_NONE;
	uint64_t ask_id;

	assert_int_equal(outbox_put(o, MSG_STATE_WANTED, 17, &nothing), OK);
	assert_int_equal(outbox_count(o), 1);
	v = outbox_at(o, 0);
	assert_int_equal(v.to, ACTOR_GRANTS);
	assert_int_equal(v.type, MSG_STATE_WANTED);
	assert_int_equal(v.ask_id, 17);
	assert_int_equal(outbox_len(o), v.message.len);
	in = wire_in(v.message.p, v.message.len);
	message_take(&in, ACTOR_GATE, ACTOR_GRANTS, &type, &ask_id, &body);
	assert_true(wire_done(&in));
	assert_int_equal(type, MSG_STATE_WANTED);
	assert_int_equal(ask_id, 17);
}

static void
another_actors_message_is_not_put(void **state)
{
	struct outbox *o = *state;

	assert_int_equal(outbox_put(o, MSG_STATE, 17, &(struct state_body){ 0 }), ERR_INTERNAL);
	assert_int_equal(outbox_put(o, MSG_NONE, 17, &nothing), ERR_INTERNAL);
	assert_int_equal(outbox_put(o, MSG__COUNT, 17, &nothing), ERR_INTERNAL);
	assert_int_equal(outbox_count(o), 0);
}

static void
a_body_that_does_not_fit_its_row_is_not_put(void **state)
{
	static uint8_t detail[1025];
	struct outbox *o = *state;
	struct refusal_body body = { .detail = { detail, sizeof detail } };

	assert_int_equal(outbox_put(o, MSG_STATE_WANTED, 1, &nothing), OK);
	assert_int_equal(outbox_put(o, MSG_REFUSED, 2, &body), ERR_INTERNAL);
	assert_int_equal(outbox_count(o), 1);
	body.detail.len = 1024;
	assert_int_equal(outbox_put(o, MSG_REFUSED, 2, &body), OK);
	assert_int_equal(outbox_count(o), 2);
}

static void
a_cut_forgets_the_later_messages_and_their_bytes(void **state)
{
	struct outbox *o = *state;
	size_t len;

	for (uint64_t id = 0; id < 10; id++)
		assert_int_equal(outbox_put(o, MSG_STATE_WANTED, id, &nothing), OK);
	len = outbox_len(o);
	outbox_cut(o, 20);
	assert_int_equal(outbox_count(o), 10);
	outbox_cut(o, 4);
	assert_int_equal(outbox_count(o), 4);
	assert_int_equal(outbox_len(o), len * 4 / 10);
	assert_int_equal(outbox_put(o, MSG_STATE_WANTED, 99, &nothing), OK);
	assert_int_equal(outbox_at(o, 3).ask_id, 3);
	assert_int_equal(outbox_at(o, 4).ask_id, 99);
	outbox_cut(o, 0);
	assert_int_equal(outbox_count(o), 0);
	assert_int_equal(outbox_len(o), 0);
}

/* More than an outbox keeps: it has to grow, and to shrink when it is emptied. */
static void
long_messages_keep_their_bytes_while_it_grows(void **state)
{
	static uint8_t items[200000];
	struct outbox *o = *state;
	struct answer_body answer = { .deposit.items = { items, sizeof items } };

	for (int round = 0; round < 2; round++) {
		for (uint64_t id = 0; id < 20; id++) {
			memset(items, (int)id, sizeof items);
			assert_int_equal(outbox_put(o, MSG_ANSWER, id, &answer), OK);
		}
		for (size_t i = 0; i < 20; i++) {
			struct outbox_view v = outbox_at(o, i);

			assert_int_equal(v.ask_id, i);
			assert_int_equal(v.message.p[v.message.len - 1], i);
			assert_int_equal(v.message.p[v.message.len - sizeof items], i);
		}
		outbox_cut(o, 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_goes_where_its_row_says),
		TEST(another_actors_message_is_not_put),
		TEST(a_body_that_does_not_fit_its_row_is_not_put),
		TEST(a_cut_forgets_the_later_messages_and_their_bytes),
		TEST(long_messages_keep_their_bytes_while_it_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
