#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "escrow/terminal.h"
#include "tests/support/check.h"

/* How long a test waits for what must come, before it fails. */
#define PATIENCE_MS 20000

/*
 * A child on a terminal of its own. It writes to a pipe how the question
 * ended, and the answer's bytes; the test plays the person.
 */
struct scene {
	pid_t child;
	int   master;   /* the person's side of the terminal */
	int   report;   /* from the child */
	char  screen[8192]; /* all that was shown so far */
	size_t shown;
};

struct report {
	enum err       e;
	size_t         len;
	uint8_t        bytes[TERMINAL_LINE_MAX];
	struct termios after;
};

static void
ask_password(struct report *r)
{
	struct secret *s = NULL;

	if ((r->e = terminal_password(PROMPT_PASSWORD, &s)) == OK) {
		r->len = secret_len(s);
		memcpy(r->bytes, secret_view(s), r->len);
	}
	secret_free(&s);
}

static void
ask_line(struct report *r)
{
	char line[TERMINAL_LINE_MAX + 1];

	if ((r->e = terminal_line(PROMPT_ENABLE, line)) == OK) {
		r->len = strlen(line);
		memcpy(r->bytes, line, r->len);
	}
}

/* Of two questions the first is answered, and the second ended by the descriptor. */
static void
ask_line_until(struct report *r)
{
	char line[TERMINAL_LINE_MAX + 1];
	int fds[2];

	if (pipe(fds) != 0)
		return;
	if ((r->e = terminal_line_until("First: ", fds[0], line)) != OK)
		return;
	r->len = strlen(line);
	memcpy(r->bytes, line, r->len);
	if (write(fds[1], "x", 1) == 1)
		r->e = terminal_line_until("Second: ", fds[0], line);
}

static void
warn_only(struct report *r)
{
	r->e = terminal_warn("careful\n");
}

static void
nothing(int signal_number)
{
	(void)signal_number;
}

static void
ask_password_with_own_handler(struct report *r)
{
	signal(SIGTERM, nothing);
	ask_password(r);
}

static void
ask_password_with_interrupts_ignored(struct report *r)
{
	signal(SIGINT, SIG_IGN);
	ask_password(r);
}

static void
ask_password_twice(struct report *r)
{
	ask_password(r);
	if (r->e == OK)
		ask_password(r);
}

/* Without stdin and stdout: only /dev/tty can be what is talked to. */
static void
play_child(void (*ask)(struct report *), int report_fd)
{
	struct report r = { .e = ERR_INTERNAL };
	int tty = dup(0);

	dup2(open("/dev/null", O_RDWR), 0);
	dup2(0, 1);
	dup2(0, 2);
	ask(&r);
	tcgetattr(tty, &r.after);
	if (write(report_fd, &r, sizeof r) != sizeof r)
		_exit(2);
	_exit(0);
}

static void
open_scene(struct scene *s, void (*ask)(struct report *))
{
	int fds[2];

	memset(s, 0, sizeof *s);
	assert_int_equal(pipe(fds), 0);
	s->child = forkpty(&s->master, NULL, NULL, NULL);
	assert_true(s->child >= 0);
	if (s->child == 0) {
		close(fds[0]);
		play_child(ask, fds[1]);
	}
	close(fds[1]);
	s->report = fds[0];
}

/* Reads the screen until the text is there for the n-th time. */
static void
see(struct scene *s, const char *text, unsigned n)
{
	struct pollfd p = { .fd = s->master, .events = POLLIN };
	const char *at = s->screen;
	ssize_t got;

	for (;;) {
		unsigned found = 0;

		for (at = s->screen; (at = strstr(at, text)) != NULL; at++)
			found++;
		if (found >= n)
			return;
		assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
		got = read(s->master, s->screen + s->shown, sizeof s->screen - 1 - s->shown);
		assert_true(got > 0);
		s->shown += (size_t)got;
	}
}

static void
type(struct scene *s, const void *bytes, size_t len)
{
	assert_int_equal(write(s->master, bytes, len), (ssize_t)len);
}

static void
close_scene(struct scene *s)
{
	close(s->master);
	close(s->report);
}

static void
hear(struct scene *s, struct report *r)
{
	struct pollfd p = { .fd = s->report, .events = POLLIN };
	int status;

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(read(s->report, r, sizeof *r), sizeof *r);
	assert_int_equal(waitpid(s->child, &status, 0), s->child);
}

static bool
echo_is_on(const struct scene *s)
{
	struct termios t;

	assert_int_equal(tcgetattr(s->master, &t), 0);
	return (t.c_lflag & ECHO) != 0;
}

/* What is left on the screen, too. */
static void
drain(struct scene *s)
{
	struct pollfd p = { .fd = s->master, .events = POLLIN };
	ssize_t got = 1;

	while (got > 0 && s->shown < sizeof s->screen - 1 && poll(&p, 1, 0) == 1) {
		got = read(s->master, s->screen + s->shown, sizeof s->screen - 1 - s->shown);
		s->shown += got > 0 ? (size_t)got : 0;
	}
}

