/* The keyring and the profile: who gets its key, which rulings about it pass, and by which door the key to an answer goes. */
#include "escrow/index_ref.h"
#include "escrow/query.h"
#include "tests/actors/keyring_rig.h"

static void
profile_channel(struct channel *out)
{
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_KEYRING, ACTOR_PROFILE), out), OK);
}

static struct library_body
library_of(const struct keyring_rig *k)
{
	return (struct library_body){ .library = k->library };
}

/* The profile's key, sealed as grants keeps it. */
static void
make(struct keyring_rig *k, struct profile_open_body *open)
{
	struct library_body b = library_of(k);
	const union any_body *made;

	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_KEY_MAKE, ACTOR_GRANTS, 5, &b), OK);
	assert_non_null(made = rig_expect(k->r, MSG_PROFILE_KEY_MADE));
	*open = (struct profile_open_body){ .library = k->library };
	memcpy(open->sealed, made->profile_key.sealed, sizeof open->sealed);
}

static enum err
not_opened(struct keyring_rig *k, const struct profile_open_body *open)
{
	const union any_body *b;

	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_OPEN, ACTOR_GRANTS, 6, open), OK);
	assert_non_null(b = rig_expect(k->r, MSG_PROFILE_NOT_OPENED));
	assert_true(rig_silent(k->r));
	return (enum err)b->result.error;
}

static void
ready(struct keyring_rig *k)
{
	struct profile_open_body open;
	const union any_body *b;

	keyring_rig_unlock(k);
	keyring_rig_meet_audit(k);
	rig_edge(k->r, ACTOR_HTTP, true);
	assert_non_null(b = rig_expect(k->r, MSG_HTTP_BOOT));
	assert_true(uuid_equal(b->boot.boot, k->boot));
	rig_edge(k->r, ACTOR_PROFILE, true);
	make(k, &open);
	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_OPEN, ACTOR_GRANTS, 6, &open), OK);
	assert_non_null(rig_expect(k->r, MSG_PROFILE_KEY));
	assert_true(rig_silent(k->r));
}

static void
its_key_is_made_under_the_root_and_goes_to_the_profile_alone(void **state)
{
	struct keyring_rig *k = *state;
	struct profile_open_body open = { .library = k->library };
	struct library_body library = library_of(k);
	struct key_binding kept = bind_profile(k->library), way = bind_profile_way(6), other_way = bind_profile_way(7);
	struct channel profile;
	struct key *a = NULL, *b = NULL;
	const union any_body *boxed;

	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_KEY_MAKE, ACTOR_GRANTS, 5, &library), OK);
	assert_non_null(boxed = rig_expect(k->r, MSG_KEYS_NOT_MADE));
	assert_int_equal(boxed->result.error, ERR_LOCKED);
	keyring_rig_unlock(k);
	make(k, &open);
	assert_int_equal(not_opened(k, &open), ERR_INTERRUPTED);
	rig_edge(k->r, ACTOR_PROFILE, true);
	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_OPEN, ACTOR_GRANTS, 6, &open), OK);
	assert_non_null(boxed = rig_expect(k->r, MSG_PROFILE_KEY));
	assert_int_equal(rig_ask_id(k->r), 6);
	profile_channel(&profile);
	assert_int_equal(key_new(&a), OK);
	assert_int_equal(key_new(&b), OK);
	assert_int_equal(key_open(profile.down, key_binding_span(&way), boxed->profile_boxed.boxed, a), OK);
	assert_int_equal(key_open(profile.down, key_binding_span(&other_way), boxed->profile_boxed.boxed, b), ERR_STORAGE_CORRUPT);
	assert_int_equal(key_open(k->root, key_binding_span(&kept), open.sealed, b), OK);
	assert_memory_equal(a->b, b->b, KEY_LEN);
	key_free(&a);
	key_free(&b);
	channel_free(&profile);
	/* Of another library it is none. */
	open.library = keyring_rig_id(0x52);
	assert_int_equal(not_opened(k, &open), ERR_STORAGE_CORRUPT);
}

