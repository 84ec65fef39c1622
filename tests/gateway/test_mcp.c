/* Which era serves a message, which messages are refused with which code, and ids. */
#include <stdlib.h>

#include "gateway/json_scan.h"
#include "tests/gateway/mcp_rig.h"
#include "tests/support/check.h"

#define REQUEST(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define WITH(id, method, params) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define MODERN(id, method)               WITH(id, method, MODERN_META)
#define MODERN_WITH(id, method, params)  WITH(id, method, MODERN_META "," params)
#define META(members)                    "\"_meta\":{" members "}"
#define VERSION(v)                       "\"io.modelcontextprotocol/protocolVersion\":" v
#define CAPABILITIES(v)                  "\"io.modelcontextprotocol/clientCapabilities\":" v

static int
set_up(void **state)
{
	struct mcp_rig *rig = malloc(sizeof *rig);

	if (rig == NULL)
		return -1;
	rig_open(rig);
	*state = rig;
	return 0;
}

static int
tear_down(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

static void
expect_start(struct mcp_rig *rig, const char *message, const char *start)
{
	const char *answer = rig_say(rig, message);

	if (strncmp(answer, start, strlen(start)) != 0)
		fail_msg("to    %s\nwanted %s\ncame   %.300s", message, start, answer);
}

/* id "" stands for an answer without one. */
static void
expect_error(struct mcp_rig *rig, const char *message, const char *id, int code)
{
	char start[256];

	snprintf(start, sizeof start, "{\"jsonrpc\":\"2.0\"%s%s,\"error\":{\"code\":%d,\"message\":\"",
	    *id ? ",\"id\":" : "", id, code);
	expect_start(rig, message, start);
}

static void
expect_result(struct mcp_rig *rig, const char *message, const char *id)
{
	char start[256];

	snprintf(start, sizeof start, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", id);
	expect_start(rig, message, start);
}

static void
expect_silence(struct mcp_rig *rig, const char *message)
{
	assert_string_equal(rig_say(rig, message), "");
}

static bool
says(struct mcp_rig *rig, const char *part)
{
	return strstr(rig->text, part) != NULL;
}

static void
a_handshake_agrees_on_the_version_asked_for(void **state)
{
	struct mcp_rig *rig = *state;
	static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };
	char wanted[128];

	for (size_t i = 0; i < 4; i++) {
		rig_initialize(rig, versions[i]);
		snprintf(wanted, sizeof wanted, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"%s\","
		    "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"memories\",", versions[i]);
		assert_memory_equal(rig->text, wanted, strlen(wanted));
		assert_int_equal(says(rig, "\"title\":\"Memories\""), i >= 2);
		assert_true(says(rig, "\"instructions\":"));
		assert_int_equal(rig->stream.agreed, MCP_2024_11_05 + i);
	}
}

static void
a_handshake_for_anything_else_ends_with_the_newest_legacy(void **state)
{
	struct mcp_rig *rig = *state;
	static const char *const versions[] = { "2026-07-28", "2027-01-01", "2023-01-01", "1.0", "", "x" };

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		rig_initialize(rig, versions[i]);
		assert_true(says(rig, "\"protocolVersion\":\"2025-11-25\""));
	}
}

static void
a_handshake_without_a_version_is_refused_and_changes_nothing(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-03-26");
	expect_error(rig, WITH("1", "initialize", ""), "1", -32602);
	expect_error(rig, WITH("1", "initialize", "\"protocolVersion\":7"), "1", -32602);
	expect_error(rig, REQUEST("1", "initialize"), "1", -32602);
	assert_int_equal(rig->stream.agreed, MCP_2025_03_26);
}

