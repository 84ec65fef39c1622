/* When what the profile found is opened in the HTTP process, when it never is, and how else an ask ends. */
#include "escrow/keys.h"
#include "escrow/random.h"
#include "tests/actors/http_ask_rig.h"

static struct key *
new_key(void)
{
	struct key *k = NULL;

	assert_int_equal(key_random(&k), OK);
	return k;
}

static void
an_ask_is_boxed_for_the_keyring_and_says_whose_token(void **state)
{
	struct ask_rig *r = *state;
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);
	struct channel c = { NULL, NULL };
	uint8_t plain[512], buf[BINDING_MAX];

	assert_int_equal(ask.body.surface, SURFACE_HTTP);
	assert_int_equal(ask.body.grant_type, GRANT_CONNECTION);
	assert_int_equal(ask.body.token_id[31], 7);
	assert_true(uuid_equal(ask.body.boot, r->boot));
	assert_int_equal(channel_of_boot(&r->boot_pair, ask.body.opener, &c), OK);
	assert_int_equal(seal_open(c.up->b, ask_binding(&ask.body, buf), (struct span){ ask.boxed, ask.boxed_len }, plain), OK);
	assert_memory_equal(plain, "{\"do\":\"context\"}", 16);
	channel_free(&c);
}

/* In whichever order the two halves come. */
static void
what_was_found_is_opened_with_its_ack(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

	ask_rig_found(r, ask.id, result);
	assert_int_equal(r->n_ended, 0);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .outside = false });
	assert_int_equal(r->n_ended, 1);
	assert_int_equal(r->error, OK);
	assert_string_equal(r->result, RIG_RESULT);
	ask = ask_rig_ask(r, OP_PROFILE_SEARCH);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .outside = false });
	assert_int_equal(r->n_ended, 1);
	ask_rig_found(r, ask.id, result);
	assert_int_equal(r->n_ended, 2);
	assert_string_equal(r->result, RIG_RESULT);
	/* It has ended: neither half means anything any more. */
	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .outside = false });
	assert_int_equal(r->n_ended, 2);
	key_free(&result);
}

static void
without_an_ack_nothing_is_opened(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

	ask_rig_found(r, ask.id, result);
	fake_clock_set(1764496800000, 100000 + HTTP_ASK_MS - 1);
	http_asks_tick(r->asks, clock_mono(), r->out);
	assert_int_equal(r->n_ended, 0);
	fake_clock_set(1764496800000, 100000 + HTTP_ASK_MS);
	http_asks_tick(r->asks, clock_mono(), r->out);
	assert_int_equal(r->n_ended, 1);
	assert_int_equal(r->error, ERR_AUDIT_TIMEOUT);
	assert_string_equal(r->result, "");
	key_free(&result);
}

/* Ends with that error and without a result. */
static void
expect_unopened(struct ask_rig *r, struct rig_ack how, enum err why)
{
	struct key *result = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);
	unsigned before = r->n_ended;

	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, how);
	assert_int_equal(r->n_ended, before + 1);
	assert_int_equal(r->error, why);
	assert_string_equal(r->result, "");
	key_free(&result);
}

static void
an_ack_of_another_ask_opens_nothing(void **state)
{
	struct ask_rig *r = *state;
	struct rig_ask other = ask_rig_ask(r, OP_PROFILE_READ);
	struct ask_body bent;

	expect_unopened(r, (struct rig_ack){ .ticket_of = &other.body }, ERR_AUDIT_UNAVAILABLE);
	bent = other.body;
	bent.client_ask += 2;
	bent.op = OP_PROFILE_SEARCH;
	expect_unopened(r, (struct rig_ack){ .ticket_of = &bent }, ERR_AUDIT_UNAVAILABLE);
	expect_unopened(r, (struct rig_ack){ .no_ticket = true }, ERR_AUDIT_UNAVAILABLE);
}

static void
an_ack_for_another_opener_or_boot_opens_nothing(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct key_pair stranger;
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);
	struct ask_body bent = ask.body;

	assert_int_equal(key_pair_new(&stranger), OK);
	memcpy(bent.opener, stranger.public_key, 32);
	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .ticket_of = &bent });
	assert_int_equal(r->error, ERR_AUDIT_UNAVAILABLE);
	ask = ask_rig_ask(r, OP_PROFILE_READ);
	bent = ask.body;
	bent.boot.b[3] ^= 1;
	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .ticket_of = &bent });
	assert_int_equal(r->error, ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(r->n_ended, 2);
	assert_string_equal(r->result, "");
	key_pair_free(&stranger);
	key_free(&result);
}

