/*
 * Opening a log from a seal. A seal makes the walk shorter and changes nothing
 * else: whatever is missing, old, torn or foreign, the log that is opened is
 * the one that a walk from its first record finds.
 */
#include <errno.h>

#include "store/log_seal.h"
#include "tests/store/log_rig.h"

/* Records behind the last seal in `sealed`: its rotation, and what it wrote then. */
#define AFTER_SEAL 3

static void
seal_path(const struct log_rig *rig, uint64_t size, char path[192])
{
	char name[40];

	snprintf(name, sizeof name, "seal/%020llu", (unsigned long long)size);
	log_rig_path(rig, name, path);
}

static void
list(const struct log_rig *rig, uint64_t sizes[LOG_SEAL_KEPT + 1])
{
	char path[192];
	int fd;

	log_rig_path(rig, "seal", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	log_seal_list(fd, sizes);
	close(fd);
}

/* Several segments, rotations in between; two records behind the last one. Closed. Returns its size. */
static uint64_t
sealed(struct log_rig *rig)
{
	uint64_t size;

	log_rig_ready(rig);
	for (int i = 0; i < 6; i++) {
		for (int n = 0; n < 10; n++)
			log_rig_group(rig, 12);
		log_rig_rotate(rig, true);
	}
	log_rig_group(rig, AFTER_SEAL - 1);
	size = log_size(rig->log);
	log_close(&rig->log);
	return size;
}

/* It opens, knows every record, and walked no more than that. */
static void
assert_opens(struct log_rig *rig, uint64_t size, uint64_t walked)
{
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, size);
	assert_int_equal(rig->n_walked, walked);
	assert_int_equal(log_size(rig->log), size + 1);
	log_rig_certify(rig);
	log_rig_group(rig, 1);
	log_rig_assert_valid(rig->dir, size + 3);
	log_close(&rig->log);
}

static void
a_log_opens_from_its_last_seal_and_walks_only_what_lies_behind(void **state)
{
	struct log_rig *rig = *state;
	struct log_settings settings = rig->settings;
	uint64_t size = sealed(rig);

	rig->settings.unseal = NULL;
	assert_opens(rig, size, size);
	rig->settings = settings;
	assert_opens(rig, size + 3, AFTER_SEAL + 3);
}

static void
only_the_newest_two_seals_are_kept(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig), sizes[LOG_SEAL_KEPT + 1];

	list(rig, sizes);
	assert_int_equal(sizes[0], size - AFTER_SEAL);
	assert_int_equal(sizes[1], size - AFTER_SEAL - 121);
	assert_int_equal(sizes[2], 0);
}

static void
without_seals_a_log_opens_from_its_first_record(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig);
	char path[192];

	log_rig_path(rig, "seal", path);
	log_rig_remove(path);
	assert_opens(rig, size, size);
}

static void
a_seal_reads_back_as_it_was_written_and_no_part_of_it_is_one(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig);
	struct log_seal seal;
	uint8_t *bytes, *again;
	size_t len, again_len;
	char path[192];

	seal_path(rig, size - AFTER_SEAL, path);
	bytes = log_rig_read_file(path, &len);
	assert_true(log_seal_take((struct span){ bytes, len }, rig->settings.log_public, &seal));
	assert_int_equal(seal.chain.size, size - AFTER_SEAL);
	assert_int_equal(seal.chain.n_epochs, 6);
	assert_int_equal(seal.state.len, 8);
	assert_int_equal(log_seal_put(&seal, &again, &again_len), OK);
	assert_int_equal(again_len, len);
	assert_memory_equal(again, bytes, len);
	free(again);
	seal.chain.n_repairs = 2;
	seal.chain.n_lost = 30;
	seal.chain.repaired = 4;
	seal.chain.manual_lock = true;
	assert_int_equal(log_seal_put(&seal, &again, &again_len), OK);
	assert_true(log_seal_take((struct span){ again, again_len }, rig->settings.log_public, &seal));
	assert_int_equal(seal.chain.n_repairs, 2);
	assert_int_equal(seal.chain.n_lost, 30);
	assert_int_equal(seal.chain.repaired, 4);
	assert_true(seal.chain.manual_lock);
	free(again);
	for (size_t n = 0; n < len; n++)
		assert_false(log_seal_take((struct span){ bytes, n }, rig->settings.log_public, &seal));
	/* The lock is neither, and the certificate another's. */
	bytes[402] = 2;
	assert_false(log_seal_take((struct span){ bytes, len }, rig->settings.log_public, &seal));
	bytes[402] = 0;
	bytes[108] ^= 1;
	assert_false(log_seal_take((struct span){ bytes, len }, rig->settings.log_public, &seal));
	free(bytes);
}

