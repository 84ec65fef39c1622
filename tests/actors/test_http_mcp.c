/* The route /mcp: who comes in, in which order a request is looked at, and how what was asked becomes an answer. */
#include <stdio.h>

#include "actors/http_gateway.h"
#include "actors/http_routes.h"
#include "escrow/random.h"
#include "gateway/oauth_hash.h"
#include "tests/actors/http_ask_rig.h"
#include "tests/support/rig.h"

#define TOKEN "mat_0123456789abcdefghijklmnopqrstuvwxyzABCDEFE"
#define BEARER "Authorization: Bearer " TOKEN "\r\n"
#define JSON_TYPE "Content-Type: application/json\r\n"
#define READ (1u << SCOPE_READ)

struct state {
	struct rig    *rig;
	struct ask_rig behind;   /* keyring, profile and log */
	unsigned       n_answers;
	int            status;
	char           body[65536];
	char           headers[4096]; /* "Name: value\n" each */
};

static int
start(void **at)
{
	static struct state s;
	struct http_gateway *g;
	struct http_state_body serves = { .phase = HTTP_SERVES, .initialized = 1 };

	memset(&s, 0, sizeof s);
	assert_int_equal(secret_init(true), OK);
	fake_clock_set(1764496800000, 100000);
	assert_int_equal(rig_open(&http_gateway_actor, NULL, &s.rig), OK);
	g = rig_self(s.rig);
	s.behind.asks = g->asks;
	assert_int_equal(outbox_new(ACTOR_HTTP, &s.behind.out), OK);
	assert_int_equal(signer_new(&s.behind.log_key), OK);
	assert_int_equal(signer_new(&s.behind.epoch_key), OK);
	assert_int_equal(signer_new(&s.behind.other_key), OK);
	assert_int_equal(key_pair_new(&s.behind.boot_pair), OK);
	s.behind.boot = ask_rig_id(0x61);
	s.behind.epoch = ask_rig_id(0x62);
	memcpy(serves.log_public, signer_public(s.behind.log_key), 32);
	http_asks_on_state(g->asks, &serves);
	for (enum actor a = ACTOR_GRANTS; a <= ACTOR_PROFILE; a++)
		if (actors_joined(a, ACTOR_HTTP))
			rig_edge(s.rig, a, true);
	ask_rig_boot(&s.behind, s.behind.log_key, s.behind.log_key);
	g->phase = HTTP_SERVES;
	rig_forget(s.rig);
	*at = &s;
	return 0;
}

static int
stop(void **at)
{
	struct state *s = *at;

	rig_close(&s->rig);
	outbox_free(&s->behind.out);
	signer_free(&s->behind.log_key);
	signer_free(&s->behind.epoch_key);
	signer_free(&s->behind.other_key);
	key_pair_free(&s->behind.boot_pair);
	fake_clock_off();
	return 0;
}

static void
on_answer(void *arg, const struct http_response *r)
{
	struct state *s = arg;
	struct span body = r->body == NULL ? (struct span){ NULL, 0 } : secret_span(r->body);
	size_t len = 0;

	s->n_answers++;
	s->status = r->status;
	assert_in_range(body.len, 0, sizeof s->body - 1);
	if (body.len > 0)
		memcpy(s->body, body.p, body.len);
	s->body[body.len] = '\0';
	s->headers[0] = '\0';
	for (size_t i = 0; i < r->n_headers; i++)
		len += (size_t)snprintf(s->headers + len, sizeof s->headers - len, "%s: %.*s\n", r->headers[i].name,
		    (int)r->headers[i].len, r->text + r->headers[i].offset);
	assert_false(r->failed);
}

/* Its status; 0: it is not answered yet. */
static int
say(struct state *s, const char *method, const char *headers, const char *body)
{
	struct http_exchange *x;
	char text[16384];

	snprintf(text, sizeof text, "%s /mcp HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n%sContent-Length: %zu\r\n\r\n%s", method, headers,
	    strlen(body), body);
	assert_int_equal(http_exchange_of((struct span){ (const uint8_t *)text, strlen(text) }, on_answer, s, &x), OK);
	s->status = 0;
	http_dispatch(rig_self(s->rig), x);
	return s->status;
}

static int
post(struct state *s, const char *body)
{
	return say(s, "POST", BEARER JSON_TYPE, body);
}

static bool
has(const struct state *s, const char *header)
{
	return strstr(s->headers, header) != NULL;
}

