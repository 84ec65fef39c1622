#include <string.h>

#include "gateway/mcp_tool.h"
#include "tests/support/check.h"

static const struct mcp_field fields[] = {
	{ .name = "who", .description = "W.", .type = MCP_FIELD_ID, .required = true },
	{ .name = "n", .description = "N.", .type = MCP_FIELD_INTEGER, .min = 2, .max = 9, .otherwise = 5 },
};

static const char *const words[] = { "red", "green", NULL };

static const struct mcp_field more_fields[] = {
	{ .name = "text", .description = "X.", .type = MCP_FIELD_TEXT, .min = 1, .max = 3 },
	{ .name = "word", .description = "Y.", .type = MCP_FIELD_WORD, .words = words },
	{ .name = "list", .description = "Z.", .type = MCP_FIELD_ARRAY, .max = 2, .items = "{\"type\":\"string\"}" },
};

static const struct mcp_tool more = {
	.name = "m", .title = "M", .description = "D.", .fields = more_fields, .n_fields = 3,
	.output_schema = "{\"type\":\"object\"}",
};

static const struct mcp_tool tool = {
	.name = "t", .title = "T", .description = "D.", .fields = fields, .n_fields = 2,
	.output_schema = "{\"type\":\"object\"}", .read_only = true, .idempotent = true,
};

