/* The keyring's part of search: which class key goes to the index, whose words go on, and what brings the result key. */
#include "escrow/index_ref.h"
#include "escrow/query.h"
#include "tests/actors/keyring_rig.h"

/* Search, as it would open what the keyring says to it. */
static void
search_channel(struct channel *out)
{
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_KEYRING, ACTOR_SEARCH), out), OK);
}

static void
ready(struct keyring_rig *k)
{
	const union any_body *b;

	keyring_rig_unlock(k);
	keyring_rig_meet_audit(k);
	rig_edge(k->r, ACTOR_SEARCH, true);
	assert_non_null(b = rig_expect(k->r, MSG_SEARCH_BOOT));
	assert_true(uuid_equal(b->one_id.id, k->boot));
}

static struct ruling_body
index_ruling(struct keyring_rig *k)
{
	return (struct ruling_body){ .ask = { .op = OP_SEARCH, .vault = k->vault, .boot = k->boot },
		.deadline_boot_ms = clock_mono().ms + 2000, .classes = 1u << CLASS_ORDINARY, .subject_kind = LOG_DAEMON,
		.wraps = keyring_rig_wraps(k, 1u << CLASS_ORDINARY) };
}

static enum err
index_refused(struct keyring_rig *k, struct ruling_body *r, bool sign)
{
	const union any_body *b;

	if (sign)
		ruling_mac(k->ruling_key, r, r->mac);
	assert_int_equal(rig_deliver(k->r, MSG_INDEX_WANTED, ACTOR_GRANTS, 9, r), OK);
	assert_non_null(b = rig_expect(k->r, MSG_INDEX_REFUSED));
	assert_true(rig_silent(k->r));
	return (enum err)b->result.error;
}

static void
the_index_gets_the_ordinary_class_key_inside_an_intent_and_nothing_else(void **state)
{
	struct keyring_rig *k = *state;
	struct ruling_body r;
	const union any_body *b;
	struct channel search;
	struct audit_ack *ack = NULL;
	struct key *class_key = NULL;
	uint8_t buf[INDEX_REF_LEN];
	struct ticket_terms terms;

	ready(k);
	r = index_ruling(k);
	ruling_mac(k->ruling_key, &r, r.mac);
	assert_int_equal(rig_deliver(k->r, MSG_INDEX_WANTED, ACTOR_GRANTS, 9, &r), OK);
	assert_non_null(b = rig_expect(k->r, MSG_INDEX_INTENT));
	assert_int_equal(b->intent.type, LOG_INDEX);
	assert_int_equal(b->intent.subject_kind, LOG_DAEMON);
	assert_true(uuid_equal(b->intent.vault, k->vault));
	search_channel(&search);
	terms = (struct ticket_terms){ .boot = k->boot, .client_ask = 9, .op = OP_SEARCH, .vault = k->vault,
		.refs = index_ref(CLASS_ORDINARY, buf) };
	assert_int_equal(ack_accept(&search, &terms, b->intent.ticket, &ack), OK);
	assert_int_equal(ack_revision_key(ack, &class_key), OK);
	assert_memory_equal(class_key->b, k->classes[CLASS_ORDINARY]->b, KEY_LEN);
	key_free(&class_key);
	ack_free(&ack);
	/* For another ask it is none, nor for the asker of a read. */
	terms.client_ask = 10;
	assert_int_equal(ack_accept(&search, &terms, b->intent.ticket, &ack), ERR_AUDIT_UNAVAILABLE);
	terms.client_ask = 9;
	assert_int_equal(ack_accept(&k->channel, &terms, b->intent.ticket, &ack), ERR_AUDIT_UNAVAILABLE);
	channel_free(&search);
	assert_true(rig_silent(k->r));
}

static void
an_index_ruling_is_for_the_daemon_and_the_ordinary_class_alone(void **state)
{
	struct keyring_rig *k = *state;
	struct ruling_body r;

	ready(k);
	r = index_ruling(k);
	r.subject_kind = LOG_TERMINAL;
	assert_int_equal(index_refused(k, &r, true), ERR_INTERNAL);
	r = index_ruling(k);
	r.classes = 1u << CLASS_ORDINARY | 1u << CLASS_PRIVATE;
	assert_int_equal(index_refused(k, &r, true), ERR_INTERNAL);
	r = index_ruling(k);
	r.wraps = keyring_rig_wraps(k, 1u << CLASS_PRIVATE);
	assert_int_equal(index_refused(k, &r, true), ERR_INTERNAL);
	r = index_ruling(k);
	r.ask.op = OP_READ;
	assert_int_equal(index_refused(k, &r, true), ERR_INTERNAL);
	r = index_ruling(k);
	assert_int_equal(index_refused(k, &r, false), ERR_INTERNAL);
	r = index_ruling(k);
	r.ask.boot = keyring_rig_id(0x99);
	assert_int_equal(index_refused(k, &r, true), ERR_INTERRUPTED);
	r = index_ruling(k);
	r.ask.vault = keyring_rig_id(0x12);
	assert_int_equal(index_refused(k, &r, true), ERR_STORAGE_CORRUPT);
}

