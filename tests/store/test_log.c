#include "tests/store/log_rig.h"

static void
a_new_log_holds_its_epoch_record(void **state)
{
	struct log_rig *rig = *state;

	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, 0);
	assert_int_equal(log_size(rig->log), 1);
	assert_int_equal(log_state(rig->log), LOG_OK);
	assert_false(log_epoch_certified(rig->log));
	log_rig_assert_valid(rig->dir, 1);
}

static void
what_was_committed_is_found_again(void **state)
{
	struct log_rig *rig = *state;
	uint8_t root[SHA256_LEN];

	log_rig_ready(rig);
	log_rig_group(rig, 1);
	log_rig_group(rig, 20);
	memcpy(root, log_root(rig->log), sizeof root);
	log_rig_assert_valid(rig->dir, 23);
	log_close(&rig->log);

	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, 23);
	assert_int_equal(rig->last_seen, LOG_INTENT);
	assert_int_equal(log_size(rig->log), 24);
	assert_memory_not_equal(log_root(rig->log), root, sizeof root);
	log_rig_assert_valid(rig->dir, 24);
}

static void
what_waits_is_lost_without_a_commit(void **state)
{
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_waiting(rig->log), 1);
	log_close(&rig->log);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, 2);
}

static void
indices_are_the_places_of_the_records(void **state)
{
	struct log_rig *rig = *state;
	struct log_record r = log_rig_record(LOG_INTENT);
	uint64_t index;

	log_rig_ready(rig);
	for (uint64_t i = 2; i < 10; i++) {
		assert_int_equal(log_append(rig->log, &r, &index), OK);
		assert_int_equal(index, i);
		if (i % 3 == 0)
			assert_int_equal(log_rig_commit(rig), OK);
	}
	assert_int_equal(log_waiting(rig->log), 0);
}

static void
a_receipt_is_the_signed_commit_of_its_group(void **state)
{
	struct log_rig *rig = *state;
	const struct log_receipt *receipt;
	struct log_commit c;
	struct wire_in in;
	struct span bytes;

	log_rig_ready(rig);
	for (int i = 0; i < 3; i++)
		assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_commit(rig->log, &receipt), OK);
	bytes = log_receipt_bytes(receipt);
	assert_int_equal(bytes.len, LOG_COMMIT_LEN);
	in = wire_in(bytes.p, bytes.len);
	log_commit_take(&in, &c);
	assert_true(wire_done(&in));
	assert_int_equal(c.first, 2);
	assert_int_equal(c.size, 5);
	assert_memory_equal(c.root, log_root(rig->log), SHA256_LEN);
	assert_true(log_commit_valid(&c, log_epoch_public(rig->log)));
	c.size++;
	assert_false(log_commit_valid(&c, log_epoch_public(rig->log)));
}

static void
an_empty_group_has_no_receipt(void **state)
{
	struct log_rig *rig = *state;
	const struct log_receipt *receipt;

	log_rig_ready(rig);
	assert_int_equal(log_commit(rig->log, &receipt), OK);
	assert_null(receipt);
	assert_int_equal(log_size(rig->log), 2);
}

static void
every_type_round_trips_through_the_files(void **state)
{
	struct log_rig *rig = *state;

	log_rig_ready(rig);
	for (enum log_type t = LOG_INTENT; t < LOG__COUNT; t++)
		assert_int_equal(log_rig_append(rig, t), t == LOG_EPOCH || t == LOG_REPAIR ? ERR_INVALID_ARGUMENT : OK);
	assert_int_equal(log_rig_commit(rig), OK);
	log_close(&rig->log);
	log_rig_assert_valid(rig->dir, 2 + LOG__COUNT - 3);
	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(rig->n_seen, 2 + LOG__COUNT - 3);
}

static void
a_pending_epoch_takes_refusals_failed_unlocks_and_locks_only(void **state)
{
	struct log_rig *rig = *state;
	struct log_record failed = log_rig_record(LOG_UNLOCK);
	uint64_t index;

	assert_int_equal(log_rig_open(rig), OK);
	failed.outcome = LOG_REFUSED;
	assert_int_equal(log_append(rig->log, &failed, &index), OK);
	for (enum log_type t = LOG_INTENT; t < LOG__COUNT; t++)
		if (t != LOG_EPOCH && t != LOG_REPAIR)
			assert_int_equal(log_rig_append(rig, t),
			    t == LOG_REFUSAL || t == LOG_LOCK ? OK : ERR_LOCKED);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_assert_valid(rig->dir, 4);
}

static void
a_certificate_opens_the_epoch_within_the_same_group(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;
	struct cert c;

	assert_int_equal(log_rig_open(rig), OK);
	c = log_rig_cert(rig);
	assert_int_equal(log_epoch_certify(rig->log, &c), OK);
	assert_true(log_epoch_certified(rig->log));
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(log_epoch_certify(rig->log, &c), OK);
	assert_int_equal(log_waiting(rig->log), 0);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.n_epochs, 1);
	assert_int_equal(v.n_pending_epochs, 0);
}

