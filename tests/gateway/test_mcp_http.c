/* Which revision serves a POST, with which status and which error it is refused, and what it asks of the profile. */
#include <stdlib.h>

#include "tests/gateway/mcp_http_rig.h"
#include "tests/support/check.h"

#define MODERN_VERSION "2026-07-28"
#define REQUEST(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define WITH(id, method, params) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define MODERN(id, method)              WITH(id, method, MODERN_META)
#define MODERN_WITH(id, method, params) WITH(id, method, MODERN_META "," params)
#define META(members)                   "\"_meta\":{" members "}"
#define VERSION(v)                      "\"io.modelcontextprotocol/protocolVersion\":" v
#define CAPABILITIES                    "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define CONTEXT                         "\"name\":\"get_user_context\""

static int
set_up(void **state)
{
	*state = calloc(1, sizeof(struct http_rig));
	return *state == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
	http_rig_clear(*state);
	free(*state);
	return 0;
}

static void
expect_start(struct http_rig *rig, const struct http_post *post, int status, const char *start)
{
	const char *answer = http_rig_post(rig, post);

	if (strncmp(answer, start, strlen(start)) != 0 || rig->plan.status != status)
		fail_msg("to    %s\nwanted %d %s\ncame   %d %.300s", post->body, status, start, rig->plan.status, answer);
}

/* id "" stands for an answer without one. */
static void
expect_error(struct http_rig *rig, const struct http_post *post, int status, const char *id, int code)
{
	char start[256];

	snprintf(start, sizeof start, "{\"jsonrpc\":\"2.0\"%s%s,\"error\":{\"code\":%d,\"message\":\"",
	    *id ? ",\"id\":" : "", id, code);
	expect_start(rig, post, status, start);
}