static void
an_ack_of_before_is_no_ack_of_now(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask first = ask_rig_ask(r, OP_PROFILE_READ), second;

	ask_rig_found(r, first.id, result);
	ask_rig_ack(r, &first, result, (struct rig_ack){ .outside = false });
	assert_int_equal(r->error, OK);
	second = ask_rig_ask(r, OP_PROFILE_READ);
	ask_rig_found(r, second.id, result);
	ask_rig_ack(r, &second, result, (struct rig_ack){ .ticket_of = &first.body });
	assert_int_equal(r->n_ended, 2);
	assert_int_equal(r->error, ERR_AUDIT_UNAVAILABLE);
	key_free(&result);
}

static void
a_key_that_does_not_fit_what_was_found_opens_nothing(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key(), *other = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

	ask_rig_found(r, ask.id, other);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .outside = false });
	assert_int_equal(r->error, ERR_STORAGE_CORRUPT);
	key_free(&result);
	key_free(&other);
}

static void
a_receipt_that_does_not_hold_opens_nothing(void **state)
{
	struct ask_rig *r = *state;

	expect_unopened(r, (struct rig_ack){ .signed_by = r->other_key }, ERR_AUDIT_UNAVAILABLE);
	expect_unopened(r, (struct rig_ack){ .outside = true }, ERR_AUDIT_UNAVAILABLE);
	/* One that held is remembered, and does not let another through. */
	expect_unopened(r, (struct rig_ack){ .no_ticket = true }, ERR_AUDIT_UNAVAILABLE);
	expect_unopened(r, (struct rig_ack){ .signed_by = r->other_key }, ERR_AUDIT_UNAVAILABLE);
}

static void
a_receipt_of_a_new_epoch_waits_until_the_keyring_has_named_it(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);
	struct uuid next = ask_rig_id(0x72);

	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .epoch = next });
	assert_int_equal(r->n_ended, 0);
	ask_rig_boot(r, r->log_key, r->log_key);
	assert_int_equal(r->n_ended, 0);
	r->epoch = next;
	ask_rig_boot(r, r->log_key, r->other_key);
	assert_int_equal(r->n_ended, 0);
	ask_rig_boot(r, r->log_key, r->log_key);
	assert_int_equal(r->n_ended, 1);
	assert_int_equal(r->error, OK);
	assert_string_equal(r->result, RIG_RESULT);
	key_free(&result);
}

static void
a_receipt_that_held_holds_only_while_its_epoch_is_believed(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .no_ticket = false });
	assert_int_equal(r->n_ended, 1);
	ask_rig_boot(r, r->log_key, r->other_key);
	ask = ask_rig_ask(r, OP_PROFILE_READ);
	ask_rig_found(r, ask.id, result);
	ask_rig_ack(r, &ask, result, (struct rig_ack){ .no_ticket = false });
	assert_int_equal(r->n_ended, 1);
	ask_rig_boot(r, r->log_key, r->log_key);
	assert_int_equal(r->n_ended, 2);
	assert_int_equal(r->error, OK);
	key_free(&result);
}

static void
a_keyring_that_nobody_vouches_for_is_asked_nothing(void **state)
{
	struct ask_rig *r = *state;

	ask_rig_boot(r, NULL, r->log_key);
	assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), ERR_INTERRUPTED);
	ask_rig_boot(r, r->other_key, r->log_key);
	assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), ERR_INTERRUPTED);
	ask_rig_boot(r, r->log_key, r->log_key);
	assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), OK);
}

static void
who_has_to_be_asked_must_be_there(void **state)
{
	struct ask_rig *r = *state;

	http_asks_on_edge(r->asks, ACTOR_PROFILE, false, r->out);
	assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), ERR_INTERRUPTED);
	http_asks_on_edge(r->asks, ACTOR_PROFILE, true, r->out);
	http_asks_on_edge(r->asks, ACTOR_AUDIT, false, r->out);
	assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), ERR_AUDIT_UNAVAILABLE);
}