static const struct span request = { (const uint8_t *)"{\"do\":\"context\"}", 16 };

static struct ruling_body
ruling_of(struct keyring_rig *k, enum op op, struct span words, uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD])
{
	bool owner = op == OP_PROFILE_LIST || op == OP_PROFILE_CHANGE;
	struct ruling_body r = { .ask = { .boot = k->boot, .client_ask = ++k->n_asks, .op = (uint8_t)op,
		.surface = owner ? SURFACE_OWNER : SURFACE_HTTP, .limit = 2, .grant_type = owner ? 0 : GRANT_CONNECTION },
		.deadline_boot_ms = clock_mono().ms + 2000, .subject_kind = owner ? LOG_TERMINAL : LOG_CONNECTION_ID,
		.subject = keyring_rig_id(0x77), .grant_type = owner ? 0 : GRANT_CONNECTION, .scopes = SCOPES_ALL,
		.categories = CATEGORIES_SHAREABLE };
	uint8_t buf[BINDING_MAX];

	if (!owner)
		r.grant = r.subject;
	memcpy(r.ask.opener, k->opener.public_key, 32);
	seal(k->channel.up->b, ask_binding(&r.ask, buf), words, boxed);
	r.ask.boxed_query = (struct span){ boxed, words.len + SEAL_OVERHEAD };
	return r;
}

static void
say(struct keyring_rig *k, struct ruling_body *r)
{
	ruling_mac(k->ruling_key, r, r->mac);
	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_WANTED, ACTOR_GRANTS, 7, r), OK);
}

static enum err
refused(struct keyring_rig *k, struct ruling_body *r)
{
	const union any_body *b;

	say(k, r);
	b = rig_expect(k->r, r->ask.surface == SURFACE_HTTP ? MSG_HTTP_KEYS_REFUSED : MSG_KEYS_REFUSED);
	assert_non_null(b);
	assert_true(rig_silent(k->r));
	return (enum err)b->refusal.error;
}

static void
passes(struct keyring_rig *k, enum op op, enum msg intent)
{
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD];
	uint8_t rows[32] = { 1 }, buf[INDEX_REF_LEN];
	struct ruling_body r = ruling_of(k, op, request, boxed);
	struct found_rows_body found = { .n_rows = 1, .rows = { rows, sizeof rows } };
	struct channel profile;
	struct ticket_terms terms;
	struct key *result = NULL, *again = NULL;
	struct secret *text = NULL;
	struct audit_ack *ack = NULL;
	const union any_body *b;

	profile_channel(&profile);
	say(k, &r);
	assert_non_null(b = rig_expect(k->r, MSG_PROFILE_QUERY));
	assert_int_equal(query_open(profile.down, 7, r.mac, b->query.sealed, &result, &text), OK);
	assert_int_equal(secret_len(text), request.len);
	assert_memory_equal(secret_view(text), request.p, request.len);
	found.ruling = r;
	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_KEY_WANTED, ACTOR_PROFILE, 7, &found), OK);
	assert_non_null(b = rig_expect(k->r, intent));
	assert_int_equal(b->intent.type, LOG_INTENT);
	assert_int_equal(b->intent.op, op);
	assert_int_equal(b->intent.subject_kind, r.subject_kind);
	assert_true(uuid_equal(b->intent.subject, r.subject));
	assert_int_equal(b->intent.n_rows, 1);
	terms = (struct ticket_terms){ .boot = k->boot, .client_ask = r.ask.client_ask, .op = op, .limit = 2,
		.refs = index_ref_found(buf) };
	assert_int_equal(ack_accept(&k->channel, &terms, b->intent.ticket, &ack), OK);
	assert_int_equal(ack_revision_key(ack, &again), OK);
	assert_memory_equal(again->b, result->b, KEY_LEN);
	ack_free(&ack);
	key_free(&again);
	key_free(&result);
	secret_free(&text);
	channel_free(&profile);
	assert_true(rig_silent(k->r));
}