static void
a_certificate_of_a_delegate_opens_the_epoch(void **state)
{
	struct log_rig *rig = *state;
	struct delegation d;
	struct signer *delegate;
	struct cert c;

	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(signer_new(&delegate), OK);
	delegation_make(rig->log_key, uuid_make(clock_wall()), signer_public(delegate), &d);
	cert_make(delegate, &d, CERT_EPOCH, log_epoch(rig->log), log_epoch_public(rig->log), &c);
	signer_free(&delegate);
	assert_int_equal(log_epoch_certify(rig->log, &c), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_assert_valid(rig->dir, 2);
}

static void
a_certificate_that_does_not_fit_is_refused(void **state)
{
	struct log_rig *rig = *state;
	struct uuid other = uuid_make(clock_wall());
	struct signer *stranger;
	struct cert c;

	assert_int_equal(log_rig_open(rig), OK);
	assert_int_equal(signer_new(&stranger), OK);
	cert_make(stranger, NULL, CERT_EPOCH, log_epoch(rig->log), log_epoch_public(rig->log), &c);
	assert_int_equal(log_epoch_certify(rig->log, &c), ERR_INVALID_ARGUMENT);
	cert_make(rig->log_key, NULL, CERT_BOOT, log_epoch(rig->log), log_epoch_public(rig->log), &c);
	assert_int_equal(log_epoch_certify(rig->log, &c), ERR_INVALID_ARGUMENT);
	cert_make(rig->log_key, NULL, CERT_EPOCH, other, log_epoch_public(rig->log), &c);
	assert_int_equal(log_epoch_certify(rig->log, &c), ERR_INVALID_ARGUMENT);
	cert_make(rig->log_key, NULL, CERT_EPOCH, log_epoch(rig->log), signer_public(stranger), &c);
	assert_int_equal(log_epoch_certify(rig->log, &c), ERR_INVALID_ARGUMENT);
	signer_free(&stranger);
	assert_false(log_epoch_certified(rig->log));
	assert_int_equal(log_waiting(rig->log), 0);
}

static void
pending_epochs_are_counted(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(log_rig_open(rig), OK);
		log_close(&rig->log);
	}
	log_rig_ready(rig);
	log_rig_group(rig, 2);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
	assert_int_equal(v.n_epochs, 4);
	assert_int_equal(v.n_pending_epochs, 3);
}

