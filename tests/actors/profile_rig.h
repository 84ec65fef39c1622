/* profile_rig: the profile's actor alone, opened; asks go in as the keyring boxes them, and answers are opened. */
#ifndef TESTS_ACTORS_PROFILE_RIG_H
#define TESTS_ACTORS_PROFILE_RIG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "actors/profile_state.h"
#include "escrow/deposit.h"
#include "escrow/keys.h"
#include "escrow/query.h"
#include "escrow/random.h"
#include "gateway/json.h"
#include "gateway/web_keys.h"
#include "store/log_record.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

#define NOW       1764496800000
#define LINES_MAX 8192

static struct {
	struct rig     *r;
	struct channel  keyring, http; /* the other ends */
	struct key     *profile_key, *result;
	uint64_t        asks;
	uint8_t         plain[PROFILE_RESULT_MAX + 1]; /* the last answer, with an end */
	size_t          plain_len;
	struct json    *root;          /* of it */
	struct profile_ref shown[PROFILE_LIST_LIMIT_MAX];
	size_t          n_shown;
	unsigned        categories;    /* of the next asks */
	bool            sudo;
	uint32_t        limit;         /* 0: what the request says */
} t;

static inline struct uuid
id(uint8_t what)
{
	struct uuid u;

	memset(u.b, what, UUID_LEN);
	return u;
}

static inline enum err
give_key(const struct key *k)
{
	struct profile_boxed_body b;
	struct key_binding way = bind_profile_way(77);

	key_seal(t.keyring.down, key_binding_span(&way), k, b.boxed);
	assert_int_equal(rig_deliver(t.r, MSG_PROFILE_KEY, ACTOR_KEYRING, 77, &b), OK);
	(void)rig_expect(t.r, MSG_WEB_KEYS);
	return (enum err)rig_expect(t.r, MSG_PROFILE_OPENED)->result.error;
}

static inline void
drop(void)
{
	assert_int_equal(rig_deliver(t.r, MSG_PROFILE_DROP, ACTOR_GRANTS, 78, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(rig_expect(t.r, MSG_WEB_KEYS)->web_keys.boxed.len, 0);
	assert_non_null(rig_expect(t.r, MSG_PROFILE_DROPPED));
}

static int
setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof t);
	fake_clock_set(NOW, 100000);
	t.categories = CATEGORIES_SHAREABLE;
	rig_dir_make();
	assert_int_equal(mkdir("profile", 0700), 0);
	assert_int_equal(rig_open(&profile_actor, NULL, &t.r), OK);
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_KEYRING, ACTOR_PROFILE), &t.keyring), OK);
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_PROFILE, ACTOR_HTTP), &t.http), OK);
	assert_int_equal(key_random(&t.profile_key), OK);
	assert_int_equal(key_random(&t.result), OK);
	rig_edge(t.r, ACTOR_GATE, true);
	rig_edge(t.r, ACTOR_GRANTS, true);
	rig_edge(t.r, ACTOR_KEYRING, true);
	rig_edge(t.r, ACTOR_HTTP, true);
	rig_forget(t.r);
	assert_int_equal(give_key(t.profile_key), OK);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	json_free(&t.root);
	rig_close(&t.r);
	channel_free(&t.keyring);
	channel_free(&t.http);
	key_free(&t.profile_key);
	key_free(&t.result);
	rig_dir_remove();
	fake_clock_off();
	return 0;
}

/* What was found: opened, parsed, and with its rows as the keyring gets them. */
static inline void
take_found(enum msg how)
{
	static const struct uuid none;
	uint8_t buf[PIECE_BINDING_MAX];
	const union any_body *b = rig_expect(t.r, how);

	assert_non_null(b);
	t.plain_len = b->found.sealed.len - SEAL_OVERHEAD;
	assert_int_equal(seal_open(t.result->b, piece_binding(PART_FOUND, none, none, 0, false, (struct span){ NULL, 0 }, buf),
	    b->found.sealed, t.plain), OK);
	t.plain[t.plain_len] = '\0';
	json_free(&t.root);
	assert_int_equal(json_parse((struct span){ t.plain, t.plain_len }, &t.root), OK);
	b = rig_expect(t.r, MSG_PROFILE_KEY_WANTED);
	assert_non_null(b);
	t.n_shown = b->found_rows.n_rows;
	assert_int_equal(b->found_rows.rows.len, t.n_shown * 2 * UUID_LEN);
	if (t.n_shown > 0)
		memcpy(t.shown, b->found_rows.rows.p, b->found_rows.rows.len);
}

static inline enum err
send(struct query_body *b, const char *text)
{
	bool http = b->ruling.ask.surface == SURFACE_HTTP;
	uint8_t sealed[QUERY_SEALED_MAX];
	size_t len;

	b->ruling.deadline_boot_ms = clock_mono().ms + 1000;
	assert_int_equal(query_seal(t.keyring.down, ++t.asks, b->ruling.mac, t.result, (struct span){ (const uint8_t *)text, strlen(text) },
	    sealed, &len), OK);
	b->sealed = (struct span){ sealed, len };
	assert_int_equal(rig_deliver(t.r, MSG_PROFILE_QUERY, ACTOR_KEYRING, t.asks, b), OK);
	if (rig_next(t.r) == (http ? MSG_HTTP_QUERY_REFUSED : MSG_PROFILE_REFUSED)) {
		enum err e = (enum err)rig_expect(t.r, rig_next(t.r))->refusal.error;

		assert_true(rig_silent(t.r));
		return e;
	}
	take_found(http ? MSG_HTTP_FOUND : MSG_PROFILE_FOUND);
	return OK;
}

