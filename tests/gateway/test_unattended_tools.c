#include <string.h>

#include "gateway/unattended_tools.h"
#include "tests/support/check.h"

static void
exactly_four_tools_are_announced(void **state)
{
	static const char *const names[] = {
		"unattended_list", "unattended_history", "unattended_read", "unattended_credential_bytes",
	};

	(void)state;
	for (size_t i = 0; i < UNATTENDED_TOOLS; i++)
		assert_string_equal(unattended_tools[i].name, names[i]);
}

static void
every_tool_only_reads_and_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNATTENDED_TOOLS; i++) {
		assert_true(unattended_tools[i].read_only);
		assert_false(unattended_tools[i].destructive);
		assert_true(unattended_tools[i].idempotent);
		assert_false(unattended_tools[i].open_world);
	}
}

/* Hosts cut long descriptions, rewrite odd names, and refuse whole lists over these keywords. */
static void
every_tool_keeps_to_what_hosts_accept(void **state)
{
	static const char *const forbidden[] = { "$schema", "$ref", "oneOf", "anyOf", "allOf", "\n" };
	const char *schema;

	(void)state;
	for (size_t i = 0; i < UNATTENDED_TOOLS; i++) {
		assert_true(strlen(unattended_tools[i].name) <= 50);
		assert_true(strlen(unattended_tools[i].description) < 1024);
		assert_true(unattended_tools[i].n_fields <= MCP_FIELDS_MAX);
		assert_int_equal(strspn(unattended_tools[i].name, "abcdefghijklmnopqrstuvwxyz_"), strlen(unattended_tools[i].name));
		schema = unattended_tools[i].output_schema;
		for (size_t k = 0; k < sizeof forbidden / sizeof *forbidden; k++)
			assert_null(strstr(schema, forbidden[k]));
	}
	assert_true(strlen(unattended_tools_instructions) < 2048);
}

static void
every_output_schema_is_a_plain_object_that_requires_all_it_names(void **state)
{
	struct json *root = NULL;
	const struct json *properties, *required;
	struct span type, name;

	(void)state;
	for (size_t i = 0; i < UNATTENDED_TOOLS; i++) {
		const char *schema = unattended_tools[i].output_schema;
		size_t n_properties = 0, n_required = 0;

		assert_int_equal(json_parse((struct span){ (const uint8_t *)schema, strlen(schema) }, &root), OK);
		assert_int_equal(json_string(root, "type", &type), JSON_GOT);
		assert_string_equal((const char *)type.p, "object");
		assert_int_equal(json_object(root, "properties", &properties), JSON_GOT);
		assert_int_equal(json_array(root, "required", &required), JSON_GOT);
		for (const struct json *v = json_first(properties); v != NULL; v = json_next(v))
			n_properties++;
		for (const struct json *v = json_first(required); v != NULL; v = json_next(v), n_required++) {
			assert_true(json_as_string(v, &name));
			assert_non_null(json_member(properties, (const char *)name.p));
		}
		assert_int_equal(n_properties, n_required);
		json_free(&root);
	}
}

static void
limits_are_those_of_the_contract(void **state)
{
	struct mcp_args args;
	char message[MCP_MESSAGE_MAX];
	struct json *root = NULL;
	static const char list[] = "{\"vault\":\"0192f5a0-0000-7000-8000-000000000001\"}";
	static const char bytes[] = "{\"vault\":\"0192f5a0-0000-7000-8000-000000000001\","
	    "\"asset\":\"0192f5a0-0000-7000-8000-000000000001\"}";

	(void)state;
	for (size_t i = 0; i < UNATTENDED_TOOLS; i++) {
		const char *text = i == 0 ? list : bytes;

		assert_int_equal(json_parse((struct span){ (const uint8_t *)text, strlen(text) }, &root), OK);
		assert_int_equal(mcp_tool_check(&unattended_tools[i], root, &args, message), OK);
		assert_int_equal(unattended_tools_ask(&args).limit, i < 2 ? 100 : 65536);
		assert_int_equal(mcp_tool_value(&args, "revision") != NULL, i >= 2);
		json_free(&root);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_four_tools_are_announced),
		cmocka_unit_test(every_tool_only_reads_and_says_so),
		cmocka_unit_test(every_tool_keeps_to_what_hosts_accept),
		cmocka_unit_test(every_output_schema_is_a_plain_object_that_requires_all_it_names),
		cmocka_unit_test(limits_are_those_of_the_contract),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
