#include <stdio.h>
#include <string.h>

#include "gateway/json.h"
#include "gateway/oauth_register.h"
#include "gateway/span.h"
#include "tests/support/check.h"

static struct key *key;

struct answer {
	enum oauth_registered end;
	char                  text[4096];
};

static struct answer
say(const char *body)
{
	struct json_writer w = { 0 };
	struct answer a;
	struct span out;

	a.end = oauth_register(span_of(body), key, 1796000000, &w);
	assert_int_equal(json_write_done(&w, &out), OK);
	assert_true(out.len < sizeof a.text);
	memcpy(a.text, out.p, out.len);
	a.text[out.len] = '\0';
	json_write_free(&w);
	return a;
}

static void
a_registration_is_answered_whole(void **state)
{
	struct answer a = say("{\"redirect_uris\":[\"http://localhost:1/cb\"],\"client_name\":\"x\",\"grant_types\":[\"authorization_code\"]}");

	(void)state;
	assert_int_equal(a.end, OAUTH_REGISTERED);
	assert_non_null(strstr(a.text, "\"client_id\":\"mc1."));
	assert_non_null(strstr(a.text,
	    ",\"client_id_issued_at\":1796000000,\"client_name\":\"x\",\"redirect_uris\":[\"http://localhost:1/cb\"],"
	    "\"token_endpoint_auth_method\":\"none\",\"grant_types\":[\"authorization_code\",\"refresh_token\"],\"response_types\":[\"code\"]}"));
}

static void
nothing_is_null_or_empty_and_no_secret_is_made(void **state)
{
	static const char *const bodies[] = {
		"{\"redirect_uris\":[\"https://a.example/\"]}",
		"{\"redirect_uris\":[\"https://a.example/\"],\"client_name\":\"\",\"client_uri\":null,\"logo_uri\":\"\",\"scope\":null}",
		"{\"redirect_uris\":[\"https://a.example/\"],\"client_name\":null,\"token_endpoint_auth_method\":\"client_secret_basic\"}",
		"{\"redirect_uris\":[\"https://a.example/\"],\"client_name\":7,\"software_id\":\"x\",\"application_type\":\"native\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct answer a = say(bodies[i]);

		assert_int_equal(a.end, OAUTH_REGISTERED);
		assert_null(strstr(a.text, "null"));
		assert_null(strstr(a.text, "\"\""));
		assert_null(strstr(a.text, "secret"));
		assert_null(strstr(a.text, "client_name"));
		assert_non_null(strstr(a.text, "\"token_endpoint_auth_method\":\"none\""));
	}
}

static void
odd_uris_are_left_out_and_the_rest_kept(void **state)
{
	struct answer a = say("{\"redirect_uris\":[\"cursor://anysphere.cursor-mcp/oauth/callback\",\"javascript:alert(1)\",7,"
	    "\"https://www.cursor.com/agents/mcp/oauth/callback\",\"http://localhost:8787/callback\",\"http://localhost:8787/callback\"]}");

	(void)state;
	assert_int_equal(a.end, OAUTH_REGISTERED);
	assert_non_null(strstr(a.text, "\"redirect_uris\":[\"cursor://anysphere.cursor-mcp/oauth/callback\","
	    "\"https://www.cursor.com/agents/mcp/oauth/callback\",\"http://localhost:8787/callback\"]"));
}

static void
what_is_refused(void **state)
{
	static const struct {
		const char *body, *error;
	} cases[] = {
		{ "", "invalid_client_metadata" },
		{ "[]", "invalid_client_metadata" },
		{ "{\"redirect_uris\":[\"https://a.example/\"],\"redirect_uris\":[]}", "invalid_client_metadata" },
		{ "{}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":null}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":[]}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":\"https://a.example/\"}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":[\"javascript:alert(1)\"]}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":[\"http://a.example/\",\"https://a.example/#f\",\"https://u@a.example/\"]}",
		    "invalid_redirect_uri" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct answer a = say(cases[i].body);
		char wanted[80];

		snprintf(wanted, sizeof wanted, "{\"error\":\"%s\",\"error_description\":\"", cases[i].error);
		assert_int_not_equal(a.end, OAUTH_REGISTERED);
		assert_memory_equal(a.text, wanted, strlen(wanted));
	}
}

static void
too_long_together(void **state)
{
	char body[2200], one[1001];

	(void)state;
	memset(one, 'a', 1000);
	one[1000] = '\0';
	snprintf(body, sizeof body, "{\"redirect_uris\":[\"https://a.example/%s\",\"https://b.example/%s\"]}", one, one);
	assert_int_equal(say(body).end, OAUTH_BAD_METADATA);
}

static void
more_than_ten_uris_are_cut(void **state)
{
	char body[2000] = "{\"redirect_uris\":[";
	struct answer a;

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		snprintf(body + strlen(body), 40, "%s\"https://a.example/%u\"", i > 0 ? "," : "", i);
	strncat(body, "]}", 3);
	a = say(body);
	assert_int_equal(a.end, OAUTH_REGISTERED);
	assert_non_null(strstr(a.text, "https://a.example/9\"]"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_registration_is_answered_whole),
		cmocka_unit_test(nothing_is_null_or_empty_and_no_secret_is_made),
		cmocka_unit_test(odd_uris_are_left_out_and_the_rest_kept),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(too_long_together),
		cmocka_unit_test(more_than_ten_uris_are_cut),
	};
	uint8_t bytes[KEY_LEN] = { 7 };
	int failed;

	if (secret_init(true) != OK || key_of(bytes, &key) != OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	key_free(&key);
	return failed != 0;
}
