/* What vault and grants keep of the log: no delivery without their word, and none from a log that is not theirs. */
#include "store/log_repair.h"
#include "tests/actors/audit_rig.h"

/* Opens the log of the last start, which vault and grants speak for with these. */
static void
open_log_with(const struct head_body *vault, const struct head_body *grants)
{
	struct library_body library = { .library = a.library };
	const union any_body *b;

	memcpy(library.log_public, signer_public(a.log_key), 32);
	assert_int_equal(rig_deliver(a.r, MSG_GRANTS_ANCHOR, ACTOR_GRANTS, 0, grants), OK);
	assert_int_equal(rig_deliver(a.r, MSG_LIBRARY, ACTOR_GRANTS, 0, &library), OK);
	if ((b = rig_expect(a.r, MSG_EPOCH)) != NULL) {
		a.epoch = b->epoch.epoch;
		memcpy(a.epoch_public, b->epoch.epoch_public, 32);
	}
	assert_int_equal(rig_deliver(a.r, MSG_VAULT_ANCHOR, ACTOR_VAULT, 0, vault), OK);
	rig_forget(a.r);
}

/* How far the log reaches, as vault and grants hear it after an event. */
static struct head_body
head_after(enum log_type type)
{
	struct event_body event = { .type = (uint8_t)type, .surface = SURFACE_OWNER, .subject_kind = LOG_GRANT_ID,
		.subject = id(0x42) };
	struct head_body head;
	const union any_body *b;

	assert_int_equal(tell(3, &event), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(kept(3), OK);
	assert_non_null(b = rig_expect(a.r, MSG_VAULT_HEAD));
	head = b->head;
	assert_non_null(b = rig_expect(a.r, MSG_GRANTS_HEAD));
	assert_int_equal(b->head.size, head.size);
	assert_memory_equal(b->head.root, head.root, sizeof head.root);
	return head;
}

static enum err
answer_to_an_intent(void)
{
	assert_int_equal(intend(7), OK);
	if (rig_next(a.r) == MSG_INTENT_REFUSED)
		return refused(7);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	return OK;
}

static void
heads_are_told_at_once_after_what_changes_rights_and_not_after_reads(void **state)
{
	struct head_body head;

	(void)state;
	open_and_certify();
	assert_int_equal(answer_to_an_intent(), OK);
	assert_true(rig_silent(a.r));
	head = head_after(LOG_UNLOCK);
	assert_int_equal(head.size, records_on_disk());
	assert_int_equal(answer_to_an_intent(), OK);
	assert_true(rig_silent(a.r));
	rig_tick(a.r, (struct mono_ms){ clock_mono().ms + 1000 });
	expect_heads();
	rig_tick(a.r, (struct mono_ms){ clock_mono().ms + 5000 });
	assert_true(rig_silent(a.r));
}

static void
no_intent_is_taken_before_vault_and_grants_have_both_spoken(void **state)
{
	static const enum actor both[] = { ACTOR_VAULT, ACTOR_GRANTS };
	struct event_body resume = { .type = LOG_RESUME, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL };
	const union any_body *b;

	(void)state;
	open_and_certify();
	for (size_t i = 0; i < 2; i++) {
		rig_edge(a.r, both[i], false);
		rig_edge(a.r, both[i], true);
		rig_forget(a.r);
		assert_int_equal(answer_to_an_intent(), ERR_INTERRUPTED);
		assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &resume), OK);
		assert_non_null(b = rig_expect(a.r, MSG_EVENT_KEPT));
		assert_int_equal(b->result.error, ERR_AUDIT_UNAVAILABLE);
		anchor(both[i], 0, NULL);
		rig_forget(a.r);
		assert_int_equal(answer_to_an_intent(), OK);
	}
}

static void
a_lock_is_recorded_before_anybody_has_spoken(void **state)
{
	struct event_body lock = { .type = LOG_LOCK, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL };
	const union any_body *b;

	(void)state;
	open_and_certify();
	rig_edge(a.r, ACTOR_VAULT, false);
	assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &lock), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(b = rig_expect(a.r, MSG_EVENT_KEPT));
	assert_int_equal(b->result.error, OK);
}

