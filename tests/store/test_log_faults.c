#include <errno.h>

#include "tests/store/log_rig.h"

/* What goes wrong with the calls from now on; 0 is nothing. */
static struct {
	int    pwrite_errno;
	size_t pwrite_keeps;      /* bytes of a write that arrive before it fails or ends short */
	bool   pwrite_is_short;
	int    fdatasync_errno;
	int    fsync_errno;
	int    fallocate_errno;
	int    pread_errno;
	off_t  disk_lacks_from;   /* direct reads find zeros from here on; the page cache does not */
	int    n_writes, n_syncs; /* counted always */
	int    n_segment_names_synced; /* so often seg/ itself was */
} fault;

static ssize_t
bad_pread(int fd, void *p, size_t len, off_t at)
{
	ssize_t n = pread(fd, p, len, at);

	if (fault.disk_lacks_from != 0 && fcntl(fd, F_GETFL) & O_DIRECT)
		for (ssize_t i = 0; i < n; i++)
			if (at + i >= fault.disk_lacks_from)
				((uint8_t *)p)[i] = 0;
	if (fault.pread_errno == 0)
		return n;
	errno = fault.pread_errno;
	return -1;
}

static ssize_t
bad_pwrite(int fd, const void *p, size_t len, off_t at)
{
	size_t keeps = fault.pwrite_keeps < len ? fault.pwrite_keeps : len;
	ssize_t n;

	fault.n_writes++;
	if (fault.pwrite_errno == 0 && !fault.pwrite_is_short)
		return pwrite(fd, p, len, at);
	n = pwrite(fd, p, keeps, at);
	errno = fault.pwrite_errno;
	return fault.pwrite_is_short ? n : -1;
}

static int
bad_fdatasync(int fd)
{
	fault.n_syncs++;
	errno = fault.fdatasync_errno;
	return fault.fdatasync_errno != 0 ? -1 : fdatasync(fd);
}

static bool
is_segment_dir(int fd)
{
	char link[64], path[256];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path);
	return n > 4 && memcmp(path + n - 4, "/seg", 4) == 0;
}

static int
bad_fsync(int fd)
{
	fault.n_segment_names_synced += is_segment_dir(fd);
	errno = fault.fsync_errno;
	return fault.fsync_errno != 0 ? -1 : fsync(fd);
}

static int
bad_fallocate(int fd, int mode, off_t at, off_t len)
{
	errno = fault.fallocate_errno;
	return fault.fallocate_errno != 0 ? -1 : fallocate(fd, mode, at, len);
}

static const struct log_io bad_io = { bad_pread, bad_pwrite, bad_fdatasync, bad_fsync, bad_fallocate };

static int
start(void **state)
{
	memset(&fault, 0, sizeof fault);
	log_io_replace(&bad_io);
	return log_rig_setup(state);
}

static void
assert_latched(struct log_rig *rig, enum err e, uint64_t size)
{
	struct log_record r = log_rig_record(LOG_INTENT);
	const struct log_receipt *receipt = NULL;
	struct cert c = log_rig_cert(rig);
	uint64_t index;

	memset(&fault, 0, sizeof fault);
	assert_int_equal(log_state(rig->log), LOG_FAILED);
	assert_int_equal(log_failure(rig->log), e);
	assert_int_equal(log_size(rig->log), size);
	assert_int_equal(log_append(rig->log, &r, &index), e);
	assert_int_equal(log_commit(rig->log, &receipt), e);
	assert_null(receipt);
	assert_int_equal(log_epoch_certify(rig->log, &c), e);
	assert_false(log_tend(rig->log));
	log_close(&rig->log);
	assert_int_equal(fault.n_writes + fault.n_syncs, 0);
}

static void
commit_fails(struct log_rig *rig, enum err e)
{
	const struct log_receipt *receipt = NULL;

	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_commit(rig->log, &receipt), e);
	assert_null(receipt);
	assert_latched(rig, e, 2);
}

static void
reopens_with(struct log_rig *rig, uint64_t n_seen)
{
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, n_seen);
	log_rig_certify(rig);
	log_rig_group(rig, 3);
	log_rig_assert_valid(rig->dir, n_seen + 5);
}

static void
one_write_and_one_sync_make_a_group_durable(void **state)
{
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	fault.n_writes = fault.n_syncs = 0;
	log_rig_group(rig, 40);
	assert_int_equal(fault.n_writes, 1);
	assert_int_equal(fault.n_syncs, 1);
}

