/* resources/list, resources/templates/list and resources/read, of servers that declare them and of those that do not. */
#include <stdlib.h>

#include "tests/gateway/ordinary_rig.h"
#include "tests/support/check.h"

#define SAY(id, method, params) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define MODERN(id, method)              SAY(id, method, MODERN_META)
#define MODERN_WITH(id, method, params) SAY(id, method, MODERN_META "," params)

static const char *const legacy[] = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" };

static int
set_up(void **state)
{
	struct mcp_rig *rig = malloc(sizeof *rig);

	if (rig == NULL)
		return -1;
	rig_open_ordinary(rig);
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
expect(struct mcp_rig *rig, const char *message, const char *wanted)
{
	const char *answer = rig_say(rig, message);

	if (strcmp(answer, wanted) != 0)
		fail_msg("to    %s\nwanted %s\ncame   %.500s", message, wanted, answer);
}

static void
expect_error(struct mcp_rig *rig, const char *message, int code)
{
	char start[64];

	snprintf(start, sizeof start, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":%d,", code);
	if (strncmp(rig_say(rig, message), start, strlen(start)) != 0)
		fail_msg("to    %s\nwanted %s\ncame   %.300s", message, start, rig->text);
}

static void
resources_are_announced_by_who_has_them(void **state)
{
	struct mcp_rig *rig = *state, plain;

	for (size_t i = 0; i < 4; i++) {
		rig_initialize(rig, legacy[i]);
		assert_non_null(strstr(rig->text, "\"capabilities\":{\"tools\":{},\"resources\":{}},"));
	}
	rig_say(rig, MODERN("1", "server/discover"));
	assert_non_null(strstr(rig->text, "\"capabilities\":{\"tools\":{},\"resources\":{}},"));
	rig_open(&plain);
	rig_say(&plain, MODERN("1", "server/discover"));
	assert_non_null(strstr(plain.text, "\"capabilities\":{\"tools\":{}},"));
	rig_close(&plain);
}

static void
a_list_goes_on_at_its_cursor(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2024-11-05");
	expect(rig, SAY("1", "resources/list", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":["
	    "{\"uri\":\"" RIG_URI "\",\"name\":\"one \\\"\\n\",\"mimeType\":\"text/plain\",\"size\":5}],\"nextCursor\":\"more\"}}");
	expect(rig, SAY("1", "resources/list", "\"cursor\":\"more\""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":["
	    "{\"uri\":\"" RIG_URI "\",\"name\":\"one \\\"\\n\",\"mimeType\":\"text/plain\",\"size\":5}]}}");
	expect_error(rig, SAY("1", "resources/list", "\"cursor\":\"\""), -32602);
	expect_error(rig, SAY("1", "resources/list", "\"cursor\":\"other\""), -32602);
	expect_error(rig, SAY("1", "resources/list", "\"cursor\":7"), -32602);
	expect_error(rig, SAY("1", "resources/list", "\"cursor\":null"), -32602);
}

static void
the_template_is_one_page(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-11-25");
	rig_say(rig, SAY("1", "resources/templates/list", ""));
	assert_non_null(strstr(rig->text, "\"resourceTemplates\":[{\"uriTemplate\":\"memory://{vault}/{asset}\",\"name\":\"memory\",\"title\":"));
	expect_error(rig, SAY("1", "resources/templates/list", "\"cursor\":\"more\""), -32602);
	assert_int_equal(rig->n_calls, 0);
}

static void
a_read_gives_text_and_where_it_goes_on(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-06-18");
	expect(rig, SAY("1", "resources/read", "\"uri\":\"" RIG_URI "\""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":["
	    "{\"uri\":\"" RIG_URI "\",\"mimeType\":\"text/plain\",\"text\":\"said\\n\","
	    "\"_meta\":{\"memories/next\":\"" RIG_URI "?cursor=x\"}}]}}");
	rig_initialize(rig, "2025-03-26");
	expect(rig, SAY("1", "resources/read", "\"uri\":\"" RIG_URI "\""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"contents\":["
	    "{\"uri\":\"" RIG_URI "\",\"mimeType\":\"text/plain\",\"text\":\"said\\n\"}]}}");
}

static void
modern_results_say_how_long_they_may_be_kept(void **state)
{
	struct mcp_rig *rig = *state;

	rig_say(rig, MODERN("1", "resources/list"));
	assert_non_null(strstr(rig->text, "\"nextCursor\":\"more\",\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":"));
	rig_say(rig, MODERN_WITH("1", "resources/read", "\"uri\":\"" RIG_URI "\""));
	assert_non_null(strstr(rig->text, "\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":"));
	rig_say(rig, MODERN("1", "resources/templates/list"));
	assert_non_null(strstr(rig->text, "\"ttlMs\":300000,\"cacheScope\":\"private\""));
}

static void
what_is_not_there_is_refused_by_the_eras_code_with_its_uri(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-11-25");
	expect(rig, SAY("1", "resources/read", "\"uri\":\"" RIG_URI_HIDDEN "\""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002,"
	    "\"message\":\"there is no such resource\",\"data\":{\"uri\":\"" RIG_URI_HIDDEN "\"}}}");
	expect(rig, MODERN_WITH("1", "resources/read", "\"uri\":\"a\\\"b\""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
	    "\"message\":\"there is no such resource\",\"data\":{\"uri\":\"a\\\"b\"}}}");
	expect_error(rig, SAY("1", "resources/read", ""), -32602);
	expect_error(rig, SAY("1", "resources/read", "\"uri\":7"), -32602);
}

static void
another_refusal_has_our_code_and_its_word(void **state)
{
	struct mcp_rig *rig = *state;

	rig_initialize(rig, "2025-11-25");
	expect(rig, SAY("1", "resources/read", "\"uri\":\"" RIG_URI_LOCKED "\""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-31000,"
	    "\"message\":\"locked: unlock first\",\"data\":{\"code\":\"locked\"}}}");
	/* And nothing of it is left in the next one's. */
	expect_error(rig, SAY("1", "resources/read", "\"uri\":\"" RIG_URI_HIDDEN "\""), -32002);
	assert_null(strstr(rig->text, "unlock"));
}

static void
subscribing_is_no_method_of_ours(void **state)
{
	struct mcp_rig *rig = *state;
	static const char *const methods[] = { "resources/subscribe", "resources/unsubscribe", "subscriptions/listen" };
	char message[512];

	rig_initialize(rig, "2025-11-25");
	for (size_t i = 0; i < 3; i++) {
		snprintf(message, sizeof message, SAY("1", "%s", "\"uri\":\"" RIG_URI "\""), methods[i]);
		expect_error(rig, message, -32601);
		snprintf(message, sizeof message, MODERN_WITH("1", "%s", "\"uri\":\"" RIG_URI "\""), methods[i]);
		expect_error(rig, message, -32601);
	}
}

static void
a_server_without_resources_answers_as_ever(void **state)
{
	struct mcp_rig rig;

	(void)state;
	rig_open(&rig);
	rig_initialize(&rig, "2025-11-25");
	expect(&rig, SAY("1", "resources/list", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resources\":[]}}");
	expect(&rig, SAY("1", "resources/templates/list", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resourceTemplates\":[]}}");
	expect_error(&rig, SAY("1", "resources/list", "\"cursor\":\"more\""), -32602);
	expect_error(&rig, SAY("1", "resources/read", "\"uri\":\"" RIG_URI "\""), -32601);
	expect_error(&rig, MODERN("1", "resources/list"), -32601);
	expect_error(&rig, MODERN("1", "resources/templates/list"), -32601);
	expect_error(&rig, MODERN_WITH("1", "resources/read", "\"uri\":\"" RIG_URI "\""), -32601);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(resources_are_announced_by_who_has_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_goes_on_at_its_cursor, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_template_is_one_page, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_read_gives_text_and_where_it_goes_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(modern_results_say_how_long_they_may_be_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_refused_by_the_eras_code_with_its_uri, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_refusal_has_our_code_and_its_word, set_up, tear_down),
		cmocka_unit_test_setup_teardown(subscribing_is_no_method_of_ours, set_up, tear_down),
		cmocka_unit_test(a_server_without_resources_answers_as_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
