/* The profile's actor: its states, what of its facts a connection gets, and what it forgets. */

#include "tests/actors/profile_rig.h"

/* The pages' key and the verifier, as HTTP gets them. */
static void
expect_web(struct key **web, char verifier[200])
{
	const union any_body *b = rig_expect(t.r, MSG_WEB_KEYS);
	struct secret *text = NULL;

	assert_non_null(b);
	assert_int_equal(web_keys_open(t.http.down, b->web_keys.boxed, web, &text), OK);
	memcpy(verifier, secret_view(text), secret_len(text));
	verifier[secret_len(text)] = '\0';
	secret_free(&text);
}

static void
it_opens_serves_and_forgets(void **state)
{
	(void)state;
	(void)add_shared(0x31, "habit", "tea", "green, in the morning");
	assert_int_equal(n_seen_by(0x31), 1);
	drop();
	assert_int_equal(READ(0x31), ERR_LOCKED);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50}"), ERR_LOCKED);
	assert_int_equal(give_key(t.profile_key), OK);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "value"), "green, in the morning");
}

static void
another_key_opens_nothing(void **state)
{
	struct key *wrong = NULL;

	(void)state;
	(void)add_fact("habit", "tea", "green");
	assert_int_equal(key_random(&wrong), OK);
	assert_int_equal(give_key(wrong), ERR_STORAGE_CORRUPT);
	key_free(&wrong);
	assert_int_equal(READ(0x31), ERR_LOCKED);
	assert_int_equal(give_key(t.profile_key), OK);
}

static void
a_key_of_another_ask_is_none(void **state)
{
	struct profile_boxed_body b;
	struct key_binding way = bind_profile_way(78);

	(void)state;
	key_seal(t.keyring.down, key_binding_span(&way), t.profile_key, b.boxed);
	assert_int_equal(rig_deliver(t.r, MSG_PROFILE_KEY, ACTOR_KEYRING, 77, &b), OK);
	(void)rig_expect(t.r, MSG_WEB_KEYS);
	assert_int_equal(rig_expect(t.r, MSG_PROFILE_OPENED)->result.error, ERR_STORAGE_CORRUPT);
}

static void
it_forgets_when_grants_or_keyring_are_lost(void **state)
{
	static const enum actor lost[] = { ACTOR_GRANTS, ACTOR_KEYRING };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		rig_edge(t.r, lost[i], false);
		assert_int_equal(rig_expect(t.r, MSG_WEB_KEYS)->web_keys.boxed.len, 0);
		assert_true(rig_silent(t.r));
		assert_int_equal(READ(0x31), ERR_LOCKED);
		rig_edge(t.r, lost[i], true);
		assert_int_equal(give_key(t.profile_key), OK);
	}
	/* The gate and HTTP come and go. */
	rig_edge(t.r, ACTOR_GATE, false);
	rig_edge(t.r, ACTOR_HTTP, false);
	rig_edge(t.r, ACTOR_HTTP, true);
	assert_true(rig_expect(t.r, MSG_WEB_KEYS)->web_keys.boxed.len > 0);
	assert_int_equal(READ(0x31), OK);
}

static void
a_new_password_goes_to_the_pages_and_needs_sudo(void **state)
{
	static const char ask[] = "{\"do\":\"passwd\",\"verifier\":\"$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA\"}";
	struct key *web = NULL, *again = NULL;
	char verifier[200];

	(void)state;
	assert_int_equal(CHANGE("%s", ask), ERR_SUDO_REQUIRED);
	t.sudo = true;
	assert_int_equal(CHANGE("%s", ask), OK);
	assert_string_equal((char *)t.plain, "{}");
	assert_int_equal(t.n_shown, 0);
	expect_web(&web, verifier);
	assert_string_equal(verifier, "$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA");
	rig_edge(t.r, ACTOR_HTTP, false);
	rig_edge(t.r, ACTOR_HTTP, true);
	expect_web(&again, verifier);
	assert_string_equal(verifier, "$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA");
	assert_memory_equal(web->b, again->b, KEY_LEN);
	key_free(&web);
	key_free(&again);
}

