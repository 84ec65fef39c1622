#include "tests/support/check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mailbox/dial.h"
#include "mailbox/edge_session.h"
#include "tests/support/chain.h"
#include "tests/support/rig_dir.h"

/* How long a machine with nothing else to do may take. A busy one needs more, but not each time. */
#define ALIVE_WITHIN_MS 2000

#define WAITS_MS 20000

static int
start(enum chain_placement placement)
{
	rig_dir_make();
	if (chain_start(placement))
		return 0;
	chain_stop();
	rig_dir_remove();
	return -1;
}

static int
start_one(void **state)
{
	(void)state;
	return start(CHAIN_ONE);
}

static int
start_three(void **state)
{
	(void)state;
	return start(CHAIN_THREE);
}

static int
stop(void **state)
{
	bool well = chain_stop();

	(void)state;
	rig_dir_remove();
	return well ? 0 : -1;
}

static struct dial *
open_dial(void)
{
	struct dial *d = NULL;

	assert_int_equal(dial_open("service.sock", 3000, &d), OK);
	return d;
}

static uint32_t
send_ask(struct dial *d, enum chain_order order, uint64_t offset, uint32_t limit)
{
	struct ask_body ask = { .op = (uint8_t)order, .offset = offset, .limit = limit };
	uint32_t request = 0;

	assert_int_equal(dial_send(d, MSG_ASK, &ask, &request), OK);
	return request;
}

static enum msg
receive(struct dial *d, uint32_t *request, union any_body *body)
{
	enum msg type = MSG_NONE;

	assert_int_equal(dial_receive(d, WAITS_MS, request, &type, body), OK);
	return type;
}

/* The one answer to one ask. */
static enum msg
ask(enum chain_order order, uint64_t offset, uint32_t limit, union any_body *body)
{
	struct dial *d = open_dial();
	uint32_t sent = send_ask(d, order, offset, limit);
	uint32_t request = 0;
	enum msg type = receive(d, &request, body);

	assert_int_equal(request, sent);
	dial_close(&d);
	return type;
}

static void
expect_refusal(enum chain_order order, enum err e)
{
	union any_body body;

	assert_int_equal(ask(order, 0, 0, &body), MSG_REFUSED);
	assert_int_equal(body.refusal.error, e);
}

static void
an_ask_goes_round_and_is_answered(void **state)
{
	union any_body body;

	(void)state;
	assert_int_equal(ask(CHAIN_PASS, 4711, 0, &body), MSG_ANSWER);
	assert_int_equal(body.answer.ack.index, 4711);
	assert_int_equal(body.answer.deposit.items.len, 0);
}

static void
a_long_deposit_arrives_whole(void **state)
{
	struct dial *d = open_dial();

	(void)state;
	for (uint64_t i = 1; i <= 20; i++) {
		union any_body body;
		uint32_t request;
		struct span items;

		send_ask(d, CHAIN_PASS, i, 221184);
		assert_int_equal(receive(d, &request, &body), MSG_ANSWER);
		items = body.answer.deposit.items;
		assert_int_equal(items.len, 221184);
		for (size_t k = 0; k < items.len; k += 1000)
			assert_int_equal(items.p[k], i);
	}
	dial_close(&d);
}

static void
many_asks_of_many_clients_are_each_answered_once(void **state)
{
	struct dial *dials[40];
	bool answered[40][12] = { { false } };
	uint32_t request;
	union any_body body;
	enum msg type;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		dials[i] = open_dial();
		for (uint64_t k = 0; k < 12; k++)
			send_ask(dials[i], CHAIN_PASS, i * 100 + k, (uint32_t)(k * 500));
	}
	for (size_t i = 0; i < 40; i++) {
		for (size_t n = 0; n < 12; n++) {
			assert_int_equal(receive(dials[i], &request, &body), MSG_ANSWER);
			assert_int_equal(body.answer.ack.index / 100, i);
			assert_int_equal(body.answer.deposit.items.len, body.answer.ack.index % 100 * 500);
			assert_false(answered[i][body.answer.ack.index % 100]);
			answered[i][body.answer.ack.index % 100] = true;
		}
		assert_int_equal(dial_receive(dials[i], 0, &request, &type, &body), ERR_TIMEOUT);
		dial_close(&dials[i]);
	}
}

