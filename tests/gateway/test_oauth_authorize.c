#include <stdio.h>
#include <string.h>

#include "gateway/oauth_authorize.h"
#include "gateway/span.h"
#include "mailbox/words.h"
#include "tests/support/check.h"

#define ORIGIN    "https://m.example"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define REDIRECT  "http://127.0.0.1:5123/cb"

static struct key *key;
static char client_id[OAUTH_CLIENT_ID_MAX + 1];

/* A good request; a test changes, adds or removes fields. */
struct request {
	struct http_field fields[16];
	size_t             n;
};

static void
add(struct request *r, const char *name, const char *value)
{
	r->fields[r->n++] = (struct http_field){ span_of(name), span_of(value) };
}

static struct request
good(void)
{
	struct request r = { .n = 0 };

	add(&r, "response_type", "code");
	add(&r, "client_id", client_id);
	add(&r, "redirect_uri", REDIRECT);
	add(&r, "code_challenge", CHALLENGE);
	add(&r, "code_challenge_method", "S256");
	add(&r, "state", "s");
	add(&r, "resource", ORIGIN "/mcp");
	add(&r, "scope", "profile:read");
	return r;
}

/* value NULL: the field goes. */
static struct request
changed(const char *name, const char *value)
{
	struct request r = good();

	for (size_t i = 0; i < r.n; i++)
		if (span_is(r.fields[i].name, name)) {
			r.fields[i] = r.fields[--r.n];
			break;
		}
	if (value != NULL)
		add(&r, name, value);
	return r;
}

static enum oauth_dead_end
judge(const struct request *r, struct oauth_request *out)
{
	struct oauth_form f = { r->fields, r->n };

	memset(out, 0, sizeof *out);
	return oauth_authorize(&f, ORIGIN, key, out);
}

static void
a_good_request_goes_on(void **state)
{
	struct request r = good();
	struct oauth_request q;

	(void)state;
	assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
	assert_null(q.error);
	assert_int_equal(q.scopes, 1u << SCOPE_READ);
	assert_true(span_is(q.redirect, REDIRECT));
	assert_true(span_is(q.redirect_registered, "http://127.0.0.1/cb"));
	assert_true(span_is(q.state, "s"));
	assert_int_equal(q.challenge[0], 0x13);
	add(&r, "nonce", "x");
	add(&r, "login_hint", "x");
	add(&r, "prompt", "consent");
	add(&r, "response_mode", "query");
	assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
	assert_null(q.error);
}

static void
what_ends_on_a_page_of_ours(void **state)
{
	static char long_state[OAUTH_STATE_MAX + 2];
	static const struct {
		const char         *name, *value;
		enum oauth_dead_end end;
	} cases[] = {
		{ "client_id", NULL, OAUTH_UNKNOWN_CLIENT },
		{ "client_id", "", OAUTH_UNKNOWN_CLIENT },
		{ "client_id", "mc1.e30.x", OAUTH_UNKNOWN_CLIENT },
		{ "client_id", "https://evil.example/c.json", OAUTH_UNKNOWN_DOCUMENT },
		{ "redirect_uri", NULL, OAUTH_WRONG_REDIRECT },
		{ "redirect_uri", "", OAUTH_WRONG_REDIRECT },
		{ "redirect_uri", "https://evil.example/cb", OAUTH_WRONG_REDIRECT },
		{ "redirect_uri", "http://127.0.0.1:5123/cb/", OAUTH_WRONG_REDIRECT },
		{ "redirect_uri", "javascript:alert(1)", OAUTH_WRONG_REDIRECT },
		{ "state", long_state, OAUTH_MALFORMED },
	};
	struct oauth_request q;

	(void)state;
	memset(long_state, 'x', sizeof long_state - 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct request r = changed(cases[i].name, cases[i].value);

		assert_int_equal(judge(&r, &q), cases[i].end);
		/* Whatever else is wrong with it. */
		add(&r, "request_uri", "x");
		assert_int_equal(judge(&r, &q), cases[i].end);
	}
	long_state[OAUTH_STATE_MAX] = '\0';
	{
		struct request r = changed("state", long_state);

		assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
		assert_int_equal(q.state.len, OAUTH_STATE_MAX);
	}
}

static void
no_parameter_comes_twice_but_resource(void **state)
{
	struct oauth_request q;
	struct request r;
	size_t n = good().n;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		char name[40];

		r = good();
		snprintf(name, sizeof name, "%.*s", (int)r.fields[i].name.len, (const char *)r.fields[i].name.p);
		add(&r, name, i % 2 == 0 ? "other" : "");
		if (strcmp(name, "resource") == 0) {
			assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
			continue;
		}
		assert_int_equal(judge(&r, &q), OAUTH_MALFORMED);
	}
	r = good();
	add(&r, "unknown", "1");
	add(&r, "unknown", "2");
	assert_int_equal(judge(&r, &q), OAUTH_MALFORMED);
}