/* The newest seal is this now: the log opens from the one before, however often it was opened meanwhile. */
static void
assert_passed_over(struct log_rig *rig, const uint8_t *bytes, size_t len, uint64_t first, uint64_t size)
{
	char path[192];

	seal_path(rig, first - AFTER_SEAL, path);
	log_rig_write_file(path, bytes, len);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, size);
	assert_int_equal(rig->n_walked, AFTER_SEAL + 121 + size - first);
	log_close(&rig->log);
}

static uint8_t *
newest_seal(struct log_rig *rig, uint64_t size, size_t *len)
{
	char path[192];

	seal_path(rig, size - AFTER_SEAL, path);
	return log_rig_read_file(path, len);
}

static void
a_seal_with_any_other_byte_is_passed_over_for_the_one_before(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig), first = size;
	size_t len;
	uint8_t *bytes = newest_seal(rig, size, &len);

	for (size_t at = 0; at < len; at += 13, size++) {
		bytes[at] ^= 0x10;
		assert_passed_over(rig, bytes, len, first, size);
		bytes[at] ^= 0x10;
	}
	free(bytes);
}

static void
a_seal_cut_at_any_length_is_passed_over(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig), first = size;
	size_t len;
	uint8_t *bytes = newest_seal(rig, size, &len);

	for (size_t n = 0; n < len; n += 31, size++)
		assert_passed_over(rig, bytes, n, first, size);
	free(bytes);
}

static void
a_seal_under_another_size_or_of_another_log_is_passed_over(void **state)
{
	struct log_rig *rig = *state, other;
	uint64_t size = sealed(rig);
	char path[192], wrong[192];
	uint8_t *bytes;
	size_t len;

	seal_path(rig, size - AFTER_SEAL, path);
	seal_path(rig, size - AFTER_SEAL + 1, wrong);
	assert_int_equal(rename(path, wrong), 0);
	assert_opens(rig, size, AFTER_SEAL + 121);

	log_rig_start(&other, 64 << 10, 64 << 10);
	size = sealed(&other);
	seal_path(rig, size - AFTER_SEAL - 121, path);
	bytes = log_rig_read_file(path, &len);
	seal_path(&other, size - AFTER_SEAL, wrong);
	log_rig_write_file(wrong, bytes, len);
	free(bytes);
	assert_opens(&other, size, AFTER_SEAL + 121);
	log_rig_end(&other);
}

static void
a_state_that_the_owner_does_not_take_is_passed_over(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig);

	rig->takes_no_state = true;
	assert_opens(rig, size, size);
}

/* The crash between the seal and the record that names it. */
static void
a_seal_that_no_rotation_names_is_passed_over_and_the_next_one_holds(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig), sizes[LOG_SEAL_KEPT + 1];
	char path[192], stale[192];
	uint8_t *bytes;
	size_t len;

	seal_path(rig, size - AFTER_SEAL, path);
	seal_path(rig, size, stale);
	bytes = log_rig_read_file(path, &len);
	log_rig_write_file(stale, bytes, len);
	assert_opens(rig, size, AFTER_SEAL);
	size += 3;

	log_rig_ready(rig);
	log_rig_rotate(rig, true);
	log_close(&rig->log);
	list(rig, sizes);
	assert_int_equal(sizes[0], size + 2);
	log_rig_write_file(path, bytes, len);
	free(bytes);
	assert_opens(rig, size + 3, 1);
}

static bool sync_fails;

static int
failing_fdatasync(int fd)
{
	if (sync_fails) {
		errno = EIO;
		return -1;
	}
	return fdatasync(fd);
}

/* A rotation whose last sync fails, as when the process dies in it: no word of a failure is left. */
static void
rotate_and_crash(struct log_rig *rig, const char *segment)
{
	struct log_io io = *log_io();
	const uint8_t *next_public;
	struct uuid next;
	char failed[192];

	io.fdatasync = failing_fdatasync;
	log_io_replace(&io);
	sync_fails = true;
	assert_int_equal(log_epoch_next(rig->log, &next, &next_public), OK);
	assert_int_equal(log_epoch_rotate(rig->log, NULL), ERR_AUDIT_UNAVAILABLE);
	log_io_replace(NULL);
	log_close(&rig->log);
	snprintf(failed, sizeof failed, "%.*s.failed", (int)(strstr(segment, ".seg") - segment), segment);
	assert_int_equal(unlink(failed), 0);
}