static void
the_gate_knows_its_peers_process(void **state)
{
	union any_body body;

	(void)state;
	assert_int_equal(ask(CHAIN_PEER, 0, 0, &body), MSG_ANSWER);
	assert_int_equal(body.answer.ack.index, getpid());
}

static void
a_failure_of_the_gate_is_a_refusal_and_drops_its_answer(void **state)
{
	(void)state;
	expect_refusal(CHAIN_GATE_FAILS, ERR_NOT_FOUND);
}

static void
a_second_answer_is_dropped(void **state)
{
	struct dial *d = open_dial();
	uint32_t request;
	union any_body body;

	(void)state;
	for (int i = 0; i < 600; i++) {
		send_ask(d, CHAIN_TWICE, 0, 0);
		assert_int_equal(receive(d, &request, &body), MSG_ANSWER);
		assert_int_equal(body.answer.ack.index, 1);
	}
	dial_close(&d);
}

static void
a_failure_inside_ends_at_the_deadline(void **state)
{
	union any_body body;

	(void)state;
	expect_refusal(CHAIN_GRANTS_FAILS, ERR_TIMEOUT);
	expect_refusal(CHAIN_BATCH_FAILS, ERR_TIMEOUT);
	assert_int_equal(ask(CHAIN_PASS, 1, 0, &body), MSG_ANSWER);
}

