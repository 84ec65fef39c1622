#include <sys/mount.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/ban.h"
#include "tests/support/check.h"
#include "tests/support/disk.h"
#include "tests/support/temp_dir.h"

#define SLOT_LEN 512
#define SLOT_GAP 4096
#define FILE_LEN 8192

static const struct ban_state free_state = { false, false }, locked = { true, false },
	disabled = { false, true }, both = { true, true };

static struct ban *
opened(void **state)
{
	struct ban *b = NULL;

	assert_int_equal(ban_open(temp_dir_at(*state, "ban"), &b), OK);
	return b;
}

static bool
same(struct ban_state a, struct ban_state b)
{
	return a.manual_lock == b.manual_lock && a.disabled == b.disabled;
}

static struct ban_state
on_disk(void **state)
{
	struct ban *b = opened(state);
	struct ban_state s = ban_state(b);

	ban_close(&b);
	return s;
}

static void
read_file(void **state, uint8_t bytes[FILE_LEN])
{
	int fd = open(temp_dir_at(*state, "ban"), O_RDONLY);

	assert_int_equal(read(fd, bytes, FILE_LEN), FILE_LEN);
	close(fd);
}

static void
write_file(void **state, const uint8_t *bytes, size_t len)
{
	int fd = open(temp_dir_at(*state, "ban"), O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void
set(void **state, struct ban_state s)
{
	struct ban *b = opened(state);

	assert_int_equal(ban_set(b, s), OK);
	assert_true(same(ban_state(b), s));
	ban_close(&b);
	assert_null(b);
}

static void
a_new_file_bans_nothing_and_holds_real_bytes(void **state)
{
	struct stat s;

	assert_true(same(on_disk(state), free_state));
	assert_int_equal(stat(temp_dir_at(*state, "ban"), &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_int_equal(s.st_size, FILE_LEN);
	assert_true(s.st_blocks * 512 >= FILE_LEN);
	assert_int_not_equal(access(temp_dir_at(*state, "ban.new"), F_OK), 0);
}

static void
what_was_set_last_is_read_again(void **state)
{
	const struct ban_state turns[] = { locked, both, disabled, free_state, both, free_state, locked };

	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
		set(state, turns[i]);
		assert_true(same(on_disk(state), turns[i]));
	}
}

static void
the_file_keeps_its_length_and_its_place(void **state)
{
	struct stat before, after;
	struct ban *b = opened(state);

	assert_int_equal(stat(temp_dir_at(*state, "ban"), &before), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(ban_set(b, i % 2 == 0 ? locked : free_state), OK);
	ban_close(&b);
	assert_int_equal(stat(temp_dir_at(*state, "ban"), &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(after.st_blocks, before.st_blocks);
	assert_int_equal(after.st_ino, before.st_ino);
}

/* Whichever slot is hurt: the other one says the same. */
static void
no_hurt_slot_frees_what_was_banned(void **state)
{
	uint8_t good[FILE_LEN], bad[FILE_LEN];

	set(state, free_state);
	set(state, locked);
	read_file(state, good);
	for (size_t slot = 0; slot < 2; slot++)
		for (size_t at = 0; at < SLOT_LEN; at++) {
			memcpy(bad, good, sizeof bad);
			bad[slot * SLOT_GAP + at] ^= (uint8_t)(1 + at % 255);
			write_file(state, bad, sizeof bad);
			assert_true(same(on_disk(state), locked));
		}
}

static void
a_torn_slot_is_never_taken_for_its_own(void **state)
{
	uint8_t old[FILE_LEN], new[FILE_LEN], torn[FILE_LEN];

	set(state, locked);
	read_file(state, old);
	set(state, free_state);
	read_file(state, new);
	/* The first slot that the last set wrote, up to every byte of it. */
	for (size_t len = 0; len < SLOT_LEN; len++) {
		memcpy(torn, old, sizeof torn);
		memcpy(torn, new, len);
		write_file(state, torn, sizeof torn);
		assert_true(same(on_disk(state), locked));
	}
	memcpy(torn, new, SLOT_LEN);
	write_file(state, torn, sizeof torn);
	assert_true(same(on_disk(state), free_state));
}

static void
a_file_without_a_valid_slot_bans_and_can_be_set_again(void **state)
{
	uint8_t zeros[FILE_LEN] = { 0 };

	set(state, free_state);
	write_file(state, zeros, sizeof zeros);
	assert_true(same(on_disk(state), both));
	set(state, free_state);
	assert_true(same(on_disk(state), free_state));
}

static void
a_file_of_another_length_bans_and_is_made_anew(void **state)
{
	uint8_t zeros[FILE_LEN + 1] = { 0 };
	struct stat s;

	set(state, free_state);
	for (size_t i = 0; i < 3; i++) {
		write_file(state, zeros, (size_t[]){ 0, 600, FILE_LEN + 1 }[i]);
		assert_true(same(on_disk(state), both));
		assert_int_equal(stat(temp_dir_at(*state, "ban"), &s), 0);
		assert_int_equal(s.st_size, FILE_LEN);
	}
}

static void
a_link_is_refused(void **state)
{
	char target[TEMP_PATH_MAX];
	struct ban *b = NULL;

	set(state, free_state);
	snprintf(target, sizeof target, "%s", temp_dir_at(*state, "ban"));
	assert_int_equal(symlink(target, temp_dir_at(*state, "link")), 0);
	assert_int_equal(ban_open(temp_dir_at(*state, "link"), &b), ERR_STORAGE_FAILED);
	assert_null(b);
	temp_dir_mkdir(*state, "folder", 0700);
	assert_int_equal(ban_open(temp_dir_at(*state, "folder"), &b), ERR_STORAGE_FAILED);
	assert_null(b);
}

static void
a_draft_left_by_a_crash_is_no_hindrance(void **state)
{
	temp_dir_put(*state, "ban.new", "half", 4, 0600);
	assert_true(same(on_disk(state), free_state));
	assert_int_not_equal(access(temp_dir_at(*state, "ban.new"), F_OK), 0);
}

/* The limit on file sizes makes each write fail. */
static void
a_failed_set_bans_in_memory_and_the_next_try_opens_anew(void **state)
{
	struct ban *b = opened(state);

	disk_limit(0);
	assert_int_equal(ban_set(b, locked), ERR_STORAGE_FAILED);
	assert_int_equal(ban_set(b, locked), ERR_STORAGE_FAILED);
	disk_unlimit();
	assert_true(same(ban_state(b), locked));
	assert_true(same(on_disk(state), free_state));
	assert_int_equal(ban_set(b, locked), OK);
	ban_close(&b);
	assert_true(same(on_disk(state), locked));
}

static void
a_failed_set_fails_while_the_file_is_gone(void **state)
{
	struct ban *b = opened(state);

	disk_limit(0);
	assert_int_equal(ban_set(b, locked), ERR_STORAGE_FAILED);
	disk_unlimit();
	assert_int_equal(unlink(temp_dir_at(*state, "ban")), 0);
	assert_int_equal(ban_set(b, locked), ERR_STORAGE_FAILED);
	assert_true(same(ban_state(b), locked));
	ban_close(&b);
}

enum { CHILD_DONE = 0, CHILD_CANNOT_MOUNT = 99 };

static int
full_disk_story(void *dir)
{
	static const uint8_t zeros[4096];
	char path[TEMP_PATH_MAX + 8], filler[TEMP_PATH_MAX + 8], later[TEMP_PATH_MAX + 8],
	    draft[TEMP_PATH_MAX + 16];
	struct ban *b = NULL, *c = NULL;
	int fd;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=0700") != 0)
		return CHILD_CANNOT_MOUNT;
	snprintf(path, sizeof path, "%s/ban", (const char *)dir);
	snprintf(later, sizeof later, "%s/later", (const char *)dir);
	snprintf(draft, sizeof draft, "%s.new", later);
	snprintf(filler, sizeof filler, "%s/filler", (const char *)dir);
	if (ban_open(path, &b) != OK || (fd = open(filler, O_WRONLY | O_CREAT, 0600)) < 0)
		return 1;
	while (write(fd, zeros, sizeof zeros) > 0)
		;
	if (ban_set(b, locked) != OK)
		return 2;
	ban_close(&b);
	if (ban_open(path, &b) != OK || !same(ban_state(b), locked))
		return 3;
	if (ban_open(later, &c) != ERR_STORAGE_FULL || c != NULL || access(later, F_OK) == 0)
		return 4;
	if (access(draft, F_OK) == 0)
		return 5;
	ban_close(&b);
	return CHILD_DONE;
}

static void
a_full_disk_does_not_stop_a_lock(void **state)
{
	int rc = run_in_child(full_disk_story, ((struct temp_dir *)*state)->path, false);

	if (rc == CHILD_CANNOT_MOUNT) {
		print_message("skipped: this account may not mount a small disk\n");
		skip();
	}
	assert_int_equal(rc, CHILD_DONE);
}

/* The bytes of docs/store-format.md. */
static void
a_slot_has_the_bytes_of_the_format(void **state)
{
	static const uint8_t first[11] = { 1, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0 };
	static const uint8_t hash[32] = {
		0xad, 0x94, 0x2b, 0x76, 0xdc, 0x4a, 0x91, 0x2b,
		0x84, 0xc3, 0x38, 0x38, 0x4a, 0x11, 0x2b, 0x52,
		0xcd, 0x6e, 0x5f, 0x43, 0xf3, 0x8c, 0x26, 0x41,
		0x73, 0x06, 0x8c, 0x8e, 0x05, 0x0f, 0x10, 0x9a,
	};
	uint8_t file[FILE_LEN];

	set(state, locked);
	read_file(state, file);
	assert_memory_equal(file, first, sizeof first);
	for (size_t i = sizeof first; i < SLOT_LEN - 32; i++)
		assert_int_equal(file[i], 0);
	assert_memory_equal(file + SLOT_LEN - 32, hash, sizeof hash);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, temp_dir_setup, temp_dir_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file_bans_nothing_and_holds_real_bytes),
		TEST(what_was_set_last_is_read_again),
		TEST(the_file_keeps_its_length_and_its_place),
		TEST(no_hurt_slot_frees_what_was_banned),
		TEST(a_torn_slot_is_never_taken_for_its_own),
		TEST(a_file_without_a_valid_slot_bans_and_can_be_set_again),
		TEST(a_file_of_another_length_bans_and_is_made_anew),
		TEST(a_link_is_refused),
		TEST(a_draft_left_by_a_crash_is_no_hindrance),
		TEST(a_failed_set_bans_in_memory_and_the_next_try_opens_anew),
		TEST(a_failed_set_fails_while_the_file_is_gone),
		TEST(a_full_disk_does_not_stop_a_lock),
		TEST(a_slot_has_the_bytes_of_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
