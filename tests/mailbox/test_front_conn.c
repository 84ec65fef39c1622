#include "tests/support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mailbox/front_conn.h"

static const uint8_t hello[8] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };
static const struct mono_ms now = { 1000 };

struct pair {
	struct front_conn conn;
	int               asker;
};

static int
setup(void **state)
{
	struct pair *p = calloc(1, sizeof *p);
	int fds[2];

	if (p == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) != 0)
		return -1;
	p->asker = fds[1];
	front_conn_open(&p->conn, fds[0], 7);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct pair *p = *state;

	front_conn_close(&p->conn);
	if (p->asker >= 0)
		close(p->asker);
	free(p);
	return 0;
}

static void
say(struct pair *p, const void *bytes, size_t len)
{
	assert_int_equal(write(p->asker, bytes, len), (ssize_t)len);
}

/* One message as REQ frames it; returns its length. */
static size_t
frame(uint8_t *out, size_t cap, uint32_t request, const char *text)
{
	struct wire_out o = wire_out(out, cap);

	wire_put_u8(&o, 1);
	wire_put_u64(&o, 4 + strlen(text));
	wire_put_u32(&o, request);
	wire_put_bytes(&o, text, strlen(text));
	return o.len;
}

/* Reads all there is and expects one message of that text. */
static void
expect(struct pair *p, uint32_t request, const char *text)
{
	uint32_t got;
	struct span message;

	while (!front_conn_next(&p->conn, &got, &message))
		if (!front_conn_read(&p->conn))
			fail_msg("no message");
	assert_int_equal(got, request);
	assert_int_equal(message.len, strlen(text));
	assert_memory_equal(message.p, text, message.len);
}

static void
expect_broken(struct pair *p)
{
	uint32_t request;
	struct span message;

	while (!front_conn_next(&p->conn, &request, &message) && front_conn_read(&p->conn))
		;
	assert_true(p->conn.broken);
	assert_false(front_conn_next(&p->conn, &request, &message));
	assert_false(front_conn_read(&p->conn));
}

static void
our_hello_is_a_reps(void **state)
{
	static const uint8_t rep[8] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };
	struct pair *p = *state;
	uint8_t got[9];

	assert_int_equal(read(p->asker, got, sizeof got), 8);
	assert_memory_equal(got, rep, 8);
}

static void
messages_are_whole_however_they_are_cut(void **state)
{
	struct pair *p = *state;
	uint8_t bytes[256];
	uint32_t request;
	struct span message;
	size_t len;

	memcpy(bytes, hello, 8);
	len = 8 + frame(bytes + 8, sizeof bytes - 8, 0x80000001, "first");
	len += frame(bytes + len, sizeof bytes - len, 0x80000002, "");
	for (size_t i = 0; i + 1 < len; i++) {
		say(p, bytes + i, 1);
		while (front_conn_read(&p->conn))
			;
		if (front_conn_next(&p->conn, &request, &message)) {
			assert_int_equal(request, 0x80000001);
			assert_int_equal(message.len, 5);
		}
		assert_false(p->conn.broken);
	}
	say(p, bytes + len - 1, 1);
	expect(p, 0x80000002, "");
}

static void
several_messages_of_one_read_come_in_order(void **state)
{
	struct pair *p = *state;
	uint8_t bytes[256];
	size_t len = 8;

	memcpy(bytes, hello, 8);
	for (uint32_t i = 0; i < 5; i++)
		len += frame(bytes + len, sizeof bytes - len, 0x80000000 + i, i % 2 ? "odd" : "even");
	say(p, bytes, len);
	for (uint32_t i = 0; i < 5; i++)
		expect(p, 0x80000000 + i, i % 2 ? "odd" : "even");
}

static void
a_hello_of_another_protocol_breaks_it(void **state)
{
	static const uint8_t pair_hello[8] = { 0, 'S', 'P', 0, 0, 0x10, 0, 0 };

	say(*state, pair_hello, 8);
	expect_broken(*state);
}

static void
a_length_that_is_too_long_or_too_short_breaks_it_at_once(void **state)
{
	static const uint64_t lens[] = { 0, 3, 4 + MESSAGE_MAX + 1, UINT64_MAX };

	for (size_t i = 0; i < 4; i++) {
		struct pair *p;
		uint8_t bytes[17];
		struct wire_out o = wire_out(bytes, sizeof bytes);

		wire_put_bytes(&o, hello, 8);
		wire_put_u8(&o, 1);
		wire_put_u64(&o, lens[i]);
		assert_int_equal(teardown(state), 0);
		assert_int_equal(setup(state), 0);
		p = *state;
		say(p, bytes, o.len);
		expect_broken(p);
		assert_true(p->conn.in_cap <= 65536);
	}
}

