/* Checkpoints in audit: when keyring is asked, what is taken from it, and who hears of it. */
#include "store/log_checkpoint.h"
#include "tests/actors/audit_rig.h"

#define OWN_ASK ((uint64_t)1 << 63)

static struct signer *delegate, *stranger;

static int
checkpoint_setup(void **state)
{
	fake_clock_set(1764496800000, 1000000);
	return setup(state) != 0 || signer_new(&delegate) != OK || signer_new(&stranger) != OK;
}

static int
checkpoint_teardown(void **state)
{
	signer_free(&delegate);
	signer_free(&stranger);
	fake_clock_off();
	return teardown(state);
}

/* What keyring was asked for; NULL: it was not. */
static const struct checkpoint_wanted_body *
wanted(void)
{
	const union any_body *b;

	assert_int_equal(rig_batch(a.r), OK);
	b = rig_expect(a.r, MSG_CHECKPOINT_WANTED);
	return b == NULL ? NULL : &b->checkpoint_wanted;
}

/* Keyring's answer to that ask, for that size and root, by that key. */
static void
answer_ask(uint64_t ask_id, const struct checkpoint_wanted_body *w, const struct signer *by, enum err e)
{
	struct checkpoint_signed_body answer = { .error = (uint16_t)e };
	struct log_note note = { .size = w->size };
	char text[LOG_NOTE_MADE_MAX + 1];

	log_key_origin(w->library, note.origin);
	memcpy(note.root, w->root, sizeof note.root);
	if (e == OK)
		answer.note = (struct span){ (const uint8_t *)text, log_note_sign(&note, by, text) };
	memcpy(answer.public_key, signer_public(by), sizeof answer.public_key);
	assert_int_equal(rig_deliver(a.r, MSG_CHECKPOINT_SIGNED, ACTOR_KEYRING, ask_id, &answer), OK);
}

/* To what it was asked last. */
static void
answer(const struct checkpoint_wanted_body *w, const struct signer *by, enum err e)
{
	answer_ask(rig_ask_id(a.r), w, by, e);
}

static void
say(enum msg type, uint64_t ask_id)
{
	assert_int_equal(rig_deliver(a.r, type, ACTOR_GRANTS, ask_id, &(struct nothing_body){ 0 }), OK);
}

static uint64_t
size_beside_the_log(void)
{
	struct log_checkpoint c;
	uint8_t log_public[SIGN_PUBLIC_LEN];
	enum err e = log_checkpoint_newest("audit", NULL, &c, log_public);
	uint64_t size;

	if (e == ERR_NOT_FOUND)
		return 0;
	assert_int_equal(e, OK);
	size = c.note.size;
	log_checkpoint_free(&c);
	return size;
}

static void
an_ordered_checkpoint_is_published_recorded_and_answered(void **state)
{
	const struct checkpoint_wanted_body *w;
	const union any_body *b;
	struct log_note note;
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	say(MSG_CHECKPOINT_ALLOWED, 77);
	assert_true(rig_silent(a.r));
	assert_non_null(w = wanted());
	assert_int_equal(w->size, size);
	assert_true(rig_ask_id(a.r) & OWN_ASK);
	answer(w, a.log_key, OK);
	assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_MADE));
	assert_int_equal(rig_ask_id(a.r), 77);
	assert_int_equal(b->checkpoint.error, OK);
	assert_int_equal(log_note_take(b->checkpoint.note, &note), OK);
	assert_int_equal(note.size, size);
	assert_int_equal(size_beside_the_log(), size);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(records_on_disk(), size + 1);
	assert_true(rig_silent(a.r));
	assert_int_not_equal(access("audit/delegate.pub", F_OK), 0);
}

static bool
keep_last(void *arg, const struct log_record *r)
{
	struct log_record *last = arg;

	*last = *r;
	return true;
}

static bool
expect_checkpoint(void *arg, const struct log_record *r)
{
	const uint64_t *size = arg;

	if (r->index == *size) {
		assert_int_equal(r->type, LOG_CHECKPOINT);
		assert_int_equal(r->length, *size);
		assert_int_equal(r->extra.len, 2 * SHA256_LEN);
	}
	return true;
}