static void
a_request_goes_on_to_the_profile_and_its_key_to_the_door_that_asked(void **state)
{
	struct keyring_rig *k = *state;

	ready(k);
	passes(k, OP_PROFILE_LIST, MSG_AUDIT_INTENT);
	passes(k, OP_PROFILE_CHANGE, MSG_AUDIT_INTENT);
	passes(k, OP_PROFILE_READ, MSG_HTTP_INTENT);
	passes(k, OP_PROFILE_SEARCH, MSG_HTTP_INTENT);
	passes(k, OP_PROFILE_PROPOSE, MSG_HTTP_INTENT);
	passes(k, OP_PROFILE_CORRECT, MSG_HTTP_INTENT);
}

/* The profile is not told of it, and has its key still. */
static void
unlocking_once_more_closes_nothing(void **state)
{
	struct keyring_rig *k = *state;

	ready(k);
	keyring_rig_unlock(k);
	rig_forget(k->r);
	passes(k, OP_PROFILE_READ, MSG_HTTP_INTENT);
	passes(k, OP_PROFILE_LIST, MSG_AUDIT_INTENT);
}

static void
a_connections_ruling_is_for_what_a_connection_may_ask_over_http_and_for_nothing_else(void **state)
{
	struct keyring_rig *k = *state;
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD];
	struct ruling_body r;

	ready(k);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.ask.op = OP_PROFILE_CHANGE;
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.ask.surface = SURFACE_OWNER;
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.grant_type = GRANT_ORDINARY;
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.categories = 1u << CATEGORY_HEALTH;
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.wraps = keyring_rig_wraps(k, 1u << CLASS_ORDINARY);
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_LIST, request, boxed);
	r.ask.surface = SURFACE_HTTP;
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_LIST, request, boxed);
	r.ask.op = OP_PROFILE_READ;
	assert_int_equal(refused(k, &r), ERR_INTERNAL);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.ask.boot = keyring_rig_id(0x99);
	assert_int_equal(refused(k, &r), ERR_INTERRUPTED);
}

/* Nor does it open anything of a vault. */
static void
a_connections_ruling_reaches_no_vault_and_no_index(void **state)
{
	struct keyring_rig *k = *state;
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD];
	struct keys_wanted_body w = { .n_refs = 0 };
	struct ruling_body r;
	const union any_body *b;

	ready(k);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	r.ask.op = OP_READ;
	r.ask.vault = k->vault;
	r.classes = 1u << CLASS_ORDINARY;
	r.wraps = keyring_rig_wraps(k, 1u << CLASS_ORDINARY);
	ruling_mac(k->ruling_key, &r, r.mac);
	w.ruling = r;
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 8, &w), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEYS_REFUSED));
	assert_int_equal(b->refusal.error, ERR_INTERNAL);
	r.ask.op = OP_SEARCH;
	ruling_mac(k->ruling_key, &r, r.mac);
	assert_int_equal(rig_deliver(k->r, MSG_QUERY_WANTED, ACTOR_GRANTS, 8, &r), OK);
	assert_non_null(rig_expect(k->r, MSG_HTTP_KEYS_REFUSED));
	assert_true(rig_silent(k->r));
}

static void
a_request_has_8_kib_and_words_of_a_search_keep_their_512_bytes(void **state)
{
	struct keyring_rig *k = *state;
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD], text[PROFILE_TEXT_MAX + 1];
	struct ruling_body r;
	const union any_body *b;

	ready(k);
	rig_edge(k->r, ACTOR_SEARCH, true);
	rig_forget(k->r);
	r = ruling_of(k, OP_PROFILE_READ, (struct span){ text, PROFILE_TEXT_MAX }, boxed);
	say(k, &r);
	assert_non_null(rig_expect(k->r, MSG_PROFILE_QUERY));
	r = ruling_of(k, OP_PROFILE_LIST, (struct span){ text, QUERY_TEXT_MAX + 1 }, boxed);
	r.ask.op = OP_SEARCH;
	ruling_mac(k->ruling_key, &r, r.mac);
	assert_int_equal(rig_deliver(k->r, MSG_QUERY_WANTED, ACTOR_GRANTS, 7, &r), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEYS_REFUSED));
	assert_int_equal(b->refusal.error, ERR_INVALID_ARGUMENT);
}