static void
a_locked_keyring_and_one_without_a_log_give_the_index_nothing(void **state)
{
	struct keyring_rig *k = *state;
	struct ruling_body r = index_ruling(k);

	assert_int_equal(index_refused(k, &r, true), ERR_LOCKED);
	keyring_rig_unlock(k);
	rig_edge(k->r, ACTOR_AUDIT, false);
	r = index_ruling(k);
	assert_int_equal(index_refused(k, &r, true), ERR_AUDIT_UNAVAILABLE);
}

static const struct span words = { (const uint8_t *)"walrus", 6 };

/* The owner's query, boxed as a client does. */
static struct ruling_body
query_ruling(struct keyring_rig *k, uint8_t boxed[QUERY_TEXT_MAX + SEAL_OVERHEAD])
{
	struct ruling_body r = { .ask = { .boot = k->boot, .client_ask = ++k->n_asks, .op = OP_SEARCH, .surface = SURFACE_OWNER,
		.limit = 2 }, .deadline_boot_ms = clock_mono().ms + 2000, .subject_kind = LOG_TERMINAL, .subject = keyring_rig_id(0x77) };
	uint8_t buf[BINDING_MAX];

	memcpy(r.ask.opener, k->opener.public_key, 32);
	seal(k->channel.up->b, ask_binding(&r.ask, buf), words, boxed);
	r.ask.boxed_query = (struct span){ boxed, words.len + SEAL_OVERHEAD };
	return r;
}

static void
say(struct keyring_rig *k, enum msg type, struct ruling_body *r, bool sign)
{
	if (sign)
		ruling_mac(k->ruling_key, r, r->mac);
	assert_int_equal(rig_deliver(k->r, type, ACTOR_GRANTS, 7, r), OK);
}

static void
the_words_of_a_query_go_on_to_search_with_a_key_for_what_it_finds(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t boxed[QUERY_TEXT_MAX + SEAL_OVERHEAD], rows[64] = { 1 }, buf[INDEX_REF_LEN];
	struct found_rows_body found = { .n_rows = 2, .rows = { rows, sizeof rows } };
	const union any_body *b;
	struct channel search;
	struct key *result = NULL, *again = NULL;
	struct secret *text = NULL;
	struct audit_ack *ack = NULL;
	struct ruling_body r;
	struct ticket_terms terms;

	ready(k);
	search_channel(&search);
	r = query_ruling(k, boxed);
	say(k, MSG_QUERY_WANTED, &r, true);
	assert_non_null(b = rig_expect(k->r, MSG_QUERY));
	assert_true(rig_silent(k->r));
	assert_int_equal(query_open(search.down, 7, r.mac, b->query.sealed, &result, &text), OK);
	assert_int_equal(secret_len(text), words.len);
	assert_memory_equal(secret_view(text), words.p, words.len);
	found.ruling = r;
	assert_int_equal(rig_deliver(k->r, MSG_FOUND_KEY_WANTED, ACTOR_SEARCH, 7, &found), OK);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(b->intent.type, LOG_INTENT);
	assert_int_equal(b->intent.op, OP_SEARCH);
	assert_int_equal(b->intent.n_rows, 2);
	assert_memory_equal(b->intent.rows.p, rows, sizeof rows);
	terms = (struct ticket_terms){ .boot = k->boot, .client_ask = r.ask.client_ask, .op = OP_SEARCH, .limit = 2,
		.refs = index_ref_found(buf) };
	assert_int_equal(ack_accept(&k->channel, &terms, b->intent.ticket, &ack), OK);
	assert_int_equal(ack_revision_key(ack, &again), OK);
	assert_memory_equal(again->b, result->b, KEY_LEN);
	ack_free(&ack);
	key_free(&again);
	key_free(&result);
	secret_free(&text);
	channel_free(&search);
	assert_true(rig_silent(k->r));
}

/* The scope stands in what the MAC covers, as all of a ruling does. */
static void
a_scope_that_was_widened_on_the_way_brings_nothing(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t boxed[QUERY_TEXT_MAX + SEAL_OVERHEAD], two[2 * UUID_LEN] = { 1 };
	struct found_rows_body found = { .n_rows = 0 };
	struct ruling_body r;

	ready(k);
	r = query_ruling(k, boxed);
	r.vaults = (struct span){ two, UUID_LEN };
	ruling_mac(k->ruling_key, &r, r.mac);
	r.vaults.len = 2 * UUID_LEN;
	say(k, MSG_QUERY_WANTED, &r, false);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	r.vaults.len = 0;
	say(k, MSG_QUERY_WANTED, &r, false);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	found.ruling = r;
	assert_int_equal(rig_deliver(k->r, MSG_FOUND_KEY_WANTED, ACTOR_SEARCH, 7, &found), OK);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	/* A grant's search is never over all. */
	r = query_ruling(k, boxed);
	r.grant = keyring_rig_id(0x41);
	r.grant_type = GRANT_ORDINARY;
	r.subject_kind = LOG_GRANT_ID;
	say(k, MSG_QUERY_WANTED, &r, true);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
}

