/* What a tool call answers in each revision, and how it fails. */
#include <stdlib.h>

#include "tests/gateway/mcp_rig.h"
#include "tests/support/check.h"

#define CALL(meta, tool, arguments) \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" meta \
	"\"name\":\"" tool "\",\"arguments\":{" arguments "}}}"
#define READ(arguments) CALL("", "unattended_read", arguments)
#define V               "\"vault\":\"" RIG_VAULT "\""
#define A               "\"asset\":\"" RIG_ASSET "\""

static int
set_up(void **state)
{
	struct mcp_rig *rig = malloc(sizeof *rig);

	if (rig == NULL)
		return -1;
	rig_open(rig);
	rig_initialize(rig, "2025-11-25");
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

/* The result object of the last answer; root is freed by the caller. */
static const struct json *
result_of(struct mcp_rig *rig, struct json **root)
{
	const struct json *result = NULL;

	assert_int_equal(json_parse((struct span){ rig->answer.p, rig->answer.len }, root), OK);
	assert_int_equal(json_object(*root, "result", &result), JSON_GOT);
	return result;
}

static struct span
text_of(const struct json *result)
{
	const struct json *content = NULL;
	struct span text = { NULL, 0 };

	assert_int_equal(json_array(result, "content", &content), JSON_GOT);
	assert_int_equal(json_string(json_first(content), "type", &text), JSON_GOT);
	assert_string_equal((const char *)text.p, "text");
	assert_int_equal(json_string(json_first(content), "text", &text), JSON_GOT);
	assert_null(json_next(json_first(content)));
	return text;
}

static void
expect_failure(struct mcp_rig *rig, const char *message, const char *text)
{
	struct json *root = NULL;
	const struct json *result;
	bool is_error = false;

	rig_say(rig, message);
	result = result_of(rig, &root);
	assert_string_equal((const char *)text_of(result).p, text);
	assert_int_equal(json_bool(result, "isError", &is_error), JSON_GOT);
	assert_true(is_error);
	assert_null(json_member(result, "structuredContent"));
	json_free(&root);
}

static void
text_and_structured_content_are_the_same_bytes(void **state)
{
	struct mcp_rig *rig = *state;
	struct json *root = NULL;
	struct span text;
	const struct json *result;
	char wanted[2048];

	rig_say(rig, CALL("", "unattended_list", V));
	result = result_of(rig, &root);
	text = text_of(result);
	snprintf(wanted, sizeof wanted, "\"structuredContent\":%s}", (const char *)text.p);
	assert_non_null(strstr(rig->text, wanted));
	assert_null(json_member(result, "isError"));
	json_free(&root);
}

static void
the_result_is_shaped_for_its_revision(void **state)
{
	struct mcp_rig *rig = *state;
	static const struct { const char *version; bool structured; } rows[] = {
		{ "2024-11-05", false }, { "2025-03-26", false }, { "2025-06-18", true }, { "2025-11-25", true },
	};

	for (size_t i = 0; i < 4; i++) {
		rig_initialize(rig, rows[i].version);
		rig_say(rig, READ(V "," A));
		assert_int_equal(strstr(rig->text, "structuredContent") != NULL, rows[i].structured);
		assert_null(strstr(rig->text, "resultType"));
		assert_null(strstr(rig->text, "_meta"));
	}
	rig_say(rig, CALL(MODERN_META ",", "unattended_read", V "," A));
	assert_non_null(strstr(rig->text, "\"structuredContent\":{\"data\":\"Y2FubmVkIHNlY3JldCD7_w\""));
	assert_non_null(strstr(rig->text, "\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\""));
	assert_null(strstr(rig->text, "ttlMs"));
}

static void
arguments_reach_the_tool_with_their_defaults(void **state)
{
	struct mcp_rig *rig = *state;

	rig_say(rig, READ(V "," A));
	assert_int_equal(rig->ask.op, OP_READ);
	assert_int_equal(rig->ask.limit, 65536);
	assert_int_equal(rig->ask.offset, 0);
	assert_false(rig->ask.has_revision);
	assert_int_equal(rig->ask.asset.b[15], 0xaa);
	rig_say(rig, CALL("", "unattended_credential_bytes",
	    V "," A ",\"revision\":\"" RIG_ASSET "\",\"offset\":9007199254740991,\"limit\":1"));
	assert_int_equal(rig->ask.op, OP_CREDENTIAL_BYTES);
	assert_true(rig->ask.offset == JSON_INTEGER_MAX);
	assert_int_equal(rig->ask.limit, 1);
	assert_true(rig->ask.has_revision);
	rig_say(rig, CALL("", "unattended_list", V));
	assert_int_equal(rig->ask.op, OP_LIST);
	assert_int_equal(rig->ask.limit, 100);
	rig_say(rig, CALL("", "unattended_history", V "," A ",\"limit\":100"));
	assert_int_equal(rig->ask.op, OP_HISTORY);
	assert_int_equal(rig->n_calls, 4);
}

static void
bad_arguments_are_named_and_never_reach_the_tool(void **state)
{
	struct mcp_rig *rig = *state;

	expect_failure(rig, READ(A), "invalid_argument: \"vault\" is required");
	expect_failure(rig, READ(V), "invalid_argument: \"asset\" is required");
	expect_failure(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"unattended_list\"}}",
	    "invalid_argument: \"vault\" is required");
	expect_failure(rig, READ("\"vault\":\"x\"," A), "invalid_argument: \"vault\" must be an id of 36 characters");
	expect_failure(rig, READ("\"vault\":null," A), "invalid_argument: \"vault\" must be an id of 36 characters");
	expect_failure(rig, READ(V "," A ",\"revision\":7"), "invalid_argument: \"revision\" must be an id of 36 characters");
	expect_failure(rig, READ(V "," A ",\"limit\":0"), "invalid_argument: \"limit\" must be an integer from 1 to 65536");
	expect_failure(rig, READ(V "," A ",\"limit\":65537"), "invalid_argument: \"limit\" must be an integer from 1 to 65536");
	expect_failure(rig, CALL("", "unattended_list", V ",\"limit\":101"), "invalid_argument: \"limit\" must be an integer from 1 to 100");
	expect_failure(rig, READ(V "," A ",\"offset\":-1"), "invalid_argument: \"offset\" must be an integer from 0 to 9007199254740991");
	expect_failure(rig, READ(V "," A ",\"offset\":1.5"), "invalid_argument: \"offset\" must be an integer from 0 to 9007199254740991");
	expect_failure(rig, READ(V "," A ",\"offset\":\"0\""), "invalid_argument: \"offset\" must be an integer from 0 to 9007199254740991");
	expect_failure(rig, READ(V "," A ",\"extra\":1"), "invalid_argument: \"extra\" is not an argument of unattended_read");
	expect_failure(rig, CALL("", "unattended_list", V "," A), "invalid_argument: \"asset\" is not an argument of unattended_list");
	expect_failure(rig, READ(V "," A ",\"Limit\":1"), "invalid_argument: \"Limit\" is not an argument of unattended_read");
	expect_failure(rig, CALL(MODERN_META ",", "unattended_list", ""), "invalid_argument: \"vault\" is required");
	assert_int_equal(rig->n_calls, 0);
}

static void
a_failing_tool_tells_its_code_as_the_cli_does(void **state)
{
	struct mcp_rig *rig = *state;

	expect_failure(rig, READ("\"vault\":\"" RIG_VAULT_MISSING "\"," A),
	    "{\"error\":{\"code\":\"not_found\",\"message\":\"there is no such thing here\"}}");
	expect_failure(rig, READ("\"vault\":\"" RIG_VAULT_CONFLICT "\"," A),
	    "{\"error\":{\"code\":\"revision_required\",\"message\":\"name one of: " RIG_ASSET "\"}}");
	expect_failure(rig, CALL(MODERN_META ",", "unattended_list", "\"vault\":\"" RIG_VAULT_MISSING "\""),
	    "{\"error\":{\"code\":\"not_found\",\"message\":\"there is no such thing here\"}}");
}

static void
a_tool_that_gives_no_object_is_our_fault(void **state)
{
	struct mcp_rig *rig = *state;
	static const char wanted[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"internal error\"}}";

	assert_string_equal(rig_say(rig, READ("\"vault\":\"" RIG_VAULT_NO_RESULT "\"," A)), wanted);
	assert_string_equal(rig_say(rig, READ("\"vault\":\"" RIG_VAULT_NO_OBJECT "\"," A)), wanted);
}

static void
an_unknown_tool_is_refused_in_each_era(void **state)
{
	struct mcp_rig *rig = *state;
	static const char wanted[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}}";

	assert_string_equal(rig_say(rig, CALL("", "unattended_write", "")), wanted);
	assert_string_equal(rig_say(rig, CALL("", "", "")), wanted);
	assert_string_equal(rig_say(rig, CALL("", "unattended_lis", "")), wanted);
	assert_string_equal(rig_say(rig, CALL(MODERN_META ",", "Unattended_List", "")), wanted);
}

static void
members_that_other_revisions_add_are_ignored(void **state)
{
	struct mcp_rig *rig = *state;

	rig_say(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"extra\":1,\"params\":{\"name\":\"unattended_list\","
	    "\"task\":{\"ttl\":1},\"inputResponses\":{},\"requestState\":\"x\",\"_meta\":{\"progressToken\":\"t\"},\"arguments\":{" V "}}}");
	assert_non_null(strstr(rig->text, "structuredContent"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_and_structured_content_are_the_same_bytes),
		TEST(the_result_is_shaped_for_its_revision),
		TEST(arguments_reach_the_tool_with_their_defaults),
		TEST(bad_arguments_are_named_and_never_reach_the_tool),
		TEST(a_failing_tool_tells_its_code_as_the_cli_does),
		TEST(a_tool_that_gives_no_object_is_our_fault),
		TEST(an_unknown_tool_is_refused_in_each_era),
		TEST(members_that_other_revisions_add_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
