#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_place.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

#define CONTENT "what is put"

static struct span
content(void)
{
	return (struct span){ (const uint8_t *)CONTENT, strlen(CONTENT) };
}

static struct log_place
open_in(struct temp_dir *d)
{
	struct log_place p = { .dir_fd = -1, .mode = 0644 };

	assert_int_equal(log_place_open(&p, AT_FDCWD, temp_dir_at(d, "out")), OK);
	return p;
}

static mode_t
mode_of(struct temp_dir *d, const char *name)
{
	struct stat st;

	assert_int_equal(lstat(temp_dir_at(d, name), &st), 0);
	return st.st_mode & 07777;
}

static void
assert_content(struct temp_dir *d, const char *name, const char *wanted)
{
	char found[64] = "";
	int fd = open(temp_dir_at(d, name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(read(fd, found, sizeof found - 1) >= 0);
	close(fd);
	assert_string_equal(found, wanted);
}

static void
a_file_appears_with_the_folders_on_its_way_for_all_to_read(void **state)
{
	struct temp_dir *d = *state;
	mode_t before = umask(077);
	struct log_place p = open_in(d);

	assert_int_equal(log_place_put(&p, "a/b/c", content()), OK);
	umask(before);
	assert_content(d, "out/a/b/c", CONTENT);
	assert_int_equal(mode_of(d, "out"), 0755);
	assert_int_equal(mode_of(d, "out/a/b"), 0755);
	assert_int_equal(mode_of(d, "out/a/b/c"), 0644);
	assert_int_equal(p.n_new, 1);
	assert_int_equal(access(temp_dir_at(d, "out/.memories.new"), F_OK), -1);
	log_place_close(&p);
}

static void
a_file_of_the_same_bytes_is_left_alone(void **state)
{
	struct temp_dir *d = *state;
	struct log_place p = open_in(d);
	struct stat before, after;

	assert_int_equal(log_place_put(&p, "a", content()), OK);
	assert_int_equal(stat(temp_dir_at(d, "out/a"), &before), 0);
	assert_int_equal(log_place_put(&p, "a", content()), OK);
	assert_int_equal(stat(temp_dir_at(d, "out/a"), &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(p.n_new, 1);
	log_place_close(&p);
}

static void
what_a_crash_cut_is_made_whole(void **state)
{
	struct temp_dir *d = *state;
	struct log_place p = open_in(d);

	temp_dir_put(d, "out/a", CONTENT, 4, 0644);
	temp_dir_put(d, "out/b", "", 0, 0644);
	temp_dir_put(d, "out/.memories.new", "half made, and longer than the next", 35, 0600);
	assert_int_equal(log_place_put(&p, "a", content()), OK);
	assert_int_equal(log_place_put(&p, "b", content()), OK);
	assert_content(d, "out/a", CONTENT);
	assert_content(d, "out/b", CONTENT);
	log_place_close(&p);
}

static void
nothing_that_is_not_ours_is_overwritten(void **state)
{
	struct temp_dir *d = *state;
	struct log_place p = open_in(d);

	temp_dir_put(d, "out/other", "something else", 14, 0644);
	temp_dir_put(d, "out/longer", CONTENT " and more", strlen(CONTENT) + 9, 0644);
	temp_dir_mkdir(d, "out/folder", 0755);
	assert_int_equal(symlink("nowhere", temp_dir_at(d, "out/link")), 0);
	assert_int_equal(log_place_put(&p, "other", content()), ERR_EXPORT_FOREIGN);
	assert_int_equal(log_place_put(&p, "longer", content()), ERR_EXPORT_FOREIGN);
	assert_int_equal(log_place_put(&p, "folder", content()), ERR_EXPORT_FOREIGN);
	assert_int_equal(log_place_put(&p, "link", content()), ERR_EXPORT_FOREIGN);
	assert_int_equal(log_place_put(&p, "other/below", content()), ERR_EXPORT_FOREIGN);
	assert_content(d, "out/other", "something else");
	p.ours = true;
	assert_int_equal(log_place_put(&p, "other", content()), OK);
	assert_content(d, "out/other", CONTENT);
	log_place_close(&p);
}

static void
one_process_at_a_time_fills_a_place(void **state)
{
	struct temp_dir *d = *state;
	struct log_place p = open_in(d), q = { .dir_fd = -1, .mode = 0644 };

	assert_int_equal(log_place_open(&q, AT_FDCWD, temp_dir_at(d, "out")), ERR_BUSY);
	log_place_close(&p);
	q = open_in(d);
	log_place_close(&q);
	temp_dir_put(d, "file", "", 0, 0644);
	assert_int_equal(log_place_open(&q, AT_FDCWD, temp_dir_at(d, "file")), ERR_FILE_UNWRITABLE);
	assert_int_equal(log_place_open(&q, AT_FDCWD, temp_dir_at(d, "no/where")), ERR_FILE_UNWRITABLE);
}

static void
a_file_is_replaced_whole(void **state)
{
	struct temp_dir *d = *state;
	struct log_place p = open_in(d);

	temp_dir_put(d, "out/a", "something else", 14, 0600);
	assert_int_equal(log_place_replace(&p, "a", content()), OK);
	assert_content(d, "out/a", CONTENT);
	assert_int_equal(log_place_sync(&p), OK);
	log_place_close(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_appears_with_the_folders_on_its_way_for_all_to_read, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(a_file_of_the_same_bytes_is_left_alone, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(what_a_crash_cut_is_made_whole, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(nothing_that_is_not_ours_is_overwritten, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(one_process_at_a_time_fills_a_place, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(a_file_is_replaced_whole, temp_dir_setup, temp_dir_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