static void
a_failed_sync_is_latched_and_never_tried_again(void **state)
{
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	fault.fdatasync_errno = EIO;
	commit_fails(rig, ERR_AUDIT_UNAVAILABLE);
	/* All its bytes did arrive: the log may claim what was never acknowledged. */
	reopens_with(rig, 3);
}

static void
a_failed_write_is_latched(void **state)
{
	static const int codes[] = { EIO, ENOSPC, EDQUOT, EINTR };
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		const struct log_receipt *receipt = NULL;
		uint64_t size = log_size(rig->log);

		fault.pwrite_errno = codes[i];
		fault.pwrite_keeps = 50 * i;
		assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
		assert_int_equal(log_commit(rig->log, &receipt), ERR_AUDIT_UNAVAILABLE);
		assert_latched(rig, ERR_AUDIT_UNAVAILABLE, size);
		reopens_with(rig, size);
	}
}

static void
a_short_write_is_latched_and_its_bytes_are_kept_apart(void **state)
{
	struct log_rig *rig = *state;
	char path[192];
	size_t len;
	uint8_t *bytes;

	log_rig_ready(rig);
	fault.pwrite_is_short = true;
	fault.pwrite_keeps = 100;
	commit_fails(rig, ERR_AUDIT_UNAVAILABLE);
	reopens_with(rig, 2);
	log_rig_path(rig, "seg/0000000002.seg", path);
	assert_int_equal(access(path, F_OK), 0);
	log_close(&rig->log);

	log_rig_path(rig, "seg/0000000001.seg", path);
	bytes = log_rig_read_file(path, &len);
	{
		size_t ends[8], n = log_rig_groups(bytes, len, ends, 8);
		char name[64], kept_path[192];
		size_t kept_len;
		uint8_t *kept;

		assert_int_equal(n, 2);
		snprintf(name, sizeof name, "quarantine/0000000001-%zu.bytes", ends[2]);
		log_rig_path(rig, name, kept_path);
		kept = log_rig_read_file(kept_path, &kept_len);
		assert_in_range(kept_len, 80, 100);
		assert_memory_equal(kept, bytes + ends[2], kept_len);
		free(kept);
	}
	free(bytes);
}

static enum err
commit_one(struct log_rig *rig)
{
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	return log_rig_commit(rig);
}

static void
a_missing_segment_is_seen_before_the_next_group(void **state)
{
	struct log_rig *rig = *state;
	char path[192];

	log_rig_ready(rig);
	log_rig_path(rig, "seg/0000000001.seg", path);
	assert_int_equal(unlink(path), 0);
	fault.n_writes = 0;
	assert_int_equal(commit_one(rig), ERR_AUDIT_TAMPERED);
	assert_int_equal(fault.n_writes, 0);
	assert_latched(rig, ERR_AUDIT_TAMPERED, 2);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
}

static void
a_replaced_segment_is_seen_before_the_next_group(void **state)
{
	struct log_rig *rig = *state;
	char path[192], aside[192];
	uint8_t *bytes;
	size_t len;

	log_rig_ready(rig);
	log_rig_path(rig, "seg/0000000001.seg", path);
	log_rig_path(rig, "seg/aside", aside);
	bytes = log_rig_read_file(path, &len);
	assert_int_equal(rename(path, aside), 0);
	log_rig_write_file(path, bytes, len);
	free(bytes);
	assert_int_equal(commit_one(rig), ERR_AUDIT_TAMPERED);
	assert_latched(rig, ERR_AUDIT_TAMPERED, 2);
}

static void
a_cut_segment_is_seen_before_the_next_group(void **state)
{
	struct log_rig *rig = *state;
	char path[192];

	log_rig_ready(rig);
	log_rig_path(rig, "seg/0000000001.seg", path);
	assert_int_equal(truncate(path, 65535), 0);
	assert_int_equal(commit_one(rig), ERR_AUDIT_TAMPERED);
	assert_latched(rig, ERR_AUDIT_TAMPERED, 2);
	reopens_with(rig, 2);
	log_rig_path(rig, "seg/0000000002.seg", path);
	assert_int_equal(access(path, F_OK), 0);
}

static void
a_segment_with_another_mode_is_seen_before_the_next_group(void **state)
{
	struct log_rig *rig = *state;
	char path[192];

	log_rig_ready(rig);
	log_rig_path(rig, "seg/0000000001.seg", path);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(commit_one(rig), ERR_AUDIT_TAMPERED);
	assert_latched(rig, ERR_AUDIT_TAMPERED, 2);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
}

