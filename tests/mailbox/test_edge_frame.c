#include "tests/support/check.h"

#include <string.h>

#include "mailbox/edge_frame.h"

static uint8_t frame[EDGE_FRAME_MAX + 1];

static size_t
frame_of(const size_t *lens, size_t n)
{
	static const uint8_t zeros[MESSAGE_MAX];
	struct wire_out w = wire_out(frame, sizeof frame);

	wire_put_u8(&w, EDGE_FRAME_MESSAGES);
	for (size_t i = 0; i < n; i++)
		wire_put_span(&w, (struct span){ zeros, lens[i] });
	assert_false(w.failed);
	return w.len;
}

static size_t
count_messages(size_t len, bool *failed)
{
	struct wire_in in = wire_in(frame, len);
	struct span message;
	size_t n = 0;

	assert_int_equal(edge_frame_kind(&in), EDGE_FRAME_MESSAGES);
	while (edge_frame_next(&in, &message))
		n++;
	*failed = in.failed;
	return n;
}

static void
messages_come_out_one_by_one(void **state)
{
	static const size_t lens[] = { 10, 5000, 11 };
	size_t len = frame_of(lens, 3);
	bool failed;

	(void)state;
	assert_int_equal(count_messages(len, &failed), 3);
	assert_false(failed);
	assert_int_equal(count_messages(1, &failed), 0);
	assert_false(failed);
}

static void
one_message_may_fill_a_frame(void **state)
{
	static const size_t full = MESSAGE_MAX;
	bool failed;

	(void)state;
	assert_int_equal(frame_of(&full, 1), EDGE_FRAME_MAX);
	assert_int_equal(count_messages(EDGE_FRAME_MAX, &failed), 1);
	assert_false(failed);
}

static void
a_frame_that_ends_inside_a_message_fails(void **state)
{
	static const size_t lens[] = { 20, 30 };
	size_t len = frame_of(lens, 2);
	bool failed;

	(void)state;
	for (size_t cut = 2; cut < len; cut++) {
		size_t n = count_messages(cut, &failed);

		assert_int_equal(failed, cut != 1 + 4 + 20);
		assert_int_equal(n, cut >= 1 + 4 + 20 ? 1 : 0);
	}
}

static void
a_message_too_short_to_be_one_fails(void **state)
{
	static const size_t lens[] = { 20, 9, 20 };
	bool failed;

	(void)state;
	assert_int_equal(count_messages(frame_of(lens, 3), &failed), 1);
	assert_true(failed);
}

static void
only_our_kinds_and_lengths_are_frames(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 256; kind++) {
		uint8_t byte = (uint8_t)kind;
		struct wire_in in = wire_in(&byte, 1);

		assert_int_equal(edge_frame_kind(&in), kind <= EDGE_FRAME_MESSAGES ? kind : EDGE_FRAME_NONE);
	}
	frame[0] = EDGE_FRAME_MESSAGES;
	assert_int_equal(edge_frame_kind(&(struct wire_in){ frame, sizeof frame, false }), EDGE_FRAME_NONE);
	assert_int_equal(edge_frame_kind(&(struct wire_in){ frame, 0, false }), EDGE_FRAME_NONE);
}

static void
a_hello_and_a_proof_have_one_length(void **state)
{
	struct edge_hello hello = { .fingerprint = 5, .nonce = { 1 } };
	uint8_t buf[64];
	struct wire_out w = wire_out(buf, sizeof buf);
	uint8_t tag[EDGE_TAG_LEN] = { 3 };
	struct edge_hello taken;

	(void)state;
	edge_frame_put_hello(&w, &hello);
	for (size_t len = 0; len < sizeof buf; len++) {
		struct wire_in in = wire_in(buf + 1, len);

		edge_frame_take_hello(&in, &taken);
		assert_int_equal(in.failed, len != w.len - 1);
	}
	w = wire_out(buf, sizeof buf);
	edge_frame_put_proof(&w, tag);
	for (size_t len = 0; len < sizeof buf; len++) {
		struct wire_in in = wire_in(buf + 1, len);

		edge_frame_take_proof(&in, tag);
		assert_int_equal(in.failed, len != EDGE_TAG_LEN);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_out_one_by_one),
		cmocka_unit_test(one_message_may_fill_a_frame),
		cmocka_unit_test(a_frame_that_ends_inside_a_message_fails),
		cmocka_unit_test(a_message_too_short_to_be_one_fails),
		cmocka_unit_test(only_our_kinds_and_lengths_are_frames),
		cmocka_unit_test(a_hello_and_a_proof_have_one_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