/* Grants knows the token, with those scopes. */
static void
knows(struct state *s, unsigned scopes)
{
	struct token_found_body b = { .connection = ask_rig_id(0x33), .scopes = (uint8_t)scopes, .left_ms = 500000 };
	const union any_body *body = rig_expect(s->rig, MSG_TOKEN_CHECK);
	uint8_t hash[32];

	assert_non_null(body);
	oauth_hash((struct span){ (const uint8_t *)TOKEN, sizeof TOKEN - 1 }, hash);
	assert_memory_equal(body->token_check.token, hash, 32);
	assert_int_equal(rig_deliver(s->rig, MSG_TOKEN_FOUND, ACTOR_GRANTS, rig_ask_id(s->rig), &b), OK);
}

/* The token is known from now on. */
static void
log_in(struct state *s, unsigned scopes)
{
	assert_int_equal(post(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), 0);
	knows(s, scopes);
	assert_int_equal(s->status, 200);
}

#define CALL(name, arguments) "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\",\"arguments\":{" arguments "}}}"
#define CONTEXT CALL("get_user_context", "")

/* The ask that has gone out. */
static struct rig_ask
asked(struct state *s, enum op op)
{
	const union any_body *b = rig_expect(s->rig, MSG_HTTP_ASK);
	struct rig_ask ask = { .id = 0 };

	assert_non_null(b);
	ask.id = rig_ask_id(s->rig);
	ask.body = b->ask;
	ask.body.boxed_query = (struct span){ NULL, 0 };
	assert_int_equal(ask.body.op, op);
	return ask;
}

static void
finds(struct state *s, const struct rig_ask *ask)
{
	struct key *result = NULL;

	assert_int_equal(key_random(&result), OK);
	ask_rig_found(&s->behind, ask->id, result);
	ask_rig_ack(&s->behind, ask, result, (struct rig_ack){ .outside = false });
	key_free(&result);
}

static void
who_has_no_token_hears_where_to_get_one(void **at)
{
	struct state *s = *at;
	static const char *const none[] = { "", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n", "Authorization: Basic eDp5\r\n",
		"Authorization: Bearerx y\r\n", "Cookie: token=" TOKEN "\r\n" };

	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_int_equal(say(s, "POST", none[i], "{}"), 401);
		assert_true(has(s, "WWW-Authenticate: Bearer resource_metadata=\"http://127.0.0.1:8787/.well-known/oauth-protected-resource/mcp\""));
		assert_false(has(s, "error="));
	}
	assert_int_equal(say(s, "GET", "", ""), 401);
	assert_int_equal(say(s, "DELETE", "", ""), 401);
	assert_int_equal(say(s, "POST", BEARER BEARER, "{}"), 400);
	assert_true(rig_silent(s->rig));
}

static void
a_token_in_the_url_is_none(void **at)
{
	struct state *s = *at;
	struct http_exchange *x;
	static const char text[] = "POST /mcp?access_token=" TOKEN " HTTP/1.1\r\nHost: 127.0.0.1:8787\r\nContent-Length: 0\r\n\r\n";

	assert_int_equal(http_exchange_of((struct span){ (const uint8_t *)text, sizeof text - 1 }, on_answer, s, &x), OK);
	http_dispatch(rig_self(s->rig), x);
	assert_int_equal(s->status, 401);
}

static void
a_token_that_nobody_knows_is_invalid(void **at)
{
	struct state *s = *at;

	assert_int_equal(say(s, "POST", "Authorization: Bearer nonsense\r\n", "{}"), 401);
	assert_true(has(s, "error=\"invalid_token\""));
	assert_true(rig_silent(s->rig));
	assert_int_equal(post(s, CONTEXT), 0);
	assert_non_null(rig_expect(s->rig, MSG_TOKEN_CHECK));
	assert_int_equal(rig_deliver(s->rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(s->rig),
	    &(struct refusal_body){ .error = ERR_INVALID_TOKEN }), OK);
	assert_int_equal(s->status, 401);
	assert_true(has(s, "error=\"invalid_token\""));
	/* What keeps grants from looking is another thing. */
	assert_int_equal(post(s, CONTEXT), 0);
	assert_non_null(rig_expect(s->rig, MSG_TOKEN_CHECK));
	assert_int_equal(rig_deliver(s->rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(s->rig), &(struct refusal_body){ .error = ERR_LOCKED }), OK);
	assert_int_equal(s->status, 503);
	assert_true(has(s, "Retry-After: "));
}