static void
a_spare_that_went_missing_is_seen_before_it_is_used(void **state)
{
	struct log_rig *rig = *state;
	char path[192];
	enum err e = OK;

	log_rig_ready(rig);
	while (log_tend(rig->log))
		;
	log_rig_path(rig, "seg/0000000002.seg", path);
	assert_int_equal(unlink(path), 0);
	for (int i = 0; e == OK && i < 500; i++)
		e = commit_one(rig);
	assert_int_equal(e, ERR_AUDIT_TAMPERED);
	assert_int_equal(log_state(rig->log), LOG_FAILED);
}

static void
no_room_for_a_spare_is_low_and_no_room_at_all_is_full(void **state)
{
	struct log_rig *rig = *state;
	enum err e = OK;
	uint64_t size;

	log_rig_ready(rig);
	fault.fallocate_errno = ENOSPC;
	assert_false(log_tend(rig->log));
	assert_int_equal(log_state(rig->log), LOG_LOW);
	assert_int_equal(log_rig_append(rig, LOG_WRITE), ERR_STORAGE_FULL);
	while ((e = log_rig_append(rig, LOG_INTENT)) == OK)
		assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(e, ERR_AUDIT_FULL);
	assert_int_equal(log_state(rig->log), LOG_FULL);
	assert_int_equal(log_rig_append(rig, LOG_WRITE), ERR_AUDIT_FULL);
	assert_int_equal(log_rig_append(rig, LOG_GRANT), ERR_AUDIT_FULL);

	size = log_size(rig->log);
	assert_int_equal(log_rig_append(rig, LOG_LOCK), OK);
	assert_int_equal(log_rig_append(rig, LOG_REVOKE), OK);
	assert_int_equal(log_rig_append(rig, LOG_DISABLE), OK);
	assert_int_equal(log_rig_append(rig, LOG_RESUME), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_assert_valid(rig->dir, size + 4);
	log_close(&rig->log);

	/* A restart in that state can still lock and resume. */
	assert_int_equal(log_rig_open(rig), OK);
	log_rig_certify(rig);
	assert_int_equal(log_state(rig->log), LOG_FULL);
	while ((e = log_rig_append(rig, LOG_LOCK)) == OK)
		assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(e, ERR_AUDIT_FULL);
	log_rig_assert_valid(rig->dir, log_size(rig->log));

	fault.fallocate_errno = 0;
	assert_true(log_tend(rig->log));
	assert_int_equal(log_state(rig->log), LOG_OK);
	assert_int_equal(log_rig_append(rig, LOG_WRITE), OK);
	log_rig_group(rig, 2);
	log_rig_assert_valid(rig->dir, log_size(rig->log));
}

/* Each is used in its turn, and what happens meanwhile is low, not full. */
static void
two_spares_carry_the_reads_of_a_full_disk(void **state)
{
	struct log_rig *rig = *state;
	char path[192];
	uint64_t n = 0;
	enum err e;

	log_rig_ready(rig);
	while (log_tend(rig->log))
		;
	fault.fallocate_errno = ENOSPC;
	assert_false(log_tend(rig->log));
	assert_int_equal(log_state(rig->log), LOG_OK);
	while ((e = log_rig_append(rig, LOG_INTENT)) == OK) {
		assert_int_equal(log_rig_commit(rig), OK);
		assert_false(log_tend(rig->log));
		n += log_state(rig->log) == LOG_LOW;
	}
	assert_int_equal(e, ERR_AUDIT_FULL);
	/* All but the first segment's groups. */
	assert_in_range(n, 2 * log_size(rig->log) / 3 - 10, 2 * log_size(rig->log) / 3 + 10);
	log_rig_path(rig, "seg/0000000004.seg", path);
	assert_int_not_equal(access(path, F_OK), 0);
	log_rig_assert_valid(rig->dir, log_size(rig->log));
}

static void
a_full_disk_at_a_needed_segment_is_full_at_once(void **state)
{
	struct log_rig *rig = *state;
	enum err e;

	log_rig_ready(rig);
	fault.fallocate_errno = EDQUOT;
	while ((e = log_rig_append(rig, LOG_INTENT)) == OK)
		assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(e, ERR_AUDIT_FULL);
	assert_int_equal(log_failure(rig->log), OK);
}

static void
no_room_for_the_first_segment_is_full(void **state)
{
	struct log_rig *rig = *state;
	char path[192];

	fault.fallocate_errno = ENOSPC;
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_FULL);
	log_rig_path(rig, "seg/0000000001.tmp", path);
	assert_int_not_equal(access(path, F_OK), 0);
	fault.fallocate_errno = 0;
	reopens_with(rig, 0);
}