static void
the_record_names_the_size_the_root_and_the_note(void **state)
{
	const struct checkpoint_wanted_body *w;
	struct log_record last;
	uint64_t size;

	(void)state;
	open_and_certify();
	say(MSG_CHECKPOINT_ALLOWED, 77);
	assert_non_null(w = wanted());
	size = w->size;
	answer(w, a.log_key, OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(log_walk("audit", size, expect_checkpoint, &size), OK);
	assert_int_equal(log_walk("audit", size, keep_last, &last), OK);
	assert_int_equal(last.index, size);
}

/* Keyring came back with the delegate alone, and stands behind the running epoch with it. */
static void
say_delegates_certificate(void)
{
	struct certificate_body body;
	uint8_t buf[CERT_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct delegation d;
	struct cert c;

	delegation_make(a.log_key, id(0x61), signer_public(delegate), &d);
	cert_make(delegate, &d, CERT_EPOCH, a.epoch, a.epoch_public, &c);
	cert_put(&o, &c);
	body.certificate = wire_written(&o);
	assert_int_equal(rig_deliver(a.r, MSG_EPOCH_CERTIFIED, ACTOR_KEYRING, 0, &body), OK);
	assert_int_equal(rig_batch(a.r), OK);
}

static void
one_of_a_delegate_that_the_log_does_not_know_is_not_published(void **state)
{
	const struct checkpoint_wanted_body *w;
	const union any_body *b;

	(void)state;
	open_and_certify();
	for (int i = 0; i < 2; i++) {
		say(MSG_CHECKPOINT_ALLOWED, 77);
		assert_non_null(w = wanted());
		answer(w, stranger, OK);
		assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_MADE));
		assert_int_equal(b->checkpoint.error, ERR_INTERNAL);
		say_delegates_certificate();
	}
	assert_int_equal(size_beside_the_log(), 0);
}

static void
a_delegate_has_its_certificate_in_the_log_once(void **state)
{
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	say_delegates_certificate();
	say_delegates_certificate();
	assert_int_equal(records_on_disk(), size + 1);
	certify();
	assert_int_equal(records_on_disk(), size + 1);
}

static void
one_that_a_delegate_signed_has_its_key_beside_it(void **state)
{
	const struct checkpoint_wanted_body *w;
	char origin[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];

	(void)state;
	open_and_certify();
	say_delegates_certificate();
	say(MSG_CHECKPOINT_ALLOWED, 77);
	assert_non_null(w = wanted());
	answer(w, delegate, OK);
	assert_non_null(rig_expect(a.r, MSG_CHECKPOINT_MADE));
	assert_true(size_beside_the_log() > 0);
	assert_int_equal(log_key_read("audit/delegate.pub", origin, key), OK);
	assert_memory_equal(key, signer_public(delegate), sizeof key);
}

static void
a_lock_hears_when_its_checkpoint_is_there_or_is_none(void **state)
{
	static const enum err answers[] = { OK, ERR_LOCKED };
	const struct checkpoint_wanted_body *w;
	const union any_body *b;

	(void)state;
	open_and_certify();
	for (size_t i = 0; i < 2; i++) {
		say(MSG_CHECKPOINT_DUE, 5);
		assert_non_null(w = wanted());
		answer(w, a.log_key, answers[i]);
		assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_OVER));
		assert_int_equal(rig_ask_id(a.r), 5);
		assert_int_equal(b->result.error, answers[i]);
	}
	assert_true(rig_silent(a.r));
}

static void
the_checkpoint_of_a_lock_covers_its_record(void **state)
{
	struct event_body lock = { .type = LOG_LOCK, .surface = SURFACE_OWNER, .subject_kind = LOG_TERMINAL };
	const struct checkpoint_wanted_body *w;
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	assert_int_equal(rig_deliver(a.r, MSG_EVENT_KEEP, ACTOR_GRANTS, 5, &lock), OK);
	say(MSG_CHECKPOINT_DUE, 5);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_EVENT_KEPT));
	expect_heads();
	assert_non_null(w = wanted());
	assert_int_equal(w->size, size + 1);
}

