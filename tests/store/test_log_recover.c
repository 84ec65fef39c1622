#include <errno.h>

#include "store/log_read.h"
#include "tests/store/log_rig.h"

/* What goes wrong: every sync of the file with this inode, and every read of the anchor. */
static struct {
	ino_t sync_fails;
	bool  anchor_unreadable;
} fault;

static int
bad_fdatasync(int fd)
{
	struct stat st;

	if (fault.sync_fails != 0 && fstat(fd, &st) == 0 && st.st_ino == fault.sync_fails) {
		errno = EIO;
		return -1;
	}
	return fdatasync(fd);
}

static ssize_t
bad_pread(int fd, void *p, size_t len, off_t at)
{
	char link[64], path[256];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path);
	if (fault.anchor_unreadable && n > 7 && memcmp(path + n - 7, "/anchor", 7) == 0) {
		errno = EIO;
		return -1;
	}
	return pread(fd, p, len, at);
}

static const struct log_io bad_io = { bad_pread, pwrite, bad_fdatasync, fsync, fallocate };

static int
start(void **state)
{
	memset(&fault, 0, sizeof fault);
	log_io_replace(&bad_io);
	return log_rig_setup(state);
}

static ino_t
inode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void
assert_valid(struct log_rig *rig)
{
	struct log_verify_options options = { .dir = rig->dir, .full = true };
	struct log_verdict v;

	assert_int_equal(log_verify(&options, &v), OK);
	assert_true(v.valid);
}

/* Fills what there is of room, and more, with groups of one record. */
static uint64_t
fill_segments(struct log_rig *rig, unsigned n_groups)
{
	for (unsigned i = 0; i < n_groups; i++) {
		assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
		assert_int_equal(log_rig_commit(rig), OK);
		if (i % 50 == 0)
			while (log_tend(rig->log))
				;
	}
	return log_size(rig->log);
}

static void
a_segment_whose_sync_failed_is_never_written_again(void **state)
{
	struct log_rig *rig = *state;
	char path[192];
	uint64_t size;

	log_rig_ready(rig);
	while (log_tend(rig->log))
		;
	log_rig_path(rig, "seg/0000000001.seg", path);
	fault.sync_fails = inode(path);
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_rig_commit(rig), ERR_AUDIT_UNAVAILABLE);
	size = log_size(rig->log);
	log_close(&rig->log);
	assert_int_equal(log_rig_open(rig), OK);
	assert_in_range(log_size(rig->log), size + 1, size + 2);
	log_close(&rig->log);
	fault.sync_fails = 0;
	assert_int_equal(log_rig_open(rig), OK);
	assert_valid(rig);
}

static void
what_is_no_good_as_a_spare_is_passed_over(void **state)
{
	struct log_rig *rig = *state;
	static const uint8_t zeros[64 << 10];
	static const size_t lengths[] = { 0, 1, 4096, (64 << 10) - 1 };
	char path[192];

	log_rig_ready(rig);
	log_close(&rig->log);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		log_rig_segment_path(rig, 1 + i, path);
		log_rig_write_file(path, zeros, lengths[i]);
		assert_int_equal(log_rig_open(rig), OK);
		log_close(&rig->log);
	}
	assert_int_equal(log_rig_open(rig), OK);
	log_rig_certify(rig);
	fill_segments(rig, 300);
	assert_valid(rig);
}

/* A hard link, as some backups make them: what is written to the one would be written over by the other. */
static void
a_spare_with_two_names_is_not_used_twice(void **state)
{
	struct log_rig *rig = *state;
	char path[192], other[192];
	uint64_t size;

	log_rig_ready(rig);
	while (log_tend(rig->log))
		;
	log_close(&rig->log);
	log_rig_segment_path(rig, 2, other);
	(void)unlink(other);
	log_rig_segment_path(rig, 1, path);
	assert_int_equal(link(path, other), 0);
	assert_int_equal(log_rig_open(rig), OK);
	log_rig_certify(rig);
	size = fill_segments(rig, 700);
	log_close(&rig->log);
	assert_valid(rig);
	assert_int_equal(log_rig_open(rig), OK);
	assert_true(log_size(rig->log) > size);
}

static void
what_is_no_file_in_a_segments_place_is_a_change_from_outside(void **state)
{
	struct log_rig *rig = *state;
	char path[192];

	log_rig_ready(rig);
	log_close(&rig->log);
	log_rig_segment_path(rig, 1, path);
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("0000000001.seg", path), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(log_rig_open(rig), OK);
}

static void
a_segment_that_was_made_too_long_is_a_change_from_outside(void **state)
{
	struct log_rig *rig = *state;
	char path[192];

	log_rig_ready(rig);
	log_close(&rig->log);
	log_rig_segment_path(rig, 0, path);
	assert_int_equal(truncate(path, ((off_t)1 << 30) + 4096), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
}

/* It is the disk's fault, not somebody's; and a repair would go without what it says. */
static void
an_anchor_that_cannot_be_read_is_not_called_tampered(void **state)
{
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	log_close(&rig->log);
	fault.anchor_unreadable = true;
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_UNAVAILABLE);
	fault.anchor_unreadable = false;
	assert_int_equal(log_rig_open(rig), OK);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, log_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_segment_whose_sync_failed_is_never_written_again),
		RUN(what_is_no_good_as_a_spare_is_passed_over),
		RUN(a_spare_with_two_names_is_not_used_twice),
		RUN(what_is_no_file_in_a_segments_place_is_a_change_from_outside),
		RUN(a_segment_that_was_made_too_long_is_a_change_from_outside),
		RUN(an_anchor_that_cannot_be_read_is_not_called_tampered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