static void
sharing_is_per_fact_and_connection(void **state)
{
	struct uuid tea = add_fact("habit", "tea", "green"), city;

	(void)state;
	city = add_fact("basic", "city", "Lisbon");
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(json_type(json_member(t.root, "updated_at")), JSON_NULL);
	assert_int_equal(share_fact(0x31, tea), OK);
	assert_int_equal(share_fact(0x32, city), OK);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "label"), "tea");
	assert_int_equal(n_seen_by(0x32), 1);
	assert_string_equal(text_of(first_of("facts"), "label"), "city");
	assert_int_equal(n_seen_by(0x33), 0);
	assert_int_equal(own(OP_PROFILE_CHANGE, 0x31, tea, "{\"do\":\"unshare\",\"fact\":\"%s\"}", hex_of(tea)), OK);
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(n_seen_by(0x32), 1);
}

/* The rows that the keyring has recorded are the facts in the answer, and neither evidence nor others are in it. */
static void
what_is_shown_is_what_is_named(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green"), city = add_shared(0x31, "basic", "city", "Lisbon");

	(void)state;
	(void)add_fact("goal", "marathon", "in May");
	assert_int_equal(n_seen_by(0x31), 2);
	assert_int_equal(t.n_shown, 2);
	/* By category, then by age. */
	assert_true(uuid_equal(t.shown[0].fact, city));
	assert_true(uuid_equal(t.shown[1].fact, tea));
	assert_true(uuid_equal(id_in(first_of("facts"), "id"), city));
	assert_null(strstr((char *)t.plain, "EVIDENCE"));
	assert_null(strstr((char *)t.plain, "marathon"));
	assert_string_equal(text_of(t.root, "summary"), "2 facts are shared with you: 1 basic, 1 habit. Last changed 2025-11-30T10:00:00Z.");
	/* The same again, from what was kept. */
	assert_int_equal(n_seen_by(0x31), 2);
	assert_int_equal(t.n_shown, 2);
	assert_true(uuid_equal(t.shown[0].fact, city));
}

static void
a_category_that_the_connection_lost_is_hidden_at_once(void **state)
{
	(void)state;
	(void)add_shared(0x31, "habit", "tea", "green");
	(void)add_shared(0x31, "basic", "city", "Lisbon");
	assert_int_equal(n_seen_by(0x31), 2);
	t.categories = 1u << CATEGORY_BASIC;
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "label"), "city");
}

static void
an_edit_voids_what_was_shared(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green");

	(void)state;
	assert_int_equal(n_seen_by(0x31), 1);
	/* What changes nothing voids nothing. */
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"green\"}", hex_of(tea)), OK);
	assert_int_equal(number_of(t.root, "version"), 1);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"version\":1,\"value\":\"black\"}", hex_of(tea)), OK);
	assert_int_equal(number_of(t.root, "version"), 2);
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"id\":\"%s\"}", hex_of(tea)), OK);
	assert_false(flag_of(json_first(json_member(first_of("facts"), "shared_with")), "confirmed"));
	assert_int_equal(share_fact(0x31, tea), OK);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "value"), "black");
	/* Who read the first version may not write over the second. */
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"version\":1,\"value\":\"white\"}", hex_of(tea)), ERR_CONFLICT);
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"white\"}", hex_of(id(0x55))), ERR_NOT_FOUND);
}

