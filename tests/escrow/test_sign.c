#include <string.h>

#include "escrow/sign.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* RFC 8032, 7.1. */
static const struct {
	const char *seed, *public_key, *message, *signature;
} rfc[] = {
	{ "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
	    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
	    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
	    "d25bf5f0595bbe24655141438e7a100b" },
	{ "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
	    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
	    "387b2eaeb4302aeeb00d291612bb0c00" },
};

static const struct span message = { (const uint8_t *)"what is signed", 14 };

static void
signatures_are_those_of_rfc_8032(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rfc / sizeof *rfc; i++) {
		struct key *seed = hex_key(rfc[i].seed);
		struct signer *s = NULL;
		uint8_t text[8], signature[SIGNATURE_LEN];
		struct span m = { text, hex_take(rfc[i].message, text, sizeof text) };

		assert_int_equal(signer_of_seed(seed, &s), OK);
		hex_expect(signer_public(s), SIGN_PUBLIC_LEN, rfc[i].public_key);
		signer_sign_raw(s, m, signature);
		hex_expect(signature, sizeof signature, rfc[i].signature);
		assert_true(signature_valid_raw(signer_public(s), m, signature));
		signer_free(&s);
		key_free(&seed);
	}
}

static void
a_labelled_signature_covers_label_zero_and_message(void **state)
{
	struct signer *s = NULL;
	uint8_t labelled[SIGNATURE_LEN], raw[SIGNATURE_LEN];

	(void)state;
	assert_int_equal(signer_new(&s), OK);
	signer_sign(s, "label", (struct span){ (const uint8_t *)"text", 4 }, labelled);
	signer_sign_raw(s, (struct span){ (const uint8_t *)"label\0text", 10 }, raw);
	assert_memory_equal(labelled, raw, sizeof raw);
	assert_true(signature_valid(signer_public(s), "label", (struct span){ (const uint8_t *)"text", 4 }, raw));
	assert_false(signature_valid(signer_public(s), "labe", (struct span){ (const uint8_t *)"text", 4 }, raw));
	assert_false(signature_valid(signer_public(s), "label", (struct span){ (const uint8_t *)"tex", 3 }, raw));
	signer_free(&s);
}

static void
no_flipped_bit_of_a_signature_verifies(void **state)
{
	struct signer *s = NULL;
	uint8_t signature[SIGNATURE_LEN];

	(void)state;
	assert_int_equal(signer_new(&s), OK);
	signer_sign(s, "label", message, signature);
	for (size_t bit = 0; bit < 8 * sizeof signature; bit++) {
		signature[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(signature_valid(signer_public(s), "label", message, signature));
		signature[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(signature_valid(signer_public(s), "label", message, signature));
	signer_free(&s);
}

static void
another_key_does_not_verify(void **state)
{
	struct signer *a = NULL, *b = NULL;
	uint8_t signature[SIGNATURE_LEN];

	(void)state;
	assert_int_equal(signer_new(&a), OK);
	assert_int_equal(signer_new(&b), OK);
	signer_sign(a, "label", message, signature);
	assert_false(signature_valid(signer_public(b), "label", message, signature));
	signer_free(&a);
	signer_free(&b);
}

static void
a_message_too_long_for_a_label_never_verifies(void **state)
{
	static const uint8_t text[2000];
	uint8_t public_key[SIGN_PUBLIC_LEN] = { 0 }, signature[SIGNATURE_LEN] = { 0 };

	(void)state;
	assert_false(signature_valid(public_key, "label", (struct span){ text, sizeof text }, signature));
}

static void
a_seed_makes_the_same_signer_again_and_nothing_stays(void **state)
{
	struct signer *a = NULL, *b = NULL;
	struct key *seed = NULL;
	size_t left = keys_left();

	(void)state;
	assert_int_equal(signer_new(&a), OK);
	assert_int_equal(key_new(&seed), OK);
	signer_seed(a, seed);
	assert_int_equal(signer_of_seed(seed, &b), OK);
	assert_memory_equal(signer_public(a), signer_public(b), SIGN_PUBLIC_LEN);
	signer_free(&a);
	signer_free(&b);
	signer_free(&b);
	key_free(&seed);
	assert_int_equal(keys_left(), left);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signatures_are_those_of_rfc_8032),
		cmocka_unit_test(a_labelled_signature_covers_label_zero_and_message),
		cmocka_unit_test(no_flipped_bit_of_a_signature_verifies),
		cmocka_unit_test(another_key_does_not_verify),
		cmocka_unit_test(a_message_too_long_for_a_label_never_verifies),
		cmocka_unit_test(a_seed_makes_the_same_signer_again_and_nothing_stays),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
