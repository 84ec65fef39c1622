#include <stdio.h>
#include <string.h>

#include "gateway/rpc.h"
#include "tests/support/check.h"

static struct json *root;

static struct rpc_message
read_text(const char *text)
{
	struct span s = { (const uint8_t *)text, strlen(text) };

	json_free(&root);
	assert_int_equal(json_parse(s, &root), OK);
	return rpc_read(root, s);
}

static void
expect(const char *text, enum rpc_kind kind, const char *id)
{
	struct rpc_message m = read_text(text);

	assert_int_equal(m.kind, kind);
	assert_int_equal(m.id.len, strlen(id));
	if (m.id.len > 0)
		assert_memory_equal(m.id.p, id, m.id.len);
	json_free(&root);
}

static void
requests_notifications_and_responses_are_told_apart(void **state)
{
	(void)state;
	expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", RPC_REQUEST, "1");
	expect("{\"method\":\"x\",\"params\":[],\"jsonrpc\":\"2.0\"}", RPC_NOTIFICATION, "");
	expect("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_RESPONSE, "1");
	expect("{\"jsonrpc\":\"2.0\",\"error\":{}}", RPC_RESPONSE, "");
}

static void
ids_are_strings_and_integers_as_they_are_spelled(void **state)
{
	static const char *const good[] = {
		"0", "-1", "-0", "9007199254740993", "123456789012345678901234567890", "\"1\"", "\"\"", "\"\\u0041\\n\"",
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\": %s ,\"method\":\"m\"}", good[i]);
		expect(text, RPC_REQUEST, good[i]);
	}
}

static void
other_ids_make_no_request_and_are_not_echoed(void **state)
{
	static const char *const bad[] = { "1e15", "1.5", "1.0", "null", "true", "{}", "[1]" };
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"m\"}", bad[i]);
		expect(text, RPC_INVALID, "");
	}
}

static void
what_is_no_message_is_invalid_with_the_id_that_can_be_used(void **state)
{
	(void)state;
	expect("{}", RPC_INVALID, "");
	expect("[]", RPC_INVALID, "");
	expect("7", RPC_INVALID, "");
	expect("{\"id\":4,\"method\":\"m\"}", RPC_INVALID, "4");
	expect("{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"m\"}", RPC_INVALID, "4");
	expect("{\"jsonrpc\":2.0,\"id\":4,\"method\":\"m\"}", RPC_INVALID, "4");
	expect("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}", RPC_INVALID, "\"a\"");
	expect("{\"jsonrpc\":\"2.0\",\"id\":4}", RPC_INVALID, "4");
}

static void
method_and_params_are_given_as_they_are(void **state)
{
	struct rpc_message m = read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools\\/list\",\"params\":[1]}");

	(void)state;
	assert_true(rpc_is(&m, "tools/list"));
	assert_false(rpc_is(&m, "tools/lis"));
	assert_false(rpc_is(&m, "tools/listx"));
	assert_int_equal(json_type(m.params), JSON_ARRAY);
	m = read_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}");
	assert_null(m.params);
	json_free(&root);
}

static void
answers_echo_the_id_or_leave_it_out(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	rpc_open_answer(&w, (struct span){ (const uint8_t *)"\"7\"", 3 });
	json_write_end(&w);
	assert_int_equal(w.len, strlen("{\"jsonrpc\":\"2.0\",\"id\":\"7\"}"));
	assert_memory_equal(w.p, "{\"jsonrpc\":\"2.0\",\"id\":\"7\"}", w.len);
	json_write_clear(&w);
	rpc_open_error(&w, (struct span){ NULL, 0 }, -32700, "no");
	json_write_end(&w);
	json_write_end(&w);
	assert_memory_equal(w.p, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}", w.len);
	json_write_free(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_notifications_and_responses_are_told_apart),
		cmocka_unit_test(ids_are_strings_and_integers_as_they_are_spelled),
		cmocka_unit_test(other_ids_make_no_request_and_are_not_echoed),
		cmocka_unit_test(what_is_no_message_is_invalid_with_the_id_that_can_be_used),
		cmocka_unit_test(method_and_params_are_given_as_they_are),
		cmocka_unit_test(answers_echo_the_id_or_leave_it_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