static void
what_is_never_shared_cannot_be(void **state)
{
	static const char *const never[] = { "health", "relationship", "uncategorized" };
	struct uuid fact;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(share_fact(0x31, add_fact(never[i], "label", "value")), ERR_NOT_SHAREABLE);
	assert_int_equal(share_fact(0x31, add_fact("basic", "wifi", "the password is hunter2hunter2")), ERR_NOT_SHAREABLE);
	assert_int_equal(CHANGE("{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\",\"uncertain\":true}"), OK);
	fact = id_in(t.root, "fact");
	assert_int_equal(share_fact(0x31, fact), ERR_NOT_SHAREABLE);
	/* Once the owner is sure of it, it may. */
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"uncertain\":false}", hex_of(fact)), OK);
	assert_int_equal(share_fact(0x31, fact), OK);
	/* A category beyond the connection's own. */
	t.categories = 1u << CATEGORY_GOAL;
	assert_int_equal(share_fact(0x31, fact), ERR_NOT_SHAREABLE);
	assert_int_equal(share_fact(0x31, id(0x55)), ERR_NOT_FOUND);
}

/* The record of a share names connection and fact as the ask does, so they have to be those of the request. */
static void
a_share_has_to_name_the_same_fact_twice(void **state)
{
	struct uuid tea = add_fact("habit", "tea", "green");

	(void)state;
	assert_int_equal(own(OP_PROFILE_CHANGE, 0x31, id(0x55), "{\"do\":\"share\",\"fact\":\"%s\"}", hex_of(tea)), ERR_INVALID_ARGUMENT);
	assert_int_equal(own(OP_PROFILE_CHANGE, 0, tea, "{\"do\":\"share\",\"fact\":\"%s\"}", hex_of(tea)), ERR_INVALID_ARGUMENT);
	assert_int_equal(n_seen_by(0x31), 0);
}

static void
an_archived_fact_is_gone_for_connections(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green");

	(void)state;
	assert_int_equal(CHANGE("{\"do\":\"fact_archive\",\"id\":\"%s\"}", hex_of(tea)), OK);
	assert_int_equal(number_of(t.root, "version"), 2);
	assert_int_equal(CHANGE("{\"do\":\"fact_archive\",\"id\":\"%s\"}", hex_of(tea)), OK);
	assert_int_equal(number_of(t.root, "version"), 2);
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(share_fact(0x31, tea), ERR_NOT_SHAREABLE);
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"black\"}", hex_of(tea)), ERR_CONFLICT);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50}"), OK);
	assert_int_equal(n_of("facts"), 0);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"archived\":true}"), OK);
	assert_int_equal(n_of("facts"), 1);
	assert_null(json_first(json_member(first_of("facts"), "shared_with")));
}

static void
pages_go_on_while_nothing_changes(void **state)
{
	char version[2 * PROFILE_VERSION_LEN + 1], ask[300];
	struct uuid last = { { 0 } };

	(void)state;
	for (int i = 0; i < 60; i++) {
		char label[16];

		snprintf(label, sizeof label, "label %d", i);
		last = add_shared(0x31, "habit", label, "value");
	}
	assert_int_equal(n_seen_by(0x31), 50);
	assert_true(flag_of(t.root, "has_more"));
	assert_int_equal(number_of(t.root, "next_offset"), 50);
	snprintf(version, sizeof version, "%.64s", text_of(t.root, "version"));
	snprintf(ask, sizeof ask, "lifeos://profile/summary?version=%s&offset=50", version);
	assert_string_equal(text_of(t.root, "next_uri"), ask);
	snprintf(ask, sizeof ask, "{\"do\":\"page\",\"offset\":50,\"version\":\"%s\"}", version);
	assert_int_equal(ask_as(0x31, OP_PROFILE_READ, ask), OK);
	assert_int_equal(n_of("facts"), 10);
	assert_int_equal(t.n_shown, 10);
	assert_false(flag_of(t.root, "has_more"));
	assert_true(uuid_equal(t.shown[9].fact, last));
	snprintf(ask, sizeof ask, "{\"do\":\"page\",\"offset\":60,\"version\":\"%s\"}", version);
	assert_int_equal(ask_as(0x31, OP_PROFILE_READ, ask), ERR_OFFSET_OUT_OF_RANGE);
	/* What others see may change, and what nobody sees. */
	snprintf(ask, sizeof ask, "{\"do\":\"page\",\"offset\":50,\"version\":\"%s\"}", version);
	(void)add_shared(0x32, "habit", "other", "value");
	assert_int_equal(ask_as(0x31, OP_PROFILE_READ, ask), OK);
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"new\"}", hex_of(last)), OK);
	assert_int_equal(ask_as(0x31, OP_PROFILE_READ, ask), ERR_CONFLICT);
}

