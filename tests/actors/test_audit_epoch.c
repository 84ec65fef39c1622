/* How the audit actor ends an epoch: told, certified, then in force; and what it knows after it opens a sealed log. */
#include <dirent.h>

#include "tests/actors/audit_rig.h"
#include "tests/support/fake_clock.h"

#define RECORDS 4

static int
setup_short(void **state)
{
	int failed = setup(state);

	a.settings.log_epoch_records = RECORDS;
	return failed;
}

static int
teardown_short(void **state)
{
	fake_clock_off();
	return teardown(state);
}

static void
acknowledged(uint64_t ask_id, struct log_commit *c)
{
	const union any_body *b = rig_expect(a.r, MSG_AUDIT_ACK);
	struct wire_in in;

	assert_non_null(b);
	assert_int_equal(rig_ask_id(a.r), ask_id);
	in = wire_in(b->ack.commit, sizeof b->ack.commit);
	log_commit_take(&in, c);
	assert_true(wire_done(&in));
}

/* Intents, one a group, until the next epoch is told. Its id and key take the place of the running one's. */
static void
fill_epoch(void)
{
	const union any_body *b;
	struct log_commit c;
	int n = 0;

	do {
		assert_true(n++ < RECORDS);
		assert_int_equal(intend(1), OK);
		assert_int_equal(rig_batch(a.r), OK);
		acknowledged(1, &c);
		assert_true(uuid_equal(c.epoch, a.epoch));
	} while (rig_silent(a.r));
	assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
	assert_false(uuid_equal(b->epoch.epoch, a.epoch));
	a.epoch = b->epoch.epoch;
	memcpy(a.epoch_public, b->epoch.epoch_public, 32);
}

static struct log_verdict
verdict(void)
{
	struct log_verify_options o = { .dir = "audit", .full = true };
	struct log_verdict v;

	assert_int_equal(log_verify(&o, &v), OK);
	assert_true(v.valid);
	return v;
}

static void
the_epoch_goes_on_until_the_next_one_is_certified(void **state)
{
	struct uuid first;
	struct log_commit c;

	(void)state;
	open_and_certify();
	first = a.epoch;
	fill_epoch();
	assert_int_equal(intend(2), OK);
	assert_int_equal(rig_batch(a.r), OK);
	acknowledged(2, &c);
	assert_true(uuid_equal(c.epoch, first));
	assert_true(rig_silent(a.r));
	say_certificate();
	assert_true(rig_silent(a.r));
	assert_int_equal(intend(3), OK);
	assert_int_equal(rig_batch(a.r), OK);
	acknowledged(3, &c);
	assert_true(uuid_equal(c.epoch, a.epoch));
	assert_true(log_commit_valid(&c, a.epoch_public));
	assert_int_equal(verdict().n_epochs, 2);
	assert_int_equal(verdict().n_pending_epochs, 0);
}

