#include <stdio.h>
#include <string.h>

#include "gateway/oauth_redirect.h"
#include "gateway/span.h"
#include "tests/support/check.h"

struct pair {
	const char *registered;
	const char *given;
	bool        matches;
};

static const struct pair pairs[] = {
	/* The same bytes. */
	{ "https://claude.ai/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback", true },
	{ "cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback", true },
	{ "http://127.0.0.1", "http://127.0.0.1", true },
	/* The port of a loopback one. */
	{ "http://127.0.0.1/callback", "http://127.0.0.1:50123/callback", true },
	{ "http://localhost/callback", "http://localhost:3000/callback", true },
	{ "http://localhost:33418/", "http://localhost:1/", true },
	{ "http://[::1]:33418/", "http://[::1]:65535/", true },
	{ "http://[::1]:33418/", "http://[::1]/", true },
	{ "http://127.0.0.1:1/cb?x=1", "http://127.0.0.1:2/cb?x=1", true },
	{ "http://127.0.0.1", "http://127.0.0.1:5000", true },
	/* No port of anything else. */
	{ "https://127.0.0.1/callback", "https://127.0.0.1:443/callback", false },
	{ "https://localhost/callback", "https://localhost:50123/callback", false },
	{ "https://a.example/cb", "https://a.example:8443/cb", false },
	{ "http://127.0.0.1/callback", "http://127.0.0.1:0/callback", false },
	{ "http://127.0.0.1/callback", "http://127.0.0.1:65536/callback", false },
	{ "http://127.0.0.1/callback", "http://127.0.0.1:/callback", false },
	{ "http://127.0.0.1/callback", "http://127.0.0.1:80x/callback", false },
	/* The host as it is spelled. */
	{ "http://127.0.0.1/callback", "http://localhost/callback", false },
	{ "http://localhost/callback", "http://127.0.0.1:3000/callback", false },
	{ "http://localhost/callback", "http://LOCALHOST:3000/callback", false },
	{ "http://localhost/callback", "http://localhost.evil.example:3000/callback", false },
	{ "http://127.0.0.1/callback", "http://127.0.0.2:3000/callback", false },
	{ "https://a.example/cb", "https://A.example/cb", false },
	{ "https://a.example/cb", "https://a.example.evil.example/cb", false },
	/* Path. */
	{ "https://a.example/cb", "https://a.example/cb/", false },
	{ "https://a.example/cb", "https://a.example/cbx", false },
	{ "https://a.example/cb", "https://a.example/CB", false },
	{ "https://a.example/a/b", "https://a.example/a%2fb", false },
	{ "https://a.example/a%2fb", "https://a.example/a%2Fb", false },
	{ "https://a.example/cb", "https://a.example/x/../cb", false },
	{ "http://127.0.0.1/", "http://127.0.0.1:5000", false },
	{ "http://127.0.0.1/callback", "http://127.0.0.1:9/callback/extra", false },
	/* Query, fragment, userinfo, wildcard, scheme. */
	{ "https://a.example/cb", "https://a.example/cb?x=1", false },
	{ "https://a.example/cb?x=1", "https://a.example/cb?x=2", false },
	{ "http://127.0.0.1/cb", "http://127.0.0.1:9/cb?x=1", false },
	{ "https://a.example/cb", "https://a.example/cb#f", false },
	{ "https://a.example/cb#f", "https://a.example/cb#f", false },
	{ "https://a.example/cb", "https://u@a.example/cb", false },
	{ "http://127.0.0.1/cb", "http://127.0.0.1@evil.example:9/cb", false },
	{ "http://127.0.0.1/cb", "http://u@127.0.0.1:9/cb", false },
	{ "https://*.example/cb", "https://a.example/cb", false },
	{ "https://*.example/cb", "https://*.example/cb", false },
	{ "https://a.example/cb", "http://a.example/cb", false },
	{ "http://127.0.0.1/cb", "https://127.0.0.1:9/cb", false },
	{ "https://a.example/cb", "", false },
	{ "", "", false },
	{ "https://a.example/cb", "https://a.example/cb ", false },
	{ "https://a.example/cb", "https://a.example\\/cb", false },
};

static void
what_matches_and_what_does_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (oauth_redirect_matches(span_of(pairs[i].registered), span_of(pairs[i].given)) != pairs[i].matches)
			fail_msg("%s and %s", pairs[i].registered, pairs[i].given);
}

