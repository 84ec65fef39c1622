#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gateway/rpc_line.h"
#include "tests/support/check.h"

struct pipe_rig {
	int                in_fd, out_fd;
	struct rpc_reader *reader;
};

static int
set_up(void **state)
{
	struct pipe_rig *rig = calloc(1, sizeof *rig);
	int fds[2];

	if (rig == NULL || pipe(fds) != 0)
		return -1;
	rig->in_fd = fds[0];
	rig->out_fd = fds[1];
	fcntl(rig->in_fd, F_SETFL, O_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	*state = rig;
	return rpc_line_open(rig->in_fd, &rig->reader) == OK ? 0 : -1;
}

static int
tear_down(void **state)
{
	struct pipe_rig *rig = *state;

	rpc_line_close(&rig->reader);
	rpc_line_close(&rig->reader);
	close(rig->in_fd);
	if (rig->out_fd >= 0)
		close(rig->out_fd);
	free(rig);
	return 0;
}

static void
end_input(struct pipe_rig *rig)
{
	close(rig->out_fd);
	rig->out_fd = -1;
}

static void
send_bytes(struct pipe_rig *rig, const char *bytes, size_t len)
{
	assert_int_equal(write(rig->out_fd, bytes, len), len);
}

/* Fills until there is an outcome, or nothing more to read. */
static enum rpc_line
next(struct pipe_rig *rig, struct span *line)
{
	enum rpc_line outcome;

	while ((outcome = rpc_line_next(rig->reader, line)) == RPC_LINE_WAIT)
		if (rpc_line_fill(rig->reader) != RPC_LINE)
			return RPC_LINE_WAIT;
	return outcome;
}

static void
expect_line(struct pipe_rig *rig, const char *wanted)
{
	struct span line;

	assert_int_equal(next(rig, &line), RPC_LINE);
	assert_int_equal(line.len, strlen(wanted));
	assert_memory_equal(line.p, wanted, line.len);
}

static void
lines_come_one_by_one_without_their_ends(void **state)
{
	struct pipe_rig *rig = *state;
	struct span line;

	send_bytes(rig, "one\ntwo\r\n\n \t\r\n\r\nthr", 19);
	expect_line(rig, "one");
	expect_line(rig, "two");
	assert_int_equal(next(rig, &line), RPC_LINE_WAIT);
	send_bytes(rig, "ee\n", 3);
	expect_line(rig, "three");
	end_input(rig);
	assert_int_equal(next(rig, &line), RPC_LINE_END);
	assert_int_equal(next(rig, &line), RPC_LINE_END);
}

static void
a_last_line_without_an_end_counts(void **state)
{
	struct pipe_rig *rig = *state;
	struct span line;

	send_bytes(rig, "a\nlast", 6);
	end_input(rig);
	expect_line(rig, "a");
	expect_line(rig, "last");
	assert_int_equal(next(rig, &line), RPC_LINE_END);
}

static void
a_line_that_comes_byte_by_byte_is_put_together(void **state)
{
	struct pipe_rig *rig = *state;
	static const char text[] = "{\"a\":1}\r\n";
	struct span line;

	for (size_t i = 0; i < sizeof text - 2; i++) {
		send_bytes(rig, text + i, 1);
		assert_int_equal(next(rig, &line), RPC_LINE_WAIT);
	}
	send_bytes(rig, "\n", 1);
	expect_line(rig, "{\"a\":1}");
}

/* Feeds n bytes of x in pieces that a pipe takes; gives the last outcome. */
static enum rpc_line
feed(struct pipe_rig *rig, size_t n, struct span *line)
{
	enum rpc_line outcome = RPC_LINE_WAIT;
	char piece[4096];
	size_t now;

	memset(piece, 'x', sizeof piece);
	for (; n > 0; n -= now) {
		now = n < sizeof piece ? n : sizeof piece;
		send_bytes(rig, piece, now);
		outcome = next(rig, line);
		assert_int_equal(outcome, RPC_LINE_WAIT);
	}
	return outcome;
}

static void
the_longest_line_is_taken_and_one_more_byte_is_not(void **state)
{
	struct pipe_rig *rig = *state;
	struct span line;

	feed(rig, RPC_LINE_MAX, &line);
	send_bytes(rig, "\r\n", 2);
	assert_int_equal(next(rig, &line), RPC_LINE);
	assert_int_equal(line.len, RPC_LINE_MAX);
	feed(rig, RPC_LINE_MAX + 1, &line);
	send_bytes(rig, "\nnext\n", 6);
	assert_int_equal(next(rig, &line), RPC_LINE_TOO_LONG);
	expect_line(rig, "next");
}

static void
a_line_of_10_mib_is_thrown_away_to_its_end(void **state)
{
	struct pipe_rig *rig = *state;
	struct span line;

	send_bytes(rig, "before\n", 7);
	expect_line(rig, "before");
	feed(rig, (size_t)10 << 20, &line);
	send_bytes(rig, "\nafter\n", 7);
	assert_int_equal(next(rig, &line), RPC_LINE_TOO_LONG);
	expect_line(rig, "after");
	feed(rig, RPC_LINE_MAX * 2, &line);
	end_input(rig);
	assert_int_equal(next(rig, &line), RPC_LINE_TOO_LONG);
	assert_int_equal(next(rig, &line), RPC_LINE_END);
}

struct drain {
	int    fd;
	size_t n;
	char   last;
};

static void *
drain_all(void *arg)
{
	struct drain *d = arg;
	char piece[1000];
	ssize_t n;

	while ((n = read(d->fd, piece, sizeof piece)) > 0) {
		d->n += (size_t)n;
		d->last = piece[n - 1];
	}
	return NULL;
}

static void
a_line_longer_than_the_pipe_is_written_whole(void **state)
{
	struct pipe_rig *rig = *state;
	struct span line = { malloc(500000), 500000 };
	struct drain d = { .fd = rig->in_fd };
	pthread_t thread;

	memset((void *)(uintptr_t)line.p, 'y', line.len);
	fcntl(rig->in_fd, F_SETFL, 0);
	fcntl(rig->out_fd, F_SETFL, O_NONBLOCK);
	assert_int_equal(pthread_create(&thread, NULL, drain_all, &d), 0);
	assert_int_equal(rpc_line_write(rig->out_fd, line), RPC_LINE);
	assert_int_equal(rpc_line_write(rig->out_fd, (struct span){ NULL, 0 }), RPC_LINE);
	end_input(rig);
	pthread_join(thread, NULL);
	assert_int_equal(d.n, 500002);
	assert_int_equal(d.last, '\n');
	free((void *)(uintptr_t)line.p);
}

static void
a_reader_that_is_gone_is_an_ordinary_end(void **state)
{
	struct pipe_rig *rig = *state;
	struct span line = { (const uint8_t *)"x", 1 };
	int fds[2];

	(void)rig;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(rpc_line_write(fds[1], line), RPC_LINE_END);
	close(fds[1]);
	assert_int_equal(rpc_line_write(fds[1], line), RPC_LINE_FAILED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_come_one_by_one_without_their_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_last_line_without_an_end_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_line_that_comes_byte_by_byte_is_put_together, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_longest_line_is_taken_and_one_more_byte_is_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_line_of_10_mib_is_thrown_away_to_its_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_line_longer_than_the_pipe_is_written_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_reader_that_is_gone_is_an_ordinary_end, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
