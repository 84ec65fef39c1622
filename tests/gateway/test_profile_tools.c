/* The profile's tools as they are listed, and what a call or a URI asks. */
#include <stdlib.h>

#include "gateway/json_scan.h"
#include "gateway/profile_request.h"
#include "gateway/profile_tools.h"
#include "tests/gateway/mcp_http_rig.h"
#include "tests/support/check.h"

static const char *const op_of[] = { "context", "page", "search", "propose" };

struct call {
	enum profile_tool tool;
	const char       *arguments;
};

/* The ask of a call; message holds what is wrong with it. */
static struct profile_ask
ask_of(struct call c, char message[MCP_MESSAGE_MAX])
{
	struct json *arguments = NULL;
	struct profile_ask ask;
	struct mcp_args args;

	message[0] = '\0';
	assert_int_equal(json_parse(http_span(c.arguments), &arguments), OK);
	if (mcp_tool_check(&profile_tools[c.tool], arguments, &args, message) != OK)
		profile_tools_bad(c.tool, http_span(c.arguments), &ask);
	else
		assert_int_equal(profile_tools_ask(&args, &ask, message), OK);
	json_free(&arguments);
	return ask;
}

/* It is taken, and the profile takes its request. */
static void
expect_ask(struct call c, enum op op, unsigned scopes, uint64_t offset, uint32_t limit)
{
	char message[MCP_MESSAGE_MAX], start[64];
	struct profile_ask ask = ask_of(c, message);
	struct profile_request request;

	assert_int_equal(ask.refused, OK);
	assert_int_equal(ask.tool, c.tool);
	assert_int_equal(ask.op, op);
	assert_int_equal(ask.scopes, scopes);
	assert_int_equal(ask.offset, offset);
	assert_int_equal(ask.limit, limit);
	assert_int_equal(profile_request_parse(op, (struct span){ ask.request.p, ask.request.len }, &request), OK);
	profile_request_free(&request);
	snprintf(start, sizeof start, "{\"do\":\"%s\"", op_of[c.tool]);
	assert_memory_equal(ask.request.p, start, strlen(start));
	profile_ask_free(&ask);
}

static void
expect_refused(struct call c, const char *part)
{
	char message[MCP_MESSAGE_MAX];
	struct profile_ask ask = ask_of(c, message);

	assert_int_equal(ask.refused, ERR_INVALID_ARGUMENT);
	assert_int_equal(ask.request.len, 0);
	if (strstr(message, part) == NULL)
		fail_msg("%s: wanted %s, came %s", c.arguments, part, message);
	profile_ask_free(&ask);
}

#define TARGET "\"target_fact_id\":\"" RIG_FACT "\""
#define TEXTS  "\"label\":\"city\",\"value\":\"Lives in Porto.\""
#define READ   (1u << SCOPE_READ)

static void
calls_become_requests_that_the_profile_takes(void **state)
{
	(void)state;
	expect_ask((struct call){ GET_USER_CONTEXT, "{}" }, OP_PROFILE_READ, READ, 0, 50);
	expect_ask((struct call){ READ_USER_CONTEXT_PAGE, "{\"offset\":50,\"version\":\"" RIG_VERSION "\"}" }, OP_PROFILE_READ, READ, 50, 50);
	expect_ask((struct call){ SEARCH_USER_CONTEXT, "{\"query\":\"x\"}" }, OP_PROFILE_SEARCH, READ | 1u << SCOPE_SEARCH, 0, 10);
	expect_ask((struct call){ SEARCH_USER_CONTEXT, "{\"query\":\"\xe5\x9f\x8e\xe5\xb8\x82\",\"offset\":10000,\"limit\":1}" },
	    OP_PROFILE_SEARCH, READ | 1u << SCOPE_SEARCH, 10000, 1);
	expect_ask((struct call){ PROPOSE_MEMORY, "{\"op\":\"add\",\"category\":\"goal\"," TEXTS ",\"evidence\":\"They said so.\"}" },
	    OP_PROFILE_PROPOSE, 1u << SCOPE_PROPOSE, 0, 0);
	expect_ask((struct call){ PROPOSE_MEMORY, "{\"op\":\"update\"," TARGET "," TEXTS "}" }, OP_PROFILE_CORRECT, 1u << SCOPE_CORRECT, 0, 0);
	expect_ask((struct call){ PROPOSE_MEMORY, "{\"op\":\"archive\"," TARGET "}" }, OP_PROFILE_CORRECT, 1u << SCOPE_CORRECT, 0, 0);
}

