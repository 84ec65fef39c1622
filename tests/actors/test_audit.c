/* The audit actor: nothing is acknowledged before it is on the disk. */
#include "tests/actors/audit_rig.h"

static void
an_intent_is_acknowledged_only_after_the_sync_of_its_group(void **state)
{
	const union any_body *b;
	int before;

	(void)state;
	open_and_certify();
	before = world.n_syncs;
	assert_int_equal(intend(41), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(world.n_syncs, before);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(world.n_syncs, before + 1);
	assert_non_null(b = rig_expect(a.r, MSG_AUDIT_ACK));
	assert_int_equal(rig_ask_id(a.r), 41);
	assert_int_equal(b->ack.ticket.len, 100);
	assert_int_equal(b->ack.ticket.p[0], 41);
	assert_int_equal(b->ack.index + 1, records_on_disk());
	assert_true(rig_silent(a.r));
}

static void
acks_of_a_group_carry_one_receipt_each_covering_its_record(void **state)
{
	struct log_commit c;
	uint8_t commit[LOG_COMMIT_LEN];
	int before;

	(void)state;
	open_and_certify();
	before = world.n_syncs;
	for (uint64_t i = 0; i < 20; i++)
		assert_int_equal(intend(100 + i), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(world.n_syncs, before + 1);
	for (uint64_t i = 0; i < 20; i++) {
		const union any_body *b = rig_expect(a.r, MSG_AUDIT_ACK);
		struct wire_in in;

		assert_non_null(b);
		assert_int_equal(rig_ask_id(a.r), 100 + i);
		assert_int_equal(b->ack.ticket.p[0], 100 + i);
		if (i == 0)
			memcpy(commit, b->ack.commit, sizeof commit);
		assert_memory_equal(b->ack.commit, commit, sizeof commit);
		in = wire_in(b->ack.commit, sizeof b->ack.commit);
		log_commit_take(&in, &c);
		assert_true(wire_done(&in));
		assert_true(b->ack.index >= c.first && b->ack.index < c.first + c.count);
		assert_true(log_commit_valid(&c, a.epoch_public));
	}
	assert_true(rig_silent(a.r));
}

static void
a_failed_sync_acknowledges_nothing_and_ends_the_process(void **state)
{
	(void)state;
	open_and_certify();
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(intend(100 + i), OK);
	world.sync_errno = EIO;
	assert_int_equal(rig_batch(a.r), ERR_AUDIT_UNAVAILABLE);
	assert_true(rig_silent(a.r));
	assert_int_equal(world.failed_with, ERR_AUDIT_UNAVAILABLE);
}

static void
after_a_failed_sync_a_later_one_that_works_acknowledges_nothing_either(void **state)
{
	int before;

	(void)state;
	open_and_certify();
	assert_int_equal(intend(1), OK);
	world.sync_errno = EIO;
	assert_int_equal(rig_batch(a.r), ERR_AUDIT_UNAVAILABLE);
	world.sync_errno = 0;
	before = world.n_syncs;
	assert_int_equal(intend(2), OK);
	assert_int_equal(refused(2), ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(rig_batch(a.r), ERR_AUDIT_UNAVAILABLE);
	assert_true(rig_silent(a.r));
	assert_int_equal(world.n_syncs, before);
	assert_int_equal(log_state_of().state, LOG_FAILED);
}

static void
an_actor_that_ends_before_its_sync_leaves_no_record_and_no_ack(void **state)
{
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	assert_int_equal(intend(41), OK);
	assert_true(rig_silent(a.r));
	restart();
	assert_int_equal(records_on_disk(), size);
	open_and_certify();
	assert_int_equal(intend(42), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
}

static void
an_actor_that_ends_after_its_sync_leaves_the_record(void **state)
{
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	assert_int_equal(intend(41), OK);
	assert_int_equal(rig_batch(a.r), OK);
	restart(); /* the ack was still in the outbox */
	assert_int_equal(records_on_disk(), size + 1);
	open_and_certify();
}

static void
a_group_past_its_bound_is_committed_in_parts_and_each_intent_once(void **state)
{
	bool seen[600] = { false };

	(void)state;
	open_and_certify();
	for (uint64_t i = 0; i < 600; i++)
		assert_int_equal(intend(1000 + i), OK);
	assert_int_equal(rig_batch(a.r), OK);
	for (uint64_t i = 0; i < 600; i++) {
		assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
		assert_in_range(rig_ask_id(a.r), 1000, 1599);
		assert_false(seen[rig_ask_id(a.r) - 1000]);
		seen[rig_ask_id(a.r) - 1000] = true;
	}
	assert_true(rig_silent(a.r));
	assert_int_equal(records_on_disk(), log_state_of().size);
}

static void
an_intent_before_the_log_is_open_is_refused(void **state)
{
	(void)state;
	assert_int_equal(intend(3), OK);
	assert_int_equal(refused(3), ERR_NOT_INITIALIZED);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
	/* Between its process's start and the library's coming, it may not be called healthy. */
	assert_int_equal(log_state_of().state, LOG_FAILED);
	assert_int_equal(log_state_of().failure, ERR_AUDIT_UNAVAILABLE);
}

static void
an_intent_under_a_pending_epoch_is_refused(void **state)
{
	(void)state;
	open_log();
	assert_int_equal(intend(3), OK);
	assert_int_equal(refused(3), ERR_AUDIT_UNAVAILABLE);
	certify();
	assert_int_equal(intend(4), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
}

static void
a_certificate_that_does_not_hold_certifies_nothing(void **state)
{
	struct certificate_body body;
	uint8_t buf[CERT_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct signer *other = NULL;
	struct cert c;

	(void)state;
	open_log();
	assert_int_equal(signer_new(&other), OK);
	cert_make(other, NULL, CERT_EPOCH, a.epoch, a.epoch_public, &c);
	cert_put(&o, &c);
	body.certificate = wire_written(&o);
	assert_int_equal(rig_deliver(a.r, MSG_EPOCH_CERTIFIED, ACTOR_KEYRING, 0, &body), ERR_INVALID_ARGUMENT);
	body.certificate.len--;
	assert_int_equal(rig_deliver(a.r, MSG_EPOCH_CERTIFIED, ACTOR_KEYRING, 0, &body), ERR_INVALID_ARGUMENT);
	assert_int_equal(intend(3), OK);
	assert_int_equal(refused(3), ERR_AUDIT_UNAVAILABLE);
	signer_free(&other);
}

static void
a_log_that_was_changed_outside_refuses_with_that_code(void **state)
{
	struct library_body library = { .library = a.library };
	const union any_body *b;

	(void)state;
	open_and_certify();
	assert_int_equal(intend(1), OK);
	assert_int_equal(rig_batch(a.r), OK);
	rig_forget(a.r);
	rig_close(&a.r);
	assert_int_equal(unlink("audit/seg/0000000001.seg"), 0);
	start();
	memcpy(library.log_public, signer_public(a.log_key), 32);
	assert_int_equal(rig_deliver(a.r, MSG_LIBRARY, ACTOR_GRANTS, 0, &library), ERR_AUDIT_TAMPERED);
	assert_int_equal(intend(2), OK);
	assert_int_equal(refused(2), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_state_of().state, LOG_FAILED);
	assert_int_equal(log_state_of().failure, ERR_AUDIT_TAMPERED);
	assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &(struct event_body){ .type = LOG_LOCK }), OK);
	assert_non_null(b = rig_expect(a.r, MSG_EVENT_KEPT));
	assert_int_equal(b->result.error, ERR_AUDIT_TAMPERED);
}

static void
a_directory_that_is_gone_makes_the_log_unavailable(void **state)
{
	struct library_body library = { .library = a.library };

	(void)state;
	assert_int_equal(rmdir("audit"), 0);
	memcpy(library.log_public, signer_public(a.log_key), 32);
	assert_int_not_equal(rig_deliver(a.r, MSG_LIBRARY, ACTOR_GRANTS, 0, &library), OK);
	assert_int_equal(intend(2), OK);
	assert_int_equal(refused(2), ERR_AUDIT_UNAVAILABLE);
}

static void
an_intent_that_is_no_intent_is_refused(void **state)
{
	struct intent_body i = an_intent(1);

	(void)state;
	open_and_certify();
	i.type = LOG_LOCK;
	assert_int_equal(rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 1, &i), OK);
	assert_int_equal(refused(1), ERR_INTERNAL);
	i = an_intent(1);
	i.n_rows = 1;
	assert_int_equal(rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 1, &i), OK);
	assert_int_equal(refused(1), ERR_INTERNAL);
	i = an_intent(1);
	i.ticket.len = TICKET_MAX + 1;
	i.ticket.p = calloc(1, i.ticket.len);
	assert_int_equal(rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 1, &i), OK);
	assert_int_equal(refused(1), ERR_INTERNAL);
	free((void *)(uintptr_t)i.ticket.p);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
}

static void
a_kept_event_is_answered_once_it_is_durable(void **state)
{
	struct event_body lock = { .type = LOG_LOCK, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL };
	const union any_body *b;
	uint64_t size;

	(void)state;
	open_log();
	size = records_on_disk();
	assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &lock), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(b = rig_expect(a.r, MSG_EVENT_KEPT));
	assert_int_equal(rig_ask_id(a.r), 6);
	assert_int_equal(b->result.error, OK);
	assert_int_equal(records_on_disk(), size + 1);
}