static void
before_a_handshake_only_ping_and_modern_requests_are_served(void **state)
{
	struct mcp_rig *rig = *state;

	expect_start(rig, REQUEST("1", "ping"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	expect_error(rig, REQUEST("2", "tools/list"), "2", -32602);
	expect_error(rig, REQUEST("3", "no/such"), "3", -32602);
	expect_result(rig, MODERN("4", "tools/list"), "4");
	expect_error(rig, REQUEST("5", "tools/list"), "5", -32602);
	assert_int_equal(rig->stream.agreed, MCP_REVISION_NONE);
}

static void
both_eras_live_on_one_stream(void **state)
{
	struct mcp_rig *rig = *state;

	expect_result(rig, MODERN("1", "server/discover"), "1");
	rig_initialize(rig, "2025-03-26");
	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	expect_result(rig, MODERN("2", "tools/list"), "2");
	assert_true(says(rig, "\"resultType\":\"complete\",\"ttlMs\":300000,\"cacheScope\":\"private\""));
	expect_result(rig, REQUEST("3", "tools/list"), "3");
	assert_false(says(rig, "resultType"));
	assert_false(says(rig, "outputSchema"));
	assert_true(says(rig, "\"annotations\":"));
	rig_initialize(rig, "2025-11-25");
	expect_result(rig, REQUEST("4", "tools/list"), "4");
	assert_true(says(rig, "outputSchema"));
}

static void
discover_tells_versions_newest_first_and_who_we_are(void **state)
{
	struct mcp_rig *rig = *state;

	expect_start(rig, MODERN("1", "server/discover"),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\","
	    "\"2025-03-26\",\"2024-11-05\"],\"capabilities\":{\"tools\":{}},\"instructions\":");
	assert_true(says(rig, "\"resultType\":\"complete\",\"ttlMs\":3600000,\"cacheScope\":\"public\",\"_meta\":"
	    "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"memories\",\"title\":\"Memories\",\"version\":\"0.1.0\"}}}}"));
}

static void
text_that_is_not_strict_json_is_a_parse_error_with_the_id_that_can_be_told(void **state)
{
	struct mcp_rig *rig = *state;

	expect_error(rig, "junk", "", -32700);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"", "", -32700);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", "1", -32700);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", "1", -32700);
	expect_error(rig, "{\"method\":\"ping\",\"params\":{\"x\":\"a\\u0000\"},\"jsonrpc\":\"2.0\",\"id\":\"q\"}", "\"q\"", -32700);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"ping\"}", "", -32700);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":007,\"method\":\"ping\"}", "", -32700);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"\xff\"}", "", -32700);
	expect_error(rig, "{\"method\":\"ping\",\"id\":", "", -32700);
}

static void
a_message_over_a_limit_is_refused_with_its_id(void **state)
{
	static const char start[] = "{\"method\":\"ping\",\"params\":{\"x\":\"", end[] = "\"},\"jsonrpc\":\"2.0\",\"id\":8}";
	struct mcp_rig *rig = *state;
	size_t len = sizeof start - 1 + JSON_TEXT_MAX;
	char *text = malloc(len + sizeof end);

	assert_non_null(text);
	memset(text, 'x', len);
	memcpy(text, start, sizeof start - 1);
	memcpy(text + len, end, sizeof end);
	expect_error(rig, text, "8", -32600);
	free(text);
	assert_int_equal(mcp_refuse_unreadable(&rig->answer), OK);
	assert_non_null(memmem(rig->answer.p, rig->answer.len, "-32600", 6));
	assert_null(memmem(rig->answer.p, rig->answer.len, "\"id\"", 4));
}

static void
json_that_is_no_message_is_an_invalid_request(void **state)
{
	struct mcp_rig *rig = *state;

	expect_error(rig, "7", "", -32600);
	expect_error(rig, "\"ping\"", "", -32600);
	expect_error(rig, "{}", "", -32600);
	expect_error(rig, "{\"id\":1,\"method\":\"ping\"}", "1", -32600);
	expect_error(rig, "{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}", "\"a\"", -32600);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "1", -32600);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1}", "1", -32600);
}

static void
ids_are_echoed_byte_for_byte_or_refused(void **state)
{
	struct mcp_rig *rig = *state;
	static const char *const good[] = { "0", "-1", "\"1\"", "\"\"", "9007199254740993", "\"\\u00e9\\\"\"", "1" };
	static const char *const bad[] = { "1e15", "1.5", "null", "{}", "[]", "true" };
	char message[128];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		snprintf(message, sizeof message, "{\"method\":\"ping\",\"id\":%s,\"jsonrpc\":\"2.0\"}", good[i]);
		expect_result(rig, message, good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(message, sizeof message, "{\"method\":\"ping\",\"id\":%s,\"jsonrpc\":\"2.0\"}", bad[i]);
		expect_error(rig, message, "", -32600);
	}
	expect_silence(rig, "{\"method\":\"ping\",\"jsonrpc\":\"2.0\"}");
}

