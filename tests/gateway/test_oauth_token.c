/* The forms of /token and /revoke, and the documents under /.well-known/. */
#include <string.h>

#include "gateway/oauth_metadata.h"
#include "gateway/oauth_pkce.h"
#include "gateway/oauth_scope.h"
#include "gateway/oauth_token.h"
#include "gateway/span.h"
#include "tests/support/check.h"

#define ORIGIN   "https://m.example"
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

static struct key *key;
static char client_id[OAUTH_CLIENT_ID_MAX + 1];
static char code[OAUTH_TOKEN_LEN + 1], refresh[OAUTH_TOKEN_LEN + 1], access_token[OAUTH_TOKEN_LEN + 1];

struct form {
	struct http_field fields[12];
	size_t             n;
};

static void
set(struct form *f, const char *name, const char *value)
{
	for (size_t i = 0; i < f->n; i++)
		if (span_is(f->fields[i].name, name))
			f->fields[i] = f->fields[--f->n];
	if (value != NULL)
		f->fields[f->n++] = (struct http_field){ span_of(name), span_of(value) };
}

static struct form
code_form(void)
{
	struct form f = { .n = 0 };

	set(&f, "grant_type", "authorization_code");
	set(&f, "client_id", client_id);
	set(&f, "code", code);
	set(&f, "code_verifier", VERIFIER);
	set(&f, "redirect_uri", "http://127.0.0.1:9/cb");
	set(&f, "resource", ORIGIN "/mcp");
	return f;
}

static struct form
refresh_form(void)
{
	struct form f = { .n = 0 };

	set(&f, "grant_type", "refresh_token");
	set(&f, "client_id", client_id);
	set(&f, "refresh_token", refresh);
	return f;
}

static enum oauth_token_error
judge(const struct form *f, struct oauth_token_request *out)
{
	struct oauth_form form = { f->fields, f->n };

	return oauth_token_check(&form, ORIGIN, key, out);
}

static void
a_code_is_asked_for_by_hashes(void **state)
{
	struct form f = code_form();
	struct oauth_token_request q;
	uint8_t hash[SHA256_LEN];

	(void)state;
	assert_int_equal(judge(&f, &q), OAUTH_TOKEN_OK);
	assert_int_equal(q.grant, OAUTH_BY_CODE);
	oauth_hash(span_of(code), hash);
	assert_memory_equal(q.shown, hash, SHA256_LEN);
	oauth_hash(span_of("http://127.0.0.1:9/cb"), hash);
	assert_true(q.has_redirect);
	assert_memory_equal(q.redirect, hash, SHA256_LEN);
	assert_true(oauth_pkce_challenge(span_of("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), hash));
	assert_memory_equal(q.challenge, hash, SHA256_LEN);
	set(&f, "redirect_uri", NULL);
	assert_int_equal(judge(&f, &q), OAUTH_TOKEN_OK);
	assert_false(q.has_redirect);
	set(&f, "code_verifier", "short");
	assert_int_equal(judge(&f, &q), OAUTH_TOKEN_OK);
	assert_memory_not_equal(q.challenge, hash, SHA256_LEN);
}

static void
a_refresh_may_name_scopes(void **state)
{
	struct form f = refresh_form();
	struct oauth_token_request q;

	(void)state;
	assert_int_equal(judge(&f, &q), OAUTH_TOKEN_OK);
	assert_int_equal(q.grant, OAUTH_BY_REFRESH);
	assert_int_equal(q.scopes, 0);
	set(&f, "scope", "profile:read offline_access");
	assert_int_equal(judge(&f, &q), OAUTH_TOKEN_OK);
	assert_int_equal(q.scopes, 1u << SCOPE_READ);
}

static void
errors_come_in_their_order(void **state)
{
	struct form f = code_form();
	struct oauth_token_request q;

	(void)state;
	set(&f, "code", access_token);
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_GRANT);
	set(&f, "code", NULL);
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_REQUEST);
	set(&f, "resource", "https://other.example");
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_TARGET);
	set(&f, "grant_type", "password");
	assert_int_equal(judge(&f, &q), OAUTH_UNSUPPORTED_GRANT_TYPE);
	set(&f, "grant_type", NULL);
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_REQUEST);
	set(&f, "client_id", "mc1.e30.x");
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_CLIENT);
	set(&f, "client_id", NULL);
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_REQUEST);
	f = code_form();
	f.fields[f.n++] = (struct http_field){ span_of("code"), span_of("other") };
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_REQUEST);
	f = refresh_form();
	set(&f, "refresh_token", access_token);
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_GRANT);
	set(&f, "refresh_token", "");
	assert_int_equal(judge(&f, &q), OAUTH_INVALID_REQUEST);
}