static enum err
find(uint8_t connection, const char *query, unsigned offset, unsigned limit)
{
	char ask[1024];

	snprintf(ask, sizeof ask, "{\"do\":\"search\",\"query\":\"%s\",\"offset\":%u,\"limit\":%u}", query, offset, limit);
	return ask_as(connection, OP_PROFILE_SEARCH, ask);
}

static void
a_search_finds_what_is_seen_in_both_languages(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "morning drink", "green tea with lemon");

	(void)state;
	(void)add_shared(0x31, "preference", "\xe5\x92\x96\xe5\x95\xa1", "\xe5\x8f\xaa\xe5\x96\x9d\xe6\x89\x8b\xe5\x86\xb2\xe5\x92\x96\xe5\x95\xa1");
	(void)add_shared(0x32, "habit", "tea too", "black tea");
	(void)add_fact("habit", "tea that nobody sees", "white tea");
	assert_int_equal(find(0x31, "tea", 0, 10), OK);
	assert_int_equal(n_of("facts"), 1);
	assert_int_equal(t.n_shown, 1);
	assert_true(uuid_equal(t.shown[0].fact, tea));
	assert_false(flag_of(t.root, "window_exhausted"));
	assert_int_equal(json_type(json_member(t.root, "next_offset")), JSON_NULL);
	assert_null(strstr((char *)t.plain, "EVIDENCE"));
	assert_int_equal(find(0x31, "\xe6\x89\x8b\xe5\x86\xb2", 0, 10), OK);
	assert_int_equal(n_of("facts"), 1);
	assert_int_equal(find(0x31, "walrus", 0, 10), OK);
	assert_int_equal(n_of("facts"), 0);
	assert_int_equal(find(0x31, "evidence", 0, 10), OK);
	assert_int_equal(n_of("facts"), 0);
	assert_int_equal(find(0x31, "...", 0, 10), ERR_QUERY_EMPTY);
	assert_int_equal(find(0x33, "tea", 0, 10), OK);
	assert_int_equal(n_of("facts"), 0);
}

/* Two hundred characters of three bytes each are a query like any other. */
static void
a_long_query_is_looked_for(void **state)
{
	char query[3 * 200 + 1];

	(void)state;
	for (size_t i = 0; i < 200; i++)
		memcpy(query + 3 * i, i % 2 == 0 ? "\xe5\x92\x96" : "\xe5\x95\xa1", 4);
	assert_int_equal(find(0x31, query, 0, 10), OK);
}

static void
a_search_follows_every_change(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "drink", "green tea"), other;

	(void)state;
	assert_int_equal(find(0x31, "tea", 0, 10), OK);
	assert_int_equal(n_of("facts"), 1);
	other = add_shared(0x31, "habit", "other", "tea as well");
	assert_int_equal(find(0x31, "tea", 0, 10), OK);
	assert_int_equal(n_of("facts"), 2);
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"coffee\"}", hex_of(tea)), OK);
	assert_int_equal(find(0x31, "tea", 0, 10), OK);
	assert_int_equal(n_of("facts"), 1);
	assert_true(uuid_equal(t.shown[0].fact, other));
	assert_int_equal(share_fact(0x31, tea), OK);
	assert_int_equal(find(0x31, "coffee", 0, 10), OK);
	assert_int_equal(n_of("facts"), 1);
	assert_int_equal(CHANGE("{\"do\":\"fact_archive\",\"id\":\"%s\"}", hex_of(other)), OK);
	assert_int_equal(find(0x31, "tea", 0, 10), OK);
	assert_int_equal(n_of("facts"), 0);
	t.categories = 1u << CATEGORY_BASIC;
	assert_int_equal(find(0x31, "coffee", 0, 10), OK);
	assert_int_equal(n_of("facts"), 0);
}

