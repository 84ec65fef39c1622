/* The way from one commit to another, for somebody who only reads. */
#include "store/log_follow.h"
#include "tests/store/log_rig.h"

#define SMALL ((uint64_t)64 << 10)

static struct log_rig rig;

static int
setup(void **state)
{
	(void)state;
	log_rig_start(&rig, SMALL, SMALL);
	log_rig_ready(&rig);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	log_rig_end(&rig);
	return 0;
}

/* A group of n intents; its receipt. */
static uint64_t
group(size_t n, uint8_t commit[LOG_COMMIT_LEN])
{
	const struct log_receipt *receipt;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(log_rig_append(&rig, LOG_INTENT), OK);
	assert_int_equal(log_commit(rig.log, &receipt), OK);
	memcpy(commit, log_receipt_bytes(receipt).p, LOG_COMMIT_LEN);
	return log_size(rig.log);
}

static struct log_point
found(uint64_t size, const uint8_t commit[LOG_COMMIT_LEN])
{
	uint8_t at_place[LOG_COMMIT_LEN];
	struct log_follow *f = NULL;
	struct log_point place;

	assert_int_equal(log_follow_open(rig.dir, &f), OK);
	assert_int_equal(log_follow_find(f, size, &place, at_place), OK);
	assert_memory_equal(at_place, commit, LOG_COMMIT_LEN);
	assert_int_equal(place.size, size);
	log_follow_close(&f);
	return place;
}

static enum err
followed(const struct log_point *from, uint64_t size, uint8_t commit[LOG_COMMIT_LEN])
{
	struct log_follow *f = NULL;
	struct log_point to;
	enum err e;

	assert_int_equal(log_follow_open(rig.dir, &f), OK);
	e = log_follow_to(f, from, size, &to, commit);
	if (e == OK)
		assert_int_equal(to.size, size);
	log_follow_close(&f);
	return e;
}

static void
the_way_leads_over_many_segments_to_the_same_bytes(void **state)
{
	uint8_t first[LOG_COMMIT_LEN], last[LOG_COMMIT_LEN], commit[LOG_COMMIT_LEN];
	uint64_t size = group(2, first), end = 0;
	struct log_point from = found(size, first), place;

	(void)state;
	for (size_t i = 0; i < 120; i++)
		end = group(1 + i % 30, last);
	place = found(end, last);
	assert_true(place.segment > 4);
	assert_int_equal(followed(&from, end, commit), OK);
	assert_memory_equal(commit, last, sizeof last);
	assert_int_equal(followed(&from, size, commit), OK);
	assert_memory_equal(commit, first, sizeof first);
	assert_int_equal(followed(&place, end, commit), OK);
}

static void
no_way_leads_to_a_size_that_no_commit_has(void **state)
{
	uint8_t first[LOG_COMMIT_LEN], last[LOG_COMMIT_LEN];
	uint64_t size = group(1, first), end = group(5, last);
	struct log_point from = found(size, first), to;
	struct log_follow *f = NULL;

	(void)state;
	assert_int_equal(followed(&from, end - 1, last), ERR_AUDIT_DIVERGED);
	assert_int_equal(followed(&from, end + 1, last), ERR_AUDIT_DIVERGED);
	assert_int_equal(log_follow_open(rig.dir, &f), OK);
	assert_int_equal(log_follow_find(f, end + 1, &to, last), ERR_AUDIT_DIVERGED);
	assert_int_equal(log_follow_find(f, 0, &to, last), ERR_AUDIT_DIVERGED);
	log_follow_close(&f);
}

static void
a_known_place_must_hold_what_is_known_of_it(void **state)
{
	uint8_t first[LOG_COMMIT_LEN], last[LOG_COMMIT_LEN];
	uint64_t size = group(1, first), end = group(1, last);
	struct log_point true_place = found(size, first), p;

	(void)state;
	p = true_place;
	p.root[0] ^= 1;
	assert_int_equal(followed(&p, end, last), ERR_AUDIT_DIVERGED);
	p = true_place;
	p.size--;
	assert_int_equal(followed(&p, end, last), ERR_AUDIT_DIVERGED);
	p = true_place;
	p.at++;
	assert_int_equal(followed(&p, end, last), ERR_AUDIT_DIVERGED);
	p = true_place;
	p.at = SEGMENT_BYTES_MAX;
	assert_int_equal(followed(&p, end, last), ERR_AUDIT_DIVERGED);
	p = true_place;
	p.segment = 9999999999;
	assert_int_equal(followed(&p, end, last), ERR_AUDIT_DIVERGED);
}

