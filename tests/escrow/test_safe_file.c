#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "escrow/safe_file.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

/* Faults of the disk and the file system: these stand in front of libc's. */
static bool no_nameless_files;
static bool no_empty_path; /* as kernels before 6.10 for who has no privilege */
static int  syncs_until_failure = -1; /* -1: none fails */

int openat(int dir_fd, const char *path, int flags, ...);

int
openat(int dir_fd, const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = va_arg(list, mode_t);
	va_end(list);
	if (no_nameless_files && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, dir_fd, path, flags, mode);
}

int
linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	if (no_empty_path && (flags & AT_EMPTY_PATH) != 0) {
		errno = ENOENT;
		return -1;
	}
	return (int)syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
}

int
fsync(int fd)
{
	if (syncs_until_failure == 0) {
		errno = EIO;
		return -1;
	}
	syncs_until_failure -= syncs_until_failure > 0;
	return (int)syscall(SYS_fsync, fd);
}

static const struct safe_file_rule rule = {
	.forbidden = 077,
	.max_len = 64,
	.unsafe = ERR_CLIENT_FILE_UNSAFE,
	.invalid = ERR_CLIENT_FILE_INVALID,
};

static int
dir_fd_of(const struct temp_dir *d)
{
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static enum err
read_name(struct temp_dir *d, const char *name, struct secret **out)
{
	int fd = dir_fd_of(d);
	enum err e = safe_file_read(fd, name, &rule, out);

	close(fd);
	return e;
}

static void
expect_refused(struct temp_dir *d, const char *name, enum err expected)
{
	struct secret *s = NULL;

	assert_int_equal(read_name(d, name, &s), expected);
	assert_null(s);
}

static void
expect_bytes(struct temp_dir *d, const char *name, const char *expected)
{
	struct secret *s = NULL;

	assert_int_equal(read_name(d, name, &s), OK);
	assert_int_equal(secret_len(s), strlen(expected));
	assert_memory_equal(secret_view(s), expected, strlen(expected));
	secret_free(&s);
}

static struct span
text(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

static enum err
publish(struct temp_dir *d, const char *name, const char *bytes)
{
	int fd = dir_fd_of(d);
	enum err e = safe_file_publish(fd, name, text(bytes), ERR_CLIENT_FILE_EXISTS);

	close(fd);
	return e;
}

static enum err
replace(struct temp_dir *d, const char *name, const char *bytes)
{
	int fd = dir_fd_of(d);
	enum err e = safe_file_replace(fd, name, text(bytes), ERR_CUSTODY_UNSAFE);

	close(fd);
	return e;
}

static enum err
remove_name(struct temp_dir *d, const char *name)
{
	int fd = dir_fd_of(d);
	enum err e = safe_file_remove(fd, name, ERR_CUSTODY_UNSAFE);

	close(fd);
	return e;
}

static void
expect_mode_and_one_link(struct temp_dir *d, const char *name, mode_t mode)
{
	struct stat st;

	assert_int_equal(lstat(temp_dir_at(d, name), &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | mode);
	assert_int_equal(st.st_nlink, 1);
}

/* How many of the two names that replacing "f" uses are there. */
static unsigned
n_names(struct temp_dir *d)
{
	struct stat st;

	return (unsigned)(lstat(temp_dir_at(d, "f"), &st) == 0) +
	    (unsigned)(lstat(temp_dir_at(d, "f.new"), &st) == 0);
}

static void
the_owners_own_file_is_read_whole(void **state)
{
	struct temp_dir *d = *state;
	char long_text[65];

	temp_dir_put(d, "f", "hello", 5, 0600);
	expect_bytes(d, "f", "hello");
	temp_dir_put(d, "read_only", "hello", 5, 0400);
	expect_bytes(d, "read_only", "hello");
	temp_dir_put(d, "empty", "", 0, 0600);
	expect_bytes(d, "empty", "");
	memset(long_text, 'x', 64);
	long_text[64] = '\0';
	temp_dir_put(d, "full", long_text, 64, 0600);
	expect_bytes(d, "full", long_text);
}

static void
any_bit_for_group_or_others_is_unsafe(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_put(d, "f", "x", 1, 0600);
	for (mode_t bit = 1; bit <= 040; bit <<= 1) {
		assert_int_equal(chmod(temp_dir_at(d, "f"), 0600 | bit), 0);
		expect_refused(d, "f", ERR_CLIENT_FILE_UNSAFE);
	}
}

static void
another_users_file_is_unsafe(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() != 0)
		skip();
	temp_dir_put(d, "f", "x", 1, 0600);
	assert_int_equal(chown(d->joined, OTHER_UID, OTHER_UID), 0);
	expect_refused(d, "f", ERR_CLIENT_FILE_UNSAFE);
}

static int
read_in_child(void *argument)
{
	struct temp_dir *d = argument;
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct secret *s = NULL;

	return (int)safe_file_read(fd, "f", &rule, &s);
}

static void
roots_file_is_unsafe_for_another_user_readable_or_not(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(d->path, 0755), 0);
	temp_dir_put(d, "f", "x", 1, 0600);
	assert_int_equal(run_in_child(read_in_child, d, true), ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(chmod(d->joined, 0604), 0);
	assert_int_equal(run_in_child(read_in_child, d, true), ERR_CLIENT_FILE_UNSAFE);
}

static void
a_second_hard_link_is_unsafe(void **state)
{
	struct temp_dir *d = *state;
	char other[TEMP_PATH_MAX];

	temp_dir_put(d, "f", "x", 1, 0600);
	strcpy(other, temp_dir_at(d, "g"));
	assert_int_equal(link(temp_dir_at(d, "f"), other), 0);
	expect_refused(d, "f", ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(unlink(other), 0);
	expect_bytes(d, "f", "x");
}

static void
what_is_no_regular_file_is_unsafe_and_never_waited_for(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_put(d, "f", "x", 1, 0600);
	assert_int_equal(symlink("f", temp_dir_at(d, "link")), 0);
	expect_refused(d, "link", ERR_CLIENT_FILE_UNSAFE);
	assert_int_equal(mkfifo(temp_dir_at(d, "fifo"), 0600), 0);
	expect_refused(d, "fifo", ERR_CLIENT_FILE_UNSAFE);
	temp_dir_mkdir(d, "dir", 0700);
	expect_refused(d, "dir", ERR_CLIENT_FILE_UNSAFE);
	expect_refused(d, ".", ERR_CLIENT_FILE_UNSAFE);
	if (mknod(temp_dir_at(d, "device"), S_IFCHR | 0600, 0x103) == 0)
		expect_refused(d, "device", ERR_CLIENT_FILE_UNSAFE);
}

static void
a_missing_file_is_told_apart_and_a_long_one_is_invalid(void **state)
{
	struct temp_dir *d = *state;
	char bytes[65] = { 0 };

	expect_refused(d, "none", ERR_NOT_FOUND);
	expect_refused(d, "", ERR_NOT_FOUND);
	temp_dir_put(d, "long", bytes, 65, 0600);
	expect_refused(d, "long", ERR_CLIENT_FILE_INVALID);
	temp_dir_put(d, "sparse", bytes, 1, 0600);
	assert_int_equal(truncate(d->joined, (off_t)1 << 40), 0);
	expect_refused(d, "sparse", ERR_CLIENT_FILE_INVALID);
}

static void
publishing_makes_a_complete_private_file_under_any_umask(void **state)
{
	struct temp_dir *d = *state;
	static const mode_t masks[] = { 0, 022, 0777 };

	for (size_t i = 0; i < 9; i++) {
		no_nameless_files = i >= 6;
		no_empty_path = i >= 3;
		umask(masks[i % 3]);
		assert_int_equal(publish(d, "f", "token"), OK);
		umask(022);
		expect_mode_and_one_link(d, "f", 0600);
		expect_bytes(d, "f", "token");
		assert_int_equal(unlink(temp_dir_at(d, "f")), 0);
	}
	no_nameless_files = no_empty_path = false;
	assert_int_equal(rmdir(d->path), 0); /* nothing else was left */
	assert_int_equal(mkdir(d->path, 0700), 0);
}

static void
publishing_never_overwrites_what_has_the_name(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_put(d, "f", "old", 3, 0600);
	temp_dir_mkdir(d, "dir", 0700);
	assert_int_equal(symlink("nowhere", temp_dir_at(d, "dangling")), 0);
	for (int i = 0; i < 3; i++) {
		no_nameless_files = i == 2;
		no_empty_path = i == 1;
		assert_int_equal(publish(d, "f", "new"), ERR_CLIENT_FILE_EXISTS);
		assert_int_equal(publish(d, "dir", "new"), ERR_CLIENT_FILE_EXISTS);
		assert_int_equal(publish(d, "dangling", "new"), ERR_CLIENT_FILE_EXISTS);
	}
	no_nameless_files = no_empty_path = false;
	expect_bytes(d, "f", "old");
	assert_int_equal(access(temp_dir_at(d, "nowhere"), F_OK), -1);
}

/* The first sync is the file's, the second the folder's. */
static void
a_failed_sync_leaves_nothing_published(void **state)
{
	struct temp_dir *d = *state;

	for (int i = 0; i < 4; i++) {
		no_nameless_files = i >= 2;
		syncs_until_failure = i % 2;
		assert_int_equal(publish(d, "f", "token"), ERR_STORAGE_FAILED);
		syncs_until_failure = -1;
		no_nameless_files = false;
		assert_int_equal(rmdir(d->path), 0);
		assert_int_equal(mkdir(d->path, 0700), 0);
	}
}

static int
publish_in_child(void *argument)
{
	struct temp_dir *d = argument;
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int e = (int)safe_file_publish(fd, "f", text("token"), ERR_CLIENT_FILE_EXISTS);

	no_nameless_files = true;
	return e == (int)safe_file_publish(fd, "f", text("token"), ERR_CLIENT_FILE_EXISTS) ? e : 126;
}

static void
without_privileges_publishing_works_too(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(d->path, OTHER_UID, OTHER_UID), 0);
	assert_int_equal(run_in_child(publish_in_child, d, true), 126); /* OK, then it exists */
	expect_mode_and_one_link(d, "f", 0600);
}

static void
a_folder_that_takes_no_file_is_told(void **state)
{
	struct temp_dir *d = *state;

	if (geteuid() == 0)
		assert_int_equal(chmod(d->path, 0755), 0);
	else
		assert_int_equal(chmod(d->path, 0500), 0);
	assert_int_equal(run_in_child(publish_in_child, d, true), ERR_FILE_UNWRITABLE);
	assert_int_equal(chmod(d->path, 0700), 0);
}

static void
replacing_swaps_the_whole_file(void **state)
{
	struct temp_dir *d = *state;

	assert_int_equal(replace(d, "f", "one"), OK);
	expect_bytes(d, "f", "one");
	assert_int_equal(chmod(temp_dir_at(d, "f"), 0644), 0);
	umask(0);
	assert_int_equal(replace(d, "f", "three"), OK);
	umask(022);
	expect_bytes(d, "f", "three");
	expect_mode_and_one_link(d, "f", 0600);
	assert_int_equal(n_names(d), 1);
}

static void
replacing_a_link_leaves_its_target_alone(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_put(d, "target", "theirs", 6, 0600);
	assert_int_equal(symlink("target", temp_dir_at(d, "f")), 0);
	assert_int_equal(symlink("target", temp_dir_at(d, "f.new")), 0);
	assert_int_equal(replace(d, "f", "ours"), OK);
	expect_bytes(d, "target", "theirs");
	expect_bytes(d, "f", "ours");
}

static void
a_failed_sync_before_the_rename_keeps_the_old_file(void **state)
{
	struct temp_dir *d = *state;

	assert_int_equal(replace(d, "f", "old"), OK);
	syncs_until_failure = 0;
	assert_int_equal(replace(d, "f", "new"), ERR_STORAGE_FAILED);
	syncs_until_failure = 1;
	assert_int_equal(replace(d, "g", "new"), ERR_STORAGE_FAILED);
	syncs_until_failure = -1;
	expect_bytes(d, "f", "old");
	assert_int_equal(n_names(d), 1);
}

static void
replacing_a_folder_is_refused(void **state)
{
	struct temp_dir *d = *state;

	temp_dir_mkdir(d, "f", 0700);
	assert_int_equal(replace(d, "f", "x"), ERR_CUSTODY_UNSAFE);
	assert_int_equal(n_names(d), 1);
	assert_int_equal(remove_name(d, "f"), ERR_CUSTODY_UNSAFE);
}

/* Keeps the inode open to see what became of its bytes. */
static void
removing_overwrites_with_zeros_and_takes_the_name_away(void **state)
{
	struct temp_dir *d = *state;
	char big[10000], seen[10001], zeros[10000] = { 0 };
	int fd;

	memset(big, 'k', sizeof big);
	temp_dir_put(d, "f", big, sizeof big, 0400);
	temp_dir_put(d, "f.new", "left by a crash", 15, 0600);
	fd = open(temp_dir_at(d, "f"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(remove_name(d, "f"), OK);
	assert_int_equal(n_names(d), 0);
	assert_int_equal(read(fd, seen, sizeof seen), sizeof big);
	assert_memory_equal(seen, zeros, sizeof zeros);
	close(fd);
	assert_int_equal(remove_name(d, "f"), OK);
}

static int
remove_in_child(void *argument)
{
	struct temp_dir *d = argument;
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return (int)safe_file_remove(fd, "f", ERR_CUSTODY_UNSAFE);
}

static void
a_read_only_file_is_overwritten_without_privileges(void **state)
{
	struct temp_dir *d = *state;
	char seen[3] = "";
	int fd;

	temp_dir_put(d, "f", "key", 3, 0400);
	fd = open(d->joined, O_RDONLY | O_CLOEXEC);
	if (geteuid() == 0) {
		assert_int_equal(chown(d->path, OTHER_UID, OTHER_UID), 0);
		assert_int_equal(fchown(fd, OTHER_UID, OTHER_UID), 0);
	}
	assert_int_equal(run_in_child(remove_in_child, d, true), OK);
	assert_int_equal(read(fd, seen, sizeof seen), 3);
	assert_memory_equal(seen, "\0\0", 3);
	close(fd);
}

static void
removing_a_link_or_one_of_two_names_spares_the_bytes(void **state)
{
	struct temp_dir *d = *state;
	char other[TEMP_PATH_MAX];

	temp_dir_put(d, "target", "theirs", 6, 0600);
	assert_int_equal(symlink("target", temp_dir_at(d, "f")), 0);
	assert_int_equal(remove_name(d, "f"), OK);
	strcpy(other, temp_dir_at(d, "f"));
	assert_int_equal(link(temp_dir_at(d, "target"), other), 0);
	assert_int_equal(remove_name(d, "f"), OK);
	assert_int_equal(n_names(d), 0);
	expect_bytes(d, "target", "theirs");
}

static void
a_failed_sync_makes_removing_fail_but_the_name_goes(void **state)
{
	struct temp_dir *d = *state;

	for (int i = 0; i < 2; i++) {
		temp_dir_put(d, "f", "key", 3, 0600);
		syncs_until_failure = i;
		assert_int_equal(remove_name(d, "f"), ERR_STORAGE_FAILED);
		syncs_until_failure = -1;
		assert_int_equal(n_names(d), 0);
	}
}

/* What a full disk looks like to a writer, without needing one. */
static int
publish_past_limit(void *argument)
{
	struct temp_dir *d = argument;
	struct rlimit limit = { 4, 4 };
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	return (int)safe_file_publish(fd, "f", text("longer than four"), ERR_CLIENT_FILE_EXISTS);
}

static void
a_write_that_stops_short_leaves_nothing_published(void **state)
{
	struct temp_dir *d = *state;

	assert_int_equal(run_in_child(publish_past_limit, d, false), ERR_STORAGE_FAILED);
	assert_int_equal(n_names(d), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_setup, temp_dir_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_owners_own_file_is_read_whole),
		TEST(any_bit_for_group_or_others_is_unsafe),
		TEST(another_users_file_is_unsafe),
		TEST(roots_file_is_unsafe_for_another_user_readable_or_not),
		TEST(a_second_hard_link_is_unsafe),
		TEST(what_is_no_regular_file_is_unsafe_and_never_waited_for),
		TEST(a_missing_file_is_told_apart_and_a_long_one_is_invalid),
		TEST(publishing_makes_a_complete_private_file_under_any_umask),
		TEST(publishing_never_overwrites_what_has_the_name),
		TEST(a_failed_sync_leaves_nothing_published),
		TEST(without_privileges_publishing_works_too),
		TEST(a_folder_that_takes_no_file_is_told),
		TEST(replacing_swaps_the_whole_file),
		TEST(replacing_a_link_leaves_its_target_alone),
		TEST(a_failed_sync_before_the_rename_keeps_the_old_file),
		TEST(replacing_a_folder_is_refused),
		TEST(removing_overwrites_with_zeros_and_takes_the_name_away),
		TEST(a_read_only_file_is_overwritten_without_privileges),
		TEST(removing_a_link_or_one_of_two_names_spares_the_bytes),
		TEST(a_failed_sync_makes_removing_fail_but_the_name_goes),
		TEST(a_write_that_stops_short_leaves_nothing_published),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
