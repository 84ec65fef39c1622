#include "tests/support/check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mailbox/dial.h"
#include "tests/support/rig_dir.h"

#define PATH "service.sock"

static const uint8_t rep_hello[8] = { 0, 'S', 'P', 0, 0, 0x31, 0, 0 };
static const uint8_t req_hello[8] = { 0, 'S', 'P', 0, 0, 0x30, 0, 0 };

static pid_t server;

/*
 * A daemon made of a function, in a child of its own: what it finds wrong is
 * its exit status, which the test's end looks at.
 */
static void
need(bool holds, int line)
{
	if (!holds)
		_exit(line % 100 + 100);
}
#define NEED(holds) need((holds), __LINE__)

static int
bind_here(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = PATH };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0)
		exit(99);
	return fd;
}

static void
serve_on(int fd, void (*script)(int listener))
{
	if ((server = fork()) == 0) {
		alarm(60);
		script(fd);
		_exit(0);
	}
	close(fd);
}

static void
serve(void (*script)(int listener))
{
	int fd = bind_here();

	assert_int_equal(listen(fd, 8), 0);
	serve_on(fd, script);
}

static void
expect_served(void)
{
	int status;

	assert_int_equal(waitpid(server, &status, 0), server);
	server = 0;
	assert_int_equal(status, 0);
}

static void
take_bytes(int fd, void *p, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(fd, (uint8_t *)p + done, len - done);

		NEED(n > 0);
		done += (size_t)n;
	}
}

static int
accept_asker(int listener)
{
	int fd = accept(listener, NULL, NULL);
	uint8_t hello[8];

	NEED(fd >= 0);
	take_bytes(fd, hello, 8);
	NEED(memcmp(hello, req_hello, 8) == 0);
	NEED(write(fd, rep_hello, 8) == 8);
	return fd;
}

/* Takes a request: its id, and what it says. */
static uint32_t
take_request(int fd, enum msg *type)
{
	static uint8_t bytes[4 + MESSAGE_MAX];
	static union any_body body;
	uint8_t head[9] = { 0 };
	struct wire_in in = wire_in(head, sizeof head);
	uint64_t ask_id;
	uint64_t len;
	uint32_t id;

	take_bytes(fd, head, sizeof head);
	NEED(wire_take_u8(&in) == 1);
	len = wire_take_u64(&in);
	NEED(len >= 4 && len <= sizeof bytes);
	take_bytes(fd, bytes, len);
	in = wire_in(bytes, len);
	id = wire_take_u32(&in);
	NEED((id & 0x80000000u) != 0);
	message_take(&in, ACTOR_CLIENT, ACTOR_GATE, type, &ask_id, &body);
	NEED(wire_done(&in));
	return id;
}

static size_t
make_answer(uint8_t *out, size_t cap, uint32_t id, enum msg type, const void *body)
{
	struct wire_out w = wire_out(out + 9, cap - 9);
	struct wire_out head = wire_out(out, 9);

	wire_put_u32(&w, id);
	message_put(&w, type, 1, body);
	NEED(!w.failed);
	wire_put_u8(&head, 1);
	wire_put_u64(&head, w.len);
	return 9 + w.len;
}

static void
say(int fd, uint32_t id, uint64_t size)
{
	static uint8_t bytes[9 + 4 + MESSAGE_MAX];
	static uint8_t items[200000];
	struct answer_body answer = { .deposit.items = { items, size } };
	size_t len = make_answer(bytes, sizeof bytes, id, MSG_ANSWER, &answer);
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, bytes + done, len - done);

		NEED(n > 0);
		done += (size_t)n;
	}
}

static void
wait_for_end(int fd)
{
	uint8_t byte;

	NEED(read(fd, &byte, 1) <= 0);
}

static int
make_dir(void **state)
{
	(void)state;
	rig_dir_make();
	return 0;
}

static int
remove_dir(void **state)
{
	(void)state;
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
		server = 0;
	}
	rig_dir_remove();
	return 0;
}

static struct dial *
open_dial(void)
{
	struct dial *d = NULL;

	assert_int_equal(dial_open(PATH, 0, &d), OK);
	assert_true(dial_fd(d) >= 0);
	return d;
}

static uint32_t
send_hello(struct dial *d)
{
	struct hello_body hello = { .fingerprint = protocol_fingerprint() };
	uint32_t request = 0;

	assert_int_equal(dial_send(d, MSG_HELLO, &hello, &request), OK);
	return request;
}

static void
nobody_listens_is_said_at_once_or_when_patience_ends(void **state)
{
	struct dial *d = NULL;

	(void)state;
	assert_int_equal(dial_open(PATH, 0, &d), ERR_DAEMON_NOT_RUNNING);
	assert_int_equal(dial_open(PATH, 30, &d), ERR_DAEMON_NOT_RUNNING);
	close(bind_here());
	assert_int_equal(dial_open(PATH, 0, &d), ERR_DAEMON_NOT_RUNNING);
	assert_int_equal(dial_open(PATH, 30, &d), ERR_DAEMON_NOT_RUNNING);
	assert_null(d);
}