/* Every byte of every commit on the way: a change breaks the links or the bytes that are compared. */
static void
a_changed_commit_on_the_way_is_no_way(void **state)
{
	uint8_t first[LOG_COMMIT_LEN], last[LOG_COMMIT_LEN], commit[LOG_COMMIT_LEN];
	uint64_t size = group(1, first), end;
	struct log_point from = found(size, first), middle, to;
	char path[192];
	size_t len;
	uint8_t *bytes;

	(void)state;
	middle = found(group(1, commit), commit);
	end = group(1, last);
	to = found(end, last);
	log_rig_segment_path(&rig, 0, path);
	bytes = log_rig_read_file(path, &len);
	for (size_t at = (size_t)to.at - LOG_COMMIT_LEN; at < to.at; at++) {
		enum err e;

		bytes[at] ^= 4;
		log_rig_write_file(path, bytes, len);
		e = followed(&from, end, commit);
		assert_true(e == ERR_AUDIT_DIVERGED);
		bytes[at] ^= 4;
	}
	log_rig_write_file(path, bytes, len);
	assert_int_equal(followed(&middle, end, commit), OK);
	free(bytes);
}

/* After a crash the old segment can show a group that never counted; the next one's header says where it ends. */
static void
bytes_that_never_counted_are_passed_by(void **state)
{
	uint8_t first[LOG_COMMIT_LEN], last[LOG_COMMIT_LEN], commit[LOG_COMMIT_LEN];
	uint64_t size = group(1, first), end;
	struct log_point from = found(size, first), to;
	char path[192];
	uint8_t *bytes, *torn;
	size_t len;

	(void)state;
	log_rig_segment_path(&rig, 0, path);
	(void)group(3, last);
	torn = log_rig_read_file(path, &len);
	to = found(size, first);
	bytes = log_rig_read_file(path, &len);
	log_close(&rig.log);
	/* The disk lost the group of three, which nobody was told of, and half of it came back as a tail. */
	memset(bytes + from.at + 600, 0, len - from.at - 600);
	memcpy(bytes + from.at, torn + from.at, (size_t)(len - from.at > 600 ? 600 : len - from.at));
	log_rig_write_file(path, bytes, len);
	{
		char anchor[192];

		log_rig_path(&rig, "anchor", anchor);
		assert_int_equal(unlink(anchor), 0);
	}
	log_rig_ready(&rig);
	end = group(1, last);
	to = found(end, last);
	assert_int_equal(to.segment, 2);
	/* Now the cache shows the lost group again, whole. */
	log_rig_write_file(path, torn, len);
	assert_int_equal(followed(&from, end, commit), OK);
	assert_memory_equal(commit, last, sizeof last);
	free(bytes);
	free(torn);
}

static void
a_segment_that_is_missing_ends_the_way(void **state)
{
	uint8_t first[LOG_COMMIT_LEN], last[LOG_COMMIT_LEN];
	uint64_t size = group(1, first), end = 0;
	struct log_point from = found(size, first);
	struct log_follow *f = NULL;
	char path[192];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		end = group(30, last);
	assert_true(found(end, last).segment > 3);
	log_rig_segment_path(&rig, 1, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(followed(&from, end, last), ERR_AUDIT_DIVERGED);
	log_rig_segment_path(&rig, 0, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(followed(&from, end, last), ERR_AUDIT_DIVERGED);
	log_rig_path(&rig, "nothing", path);
	assert_int_equal(log_follow_open(path, &f), ERR_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_way_leads_over_many_segments_to_the_same_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(no_way_leads_to_a_size_that_no_commit_has, setup, teardown),
		cmocka_unit_test_setup_teardown(a_known_place_must_hold_what_is_known_of_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_changed_commit_on_the_way_is_no_way, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_that_never_counted_are_passed_by, setup, teardown),
		cmocka_unit_test_setup_teardown(a_segment_that_is_missing_ends_the_way, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