static void
what_is_wrong_with_a_call_is_said(void **state)
{
	(void)state;
	expect_refused((struct call){ GET_USER_CONTEXT, "{\"all\":true}" }, "is not an argument");
	expect_refused((struct call){ READ_USER_CONTEXT_PAGE, "{\"offset\":50}" }, "\"version\" is required");
	expect_refused((struct call){ READ_USER_CONTEXT_PAGE, "{\"version\":\"" RIG_VERSION "\"}" }, "\"offset\" is required");
	expect_refused((struct call){ READ_USER_CONTEXT_PAGE, "{\"offset\":0,\"version\":\"x\"}" }, "64");
	expect_refused((struct call){ READ_USER_CONTEXT_PAGE,
	    "{\"offset\":0,\"version\":\"G0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}" }, "hexadecimal");
	expect_refused((struct call){ SEARCH_USER_CONTEXT, "{\"query\":\"\"}" }, "1 to 200");
	expect_refused((struct call){ SEARCH_USER_CONTEXT, "{\"query\":\"x\",\"limit\":11}" }, "1 to 10");
	expect_refused((struct call){ SEARCH_USER_CONTEXT, "{\"query\":\"x\",\"offset\":10001}" }, "0 to 10000");
	expect_refused((struct call){ SEARCH_USER_CONTEXT, "{\"query\":\"a\\nb\"}" }, "one line");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"add\"," TEXTS "}" }, "\"category\" is required");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"add\",\"category\":\"goal\",\"label\":\"x\"}" }, "\"value\" is required");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"add\",\"category\":\"goal\"," TEXTS "," TARGET "}" }, "for update and archive");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"update\"," TEXTS "}" }, "\"target_fact_id\" is required");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"update\"," TARGET ",\"value\":\"x\"}" }, "\"label\" is required");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"archive\"}" }, "\"target_fact_id\" is required");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"archive\"," TARGET ",\"evidence\":\"one\\ntwo\"}" }, "\"evidence\" must be one line");
	expect_refused((struct call){ PROPOSE_MEMORY, "{\"op\":\"remove\"}" }, "one of add, update, archive");
}

static char *
repeated(const char *before, const char *what, size_t n, const char *after)
{
	char *text = malloc(strlen(before) + n * strlen(what) + strlen(after) + 1), *at = text;

	assert_non_null(text);
	at = stpcpy(at, before);
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, what);
	stpcpy(at, after);
	return text;
}

