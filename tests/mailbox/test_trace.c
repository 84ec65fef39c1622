#include "tests/support/check.h"

#include <string.h>
#include <unistd.h>

#include "mailbox/log_line.h"
#include "mailbox/trace.h"
#include "tests/support/fake_clock.h"

static int ends[2];

static int
open_pipe(void **state)
{
	(void)state;
	fake_clock_set(0, 123456);
	return pipe(ends);
}

static int
close_pipe(void **state)
{
	(void)state;
	trace_to(-1);
	fake_clock_off();
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void
expect_line(const char *expected)
{
	char line[512];
	ssize_t n = read(ends[0], line, sizeof line - 1);

	assert_true(n > 0);
	line[n] = '\0';
	assert_string_equal(line, expected);
}

static void
a_message_is_one_line_of_names_and_numbers(void **state)
{
	(void)state;
	trace_to(ends[1]);
	trace_message(ACTOR_GATE, ACTOR_GRANTS, MSG_RULING_WANTED, 17, 250);
	expect_line("123456 gate>grants RULING_WANTED ask=17 len=250\n");
}

static void
an_actors_own_mark_is_one_line(void **state)
{
	(void)state;
	trace_to(ends[1]);
	trace_mark(ACTOR_AUDIT, "DURABLE", UINT64_MAX, 9);
	expect_line("123456 audit DURABLE ask=18446744073709551615 index=9\n");
}

static void
without_a_trace_nothing_is_written(void **state)
{
	(void)state;
	trace_to(-1);
	trace_message(ACTOR_GATE, ACTOR_GRANTS, MSG_RULING_WANTED, 17, 250);
	trace_mark(ACTOR_AUDIT, "DURABLE", 1, 9);
	trace_to(ends[1]);
	trace_mark(ACTOR_AUDIT, "FIRST", 1, 9);
	expect_line("123456 audit FIRST ask=1 index=9\n");
}

/* stderr is the pipe while log_* says its line. */
static void
log_lines_go_to_stderr_whole(void **state)
{
	int kept = dup(STDERR_FILENO);

	(void)state;
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	log_line_error(ACTOR_AUDIT, ERR_AUDIT_UNAVAILABLE, 17);
	log_line_say("core", "restarted", 2);
	dup2(kept, STDERR_FILENO);
	close(kept);
	expect_line("memories: audit: audit_unavailable (ask 17)\nmemories: core: restarted 2\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_pipe, close_pipe)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_one_line_of_names_and_numbers),
		TEST(an_actors_own_mark_is_one_line),
		TEST(without_a_trace_nothing_is_written),
		TEST(log_lines_go_to_stderr_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