static void
a_manual_lock_lasts_until_a_resume(void **state)
{
	struct log_rig *rig = *state;
	struct log_record refused = log_rig_record(LOG_LOCK);
	uint64_t index;

	log_rig_ready(rig);
	refused.outcome = LOG_REFUSED;
	assert_int_equal(log_append(rig->log, &refused, &index), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	assert_false(log_manual_lock(rig->log));
	assert_int_equal(log_rig_append(rig, LOG_LOCK), OK);
	assert_false(log_manual_lock(rig->log));
	assert_int_equal(log_rig_commit(rig), OK);
	assert_true(log_manual_lock(rig->log));
	log_rig_group(rig, 1);
	log_close(&rig->log);
	log_rig_ready(rig);
	assert_true(log_manual_lock(rig->log));
	assert_int_equal(log_rig_append(rig, LOG_RESUME), OK);
	assert_int_equal(log_rig_commit(rig), OK);
	assert_false(log_manual_lock(rig->log));
	log_close(&rig->log);
	log_rig_ready(rig);
	assert_false(log_manual_lock(rig->log));
	log_rig_assert_valid(rig->dir, log_size(rig->log));
}

static void
a_record_outside_its_limits_is_refused_and_changes_nothing(void **state)
{
	struct log_rig *rig = *state;
	struct log_record r = log_rig_record(LOG_INTENT);
	uint64_t index = 77;

	log_rig_ready(rig);
	strcpy(r.reason, "Not A Code");
	assert_int_equal(log_append(rig->log, &r, &index), ERR_INVALID_ARGUMENT);
	assert_int_equal(index, 77);
	assert_int_equal(log_waiting(rig->log), 0);
	log_rig_group(rig, 1);
	log_rig_assert_valid(rig->dir, 3);
}

static void
a_group_is_full_at_512_records(void **state)
{
	struct log_rig *rig = *state;

	rig->settings.first_segment_bytes = 1 << 20;
	log_rig_ready(rig);
	for (int i = 0; i < 512; i++)
		assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	assert_int_equal(log_rig_append(rig, LOG_INTENT), ERR_BUSY);
	assert_int_equal(log_rig_commit(rig), OK);
	assert_int_equal(log_rig_append(rig, LOG_INTENT), OK);
	log_rig_assert_valid(rig->dir, 514);
}

static void
a_group_is_full_at_256_kib(void **state)
{
	static uint8_t refs[LOG_REFS_MAX * 32];
	struct log_rig *rig = *state;
	struct log_record r = log_rig_record(LOG_INTENT);
	uint64_t index;
	int n = 0;
	enum err e;

	rig->settings.first_segment_bytes = 1 << 20;
	log_rig_ready(rig);
	r.n_refs = LOG_REFS_MAX;
	r.refs = (struct span){ refs, sizeof refs };
	while ((e = log_append(rig->log, &r, &index)) == OK)
		n++;
	assert_int_equal(e, ERR_BUSY);
	assert_in_range(n, 70, 80);
	assert_int_equal(log_rig_commit(rig), OK);
	log_rig_assert_valid(rig->dir, 2 + (uint64_t)n);
}

static void
the_log_goes_on_over_small_segments(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;
	char path[192];
	struct stat st;

	log_rig_ready(rig);
	for (size_t i = 0; i < 300; i++)
		log_rig_group(rig, i % 7 + 1);
	log_rig_path(rig, "seg/0000000003.seg", path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 64 << 10);
	log_rig_assert_valid(rig->dir, log_size(rig->log));
	log_close(&rig->log);
	assert_int_equal(log_rig_open(rig), OK);
	log_rig_assert_valid(rig->dir, log_size(rig->log));
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_memory_equal(v.root, log_root(rig->log), SHA256_LEN);
}

static void
a_group_larger_than_what_a_small_segment_holds_is_cut(void **state)
{
	struct log_rig *rig = *state;
	uint64_t n = 2;
	enum err e;

	log_rig_ready(rig);
	for (int round = 0; round < 5; round++) {
		while ((e = log_rig_append(rig, LOG_INTENT)) == OK)
			n++;
		assert_int_equal(e, ERR_BUSY);
		assert_int_equal(log_rig_commit(rig), OK);
	}
	log_rig_assert_valid(rig->dir, n);
}

static void
tending_makes_two_spare_segments(void **state)
{
	struct log_rig *rig = *state;
	char path[192];
	int n = 0;

	rig->settings.segment_bytes = 9 << 20;
	log_rig_ready(rig);
	log_rig_path(rig, "seg/0000000003.seg", path);
	while (log_tend(rig->log))
		n++;
	assert_int_equal(n, 5);
	assert_int_equal(access(path, F_OK), 0);
	assert_false(log_tend(rig->log));
	log_rig_path(rig, "seg/0000000004.seg", path);
	assert_int_not_equal(access(path, F_OK), 0);
	log_close(&rig->log);
	log_rig_ready(rig);
	assert_false(log_tend(rig->log));
	assert_int_not_equal(access(path, F_OK), 0);
	while (log_size(rig->log) < 400)
		log_rig_group(rig, 1);
	log_rig_assert_valid(rig->dir, 400);
}

static void
a_second_owner_is_told_that_the_log_is_busy(void **state)
{
	struct log_rig *rig = *state;
	struct log *other = NULL;

	log_rig_ready(rig);
	assert_int_equal(log_open(&rig->settings, &other), ERR_BUSY);
	assert_null(other);
}

static void
a_log_under_another_key_or_library_is_not_opened(void **state)
{
	struct log_rig *rig = *state;
	struct log_settings settings = rig->settings;
	uint8_t other_key[SIGN_PUBLIC_LEN] = { 9 };
	struct log *log = NULL;

	log_rig_ready(rig);
	log_close(&rig->log);
	settings.log_public = other_key;
	assert_int_equal(log_open(&settings, &log), ERR_AUDIT_TAMPERED);
	settings = rig->settings;
	settings.library.b[0] ^= 1;
	assert_int_equal(log_open(&settings, &log), ERR_AUDIT_TAMPERED);
	assert_null(log);
}

static void
the_files_are_private(void **state)
{
	static const char *const names[] = { "key.pub", "anchor", "lock", "seg/0000000001.seg" };
	struct log_rig *rig = *state;
	char path[192];
	struct stat st;

	log_rig_ready(rig);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		log_rig_path(rig, names[i], path);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	log_close(&rig->log);
	assert_int_equal(chmod(rig->dir, 0755), 0);
	assert_int_equal(log_rig_open(rig), ERR_AUDIT_TAMPERED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_log_holds_its_epoch_record, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(what_was_committed_is_found_again, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(what_waits_is_lost_without_a_commit, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(indices_are_the_places_of_the_records, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_receipt_is_the_signed_commit_of_its_group, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(an_empty_group_has_no_receipt, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(every_type_round_trips_through_the_files, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_pending_epoch_takes_refusals_failed_unlocks_and_locks_only, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_certificate_opens_the_epoch_within_the_same_group, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_certificate_of_a_delegate_opens_the_epoch, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_certificate_that_does_not_fit_is_refused, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(pending_epochs_are_counted, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_manual_lock_lasts_until_a_resume, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_record_outside_its_limits_is_refused_and_changes_nothing, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_group_is_full_at_512_records, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_group_is_full_at_256_kib, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(the_log_goes_on_over_small_segments, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_group_larger_than_what_a_small_segment_holds_is_cut, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(tending_makes_two_spare_segments, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_second_owner_is_told_that_the_log_is_busy, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(a_log_under_another_key_or_library_is_not_opened, log_rig_setup, log_rig_teardown),
		cmocka_unit_test_setup_teardown(the_files_are_private, log_rig_setup, log_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
