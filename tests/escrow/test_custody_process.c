/* The process that talks to a keyring, played by this test itself: what its parent makes of each end. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "escrow/custody_process.h"
#include "tests/support/check.h"

#define TEXT "what the keyring keeps"

static struct custody_request
asking(enum custody_task task, const char *role)
{
	struct custody_request r = { .task = task, .text = { (const uint8_t *)TEXT, strlen(TEXT) } };

	setenv("XDG_RUNTIME_DIR", role, 1);
	memset(r.key.home, 7, sizeof r.key.home);
	r.key.library.b[0] = 1;
	r.key.enrolment.b[15] = 2;
	return r;
}

static struct custody_reply
ask(enum custody_task task, const char *role)
{
	struct custody_request r = asking(task, role);
	struct custody_reply reply;

	custody_process_ask(&r, &reply);
	/* Nothing is left, running or dead. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return reply;
}

static void
expect_silence(const char *role)
{
	struct custody_reply reply = ask(CUSTODY_LOAD, role);

	assert_int_equal(reply.e, ERR_CUSTODY_UNAVAILABLE);
	assert_int_equal(reply.why, CUSTODY_NO_ANSWER);
	assert_null(reply.text);
}

static void
what_it_says_arrives_and_what_it_was_asked_arrived_there(void **state)
{
	struct custody_reply reply;

	(void)state;
	reply = ask(CUSTODY_STORE, "echo");
	assert_int_equal(reply.e, ERR_CUSTODY_LOCKED);
	assert_int_equal(reply.why, CUSTODY_WANTS_PROMPT);
	assert_int_equal(secret_len(reply.text), strlen(TEXT));
	assert_memory_equal(secret_view(reply.text), TEXT, strlen(TEXT));
	secret_free(&reply.text);
}

static void
one_that_says_nothing_or_nonsense_or_dies_is_unavailable(void **state)
{
	static const char *const roles[] = { "nothing", "nonsense", "half", "too much", "abort" };

	(void)state;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		expect_silence(roles[i]);
}

static void
one_that_never_answers_is_killed_at_the_deadline(void **state)
{
	struct mono_ms before = clock_mono();

	(void)state;
	expect_silence("for ever");
	assert_in_range(clock_mono().ms - before.ms, CUSTODY_PROCESS_MS - 100, 30000);
}

/* A secret of the daemon's environment, and a descriptor that it holds, are not there. */
static void
it_has_no_descriptor_no_argument_and_no_variable_but_its_own(void **state)
{
	int fd = dup(STDOUT_FILENO);
	struct custody_reply reply;

	(void)state;
	setenv("MEMORIES_TEST_SECRET", "x", 1);
	reply = ask(CUSTODY_LOAD, "look");
	close(fd);
	assert_int_equal(reply.e, OK);
	secret_free(&reply.text);
}