static void
method_and_type_are_looked_at_behind_the_token(void **at)
{
	struct state *s = *at;

	log_in(s, READ);
	assert_int_equal(say(s, "GET", BEARER, ""), 405);
	assert_true(has(s, "Allow: POST\n"));
	assert_int_equal(say(s, "DELETE", BEARER, ""), 405);
	assert_int_equal(say(s, "PUT", BEARER JSON_TYPE, "{}"), 405);
	assert_int_equal(say(s, "POST", BEARER, "{}"), 415);
	assert_int_equal(say(s, "POST", BEARER "Content-Type: text/plain\r\n", "{}"), 415);
	assert_int_equal(say(s, "POST", BEARER "Content-Type: application/jsonx\r\n", "{}"), 415);
	assert_int_equal(say(s, "POST", BEARER JSON_TYPE "Content-Encoding: gzip\r\n", "{}"), 415);
	assert_int_equal(say(s, "POST", BEARER "Content-Type: Application/JSON; charset=utf-8\r\n", "{}"), 400);
	assert_int_equal(post(s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"), 202);
	assert_string_equal(s->body, "");
	assert_false(has(s, "Content-Type"));
}

static void
a_page_of_another_origin_does_not_come_in(void **at)
{
	struct state *s = *at;

	assert_int_equal(say(s, "POST", "Origin: https://evil.example\r\n" BEARER JSON_TYPE, CONTEXT), 403);
	assert_int_equal(say(s, "OPTIONS", "Origin: https://evil.example\r\n", ""), 403);
	assert_false(has(s, "Access-Control-Allow-Origin"));
	assert_int_equal(say(s, "OPTIONS", "Origin: http://localhost:6274\r\n", ""), 204);
	assert_true(has(s, "Access-Control-Allow-Origin: http://localhost:6274\n"));
	assert_true(has(s, "Access-Control-Allow-Headers: Authorization, "));
	assert_int_equal(say(s, "POST", "Origin: http://localhost:6274\r\n", "{}"), 401);
	assert_true(has(s, "Access-Control-Allow-Origin: http://localhost:6274\n"));
	assert_true(has(s, "Access-Control-Expose-Headers: WWW-Authenticate"));
	assert_true(has(s, "Vary: Origin\n"));
}

static void
a_token_is_asked_for_again_after_some_seconds_and_when_something_changes(void **at)
{
	struct state *s = *at;
	static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

	log_in(s, READ);
	assert_int_equal(post(s, ping), 200);
	assert_true(rig_silent(s->rig));
	fake_clock_advance(9999);
	assert_int_equal(post(s, ping), 200);
	fake_clock_advance(1);
	assert_int_equal(post(s, ping), 0);
	knows(s, READ);
	assert_int_equal(rig_deliver(s->rig, MSG_CONNECTION_CHANGED, ACTOR_GRANTS, 0, &(struct one_id_body){ .id = ask_rig_id(0x33) }), OK);
	assert_int_equal(post(s, ping), 0);
	knows(s, READ);
	rig_edge(s->rig, ACTOR_GRANTS, false);
	assert_int_equal(post(s, ping), 503);
}

static void
what_was_asked_is_answered_when_it_has_come(void **at)
{
	struct state *s = *at;
	struct rig_ask ask;

	log_in(s, READ);
	assert_int_equal(post(s, CONTEXT), 0);
	ask = asked(s, OP_PROFILE_READ);
	assert_int_equal(ask.body.limit, 50);
	finds(s, &ask);
	assert_int_equal(s->status, 200);
	assert_true(has(s, "Content-Type: application/json"));
	assert_string_equal(s->body, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"summary\\\":\\\"\\\"}\"}]}}");
}

static void
a_scope_that_is_missing_is_named_with_all_that_the_post_needs(void **at)
{
	struct state *s = *at;
	const union any_body *b;

	log_in(s, READ);
	assert_int_equal(post(s, CALL("search_user_context", "\"query\":\"x\"")), 403);
	assert_true(has(s, "error=\"insufficient_scope\""));
	assert_true(has(s, "scope=\"profile:read context:search\""));
	assert_non_null(b = rig_expect(s->rig, MSG_HTTP_REFUSAL_NOTED));
	assert_int_equal(b->noted.error, ERR_INSUFFICIENT_SCOPE);
	assert_int_equal(b->noted.op, OP_PROFILE_SEARCH);
	assert_true(uuid_equal(b->noted.subject, ask_rig_id(0x33)));
	assert_int_equal(post(s, "[" CONTEXT "," CALL("propose_memory", "\"op\":\"add\",\"category\":\"goal\",\"label\":\"l\",\"value\":\"v\"") "]"), 403);
	assert_null(rig_expect(s->rig, MSG_HTTP_ASK));
	/* The list shows what can be asked for. */
	rig_forget(s->rig);
	assert_int_equal(post(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), 200);
	assert_non_null(strstr(s->body, "propose_memory"));
}

static void
what_grants_says_in_the_ruling_holds_for_all_of_the_post(void **at)
{
	static const struct {
		enum err    why;
		int         status;
		const char *header, *body;
	} rows[] = {
		{ ERR_INVALID_TOKEN, 401, "error=\"invalid_token\"", "invalid_token" },
		{ ERR_INSUFFICIENT_SCOPE, 403, "scope=\"profile:read\"", "insufficient_scope" },
		{ ERR_LOCKED, 503, "Retry-After: ", "{\"error\":{\"code\":\"locked\"" },
		{ ERR_MAINTENANCE, 503, "Retry-After: ", "{\"error\":{\"code\":\"maintenance\"" },
		{ ERR_PROFILE_OFF, 503, "Retry-After: ", "{\"error\":{\"code\":\"profile_off\"" },
	};
	struct state *s = *at;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (post(s, "[" CONTEXT "," CONTEXT "]") == 0 && rig_next(s->rig) == MSG_TOKEN_CHECK)
			knows(s, READ);
		assert_non_null(rig_expect(s->rig, MSG_HTTP_ASK));
		assert_int_equal(rig_deliver(s->rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(s->rig),
		    &(struct refusal_body){ .error = (uint16_t)rows[i].why, .authenticated = true }), OK);
		assert_int_equal(s->status, rows[i].status);
		assert_true(has(s, rows[i].header));
		assert_non_null(strstr(s->body, rows[i].body));
		rig_forget(s->rig);
	}
}

static void
calls_of_an_array_are_asked_one_after_the_other(void **at)
{
	struct state *s = *at;
	struct rig_ask ask;

	log_in(s, READ | 1u << SCOPE_SEARCH);
	assert_int_equal(post(s, "[" CONTEXT "," CALL("search_user_context", "\"query\":\"x\",\"limit\":3") "," CALL("search_user_context", "") "]"), 0);
	ask = asked(s, OP_PROFILE_READ);
	assert_true(rig_silent(s->rig));
	finds(s, &ask);
	assert_int_equal(s->status, 0);
	/* The next went out from where the first came in. */
	assert_int_equal(outbox_count(s->behind.out), 1);
	ask = ask_rig_take(&s->behind);
	assert_int_equal(ask.body.limit, 3);
	assert_int_equal(rig_deliver(s->rig, MSG_HTTP_QUERY_REFUSED, ACTOR_PROFILE, ask.id, &(struct refusal_body){ .error = ERR_CONFLICT,
	    .detail = { (const uint8_t *)"it changed", 10 } }), OK);
	assert_int_equal(s->status, 200);
	assert_non_null(strstr(s->body, "{\\\"summary\\\":\\\"\\\"}"));
	assert_non_null(strstr(s->body, "{\\\"error\\\":{\\\"code\\\":\\\"conflict\\\",\\\"message\\\":\\\"it changed\\\"}}"));
	assert_non_null(strstr(s->body, "\\\"code\\\":\\\"invalid_argument\\\""));
}

static void
behind_a_call_that_nobody_answered_nothing_is_asked(void **at)
{
	struct state *s = *at;

	log_in(s, READ);
	assert_int_equal(post(s, "[" CONTEXT "," CONTEXT "," CALL("get_user_context", "\"x\":1") "]"), 0);
	(void)asked(s, OP_PROFILE_READ);
	fake_clock_advance(HTTP_ASK_MS);
	(void)rig_tick(s->rig, clock_mono());
	assert_int_equal(s->status, 200);
	assert_null(rig_expect(s->rig, MSG_HTTP_ASK));
	assert_non_null(strstr(s->body, "\\\"code\\\":\\\"timeout\\\",\\\"message\\\":\\\"the daemon did not answer"));
	assert_non_null(strstr(s->body, "\\\"code\\\":\\\"timeout\\\",\\\"message\\\":\\\"it was not begun"));
	assert_non_null(strstr(s->body, "\\\"code\\\":\\\"invalid_argument\\\""));
}

static void
the_same_call_that_failed_three_times_is_not_asked_again(void **at)
{
	struct state *s = *at;

	log_in(s, READ);
	for (unsigned i = 0; i < 3; i++) {
		struct rig_ask ask;

		assert_int_equal(post(s, CONTEXT), 0);
		ask = asked(s, OP_PROFILE_READ);
		assert_int_equal(rig_deliver(s->rig, MSG_HTTP_QUERY_REFUSED, ACTOR_PROFILE, ask.id, &(struct refusal_body){ .error = ERR_CONFLICT }), OK);
		assert_int_equal(s->status, 200);
		rig_forget(s->rig);
	}
	assert_int_equal(post(s, CONTEXT), 200);
	assert_non_null(strstr(s->body, "\\\"code\\\":\\\"repeated_failure\\\""));
	assert_true(rig_silent(s->rig));
	/* The same for what is wrong before it is asked. */
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(post(s, CALL("read_user_context_page", "\"offset\":1")), 200);
		assert_non_null(strstr(s->body, "invalid_argument"));
	}
	assert_int_equal(post(s, CALL("read_user_context_page", "\"offset\":1")), 200);
	assert_non_null(strstr(s->body, "repeated_failure"));
	assert_int_equal(post(s, CALL("read_user_context_page", "\"offset\":2")), 200);
	assert_non_null(strstr(s->body, "invalid_argument"));
}

