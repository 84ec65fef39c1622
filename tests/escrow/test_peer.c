#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escrow/peer.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

#define FIELDS " R 20 30 40 34817 -1 4194304 5 6 7 8 9 10 11 12 20 0 1 0 987654321 15 16\n"

static enum err
parse(const char *text, size_t len, struct peer_stat *out)
{
	return peer_stat_parse((struct span){ (const uint8_t *)text, len }, out);
}

static void
session_terminal_and_start_are_found_behind_any_name(void **state)
{
	static const char *const names[] = {
		"(cat)", "()", "(a) R 1 2 3 (b)", "(x\n(y) )", "())))", "(memories: web)",
	};
	struct peer_stat s;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int len = snprintf(text, sizeof text, "10 %s" FIELDS, names[i]);

		assert_int_equal(parse(text, (size_t)len, &s), OK);
		assert_int_equal(s.session, 40);
		assert_int_equal(s.tty, 34817);
		assert_int_equal(s.start_ticks, 987654321);
	}
}

static void
a_stat_cut_anywhere_is_refused_or_reads_no_further(void **state)
{
	static const char text[] = "10 (cat)" FIELDS;
	size_t needed = (size_t)(strstr(text, "987654321") - text) + 10;
	struct peer_stat s = { 0 };

	(void)state;
	for (size_t len = 0; len < needed; len++) {
		char copy[sizeof text];

		memcpy(copy, text, len);
		assert_int_equal(parse(copy, len, &s), ERR_UNSUPPORTED);
	}
	assert_int_equal(s.session, 0);
	assert_int_equal(parse(text, needed, &s), OK);
}

static void
numbers_that_are_none_or_too_large_are_refused(void **state)
{
	static const char *const texts[] = {
		"1 (a) R 1 2 x 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ",
		"1 (a) R 1 2 -3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ",
		"1 (a) R 1 2 3 99999999999 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ",
		"1 (a) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99999999999999999999 20 ",
		"1 (a) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 -1 20 ",
		"1 (a) R 1 2 3  4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ",
		"1 (a) R 1 2 3k 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ",
	};
	struct peer_stat s;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_int_equal(parse(texts[i], strlen(texts[i]), &s), ERR_UNSUPPORTED);
}

static void
the_effective_uid_is_the_second_of_its_line(void **state)
{
	static const char text[] = "Name:\tUid:\t7\nUmask:\t0022\nUid:\t1000\t2000\t3000\t4000\nGid:\t1\t2\n";
	uid_t uid = 0;

	(void)state;
	assert_int_equal(peer_uid_parse((struct span){ (const uint8_t *)text, sizeof text - 1 }, &uid), OK);
	assert_int_equal(uid, 2000);
	for (size_t len = 0; len < (size_t)(strstr(text, "2000") - text); len++)
		assert_int_equal(peer_uid_parse((struct span){ (const uint8_t *)text, len }, &uid),
		    ERR_UNSUPPORTED);
}

static void
of_ourselves_the_kernel_says_what_we_know(void **state)
{
	struct peer_facts f;

	(void)state;
	assert_int_equal(peer_facts(getpid(), &f), OK);
	assert_int_equal(f.uid, geteuid());
	assert_int_equal(f.own.session, getsid(0));
	assert_true(f.own.start_ticks > 0);
}

/* A child that has made the process what the test wants, and waits to be killed. */
static pid_t
start(void (*prepare)(int fd), int *from_child)
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		prepare(fds[1]);
		for (;;)
			pause();
	}
	close(fds[1]);
	*from_child = fds[0];
	return pid;
}

static void
say_ready(int fd, pid_t pid)
{
	if (write(fd, &pid, sizeof pid) != sizeof pid)
		_exit(1);
}

static pid_t
wait_ready(int fd)
{
	pid_t pid = 0;

	assert_int_equal(read(fd, &pid, sizeof pid), sizeof pid);
	return pid;
}

static void
end(pid_t pid, int fd)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

static void
lead_as_other_user(int fd)
{
	setsid();
	prctl(PR_SET_NAME, "R 1 2) (3");
	if (geteuid() == 0 && setresuid(OTHER_UID, OTHER_UID, OTHER_UID) != 0)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 0);
	say_ready(fd, getpid());
}

static void
a_leader_of_another_user_that_is_not_dumpable_is_seen_right(void **state)
{
	struct peer_facts f;
	int fd;
	pid_t pid = start(lead_as_other_user, &fd);

	(void)state;
	wait_ready(fd);
	assert_int_equal(peer_facts(pid, &f), OK);
	assert_int_equal(f.uid, geteuid() == 0 ? OTHER_UID : geteuid());
	assert_int_equal(f.own.session, pid);
	assert_int_equal(f.own.tty, 0);
	assert_int_equal(f.leader_start_ticks, f.own.start_ticks);
	end(pid, fd);
}

/* The member outlives the leader, as a program left in the background does. */
static void
leave_a_member(int fd)
{
	pid_t member;

	setsid();
	if ((member = fork()) == 0)
		for (;;)
			pause();
	say_ready(fd, member);
	pause();
}

static void
a_session_without_its_leader_has_no_start(void **state)
{
	struct peer_facts f;
	int fd;
	pid_t leader = start(leave_a_member, &fd), member = wait_ready(fd);

	(void)state;
	assert_int_equal(peer_facts(member, &f), OK);
	assert_int_equal(f.own.session, leader);
	assert_true(f.leader_start_ticks > 0);
	end(leader, fd);
	assert_int_equal(peer_facts(member, &f), OK);
	assert_int_equal(f.own.session, leader);
	assert_int_equal(f.leader_start_ticks, 0);
	kill(member, SIGKILL);
}

static void
a_process_that_is_gone_or_none_is_not_found(void **state)
{
	struct peer_facts f;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(peer_facts(pid, &f), ERR_NOT_FOUND);
	assert_int_equal(peer_facts(0, &f), ERR_NOT_FOUND);
	assert_int_equal(peer_facts(-1, &f), ERR_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_terminal_and_start_are_found_behind_any_name),
		cmocka_unit_test(a_stat_cut_anywhere_is_refused_or_reads_no_further),
		cmocka_unit_test(numbers_that_are_none_or_too_large_are_refused),
		cmocka_unit_test(the_effective_uid_is_the_second_of_its_line),
		cmocka_unit_test(of_ourselves_the_kernel_says_what_we_know),
		cmocka_unit_test(a_leader_of_another_user_that_is_not_dumpable_is_seen_right),
		cmocka_unit_test(a_session_without_its_leader_has_no_start),
		cmocka_unit_test(a_process_that_is_gone_or_none_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