static void
a_frame_of_another_kind_breaks_it(void **state)
{
	uint8_t bytes[64];
	size_t len = 8;

	memcpy(bytes, hello, 8);
	len += frame(bytes + 8, sizeof bytes - 8, 0x80000001, "x");
	bytes[8] = 2;
	say(*state, bytes, len);
	expect_broken(*state);
}

static void
a_request_id_without_its_mark_breaks_it(void **state)
{
	uint8_t bytes[64];
	size_t len = 8;

	memcpy(bytes, hello, 8);
	len += frame(bytes + 8, sizeof bytes - 8, 1, "x");
	say(*state, bytes, len);
	expect_broken(*state);
}

static void
an_asker_that_leaves_is_noticed(void **state)
{
	struct pair *p = *state;

	close(p->asker);
	p->asker = -1;
	expect_broken(p);
}

static void
the_longest_message_passes(void **state)
{
	struct pair *p = *state;
	uint8_t head[21], *text = malloc(MESSAGE_MAX);
	struct wire_out o = wire_out(head, sizeof head);
	struct span message;
	uint32_t request;
	size_t said = 0;

	assert_non_null(text);
	memset(text, 'x', MESSAGE_MAX);
	wire_put_bytes(&o, hello, 8);
	wire_put_u8(&o, 1);
	wire_put_u64(&o, 4 + MESSAGE_MAX);
	wire_put_u32(&o, 0x80000009);
	say(p, head, o.len);
	while (!front_conn_next(&p->conn, &request, &message)) {
		ssize_t n = write(p->asker, text + said, MESSAGE_MAX - said);

		assert_true(n >= 0 || errno == EAGAIN);
		said += n > 0 ? (size_t)n : 0;
		(void)front_conn_read(&p->conn);
		assert_false(p->conn.broken);
	}
	assert_int_equal(request, 0x80000009);
	assert_int_equal(message.len, MESSAGE_MAX);
	assert_memory_equal(message.p, text, MESSAGE_MAX);
	free(text);
}

static void
answers_that_the_socket_does_not_take_wait_and_come_whole(void **state)
{
	enum { ANSWERS = 12, LEN = 100000 };
	struct pair *p = *state;
	uint8_t *text = malloc(LEN), *got = malloc((size_t)ANSWERS * (LEN + 13) + 8);
	size_t len = 0, wanted = (size_t)ANSWERS * (LEN + 13) + 8;

	assert_non_null(text);
	assert_non_null(got);
	for (uint32_t i = 0; i < ANSWERS; i++) {
		memset(text, 'a' + (int)i, LEN);
		front_conn_send(&p->conn, 0x80000000 + i, (struct span){ text, LEN }, now);
	}
	assert_true(front_conn_waiting(&p->conn) > 0);
	assert_int_equal(p->conn.stalled.ms, now.ms);
	while (len < wanted) {
		ssize_t n = read(p->asker, got + len, wanted - len);

		assert_true(n > 0 || errno == EAGAIN);
		len += n > 0 ? (size_t)n : 0;
		front_conn_flush(&p->conn, now);
	}
	assert_int_equal(front_conn_waiting(&p->conn), 0);
	for (size_t i = 0; i < ANSWERS; i++) {
		const uint8_t *at = got + 8 + i * (LEN + 13);

		assert_int_equal(at[0], 1);
		assert_int_equal(at[12], i);
		assert_int_equal(at[13], 'a' + i);
		assert_int_equal(at[13 + LEN - 1], 'a' + i);
	}
	free(text);
	free(got);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(our_hello_is_a_reps),
		TEST(messages_are_whole_however_they_are_cut),
		TEST(several_messages_of_one_read_come_in_order),
		TEST(a_hello_of_another_protocol_breaks_it),
		TEST(a_length_that_is_too_long_or_too_short_breaks_it_at_once),
		TEST(a_frame_of_another_kind_breaks_it),
		TEST(a_request_id_without_its_mark_breaks_it),
		TEST(an_asker_that_leaves_is_noticed),
		TEST(the_longest_message_passes),
		TEST(answers_that_the_socket_does_not_take_wait_and_come_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