/* Whether the rotation came to the disk or not when the process died; the seal did. */
static void
a_crash_between_seal_and_rotation_loses_neither_log_nor_start(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = sealed(rig), sizes[LOG_SEAL_KEPT + 1];
	size_t len, before, n = 0;
	uint8_t *bytes, *after;
	char path[192];

	log_rig_ready(rig);
	while (log_rig_segment_path(rig, n, path), access(path, F_OK) == 0)
		n++;
	log_rig_segment_path(rig, n - 1, path);
	bytes = log_rig_read_file(path, &before);
	rotate_and_crash(rig, path);
	list(rig, sizes);
	assert_int_equal(sizes[0], size + 2);
	assert_int_equal(sizes[1], size - AFTER_SEAL);

	after = log_rig_read_file(path, &len);
	assert_int_equal(len, before);
	assert_memory_not_equal(after, bytes, len);
	log_rig_write_file(path, bytes, len);
	assert_opens(rig, size + 2, AFTER_SEAL + 2);
	/* The anchor is newer than this end of the log: as after a crash it must not be. */
	log_rig_path(rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	log_rig_segment_path(rig, n - 1, path);
	log_rig_write_file(path, after, len);
	assert_opens(rig, size + 3, 1);
	free(bytes);
	free(after);
}

/* The crash between the rotation and the next group: nothing lies behind it. */
static void
a_log_that_ends_with_its_rotation_opens_from_the_seal(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size;

	log_rig_ready(rig);
	log_rig_group(rig, 20);
	log_rig_rotate(rig, true);
	size = log_size(rig->log);
	log_close(&rig->log);
	assert_opens(rig, size, 1);
}

static void
an_anchor_before_the_seal_starts_the_walk_before_the_anchor(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size;
	char path[192];
	uint8_t *bytes;
	size_t len;

	log_rig_ready(rig);
	log_rig_rotate(rig, true);
	log_rig_group(rig, 4);
	log_close(&rig->log);
	log_rig_path(rig, "anchor", path);
	bytes = log_rig_read_file(path, &len);
	log_rig_ready(rig);
	log_rig_rotate(rig, true);
	size = log_size(rig->log);
	log_close(&rig->log);
	log_rig_write_file(path, bytes, len);
	assert_opens(rig, size, size - 2);

	/* The same size with another root. */
	bytes[12] ^= 1;
	sha256(bytes, 60, bytes + 60);
	log_rig_write_file(path, bytes, len);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	free(bytes);
}

static void
a_log_rolled_back_to_before_its_seals_is_noticed(void **state)
{
	struct log_rig *rig = *state;
	char path[192], anchor[192];
	uint8_t *bytes;
	size_t len;

	log_rig_ready(rig);
	log_rig_group(rig, 20);
	log_close(&rig->log);
	log_rig_segment_path(rig, 0, path);
	bytes = log_rig_read_file(path, &len);
	log_rig_ready(rig);
	log_rig_rotate(rig, true);
	log_close(&rig->log);
	log_rig_write_file(path, bytes, len);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	/* Without its anchor too it is a whole log, and the seal takes nothing in: the others must tell. */
	log_rig_path(rig, "anchor", anchor);
	assert_int_equal(unlink(anchor), 0);
	assert_opens(rig, 22, 22);
	free(bytes);
}

static void
damage_before_the_seal_is_not_walked_but_missing_and_cut_segments_are_noticed(void **state)
{
	struct log_rig *rig = *state;
	char path[192], aside[192], other[192];
	uint64_t size = sealed(rig);

	log_rig_path(rig, "seg/aside", aside);
	log_rig_segment_path(rig, 0, path);
	log_rig_segment_path(rig, 1, other);
	assert_int_equal(rename(path, aside), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);

	/* Another in its place. */
	assert_int_equal(link(other, path), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename(aside, path), 0);

	for (off_t to = 0; to < 30000; to += 9000) {
		size_t len;
		uint8_t *bytes = log_rig_read_file(path, &len);

		assert_int_equal(truncate(path, to), 0);
		assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
		log_rig_write_file(path, bytes, len);
		free(bytes);
	}
	assert_opens(rig, size, AFTER_SEAL);
}

static void
damage_behind_the_seal_is_noticed(void **state)
{
	struct log_rig *rig = *state;
	char path[192];
	uint8_t *bytes;
	size_t len, ends[64], n, last = 0;

	(void)sealed(rig);
	for (log_rig_segment_path(rig, last, path); access(path, F_OK) == 0; log_rig_segment_path(rig, ++last, path))
		;
	do {
		log_rig_segment_path(rig, --last, path);
		bytes = log_rig_read_file(path, &len);
		n = log_rig_groups(bytes, len, ends, 64);
		if (n == 0)
			free(bytes);
	} while (n == 0);
	/* The rotation itself, and the group behind it. */
	for (size_t i = 1; i <= 2; i++) {
		bytes[ends[n - i] + 50] ^= 1;
		log_rig_write_file(path, bytes, len);
		bytes[ends[n - i] + 50] ^= 1;
		assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
	}
	free(bytes);
}

static ssize_t
full_pwrite(int fd, const void *p, size_t len, off_t at)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size == 0) {
		errno = ENOSPC;
		return -1;
	}
	return pwrite(fd, p, len, at);
}