static void
every_request_and_reply_comes_back_as_it_was(void **state)
{
	uint8_t buf[CUSTODY_REQUEST_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct custody_request r = asking(CUSTODY_STORE, ""), back;

	(void)state;
	custody_request_put(&o, &r);
	assert_false(o.failed);
	assert_true(custody_request_take(wire_written(&o), &back));
	assert_int_equal(back.task, CUSTODY_STORE);
	assert_true(uuid_equal(back.key.enrolment, r.key.enrolment));
	assert_memory_equal(back.key.home, r.key.home, sizeof r.key.home);
	assert_int_equal(back.text.len, r.text.len);
	for (size_t len = 0; len < o.len; len++)
		assert_false(custody_request_take((struct span){ buf, len }, &back));
	buf[0] = CUSTODY_REMOVE + 1;
	assert_false(custody_request_take(wire_written(&o), &back));
}

static void
a_reply_of_no_such_error_or_detail_is_none(void **state)
{
	static const uint8_t replies[][7] = {
		{ 0xff, 0xff, 0, 0, 0, 0, 0 }, { 0, 0, CUSTODY_DETAIL__COUNT, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 1 },
		{ 0, 0, 0, 0xff, 0xff, 0xff, 0xff },
	};
	struct custody_reply back;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_false(custody_reply_take((struct span){ replies[i], 7 }, &back));
}

static void
every_detail_has_words_and_none_has_none(void **state)
{
	(void)state;
	assert_string_equal(custody_detail_text(CUSTODY_NO_DETAIL), "");
	assert_string_equal(custody_detail_text(CUSTODY_DETAIL__COUNT), "");
	for (unsigned d = 1; d < CUSTODY_DETAIL__COUNT; d++)
		assert_true(strlen(custody_detail_text(d)) > 20);
}

/* The roles of the process, by a variable that it does get. */

static size_t
hear_request(struct custody_request *r)
{
	static uint8_t in[CUSTODY_REQUEST_MAX + 1];
	size_t len = 0;
	ssize_t n;

	while ((n = read(STDIN_FILENO, in + len, sizeof in - len)) > 0)
		len += (size_t)n;
	return custody_request_take((struct span){ in, len }, r) ? len : 0;
}

static void
say(enum err e, enum custody_detail why, struct span text, size_t cut)
{
	uint8_t out[CUSTODY_REPLY_MAX];
	struct wire_out o = wire_out(out, sizeof out);
	struct custody_reply reply = { .e = e, .why = why };

	if (text.len > 0 && secret_new(text.len, &reply.text) == OK)
		memcpy(secret_bytes(reply.text), text.p, text.len);
	custody_reply_put(&o, &reply);
	secret_free(&reply.text);
	if (send(STDIN_FILENO, out, o.len - cut, MSG_NOSIGNAL) < 0)
		_exit(3);
}

static size_t
n_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	if (d == NULL)
		return 99;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 3; /* two dots, and the folder itself */
}

static enum err
look_around(void)
{
	extern char **environ;
	size_t n = 0;

	while (environ[n] != NULL)
		n++;
	return n == 1 && n_descriptors() == 3 ? OK : ERR_INTERNAL;
}

static int
play(const char *role)
{
	struct custody_request r;
	bool heard = hear_request(&r) != 0 && r.parent_pid == (uint32_t)getppid();
	uint8_t much[2 * CUSTODY_REPLY_MAX] = { 0 };

	if (!heard)
		return 1;
	if (strcmp(role, "echo") == 0)
		say(ERR_CUSTODY_LOCKED, CUSTODY_WANTS_PROMPT, r.text, 0);
	else if (strcmp(role, "nonsense") == 0)
		return send(STDIN_FILENO, "nonsense", 8, MSG_NOSIGNAL) != 8;
	else if (strcmp(role, "half") == 0)
		say(OK, CUSTODY_NO_DETAIL, r.text, 1);
	else if (strcmp(role, "too much") == 0)
		return send(STDIN_FILENO, much, sizeof much, MSG_NOSIGNAL) < 0;
	else if (strcmp(role, "abort") == 0)
		raise(SIGKILL);
	else if (strcmp(role, "for ever") == 0)
		for (;;)
			pause();
	else if (strcmp(role, "look") == 0)
		say(look_around(), CUSTODY_NO_DETAIL, (struct span){ NULL, 0 }, 0);
	return 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_says_arrives_and_what_it_was_asked_arrived_there),
		cmocka_unit_test(one_that_says_nothing_or_nonsense_or_dies_is_unavailable),
		cmocka_unit_test(one_that_never_answers_is_killed_at_the_deadline),
		cmocka_unit_test(it_has_no_descriptor_no_argument_and_no_variable_but_its_own),
		cmocka_unit_test(every_request_and_reply_comes_back_as_it_was),
		cmocka_unit_test(a_reply_of_no_such_error_or_detail_is_none),
		cmocka_unit_test(every_detail_has_words_and_none_has_none),
	};

	if (secret_init(true) != OK)
		return 1;
	if (argc == 2 && strcmp(argv[1], CUSTODY_PROCESS_WORD) == 0 && strcmp(argv[0], CUSTODY_PROCESS_NAME) == 0)
		return play(getenv("XDG_RUNTIME_DIR"));
	unsetenv("DBUS_SESSION_BUS_ADDRESS");
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
