/* How the epochs of an open log follow one another. */
#include <errno.h>

#include "tests/store/log_rig.h"
#include "tests/support/fake_clock.h"

static int
end(void **state)
{
	fake_clock_off();
	return log_rig_teardown(state);
}

static struct log_commit
commit_of(const struct log_receipt *receipt)
{
	struct span bytes = log_receipt_bytes(receipt);
	struct wire_in in = wire_in(bytes.p, bytes.len);
	struct log_commit c;

	log_commit_take(&in, &c);
	assert_true(wire_done(&in));
	return c;
}

static void
the_next_epoch_is_the_same_until_it_runs(void **state)
{
	struct log_rig *rig = *state;
	struct uuid first, second, third;
	const uint8_t *public_key, *again;

	log_rig_ready(rig);
	assert_int_equal(log_epoch_next(rig->log, &first, &public_key), OK);
	assert_int_equal(log_epoch_next(rig->log, &second, &again), OK);
	assert_true(uuid_equal(first, second));
	assert_memory_equal(public_key, again, SIGN_PUBLIC_LEN);
	assert_false(uuid_equal(first, log_epoch(rig->log)));
	log_rig_rotate(rig, true);
	assert_true(uuid_equal(first, log_epoch(rig->log)));
	assert_int_equal(log_epoch_next(rig->log, &third, &public_key), OK);
	assert_false(uuid_equal(first, third));
}

static void
a_rotated_epoch_signs_what_follows_and_nothing_before(void **state)
{
	struct log_rig *rig = *state;
	const struct log_receipt *receipt;
	uint8_t before[SIGN_PUBLIC_LEN];
	struct log_commit c;

	log_rig_ready(rig);
	memcpy(before, log_epoch_public(rig->log), sizeof before);
	log_rig_group(rig, 3);
	log_rig_rotate(rig, true);
	assert_true(log_epoch_certified(rig->log));
	assert_int_equal(log_size(rig->log), 6);
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_commit(rig->log, &receipt), OK);
	c = commit_of(receipt);
	assert_true(uuid_equal(c.epoch, log_epoch(rig->log)));
	assert_true(log_commit_valid(&c, log_epoch_public(rig->log)));
	assert_false(log_commit_valid(&c, before));
	log_rig_assert_valid(rig->dir, 7);
}

static void
without_a_certificate_the_next_epoch_is_pending_until_it_gets_one(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;

	log_rig_ready(rig);
	log_rig_rotate(rig, false);
	assert_false(log_epoch_certified(rig->log));
	assert_int_equal(log_rig_append(rig, LOG_INTENT), ERR_LOCKED);
	assert_int_equal(log_rig_append(rig, LOG_REFUSAL), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_int_equal(v.n_pending_epochs, 1);
	log_rig_certify(rig);
	log_rig_group(rig, 1);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.n_epochs, 2);
	assert_int_equal(v.n_pending_epochs, 0);
}

static void
a_pending_epoch_can_rotate_too(void **state)
{
	struct log_rig *rig = *state;

	assert_int_equal(log_rig_open(rig), OK);
	log_rig_rotate(rig, false);
	log_rig_rotate(rig, true);
	log_rig_group(rig, 1);
	log_rig_assert_valid(rig->dir, 4);
}

static void
a_rotation_needs_a_next_epoch_its_certificate_and_an_empty_group(void **state)
{
	struct log_rig *rig = *state;
	const uint8_t *public_key;
	struct uuid next;
	struct cert c;

	log_rig_ready(rig);
	assert_int_equal(log_epoch_rotate(rig->log, NULL), ERR_INVALID_ARGUMENT);
	assert_int_equal(log_epoch_next(rig->log, &next, &public_key), OK);
	c = log_rig_cert(rig);
	assert_int_equal(log_epoch_rotate(rig->log, &c), ERR_INVALID_ARGUMENT);
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_epoch_rotate(rig->log, NULL), ERR_BUSY);
	assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(log_size(rig->log), 3);
	assert_true(log_epoch_certified(rig->log));
}

static ssize_t
no_write(int fd, const void *p, size_t len, off_t at)
{
	(void)fd, (void)p, (void)len, (void)at;
	errno = EIO;
	return -1;
}

static void
a_rotation_that_cannot_be_written_latches_the_log_under_the_old_epoch(void **state)
{
	struct log_rig *rig = *state;
	struct log_io io = *log_io();
	const uint8_t *public_key;
	struct uuid next, before;

	log_rig_ready(rig);
	before = log_epoch(rig->log);
	assert_int_equal(log_epoch_next(rig->log, &next, &public_key), OK);
	io.pwrite = no_write;
	log_io_replace(&io);
	assert_int_equal(log_epoch_rotate(rig->log, NULL), ERR_AUDIT_UNAVAILABLE);
	log_io_replace(NULL);
	assert_int_equal(log_state(rig->log), LOG_FAILED);
	assert_true(uuid_equal(before, log_epoch(rig->log)));
	assert_int_equal(log_epoch_rotate(rig->log, NULL), ERR_AUDIT_UNAVAILABLE);
	log_rig_assert_valid(rig->dir, 2);
}

/* A crash behind the rotation, before the next epoch's first group. */
static void
an_epoch_in_which_nothing_stands_is_followed_by_that_of_the_next_process(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;

	log_rig_ready(rig);
	log_rig_group(rig, 2);
	log_rig_rotate(rig, true);
	log_close(&rig->log);
	log_rig_ready(rig);
	log_rig_group(rig, 1);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.size, 8);
	assert_int_equal(v.n_epochs, 3);
	assert_int_equal(v.n_pending_epochs, 0);
}

static void
an_epoch_is_due_after_its_records_or_its_time(void **state)
{
	struct log_rig *rig = *state;

	fake_clock_set(1767225600000, 60000);
	rig->settings.epoch_records = 10;
	rig->settings.epoch_ms = 5000;
	log_rig_ready(rig);
	assert_false(log_epoch_due(rig->log));
	log_rig_group(rig, 8);
	assert_false(log_epoch_due(rig->log));
	log_rig_group(rig, 1);
	assert_true(log_epoch_due(rig->log));
	log_rig_rotate(rig, true);
	assert_false(log_epoch_due(rig->log));
	fake_clock_advance(4999);
	assert_false(log_epoch_due(rig->log));
	fake_clock_advance(1);
	assert_true(log_epoch_due(rig->log));
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, log_rig_setup, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(the_next_epoch_is_the_same_until_it_runs),
		RUN(a_rotated_epoch_signs_what_follows_and_nothing_before),
		RUN(without_a_certificate_the_next_epoch_is_pending_until_it_gets_one),
		RUN(a_pending_epoch_can_rotate_too),
		RUN(a_rotation_needs_a_next_epoch_its_certificate_and_an_empty_group),
		RUN(a_rotation_that_cannot_be_written_latches_the_log_under_the_old_epoch),
		RUN(an_epoch_in_which_nothing_stands_is_followed_by_that_of_the_next_process),
		RUN(an_epoch_is_due_after_its_records_or_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