static void
a_spare_that_cannot_be_synced_is_latched(void **state)
{
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	fault.fsync_errno = EIO;
	assert_false(log_tend(rig->log));
	assert_latched(rig, ERR_AUDIT_UNAVAILABLE, 2);
}

static void
a_log_that_cannot_be_read_is_not_opened(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;

	log_rig_ready(rig);
	log_close(&rig->log);
	fault.pread_errno = EIO;
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(log_rig_verify(rig->dir, &v), ERR_FILE_UNREADABLE);
	fault.pread_errno = 0;
	reopens_with(rig, 2);
}

static void
a_group_that_only_the_page_cache_shows_does_not_count(void **state)
{
	struct log_rig *rig = *state;
	size_t len, ends[8], n;
	char path[192];
	uint8_t *bytes;
	int fd;

	log_rig_ready(rig);
	log_rig_group(rig, 1);
	log_close(&rig->log);
	log_rig_path(rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	log_rig_path(rig, "seg/0000000001.seg", path);
	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		skip();
	close(fd);
	bytes = log_rig_read_file(path, &len);
	n = log_rig_groups(bytes, len, ends, 8);
	free(bytes);
	assert_int_equal(n, 3);
	fault.disk_lacks_from = (off_t)ends[2];
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, 2);
	fault.disk_lacks_from = 0;
	/* Written beside, it would come back and stand in for the new one. */
	log_rig_path(rig, "seg/0000000002.seg", path);
	assert_int_equal(access(path, F_OK), 0);
}

static void
no_failing_call_while_opening_loses_what_counts(void **state)
{
	struct log_rig *rig = *state;
	uint64_t counted = 2;
	enum err e;

	log_rig_ready(rig);
	log_close(&rig->log);
	for (int which = 0; which < 4; which++) {
		fault.pwrite_errno = which == 0 ? EIO : 0;
		fault.fdatasync_errno = which == 1 ? EIO : 0;
		fault.fsync_errno = which == 2 ? EIO : 0;
		fault.pread_errno = which == 3 ? EIO : 0;
		e = log_rig_open(rig);
		assert_int_equal(e, ERR_AUDIT_UNAVAILABLE);
		memset(&fault, 0, sizeof fault);
		assert_int_equal(log_rig_open(rig), OK);
		assert_true(rig->n_seen >= counted);
		counted = log_size(rig->log);
		log_close(&rig->log);
		log_rig_assert_valid(rig->dir, counted);
	}
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, start, log_rig_teardown)

/* A process that is killed between the two leaves a whole spare whose name can still be lost with the power. */
static void
the_names_of_segments_are_durable_before_a_group_goes_into_them(void **state)
{
	struct log_rig *rig = *state;
	static const uint8_t zeros[64 << 10];
	char path[192];

	log_rig_ready(rig);
	log_close(&rig->log);
	log_rig_path(rig, "seg/0000000002.seg", path);
	log_rig_write_file(path, zeros, sizeof zeros);
	fault.n_segment_names_synced = 0;
	assert_int_equal(log_rig_open(rig), OK);
	assert_true(fault.n_segment_names_synced > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(one_write_and_one_sync_make_a_group_durable),
		RUN(a_failed_sync_is_latched_and_never_tried_again),
		RUN(a_failed_write_is_latched),
		RUN(a_short_write_is_latched_and_its_bytes_are_kept_apart),
		RUN(a_missing_segment_is_seen_before_the_next_group),
		RUN(a_replaced_segment_is_seen_before_the_next_group),
		RUN(a_cut_segment_is_seen_before_the_next_group),
		RUN(a_segment_with_another_mode_is_seen_before_the_next_group),
		RUN(a_spare_that_went_missing_is_seen_before_it_is_used),
		RUN(no_room_for_a_spare_is_low_and_no_room_at_all_is_full),
		RUN(two_spares_carry_the_reads_of_a_full_disk),
		RUN(a_full_disk_at_a_needed_segment_is_full_at_once),
		RUN(no_room_for_the_first_segment_is_full),
		RUN(a_spare_that_cannot_be_synced_is_latched),
		RUN(a_log_that_cannot_be_read_is_not_opened),
		RUN(a_group_that_only_the_page_cache_shows_does_not_count),
		RUN(the_names_of_segments_are_durable_before_a_group_goes_into_them),
		RUN(no_failing_call_while_opening_loses_what_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
