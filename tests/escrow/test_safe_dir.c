#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/safe_dir.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

static enum err
open_as(const char *path, enum safe_dir_kind kind, unsigned n_make)
{
	struct safe_dir_want want = { path, kind, n_make, ERR_HOME_NOT_PRIVATE };
	int fd;
	enum err e = safe_dir_open(&want, &fd, NULL);

	if (e == OK)
		close(fd);
	return e;
}

static enum err
open_private(const char *path)
{
	return open_as(path, SAFE_DIR_PRIVATE, 0);
}

static void
a_private_folder_opens_for_reading(void **state)
{
	struct temp_dir *d = *state;
	struct safe_dir_want want = { d->path, SAFE_DIR_PRIVATE, 0, ERR_HOME_NOT_PRIVATE };
	char *canonical = NULL;
	int fd;

	assert_int_equal(safe_dir_open(&want, &fd, &canonical), OK);
	assert_int_equal(fsync(fd), 0);
	assert_string_equal(canonical, d->path);
	free(canonical);
	close(fd);
}

static void
the_canonical_path_has_no_dots_links_or_double_slashes(void **state)
{
	struct temp_dir *d = *state;
	char path[2 * TEMP_PATH_MAX], *expected, *canonical = NULL;
	struct safe_dir_want want = { path, SAFE_DIR_PRIVATE, 0, ERR_HOME_NOT_PRIVATE };
	int fd;

	temp_dir_mkdir(d, "a", 0700);
	temp_dir_mkdir(d, "a/b", 0700);
	assert_int_equal(symlink("./a//b/..", temp_dir_at(d, "link")), 0);
	snprintf(path, sizeof path, "/%s//link/./b/", d->path);
	assert_int_equal(safe_dir_open(&want, &fd, &canonical), OK);
	expected = realpath(path, NULL);
	assert_string_equal(canonical, expected);
	assert_string_equal(canonical, temp_dir_at(d, "a/b"));
	free(expected);
	free(canonical);
	close(fd);
}

static void
a_folder_that_group_or_others_can_enter_is_not_private(void **state)
{
	static const mode_t modes[] = { 0701, 0710, 0740, 0704, 0755, 0770, 01777 };
	struct temp_dir *d = *state;

	temp_dir_mkdir(d, "home", 0700);
	assert_int_equal(open_private(d->joined), OK);
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_int_equal(chmod(d->joined, modes[i]), 0);
		assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
	}
}