#define INPUT \
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{" \
	"\"who\":{\"type\":\"string\",\"minLength\":36,\"maxLength\":36,\"description\":\"W.\"}," \
	"\"n\":{\"type\":\"integer\",\"minimum\":2,\"maximum\":9,\"default\":5,\"description\":\"N.\"}}," \
	"\"required\":[\"who\"],\"additionalProperties\":false}"
#define HINTS \
	",\"annotations\":{\"title\":\"T\",\"readOnlyHint\":true,\"destructiveHint\":false," \
	"\"idempotentHint\":true,\"openWorldHint\":false}"

static void
expect_listed(enum mcp_revision r, const char *wanted)
{
	struct json_writer w = { 0 };

	mcp_tool_write(&w, &tool, r);
	assert_int_equal(w.len, strlen(wanted));
	assert_memory_equal(w.p, wanted, w.len);
	json_write_free(&w);
}

static void
a_tool_is_listed_as_its_revision_knows_it(void **state)
{
	(void)state;
	expect_listed(MCP_2024_11_05, "{\"name\":\"t\",\"description\":\"D.\"," INPUT "}");
	expect_listed(MCP_2025_03_26, "{\"name\":\"t\",\"description\":\"D.\"," INPUT HINTS "}");
	for (enum mcp_revision r = MCP_2025_06_18; r < MCP_REVISION__COUNT; r++)
		expect_listed(r, "{\"name\":\"t\",\"title\":\"T\",\"description\":\"D.\"," INPUT
		    ",\"outputSchema\":{\"type\":\"object\"}" HINTS "}");
}

static enum err
check(const char *arguments, struct mcp_args *args, char message[MCP_MESSAGE_MAX])
{
	struct json *root = NULL;
	enum err e;

	assert_int_equal(json_parse((struct span){ (const uint8_t *)arguments, strlen(arguments) }, &root), OK);
	e = mcp_tool_check(&tool, root, args, message);
	json_free(&root);
	return e;
}

#define WHO "\"who\":\"0192f5a0-0000-7000-8000-0000000000AA\""

static void
checked_arguments_are_found_by_name(void **state)
{
	struct mcp_args args;
	char message[MCP_MESSAGE_MAX] = "";

	(void)state;
	assert_int_equal(check("{" WHO "}", &args, message), OK);
	assert_true(mcp_tool_value(&args, "who")->given);
	assert_int_equal(mcp_tool_value(&args, "who")->id.b[15], 0xaa);
	assert_false(mcp_tool_value(&args, "n")->given);
	assert_int_equal(mcp_tool_value(&args, "n")->integer, 5);
	assert_null(mcp_tool_value(&args, "other"));
	assert_int_equal(check("{\"n\":9," WHO "}", &args, message), OK);
	assert_true(mcp_tool_value(&args, "n")->given);
	assert_int_equal(mcp_tool_value(&args, "n")->integer, 9);
	assert_string_equal(message, "");
}

static void
bad_arguments_leave_the_result_alone(void **state)
{
	static const char *const bad[] = {
		"{}", "{\"n\":3}", "{" WHO ",\"n\":1}", "{" WHO ",\"n\":10}", "{" WHO ",\"n\":true}", "{" WHO ",\"m\":1}",
		"{\"who\":\"0192f5a0-0000-7000-8000-0000000000a\"}", "{\"who\":\"0192f5a0-0000-7000-8000-0000000000aaa\"}",
		"{\"who\":\"0192f5a00000-7000-8000-00000000000aa\"}", "{\"who\":[]}", "{\"WHO\":1}",
	};
	struct mcp_args args = { .tool = NULL };
	char message[MCP_MESSAGE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		message[0] = 0;
		assert_int_equal(check(bad[i], &args, message), ERR_INVALID_ARGUMENT);
		assert_true(message[0] == '"');
	}
	assert_null(args.tool);
	assert_int_equal(mcp_tool_check(&tool, NULL, &args, message), ERR_INVALID_ARGUMENT);
	assert_string_equal(message, "\"who\" is required");
}

static void
texts_words_and_arrays_are_listed_with_their_bounds(void **state)
{
	static const char wanted[] = "{\"name\":\"m\",\"description\":\"D.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
	    "\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":3,\"description\":\"X.\"},"
	    "\"word\":{\"type\":\"string\",\"enum\":[\"red\",\"green\"],\"description\":\"Y.\"},"
	    "\"list\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":2,\"description\":\"Z.\"}},"
	    "\"required\":[],\"additionalProperties\":false}}";
	struct json_writer w = { 0 };

	(void)state;
	mcp_tool_write(&w, &more, MCP_2024_11_05);
	assert_int_equal(w.len, strlen(wanted));
	assert_memory_equal(w.p, wanted, w.len);
	json_write_free(&w);
}

static void
texts_words_and_arrays_are_checked(void **state)
{
	static const struct {
		const char *arguments;
		bool        good;
	} rows[] = {
		{ "{\"text\":\"\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\",\"word\":\"green\",\"list\":[1,\"x\"]}", true },
		{ "{}", true }, { "{\"list\":[]}", true },
		{ "{\"text\":\"\"}", false }, { "{\"text\":\"abcd\"}", false }, { "{\"text\":7}", false }, { "{\"text\":null}", false },
		{ "{\"word\":\"gree\"}", false }, { "{\"word\":\"\"}", false }, { "{\"word\":1}", false },
		{ "{\"list\":[1,2,3]}", false }, { "{\"list\":{}}", false }, { "{\"list\":\"x\"}", false },
	};
	char message[MCP_MESSAGE_MAX] = "";
	struct mcp_args args;
	struct json *root = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(json_parse((struct span){ (const uint8_t *)rows[i].arguments, strlen(rows[i].arguments) }, &root), OK);
		assert_int_equal(mcp_tool_check(&more, root, &args, message), rows[i].good ? OK : ERR_INVALID_ARGUMENT);
		if (i == 0) {
			assert_int_equal(mcp_tool_value(&args, "text")->text.len, 9);
			assert_int_equal(mcp_tool_value(&args, "word")->integer, 1);
			assert_int_equal(json_type(mcp_tool_value(&args, "list")->array), JSON_ARRAY);
		}
		json_free(&root);
	}
	assert_string_equal(message, "\"list\" must be an array of at most 2 items");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tool_is_listed_as_its_revision_knows_it),
		cmocka_unit_test(checked_arguments_are_found_by_name),
		cmocka_unit_test(bad_arguments_leave_the_result_alone),
		cmocka_unit_test(texts_words_and_arrays_are_listed_with_their_bounds),
		cmocka_unit_test(texts_words_and_arrays_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