static void
a_path_too_long_is_refused(void **state)
{
	char path[200];
	struct dial *d = NULL;

	(void)state;
	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	assert_int_equal(dial_open(path, 0, &d), ERR_INVALID_ARGUMENT);
}

static void
answer_byte_by_byte(int listener)
{
	struct welcome_body welcome = { .initialized = 1 };
	int fd = accept_asker(listener);
	uint8_t bytes[1024];
	enum msg type = MSG_NONE;
	uint32_t id = take_request(fd, &type);
	size_t len = make_answer(bytes, sizeof bytes, id, MSG_WELCOME, &welcome);

	NEED(type == MSG_HELLO);
	for (size_t i = 0; i < len; i++)
		NEED(write(fd, bytes + i, 1) == 1);
	wait_for_end(fd);
}

static void
an_answer_may_come_in_any_pieces(void **state)
{
	struct dial *d;
	uint32_t asked;
	uint32_t request = 0;
	enum msg type = MSG_NONE;
	union any_body body;

	(void)state;
	serve(answer_byte_by_byte);
	d = open_dial();
	asked = send_hello(d);
	assert_int_equal(dial_receive(d, 10000, &request, &type, &body), OK);
	assert_int_equal(request, asked);
	assert_int_equal(type, MSG_WELCOME);
	assert_int_equal(body.welcome.initialized, 1);
	dial_close(&d);
	expect_served();
}

static void
answer_backwards(int listener)
{
	int fd = accept_asker(listener);
	enum msg type;
	uint32_t ids[20];

	for (size_t i = 0; i < 20; i++)
		ids[i] = take_request(fd, &type);
	for (size_t i = 20; i-- > 0; )
		say(fd, ids[i], i * 10000);
	wait_for_end(fd);
}

static void
answers_find_their_requests_in_any_order(void **state)
{
	struct dial *d;
	uint32_t asked[20];
	uint32_t request = 0;
	enum msg type;
	union any_body body;

	(void)state;
	serve(answer_backwards);
	d = open_dial();
	for (size_t i = 0; i < 20; i++)
		asked[i] = send_hello(d);
	for (size_t i = 20; i-- > 0; ) {
		assert_int_equal(dial_receive(d, 10000, &request, &type, &body), OK);
		assert_int_equal(request, asked[i]);
		assert_int_equal(body.answer.deposit.items.len, i * 10000);
	}
	assert_int_equal(dial_receive(d, 0, &request, &type, &body), ERR_TIMEOUT);
	dial_close(&d);
	expect_served();
}

/* Its answers fill the socket before it reads on: whoever only wrote would wait for ever. */
static void
answer_each_at_length(int listener)
{
	int fd = accept_asker(listener);
	enum msg type;

	for (size_t i = 0; i < 12; i++)
		say(fd, take_request(fd, &type), 20000);
	wait_for_end(fd);
}

static void
a_long_request_does_not_wait_for_answers_to_be_read(void **state)
{
	static uint8_t sealed[65576];
	struct chunk_put_body put = { .sealed = { sealed, sizeof sealed } };
	struct dial *d;
	uint32_t request;
	enum msg type;
	union any_body body;

	(void)state;
	serve(answer_each_at_length);
	d = open_dial();
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(dial_send(d, MSG_CHUNK_PUT, &put, &request), OK);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(dial_receive(d, 10000, &request, &type, &body), OK);
	dial_close(&d);
	expect_served();
}

static void
die_inside_an_answer(int listener)
{
	struct welcome_body welcome = { .initialized = 1 };
	int fd = accept_asker(listener);
	uint8_t bytes[1024];
	enum msg type;
	size_t len = make_answer(bytes, sizeof bytes, take_request(fd, &type), MSG_WELCOME, &welcome);

	NEED(write(fd, bytes, len - 1) == (ssize_t)len - 1);
}

static void
a_daemon_that_dies_inside_an_answer_interrupts(void **state)
{
	struct hello_body hello = { 0 };
	struct dial *d;
	uint32_t request;
	enum msg type;
	union any_body body;

	(void)state;
	serve(die_inside_an_answer);
	d = open_dial();
	send_hello(d);
	assert_int_equal(dial_receive(d, 10000, &request, &type, &body), ERR_INTERRUPTED);
	assert_int_equal(dial_receive(d, 10000, &request, &type, &body), ERR_INTERRUPTED);
	assert_int_equal(dial_send(d, MSG_HELLO, &hello, &request), ERR_INTERRUPTED);
	assert_int_equal(dial_fd(d), -1);
	dial_close(&d);
	expect_served();
}

static void
answer_with(int listener, const void *bytes, size_t len)
{
	int fd = accept_asker(listener);
	enum msg type;

	take_request(fd, &type);
	NEED(write(fd, bytes, len) == (ssize_t)len);
	wait_for_end(fd);
}

