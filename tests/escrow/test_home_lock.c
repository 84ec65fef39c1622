#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escrow/home_lock.h"
#include "tests/support/check.h"
#include "tests/support/rig_dir.h"
#include "tests/support/temp_dir.h"

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

static int
try_in_child(void *arg)
{
	int fd;

	(void)arg;
	return (int)home_lock_take(&fd);
}

static void
a_second_process_is_told_that_one_runs(void **state)
{
	int fd = -1;

	(void)state;
	assert_int_equal(home_lock_take(&fd), OK);
	assert_int_equal(run_in_child(try_in_child, NULL, false), ERR_ALREADY_RUNNING);
	close(fd);
	assert_int_equal(run_in_child(try_in_child, NULL, false), OK);
}

static void
a_second_try_of_the_same_process_is_told_so_too(void **state)
{
	int fd = -1, second = -1;

	(void)state;
	assert_int_equal(home_lock_take(&fd), OK);
	assert_int_equal(home_lock_take(&second), ERR_ALREADY_RUNNING);
	assert_int_equal(second, -1);
	close(fd);
}

static void
whether_it_is_held_is_seen_without_taking_it(void **state)
{
	struct stat s;
	int fd = -1;

	(void)state;
	assert_false(home_lock_held());
	assert_int_equal(stat("daemon.lock", &s), -1);
	assert_int_equal(home_lock_take(&fd), OK);
	assert_true(home_lock_held());
	assert_true(home_lock_held());
	close(fd);
	assert_false(home_lock_held());
	assert_int_equal(stat("daemon.lock", &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
}

static void
a_killed_holder_lets_go(void **state)
{
	int ready[2], fd;
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		c = (char)home_lock_take(&fd);
		if (write(ready[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(c, OK);
	assert_true(home_lock_held());
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(home_lock_held());
	close(ready[0]);
	close(ready[1]);
}

static void
a_link_in_its_place_is_not_followed(void **state)
{
	int fd = -1;

	(void)state;
	assert_int_equal(symlink("elsewhere", "daemon.lock"), 0);
	assert_int_equal(home_lock_take(&fd), ERR_STORAGE_FAILED);
	assert_int_equal(access("elsewhere", F_OK), -1);
	assert_false(home_lock_held());
}

#define LOCK_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LOCK_TEST(a_second_process_is_told_that_one_runs),
		LOCK_TEST(a_second_try_of_the_same_process_is_told_so_too),
		LOCK_TEST(whether_it_is_held_is_seen_without_taking_it),
		LOCK_TEST(a_killed_holder_lets_go),
		LOCK_TEST(a_link_in_its_place_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