static void
a_kept_event_whose_sync_fails_is_not_answered(void **state)
{
	struct event_body lock = { .type = LOG_LOCK, .surface = SURFACE_OWNER };

	(void)state;
	open_log();
	assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &lock), OK);
	world.sync_errno = EIO;
	assert_int_equal(rig_batch(a.r), ERR_AUDIT_UNAVAILABLE);
	assert_true(rig_silent(a.r));
	assert_int_equal(world.failed_with, ERR_AUDIT_UNAVAILABLE);
}

/* A durable lock bans at the next start, and a durable resume does not. */
static void
the_ban_of_the_log_is_told_when_it_opens_and_when_grants_comes(void **state)
{
	struct event_body lock = { .type = LOG_LOCK, .surface = SURFACE_OWNER };
	const union any_body *b;

	(void)state;
	open_and_certify();
	for (int locked = 1; locked >= 0; locked--) {
		lock.type = locked ? LOG_LOCK : LOG_RESUME;
		assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &lock), OK);
		assert_int_equal(rig_batch(a.r), OK);
		assert_non_null(rig_expect(a.r, MSG_EVENT_KEPT));
		expect_heads();
		rig_edge(a.r, ACTOR_GRANTS, true);
		assert_non_null(b = rig_expect(a.r, MSG_LOG_BAN));
		assert_int_equal(b->log_ban.manual_lock, locked);
		restart();
		open_log();
		rig_edge(a.r, ACTOR_GRANTS, true);
		assert_non_null(b = rig_expect(a.r, MSG_LOG_BAN));
		assert_int_equal(b->log_ban.manual_lock, locked);
		anchor(ACTOR_GRANTS, 0, NULL);
		assert_non_null(rig_expect(a.r, MSG_GRANTS_HEAD));
		certify();
	}
}

