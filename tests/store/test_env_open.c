/* Opening, and what a bad disk or a bad file does to it and to commits. */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/store/env_rig.h"
#include "tests/support/disk.h"

static void
a_second_opener_is_refused_and_does_not_disturb_the_first(void **state)
{
	struct env *e = opened(state), *other = NULL;

	assert_int_equal(env_open(((struct temp_dir *)*state)->path, names, 2, &other), ERR_BUSY);
	assert_null(other);
	put(e, TEXT("k"));
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
	e = opened(state);
	assert_true(has(e, TEXT("k")));
	env_close(&e);
}

static void
its_files_are_the_owners_alone(void **state)
{
	mode_t was = umask(0);
	struct env *e = opened(state);
	struct stat s;

	umask(was);
	assert_int_equal(stat(temp_dir_at(*state, "data.mdb"), &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_int_equal(stat(temp_dir_at(*state, "lock.mdb"), &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_true(s.st_blocks > 0);
	env_close(&e);
}

/* A short write that no full disk explains: the limit on file sizes. */
static void
a_failed_commit_is_latched_until_opened_anew(void **state)
{
	struct env *e = opened(state);
	enum err r;

	put(e, TEXT("before"));
	assert_int_equal(env_commit(e), OK);
	for (uint32_t n = 0; n < 10; n++)
		assert_int_equal(put_big(e, n), OK);
	disk_limit((rlim_t)file_bytes(state) + 100000);
	r = env_commit(e);
	disk_unlimit();
	assert_int_equal(r, ERR_STORAGE_FAILED);
	assert_int_equal(env_begin(e), ERR_STORAGE_FAILED);
	assert_int_equal(env_look(e), ERR_STORAGE_FAILED);
	assert_int_equal(env_commit(e), ERR_STORAGE_FAILED);
	assert_int_equal(env_rest(e), ERR_STORAGE_FAILED);
	env_close(&e);
	e = opened(state);
	assert_true(has(e, TEXT("before")));
	assert_int_equal(put_big(e, 1), OK);
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
}

enum { CHILD_DONE = 0, CHILD_CANNOT_MOUNT = 99 };

static bool
fill_disk(const char *path, int *fd)
{
	static const uint8_t zeros[4096];

	if ((*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) < 0)
		return false;
	while (write(*fd, zeros, sizeof zeros) > 0)
		;
	return true;
}

static enum err
commit_one(struct env *e, struct span key)
{
	enum err r;

	if ((r = env_begin(e)) != OK)
		return r;
	if ((r = env_put(e, 0, key, TEXT("value"), NULL)) != OK)
		return r;
	return env_commit(e);
}

static bool
is_there(struct env *e, struct span key)
{
	struct span value;

	return env_look(e) == OK && env_get(e, 0, key, &value) == OK;
}

static fsblkcnt_t
blocks_free(const char *dir)
{
	struct statvfs s;

	return statvfs(dir, &s) == 0 ? s.f_bavail : 0;
}

/* A commit says full, changes nothing, and gives back the room that it took. */
static int
meet_a_full_disk(struct env *e, const char *dir)
{
	fsblkcnt_t before = blocks_free(dir);
	uint32_t n;
	enum err r;

	for (n = 0; n < 60; n++)
		if (put_big(e, n) != OK)
			return 10;
	if ((r = env_commit(e)) != ERR_STORAGE_FULL)
		return 100 + (int)r;
	if (!is_there(e, TEXT("before")))
		return 12;
	n = 0;
	if (is_there(e, (struct span){ (uint8_t *)&n, sizeof n }))
		return 13;
	if (blocks_free(dir) != before)
		return 14;
	return 0;
}

/* In a mount namespace of its own: a disk of 2 MiB, filled, freed. */
static int
full_disk_story(void *dir)
{
	struct env *e = NULL;
	char filler[TEMP_PATH_MAX + 16];
	int fd, rc;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0700") != 0)
		return CHILD_CANNOT_MOUNT;
	snprintf(filler, sizeof filler, "%s/filler", (const char *)dir);
	if (env_open(dir, names, 2, &e) != OK || commit_one(e, TEXT("before")) != OK)
		return 1;
	if ((rc = meet_a_full_disk(e, dir)) != 0)
		return rc;
	if (commit_one(e, TEXT("small")) != OK)
		return 2;
	if (!fill_disk(filler, &fd) || (rc = meet_a_full_disk(e, dir)) != 0)
		return rc != 0 ? rc : 3;
	env_close(&e);
	if (env_open(dir, names, 2, &e) != OK || !is_there(e, TEXT("before")) || !is_there(e, TEXT("small")))
		return 4;
	if (ftruncate(fd, 0) != 0 || commit_one(e, TEXT("after")) != OK || !is_there(e, TEXT("after")))
		return 5;
	env_close(&e);
	return CHILD_DONE;
}

static void
a_full_disk_loses_nothing_and_works_again_when_there_is_room(void **state)
{
	int rc = run_in_child(full_disk_story, ((struct temp_dir *)*state)->path, false);

	if (rc == CHILD_CANNOT_MOUNT) {
		print_message("skipped: this account may not mount a small disk\n");
		skip();
	}
	assert_int_equal(rc, CHILD_DONE);
}

static int
full_from_the_start_story(void *dir)
{
	struct env *e = NULL;
	char filler[TEMP_PATH_MAX + 16];
	int fd;
	enum err r;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=256k,mode=0700") != 0)
		return CHILD_CANNOT_MOUNT;
	snprintf(filler, sizeof filler, "%s/filler", (const char *)dir);
	if (!fill_disk(filler, &fd))
		return 1;
	/* From no free page on, one page more a turn, until it can be made. */
	for (off_t kept = 256 * 1024 - 4096; kept > 0; kept -= 4096) {
		if ((r = env_open(dir, names, 2, &e)) == OK)
			break;
		if (r != ERR_STORAGE_FULL || e != NULL)
			return 100 + (int)r;
		if (ftruncate(fd, kept) != 0)
			return 2;
	}
	if (e == NULL || ftruncate(fd, 0) != 0 || commit_one(e, TEXT("k")) != OK)
		return 3;
	env_close(&e);
	return CHILD_DONE;
}

static void
making_it_on_a_full_disk_says_so_and_leaves_no_ruin(void **state)
{
	int rc = run_in_child(full_from_the_start_story, ((struct temp_dir *)*state)->path, false);

	if (rc == CHILD_CANNOT_MOUNT) {
		print_message("skipped: this account may not mount a small disk\n");
		skip();
	}
	assert_int_equal(rc, CHILD_DONE);
}

/* In a child, because the bug to look for is a signal. */
static int
cut_file_story(void *dir)
{
	struct env *e = NULL;
	struct span value;
	enum err r = env_open(dir, names, 2, &e);
	uint32_t n_corrupt = 0;

	for (uint32_t n = 0; r == OK && n < 50; n++)
		if (env_look(e) != OK || env_get(e, 0, (struct span){ (uint8_t *)&n, sizeof n }, &value) == ERR_STORAGE_CORRUPT)
			n_corrupt++;
	env_close(&e);
	return r == OK ? n_corrupt > 0 : r == ERR_STORAGE_CORRUPT;
}

static void
a_file_that_was_cut_is_corrupt_and_no_crash(void **state)
{
	struct env *e = opened(state);

	/* Small values, so that what is cut away are pages of the tree. */
	assert_int_equal(env_begin(e), OK);
	for (uint32_t n = 0; n < 2000; n++)
		assert_int_equal(env_put(e, 0, (struct span){ (uint8_t *)&n, sizeof n }, TEXT("0123456789"), NULL), OK);
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
	assert_int_equal(truncate(temp_dir_at(*state, "data.mdb"), 3 * 4096), 0);
	assert_int_equal(run_in_child(cut_file_story, ((struct temp_dir *)*state)->path, false), 1);
}

static void
a_file_of_something_else_is_corrupt(void **state)
{
	uint8_t junk[8192];
	struct env *e = NULL;

	memset(junk, 'x', sizeof junk);
	temp_dir_put(*state, "data.mdb", junk, sizeof junk, 0600);
	assert_int_equal(env_open(((struct temp_dir *)*state)->path, names, 2, &e), ERR_STORAGE_CORRUPT);
	assert_null(e);
}

static void
a_folder_that_is_not_there_fails(void **state)
{
	struct env *e = NULL;

	assert_int_equal(env_open(temp_dir_at(*state, "nowhere"), names, 2, &e), ERR_STORAGE_FAILED);
	assert_null(e);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, temp_dir_setup, temp_dir_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_second_opener_is_refused_and_does_not_disturb_the_first),
		TEST(its_files_are_the_owners_alone),
		TEST(a_failed_commit_is_latched_until_opened_anew),
		TEST(a_full_disk_loses_nothing_and_works_again_when_there_is_room),
		TEST(making_it_on_a_full_disk_says_so_and_leaves_no_ruin),
		TEST(a_file_that_was_cut_is_corrupt_and_no_crash),
		TEST(a_file_of_something_else_is_corrupt),
		TEST(a_folder_that_is_not_there_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