static void
a_password_is_taken_as_typed_and_never_shown(void **state)
{
	static const char typed[] = " p\xc3\xa4ss w\xc3\xb6rt \xff";
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_password);
	see(&s, "Password: ", 1);
	assert_false(echo_is_on(&s));
	type(&s, typed, sizeof typed - 1);
	type(&s, "\n", 1);
	hear(&s, &r);
	drain(&s);
	assert_int_equal(r.e, OK);
	assert_int_equal(r.len, sizeof typed - 1);
	assert_memory_equal(r.bytes, typed, sizeof typed - 1);
	assert_string_equal(s.screen, "Password: \r\n");
	assert_true(r.after.c_lflag & ECHO);
	close_scene(&s);
}

static void
an_empty_password_is_an_answer(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_password);
	see(&s, "Password: ", 1);
	type(&s, "\n", 1);
	hear(&s, &r);
	assert_int_equal(r.e, OK);
	assert_int_equal(r.len, 0);
	close_scene(&s);
}

static void
the_longest_line_fits_and_one_byte_more_is_refused(void **state)
{
	char typed[TERMINAL_LINE_MAX + 1];

	(void)state;
	memset(typed, 'x', sizeof typed);
	for (size_t more = 0; more < 2; more++) {
		struct scene s;
		struct report r;

		open_scene(&s, ask_password);
		see(&s, "Password: ", 1);
		type(&s, typed, TERMINAL_LINE_MAX + more);
		type(&s, "\n", 1);
		hear(&s, &r);
		assert_int_equal(r.e, more ? ERR_INVALID_ARGUMENT : OK);
		assert_int_equal(r.len, more ? 0 : TERMINAL_LINE_MAX);
		assert_true(r.after.c_lflag & ECHO);
		close_scene(&s);
	}
}

static void
end_of_input_is_no_answer(void **state)
{
	void (*asks[])(struct report *) = { ask_password, ask_line };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene s;
		struct report r;

		open_scene(&s, asks[i]);
		see(&s, i == 0 ? PROMPT_PASSWORD : PROMPT_ENABLE, 1);
		type(&s, "\4", 1);
		hear(&s, &r);
		assert_int_equal(r.e, ERR_NOT_CONFIRMED);
		assert_true(r.after.c_lflag & ECHO);
		close_scene(&s);
	}
}

static void
a_line_is_shown_as_it_is_typed(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_line);
	see(&s, "Type ENABLE to go on: ", 1);
	type(&s, "ENABLE\n", 7);
	hear(&s, &r);
	drain(&s);
	assert_int_equal(r.e, OK);
	assert_int_equal(r.len, 6);
	assert_memory_equal(r.bytes, "ENABLE", 6);
	assert_string_equal(s.screen, "Type ENABLE to go on: ENABLE\r\n");
	close_scene(&s);
}

static void
a_question_is_answered_until_its_descriptor_ends_it(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_line_until);
	see(&s, "First: ", 1);
	type(&s, "yes\n", 4);
	see(&s, "Second: ", 1);
	hear(&s, &r);
	assert_int_equal(r.e, ERR_INTERRUPTED);
	assert_int_equal(r.len, 3);
	assert_memory_equal(r.bytes, "yes", 3);
	close_scene(&s);
}

static void
a_warning_goes_to_the_terminal(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, warn_only);
	see(&s, "careful", 1);
	hear(&s, &r);
	assert_int_equal(r.e, OK);
	close_scene(&s);
}