static void
an_anchor_that_the_log_has_grown_beyond_agrees(void **state)
{
	struct head_body early, late;

	(void)state;
	open_and_certify();
	early = head_after(LOG_UNLOCK);
	late = head_after(LOG_UNLOCK);
	restart();
	open_log_with(&early, &late);
	say_certificate();
	assert_int_equal(answer_to_an_intent(), OK);
}

/* In turn the vault's anchor and that of grants. */
static void
a_log_that_an_anchor_is_ahead_of_or_beside_is_closed_for_good(void **state)
{
	struct head_body head;
	enum err wanted = ERR_AUDIT_TAMPERED;

	(void)state;
	open_and_certify();
	head = head_after(LOG_UNLOCK);
	for (size_t i = 0; i < 4; i++) {
		struct head_body bad = head;

		if (i < 2)
			bad.size += 1000;
		else
			bad.root[0] ^= 1;
		restart();
		open_log_with(i % 2 == 0 ? &bad : &head, i % 2 == 0 ? &head : &bad);
		assert_int_equal(answer_to_an_intent(), wanted);
		assert_int_equal(log_state_of().state, LOG_FAILED);
		assert_int_equal(log_state_of().failure, wanted);
		rig_tick(a.r, (struct mono_ms){ clock_mono().ms + 60000 });
		assert_int_equal(answer_to_an_intent(), wanted);
		assert_true(rig_silent(a.r));
	}
	restart();
	open_log_with(&head, &head);
	say_certificate();
	assert_int_equal(answer_to_an_intent(), OK);
}

static void
an_anchor_of_a_repair_that_the_log_does_not_have_is_ahead_of_it(void **state)
{
	struct head_body head, repaired;

	(void)state;
	open_and_certify();
	head = head_after(LOG_UNLOCK);
	repaired = head;
	repaired.repairs = 1;
	repaired.size = 1;
	restart();
	open_log_with(&repaired, &head);
	assert_int_equal(answer_to_an_intent(), ERR_AUDIT_TAMPERED);
}

static void
an_anchor_that_a_repair_gave_up_agrees_and_a_newer_one_does_not(void **state)
{
	const struct log_head known = { .size = 500 };
	struct log_repaired repaired;
	struct log_settings settings = { .dir = "audit", .library = a.library, .log_public = signer_public(a.log_key),
		.first_segment_bytes = 1 << 20, .segment_bytes = 1 << 20 };
	struct head_body lost = { .size = 500 }, newer = { .size = 501 };
	const struct log_receipt *receipt;
	struct log *l = NULL;
	struct cert c;

	(void)state;
	rig_close(&a.r);
	assert_int_equal(log_repair_open(&settings, (struct log_known){ &known, 1 }, &l, &repaired), OK);
	cert_make(a.log_key, NULL, CERT_EPOCH, log_epoch(l), log_epoch_public(l), &c);
	assert_int_equal(log_epoch_certify(l, &c), OK);
	assert_int_equal(log_commit(l, &receipt), OK);
	assert_int_equal(log_repair_finish(l, a.library), OK);
	log_close(&l);
	start();
	open_log_with(&lost, &lost);
	say_certificate();
	assert_int_equal(answer_to_an_intent(), OK);
	restart();
	open_log_with(&lost, &newer);
	assert_int_equal(answer_to_an_intent(), ERR_AUDIT_TAMPERED);
}

static void
a_grant_that_the_log_knows_as_revoked_gets_no_ack_also_after_a_restart(void **state)
{
	struct event_body revoke = { .type = LOG_REVOKE, .surface = SURFACE_OWNER, .subject_kind = LOG_GRANT_ID, .subject = id(0x41) };
	const union any_body *b;

	(void)state;
	open_and_certify();
	assert_int_equal(answer_to_an_intent(), OK);
	assert_int_equal(tell(3, &revoke), OK);
	assert_int_equal(answer_to_an_intent(), ERR_INVALID_GRANT);
	assert_int_equal(rig_batch(a.r), OK);
	rig_forget(a.r);
	restart();
	open_and_certify();
	assert_int_equal(intend(7), OK);
	assert_non_null(b = rig_expect(a.r, MSG_INTENT_REFUSED));
	assert_int_equal(b->refusal.error, ERR_INVALID_GRANT);
	assert_true(b->refusal.authenticated);
	assert_true(uuid_equal(b->refusal.subject, id(0x41)));
}

