#include "tests/support/check.h"

#include <string.h>

#include "mailbox/edge_queue.h"

/* A message whose bytes say which one it is. */
static struct span
numbered(unsigned i, size_t len)
{
	static uint8_t bytes[MESSAGE_MAX];

	memset(bytes, (int)(i % 251), len);
	return (struct span){ bytes, len };
}

/* Takes all frames and expects the messages of these lengths, in order. */
static size_t
expect_all(struct edge_queue *q, const size_t *lens, size_t n)
{
	size_t n_frames = 0;
	size_t i = 0;
	nng_msg *m;

	while ((m = edge_queue_take(q)) != NULL) {
		struct wire_in in = wire_in(nng_msg_body(m), nng_msg_len(m));
		struct span message;

		assert_int_equal(edge_frame_kind(&in), EDGE_FRAME_MESSAGES);
		while (edge_frame_next(&in, &message)) {
			assert_true(i < n);
			assert_int_equal(message.len, lens[i]);
			assert_int_equal(message.p[0], i % 251);
			assert_int_equal(message.p[message.len - 1], i % 251);
			i++;
		}
		assert_false(in.failed);
		nng_msg_free(m);
		n_frames++;
	}
	assert_int_equal(i, n);
	assert_int_equal(edge_queue_len(q), 0);
	return n_frames;
}

static void
short_messages_go_out_as_one_frame(void **state)
{
	struct edge_queue q = { .n = 0 };
	size_t lens[100];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		lens[i] = 10 + i;
		assert_int_equal(edge_queue_add(&q, numbered(i, lens[i])), OK);
	}
	assert_int_equal(expect_all(&q, lens, 100), 1);
	edge_queue_clear(&q);
}

static void
messages_of_any_length_keep_their_order(void **state)
{
	static size_t lens[2000];
	struct edge_queue q = { .n = 0 };
	uint64_t random = 7;
	size_t total = 0;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 2000; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			lens[i] = 10 + (size_t)(random >> 40) % (i % 10 == 0 ? 40000 : 700);
			total += lens[i];
			assert_int_equal(edge_queue_add(&q, numbered(i, lens[i])), OK);
		}
		assert_true(edge_queue_len(&q) >= total / (size_t)(round + 1));
		assert_true(expect_all(&q, lens, 2000) < 500);
	}
	edge_queue_clear(&q);
}

static void
the_longest_message_has_a_frame_of_its_own(void **state)
{
	static const size_t lens[] = { 10, MESSAGE_MAX, 10 };
	struct edge_queue q = { .n = 0 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(edge_queue_add(&q, numbered(i, lens[i])), OK);
	assert_int_equal(expect_all(&q, lens, 3), 3);
	edge_queue_clear(&q);
}

static void
a_frame_too_long_is_not_made(void **state)
{
	struct span two[2] = { numbered(0, MESSAGE_MAX), numbered(0, 10) };
	nng_msg *m;

	(void)state;
	assert_null(edge_queue_frame(two, 2));
	m = edge_queue_frame(two, 1);
	assert_non_null(m);
	assert_int_equal(nng_msg_len(m), EDGE_FRAME_MAX);
	nng_msg_free(m);
}

static void
what_is_cleared_is_gone(void **state)
{
	struct edge_queue q = { .n = 0 };

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(edge_queue_add(&q, numbered(i, i % 2 == 0 ? 10 : 30000)), OK);
	edge_queue_clear(&q);
	assert_int_equal(edge_queue_len(&q), 0);
	assert_null(edge_queue_take(&q));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_messages_go_out_as_one_frame),
		cmocka_unit_test(messages_of_any_length_keep_their_order),
		cmocka_unit_test(the_longest_message_has_a_frame_of_its_own),
		cmocka_unit_test(a_frame_too_long_is_not_made),
		cmocka_unit_test(what_is_cleared_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