static void
a_seal_that_cannot_be_written_stops_no_rotation(void **state)
{
	struct log_rig *rig = *state;
	struct log_io io = *log_io();
	uint64_t sizes[LOG_SEAL_KEPT + 1];
	uint64_t size;

	log_rig_ready(rig);
	log_rig_group(rig, 4);
	io.pwrite = full_pwrite;
	log_io_replace(&io);
	log_rig_rotate(rig, true);
	log_io_replace(NULL);
	list(rig, sizes);
	assert_int_equal(sizes[0], 0);
	log_rig_group(rig, 2);
	size = log_size(rig->log);
	log_close(&rig->log);
	assert_opens(rig, size, size);
}

static void
a_pending_epoch_leaves_no_seal(void **state)
{
	struct log_rig *rig = *state;
	uint64_t sizes[LOG_SEAL_KEPT + 1];

	assert_int_equal(log_rig_open(rig), OK);
	log_rig_rotate(rig, false);
	list(rig, sizes);
	assert_int_equal(sizes[0], 0);
}

static void
the_manual_lock_and_the_epochs_come_out_of_the_seal(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;

	log_rig_ready(rig);
	assert_int_equal(log_rig_append(rig, LOG_LOCK), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_rotate(rig, true);
	log_close(&rig->log);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_walked, 1);
	assert_true(log_manual_lock(rig->log));
	log_rig_certify(rig);
	log_rig_rotate(rig, true);
	log_close(&rig->log);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_walked, 1);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.n_epochs, 5);
	assert_int_equal(v.n_pending_epochs, 1);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, log_rig_setup, log_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_log_opens_from_its_last_seal_and_walks_only_what_lies_behind),
		RUN(only_the_newest_two_seals_are_kept),
		RUN(without_seals_a_log_opens_from_its_first_record),
		RUN(a_seal_reads_back_as_it_was_written_and_no_part_of_it_is_one),
		RUN(a_seal_with_any_other_byte_is_passed_over_for_the_one_before),
		RUN(a_seal_cut_at_any_length_is_passed_over),
		RUN(a_seal_under_another_size_or_of_another_log_is_passed_over),
		RUN(a_state_that_the_owner_does_not_take_is_passed_over),
		RUN(a_seal_that_no_rotation_names_is_passed_over_and_the_next_one_holds),
		RUN(a_crash_between_seal_and_rotation_loses_neither_log_nor_start),
		RUN(a_log_that_ends_with_its_rotation_opens_from_the_seal),
		RUN(an_anchor_before_the_seal_starts_the_walk_before_the_anchor),
		RUN(a_log_rolled_back_to_before_its_seals_is_noticed),
		RUN(damage_before_the_seal_is_not_walked_but_missing_and_cut_segments_are_noticed),
		RUN(damage_behind_the_seal_is_noticed),
		RUN(a_seal_that_cannot_be_written_stops_no_rotation),
		RUN(a_pending_epoch_leaves_no_seal),
		RUN(the_manual_lock_and_the_epochs_come_out_of_the_seal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