/* It might be a log that was put back, and the record would go with it. */
static void
an_event_waits_until_the_anchors_agree_and_is_refused_by_another_log(void **state)
{
	struct event_body revoke = { .type = LOG_REVOKE, .surface = SURFACE_OWNER, .subject_kind = LOG_GRANT_ID, .subject = id(0x41) };
	struct library_body library = { .library = a.library };
	const union any_body *b;
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	for (int i = 0; i < 2; i++) {
		restart();
		memcpy(library.log_public, signer_public(a.log_key), 32);
		assert_int_equal(rig_deliver(a.r, MSG_LIBRARY, ACTOR_GRANTS, 0, &library), OK);
		assert_non_null(b = rig_expect(a.r, MSG_EPOCH));
		a.epoch = b->epoch.epoch;
		memcpy(a.epoch_public, b->epoch.epoch_public, 32);
		assert_non_null(rig_expect(a.r, MSG_LOG_BAN));
		say_certificate();
		assert_int_equal(tell(3, &revoke), OK);
		anchor(ACTOR_VAULT, 0, NULL);
		assert_int_equal(rig_batch(a.r), OK);
		rig_forget(a.r);
		assert_true(records_on_disk() == size + 2);
		if (i == 0) {
			anchor(ACTOR_GRANTS, 0, NULL);
			assert_int_equal(rig_batch(a.r), OK);
			assert_non_null(rig_expect(a.r, MSG_GRANTS_HEAD));
			assert_int_equal(kept(3), OK);
			size = records_on_disk();
			rig_forget(a.r);
		} else {
			anchor(ACTOR_GRANTS, size + 100, NULL);
			assert_int_equal(kept(3), ERR_AUDIT_TAMPERED);
			/* And it is told again in vain. */
			assert_int_equal(tell(4, &revoke), OK);
			assert_int_equal(kept(4), ERR_AUDIT_TAMPERED);
		}
	}
}

static void
what_waits_when_the_log_turns_out_to_be_another_is_refused(void **state)
{
	struct event_body lock = { .type = LOG_LOCK, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL };
	const union any_body *b;

	(void)state;
	open_and_certify();
	assert_int_equal(intend(7), OK);
	assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 6, &lock), OK);
	anchor(ACTOR_VAULT, 9000, NULL);
	assert_int_equal(refused(7), ERR_AUDIT_TAMPERED);
	assert_non_null(b = rig_expect(a.r, MSG_EVENT_KEPT));
	assert_int_equal(b->result.error, ERR_AUDIT_TAMPERED);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(heads_are_told_at_once_after_what_changes_rights_and_not_after_reads),
		AUDIT_TEST(no_intent_is_taken_before_vault_and_grants_have_both_spoken),
		AUDIT_TEST(a_lock_is_recorded_before_anybody_has_spoken),
		AUDIT_TEST(an_anchor_that_the_log_has_grown_beyond_agrees),
		AUDIT_TEST(a_log_that_an_anchor_is_ahead_of_or_beside_is_closed_for_good),
		AUDIT_TEST(an_anchor_of_a_repair_that_the_log_does_not_have_is_ahead_of_it),
		AUDIT_TEST(an_anchor_that_a_repair_gave_up_agrees_and_a_newer_one_does_not),
		AUDIT_TEST(a_grant_that_the_log_knows_as_revoked_gets_no_ack_also_after_a_restart),
		AUDIT_TEST(an_event_waits_until_the_anchors_agree_and_is_refused_by_another_log),
		AUDIT_TEST(what_waits_when_the_log_turns_out_to_be_another_is_refused),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