static void
no_result_key_leaves_for_more_rows_than_were_asked_for_or_are_named(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t boxed[QUERY_TEXT_MAX + SEAL_OVERHEAD], rows[96] = { 1 };
	struct found_rows_body found = { .n_rows = 3, .rows = { rows, sizeof rows } };

	ready(k);
	found.ruling = query_ruling(k, boxed);
	ruling_mac(k->ruling_key, &found.ruling, found.ruling.mac);
	assert_int_equal(rig_deliver(k->r, MSG_FOUND_KEY_WANTED, ACTOR_SEARCH, 7, &found), OK);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	found.n_rows = 2;
	assert_int_equal(rig_deliver(k->r, MSG_FOUND_KEY_WANTED, ACTOR_SEARCH, 7, &found), OK);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	found.rows.len = 64;
	fake_clock_advance(3000);
	assert_int_equal(rig_deliver(k->r, MSG_FOUND_KEY_WANTED, ACTOR_SEARCH, 7, &found), OK);
	assert_int_equal(keyring_rig_refused(k), ERR_AUDIT_TIMEOUT);
}

static void
words_that_are_missing_or_boxed_for_another_ask_are_refused(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t boxed[QUERY_TEXT_MAX + SEAL_OVERHEAD];
	struct ruling_body r;

	ready(k);
	r = query_ruling(k, boxed);
	r.ask.boxed_query.len = 0;
	say(k, MSG_QUERY_WANTED, &r, true);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERRUPTED);
	r = query_ruling(k, boxed);
	r.ask.limit = 3;
	say(k, MSG_QUERY_WANTED, &r, true);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_ARGUMENT);
	r = query_ruling(k, boxed);
	boxed[30] ^= 1;
	say(k, MSG_QUERY_WANTED, &r, true);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_ARGUMENT);
	rig_edge(k->r, ACTOR_SEARCH, false);
	r = query_ruling(k, boxed);
	say(k, MSG_QUERY_WANTED, &r, true);
	assert_int_equal(keyring_rig_refused(k), ERR_SEARCH_WARMING);
}

/* The query of a grant, whose token's half must open its vault's wraps. */
static void
the_half_of_a_grants_token_must_be_right(void **state)
{
	struct keyring_rig *k = *state;
	struct uuid grant = keyring_rig_id(0x41);
	struct key_binding binding = bind_grant_class(grant, k->vault, CLASS_ORDINARY);
	struct wrap_body w = { .key_class = CLASS_ORDINARY };
	uint8_t boxed[QUERY_TEXT_MAX + SEAL_OVERHEAD], half_box[SEALED_KEY_LEN], wraps[128], buf[BINDING_MAX];
	struct wire_out o = wire_out(wraps, sizeof wraps);
	struct key *half = NULL, *over = NULL, *wrong = NULL;
	struct ruling_body r;

	ready(k);
	assert_int_equal(key_random(&half), OK);
	assert_int_equal(key_random(&wrong), OK);
	assert_int_equal(key_new(&over), OK);
	assert_int_equal(keyring_grant_key(rig_self(k->r), GRANT_ORDINARY, half, grant, over), OK);
	key_seal(over, key_binding_span(&binding), k->classes[CLASS_ORDINARY], w.sealed);
	wrap_body_put(&o, &w);
	for (int right = 0; right < 2; right++) {
		r = query_ruling(k, boxed);
		r.grant = r.subject = grant;
		r.grant_type = GRANT_ORDINARY;
		r.subject_kind = LOG_GRANT_ID;
		r.vaults = (struct span){ k->vault.b, UUID_LEN };
		r.wraps = wire_written(&o);
		key_seal(k->channel.up, ask_binding(&r.ask, buf), right ? half : wrong, half_box);
		r.ask.boxed_half = (struct span){ half_box, SEALED_KEY_LEN };
		say(k, MSG_QUERY_WANTED, &r, true);
		if (right)
			assert_non_null(rig_expect(k->r, MSG_QUERY));
		else
			assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	}
	key_free(&half);
	key_free(&wrong);
	key_free(&over);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KEYRING_TEST(the_index_gets_the_ordinary_class_key_inside_an_intent_and_nothing_else),
		KEYRING_TEST(an_index_ruling_is_for_the_daemon_and_the_ordinary_class_alone),
		KEYRING_TEST(a_locked_keyring_and_one_without_a_log_give_the_index_nothing),
		KEYRING_TEST(the_words_of_a_query_go_on_to_search_with_a_key_for_what_it_finds),
		KEYRING_TEST(a_scope_that_was_widened_on_the_way_brings_nothing),
		KEYRING_TEST(no_result_key_leaves_for_more_rows_than_were_asked_for_or_are_named),
		KEYRING_TEST(words_that_are_missing_or_boxed_for_another_ask_are_refused),
		KEYRING_TEST(the_half_of_a_grants_token_must_be_right),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