static void
a_keyring_that_comes_is_told_the_epoch(void **state)
{
	const union any_body *b;

	(void)state;
	rig_edge(a.r, ACTOR_KEYRING, true);
	assert_true(rig_silent(a.r));
	open_log();
	rig_edge(a.r, ACTOR_KEYRING, true);
	assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
	assert_true(uuid_equal(b->epoch.epoch, a.epoch));
	rig_edge(a.r, ACTOR_KEYRING, false);
	assert_true(rig_silent(a.r));
}

static void
noted_refusals_are_recorded_and_answered_to_nobody_and_events_to_grants(void **state)
{
	struct noted_body noted = { .error = ERR_NOT_FOUND, .surface = SURFACE_CLI, .subject_kind = LOG_GRANT_ID, .subject = id(0x41),
		.op = OP_READ, .count = 1 };
	struct event_body unlock = { .type = LOG_UNLOCK, .outcome = LOG_REFUSED, .surface = SURFACE_OWNER, .error = ERR_WRONG_PASSWORD };
	uint64_t size;

	(void)state;
	assert_int_equal(rig_deliver(a.r, MSG_REFUSAL_NOTED, ACTOR_GATE, 0, &noted), OK);
	open_and_certify();
	size = records_on_disk();
	assert_int_equal(rig_deliver(a.r, MSG_REFUSAL_NOTED, ACTOR_GATE, 0, &noted), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(tell(3, &unlock), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(kept(3), OK);
	expect_heads();
	assert_true(rig_silent(a.r));
	assert_int_equal(records_on_disk(), size + 2);
}

/* An unlock is told before the certificate that it makes possible can have come. */
static void
an_event_under_a_pending_epoch_waits_for_the_certificate(void **state)
{
	struct event_body unlock = { .type = LOG_UNLOCK, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL, .subject = id(0x41) };
	uint64_t size;

	(void)state;
	open_log();
	size = records_on_disk();
	assert_int_equal(tell(3, &unlock), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(records_on_disk(), size);
	assert_true(rig_silent(a.r));
	say_certificate();
	assert_int_equal(kept(3), OK);
	expect_heads();
	assert_int_equal(records_on_disk(), size + 2);
}

static struct grant_row_body
usage_of_grant(struct uuid grant)
{
	struct grants_page_body page = { .n_rows = 1 };
	struct grant_row_body row = { .grant = grant, .created_wall_ms = 5, .last_used_wall_ms = 99, .reads = 99 };
	uint8_t buf[2000];
	struct wire_out o = wire_out(buf, sizeof buf);
	const union any_body *b;
	struct wire_in in;

	grant_row_body_put(&o, &row);
	page.rows = wire_written(&o);
	assert_int_equal(rig_deliver(a.r, MSG_USAGE_WANTED, ACTOR_GRANTS, 2, &page), OK);
	assert_non_null(b = rig_expect(a.r, MSG_USAGE));
	assert_int_equal(b->grants_page.n_rows, 1);
	in = wire_in(b->grants_page.rows.p, b->grants_page.rows.len);
	grant_row_body_take(&in, &row);
	assert_true(wire_done(&in));
	assert_int_equal(row.created_wall_ms, 5);
	return row;
}

static void
a_grants_reads_are_counted_from_the_log_also_after_a_restart(void **state)
{
	struct grant_row_body row;

	(void)state;
	open_and_certify();
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(intend(50 + i), OK);
	assert_int_equal(rig_batch(a.r), OK);
	rig_forget(a.r);
	row = usage_of_grant(id(0x41));
	assert_int_equal(row.reads, 3);
	assert_true(row.last_used_wall_ms > 1000000000000);
	assert_int_equal(usage_of_grant(id(0x42)).reads, 0);
	assert_int_equal(usage_of_grant(id(0x42)).last_used_wall_ms, 0);
	restart();
	open_log();
	assert_int_equal(usage_of_grant(id(0x41)).reads, 3);
}

static void
a_page_of_usage_with_a_broken_row_is_an_error_and_says_nothing(void **state)
{
	struct grants_page_body page = { .n_rows = 2, .rows = { (const uint8_t *)"123", 3 } };

	(void)state;
	open_log();
	assert_int_equal(rig_deliver(a.r, MSG_USAGE_WANTED, ACTOR_GRANTS, 2, &page), ERR_INTERNAL);
	assert_true(rig_silent(a.r));
}

static int
no_room(int fd, int mode, off_t at, off_t len)
{
	(void)fd, (void)mode, (void)at, (void)len;
	errno = ENOSPC;
	return -1;
}

static void
without_room_for_a_spare_reads_go_on_and_nothing_new_is_stored(void **state)
{
	struct intent_body write = an_intent(2);
	static struct log_io io; /* in force until the actor has ended */

	(void)state;
	io = watched;
	open_and_certify();
	io.fallocate = no_room;
	log_io_replace(&io);
	(void)rig_tick(a.r, (struct mono_ms){ 1 });
	rig_forget(a.r);
	assert_int_equal(log_state_of().state, LOG_LOW);
	write.type = LOG_WRITE;
	assert_int_equal(rig_deliver(a.r, MSG_AUDIT_INTENT, ACTOR_KEYRING, 2, &write), OK);
	assert_int_equal(refused(2), ERR_STORAGE_FULL);
	assert_int_equal(intend(3), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(an_intent_is_acknowledged_only_after_the_sync_of_its_group),
		AUDIT_TEST(acks_of_a_group_carry_one_receipt_each_covering_its_record),
		AUDIT_TEST(a_failed_sync_acknowledges_nothing_and_ends_the_process),
		AUDIT_TEST(after_a_failed_sync_a_later_one_that_works_acknowledges_nothing_either),
		AUDIT_TEST(an_actor_that_ends_before_its_sync_leaves_no_record_and_no_ack),
		AUDIT_TEST(an_actor_that_ends_after_its_sync_leaves_the_record),
		AUDIT_TEST(a_group_past_its_bound_is_committed_in_parts_and_each_intent_once),
		AUDIT_TEST(an_intent_before_the_log_is_open_is_refused),
		AUDIT_TEST(an_intent_under_a_pending_epoch_is_refused),
		AUDIT_TEST(a_certificate_that_does_not_hold_certifies_nothing),
		AUDIT_TEST(a_log_that_was_changed_outside_refuses_with_that_code),
		AUDIT_TEST(a_directory_that_is_gone_makes_the_log_unavailable),
		AUDIT_TEST(an_intent_that_is_no_intent_is_refused),
		AUDIT_TEST(a_kept_event_is_answered_once_it_is_durable),
		AUDIT_TEST(a_kept_event_whose_sync_fails_is_not_answered),
		AUDIT_TEST(the_ban_of_the_log_is_told_when_it_opens_and_when_grants_comes),
		AUDIT_TEST(a_keyring_that_comes_is_told_the_epoch),
		AUDIT_TEST(noted_refusals_are_recorded_and_answered_to_nobody_and_events_to_grants),
		AUDIT_TEST(an_event_under_a_pending_epoch_waits_for_the_certificate),
		AUDIT_TEST(a_grants_reads_are_counted_from_the_log_also_after_a_restart),
		AUDIT_TEST(a_page_of_usage_with_a_broken_row_is_an_error_and_says_nothing),
		AUDIT_TEST(without_room_for_a_spare_reads_go_on_and_nothing_new_is_stored),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