static void
each_refusal_ends_the_ask_and_is_recorded_if_the_token_was_right(void **state)
{
	struct ask_rig *r = *state;
	static const struct {
		enum msg type;
		enum err why;
	} refusals[] = {
		{ MSG_HTTP_DENIED, ERR_INSUFFICIENT_SCOPE }, { MSG_HTTP_KEYS_REFUSED, ERR_LOCKED },
		{ MSG_HTTP_QUERY_REFUSED, ERR_CONFLICT }, { MSG_HTTP_INTENT_REFUSED, ERR_AUDIT_FULL },
	};
	const union any_body *b;
	uint64_t none;

	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

		ask_rig_refuse(r, refusals[i].type, ask.id, refusals[i].why, true, "the words");
		assert_int_equal(r->n_ended, i + 1);
		assert_int_equal(r->error, refusals[i].why);
		assert_string_equal(r->said, "the words");
		assert_non_null(b = ask_rig_next(r, MSG_HTTP_REFUSAL_NOTED, &none));
		assert_int_equal(b->noted.error, refusals[i].why);
		assert_int_equal(b->noted.surface, SURFACE_HTTP);
		assert_int_equal(b->noted.subject_kind, LOG_CONNECTION_ID);
		assert_int_equal(b->noted.op, OP_PROFILE_READ);
	}
}

static void
tokens_that_nobody_knows_are_counted_for_a_minute(void **state)
{
	struct ask_rig *r = *state;
	const union any_body *b;
	uint64_t none;

	for (unsigned i = 0; i < 3; i++) {
		struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

		ask_rig_refuse(r, MSG_HTTP_DENIED, ask.id, ERR_INVALID_TOKEN, false, "");
	}
	http_asks_tick(r->asks, clock_mono(), r->out);
	assert_null(ask_rig_next(r, MSG_HTTP_REFUSAL_NOTED, &none));
	http_asks_tick(r->asks, (struct mono_ms){ clock_mono().ms + 60000 }, r->out);
	assert_non_null(b = ask_rig_next(r, MSG_HTTP_REFUSAL_NOTED, &none));
	assert_int_equal(b->noted.count, 3);
	assert_int_equal(b->noted.error, ERR_INVALID_TOKEN);
	assert_int_equal(b->noted.subject_kind, LOG_NOBODY);
}

static void
a_read_is_asked_once_more_of_a_keyring_that_started_anew(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ), again;

	ask_rig_refuse(r, MSG_HTTP_KEYS_REFUSED, ask.id, ERR_INTERRUPTED, true, "");
	assert_int_equal(r->n_ended, 0);
	ask_rig_another_boot(r);
	again = ask_rig_take(r);
	assert_true(uuid_equal(again.body.boot, r->boot));
	assert_true(again.id != ask.id && again.body.client_ask != ask.body.client_ask);
	/* What still comes of the first is for nobody. */
	ask_rig_found(r, ask.id, result);
	ask_rig_found(r, again.id, result);
	ask_rig_ack(r, &again, result, (struct rig_ack){ .outside = false });
	assert_int_equal(r->n_ended, 1);
	assert_string_equal(r->result, RIG_RESULT);
	key_free(&result);
}

static void
a_keyring_that_started_anew_is_asked_when_somebody_vouches_for_it(void **state)
{
	struct ask_rig *r = *state;
	struct rig_ask first = ask_rig_ask(r, OP_PROFILE_READ), again;

	(void)ask_rig_ask(r, OP_PROFILE_READ);
	r->boot.b[0]++;
	ask_rig_boot(r, NULL, r->log_key);
	ask_rig_refuse(r, MSG_HTTP_KEYS_REFUSED, first.id, ERR_INTERRUPTED, true, "");
	assert_int_equal(r->next, outbox_count(r->out));
	ask_rig_boot(r, r->log_key, r->log_key);
	for (unsigned i = 0; i < 2; i++) {
		again = ask_rig_take(r);
		assert_true(uuid_equal(again.body.boot, r->boot));
	}
	/* It has them; its next word changes nothing. */
	ask_rig_boot(r, r->log_key, r->log_key);
	assert_int_equal(r->next, outbox_count(r->out));
	assert_int_equal(r->n_ended, 0);
}