static void
notifications_and_responses_are_never_answered(void **state)
{
	struct mcp_rig *rig = *state;

	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":[]}");
	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{" MODERN_META "}}");
	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}}");
	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	expect_silence(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}");
	assert_int_equal(rig->stream.agreed, MCP_REVISION_NONE);
	assert_int_equal(rig->n_calls, 0);
}

static void
unknown_methods_are_refused_in_each_era(void **state)
{
	struct mcp_rig *rig = *state;
	static const char *const methods[] = {
		"no/such", "resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get",
		"logging/setLevel", "completion/complete", "tasks/get", "tasks/list", "subscriptions/listen", "",
	};
	static const char *const modern_only_refused[] = {
		"initialize", "ping", "prompts/list", "resources/list", "resources/templates/list",
	};
	char message[512];

	rig_initialize(rig, "2025-06-18");
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\"}", methods[i]);
		expect_error(rig, message, "1", -32601);
		snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
		    methods[i], MODERN_META);
		expect_error(rig, message, "1", -32601);
	}
	for (size_t i = 0; i < sizeof modern_only_refused / sizeof *modern_only_refused; i++) {
		snprintf(message, sizeof message, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
		    modern_only_refused[i], MODERN_META);
		expect_error(rig, message, "1", -32601);
	}
}

static void
legacy_lists_of_what_we_do_not_have_are_empty(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2024-11-05");
	expect_start(rig, REQUEST("1", "prompts/list"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"prompts\":[]}}");
	expect_start(rig, REQUEST("2", "resources/list"), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resources\":[]}}");
	expect_start(rig, REQUEST("3", "resources/templates/list"),
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resourceTemplates\":[]}}");
}

static void
a_modern_envelope_must_be_complete(void **state)
{
	struct mcp_rig *rig = *state;

	expect_error(rig, REQUEST("1", "server/discover"), "1", -32602);
	expect_error(rig, WITH("1", "server/discover", META(CAPABILITIES("{}"))), "1", -32602);
	expect_error(rig, WITH("1", "tools/list", META(VERSION("\"2026-07-28\""))), "1", -32602);
	expect_error(rig, WITH("1", "tools/list", META(VERSION("\"2026-07-28\"") "," CAPABILITIES("[]"))), "1", -32602);
	expect_error(rig, WITH("1", "tools/list", META(VERSION("20260728") "," CAPABILITIES("{}"))), "1", -32602);
	expect_error(rig, WITH("1", "tools/list", META(VERSION("null") "," CAPABILITIES("{}"))), "1", -32602);
	expect_error(rig, WITH("1", "no/such", META(VERSION("\"2026-07-28\""))), "1", -32602);
	rig_initialize(rig, "2025-11-25");
	expect_error(rig, REQUEST("1", "server/discover"), "1", -32602);
	expect_result(rig, WITH("1", "tools/list", META("\"progressToken\":1")), "1");
	expect_result(rig, WITH("1", "tools/list", "\"_meta\":7"), "1");
}

static void
a_claim_to_another_version_is_told_what_we_speak(void **state)
{
	struct mcp_rig *rig = *state;

	expect_error(rig, WITH("1", "tools/list", META(VERSION("\"1900-01-01\"") "," CAPABILITIES("{}"))), "1", -32022);
	assert_true(says(rig, "\"data\":{\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\","
	    "\"2024-11-05\"],\"requested\":\"1900-01-01\"}"));
	expect_error(rig, WITH("1", "tools/list", META(VERSION("\"2025-11-25\"") "," CAPABILITIES("{}"))), "1", -32022);
	expect_error(rig, WITH("1", "initialize", META(VERSION("\"2027-01-01\"") "," CAPABILITIES("{}"))), "1", -32022);
}

static void
malformed_params_are_refused_in_each_era(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-11-25");
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":[]}", "1", -32602);
	expect_error(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":null}", "1", -32602);
	expect_error(rig, REQUEST("1", "tools/call"), "1", -32602);
	expect_error(rig, WITH("1", "tools/call", "\"arguments\":{}"), "1", -32602);
	expect_error(rig, WITH("1", "tools/call", "\"name\":7"), "1", -32602);
	expect_error(rig, WITH("1", "tools/call", "\"name\":\"unattended_list\",\"arguments\":[]"), "1", -32602);
	expect_error(rig, MODERN_WITH("1", "tools/call", "\"name\":\"unattended_list\",\"arguments\":\"x\""), "1", -32602);
	expect_error(rig, MODERN("1", "tools/call"), "1", -32602);
	assert_int_equal(rig->n_calls, 0);
}