static void
expect_result(struct http_rig *rig, const struct http_post *post, const char *id)
{
	char start[256];

	snprintf(start, sizeof start, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", id);
	expect_start(rig, post, 200, start);
}

static void
expect_accepted(struct http_rig *rig, const struct http_post *post)
{
	assert_string_equal(http_rig_post(rig, post), "");
	assert_int_equal(rig->plan.status, 202);
}

static bool
says(const struct http_rig *rig, const char *part)
{
	return strstr(rig->text, part) != NULL;
}

#define LEGACY(text)       &(struct http_post){ .body = (text) }
#define AT(header, text)   &(struct http_post){ .body = (text), .version = (header) }
#define NEW(m, text)       &(struct http_post){ .body = (text), .version = MODERN_VERSION, .method = (m) }
#define NAMED(m, n, text)  &(struct http_post){ .body = (text), .version = MODERN_VERSION, .method = (m), .name = (n) }

static void
a_handshake_agrees_whatever_a_legacy_header_says(void **state)
{
	static const char *const wanted[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };
	char body[256], part[64];

	for (size_t i = 0; i < 4; i++) {
		snprintf(body, sizeof body, WITH("0", "initialize", "\"protocolVersion\":\"%s\""), wanted[i]);
		expect_result(*state, LEGACY(body), "0");
		snprintf(part, sizeof part, "\"protocolVersion\":\"%s\"", wanted[i]);
		assert_true(says(*state, part));
		assert_true(says(*state, "\"capabilities\":{\"tools\":{},\"resources\":{}}"));
		expect_result(*state, AT("2025-06-18", body), "0");
		expect_result(*state, AT("1999-01-01", body), "0");
	}
	expect_result(*state, LEGACY(WITH("0", "initialize", "\"protocolVersion\":\"2026-07-28\"")), "0");
	assert_true(says(*state, "\"protocolVersion\":\"2025-11-25\""));
	expect_error(*state, LEGACY(WITH("0", "initialize", "")), 200, "0", -32602);
}

static void
a_legacy_header_decides_what_is_shown_and_none_means_2025_03_26(void **state)
{
	expect_result(*state, LEGACY(REQUEST("1", "tools/list")), "1");
	assert_true(says(*state, "\"annotations\":"));
	assert_false(says(*state, "outputSchema"));
	expect_result(*state, AT("2024-11-05", REQUEST("1", "tools/list")), "1");
	assert_false(says(*state, "\"annotations\":"));
	expect_result(*state, AT("2025-06-18", REQUEST("1", "tools/list")), "1");
	assert_true(says(*state, "outputSchema"));
	assert_false(says(*state, "resultType"));
	expect_error(*state, AT("2025-01-01", REQUEST("1", "tools/list")), 400, "1", -32600);
	assert_true(says(*state, "\"requested\":\"2025-01-01\""));
	assert_true(says(*state, "\"supported\":[\"2026-07-28\","));
	expect_error(*state, AT("", REQUEST("1", "tools/list")), 400, "1", -32600);
}

static void
a_modern_request_is_served_when_its_headers_say_what_it_says(void **state)
{
	expect_result(*state, NEW("server/discover", MODERN("1", "server/discover")), "1");
	assert_true(says(*state, "\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\""));
	assert_true(says(*state, "\"resultType\":\"complete\",\"ttlMs\":3600000,\"cacheScope\":\"public\",\"_meta\":"));
	expect_result(*state, NEW("tools/list", MODERN("\"x\"", "tools/list")), "\"x\"");
	expect_result(*state, NAMED("tools/call", "get_user_context", MODERN_WITH("2", "tools/call", CONTEXT)), "2");
	assert_true(says(*state, "\"structuredContent\":" RIG_CONTEXT));
	assert_true(says(*state, "\"resultType\":\"complete\""));
	expect_result(*state, NAMED("resources/read", PROFILE_URI, MODERN_WITH("3", "resources/read", "\"uri\":\"" PROFILE_URI "\"")), "3");
	assert_true(says(*state, "\"ttlMs\":0,\"cacheScope\":\"private\""));
	/* Wrapped, which whoever likes may do. */
	expect_result(*state, NAMED("tools/call", "=?base64?Z2V0X3VzZXJfY29udGV4dA==?=", MODERN_WITH("2", "tools/call", CONTEXT)), "2");
}

static void
a_modern_request_without_its_envelope_is_refused_first(void **state)
{
	expect_error(*state, NEW("tools/list", REQUEST("1", "tools/list")), 400, "1", -32602);
	expect_error(*state, NEW("tools/list", WITH("1", "tools/list", META(VERSION("\"2026-07-28\"")))), 400, "1", -32602);
	expect_error(*state, NEW("tools/list", WITH("1", "tools/list", META(CAPABILITIES))), 400, "1", -32602);
	expect_error(*state, NEW("tools/list", WITH("1", "tools/list", META(VERSION("7") "," CAPABILITIES))), 400, "1", -32602);
	expect_error(*state, AT("2027-01-01", REQUEST("1", "initialize")), 400, "1", -32602);
	expect_error(*state, LEGACY(REQUEST("1", "server/discover")), 400, "1", -32602);
	expect_error(*state, AT("foo", REQUEST("1", "tools/list")), 400, "1", -32602);
}

static void
headers_that_are_missing_doubled_or_different_are_a_mismatch(void **state)
{
	static const char list[] = MODERN("1", "tools/list"), call[] = MODERN_WITH("1", "tools/call", CONTEXT);
	const struct http_post posts[] = {
		{ .body = list, .method = "tools/list" },
		{ .body = list, .version = "2025-11-25", .method = "tools/list" },
		{ .body = list, .version = "2027-01-01", .method = "tools/list" },
		{ .body = list, .version = MODERN_VERSION, .version_twice = true, .method = "tools/list" },
		{ .body = list, .version = MODERN_VERSION },
		{ .body = list, .version = MODERN_VERSION, .method = "Tools/list" },
		{ .body = list, .version = MODERN_VERSION, .method = "tools/list", .method_twice = true },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call" },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "get_user_contex" },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "get_user_context", .name_twice = true },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "get_user_context\xc3\xa9" },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "=?base64?Z2V0X3VzZXJfY29udGV4dA?=" },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "=?base64?Z2V0X3VzZXJfY29udGV4dB==?=" },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "=?BASE64?Z2V0X3VzZXJfY29udGV4dA==?=" },
		{ .body = call, .version = MODERN_VERSION, .method = "tools/call", .name = "=?base64?=" },
		{ .body = MODERN_WITH("1", "prompts/get", "\"name\":\"x\""), .version = MODERN_VERSION, .method = "prompts/get" },
		{ .body = MODERN_WITH("1", "resources/read", "\"uri\":\"" PROFILE_URI "\""), .version = MODERN_VERSION,
		  .method = "resources/read", .name = "x:y" },
		{ .body = REQUEST("1", "tools/list"), .version = "2025-06-18", .version_twice = true },
	};

	for (size_t i = 0; i < sizeof posts / sizeof *posts; i++)
		expect_error(*state, &posts[i], 400, "1", -32020);
	/* A name that is no string is refused for that. */
	expect_error(*state, NEW("tools/call", MODERN_WITH("1", "tools/call", "\"name\":7")), 200, "1", -32602);
}

static void
a_version_that_is_not_ours_is_told_with_those_that_are(void **state)
{
	expect_error(*state, &(struct http_post){ .body = WITH("1", "tools/list", META(VERSION("\"1900-01-01\"") "," CAPABILITIES)),
	    .version = "1900-01-01", .method = "tools/list" }, 400, "1", -32022);
	assert_true(says(*state, "\"data\":{\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"],"
	    "\"requested\":\"1900-01-01\"}"));
	expect_error(*state, &(struct http_post){ .body = WITH("1", "tools/list", META(VERSION("\"2025-11-25\"") "," CAPABILITIES)),
	    .version = "2025-11-25", .method = "tools/list" }, 400, "1", -32022);
}