static void
the_other_boot_may_be_known_before_the_refusal_comes(void **state)
{
	struct ask_rig *r = *state;
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_READ);

	ask_rig_another_boot(r);
	(void)ask_rig_take(r);
	ask_rig_refuse(r, MSG_HTTP_KEYS_REFUSED, ask.id, ERR_INTERRUPTED, true, "");
	assert_int_equal(r->n_ended, 0);
	/* There is no third time. */
	ask_rig_another_boot(r);
	assert_int_equal(r->next, outbox_count(r->out));
	fake_clock_set(1764496800000, 100000 + HTTP_ASK_MS);
	http_asks_tick(r->asks, clock_mono(), r->out);
	assert_int_equal(r->n_ended, 1);
	assert_int_equal(r->error, ERR_TIMEOUT);
}

static void
a_proposal_is_never_asked_again(void **state)
{
	struct ask_rig *r = *state;
	struct rig_ask ask = ask_rig_ask(r, OP_PROFILE_PROPOSE);

	ask_rig_another_boot(r);
	assert_int_equal(r->next, outbox_count(r->out));
	fake_clock_set(1764496800000, 100000 + HTTP_ASK_MS);
	http_asks_tick(r->asks, clock_mono(), r->out);
	assert_int_equal(r->n_ended, 1);
	assert_int_equal(r->error, ERR_TIMEOUT);
	assert_non_null(strstr(r->said, "not known"));
	ask = ask_rig_ask(r, OP_PROFILE_CORRECT);
	ask_rig_refuse(r, MSG_HTTP_KEYS_REFUSED, ask.id, ERR_INTERRUPTED, false, "");
	assert_int_equal(r->n_ended, 2);
	assert_int_equal(r->error, ERR_INTERRUPTED);
}

static void
a_lost_edge_ends_what_waits_for_it(void **state)
{
	struct ask_rig *r = *state;
	struct key *result = new_key();
	struct rig_ask found, waiting;

	found = ask_rig_ask(r, OP_PROFILE_READ);
	ask_rig_found(r, found.id, result);
	waiting = ask_rig_ask(r, OP_PROFILE_READ);
	(void)waiting;
	http_asks_on_edge(r->asks, ACTOR_PROFILE, false, r->out);
	assert_int_equal(r->n_ended, 1);
	assert_int_equal(r->error, ERR_INTERRUPTED);
	http_asks_on_edge(r->asks, ACTOR_AUDIT, false, r->out);
	assert_int_equal(r->n_ended, 2);
	assert_int_equal(r->error, ERR_AUDIT_UNAVAILABLE);
	key_free(&result);
}

static void
asks_in_flight_have_a_limit(void **state)
{
	struct ask_rig *r = *state;

	for (unsigned i = 0; i < HTTP_ASKS_MAX; i++)
		assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), OK);
	assert_int_equal(ask_rig_begin(r, OP_PROFILE_READ), ERR_BUSY);
	http_asks_on_edge(r->asks, ACTOR_GRANTS, false, r->out);
	assert_int_equal(r->n_ended, HTTP_ASKS_MAX);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, ask_rig_setup, ask_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_ask_is_boxed_for_the_keyring_and_says_whose_token),
		CASE(what_was_found_is_opened_with_its_ack),
		CASE(without_an_ack_nothing_is_opened),
		CASE(an_ack_of_another_ask_opens_nothing),
		CASE(an_ack_for_another_opener_or_boot_opens_nothing),
		CASE(an_ack_of_before_is_no_ack_of_now),
		CASE(a_key_that_does_not_fit_what_was_found_opens_nothing),
		CASE(a_receipt_that_does_not_hold_opens_nothing),
		CASE(a_receipt_of_a_new_epoch_waits_until_the_keyring_has_named_it),
		CASE(a_receipt_that_held_holds_only_while_its_epoch_is_believed),
		CASE(a_keyring_that_nobody_vouches_for_is_asked_nothing),
		CASE(who_has_to_be_asked_must_be_there),
		CASE(each_refusal_ends_the_ask_and_is_recorded_if_the_token_was_right),
		CASE(tokens_that_nobody_knows_are_counted_for_a_minute),
		CASE(a_read_is_asked_once_more_of_a_keyring_that_started_anew),
		CASE(a_keyring_that_started_anew_is_asked_when_somebody_vouches_for_it),
		CASE(the_other_boot_may_be_known_before_the_refusal_comes),
		CASE(a_proposal_is_never_asked_again),
		CASE(a_lost_edge_ends_what_waits_for_it),
		CASE(asks_in_flight_have_a_limit),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