/* Another size, another root, another library, and a key that did not sign it. */
static void
what_was_not_asked_for_is_not_published(void **state)
{
	const union any_body *b;

	(void)state;
	open_and_certify();
	for (int i = 0; i < 4; i++) {
		struct checkpoint_wanted_body w;
		const struct checkpoint_wanted_body *said;

		say(MSG_CHECKPOINT_ALLOWED, 77);
		assert_non_null(said = wanted());
		w = *said;
		w.size += i == 0;
		w.root[0] ^= i == 1;
		w.library.b[0] ^= i == 2;
		if (i == 3) {
			struct checkpoint_signed_body bad = { .note = { (const uint8_t *)"memories/x\n1\n", 13 } };

			assert_int_equal(rig_deliver(a.r, MSG_CHECKPOINT_SIGNED, ACTOR_KEYRING, rig_ask_id(a.r), &bad), OK);
		} else {
			answer(&w, a.log_key, OK);
		}
		assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_MADE));
		assert_int_equal(b->checkpoint.error, ERR_INTERNAL);
		assert_int_equal(size_beside_the_log(), 0);
	}
}

static void
a_keyring_that_does_not_answer_is_not_waited_for_and_its_late_word_is_void(void **state)
{
	struct checkpoint_wanted_body w;
	const struct checkpoint_wanted_body *said;
	const union any_body *b;

	(void)state;
	open_and_certify();
	say(MSG_CHECKPOINT_ALLOWED, 77);
	assert_non_null(said = wanted());
	w = *said;
	fake_clock_advance(500);
	rig_tick(a.r, clock_mono());
	assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_MADE));
	assert_int_equal(b->checkpoint.error, ERR_TIMEOUT);
	answer(&w, a.log_key, OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(size_beside_the_log(), 0);
}

static void
who_asks_meanwhile_gets_the_next_one(void **state)
{
	struct checkpoint_wanted_body first;
	const struct checkpoint_wanted_body *w;

	(void)state;
	open_and_certify();
	say(MSG_CHECKPOINT_ALLOWED, 77);
	assert_non_null(w = wanted());
	first = *w;
	say(MSG_CHECKPOINT_DUE, 5);
	assert_null(wanted());
	answer(&first, a.log_key, OK);
	assert_non_null(rig_expect(a.r, MSG_CHECKPOINT_MADE));
	assert_non_null(w = wanted());
	assert_int_equal(w->size, first.size + 1);
	answer(w, a.log_key, OK);
	assert_non_null(rig_expect(a.r, MSG_CHECKPOINT_OVER));
}

static void
ten_minutes_of_activity_make_one_and_rest_makes_none(void **state)
{
	const struct checkpoint_wanted_body *w;

	(void)state;
	open_and_certify();
	fake_clock_advance(600000);
	rig_tick(a.r, clock_mono());
	rig_forget(a.r);
	assert_null(wanted());
	assert_int_equal(intend(1), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	rig_tick(a.r, clock_mono());
	rig_forget(a.r);
	assert_non_null(w = wanted());
	answer(w, a.log_key, OK);
	assert_int_equal(rig_batch(a.r), OK);
	for (int i = 0; i < 3; i++) {
		fake_clock_advance(600000);
		rig_tick(a.r, clock_mono());
		rig_forget(a.r);
		assert_null(wanted());
	}
}

static void
the_last_one_covers_all_that_there_is_and_then_the_process_stops(void **state)
{
	const struct checkpoint_wanted_body *w;
	uint64_t size;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	rig_leave(a.r);
	assert_false(world.stopped);
	assert_non_null(w = wanted());
	answer(w, a.log_key, OK);
	assert_true(world.stopped);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(records_on_disk(), size);
	assert_int_equal(size_beside_the_log(), size);
}

/* In one process the others still live while keyring signs. */
static void
what_is_recorded_while_the_last_one_is_signed_is_covered_and_nothing_is_delivered(void **state)
{
	struct event_body revoke = { .type = LOG_REVOKE, .surface = SURFACE_OWNER, .subject_kind = LOG_GRANT_ID, .subject = id(0x42) };
	const struct checkpoint_wanted_body *w;
	struct checkpoint_wanted_body first;
	uint64_t size, first_ask;

	(void)state;
	open_and_certify();
	size = records_on_disk();
	rig_leave(a.r);
	assert_non_null(w = wanted());
	first = *w;
	first_ask = rig_ask_id(a.r);
	assert_int_equal(intend(1), OK);
	assert_int_equal(refused(1), ERR_INTERRUPTED);
	assert_int_equal(tell(3, &revoke), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(kept(3), OK);
	expect_heads();
	answer_ask(first_ask, &first, a.log_key, OK);
	assert_false(world.stopped);
	assert_non_null(w = wanted());
	assert_int_equal(w->size, size + 1);
	answer(w, a.log_key, OK);
	assert_true(world.stopped);
	assert_int_equal(size_beside_the_log(), records_on_disk());
}

static void
a_keyring_without_keys_holds_no_stop_up(void **state)
{
	const struct checkpoint_wanted_body *w;

	(void)state;
	open_and_certify();
	rig_leave(a.r);
	assert_non_null(w = wanted());
	answer(w, a.log_key, ERR_LOCKED);
	assert_true(world.stopped);
}

static void
without_a_certified_log_the_process_stops_at_once(void **state)
{
	(void)state;
	rig_leave(a.r);
	assert_true(world.stopped);
	world.stopped = false;
	open_log();
	rig_leave(a.r);
	assert_true(world.stopped);
}

static void
without_a_log_there_is_none(void **state)
{
	const union any_body *b;

	(void)state;
	say(MSG_CHECKPOINT_DUE, 5);
	assert_null(wanted());
	assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_OVER));
	assert_int_equal(b->result.error, ERR_AUDIT_UNAVAILABLE);
}

