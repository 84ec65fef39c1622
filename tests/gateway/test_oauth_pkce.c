#include <string.h>

#include "gateway/oauth_pkce.h"
#include "gateway/span.h"
#include "tests/support/check.h"

/* RFC 7636, appendix B. */
#define VERIFIER  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

static void
the_rfcs_vector_holds(void **state)
{
	uint8_t sent[SHA256_LEN], made[SHA256_LEN];

	(void)state;
	assert_true(oauth_pkce_challenge(span_of(CHALLENGE), sent));
	assert_true(oauth_pkce_verifier(span_of(VERIFIER), made));
	assert_memory_equal(sent, made, SHA256_LEN);
}

static void
a_challenge_has_43_characters_of_base64url(void **state)
{
	static const char *const bad[] = {
		"", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", CHALLENGE "M", CHALLENGE "=",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw/cM",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN", " 9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
	};
	uint8_t out[SHA256_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(oauth_pkce_challenge(span_of(bad[i]), out));
}

static void
a_verifier_has_43_to_128_unreserved_characters(void **state)
{
	uint8_t out[SHA256_LEN];
	uint8_t text[129];

	(void)state;
	memset(text, '~', sizeof text);
	assert_false(oauth_pkce_verifier((struct span){ text, 42 }, out));
	assert_true(oauth_pkce_verifier((struct span){ text, 43 }, out));
	assert_true(oauth_pkce_verifier((struct span){ text, 128 }, out));
	assert_false(oauth_pkce_verifier((struct span){ text, 129 }, out));
	for (unsigned c = 0; c < 256; c++) {
		bool unreserved = c != 0 && strchr("-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
		    (int)c);

		text[50] = (uint8_t)c;
		assert_int_equal(oauth_pkce_verifier((struct span){ text, 64 }, out), unreserved);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rfcs_vector_holds),
		cmocka_unit_test(a_challenge_has_43_characters_of_base64url),
		cmocka_unit_test(a_verifier_has_43_to_128_unreserved_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