static void
nothing_passes_while_the_profile_is_closed_the_library_locked_or_the_log_away(void **state)
{
	struct keyring_rig *k = *state;
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD];
	struct keys_drop_body drop = { .closes = 1 };
	struct ruling_body r;

	ready(k);
	r = ruling_of(k, OP_PROFILE_READ, request, boxed);
	rig_edge(k->r, ACTOR_AUDIT, false);
	assert_int_equal(refused(k, &r), ERR_AUDIT_UNAVAILABLE);
	keyring_rig_meet_audit(k);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 9, &drop), OK);
	rig_forget(k->r);
	assert_int_equal(refused(k, &r), ERR_LOCKED);
	r = ruling_of(k, OP_PROFILE_LIST, request, boxed);
	assert_int_equal(refused(k, &r), ERR_LOCKED);
}

/* What found the rows has made the change: a keyring that is another one now does not say `try again`. */
static void
the_key_to_a_change_that_is_made_is_refused_as_what_nobody_knows(void **state)
{
	struct keyring_rig *k = *state;
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD];
	struct found_rows_body found = { .n_rows = 0 };
	const union any_body *b;

	ready(k);
	for (int change = 0; change < 2; change++) {
		found.ruling = ruling_of(k, change ? OP_PROFILE_CHANGE : OP_PROFILE_LIST, request, boxed);
		found.ruling.ask.boot = keyring_rig_id(0x99);
		ruling_mac(k->ruling_key, &found.ruling, found.ruling.mac);
		assert_int_equal(rig_deliver(k->r, MSG_PROFILE_KEY_WANTED, ACTOR_PROFILE, 7, &found), OK);
		assert_non_null(b = rig_expect(k->r, MSG_KEYS_REFUSED));
		assert_int_equal(b->refusal.error, change ? ERR_TIMEOUT : ERR_INTERRUPTED);
	}
}

/* Another process of it has to be given the key before it is asked. */
static void
a_profile_that_came_anew_is_closed(void **state)
{
	struct keyring_rig *k = *state;
	static uint8_t boxed[PROFILE_TEXT_MAX + 1 + SEAL_OVERHEAD];
	struct ruling_body r;

	ready(k);
	rig_edge(k->r, ACTOR_PROFILE, false);
	rig_edge(k->r, ACTOR_PROFILE, true);
	r = ruling_of(k, OP_PROFILE_LIST, request, boxed);
	assert_int_equal(refused(k, &r), ERR_LOCKED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KEYRING_TEST(its_key_is_made_under_the_root_and_goes_to_the_profile_alone),
		KEYRING_TEST(a_request_goes_on_to_the_profile_and_its_key_to_the_door_that_asked),
		KEYRING_TEST(unlocking_once_more_closes_nothing),
		KEYRING_TEST(a_connections_ruling_is_for_what_a_connection_may_ask_over_http_and_for_nothing_else),
		KEYRING_TEST(a_connections_ruling_reaches_no_vault_and_no_index),
		KEYRING_TEST(a_request_has_8_kib_and_words_of_a_search_keep_their_512_bytes),
		KEYRING_TEST(nothing_passes_while_the_profile_is_closed_the_library_locked_or_the_log_away),
		KEYRING_TEST(the_key_to_a_change_that_is_made_is_refused_as_what_nobody_knows),
		KEYRING_TEST(a_profile_that_came_anew_is_closed),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