/* Grants knows the token, as one of that connection. */
static void
knows_as(struct state *s, struct uuid connection)
{
	struct token_found_body b = { .connection = connection, .scopes = READ, .left_ms = 500000 };

	assert_non_null(rig_expect(s->rig, MSG_TOKEN_CHECK));
	assert_int_equal(rig_deliver(s->rig, MSG_TOKEN_FOUND, ACTOR_GRANTS, rig_ask_id(s->rig), &b), OK);
}

static void
one_connection_leaves_room_for_the_others(void **at)
{
	static const char other[] = "Authorization: Bearer mat_1123456789abcdefghijklmnopqrstuvwxyzABCDEFE\r\n" JSON_TYPE;
	struct state *s = *at;
	struct rig_ask ask;

	log_in(s, READ);
	assert_int_equal(post(s, CONTEXT), 0);
	ask = asked(s, OP_PROFILE_READ);
	for (unsigned i = 1; i < HTTP_ASKS_MAX / 2; i++) {
		assert_int_equal(post(s, CONTEXT), 0);
		rig_forget(s->rig);
	}
	assert_int_equal(post(s, CONTEXT), 503);
	assert_non_null(strstr(s->body, "{\"error\":{\"code\":\"busy\""));
	assert_true(rig_silent(s->rig));
	assert_int_equal(say(s, "POST", other, CONTEXT), 0);
	knows_as(s, ask_rig_id(0x34));
	assert_non_null(rig_expect(s->rig, MSG_HTTP_ASK));
	/* What has ended counts no more. */
	finds(s, &ask);
	assert_int_equal(post(s, CONTEXT), 0);
}