static void
say_too_long(int listener)
{
	answer_with(listener, "\1\0\0\0\0\1\0\0\0", 9);
}

static void
say_too_short(int listener)
{
	answer_with(listener, "\1\0\0\0\0\0\0\0\3abc", 12);
}

static void
say_another_type(int listener)
{
	answer_with(listener, "\2\0\0\0\0\0\0\0\4\x80\0\0\1", 13);
}

static void
say_no_message(int listener)
{
	answer_with(listener, "\1\0\0\0\0\0\0\0\6\x80\0\0\1\0\0", 15);
}

static void
say_what_clients_say(int listener)
{
	struct nothing_body nothing = { 0 };
	uint8_t bytes[128];

	answer_with(listener, bytes, make_answer(bytes, sizeof bytes, 0x80000001u, MSG_STATUS_ASK, &nothing));
}

static void
what_is_no_answer_of_the_gates_ends_the_connection(void **state)
{
	static void (*const scripts[])(int) = { say_too_long, say_too_short, say_another_type,
		say_no_message, say_what_clients_say };

	(void)state;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		struct dial *d;
		uint32_t request;
		enum msg type;
		union any_body body;

		serve(scripts[i]);
		d = open_dial();
		send_hello(d);
		assert_int_equal(dial_receive(d, 10000, &request, &type, &body), ERR_PROTOCOL);
		assert_int_equal(dial_fd(d), -1);
		dial_close(&d);
		expect_served();
		assert_int_equal(unlink(PATH), 0);
	}
}

/* As a listener does that is closed and made anew. */
static void
hang_up_twice_then_answer(int listener)
{
	for (int i = 0; i < 2; i++)
		close(accept(listener, NULL, NULL));
	wait_for_end(accept_asker(listener));
}

static void
patience_outlasts_a_listener_that_moves(void **state)
{
	struct dial *d = NULL;

	(void)state;
	serve(hang_up_twice_then_answer);
	assert_int_equal(dial_open(PATH, 10000, &d), OK);
	dial_close(&d);
	expect_served();
}

static void
hold_the_connection(int listener)
{
	int fd = accept(listener, NULL, NULL);
	uint8_t hello[8];

	take_bytes(fd, hello, 8);
	wait_for_end(fd);
}

static void
somebody_who_listens_and_says_nothing_is_not_nobody(void **state)
{
	struct dial *d = NULL;

	(void)state;
	serve(hold_the_connection);
	assert_int_equal(dial_open(PATH, 0, &d), ERR_TIMEOUT);
	expect_served();
}

/* As a killed daemon whose socket is not closed yet: who connects is hung up on, and then nobody is there. */
static void
hang_up_and_die(int listener)
{
	close(accept(listener, NULL, NULL));
	close(listener);
}

static void
a_listener_that_dies_is_nobody(void **state)
{
	struct dial *d = NULL;

	(void)state;
	for (unsigned patience = 0; patience <= 100; patience += 100) {
		serve(hang_up_and_die);
		assert_int_equal(dial_open(PATH, patience, &d), ERR_DAEMON_NOT_RUNNING);
		assert_null(d);
		expect_served();
		assert_int_equal(unlink(PATH), 0);
	}
}

static void
greet_wrongly(int listener)
{
	int fd = accept(listener, NULL, NULL);
	uint8_t hello[8];

	take_bytes(fd, hello, 8);
	NEED(write(fd, req_hello, 8) == 8);
	wait_for_end(fd);
}

static void
another_protocol_is_refused(void **state)
{
	struct dial *d = NULL;

	(void)state;
	serve(greet_wrongly);
	assert_int_equal(dial_open(PATH, 1000, &d), ERR_PROTOCOL);
	expect_served();
}

static void
listen_as_another_user(int fd)
{
	NEED(setresuid(65534, 65534, 65534) == 0);
	NEED(listen(fd, 8) == 0);
	close(accept(fd, NULL, NULL));
}

static void
another_user_who_listens_is_refused(void **state)
{
	struct dial *d = NULL;

	(void)state;
	if (geteuid() != 0)
		skip();
	serve_on(bind_here(), listen_as_another_user);
	assert_int_equal(dial_open(PATH, 10000, &d), ERR_NOT_OWNER);
	expect_served();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_listens_is_said_at_once_or_when_patience_ends),
		TEST(a_path_too_long_is_refused),
		TEST(an_answer_may_come_in_any_pieces),
		TEST(answers_find_their_requests_in_any_order),
		TEST(a_long_request_does_not_wait_for_answers_to_be_read),
		TEST(a_daemon_that_dies_inside_an_answer_interrupts),
		TEST(what_is_no_answer_of_the_gates_ends_the_connection),
		TEST(patience_outlasts_a_listener_that_moves),
		TEST(somebody_who_listens_and_says_nothing_is_not_nobody),
		TEST(a_listener_that_dies_is_nobody),
		TEST(another_protocol_is_refused),
		TEST(another_user_who_listens_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