/* The number that follows a name in a request; the ask says the same. */
static inline uint64_t
number_in(const char *text, const char *name, uint64_t otherwise)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtoull(at + strlen(name), NULL, 10) : otherwise;
}

/* As a connection; scopes all. */
static inline enum err
ask_as(uint8_t connection, enum op op, const char *text)
{
	struct query_body b = { .ruling = { .ask = { .op = (uint8_t)op, .surface = SURFACE_HTTP, .grant_type = GRANT_CONNECTION },
		.grant = id(connection), .grant_type = GRANT_CONNECTION, .subject_kind = LOG_CONNECTION_ID, .subject = id(connection),
		.scopes = SCOPES_ALL, .categories = (uint8_t)t.categories } };

	b.ruling.ask.offset = number_in(text, "\"offset\":", 0);
	b.ruling.ask.limit = t.limit != 0 ? t.limit : (uint32_t)number_in(text, "\"limit\":", 50);
	return send(&b, text);
}

/* As the owner, perhaps of a connection and a fact. */
static inline enum err
own(enum op op, uint8_t connection, struct uuid fact, const char *form, ...)
{
	struct query_body b = { .ruling = { .ask = { .op = (uint8_t)op, .surface = SURFACE_OWNER, .asset = fact },
		.subject_kind = LOG_TERMINAL, .subject = id(0x99), .sudo = t.sudo, .categories = (uint8_t)t.categories } };
	char text[LINES_MAX];
	va_list args;

	va_start(args, form);
	vsnprintf(text, sizeof text, form, args);
	va_end(args);
	if (connection != 0)
		b.ruling.ask.vault = id(connection);
	b.ruling.ask.limit = t.limit != 0 ? t.limit : (uint32_t)number_in(text, "\"limit\":", 50);
	return send(&b, text);
}

static const struct uuid no_fact;

#define CHANGE(...) own(OP_PROFILE_CHANGE, 0, no_fact, __VA_ARGS__)
#define LIST(...)   own(OP_PROFILE_LIST, 0, no_fact, __VA_ARGS__)
#define READ(c)     ask_as(c, OP_PROFILE_READ, "{\"do\":\"context\"}")

/* Of the last answer. */
static inline const char *
text_of(const struct json *object, const char *name)
{
	static char out[2048];
	struct span s;

	assert_int_equal(json_string(object, name, &s), JSON_GOT);
	memcpy(out, s.p, s.len);
	out[s.len] = '\0';
	return out;
}

static inline struct uuid
id_in(const struct json *object, const char *name)
{
	struct uuid u;

	assert_int_equal(uuid_parse(text_of(object, name), &u), OK);
	return u;
}

static inline uint64_t
number_of(const struct json *object, const char *name)
{
	uint64_t n;

	assert_int_equal(json_u64(object, name, &n), JSON_GOT);
	return n;
}

static inline bool
flag_of(const struct json *object, const char *name)
{
	bool b;

	assert_int_equal(json_bool(object, name, &b), JSON_GOT);
	return b;
}

static inline const struct json *
first_of(const char *list)
{
	return json_first(json_member(t.root, list));
}

static inline size_t
n_of(const char *list)
{
	size_t n = 0;

	for (const struct json *at = first_of(list); at != NULL; at = json_next(at))
		n++;
	return n;
}

/* The text of an id, of which a few live at a time. */
static inline const char *
hex_of(struct uuid u)
{
	static char texts[4][UUID_TEXT_LEN + 1];
	static unsigned next;
	char *out = texts[next++ % 4];

	uuid_text(u, out);
	return out;
}

static inline struct uuid
add_fact(const char *category, const char *label, const char *value)
{
	assert_int_equal(CHANGE("{\"do\":\"fact_add\",\"category\":\"%s\",\"label\":\"%s\",\"value\":\"%s\",\"evidence\":\"EVIDENCE\"}", category,
	    label, value), OK);
	assert_int_equal(t.n_shown, 1);
	return id_in(t.root, "fact");
}

static inline enum err
share_fact(uint8_t connection, struct uuid fact)
{
	return own(OP_PROFILE_CHANGE, connection, fact, "{\"do\":\"share\",\"fact\":\"%s\"}", hex_of(fact));
}

static inline struct uuid
add_shared(uint8_t connection, const char *category, const char *label, const char *value)
{
	struct uuid fact = add_fact(category, label, value);

	assert_int_equal(share_fact(connection, fact), OK);
	return fact;
}

static inline size_t
n_seen_by(uint8_t connection)
{
	assert_int_equal(READ(connection), OK);
	return n_of("facts");
}

#define WITH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