static void
a_steady_folder_may_be_read_by_others_but_not_written(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_mkdir(d, "open", 0755);
	assert_int_equal(open_as(d->joined, SAFE_DIR_STEADY, 0), OK);
	assert_int_equal(chmod(d->joined, 0775), 0);
	assert_int_equal(open_as(d->joined, SAFE_DIR_STEADY, 0), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(chmod(d->joined, 0757), 0);
	assert_int_equal(open_as(d->joined, SAFE_DIR_STEADY, 0), ERR_HOME_NOT_PRIVATE);
}

static void
a_parent_that_others_can_write_is_refused(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_mkdir(d, "p", 0755);
	temp_dir_mkdir(d, "p/home", 0700);
	assert_int_equal(open_private(temp_dir_at(d, "p/home")), OK);
	assert_int_equal(chmod(temp_dir_at(d, "p"), 0775), 0);
	assert_int_equal(open_private(temp_dir_at(d, "p/home")), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(chmod(temp_dir_at(d, "p"), 0757), 0);
	assert_int_equal(open_private(temp_dir_at(d, "p/home")), ERR_HOME_NOT_PRIVATE);
}

static int
open_private_in_child(void *path)
{
	return (int)open_private(path);
}

/* As root makes them for the other user; the sticky bit is what differs. */
static void
a_root_owned_sticky_parent_is_safe_and_only_then(void **state)
{
	struct temp_dir *d = *state;
	char home[TEMP_PATH_MAX];

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(d->path, 0755), 0);
	temp_dir_mkdir(d, "tmp", 01777);
	temp_dir_mkdir(d, "tmp/home", 0700);
	strcpy(home, d->joined);
	assert_int_equal(chown(home, OTHER_UID, OTHER_UID), 0);
	assert_int_equal(run_in_child(open_private_in_child, home, true), OK);

	assert_int_equal(chmod(temp_dir_at(d, "tmp"), 0777), 0);
	assert_int_equal(run_in_child(open_private_in_child, home, true), ERR_HOME_NOT_PRIVATE);

	assert_int_equal(chown(d->joined, OTHER_UID, OTHER_UID), 0);
	assert_int_equal(chmod(d->joined, 01777), 0);
	assert_int_equal(run_in_child(open_private_in_child, home, true), ERR_HOME_NOT_PRIVATE);
}

static void
a_folder_or_parent_of_another_user_is_refused(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() != 0)
		skip();
	temp_dir_mkdir(d, "p", 0755);
	temp_dir_mkdir(d, "p/home", 0700);
	assert_int_equal(chown(temp_dir_at(d, "p/home"), OTHER_UID, 0), 0);
	assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(open_as(d->joined, SAFE_DIR_STEADY, 0), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(chown(d->joined, 0, 0), 0);
	assert_int_equal(chown(temp_dir_at(d, "p"), OTHER_UID, 0), 0);
	assert_int_equal(open_private(temp_dir_at(d, "p/home")), ERR_HOME_NOT_PRIVATE);
}

static void
roots_private_folder_is_not_another_users(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(run_in_child(open_private_in_child, d->path, true), ERR_HOME_NOT_PRIVATE);
}

static void
a_link_of_the_owner_is_followed_and_its_target_checked(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_mkdir(d, "real", 0700);
	temp_dir_mkdir(d, "real/home", 0700);
	assert_int_equal(symlink("real", temp_dir_at(d, "relative")), 0);
	assert_int_equal(open_private(temp_dir_at(d, "relative/home")), OK);
	assert_int_equal(chmod(temp_dir_at(d, "real"), 0777), 0);
	assert_int_equal(open_private(temp_dir_at(d, "relative/home")), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(symlink("/tmp", temp_dir_at(d, "absolute")), 0);
	assert_int_equal(open_as(d->joined, SAFE_DIR_STEADY, 0), OK);
	assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
}

/* Another user swapped a folder for a link, as in a folder that was theirs for a while. */
static void
a_link_of_another_user_is_refused(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() != 0)
		skip();
	temp_dir_mkdir(d, "real", 0700);
	assert_int_equal(symlink("real", temp_dir_at(d, "link")), 0);
	assert_int_equal(open_private(d->joined), OK);
	assert_int_equal(lchown(d->joined, OTHER_UID, OTHER_UID), 0);
	assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
}

static void
forty_links_are_followed_and_no_more(void **state)
{
	struct temp_dir *d = *state;
	char name[16], before[16] = "home";

	temp_dir_mkdir(d, "home", 0700);
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof name, "l%d", i);
		assert_int_equal(symlink(before, temp_dir_at(d, name)), 0);
		strcpy(before, name);
	}
	assert_int_equal(open_private(temp_dir_at(d, "l40")), OK);
	assert_int_equal(open_private(temp_dir_at(d, "l41")), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(symlink("loop", temp_dir_at(d, "loop")), 0);
	assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
}