static void
what_goes_back_behind_the_login(void **state)
{
	static const struct {
		const char *name, *value, *error;
	} cases[] = {
		{ "response_type", "token", "unsupported_response_type" },
		{ "response_type", "code id_token", "unsupported_response_type" },
		{ "response_type", NULL, "invalid_request" },
		{ "code_challenge", NULL, "invalid_request" },
		{ "code_challenge", "short", "invalid_request" },
		{ "code_challenge", CHALLENGE "=", "invalid_request" },
		{ "code_challenge_method", NULL, "invalid_request" },
		{ "code_challenge_method", "plain", "invalid_request" },
		{ "code_challenge_method", "s256", "invalid_request" },
		{ "resource", "https://other.example/mcp", "invalid_target" },
		{ "resource", ORIGIN "/mcp/x", "invalid_target" },
		{ "resource", ORIGIN ".evil.example/mcp", "invalid_target" },
		{ "resource", "http://m.example/mcp", "invalid_target" },
		{ "request", "x.y.z", "request_not_supported" },
		{ "request_uri", "https://x", "request_uri_not_supported" },
		{ "response_mode", "fragment", "invalid_request" },
		{ "response_mode", "form_post", "invalid_request" },
		{ "prompt", "none", "interaction_required" },
		{ "prompt", "login none", "interaction_required" },
	};
	struct oauth_request q;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct request r = changed(cases[i].name, cases[i].value);

		assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
		assert_non_null(q.error);
		assert_string_equal(q.error, cases[i].error);
		assert_true(span_is(q.state, "s"));
	}
}

static void
spellings_of_our_resource(void **state)
{
	static const char *const ours[] = {
		ORIGIN, ORIGIN "/", ORIGIN "/mcp", ORIGIN "/mcp/", "HTTPS://M.EXAMPLE/mcp", "https://m.example:443/mcp",
		"https://m.example:443", "",
	};
	static const char *const not_ours[] = {
		"m.example/mcp", "https://m.example:444/mcp", ORIGIN "/MCP", ORIGIN "?x", ORIGIN "/mcp?x", "https:", "/",
		    "https://", "x",
	};
	struct oauth_request q;

	(void)state;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
		struct request r = changed("resource", ours[i]);

		assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
		assert_null(q.error);
		add(&r, "resource", "https://other.example");
		assert_int_equal(judge(&r, &q), OAUTH_GOES_ON);
		assert_string_equal(q.error, "invalid_target");
	}
	for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) {
		struct request r = changed("resource", not_ours[i]);

		judge(&r, &q);
		assert_non_null(q.error);
	}
}

static void
where_the_browser_goes(void **state)
{
	static char out[OAUTH_LOCATION_MAX];
	static uint8_t state_bytes[OAUTH_STATE_MAX];
	size_t len;

	(void)state;
	len = oauth_authorize_location(span_of("https://a.example/cb?a=b"), span_of("x y"), ORIGIN, "mac_1", NULL, out,
	    sizeof out);
	assert_true(span_is((struct span){ (uint8_t *)out, len },
	    "https://a.example/cb?a=b&code=mac_1&state=x%20y&iss=https%3A%2F%2Fm.example"));
	len = oauth_authorize_location(span_of(REDIRECT), (struct span){ NULL, 0 }, ORIGIN, NULL, "access_denied", out,
	    sizeof out);
	assert_true(span_is((struct span){ (uint8_t *)out, len },
	    REDIRECT "?error=access_denied&iss=https%3A%2F%2Fm.example"));
	memset(state_bytes, '"', sizeof state_bytes);
	len = oauth_authorize_location(span_of(REDIRECT), (struct span){ state_bytes, sizeof state_bytes }, ORIGIN, "mac_1",
	    NULL, out,
	    sizeof out);
	assert_true(len > 3 * sizeof state_bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_request_goes_on),
		cmocka_unit_test(what_ends_on_a_page_of_ours),
		cmocka_unit_test(no_parameter_comes_twice_but_resource),
		cmocka_unit_test(what_goes_back_behind_the_login),
		cmocka_unit_test(spellings_of_our_resource),
		cmocka_unit_test(where_the_browser_goes),
	};
	uint8_t bytes[KEY_LEN] = { 7 };
	struct oauth_client c;
	int failed;

	if (secret_init(true) != OK || key_of(bytes, &key) != OK)
		return 1;
	oauth_client_start(&c);
	if (!oauth_client_add_redirect(&c, span_of("http://127.0.0.1/cb")) || oauth_client_write(&c, key, client_id) == 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	key_free(&key);
	return failed != 0;
}