static void
one_that_cannot_be_written_is_said_and_the_log_goes_on(void **state)
{
	const struct checkpoint_wanted_body *w;
	const union any_body *b;

	(void)state;
	open_and_certify();
	assert_int_equal(mkdir("audit/checkpoint.tmp", 0700), 0);
	say(MSG_CHECKPOINT_ALLOWED, 77);
	assert_non_null(w = wanted());
	answer(w, a.log_key, OK);
	assert_non_null(b = rig_expect(a.r, MSG_CHECKPOINT_MADE));
	assert_int_equal(b->checkpoint.error, ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(intend(1), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_AUDIT_ACK));
	assert_int_equal(rmdir("audit/checkpoint.tmp"), 0);
}

#define CHECKPOINT_TEST(f) cmocka_unit_test_setup_teardown(f, checkpoint_setup, checkpoint_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CHECKPOINT_TEST(an_ordered_checkpoint_is_published_recorded_and_answered),
		CHECKPOINT_TEST(the_record_names_the_size_the_root_and_the_note),
		CHECKPOINT_TEST(one_of_a_delegate_that_the_log_does_not_know_is_not_published),
		CHECKPOINT_TEST(a_delegate_has_its_certificate_in_the_log_once),
		CHECKPOINT_TEST(one_that_a_delegate_signed_has_its_key_beside_it),
		CHECKPOINT_TEST(a_lock_hears_when_its_checkpoint_is_there_or_is_none),
		CHECKPOINT_TEST(the_checkpoint_of_a_lock_covers_its_record),
		CHECKPOINT_TEST(what_was_not_asked_for_is_not_published),
		CHECKPOINT_TEST(a_keyring_that_does_not_answer_is_not_waited_for_and_its_late_word_is_void),
		CHECKPOINT_TEST(who_asks_meanwhile_gets_the_next_one),
		CHECKPOINT_TEST(ten_minutes_of_activity_make_one_and_rest_makes_none),
		CHECKPOINT_TEST(the_last_one_covers_all_that_there_is_and_then_the_process_stops),
		CHECKPOINT_TEST(what_is_recorded_while_the_last_one_is_signed_is_covered_and_nothing_is_delivered),
		CHECKPOINT_TEST(a_keyring_without_keys_holds_no_stop_up),
		CHECKPOINT_TEST(without_a_certified_log_the_process_stops_at_once),
		CHECKPOINT_TEST(without_a_log_there_is_none),
		CHECKPOINT_TEST(one_that_cannot_be_written_is_said_and_the_log_goes_on),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