static void
a_search_is_paged(void **state)
{
	size_t seen = 0;

	(void)state;
	for (int i = 0; i < 25; i++) {
		char value[32];

		snprintf(value, sizeof value, "tea number %d", i);
		(void)add_shared(0x31, "habit", "drink", value);
	}
	for (unsigned offset = 0;; offset = (unsigned)number_of(t.root, "next_offset")) {
		assert_int_equal(find(0x31, "tea", offset, 10), OK);
		seen += n_of("facts");
		if (json_type(json_member(t.root, "next_offset")) == JSON_NULL)
			break;
	}
	assert_int_equal(seen, 25);
	/* Ten facts as long as they get do not fit into one answer; none is lost. */
	seen = 0;
	for (int i = 0; i < 12; i++) {
		char value[4 * 300 + 1];

		memset(value, 0, sizeof value);
		for (size_t j = 0; j < 290; j++)
			memcpy(value + 4 * j, "\xf0\xa0\x80\x80", 5);
		snprintf(value + 4 * 290, 40, " walrus %d", i);
		(void)add_shared(0x31, "habit", "animal", value);
	}
	for (unsigned offset = 0;; offset = (unsigned)number_of(t.root, "next_offset")) {
		assert_int_equal(find(0x31, "walrus", offset, 10), OK);
		assert_true(t.plain_len <= PROFILE_CONNECTION_RESULT_MAX);
		assert_true(n_of("facts") > 0);
		seen += n_of("facts");
		if (json_type(json_member(t.root, "next_offset")) == JSON_NULL)
			break;
	}
	assert_int_equal(seen, 12);
}

/* Grants has decided already; a ruling that cannot be is no ruling here either. */
static void
a_ruling_has_to_fit(void **state)
{
	struct query_body b = { .ruling = { .ask = { .op = OP_PROFILE_READ, .surface = SURFACE_HTTP, .limit = 50 }, .grant = id(0x31),
		.grant_type = GRANT_CONNECTION, .subject_kind = LOG_CONNECTION_ID, .subject = id(0x31), .scopes = 1u << SCOPE_PROPOSE } };

	(void)state;
	assert_int_equal(send(&b, "{\"do\":\"context\"}"), ERR_INSUFFICIENT_SCOPE);
	b.ruling.scopes = 1u << SCOPE_READ;
	assert_int_equal(send(&b, "{\"do\":\"context\"}"), OK);
	b.ruling.ask.op = OP_PROFILE_SEARCH;
	assert_int_equal(send(&b, "{\"do\":\"search\",\"query\":\"tea\",\"offset\":0,\"limit\":50}"), ERR_INSUFFICIENT_SCOPE);
	b.ruling.ask.op = OP_PROFILE_LIST;
	assert_int_equal(send(&b, "{\"do\":\"facts\",\"offset\":0,\"limit\":50}"), ERR_INTERNAL);
	b.ruling.ask.op = OP_PROFILE_CHANGE;
	assert_int_equal(send(&b, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\"}"), ERR_INTERNAL);
	/* The owner has no connection's ops, and a request belongs to its op. */
	assert_int_equal(own(OP_PROFILE_READ, 0, no_fact, "{\"do\":\"context\"}"), ERR_INTERNAL);
	assert_int_equal(own(OP_PROFILE_LIST, 0, no_fact, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\"}"),
	    ERR_INVALID_ARGUMENT);
	assert_int_equal(own(OP_SEARCH, 0, no_fact, "{\"do\":\"context\"}"), ERR_INTERNAL);
	/* What the record says of offset and limit is what was asked. */
	t.limit = 10;
	assert_int_equal(READ(0x31), ERR_INVALID_ARGUMENT);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50}"), ERR_INVALID_ARGUMENT);
}

