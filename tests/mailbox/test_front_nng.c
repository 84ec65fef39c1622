/* The front door and the dial keep to nng's wire protocol: each talks to the real nng. */
#include "tests/support/check.h"

#include <pthread.h>
#include <string.h>

#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>

#include "mailbox/dial.h"
#include "mailbox/front.h"
#include "tests/support/rig_dir.h"

static struct front *front;

static enum err
refuse_all(void *arg, const struct front_ask *ask)
{
	(void)arg;
	(void)ask;
	return ERR_LOCKED;
}

static void
run(void *arg)
{
	(void)arg;
}

static void
a_real_nng_asker_is_answered(void **state)
{
	struct front_events events = { refuse_all, run, NULL };
	uint8_t bytes[64];
	struct wire_out o = wire_out(bytes, sizeof bytes);
	struct wire_in in;
	union any_body body;
	uint64_t ask_id;
	enum msg type;
	nng_socket s;
	nng_msg *m;

	(void)state;
	assert_int_equal(front_new("service.sock", 16, &events, &front), OK);
	assert_int_equal(front_listen(front), OK);
	assert_int_equal(nng_req0_open(&s), 0);
	assert_int_equal(nng_socket_set_ms(s, NNG_OPT_RECVTIMEO, 5000), 0);
	assert_int_equal(nng_dial(s, "ipc://service.sock", NULL, 0), 0);
	message_put(&o, MSG_STATUS_ASK, 0, &(struct nothing_body){ 0 });
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nng_msg_alloc(&m, o.len), 0);
		memcpy(nng_msg_body(m), bytes, o.len);
		assert_int_equal(nng_sendmsg(s, m, 0), 0);
		assert_int_equal(nng_recvmsg(s, &m, 0), 0);
		in = wire_in(nng_msg_body(m), nng_msg_len(m));
		message_take(&in, ACTOR_GATE, ACTOR_CLIENT, &type, &ask_id, &body);
		assert_true(wire_done(&in));
		assert_int_equal(type, MSG_REFUSED);
		assert_int_equal(body.refusal.error, ERR_LOCKED);
		nng_msg_free(m);
	}
	nng_close(s);
	front_close(front);
	front_free(&front);
}

/* Answers one request with DONE. */
static void *
answer_one(void *arg)
{
	static const struct made_body nothing_made;
	nng_socket *s = arg;
	uint8_t bytes[64];
	struct wire_out o = wire_out(bytes, sizeof bytes);
	nng_msg *m;

	message_put(&o, MSG_DONE, 0, &nothing_made);
	if (nng_recvmsg(*s, &m, 0) != 0)
		return NULL;
	nng_msg_clear(m);
	if (nng_msg_append(m, bytes, o.len) == 0 && nng_sendmsg(*s, m, 0) != 0)
		nng_msg_free(m);
	return NULL;
}

static void
a_dial_is_answered_by_a_real_nng(void **state)
{
	struct dial *dial = NULL;
	union any_body body;
	uint32_t request, answered;
	enum msg type;
	pthread_t thread;
	nng_socket s;

	(void)state;
	assert_int_equal(nng_rep0_open(&s), 0);
	assert_int_equal(nng_socket_set_ms(s, NNG_OPT_RECVTIMEO, 5000), 0);
	assert_int_equal(nng_listen(s, "ipc://nng.sock", NULL, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer_one, &s), 0);
	assert_int_equal(dial_open("nng.sock", 1000, &dial), OK);
	assert_int_equal(dial_send(dial, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	assert_int_equal(dial_receive(dial, 5000, &answered, &type, &body), OK);
	assert_int_equal(answered, request);
	assert_int_equal(type, MSG_DONE);
	pthread_join(thread, NULL);
	dial_close(&dial);
	nng_close(s);
}

static int
setup(void **state)
{
	(void)state;
	rig_dir_make();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_dir_remove();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_real_nng_asker_is_answered, setup, teardown),
		cmocka_unit_test_setup_teardown(a_dial_is_answered_by_a_real_nng, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
