#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "gateway/mcp_stdio.h"
#include "gateway/rpc_line.h"
#include "tests/gateway/mcp_rig.h"
#include "tests/support/check.h"

/* A server in a thread; the test is its client. */
struct stdio_rig {
	struct mcp_rig mcp;
	pthread_t      thread;
	int            to_server[2], from_server[2], stop[2];
	enum err       outcome;
};

static void *
serve(void *arg)
{
	struct stdio_rig *rig = arg;

	rig->outcome = mcp_stdio_serve(&rig->mcp.server, rig->to_server[0], rig->from_server[1], rig->stop[0]);
	close(rig->from_server[1]);
	return NULL;
}

static int
set_up(void **state)
{
	struct stdio_rig *rig = calloc(1, sizeof *rig);

	if (rig == NULL || pipe(rig->to_server) != 0 || pipe(rig->from_server) != 0 || pipe(rig->stop) != 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	rig_open(&rig->mcp);
	*state = rig;
	return pthread_create(&rig->thread, NULL, serve, rig);
}

static int
tear_down(void **state)
{
	struct stdio_rig *rig = *state;

	close(rig->to_server[0]);
	close(rig->from_server[0]);
	close(rig->stop[0]);
	close(rig->stop[1]);
	rig_close(&rig->mcp);
	free(rig);
	return 0;
}

static void
say(struct stdio_rig *rig, const char *bytes)
{
	assert_int_equal(write(rig->to_server[1], bytes, strlen(bytes)), strlen(bytes));
}

/* Ends the input, waits for the server and gives everything that it said. */
static char *
finish(struct stdio_rig *rig)
{
	char *all = calloc(1, 65536);
	size_t len = 0;
	ssize_t n;

	close(rig->to_server[1]);
	while ((n = read(rig->from_server[0], all + len, 65535 - len)) > 0)
		len += (size_t)n;
	pthread_join(rig->thread, NULL);
	return all;
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}\n"

static void
each_line_is_answered_in_order(void **state)
{
	struct stdio_rig *rig = *state;
	char *all;

	say(rig, PING("1") "\r\n\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n" PING("\"two\"") "\n");
	say(rig, PING("3"));
	all = finish(rig);
	assert_string_equal(all, PONG("1") PONG("\"two\"") PONG("3"));
	assert_int_equal(rig->outcome, OK);
	free(all);
}

static void
junk_is_answered_and_the_stream_goes_on(void **state)
{
	struct stdio_rig *rig = *state;
	char *all, *second;

	say(rig, "Content-Length: 10\n" PING("1") "\n");
	all = finish(rig);
	assert_non_null(strstr(all, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"));
	second = strchr(all, '\n') + 1;
	assert_string_equal(second, PONG("1"));
	free(all);
}

static void
a_line_that_is_too_long_is_answered_without_an_id(void **state)
{
	struct stdio_rig *rig = *state;
	char piece[65537];
	char *all;

	memset(piece, ' ', 65536);
	piece[65536] = 0;
	piece[0] = '7';
	for (size_t n = 0; n < 2 * RPC_LINE_MAX; n += 65536)
		say(rig, piece);
	say(rig, "\n" PING("1") "\n");
	all = finish(rig);
	assert_non_null(strstr(all, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,"));
	assert_string_equal(strchr(all, '\n') + 1, PONG("1"));
	free(all);
}

static void
the_stop_ends_a_server_that_waits(void **state)
{
	struct stdio_rig *rig = *state;
	char first[sizeof PONG("1")] = "";

	say(rig, PING("1") "\n{\"half");
	assert_int_equal(read(rig->from_server[0], first, sizeof first - 1), sizeof first - 1);
	assert_int_equal(write(rig->stop[1], "x", 1), 1);
	pthread_join(rig->thread, NULL);
	assert_string_equal(first, PONG("1"));
	assert_int_equal(rig->outcome, OK);
	close(rig->to_server[1]);
}

static void
a_client_that_is_gone_is_an_ordinary_end(void **state)
{
	struct stdio_rig *rig = *state;

	close(rig->from_server[0]);
	say(rig, PING("1") "\n");
	pthread_join(rig->thread, NULL);
	assert_int_equal(rig->outcome, OK);
	close(rig->to_server[1]);
	rig->from_server[0] = dup(rig->to_server[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_line_is_answered_in_order),
		TEST(junk_is_answered_and_the_stream_goes_on),
		TEST(a_line_that_is_too_long_is_answered_without_an_id),
		TEST(the_stop_ends_a_server_that_waits),
		TEST(a_client_that_is_gone_is_an_ordinary_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