static int
connect_raw(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	strcpy(a.sun_path, path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Bytes as an SP message; with what they say of their length. */
static void
write_raw(int fd, const void *p, size_t len, uint64_t said_len)
{
	uint8_t head[9];
	struct wire_out w = wire_out(head, sizeof head);

	wire_put_u8(&w, 1);
	wire_put_u64(&w, said_len);
	send(fd, head, sizeof head, MSG_NOSIGNAL);
	send(fd, p, len, MSG_NOSIGNAL);
}

/* Reads that many bytes; false at the end, or when none came for long. */
static bool
read_raw(int fd, void *p, size_t len)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	errno = 0;
	for (size_t done = 0; done < len; ) {
		ssize_t n;

		if (poll(&poll_fd, 1, WAITS_MS) != 1) {
			errno = ETIMEDOUT;
			return false;
		}
		n = recv(fd, (uint8_t *)p + done, len - done, 0);
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static int
greet_raw(const char *path, uint8_t protocol)
{
	uint8_t hello[8] = { 0, 'S', 'P', 0, 0, protocol, 0, 0 };
	int fd = connect_raw(path);

	if (fd < 0)
		return -1;
	send(fd, hello, sizeof hello, MSG_NOSIGNAL);
	if (read_raw(fd, hello, sizeof hello))
		return fd;
	close(fd);
	return -1;
}

/* REQ's framing: the id, then the message. */
static void
expect_raw_refusal(const uint8_t *message, size_t len)
{
	static uint8_t bytes[4 + MESSAGE_MAX] = { 0x80, 0, 0, 5 };
	uint8_t answer[9 + 4 + 200];
	int fd = greet_raw("service.sock", 0x30);
	struct wire_in in;
	uint64_t ask_id;
	uint64_t answer_len;
	enum msg type = MSG_NONE;
	union any_body body;

	assert_true(fd >= 0);
	memcpy(bytes + 4, message, len);
	write_raw(fd, bytes, 4 + len, 4 + len);
	assert_true(read_raw(fd, answer, 9));
	in = wire_in(answer + 1, 8);
	answer_len = wire_take_u64(&in);
	assert_in_range(answer_len, 4, sizeof answer - 9);
	assert_true(read_raw(fd, answer, answer_len));
	assert_memory_equal(answer, bytes, 4);
	in = wire_in(answer + 4, answer_len - 4);
	message_take(&in, ACTOR_GATE, ACTOR_CLIENT, &type, &ask_id, &body);
	assert_true(wire_done(&in));
	assert_int_equal(type, MSG_REFUSED);
	assert_int_equal(body.refusal.error, ERR_PROTOCOL);
	close(fd);
}

static void
what_is_no_message_of_a_clients_is_refused(void **state)
{
	uint8_t bytes[400] = { 0 };
	struct wire_out w = wire_out(bytes, sizeof bytes);
	struct ack_body ack = { 0 };
	union any_body body;

	(void)state;
	expect_raw_refusal(bytes, 0);
	expect_raw_refusal(bytes, 1);
	expect_raw_refusal(bytes, sizeof bytes);
	message_put(&w, MSG_AUDIT_ACK, 1, &ack);
	expect_raw_refusal(bytes, w.len);
	w = wire_out(bytes, sizeof bytes);
	message_put(&w, MSG_STATUS_ASK, 1, &(struct nothing_body){ 0 });
	expect_raw_refusal(bytes, w.len - 1);
	expect_raw_refusal(bytes, w.len + 1);
	assert_int_equal(ask(CHAIN_PASS, 1, 0, &body), MSG_ANSWER);
}

static void
a_message_too_long_or_too_short_ends_that_connection_only(void **state)
{
	static const uint64_t lens[] = { 4 + MESSAGE_MAX + 1, UINT64_MAX, 3 };
	union any_body body;
	uint8_t byte;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		int fd = greet_raw("service.sock", 0x30);

		assert_true(fd >= 0);
		write_raw(fd, "abc", 3, lens[i]);
		assert_false(read_raw(fd, &byte, 1));
		close(fd);
	}
	assert_int_equal(ask(CHAIN_PASS, 1, 0, &body), MSG_ANSWER);
}

/* More than there are contexts. */
static void
askers_that_leave_take_nothing_with_them(void **state)
{
	union any_body body;

	(void)state;
	for (int i = 0; i < 600; i++) {
		struct dial *d = open_dial();

		send_ask(d, i % 50 == 0 ? CHAIN_GRANTS_FAILS : CHAIN_PASS, 1, 1000);
		dial_close(&d);
	}
	assert_int_equal(ask(CHAIN_PASS, 1, 0, &body), MSG_ANSWER);
}

static void
knock_and_run(const char *path)
{
	for (int i = 0; i < 1000; i++) {
		int fd = connect_raw(path);

		if (fd >= 0)
			close(fd);
	}
}

static void
the_doors_survive_those_who_knock_and_run(void **state)
{
	uint64_t best_ms = UINT64_MAX;

	(void)state;
	for (int round = 0; round < 4; round++) {
		uint64_t start;

		knock_and_run("service.sock");
		knock_and_run("run/gate-audit");
		start = clock_mono().ms;
		assert_true(chain_passes_within(WAITS_MS));
		if (clock_mono().ms - start < best_ms)
			best_ms = clock_mono().ms - start;
	}
	assert_in_range(best_ms, 0, ALIVE_WITHIN_MS);
}

static void
a_process_that_dies_can_come_again(void **state)
{
	(void)state;
	for (int round = 0; round < 6; round++) {
		enum chain_process which = round % 2 == 0 ? CHAIN_KEYRING : CHAIN_AUDIT;
		struct dial *d = open_dial();

		/* It dies while asks are under way: they end, each once. */
		for (uint64_t i = 0; i < 30; i++)
			send_ask(d, CHAIN_PASS, i, 2000);
		chain_kill(which);
		for (int i = 0; i < 30; i++) {
			uint32_t request;
			union any_body body;
			enum msg type = receive(d, &request, &body);

			assert_true(type == MSG_ANSWER || (type == MSG_REFUSED && body.refusal.error == ERR_TIMEOUT));
		}
		dial_close(&d);
		assert_true(chain_restart(which));
		assert_true(chain_passes_within(WAITS_MS));
	}
}

static void
a_core_that_dies_can_come_again(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		chain_kill(CHAIN_CORE);
		assert_true(chain_restart(CHAIN_CORE));
		assert_true(chain_passes_within(WAITS_MS));
	}
}

static void
an_actor_can_end_its_process_with_an_error(void **state)
{
	struct dial *d = open_dial();
	enum chain_process which = *state != NULL ? CHAIN_CORE : CHAIN_AUDIT;

	send_ask(d, CHAIN_FAILS, 0, 0);
	assert_int_equal(chain_wait(which), err_exit(ERR_STORAGE_FAILED));
	dial_close(&d);
}

/* Takes one frame and says what the session says to it. */
static bool
hear_frame(int fd, struct edge_session *s)
{
	uint8_t head[9];
	uint8_t bytes[64];
	uint8_t reply[64];
	struct wire_in in = wire_in(head + 1, 8);
	struct wire_out w = wire_out(reply, sizeof reply);
	enum edge_frame kind;
	uint64_t len;

	if (!read_raw(fd, head, sizeof head) || (len = wire_take_u64(&in)) > sizeof bytes ||
	    !read_raw(fd, bytes, len))
		return false;
	in = wire_in(bytes, len);
	kind = edge_frame_kind(&in);
	if (edge_session_take(s, kind, &in, &w) != OK)
		return false;
	if (w.len > 0)
		write_raw(fd, reply, w.len, w.len);
	return true;
}

/* Takes audit's place at the gate's door: the connection; -1: it was not let in. */
static int
come_up_as_audit(void)
{
	uint8_t key[PAIR_KEY_LEN];
	struct edge_session s = { .proves = true, .key = key, .tag = chain_tag };
	uint8_t hello[64];
	struct wire_out w = wire_out(hello, sizeof hello);
	int fd = greet_raw("run/gate-audit", 0x10);

	chain_key(ACTOR_GATE, ACTOR_AUDIT, key);
	if (fd < 0 || edge_session_start(&s, &w) != OK)
		return -1;
	write_raw(fd, hello, w.len, w.len);
	while (s.state != EDGE_UP)
		if (!hear_frame(fd, &s)) {
			close(fd);
			return -1;
		}
	return fd;
}

/* In a child of the supervisor, which the test is. 0: it came up, broke the table and was dropped. */
static int
break_the_table(void)
{
	uint8_t frame[64];
	struct wire_out w = wire_out(frame, sizeof frame);
	uint8_t byte;
	int fd = -1;

	/* The gate may not have seen yet that the real one is gone. */
	for (int i = 0; i < 2000 && (fd = come_up_as_audit()) < 0; i++)
		poll(NULL, 0, 5);
	wire_put_u8(&w, EDGE_FRAME_MESSAGES);
	wire_put_span(&w, (struct span){ (const uint8_t *)"\0\1 no message", 13 });
	if (fd < 0)
		return 2;
	write_raw(fd, frame, w.len, w.len);
	while (read_raw(fd, &byte, 1))
		;
	return errno == ETIMEDOUT ? 3 : 0;
}

static void
a_peer_that_breaks_the_table_is_dropped(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	chain_kill(CHAIN_AUDIT);
	if ((pid = fork()) == 0)
		_exit(break_the_table());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(chain_restart(CHAIN_AUDIT));
	assert_true(chain_passes_within(WAITS_MS));
}

static size_t
count_lines(const char *with)
{
	FILE *f = fopen("trace", "r");
	char line[300];
	size_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof line, f) != NULL)
		n += strstr(line, with) != NULL;
	fclose(f);
	return n;
}

