/* A log that was changed from outside: it answers nothing but its repair, which ends with a record or not at all. */
#include "store/log_repair.h"
#include "tests/actors/audit_rig.h"

static void
say_library(void)
{
	struct library_body library = { .library = a.library };

	memcpy(library.log_public, signer_public(a.log_key), 32);
	(void)rig_deliver(a.r, MSG_LIBRARY, ACTOR_GRANTS, 0, &library);
}

/* Some records, then a bit in the middle of them; the log is failed. */
static void
damage(void)
{
	uint8_t byte;
	int fd;

	open_and_certify();
	for (uint64_t ask = 10; ask < 20; ask++) {
		assert_int_equal(intend(ask), OK);
		assert_int_equal(rig_batch(a.r), OK);
		assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	}
	rig_close(&a.r);
	fd = open("audit/seg/0000000001.seg", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, 2000), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, 2000), 1);
	close(fd);
	start();
	anchor(ACTOR_VAULT, 12, NULL);
	anchor(ACTOR_GRANTS, 0, NULL);
	say_library();
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	rig_forget(a.r);
}

static void
allow(uint64_t ask_id, bool look)
{
	struct repair_order_body b = { .look = look, .subject = id(0x61) };

	assert_int_equal(rig_deliver(a.r, MSG_REPAIR_ALLOWED, ACTOR_GRANTS, ask_id, &b), OK);
}

static struct repaired_body
over(uint64_t ask_id)
{
	const union any_body *b = rig_expect(a.r, MSG_REPAIR_OVER);

	assert_non_null(b);
	assert_int_equal(rig_ask_id(a.r), ask_id);
	return b->repaired;
}

static void
take_epoch(void)
{
	const union any_body *b = rig_expect(a.r, MSG_EPOCH);

	assert_non_null(b);
	a.epoch = b->epoch.epoch;
	memcpy(a.epoch_public, b->epoch.epoch_public, 32);
}

static void
a_repair_waits_for_the_certificate_and_then_all_is_told(void **state)
{
	struct repaired_body seen, done;

	(void)state;
	damage();
	allow(1, true);
	seen = over(1);
	assert_int_equal(seen.error, OK);
	assert_int_equal(seen.failed, 1);
	assert_int_equal(seen.lost_size, 12);
	assert_true(seen.found_size > 0 && seen.found_size < 12);
	allow(2, false);
	take_epoch();
	assert_true(rig_silent(a.r));
	assert_int_equal(log_state_of().state, LOG_FAILED);
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	assert_int_equal(intend(30), OK);
	assert_int_equal(refused(30), ERR_INTERRUPTED);
	/* Vault comes up anew, and knows of nothing yet. */
	anchor(ACTOR_VAULT, 12, NULL);
	say_certificate();
	done = over(2);
	assert_int_equal(done.error, OK);
	assert_int_equal(done.repairs, 1);
	assert_int_equal(done.found_size, seen.found_size);
	assert_non_null(rig_expect(a.r, MSG_LOG_BAN));
	expect_heads();
	assert_non_null(rig_expect(a.r, MSG_CHECKPOINT_WANTED));
	assert_int_equal(log_state_of().state, LOG_OK);
	assert_int_equal(intend(31), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	assert_int_equal(records_on_disk(), done.found_size + 4);
}

static void
a_repair_without_a_certificate_leaves_the_log_as_failed_as_before(void **state)
{
	(void)state;
	damage();
	allow(1, false);
	take_epoch();
	allow(2, false);
	assert_int_equal(over(2).error, ERR_BUSY);
	rig_tick(a.r, (struct mono_ms){ clock_mono().ms + 6000 });
	assert_int_equal(over(1).error, ERR_TIMEOUT);
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	/* What comes too late is for no log. */
	say_certificate();
	assert_true(rig_silent(a.r));
	allow(3, false);
	take_epoch();
	say_certificate();
	assert_int_equal(over(3).error, OK);
}

static void
the_end_of_the_process_leaves_it_as_failed_too(void **state)
{
	(void)state;
	damage();
	allow(1, false);
	take_epoch();
	restart();
	say_library();
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
}

static void
a_record_that_cannot_be_written_leaves_it_as_failed_too(void **state)
{
	(void)state;
	damage();
	allow(1, false);
	take_epoch();
	world.sync_errno = EIO;
	say_certificate();
	assert_int_equal(over(1).error, ERR_AUDIT_UNAVAILABLE);
	world.sync_errno = 0;
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	allow(2, false);
	take_epoch();
	say_certificate();
	assert_int_equal(over(2).error, OK);
	rig_forget(a.r);
	assert_int_equal(log_state_of().state, LOG_OK);
}

static void
a_log_that_vault_knows_otherwise_is_repaired_by_the_record_alone(void **state)
{
	struct repaired_body done;

	(void)state;
	open_and_certify();
	anchor(ACTOR_VAULT, 9000, NULL);
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	rig_forget(a.r);
	allow(1, false);
	take_epoch();
	say_certificate();
	done = over(1);
	assert_int_equal(done.found_size, 2);
	assert_int_equal(done.lost_size, 9000);
	assert_non_null(rig_expect(a.r, MSG_LOG_BAN));
	expect_heads();
	assert_int_equal(records_on_disk(), 5);
}

static void
a_folder_in_the_place_of_a_segment_is_moved_away(void **state)
{
	(void)state;
	open_and_certify();
	rig_close(&a.r);
	assert_int_equal(unlink("audit/seg/0000000001.seg"), 0);
	assert_int_equal(mkdir("audit/seg/0000000001.seg", 0700), 0);
	start();
	say_library();
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	rig_forget(a.r);
	allow(1, false);
	take_epoch();
	say_certificate();
	assert_int_equal(over(1).found_size, 0);
	assert_int_equal(access("audit/quarantine/repair-0-0000000001.seg", F_OK), 0);
	assert_int_equal(records_on_disk(), 3);
}

static void
a_log_that_is_not_failed_is_looked_at_and_not_repaired(void **state)
{
	struct repaired_body seen;

	(void)state;
	allow(1, true);
	assert_int_equal(over(1).error, ERR_NOT_INITIALIZED);
	open_and_certify();
	allow(2, true);
	seen = over(2);
	assert_int_equal(seen.error, OK);
	assert_int_equal(seen.failed, 0);
	assert_int_equal(seen.found_size, 2);
	allow(3, false);
	assert_int_equal(over(3).error, ERR_NOT_FAILED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(a_repair_waits_for_the_certificate_and_then_all_is_told),
		AUDIT_TEST(a_repair_without_a_certificate_leaves_the_log_as_failed_as_before),
		AUDIT_TEST(the_end_of_the_process_leaves_it_as_failed_too),
		AUDIT_TEST(a_record_that_cannot_be_written_leaves_it_as_failed_too),
		AUDIT_TEST(a_log_that_vault_knows_otherwise_is_repaired_by_the_record_alone),
		AUDIT_TEST(a_folder_in_the_place_of_a_segment_is_moved_away),
		AUDIT_TEST(a_log_that_is_not_failed_is_looked_at_and_not_repaired),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