static void
a_closed_endpoint_says_why_before_anything_else(void **at)
{
	struct state *s = *at;
	struct http_gateway *g = rig_self(s->rig);

	g->phase = HTTP_LOCKED;
	assert_int_equal(post(s, CONTEXT), 503);
	assert_non_null(strstr(s->body, "{\"error\":{\"code\":\"locked\""));
	/* To a page that may call here, too. */
	assert_int_equal(say(s, "POST", BEARER JSON_TYPE "Origin: http://localhost:3000\r\n", CONTEXT), 503);
	assert_true(has(s, "Access-Control-Allow-Origin: http://localhost:3000\n"));
	assert_int_equal(say(s, "POST", BEARER JSON_TYPE "Origin: https://evil.example\r\n", CONTEXT), 503);
	assert_false(has(s, "Access-Control-Allow-Origin"));
}

static void
what_is_under_way_when_the_process_stops_is_answered(void **at)
{
	struct state *s = *at;

	log_in(s, READ);
	assert_int_equal(post(s, CONTEXT), 0);
	fake_clock_advance(10000);
	assert_int_equal(post(s, CONTEXT), 0);
	s->n_answers = 0;
	rig_close(&s->rig);
	assert_int_equal(s->n_answers, 2);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		CASE(who_has_no_token_hears_where_to_get_one),
		CASE(a_token_in_the_url_is_none),
		CASE(a_token_that_nobody_knows_is_invalid),
		CASE(method_and_type_are_looked_at_behind_the_token),
		CASE(a_page_of_another_origin_does_not_come_in),
		CASE(a_token_is_asked_for_again_after_some_seconds_and_when_something_changes),
		CASE(what_was_asked_is_answered_when_it_has_come),
		CASE(a_scope_that_is_missing_is_named_with_all_that_the_post_needs),
		CASE(what_grants_says_in_the_ruling_holds_for_all_of_the_post),
		CASE(calls_of_an_array_are_asked_one_after_the_other),
		CASE(behind_a_call_that_nobody_answered_nothing_is_asked),
		CASE(the_same_call_that_failed_three_times_is_not_asked_again),
		CASE(one_connection_leaves_room_for_the_others),
		CASE(a_closed_endpoint_says_why_before_anything_else),
		CASE(what_is_under_way_when_the_process_stops_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