static void
an_unknown_method_is_404_for_the_modern_alone(void **state)
{
	static const char *const gone[] = {
		"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "prompts/list", "no/such",
		"subscriptions/listen", "completion/complete",
	};
	char body[512];

	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
		snprintf(body, sizeof body, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"%s\",\"params\":{" MODERN_META "}}", gone[i]);
		expect_error(*state, NEW(gone[i], body), 404, "9", -32601);
	}
	expect_error(*state, LEGACY(REQUEST("9", "no/such")), 200, "9", -32601);
	expect_error(*state, AT("2025-11-25", REQUEST("9", "server/discover")), 200, "9", -32601);
	expect_result(*state, LEGACY(REQUEST("9", "prompts/list")), "9");
	expect_result(*state, LEGACY(REQUEST("9", "ping")), "9");
}

static void
what_is_no_request_is_400(void **state)
{
	expect_error(*state, LEGACY("junk"), 400, "", -32700);
	expect_error(*state, LEGACY(""), 400, "", -32700);
	expect_error(*state, LEGACY("\"ping\""), 400, "", -32600);
	expect_error(*state, LEGACY("{\"id\":1,\"method\":\"ping\"}"), 400, "1", -32600);
	expect_error(*state, LEGACY("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"), 400, "", -32600);
	expect_error(*state, LEGACY("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}"), 400, "", -32600);
	expect_error(*state, NEW("ping", "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}"), 400, "", -32600);
}