static void
what_may_be_registered(void **state)
{
	static const char *const good[] = {
		"https://claude.ai/api/mcp/auth_callback", "https://a.example", "https://a.example:8443/cb?x=%20",
		"https://[2001:db8::1]/cb", "http://127.0.0.1/", "http://localhost/callback", "http://[::1]:33418/",
		"cursor://anysphere.cursor-mcp/oauth/callback", "vscode://x.y/z", "com.example.app:/cb", "com.example.app://cb",
	};
	static const char *const bad[] = {
		"", "/cb", "cb", "https:", "https://", "https:///cb", "https:cb", "http://a.example/cb", "http://127.0.0.2/",
		"http://0.0.0.0/", "http://localhost.evil.example/", "javascript:alert(1)", "JavaScript://a/%0aalert(1)",
		"data:text/html,x", "file:///etc/passwd", "blob:https://a.example/x", "about:blank", "vbscript:x",
		"https://a.example/cb#", "https://u:p@a.example/cb", "https://*.a.example/cb", "https://a.example/*",
		"https://a.example/%zz", "https://a.example/%2", "https://a.example:99999/", "https://a b.example/",
		"https://a.example/\xc3\xa9", "HTTPS://a.example/cb", "unknown://x", "https://[::1/cb",
		    "https://a.example:1:2/",
		"https://[]/", "http:/127.0.0.1/", "a.b", "1a.b:/x", "view-source:https://a.example/",
		"https://a.example/\r\nX: y", "intent://x", "ws://127.0.0.1/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!oauth_redirect_acceptable(span_of(good[i])))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (oauth_redirect_acceptable(span_of(bad[i])))
			fail_msg("%s", bad[i]);
}

static void
a_uri_has_a_longest_length(void **state)
{
	char text[OAUTH_REDIRECT_MAX + 2];

	(void)state;
	snprintf(text, sizeof text, "https://a.example/%0*d", OAUTH_REDIRECT_MAX - 18, 0);
	assert_int_equal(strlen(text), OAUTH_REDIRECT_MAX);
	assert_true(oauth_redirect_acceptable(span_of(text)));
	strncat(text, "0", 1);
	assert_false(oauth_redirect_acceptable(span_of(text)));
}

static void
what_a_person_is_shown(void **state)
{
	(void)state;
	assert_true(span_is(oauth_redirect_shown(span_of("https://a.example:8443/cb?x=1")), "a.example:8443"));
	assert_true(span_is(oauth_redirect_shown(span_of("http://[::1]:9/cb")), "[::1]:9"));
	assert_true(span_is(oauth_redirect_shown(span_of("https://a.example")), "a.example"));
	assert_true(span_is(oauth_redirect_shown(span_of("cursor://anysphere.cursor-mcp/x")), "cursor:"));
	assert_true(span_is(oauth_redirect_shown(span_of("com.example:/x")), "com.example:"));
	assert_true(oauth_redirect_is_loopback(span_of("http://localhost:1/")));
	assert_true(oauth_redirect_is_loopback(span_of("https://localhost:1/")));
	assert_false(oauth_redirect_is_loopback(span_of("https://localhost.example/")));
	assert_false(oauth_redirect_is_loopback(span_of("cursor://localhost")));
}

static void
parameters_go_behind_what_is_there(void **state)
{
	struct oauth_param params[] = {
		{ "code", { (const uint8_t *)"mac_x", 5 } },
		{ "state", { (const uint8_t *)"a&b=c d\xff%00\0+", 13 } },
		{ "iss", { (const uint8_t *)"https://m.example", 17 } },
		{ "error", { NULL, 0 } },
	};
	char out[200];
	size_t len;

	(void)state;
	len = oauth_redirect_write(span_of("https://a.example/cb?x=1"), params, 4, out, sizeof out);
	assert_true(span_is((struct span){ (uint8_t *)out, len }, "https://a.example/cb?x=1&code=mac_x&state="
	    "a%26b%3Dc%20d%FF%2500%00%2B&iss=https%3A%2F%2Fm.example"));
	assert_int_equal(oauth_redirect_write(span_of("https://a.example/cb?x=1"), params, 4, out, len), len);
	assert_int_equal(oauth_redirect_write(span_of("https://a.example/cb?x=1"), params, 4, out, len - 1), 0);
	len = oauth_redirect_write(span_of("http://127.0.0.1:9"), params, 1, out, sizeof out);
	assert_true(span_is((struct span){ (uint8_t *)out, len }, "http://127.0.0.1:9?code=mac_x"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_matches_and_what_does_not),
		cmocka_unit_test(what_may_be_registered),
		cmocka_unit_test(a_uri_has_a_longest_length),
		cmocka_unit_test(what_a_person_is_shown),
		cmocka_unit_test(parameters_go_behind_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
