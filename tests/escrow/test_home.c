#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "escrow/home.h"
#include "escrow/safe_dir.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

/* What each test changes of the process: put back by the teardown. */
static int start_fd;

static int
setup(void **state)
{
	unsetenv("MEMORIES_HOME");
	unsetenv("XDG_DATA_HOME");
	start_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return temp_dir_setup(state);
}

static int
teardown(void **state)
{
	int rc = fchdir(start_fd);

	close(start_fd);
	return temp_dir_teardown(state) | rc;
}

static void
expect_found(const char *flag, const char *path, unsigned n_make)
{
	struct home_place place;

	assert_int_equal(home_find(flag, &place), OK);
	assert_string_equal(place.path, path);
	assert_int_equal(place.n_make, n_make);
	home_place_free(&place);
	assert_null(place.path);
}

static enum err
open_flag(const char *path, bool make, struct home **out)
{
	struct home_place place;
	enum err e = home_find(path, &place);

	if (e != OK)
		return e;
	e = home_open(&place, make, out);
	home_place_free(&place);
	return e;
}

static void
the_flag_comes_before_the_variables_and_these_before_the_default(void **state)
{
	(void)state;
	setenv("HOME", "/h", 1);
	expect_found(NULL, "/h/.local/share/memories", 3);
	setenv("XDG_DATA_HOME", "/x", 1);
	expect_found(NULL, "/x/memories", 2);
	setenv("MEMORIES_HOME", "/m", 1);
	expect_found(NULL, "/m", 1);
	expect_found("/f", "/f", 1);
}

static void
empty_variables_and_a_relative_data_folder_count_as_unset(void **state)
{
	(void)state;
	setenv("HOME", "/h", 1);
	setenv("MEMORIES_HOME", "", 1);
	setenv("XDG_DATA_HOME", "", 1);
	expect_found(NULL, "/h/.local/share/memories", 3);
	setenv("XDG_DATA_HOME", "relative", 1);
	expect_found(NULL, "/h/.local/share/memories", 3);
}

static void
without_a_home_variable_the_user_database_knows(void **state)
{
	static const char *const values[] = { NULL, "", "relative" };
	struct home_place place;
	const char *end;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		unsetenv("HOME");
		if (values[i] != NULL)
			setenv("HOME", values[i], 1);
		assert_int_equal(home_find(NULL, &place), OK);
		assert_int_equal(place.path[0], '/');
		end = strstr(place.path, "/.local/share/memories");
		assert_non_null(end);
		assert_ptr_not_equal(end, place.path);
		home_place_free(&place);
	}
}

static void
a_relative_home_is_not_private(void **state)
{
	struct home_place place;

	(void)state;
	assert_int_equal(home_find("relative", &place), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(home_find("", &place), ERR_HOME_NOT_PRIVATE);
	setenv("MEMORIES_HOME", "./relative", 1);
	assert_int_equal(home_find(NULL, &place), ERR_HOME_NOT_PRIVATE);
}

static void
opening_enters_the_home_and_remembers_where_it_was(void **state)
{
	struct temp_dir *d = *state;
	struct home *h = NULL;
	char *absolute, *cwd;

	temp_dir_mkdir(d, "home", 0700);
	temp_dir_put(d, "mine", "x", 1, 0600);
	assert_int_equal(chdir(d->path), 0);
	assert_int_equal(open_flag(temp_dir_at(d, "home/."), false, &h), OK);

	cwd = getcwd(NULL, 0);
	assert_string_equal(cwd, temp_dir_at(d, "home"));
	assert_string_equal(h->path, d->joined);
	assert_string_equal(h->cwd, d->path);
	assert_int_equal(faccessat(h->cwd_fd, "mine", R_OK, 0), 0);
	assert_int_equal(home_absolute(h, "mine", &absolute), OK);
	assert_string_equal(absolute, temp_dir_at(d, "mine"));
	free(absolute);
	assert_int_equal(home_absolute(h, "/else/where", &absolute), OK);
	assert_string_equal(absolute, "/else/where");
	free(absolute);
	free(cwd);
	home_close(&h);
	assert_null(h);
}

static void
a_home_that_others_can_enter_is_refused_and_not_touched(void **state)
{
	struct temp_dir *d = *state;
	struct stat before, after;
	struct home *h = NULL;
	char *cwd;

	temp_dir_mkdir(d, "home", 0755);
	assert_int_equal(stat(d->joined, &before), 0);
	assert_int_equal(chdir(d->path), 0);
	assert_int_equal(open_flag(temp_dir_at(d, "home"), true, &h), ERR_HOME_NOT_PRIVATE);
	assert_null(h);
	assert_int_equal(stat(temp_dir_at(d, "home"), &after), 0);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_ctim.tv_nsec, before.st_ctim.tv_nsec);
	cwd = getcwd(NULL, 0);
	assert_string_equal(cwd, d->path);
	free(cwd);
}

