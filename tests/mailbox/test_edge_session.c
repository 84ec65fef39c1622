#include "tests/support/check.h"

#include <string.h>

#include "mailbox/edge_session.h"

static uint8_t key[PAIR_KEY_LEN] = { 1 };
static uint8_t other_key[PAIR_KEY_LEN] = { 2 };

/* Not a MAC: enough to see that all of its input goes in. */
static void
toy_tag(const uint8_t k[PAIR_KEY_LEN], const void *p, size_t len, uint8_t out[32])
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < PAIR_KEY_LEN; i++)
		h = (h ^ k[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const uint8_t *)p)[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < 32; i++)
		out[i] = (uint8_t)(h >> (i % 8 * 8));
}

struct two {
	struct edge_session listener, dialer;
	uint8_t bytes[2][64];
	struct wire_out hello[2];
	struct wire_out proof[2];
};

static void
start(struct two *t, bool proves)
{
	memset(t, 0, sizeof *t);
	t->listener = (struct edge_session){ .listens = true, .proves = proves, .key = key, .tag = toy_tag };
	t->dialer = (struct edge_session){ .proves = proves, .key = key, .tag = toy_tag };
	t->hello[0] = wire_out(t->bytes[0], 64);
	t->hello[1] = wire_out(t->bytes[1], 64);
	assert_int_equal(edge_session_start(&t->listener, &t->hello[0]), OK);
	assert_int_equal(edge_session_start(&t->dialer, &t->hello[1]), OK);
}

static enum err
hear(struct edge_session *s, const struct wire_out *said, struct wire_out *reply)
{
	struct wire_in in = wire_in(said->p, said->len);
	enum edge_frame kind = edge_frame_kind(&in);

	return edge_session_take(s, kind, &in, reply);
}

static void
both_ends_that_know_the_key_come_up(void **state)
{
	uint8_t bytes[2][64];
	struct wire_out none = wire_out(NULL, 0);
	struct two t;

	(void)state;
	start(&t, true);
	t.proof[0] = wire_out(bytes[0], 64);
	t.proof[1] = wire_out(bytes[1], 64);
	assert_int_equal(hear(&t.listener, &t.hello[1], &t.proof[0]), OK);
	assert_int_equal(t.listener.state, EDGE_WAITS_PROOF);
	assert_int_equal(hear(&t.dialer, &t.hello[0], &t.proof[1]), OK);
	assert_int_equal(hear(&t.listener, &t.proof[1], &none), OK);
	assert_int_equal(hear(&t.dialer, &t.proof[0], &none), OK);
	assert_int_equal(t.listener.state, EDGE_UP);
	assert_int_equal(t.dialer.state, EDGE_UP);
}

static void
inside_one_process_a_hello_is_enough(void **state)
{
	struct wire_out none = wire_out(NULL, 0);
	struct two t;

	(void)state;
	start(&t, false);
	assert_int_equal(hear(&t.listener, &t.hello[1], &none), OK);
	assert_int_equal(t.listener.state, EDGE_UP);
	assert_int_equal(none.len, 0);
}

static void
another_key_proves_nothing(void **state)
{
	uint8_t bytes[2][64];
	struct wire_out none = wire_out(NULL, 0);
	struct two t;

	(void)state;
	start(&t, true);
	t.dialer.key = other_key;
	t.proof[0] = wire_out(bytes[0], 64);
	t.proof[1] = wire_out(bytes[1], 64);
	assert_int_equal(hear(&t.listener, &t.hello[1], &t.proof[0]), OK);
	assert_int_equal(hear(&t.dialer, &t.hello[0], &t.proof[1]), OK);
	assert_int_equal(hear(&t.listener, &t.proof[1], &none), ERR_NOT_OWNER);
	assert_int_equal(t.listener.state, EDGE_DOWN);
}

static void
a_proof_sent_back_to_its_maker_proves_nothing(void **state)
{
	uint8_t bytes[64];
	struct wire_out none = wire_out(NULL, 0);
	struct wire_out proof = wire_out(bytes, 64);
	struct two t;

	(void)state;
	start(&t, true);
	/* A mirror says what it hears: the same nonce, the same proof. */
	assert_int_equal(hear(&t.listener, &t.hello[0], &proof), OK);
	assert_int_equal(hear(&t.listener, &proof, &none), ERR_NOT_OWNER);
}

static void
a_proof_of_an_earlier_connection_proves_nothing(void **state)
{
	uint8_t bytes[3][64];
	struct wire_out none = wire_out(NULL, 0);
	struct wire_out old = wire_out(bytes[2], 64);
	struct two t;

	(void)state;
	start(&t, true);
	assert_int_equal(hear(&t.dialer, &t.hello[0], &old), OK);
	start(&t, true);
	t.proof[0] = wire_out(bytes[0], 64);
	assert_int_equal(hear(&t.listener, &t.hello[1], &t.proof[0]), OK);
	assert_int_equal(hear(&t.listener, &old, &none), ERR_NOT_OWNER);
}

static void
another_build_is_refused(void **state)
{
	uint8_t bytes[64];
	struct wire_out proof = wire_out(bytes, 64);
	struct two t;

	(void)state;
	for (int proves = 0; proves < 2; proves++) {
		start(&t, proves != 0);
		t.hello[1].p[8] ^= 1;
		assert_int_equal(hear(&t.listener, &t.hello[1], &proof), ERR_PROTOCOL);
		assert_int_equal(t.listener.state, EDGE_DOWN);
	}
}

static void
what_is_not_due_is_refused(void **state)
{
	uint8_t bytes[2][64];
	uint8_t tag[EDGE_TAG_LEN] = { 0 };
	struct wire_out reply = wire_out(bytes[0], 64);
	struct wire_out proof = wire_out(bytes[1], 64);
	struct two t;

	(void)state;
	edge_frame_put_proof(&proof, tag);
	start(&t, true);
	assert_int_equal(hear(&t.listener, &proof, &reply), ERR_PROTOCOL);
	start(&t, true);
	assert_int_equal(hear(&t.listener, &t.hello[1], &reply), OK);
	assert_int_equal(hear(&t.listener, &t.hello[1], &reply), ERR_PROTOCOL);
	start(&t, false);
	assert_int_equal(hear(&t.listener, &t.hello[1], &reply), OK);
	assert_int_equal(hear(&t.listener, &t.hello[1], &reply), ERR_PROTOCOL);
	assert_int_equal(hear(&t.listener, &t.hello[1], &reply), ERR_PROTOCOL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_that_know_the_key_come_up),
		cmocka_unit_test(inside_one_process_a_hello_is_enough),
		cmocka_unit_test(another_key_proves_nothing),
		cmocka_unit_test(a_proof_sent_back_to_its_maker_proves_nothing),
		cmocka_unit_test(a_proof_of_an_earlier_connection_proves_nothing),
		cmocka_unit_test(another_build_is_refused),
		cmocka_unit_test(what_is_not_due_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