/* The ask's lines, in the order in which they happened. */
static void
the_trace_tells_the_way_of_an_ask(void **state)
{
	static const char *const steps[] = { "client>gate ASK ", "gate>grants RULING_WANTED ",
		"grants>vault RECORD_WANTED ", "vault>keyring KEYS_WANTED ", "keyring>audit AUDIT_INTENT ",
		"audit>gate AUDIT_ACK ", "gate>client ANSWER " };
	FILE *f = fopen("trace", "r");
	char id[40] = "";
	char line[300];
	size_t step = 0;

	(void)state;
	assert_non_null(f);
	while (step < 7 && fgets(line, sizeof line, f) != NULL) {
		const char *at = strstr(line, steps[step]);

		/* The first asks end at the edges that are not up yet. */
		if (strstr(line, steps[0]) != NULL) {
			step = 0;
			at = strstr(line, steps[0]);
			snprintf(id, sizeof id, "%.*s", (int)strcspn(strstr(line, "ask="), " "), strstr(line, "ask="));
		}
		if (at != NULL && strstr(line, id) != NULL)
			step++;
	}
	fclose(f);
	assert_int_equal(step, 7);
}

static void
every_traced_ask_has_one_end(void **state)
{
	union any_body body;

	(void)state;
	for (uint64_t i = 0; i < 20; i++)
		assert_int_equal(ask(CHAIN_PASS, i, 0, &body), MSG_ANSWER);
	assert_true(count_lines("client>gate ASK ") >= 20);
	assert_true(count_lines("gate>client ") >= 20);
	assert_true(count_lines("gate>client ") <= count_lines("client>gate ASK "));
}