static void
lengths_are_counted_in_characters(void **state)
{
	static const struct {
		const char *before, *after;
		enum profile_tool tool;
		size_t max;
	} texts[] = {
		{ "{\"query\":\"", "\"}", SEARCH_USER_CONTEXT, 200 },
		{ "{\"op\":\"add\",\"category\":\"basic\",\"value\":\"v\",\"label\":\"", "\"}", PROPOSE_MEMORY, 40 },
		{ "{\"op\":\"add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"", "\"}", PROPOSE_MEMORY, 300 },
		{ "{\"op\":\"archive\"," TARGET ",\"evidence\":\"", "\"}", PROPOSE_MEMORY, 300 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char message[MCP_MESSAGE_MAX];
		char *fits = repeated(texts[i].before, "\xf0\x9f\x98\x80", texts[i].max, texts[i].after);
		char *over = repeated(texts[i].before, "\xf0\x9f\x98\x80", texts[i].max + 1, texts[i].after);
		struct profile_ask ask = ask_of((struct call){ texts[i].tool, fits }, message);

		assert_int_equal(ask.refused, OK);
		assert_in_range(ask.request.len, 1, PROFILE_REQUEST_MAX);
		profile_ask_free(&ask);
		expect_refused((struct call){ texts[i].tool, over }, "characters");
		free(fits);
		free(over);
	}
}

static void
the_same_call_is_known_again_and_another_is_not(void **state)
{
	static const struct call calls[] = {
		{ SEARCH_USER_CONTEXT, "{\"query\":\"x\",\"limit\":10}" },
		{ SEARCH_USER_CONTEXT, "{ \"limit\": 10, \"query\" : \"\\u0078\" }" },
		{ SEARCH_USER_CONTEXT, "{\"query\":\"x\",\"limit\":9}" },
		{ SEARCH_USER_CONTEXT, "{\"query\":\"y\"}" },
		{ SEARCH_USER_CONTEXT, "{\"query\":7}" },
		{ GET_USER_CONTEXT, "{}" },
		{ GET_USER_CONTEXT, "{\"query\":7}" },
	};
	struct profile_ask asks[7];
	char message[MCP_MESSAGE_MAX];

	(void)state;
	for (size_t i = 0; i < 7; i++)
		asks[i] = ask_of(calls[i], message);
	for (size_t i = 0; i < 7; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_equal(memcmp(asks[i].same, asks[j].same, sizeof asks[i].same) == 0, i == 1 && j == 0);
	for (size_t i = 0; i < 7; i++)
		profile_ask_free(&asks[i]);
}

static void
expect_uri(const char *uri, enum err wanted, enum profile_tool tool, uint64_t offset)
{
	struct profile_ask ask;

	if (profile_tools_uri(http_span(uri), &ask) != wanted)
		fail_msg("%s", uri);
	if (wanted == OK) {
		assert_int_equal(ask.tool, tool);
		assert_int_equal(ask.offset, offset);
		assert_int_equal(ask.op, OP_PROFILE_READ);
	}
	profile_ask_free(&ask);
}

static void
a_uri_has_one_spelling(void **state)
{
	(void)state;
	expect_uri(PROFILE_URI, OK, GET_USER_CONTEXT, 0);
	expect_uri(RIG_PAGE_URI, OK, READ_USER_CONTEXT_PAGE, 1);
	expect_uri(PROFILE_URI "?version=" RIG_VERSION "&offset=0", OK, READ_USER_CONTEXT_PAGE, 0);
	expect_uri(PROFILE_URI "/", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?", ERR_NOT_FOUND, 0, 0);
	expect_uri("LIFEOS://profile/summary", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=" RIG_VERSION, ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?offset=1&version=" RIG_VERSION, ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=" RIG_VERSION "&offset=", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=" RIG_VERSION "&offset=01", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=" RIG_VERSION "&offset=-1", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=" RIG_VERSION "&offset=12345678", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=short&offset=1", ERR_NOT_FOUND, 0, 0);
	expect_uri(PROFILE_URI "?version=X0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff&offset=1", ERR_NOT_FOUND, 0, 0);
	expect_uri("", ERR_NOT_FOUND, 0, 0);
}

static void
tools_are_such_as_hosts_take(void **state)
{
	(void)state;
	assert_in_range(strlen(profile_instructions), 1, 2048);
	for (size_t i = 0; i < PROFILE_TOOLS; i++) {
		const struct mcp_tool *t = &profile_tools[i];

		assert_true(strspn(t->name, "abcdefghijklmnopqrstuvwxyz_") == strlen(t->name) && strlen(t->name) <= 50);
		assert_in_range(strlen(t->description), 1, 2048);
		assert_true(t->n_fields <= MCP_FIELDS_MAX);
		assert_int_equal(json_scan(http_span(t->output_schema)), OK);
		assert_int_equal(t->read_only, i != PROPOSE_MEMORY);
		assert_false(t->destructive || t->open_world);
	}
	assert_string_equal(profile_tools[SEARCH_USER_CONTEXT].name, "search_user_context");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_become_requests_that_the_profile_takes),
		cmocka_unit_test(what_is_wrong_with_a_call_is_said),
		cmocka_unit_test(lengths_are_counted_in_characters),
		cmocka_unit_test(the_same_call_is_known_again_and_another_is_not),
		cmocka_unit_test(a_uri_has_one_spelling),
		cmocka_unit_test(tools_are_such_as_hosts_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
