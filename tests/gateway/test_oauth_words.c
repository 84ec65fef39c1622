/* Scopes, tokens and challenges: the small words of OAuth. */
#include <string.h>

#include "gateway/oauth_challenge.h"
#include "gateway/oauth_hash.h"
#include "gateway/oauth_scope.h"
#include "gateway/span.h"
#include "tests/support/check.h"

#define READ    (1u << SCOPE_READ)
#define PROPOSE (1u << SCOPE_PROPOSE)
#define CORRECT (1u << SCOPE_CORRECT)
#define SEARCH  (1u << SCOPE_SEARCH)

static void
scopes_are_read_from_a_list(void **state)
{
	(void)state;
	assert_int_equal(oauth_scope_bits(span_of("profile:read context:search")), READ | SEARCH);
	assert_int_equal(oauth_scope_bits(span_of("  profile:correct   profile:correct ")), CORRECT);
	assert_int_equal(oauth_scope_bits(span_of("claudeai offline_access profile:propose PROFILE:READ")), PROPOSE);
	assert_int_equal(oauth_scope_bits(span_of("profile:readx profile:rea profile:read,profile:propose")), 0);
	assert_int_equal(oauth_scope_bits((struct span){ NULL, 0 }), 0);
}

static void
a_request_without_scopes_gets_the_default(void **state)
{
	(void)state;
	assert_int_equal(oauth_scope_wanted((struct span){ NULL, 0 }), READ);
	assert_int_equal(oauth_scope_wanted(span_of("")), READ);
	assert_int_equal(oauth_scope_wanted(span_of("claudeai offline_access")), READ);
	assert_int_equal(oauth_scope_wanted(span_of("profile:propose")), PROPOSE);
}

static void
search_falls_without_read(void **state)
{
	(void)state;
	assert_int_equal(oauth_scope_wanted(span_of("context:search")), READ);
	assert_int_equal(oauth_scope_wanted(span_of("context:search profile:propose")), PROPOSE);
	assert_int_equal(scopes_closed(SEARCH), 0);
	assert_int_equal(scopes_closed(SEARCH | READ), SEARCH | READ);
}

static void
scopes_are_named_in_one_order(void **state)
{
	char text[OAUTH_SCOPE_TEXT_MAX + 1];

	(void)state;
	oauth_scope_text(SCOPES_ALL, text);
	assert_string_equal(text, "profile:read profile:propose profile:correct context:search");
	oauth_scope_text(SEARCH | READ, text);
	assert_string_equal(text, "profile:read context:search");
	oauth_scope_text(0, text);
	assert_string_equal(text, "");
}

static void
tokens_have_a_form_and_are_never_the_same(void **state)
{
	static const char *const starts[] = { "mat_", "mrt_", "mac_" };
	char a[OAUTH_TOKEN_LEN + 1], b[OAUTH_TOKEN_LEN + 1];

	(void)state;
	for (unsigned kind = OAUTH_ACCESS; kind <= OAUTH_CODE; kind++) {
		oauth_token_make((enum oauth_token_kind)kind, a);
		oauth_token_make((enum oauth_token_kind)kind, b);
		assert_int_equal(strlen(a), OAUTH_TOKEN_LEN);
		assert_memory_equal(a, starts[kind], 4);
		assert_string_not_equal(a, b);
		for (unsigned other = OAUTH_ACCESS; other <= OAUTH_CODE; other++)
			assert_int_equal(oauth_token_formed((enum oauth_token_kind)other, span_of(a)), kind == other);
		a[20] = '=';
		assert_false(oauth_token_formed((enum oauth_token_kind)kind, span_of(a)));
	}
	assert_false(oauth_token_formed(OAUTH_ACCESS, span_of("mat_")));
	assert_false(oauth_token_formed(OAUTH_ACCESS, span_of("")));
}

static void
a_hash_is_sha256_of_the_whole(void **state)
{
	static const uint8_t abc[] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea }; /* FIPS 180-4 */
	uint8_t hash[SHA256_LEN];

	(void)state;
	oauth_hash(span_of("abc"), hash);
	assert_memory_equal(hash, abc, sizeof abc);
}

static void
challenges_are_exact(void **state)
{
	char text[OAUTH_CHALLENGE_MAX];

	(void)state;
	oauth_challenge_text(OAUTH_NO_TOKEN, "https://m.example", 0, text);
	assert_string_equal(text,
	    "Bearer resource_metadata=\"https://m.example/.well-known/oauth-protected-resource/mcp\", "
	    "scope=\"profile:read profile:propose profile:correct context:search\"");
	assert_int_equal(oauth_challenge_words(OAUTH_NO_TOKEN)->status, 401);
	oauth_challenge_text(OAUTH_INVALID_TOKEN, "http://127.0.0.1:8787", 0, text);
	assert_string_equal(text,
	    "Bearer resource_metadata=\"http://127.0.0.1:8787/.well-known/oauth-protected-resource/mcp\", "
	    "scope=\"profile:read profile:propose profile:correct context:search\", error=\"invalid_token\", "
	    "error_description=\"the token is unknown, expired or revoked\"");
	oauth_challenge_text(OAUTH_INSUFFICIENT_SCOPE, "https://m.example", READ | SEARCH, text);
	assert_non_null(strstr(text, "scope=\"profile:read context:search\", error=\"insufficient_scope\""));
	assert_int_equal(oauth_challenge_words(OAUTH_INSUFFICIENT_SCOPE)->status, 403);
}

static void
the_longest_origin_fits(void **state)
{
	char origin[513], text[OAUTH_CHALLENGE_MAX];

	(void)state;
	memset(origin, 'a', 512);
	origin[512] = '\0';
	oauth_challenge_text(OAUTH_INSUFFICIENT_SCOPE, origin, SCOPES_ALL, text);
	assert_int_equal(text[strlen(text) - 1], '"');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_are_read_from_a_list),
		cmocka_unit_test(a_request_without_scopes_gets_the_default),
		cmocka_unit_test(search_falls_without_read),
		cmocka_unit_test(scopes_are_named_in_one_order),
		cmocka_unit_test(tokens_have_a_form_and_are_never_the_same),
		cmocka_unit_test(a_hash_is_sha256_of_the_whole),
		cmocka_unit_test(challenges_are_exact),
		cmocka_unit_test(the_longest_origin_fits),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