static void
what_came_too_late_changes_nothing(void **state)
{
	static const char text[] = "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\"}";
	struct query_body b = { .ruling = { .ask = { .op = OP_PROFILE_CHANGE, .surface = SURFACE_OWNER, .limit = 50 },
		.subject_kind = LOG_TERMINAL, .deadline_boot_ms = clock_mono().ms - 1 } };
	uint8_t sealed[QUERY_SEALED_MAX];
	size_t len;

	(void)state;
	assert_int_equal(query_seal(t.keyring.down, 5, b.ruling.mac, t.result, (struct span){ (const uint8_t *)text, strlen(text) }, sealed,
	    &len), OK);
	b.sealed = (struct span){ sealed, len };
	assert_int_equal(rig_deliver(t.r, MSG_PROFILE_QUERY, ACTOR_KEYRING, 5, &b), OK);
	assert_int_equal(rig_expect(t.r, MSG_PROFILE_REFUSED)->refusal.error, ERR_TIMEOUT);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50}"), OK);
	assert_int_equal(n_of("facts"), 0);
}

static void
the_owner_sees_everything_in_pages(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green");
	size_t seen = 0;

	(void)state;
	for (int i = 0; i < 30; i++)
		(void)add_fact(i % 2 == 0 ? "health" : "basic", "label", "value");
	for (unsigned offset = 0;; offset = (unsigned)number_of(t.root, "next_offset")) {
		assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":%u,\"limit\":7}", offset), OK);
		assert_int_equal(number_of(t.root, "total"), 31);
		assert_int_equal(t.n_shown, n_of("facts"));
		seen += n_of("facts");
		if (json_type(json_member(t.root, "next_offset")) == JSON_NULL)
			break;
	}
	assert_int_equal(seen, 31);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"category\":\"health\"}"), OK);
	assert_int_equal(n_of("facts"), 15);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"id\":\"%s\"}", hex_of(tea)), OK);
	assert_string_equal(text_of(first_of("facts"), "evidence"), "EVIDENCE");
	assert_true(flag_of(json_first(json_member(first_of("facts"), "shared_with")), "confirmed"));
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"id\":\"%s\"}", hex_of(id(0x55))), ERR_NOT_FOUND);
}

static void
labels_say_what_a_record_was_about(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green"), before;
	const struct json *at;

	(void)state;
	assert_int_equal(READ(0x31), OK);
	before = t.shown[0].revision;
	assert_int_equal(LIST("{\"do\":\"labels\",\"refs\":[{\"fact\":\"%s\",\"revision\":\"%s\"}]}", hex_of(tea), hex_of(before)), OK);
	assert_true(flag_of(first_of("labels"), "current"));
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"label\":\"drink\"}", hex_of(tea)), OK);
	assert_int_equal(LIST("{\"do\":\"labels\",\"refs\":[{\"fact\":\"%s\",\"revision\":\"%s\"},{\"fact\":\"%s\",\"revision\":\"%s\"}]}",
	    hex_of(tea), hex_of(before), hex_of(id(0x55)), hex_of(id(0x56))), OK);
	at = first_of("labels");
	assert_string_equal(text_of(at, "label"), "drink");
	assert_false(flag_of(at, "current"));
	at = json_next(at);
	assert_int_equal(json_type(json_member(at, "label")), JSON_NULL);
	assert_int_equal(t.n_shown, 1);
}

static void
a_revoked_connection_leaves_nothing(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green");

	(void)state;
	assert_int_equal(share_fact(0x32, tea), OK);
	assert_int_equal(ask_as(0x31, OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"goal\",\"label\":\"l\",\"value\":\"v\"}"), OK);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_int_equal(rig_deliver(t.r, MSG_CONNECTION_GONE, ACTOR_GRANTS, 0, &(struct one_id_body){ .id = id(0x31) }), OK);
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(n_seen_by(0x32), 1);
	assert_int_equal(LIST("{\"do\":\"proposals\",\"offset\":0,\"limit\":50}"), OK);
	assert_int_equal(n_of("proposals"), 0);
	/* And one that ends while the profile is closed. */
	drop();
	assert_int_equal(rig_deliver(t.r, MSG_CONNECTION_GONE, ACTOR_GRANTS, 0, &(struct one_id_body){ .id = id(0x32) }), OK);
	assert_int_equal(give_key(t.profile_key), OK);
	assert_int_equal(n_seen_by(0x32), 0);
}