static void
what_is_no_folder_is_refused(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_put(d, "file", "x", 1, 0600);
	assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(open_private(temp_dir_at(d, "file/home")), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(mkfifo(temp_dir_at(d, "fifo"), 0600), 0);
	assert_int_equal(open_private(d->joined), ERR_HOME_NOT_PRIVATE);
}

static void
a_relative_or_endless_path_is_refused(void **state)
{
	struct temp_dir *d = *state;
	static char path[SAFE_PATH_MAX + 8], name[300];

	assert_int_equal(open_private("."), ERR_HOME_NOT_PRIVATE);
	assert_int_equal(open_private(""), ERR_HOME_NOT_PRIVATE);
	memset(path, '/', SAFE_PATH_MAX + 1);
	assert_int_equal(open_as(path, SAFE_DIR_STEADY, 0), ERR_HOME_NOT_PRIVATE);
	path[SAFE_PATH_MAX] = '\0';
	assert_int_equal(open_as(path, SAFE_DIR_STEADY, 0), OK);
	memset(name, 'n', 256);
	assert_int_equal(open_as(temp_dir_at(d, name), SAFE_DIR_PRIVATE, 1), ERR_HOME_NOT_PRIVATE);
}

static void
a_missing_component_is_told_apart(void **state)
{
	struct temp_dir *d = *state;

	assert_int_equal(open_private(temp_dir_at(d, "none")), ERR_NOT_FOUND);
	assert_int_equal(open_private(temp_dir_at(d, "none/home")), ERR_NOT_FOUND);
}

static void
only_so_many_last_components_are_made_and_are_private(void **state)
{
	struct temp_dir *d = *state;
	struct stat st;

	assert_int_equal(open_as(temp_dir_at(d, "a/b/c"), SAFE_DIR_PRIVATE, 2), ERR_NOT_FOUND);
	assert_int_equal(access(temp_dir_at(d, "a"), F_OK), -1);
	umask(0);
	assert_int_equal(open_as(temp_dir_at(d, "a//b/./c/."), SAFE_DIR_PRIVATE, 3), OK);
	umask(022);
	assert_int_equal(stat(temp_dir_at(d, "a"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(temp_dir_at(d, "a/b/c"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void
nothing_is_made_behind_a_dangling_link_or_an_unsafe_parent(void **state)
{
	struct temp_dir *d = *state;

	assert_int_equal(symlink("target", temp_dir_at(d, "link")), 0);
	assert_int_equal(open_as(d->joined, SAFE_DIR_PRIVATE, 1), ERR_NOT_FOUND);
	assert_int_equal(access(temp_dir_at(d, "target"), F_OK), -1);
	temp_dir_mkdir(d, "unsafe", 0777);
	assert_int_equal(open_as(temp_dir_at(d, "unsafe/home"), SAFE_DIR_PRIVATE, 1),
	    ERR_HOME_NOT_PRIVATE);
	assert_int_equal(access(d->joined, F_OK), -1);
}

static int
make_in_child(void *path)
{
	return (int)open_as(path, SAFE_DIR_PRIVATE, 1);
}

static void
a_parent_that_takes_no_new_folder_is_told(void **state)
{
	struct temp_dir *d = *state;
	char path[TEMP_PATH_MAX];

	temp_dir_mkdir(d, "closed", 0555);
	if (geteuid() == 0)
		assert_int_equal(chmod(d->path, 0755), 0);
	strcpy(path, temp_dir_at(d, "closed/home"));
	assert_int_equal(run_in_child(make_in_child, path, true), ERR_FILE_UNWRITABLE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_setup, temp_dir_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_private_folder_opens_for_reading),
		TEST(the_canonical_path_has_no_dots_links_or_double_slashes),
		TEST(a_folder_that_group_or_others_can_enter_is_not_private),
		TEST(a_steady_folder_may_be_read_by_others_but_not_written),
		TEST(a_parent_that_others_can_write_is_refused),
		TEST(a_root_owned_sticky_parent_is_safe_and_only_then),
		TEST(a_folder_or_parent_of_another_user_is_refused),
		TEST(roots_private_folder_is_not_another_users),
		TEST(a_link_of_the_owner_is_followed_and_its_target_checked),
		TEST(a_link_of_another_user_is_refused),
		TEST(forty_links_are_followed_and_no_more),
		TEST(what_is_no_folder_is_refused),
		TEST(a_relative_or_endless_path_is_refused),
		TEST(a_missing_component_is_told_apart),
		TEST(only_so_many_last_components_are_made_and_are_private),
		TEST(nothing_is_made_behind_a_dangling_link_or_an_unsafe_parent),
		TEST(a_parent_that_takes_no_new_folder_is_told),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