static void
a_cursor_is_never_ours(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-11-25");
	expect_error(rig, WITH("1", "tools/list", "\"cursor\":\"abc\""), "1", -32602);
	expect_error(rig, WITH("1", "tools/list", "\"cursor\":\"\""), "1", -32602);
	expect_error(rig, WITH("1", "prompts/list", "\"cursor\":\"x\""), "1", -32602);
	expect_error(rig, MODERN_WITH("1", "tools/list", "\"cursor\":\"abc\""), "1", -32602);
}

static void
an_array_is_answered_where_2025_03_26_was_agreed(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-03-26");
	assert_string_equal(rig_say(rig, "[ " REQUEST("1", "ping") " ,{\"jsonrpc\":\"2.0\",\"method\":\"x\"},"
	    REQUEST("\"2\"", "prompts/list") "," REQUEST("9007199254740993", "ping") "]"),
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"prompts\":[]}},"
	    "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}]");
	expect_silence(rig, "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
	expect_start(rig, "[7," REQUEST("2", "ping") "]", "[{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,");
	assert_true(says(rig, ",{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]"));
	expect_start(rig, "[" REQUEST("3", "no/such") "]", "[{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,");
}

static void
an_array_with_a_handshake_or_a_modern_request_is_refused_whole(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-03-26");
	expect_error(rig, "[]", "", -32600);
	expect_error(rig, "[" REQUEST("1", "ping") "," WITH("2", "initialize", "\"protocolVersion\":\"2025-06-18\"") "]", "", -32600);
	expect_error(rig, "[" MODERN("1", "tools/list") "," REQUEST("2", "ping") "]", "", -32600);
	assert_int_equal(rig->stream.agreed, MCP_2025_03_26);
}

static void
an_array_is_refused_everywhere_else(void **state)
{
	struct mcp_rig *rig = *state;
	static const char *const versions[] = { "2024-11-05", "2025-06-18", "2025-11-25" };

	expect_error(rig, "[" REQUEST("1", "ping") "]", "", -32600);
	expect_error(rig, "[" MODERN("1", "tools/list") "]", "", -32600);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		rig_initialize(rig, versions[i]);
		expect_error(rig, "[" REQUEST("1", "ping") "]", "", -32600);
		expect_error(rig, "[]", "", -32600);
	}
}

static void
an_array_of_more_than_100_messages_is_refused(void **state)
{
	struct mcp_rig *rig = *state;
	char text[8192] = "[";

	rig_initialize(rig, "2025-03-26");
	for (int i = 0; i < MCP_BATCH_MAX; i++)
		strcat(text, i == 0 ? REQUEST("1", "ping") : "," REQUEST("1", "ping"));
	strcat(text, "]");
	expect_start(rig, text, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	text[strlen(text) - 1] = 0;
	strcat(text, "," REQUEST("1", "ping") "]");
	expect_error(rig, text, "", -32600);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_handshake_agrees_on_the_version_asked_for),
		TEST(a_handshake_for_anything_else_ends_with_the_newest_legacy),
		TEST(a_handshake_without_a_version_is_refused_and_changes_nothing),
		TEST(before_a_handshake_only_ping_and_modern_requests_are_served),
		TEST(both_eras_live_on_one_stream),
		TEST(discover_tells_versions_newest_first_and_who_we_are),
		TEST(text_that_is_not_strict_json_is_a_parse_error_with_the_id_that_can_be_told),
		TEST(a_message_over_a_limit_is_refused_with_its_id),
		TEST(json_that_is_no_message_is_an_invalid_request),
		TEST(ids_are_echoed_byte_for_byte_or_refused),
		TEST(notifications_and_responses_are_never_answered),
		TEST(unknown_methods_are_refused_in_each_era),
		TEST(legacy_lists_of_what_we_do_not_have_are_empty),
		TEST(a_modern_envelope_must_be_complete),
		TEST(a_claim_to_another_version_is_told_what_we_speak),
		TEST(malformed_params_are_refused_in_each_era),
		TEST(a_cursor_is_never_ours),
		TEST(an_array_is_answered_where_2025_03_26_was_agreed),
		TEST(an_array_with_a_handshake_or_a_modern_request_is_refused_whole),
		TEST(an_array_is_refused_everywhere_else),
		TEST(an_array_of_more_than_100_messages_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