static void
notifications_and_legacy_responses_are_accepted_without_a_word(void **state)
{
	static const char initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

	expect_accepted(*state, LEGACY(initialized));
	expect_accepted(*state, AT("2025-06-18", initialized));
	expect_accepted(*state, AT(MODERN_VERSION, initialized));
	expect_accepted(*state, LEGACY("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
	expect_accepted(*state, LEGACY("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}"));
	expect_error(*state, AT("2025-01-01", initialized), 400, "", -32600);
	expect_error(*state, &(struct http_post){ .body = initialized, .version = "2025-06-18", .version_twice = true }, 400, "", -32020);
}

static void
an_array_is_for_one_revision_alone(void **state)
{
	struct http_rig *rig = *state;
	static const char two[] = "[" REQUEST("1", "ping") "," WITH("2", "tools/call", CONTEXT) ",{\"jsonrpc\":\"2.0\",\"method\":\"x\"},"
	    REQUEST("3", "no/such") ",7]";

	expect_start(rig, LEGACY(two), 200, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"content\":[{\"type\":\"text\",");
	assert_true(says(rig, "\"id\":3,\"error\":{\"code\":-32601"));
	assert_true(says(rig, "},{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600"));
	expect_start(rig, AT("2025-03-26", two), 200, "[");
	expect_error(rig, AT("2024-11-05", two), 400, "", -32600);
	expect_error(rig, AT("2025-06-18", two), 400, "", -32600);
	expect_error(rig, AT(MODERN_VERSION, two), 400, "", -32600);
	expect_error(rig, AT("what", two), 400, "", -32600);
	expect_error(rig, LEGACY("[]"), 400, "", -32600);
	expect_error(rig, LEGACY("[" WITH("1", "initialize", "\"protocolVersion\":\"2025-03-26\"") "]"), 400, "", -32600);
	expect_error(rig, LEGACY("[" REQUEST("1", "ping") "," MODERN("2", "tools/list") "]"), 400, "", -32600);
	expect_accepted(rig, LEGACY("[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"));
}

static void
an_array_has_a_limit(void **state)
{
	char body[8192] = "[";

	for (size_t i = 0; i < MCP_BATCH_MAX; i++)
		snprintf(body + strlen(body), sizeof body - strlen(body), "%s{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"ping\"}", i > 0 ? "," : "", i);
	snprintf(body + strlen(body), sizeof body - strlen(body), "]");
	expect_start(*state, LEGACY(body), 200, "[{");
	snprintf(body + strlen(body) - 1, sizeof body - strlen(body), ",7]");
	expect_error(*state, LEGACY(body), 400, "", -32600);
}

static void
asks_of_an_array_are_made_and_answered_in_their_order(void **state)
{
	struct http_rig *rig = *state;

	http_rig_post(rig, LEGACY("[" WITH("1", "tools/call", "\"name\":\"search_user_context\",\"arguments\":{\"query\":\"conflict\"}") ","
	    WITH("2", "tools/call", "\"name\":\"search_user_context\",\"arguments\":{}") ","
	    WITH("3", "tools/call", CONTEXT) ","
	    WITH("4", "resources/read", "\"uri\":\"" RIG_PAGE_URI "\"") "]"));
	assert_int_equal(rig->plan.n_asks, 4);
	assert_string_equal(rig->asked, "{\"do\":\"search\",\"query\":\"conflict\",\"offset\":0,\"limit\":10}\n\n{\"do\":\"context\"}\n"
	    "{\"do\":\"page\",\"offset\":1,\"version\":\"" RIG_VERSION "\"}\n");
	assert_int_equal(rig->plan.scopes, 1u << SCOPE_READ | 1u << SCOPE_SEARCH);
	assert_true(says(rig, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"error\\\":{\\\"code\\\":\\\"conflict\\\""));
	assert_true(says(rig, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"error\\\":{\\\"code\\\":"
	    "\\\"invalid_argument\\\",\\\"message\\\":\\\"\\\\\\\"query\\\\\\\" is required\\\""));
	assert_true(says(rig, "\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"summary\\\":\\\"One fact.\\\""));
	assert_true(says(rig, "\"id\":4,\"result\":{\"contents\":[{\"uri\":\"" RIG_PAGE_URI "\",\"mimeType\":\"application/json\",\"text\":"
	    "\"{\\\"summary\\\":\\\"No fact.\\\""));
}

static void
a_failed_call_tells_code_and_message_and_has_no_structure(void **state)
{
	struct http_rig *rig = *state;

	expect_result(rig, AT("2025-11-25", WITH("1", "tools/call", "\"name\":\"search_user_context\",\"arguments\":{\"query\":\"told\"}")), "1");
	assert_true(says(rig, "{\\\"error\\\":{\\\"code\\\":\\\"not_found\\\",\\\"message\\\":\\\"told so\\\"}}\"}],\"isError\":true}"));
	assert_false(says(rig, "structuredContent"));
	expect_result(rig, AT("2025-11-25", WITH("1", "tools/call", "\"name\":\"search_user_context\",\"arguments\":{\"query\":\"blocked\"}")), "1");
	assert_true(says(rig, "\\\"code\\\":\\\"repeated_failure\\\""));
	expect_error(rig, LEGACY(WITH("1", "tools/call", "\"name\":\"search\"")), 200, "1", -32602);
	assert_int_equal(rig->plan.n_asks, 0);
	/* What the op wants is said although the schema could not. */
	expect_result(rig, LEGACY(WITH("1", "tools/call", "\"name\":\"propose_memory\",\"arguments\":{\"op\":\"update\",\"label\":\"a\",\"value\":\"b\"}")), "1");
	assert_true(says(rig, "\\\"target_fact_id\\\\\\\" is required for this op"));
}

static void
resources_that_are_not_there_and_pages_that_are_stale(void **state)
{
	struct http_rig *rig = *state;

	expect_result(rig, LEGACY(REQUEST("1", "resources/list")), "1");
	assert_true(says(rig, "{\"uri\":\"" PROFILE_URI "\",\"name\":\"profile-summary\",\"description\":"));
	assert_false(says(rig, "\"size\""));
	expect_error(rig, LEGACY(WITH("1", "resources/list", "\"cursor\":\"\"")), 200, "1", -32602);
	expect_result(rig, LEGACY(REQUEST("1", "resources/templates/list")), "1");
	assert_true(says(rig, "\"uriTemplate\":\"" PROFILE_URI "?version={version}&offset={offset}\""));
	expect_error(rig, LEGACY(WITH("1", "resources/read", "\"uri\":\"lifeos://profile/other\"")), 200, "1", -32002);
	assert_true(says(rig, "\"data\":{\"uri\":\"lifeos://profile/other\"}"));
	expect_error(rig, NAMED("resources/read", "x:y", MODERN_WITH("1", "resources/read", "\"uri\":\"x:y\"")), 200, "1", -32602);
	expect_error(rig, LEGACY(WITH("1", "resources/read", "\"uri\":\"" PROFILE_URI "?version=" RIG_VERSION "&offset=7\"")), 200, "1", -31000);
	assert_true(says(rig, "\"data\":{\"code\":\"conflict\"}"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_handshake_agrees_whatever_a_legacy_header_says, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_legacy_header_decides_what_is_shown_and_none_means_2025_03_26, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_modern_request_is_served_when_its_headers_say_what_it_says, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_modern_request_without_its_envelope_is_refused_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(headers_that_are_missing_doubled_or_different_are_a_mismatch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_version_that_is_not_ours_is_told_with_those_that_are, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unknown_method_is_404_for_the_modern_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_request_is_400, set_up, tear_down),
		cmocka_unit_test_setup_teardown(notifications_and_legacy_responses_are_accepted_without_a_word, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_array_is_for_one_revision_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_array_has_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(asks_of_an_array_are_made_and_answered_in_their_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failed_call_tells_code_and_message_and_has_no_structure, set_up, tear_down),
		cmocka_unit_test_setup_teardown(resources_that_are_not_there_and_pages_that_are_stale, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
