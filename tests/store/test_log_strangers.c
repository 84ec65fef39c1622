#include <errno.h>
#include <limits.h>

#include "store/log_repair.h"
#include "tests/store/log_rig.h"

/* What others put in the place of the log's files. */

static int
start(void **state)
{
	struct log_rig *rig = malloc(sizeof *rig);

	log_rig_start(rig, 64 << 10, 64 << 10);
	log_rig_ready(rig);
	log_close(&rig->log);
	*state = rig;
	return 0;
}

static int
end(void **state)
{
	log_rig_end(*state);
	free(*state);
	return 0;
}

/* So many groups that the log goes over to another segment, twice. */
static void
fill_segments(struct log_rig *rig)
{
	for (int i = 0; i < 80; i++)
		log_rig_group(rig, 6);
	log_rig_assert_valid(rig->dir, log_size(rig->log));
}

static void
two_names_of_one_spare_are_never_written_to(void **state)
{
	struct log_rig *rig = *state;
	char path[192], other[192];

	assert_int_equal(log_rig_open(rig), OK);
	log_tend(rig->log);
	log_close(&rig->log);
	log_rig_path(rig, "seg/0000000002.seg", path);
	log_rig_path(rig, "seg/0000000003.seg", other);
	assert_int_equal(link(path, other), 0);
	assert_int_equal(log_rig_open(rig), OK);
	log_rig_certify(rig);
	fill_segments(rig);
}

static void
put_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void
put_folder(const char *path)
{
	assert_int_equal(mkdir(path, 0700), 0);
}

static void
put_link(const char *path)
{
	assert_int_equal(symlink("/dev/zero", path), 0);
}

static void
put_short(const char *path)
{
	log_rig_write_file(path, "", 0);
}

static void
put_endless(const char *path)
{
	log_rig_write_file(path, "", 0);
	assert_int_equal(truncate(path, (off_t)SEGMENT_BYTES_MAX + 1), 0);
}

static void
what_is_no_file_of_the_log_is_a_change_that_a_repair_mends(void **state)
{
	static const char *const names[] = { "seg/0000000002.seg", "seg/0000000007.seg", "anchor", "key.pub" };
	static void (*const puts[])(const char *path) = { put_fifo, put_folder, put_link, put_short, put_endless };
	struct log_rig *rig = *state;
	struct log_repaired repaired;
	char path[192];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t j = 0; j < sizeof puts / sizeof *puts; j++) {
			log_rig_path(rig, names[i], path);
			if (puts[j] == put_short && strcmp(names[i], "anchor") == 0)
				continue;
			(void)unlink(path);
			puts[j](path);
			assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
			assert_int_equal(log_repair_open(&rig->settings, (struct log_known){ NULL, 0 }, &rig->log, &repaired), OK);
			log_rig_certify(rig);
			assert_int_equal(log_repair_finish(rig->log, rig->settings.library), OK);
			log_rig_group(rig, 2);
			log_close(&rig->log);
			assert_int_equal(log_rig_open(rig), OK);
			log_rig_assert_valid(rig->dir, log_size(rig->log));
			log_close(&rig->log);
		}
}

static ssize_t
pread_but_the_anchor(int fd, void *p, size_t len, off_t at)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	assert_true(n > 0);
	path[n] = '\0';
	if (strcmp(strrchr(path, '/'), "/anchor") != 0)
		return pread(fd, p, len, at);
	errno = EIO;
	return -1;
}

static void
an_anchor_that_cannot_be_read_is_not_one_that_was_changed(void **state)
{
	static const struct log_io io = { pread_but_the_anchor, pwrite, fdatasync, fsync, fallocate };
	struct log_rig *rig = *state;

	log_io_replace(&io);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_UNAVAILABLE);
	log_io_replace(NULL);
	assert_int_equal(log_rig_open(rig), OK);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(two_names_of_one_spare_are_never_written_to),
		RUN(what_is_no_file_of_the_log_is_a_change_that_a_repair_mends),
		RUN(an_anchor_that_cannot_be_read_is_not_one_that_was_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