static void
a_signal_that_ends_the_process_leaves_echo_on(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct scene s;
		int status, slave;

		open_scene(&s, ask_password);
		slave = open(ptsname(s.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
		see(&s, "Password: ", 1);
		type(&s, "half", 4);
		kill(s.child, signals[i]);
		assert_int_equal(waitpid(s.child, &status, 0), s.child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_true(echo_is_on(&s));
		close(slave);
		close_scene(&s);
	}
}

static void
the_interrupt_key_ends_the_process_and_leaves_echo_on(void **state)
{
	struct scene s;
	int status, slave;

	(void)state;
	open_scene(&s, ask_password);
	slave = open(ptsname(s.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	see(&s, "Password: ", 1);
	type(&s, "\3", 1);
	assert_int_equal(waitpid(s.child, &status, 0), s.child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	assert_true(echo_is_on(&s));
	close(slave);
	close_scene(&s);
}

/* This child's group is orphaned, so that SIGTSTP's own action does not stop it. */
static void
after_a_stop_it_asks_again_and_forgets_the_half_answer(void **state)
{
	static const int signals[] = { SIGTSTP, SIGCONT };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct scene s;
		struct report r;

		open_scene(&s, ask_password);
		see(&s, "Password: ", 1);
		type(&s, "half", 4);
		kill(s.child, signals[i]);
		see(&s, "Password: ", 2);
		assert_false(echo_is_on(&s));
		type(&s, "whole\n", 6);
		hear(&s, &r);
		assert_int_equal(r.e, OK);
		assert_int_equal(r.len, 5);
		assert_memory_equal(r.bytes, "whole", 5);
		close_scene(&s);
	}
}

/* A group that is not orphaned: the asker's parent is in its session, in another group. */
static void
ask_below_a_shell(struct report *r)
{
	pid_t asker = fork();
	int status;

	if (asker == 0) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(open("/dev/tty", O_RDWR), getpid());
		signal(SIGTTOU, SIG_DFL);
		ask_password(r);
		_exit(r->e == OK && r->len == 5 ? 0 : 1);
	}
	waitpid(asker, &status, WUNTRACED);
	if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP) {
		terminal_warn("stopped\n");
		tcgetattr(open("/dev/tty", O_RDWR), &r->after);
		r->bytes[0] = (r->after.c_lflag & ECHO) != 0;
		kill(asker, SIGCONT);
		waitpid(asker, &status, 0);
	}
	r->e = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? OK : ERR_INTERNAL;
}

/* Under valgrind a process never stops of a signal. */
static bool
processes_stop_here(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setpgid(0, 0);
		kill(getpid(), SIGTSTP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (!WIFSTOPPED(status))
		return false;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return true;
}

static void
the_suspend_key_stops_it_with_echo_on_and_it_goes_on(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	if (!processes_stop_here())
		skip();
	open_scene(&s, ask_below_a_shell);
	see(&s, "Password: ", 1);
	type(&s, "ha\x1a", 3);
	see(&s, "stopped", 1);
	see(&s, "Password: ", 2);
	type(&s, "whole\n", 6);
	hear(&s, &r);
	assert_int_equal(r.e, OK);
	assert_int_equal(r.bytes[0], 1);
	close_scene(&s);
}

static void
a_signal_with_a_handler_of_its_own_interrupts_the_question(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_password_with_own_handler);
	see(&s, "Password: ", 1);
	kill(s.child, SIGTERM);
	hear(&s, &r);
	assert_int_equal(r.e, ERR_INTERRUPTED);
	assert_true(r.after.c_lflag & ECHO);
	close_scene(&s);
}

static void
an_ignored_signal_stays_ignored(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_password_with_interrupts_ignored);
	see(&s, "Password: ", 1);
	kill(s.child, SIGINT);
	type(&s, "word\n", 5);
	hear(&s, &r);
	assert_int_equal(r.e, OK);
	assert_int_equal(r.len, 4);
	close_scene(&s);
}

static void
two_questions_in_a_row_get_an_answer_each(void **state)
{
	struct scene s;
	struct report r;

	(void)state;
	open_scene(&s, ask_password_twice);
	see(&s, "Password: ", 1);
	type(&s, "first one\n", 10);
	see(&s, "Password: ", 2);
	type(&s, "second\n", 7);
	hear(&s, &r);
	assert_int_equal(r.e, OK);
	assert_int_equal(r.len, 6);
	assert_memory_equal(r.bytes, "second", 6);
	close_scene(&s);
}

static void
without_a_terminal_nothing_is_asked(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		char line[TERMINAL_LINE_MAX + 1];
		struct secret *s = NULL;

		setsid();
		_exit(terminal_password(PROMPT_PASSWORD, &s) != ERR_TERMINAL_REQUIRED ||
		    terminal_line(PROMPT_ENABLE, line) != ERR_TERMINAL_REQUIRED ||
		    terminal_warn("x") != ERR_TERMINAL_REQUIRED);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_password_is_taken_as_typed_and_never_shown),
		cmocka_unit_test(an_empty_password_is_an_answer),
		cmocka_unit_test(the_longest_line_fits_and_one_byte_more_is_refused),
		cmocka_unit_test(end_of_input_is_no_answer),
		cmocka_unit_test(a_line_is_shown_as_it_is_typed),
		cmocka_unit_test(a_question_is_answered_until_its_descriptor_ends_it),
		cmocka_unit_test(a_warning_goes_to_the_terminal),
		cmocka_unit_test(a_signal_that_ends_the_process_leaves_echo_on),
		cmocka_unit_test(the_interrupt_key_ends_the_process_and_leaves_echo_on),
		cmocka_unit_test(after_a_stop_it_asks_again_and_forgets_the_half_answer),
		cmocka_unit_test(the_suspend_key_stops_it_with_echo_on_and_it_goes_on),
		cmocka_unit_test(a_signal_with_a_handler_of_its_own_interrupts_the_question),
		cmocka_unit_test(an_ignored_signal_stays_ignored),
		cmocka_unit_test(two_questions_in_a_row_get_an_answer_each),
		cmocka_unit_test(without_a_terminal_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