static void
revocation_takes_any_token(void **state)
{
	struct form f = { .n = 0 };
	struct oauth_form form = { f.fields, 0 };
	struct oauth_revoke_request q;

	(void)state;
	set(&f, "client_id", client_id);
	form.n = f.n;
	assert_int_equal(oauth_revoke_check(&form, key, &q), OAUTH_INVALID_REQUEST);
	set(&f, "token", refresh);
	set(&f, "token_type_hint", "access_token");
	form.n = f.n;
	assert_int_equal(oauth_revoke_check(&form, key, &q), OAUTH_TOKEN_OK);
	assert_false(q.is_nobodys);
	set(&f, "token", "junk");
	form.n = f.n;
	assert_int_equal(oauth_revoke_check(&form, key, &q), OAUTH_TOKEN_OK);
	assert_true(q.is_nobodys);
}

static void
statuses_are_those_that_clients_know(void **state)
{
	(void)state;
	assert_int_equal(oauth_token_error_status(OAUTH_INVALID_CLIENT), 401);
	assert_int_equal(oauth_token_error_status(OAUTH_INVALID_GRANT), 400);
	assert_int_equal(oauth_token_error_status(OAUTH_TOO_MANY), 429);
	assert_string_equal(oauth_token_error_name(OAUTH_INVALID_CLIENT), "invalid_client");
}

static void
assert_written(struct json_writer *w, const char *wanted)
{
	struct span out;

	assert_int_equal(json_write_done(w, &out), OK);
	if (!span_is(out, wanted))
		fail_msg("%.*s", (int)out.len, (const char *)out.p);
	json_write_free(w);
}

static void
a_success_has_no_more_than_it_must(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	oauth_token_write(&w, "mat_a", "mrt_b", SCOPES_ALL & ~(1u << SCOPE_SEARCH), OAUTH_ACCESS_S);
	assert_written(&w,
	    "{\"access_token\":\"mat_a\",\"token_type\":\"Bearer\",\"expires_in\":600,\"refresh_token\":\"mrt_b\","
	    "\"scope\":\"profile:read profile:propose profile:correct\"}");
}

static void
documents_are_exact(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	oauth_metadata_write(&w, OAUTH_RESOURCE, ORIGIN);
	assert_written(&w, "{\"resource\":\"https://m.example/mcp\",\"authorization_servers\":[\"https://m.example\"],"
	    "\"scopes_supported\":[\"profile:read\"],\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"memories\"}");
	oauth_metadata_write(&w, OAUTH_SERVER, ORIGIN);
	assert_written(&w, "{\"issuer\":\"https://m.example\",\"authorization_endpoint\":\"https://m.example/authorize\","
	    "\"token_endpoint\":\"https://m.example/token\",\"registration_endpoint\":\"https://m.example/register\","
	    "\"revocation_endpoint\":\"https://m.example/revoke\",\"response_types_supported\":[\"code\"],"
	    "\"response_modes_supported\":[\"query\"],\"grant_types_supported\":[\"authorization_code\",\"refresh_token\"],"
	    "\"token_endpoint_auth_methods_supported\":[\"none\"],\"revocation_endpoint_auth_methods_supported\":[\"none\"],"
	    "\"code_challenge_methods_supported\":[\"S256\"],\"authorization_response_iss_parameter_supported\":true,"
	    "\"client_id_metadata_document_supported\":false,\"scopes_supported\":[\"profile:read\"]}");
}

static void
documents_have_aliases(void **state)
{
	(void)state;
	assert_int_equal(oauth_document_at(span_of("/.well-known/oauth-protected-resource/mcp")), OAUTH_RESOURCE);
	assert_int_equal(oauth_document_at(span_of("/.well-known/oauth-protected-resource")), OAUTH_RESOURCE);
	assert_int_equal(oauth_document_at(span_of("/.well-known/oauth-authorization-server")), OAUTH_SERVER);
	assert_int_equal(oauth_document_at(span_of("/.well-known/oauth-authorization-server/mcp")), OAUTH_SERVER);
	assert_int_equal(oauth_document_at(span_of("/mcp/.well-known/oauth-authorization-server")), OAUTH_SERVER);
	assert_int_equal(oauth_document_at(span_of("/.well-known/openid-configuration")), OAUTH_NO_DOCUMENT);
	assert_int_equal(oauth_document_at(span_of("/.well-known/oauth-authorization-server/")), OAUTH_NO_DOCUMENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_code_is_asked_for_by_hashes),
		cmocka_unit_test(a_refresh_may_name_scopes),
		cmocka_unit_test(errors_come_in_their_order),
		cmocka_unit_test(revocation_takes_any_token),
		cmocka_unit_test(statuses_are_those_that_clients_know),
		cmocka_unit_test(a_success_has_no_more_than_it_must),
		cmocka_unit_test(documents_are_exact),
		cmocka_unit_test(documents_have_aliases),
	};
	uint8_t bytes[KEY_LEN] = { 7 };
	struct oauth_client c;
	int failed;

	if (secret_init(true) != OK || key_of(bytes, &key) != OK)
		return 1;
	oauth_client_start(&c);
	if (!oauth_client_add_redirect(&c, span_of("http://127.0.0.1/cb")) || oauth_client_write(&c, key, client_id) == 0)
		return 1;
	oauth_token_make(OAUTH_CODE, code);
	oauth_token_make(OAUTH_REFRESH, refresh);
	oauth_token_make(OAUTH_ACCESS, access_token);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	key_free(&key);
	return failed != 0;
}