static void
a_missing_home_is_made_only_when_asked_and_only_itself(void **state)
{
	struct temp_dir *d = *state;
	struct home *h = NULL;
	struct stat st;

	assert_int_equal(open_flag(temp_dir_at(d, "home"), false, &h), ERR_NOT_INITIALIZED);
	assert_int_equal(access(temp_dir_at(d, "home"), F_OK), -1);
	assert_int_equal(open_flag(temp_dir_at(d, "none/home"), true, &h), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(access(temp_dir_at(d, "none"), F_OK), -1);
	assert_int_equal(open_flag(temp_dir_at(d, "home"), true, &h), OK);
	assert_int_equal(fstat(h->fd, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	home_close(&h);
}

static void
the_default_home_is_made_with_its_parents(void **state)
{
	struct temp_dir *d = *state;
	struct home *h = NULL;

	setenv("HOME", d->path, 1);
	assert_int_equal(open_flag(NULL, true, &h), OK);
	assert_string_equal(h->path, temp_dir_at(d, ".local/share/memories"));
	home_close(&h);
	setenv("XDG_DATA_HOME", temp_dir_at(d, "data"), 1);
	assert_int_equal(open_flag(NULL, true, &h), OK);
	assert_string_equal(h->path, temp_dir_at(d, "data/memories"));
	home_close(&h);
	setenv("HOME", temp_dir_at(d, "nobody"), 1);
	unsetenv("XDG_DATA_HOME");
	assert_int_equal(open_flag(NULL, true, &h), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(access(temp_dir_at(d, "nobody"), F_OK), -1);
}

/* Makes folders of 200 bytes, one in the other, and removes them again from below. */
static char *
deep_path(const char *start, size_t levels)
{
	char *path = calloc(1, SAFE_PATH_MAX + 1), name[201];
	int fd = open(start, O_PATH | O_DIRECTORY | O_CLOEXEC), next;

	memset(name, 'd', 200);
	name[200] = '\0';
	strcpy(path, start);
	for (size_t i = 0; i < levels; i++) {
		assert_int_equal(mkdirat(fd, name, 0700), 0);
		next = openat(fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
		strcat(path, "/");
		strcat(path, name);
	}
	close(fd);
	return path;
}

static void
remove_deep_from_within(size_t levels)
{
	char name[201];

	memset(name, 'd', 200);
	name[200] = '\0';
	for (size_t i = 0; i < levels; i++) {
		assert_int_equal(chdir(".."), 0);
		assert_int_equal(unlinkat(AT_FDCWD, name, AT_REMOVEDIR), 0);
	}
}

static void
a_path_longer_than_the_systems_limit_works(void **state)
{
	struct temp_dir *d = *state;
	char *path = deep_path(d->path, 30), *absolute;
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "service.sock" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct home *h = NULL, *again = NULL;

	assert_true(strlen(path) > 4096);
	assert_int_equal(open_flag(path, false, &h), OK);
	assert_string_equal(h->path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	assert_int_equal(unlink("service.sock"), 0);

	assert_int_equal(open_flag(path, false, &again), OK);
	assert_string_equal(again->cwd, path);
	assert_int_equal(home_absolute(again, "f", &absolute), OK);
	assert_int_equal(strlen(absolute), strlen(path) + 2);

	remove_deep_from_within(30);
	free(absolute);
	free(path);
	home_close(&h);
	home_close(&again);
	close(fd);
}

static void
a_working_directory_that_is_gone_only_costs_relative_paths(void **state)
{
	struct temp_dir *d = *state;
	struct home *h = NULL;
	char *absolute = NULL;

	temp_dir_mkdir(d, "home", 0700);
	temp_dir_mkdir(d, "gone", 0700);
	assert_int_equal(chdir(d->joined), 0);
	assert_int_equal(rmdir(d->joined), 0);
	assert_int_equal(open_flag(temp_dir_at(d, "home"), false, &h), OK);
	assert_null(h->cwd);
	assert_int_equal(home_absolute(h, "f", &absolute), ERR_FILE_UNREADABLE);
	assert_null(absolute);
	assert_int_equal(home_absolute(h, "/f", &absolute), OK);
	free(absolute);
	home_close(&h);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_flag_comes_before_the_variables_and_these_before_the_default),
		TEST(empty_variables_and_a_relative_data_folder_count_as_unset),
		TEST(without_a_home_variable_the_user_database_knows),
		TEST(a_relative_home_is_not_private),
		TEST(opening_enters_the_home_and_remembers_where_it_was),
		TEST(a_home_that_others_can_enter_is_refused_and_not_touched),
		TEST(a_missing_home_is_made_only_when_asked_and_only_itself),
		TEST(the_default_home_is_made_with_its_parents),
		TEST(a_path_longer_than_the_systems_limit_works),
		TEST(a_working_directory_that_is_gone_only_costs_relative_paths),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