/* Two lives of a host in one process, the test's own. */
static pthread_mutex_t ready_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready_cond = PTHREAD_COND_INITIALIZER;
static bool is_ready;

static enum err
on_ready(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&ready_lock);
	is_ready = true;
	pthread_cond_signal(&ready_cond);
	pthread_mutex_unlock(&ready_lock);
	return OK;
}

static void *
host_here(void *arg)
{
	*(enum err *)arg = chain_host_here(on_ready);
	return NULL;
}

static void
a_host_can_stop_and_start_again(void **state)
{
	enum err ended[4] = { OK, ERR_STORAGE_FAILED, OK, ERR_AUDIT_FULL };

	(void)state;
	rig_dir_make();
	assert_int_equal(mkdir("run", 0700), 0);
	for (int round = 0; round < 4; round++) {
		enum err e = ERR_INTERNAL;
		pthread_t thread;

		is_ready = false;
		assert_int_equal(pthread_create(&thread, NULL, host_here, &e), 0);
		pthread_mutex_lock(&ready_lock);
		while (!is_ready)
			pthread_cond_wait(&ready_cond, &ready_lock);
		pthread_mutex_unlock(&ready_lock);
		assert_true(chain_passes_within(WAITS_MS));
		if (ended[round] == OK)
			host_stop();
		else
			host_fail(ended[round]);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(e, ended[round]);
	}
	rig_dir_remove();
}

#define ONE(name)   { #name " (one process)", name, start_one, stop, (void *)1 }
#define THREE(name) { #name " (three processes)", name, start_three, stop, NULL }
#define BOTH(name)  ONE(name), THREE(name)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		BOTH(an_ask_goes_round_and_is_answered),
		BOTH(a_long_deposit_arrives_whole),
		BOTH(many_asks_of_many_clients_are_each_answered_once),
		BOTH(the_gate_knows_its_peers_process),
		BOTH(a_failure_of_the_gate_is_a_refusal_and_drops_its_answer),
		BOTH(a_second_answer_is_dropped),
		BOTH(a_failure_inside_ends_at_the_deadline),
		BOTH(what_is_no_message_of_a_clients_is_refused),
		BOTH(a_message_too_long_or_too_short_ends_that_connection_only),
		BOTH(askers_that_leave_take_nothing_with_them),
		BOTH(the_doors_survive_those_who_knock_and_run),
		BOTH(the_trace_tells_the_way_of_an_ask),
		BOTH(every_traced_ask_has_one_end),
		BOTH(an_actor_can_end_its_process_with_an_error),
		THREE(a_process_that_dies_can_come_again),
		THREE(a_core_that_dies_can_come_again),
		THREE(a_peer_that_breaks_the_table_is_dropped),
		cmocka_unit_test(a_host_can_stop_and_start_again),
	};

	chain_be_child(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