static void
more_connections_than_are_kept_are_served_all_the_same(void **state)
{
	struct uuid tea = add_fact("habit", "tea", "green");

	(void)state;
	for (uint8_t c = 1; c < PROFILE_READERS_MAX + 20; c++)
		assert_int_equal(share_fact(c, tea), OK);
	for (int round = 0; round < 2; round++)
		for (uint8_t c = 1; c < PROFILE_READERS_MAX + 20; c++) {
			assert_int_equal(n_seen_by(c), 1);
			assert_int_equal(find(c, "tea", 0, 1), OK);
			assert_int_equal(n_of("facts"), 1);
		}
	assert_int_equal(n_seen_by(0xf0), 0);
}

/* An index with room for one connection's facts: the other's are taken out for it, and built again when it asks. */
static void
connections_make_room_for_each_other_in_the_index(void **state)
{
	struct profile *p = rig_self(t.r);
	struct search_stats stats;
	char label[16];

	(void)state;
	for (int i = 0; i < 150; i++) {
		struct uuid fact;

		snprintf(label, sizeof label, "label %d", i);
		fact = add_shared(0x31, "habit", label, "a cup of tea in the morning, another one at noon, and none later than that");
		assert_int_equal(share_fact(0x32, fact), OK);
	}
	assert_int_equal(find(0x31, "tea", 140, 10), OK);
	search_index_stats(p->index, &stats);
	profile_readers_unindex(p);
	search_index_free(&p->index);
	assert_int_equal(search_index_new(stats.bytes + stats.bytes / 4, &p->index), OK);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(find(i % 2 == 0 ? 0x31 : 0x32, "tea", 140, 10), OK);
		assert_int_equal(n_of("facts"), 10);
	}
}

static void
without_memory_an_ask_ends_and_the_next_is_answered(void **state)
{
	struct profile *p = rig_self(t.r);

	(void)state;
	(void)add_shared(0x31, "habit", "tea", "green");
	p->bill.max = 1;
	assert_int_equal(READ(0x31), ERR_NO_MEMORY);
	p->bill.max = 0;
	assert_int_equal(n_seen_by(0x31), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(it_opens_serves_and_forgets),
		WITH(another_key_opens_nothing),
		WITH(a_key_of_another_ask_is_none),
		WITH(it_forgets_when_grants_or_keyring_are_lost),
		WITH(a_new_password_goes_to_the_pages_and_needs_sudo),
		WITH(sharing_is_per_fact_and_connection),
		WITH(what_is_shown_is_what_is_named),
		WITH(a_category_that_the_connection_lost_is_hidden_at_once),
		WITH(an_edit_voids_what_was_shared),
		WITH(what_is_never_shared_cannot_be),
		WITH(a_share_has_to_name_the_same_fact_twice),
		WITH(an_archived_fact_is_gone_for_connections),
		WITH(pages_go_on_while_nothing_changes),
		WITH(a_search_finds_what_is_seen_in_both_languages),
		WITH(a_long_query_is_looked_for),
		WITH(a_search_follows_every_change),
		WITH(a_search_is_paged),
		WITH(a_ruling_has_to_fit),
		WITH(what_came_too_late_changes_nothing),
		WITH(the_owner_sees_everything_in_pages),
		WITH(labels_say_what_a_record_was_about),
		WITH(a_revoked_connection_leaves_nothing),
		WITH(connections_make_room_for_each_other_in_the_index),
		WITH(without_memory_an_ask_ends_and_the_next_is_answered),
		WITH(more_connections_than_are_kept_are_served_all_the_same),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