/* In one batch: the intents before the certificate are in the old epoch, those after it in the new one, and all are taken. */
static void
intents_around_the_certificate_are_all_acknowledged(void **state)
{
	struct certificate_body body;
	uint8_t buf[CERT_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct log_commit before, after;
	struct cert c;

	(void)state;
	open_and_certify();
	fill_epoch();
	cert_make(a.log_key, NULL, CERT_EPOCH, a.epoch, a.epoch_public, &c);
	cert_put(&o, &c);
	body.certificate = wire_written(&o);
	assert_int_equal(intend(5), OK);
	assert_int_equal(rig_deliver(a.r, MSG_EPOCH_CERTIFIED, ACTOR_KEYRING, 0, &body), OK);
	assert_int_equal(intend(6), OK);
	assert_int_equal(rig_batch(a.r), OK);
	acknowledged(5, &before);
	acknowledged(6, &after);
	assert_false(uuid_equal(before.epoch, a.epoch));
	assert_true(uuid_equal(after.epoch, a.epoch));
	assert_true(log_commit_valid(&after, a.epoch_public));
}

static void
without_a_certificate_it_ends_after_two_seconds_and_waits_for_one(void **state)
{
	struct mono_ms until;

	(void)state;
	open_and_certify();
	fake_clock_set(1767225600000, 60000);
	fill_epoch();
	until = rig_tick(a.r, (struct mono_ms){ 61999 });
	rig_forget(a.r);
	assert_true(until.ms != 0 && until.ms <= 62000);
	assert_int_equal(intend(7), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	(void)rig_tick(a.r, (struct mono_ms){ 62000 });
	rig_forget(a.r);
	assert_int_equal(verdict().n_pending_epochs, 1);
	assert_int_equal(intend(8), OK);
	assert_int_equal(refused(8), ERR_AUDIT_UNAVAILABLE);
	say_certificate();
	assert_int_equal(intend(9), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	assert_int_equal(verdict().n_epochs, 2);
	assert_int_equal(verdict().n_pending_epochs, 0);
}

static void
a_keyring_that_comes_meanwhile_is_told_both_epochs(void **state)
{
	const union any_body *b;
	struct uuid first;

	(void)state;
	open_and_certify();
	first = a.epoch;
	fill_epoch();
	rig_edge(a.r, ACTOR_KEYRING, true);
	assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
	assert_true(uuid_equal(b->epoch.epoch, first));
	assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
	assert_true(uuid_equal(b->epoch.epoch, a.epoch));
	assert_true(rig_silent(a.r));
}

static void
a_certificate_by_another_key_does_not_end_an_epoch(void **state)
{
	struct signer *log_key = a.log_key;
	struct uuid first;
	struct log_commit c;

	(void)state;
	open_and_certify();
	first = a.epoch;
	fill_epoch();
	assert_int_equal(signer_new(&a.log_key), OK);
	say_certificate();
	signer_free(&a.log_key);
	a.log_key = log_key;
	assert_int_equal(intend(2), OK);
	assert_int_equal(rig_batch(a.r), OK);
	acknowledged(2, &c);
	assert_true(uuid_equal(c.epoch, first));
}

/* Were the log walked from its start, this would be found. */
static void
spoil_first_segment(void)
{
	int fd = open("audit/seg/0000000001.seg", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "x", 1, 200), 1);
	close(fd);
}

static uint64_t
reads_of(struct uuid grant)
{
	struct grants_page_body page = { .n_rows = 1 };
	struct grant_row_body row = { .grant = grant };
	uint8_t buf[1024];
	struct wire_out o = wire_out(buf, sizeof buf);
	const union any_body *b;
	struct wire_in in;

	grant_row_body_put(&o, &row);
	page.rows = wire_written(&o);
	assert_int_equal(rig_deliver(a.r, MSG_USAGE_WANTED, ACTOR_GRANTS, 1, &page), OK);
	assert_non_null(b = rig_expect(a.r, MSG_USAGE));
	in = wire_in(b->grants_page.rows.p, b->grants_page.rows.len);
	grant_row_body_take(&in, &row);
	return row.reads;
}

/* What lies in the seal is not walked again. */
static void
what_is_known_of_grants_comes_out_of_the_seal(void **state)
{
	struct event_body revoke = { .type = LOG_REVOKE, .surface = SURFACE_OWNER, .subject_kind = LOG_GRANT_ID, .subject = id(0x42) };
	struct intent_body i = an_intent(1);
	const union any_body *b;

	(void)state;
	open_and_certify();
	assert_int_equal(tell(3, &revoke), OK);
	assert_int_equal(intend(1), OK);
	assert_int_equal(intend(1), OK);
	assert_int_equal(rig_batch(a.r), OK);
	rig_forget(a.r);
	/* The next epoch was told, but this test looked away. */
	rig_edge(a.r, ACTOR_KEYRING, true);
	assert_non_null(rig_expect(a.r, MSG_EPOCH));
	assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
	a.epoch = b->epoch.epoch;
	memcpy(a.epoch_public, b->epoch.epoch_public, 32);
	say_certificate();
	rig_forget(a.r);
	rig_close(&a.r);
	spoil_first_segment();
	start();
	open_log();
	assert_int_equal(reads_of(id(0x41)), 2);
	certify();
	i.subject = id(0x42);
	assert_int_equal(rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 5, &i), OK);
	assert_int_equal(refused(5), ERR_INVALID_GRANT);
}

#define EPOCH_TEST(f) cmocka_unit_test_setup_teardown(f, setup_short, teardown_short)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		EPOCH_TEST(the_epoch_goes_on_until_the_next_one_is_certified),
		EPOCH_TEST(intents_around_the_certificate_are_all_acknowledged),
		EPOCH_TEST(without_a_certificate_it_ends_after_two_seconds_and_waits_for_one),
		EPOCH_TEST(a_keyring_that_comes_meanwhile_is_told_both_epochs),
		EPOCH_TEST(a_certificate_by_another_key_does_not_end_an_epoch),
		EPOCH_TEST(what_is_known_of_grants_comes_out_of_the_seal),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
