#include <string.h>

#include "escrow/seal.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

static const struct span ad = { (const uint8_t *)"bound to this", 13 };

/* draft-irtf-cfrg-xchacha-03, A.3.1: nonce, ciphertext, tag. */
static void
the_drafts_vector_opens(void **state)
{
	static const char text[] = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip "
	    "for the future, sunscreen would be it.";
	struct key *k = hex_key("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
	uint8_t bound[12], sealed[sizeof text - 1 + SEAL_OVERHEAD], plain[sizeof text - 1];

	(void)state;
	hex_bytes("50515253c0c1c2c3c4c5c6c7", bound, sizeof bound);
	hex_bytes("404142434445464748494a4b4c4d4e4f5051525354555657bd6d179d3e83d43b9576579493c0e939572a1700252bfacc"
	    "bed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945"
	    "b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52ec0875924c1c7"
	    "987947deafd8780acf49", sealed, sizeof sealed);
	assert_int_equal(seal_open(k->b, (struct span){ bound, sizeof bound }, (struct span){ sealed, sizeof sealed }, plain), OK);
	assert_memory_equal(plain, text, sizeof plain);
	key_free(&k);
}

/* The vector of docs/store-format.md: a class key under a root key. */
static void
a_sealed_key_of_the_documents_opens(void **state)
{
	struct key *root = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), *out = NULL;
	uint8_t bound[26], sealed[SEALED_KEY_LEN];

	(void)state;
	hex_bytes("636c6173732f763100101112131415161718191a1b1c1d1e1f03", bound, sizeof bound);
	hex_bytes("c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d0bfa8f0b833b3b4cdeaf0dc7845039f923c7960b88d8c54"
	    "6029a397525ac3841b54c81b1ec8323a923d68a904bae8fb", sealed, sizeof sealed);
	assert_int_equal(key_new(&out), OK);
	assert_int_equal(key_open(root, (struct span){ bound, sizeof bound }, sealed, out), OK);
	hex_expect(out->b, KEY_LEN, "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");
	key_free(&root);
	key_free(&out);
}

static void
what_is_sealed_opens_and_no_two_seals_are_alike(void **state)
{
	struct key *k = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	uint8_t text[300], a[sizeof text + SEAL_OVERHEAD], b[sizeof a], plain[sizeof text];

	(void)state;
	memset(text, 0x61, sizeof text);
	for (size_t len = 0; len < sizeof text; len += 37) {
		seal(k->b, ad, (struct span){ text, len }, a);
		seal(k->b, ad, (struct span){ text, len }, b);
		assert_memory_not_equal(a, b, 24);
		assert_int_equal(seal_open(k->b, ad, (struct span){ a, len + SEAL_OVERHEAD }, plain), OK);
		assert_int_equal(memcmp(plain, text, len), 0);
	}
	key_free(&k);
}

static void
no_changed_byte_opens_and_nothing_is_left_of_the_try(void **state)
{
	static const uint8_t zero[20];
	struct key *k = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	uint8_t text[20], sealed[sizeof text + SEAL_OVERHEAD], plain[sizeof text];

	(void)state;
	memset(text, 0x61, sizeof text);
	seal(k->b, ad, (struct span){ text, sizeof text }, sealed);
	for (size_t i = 0; i < sizeof sealed; i++) {
		sealed[i] ^= 1;
		memset(plain, 0x55, sizeof plain);
		assert_int_equal(seal_open(k->b, ad, (struct span){ sealed, sizeof sealed }, plain), ERR_STORAGE_CORRUPT);
		assert_memory_equal(plain, zero, sizeof plain);
		sealed[i] ^= 1;
	}
	assert_int_equal(seal_open(k->b, ad, (struct span){ sealed, sizeof sealed }, plain), OK);
	key_free(&k);
}

static void
another_key_another_binding_or_another_length_opens_nothing(void **state)
{
	struct key *k = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	uint8_t text[20] = { 1 }, sealed[sizeof text + SEAL_OVERHEAD], plain[sizeof sealed];
	struct span whole = { sealed, sizeof sealed };

	(void)state;
	seal(k->b, ad, (struct span){ text, sizeof text }, sealed);
	assert_int_equal(seal_open(k->b, (struct span){ ad.p, ad.len - 1 }, whole, plain), ERR_STORAGE_CORRUPT);
	assert_int_equal(seal_open(k->b, (struct span){ NULL, 0 }, whole, plain), ERR_STORAGE_CORRUPT);
	for (size_t len = 0; len < sizeof sealed; len++)
		assert_int_equal(seal_open(k->b, ad, (struct span){ sealed, len }, plain), ERR_STORAGE_CORRUPT);
	k->b[0] ^= 1;
	assert_int_equal(seal_open(k->b, ad, whole, plain), ERR_STORAGE_CORRUPT);
	key_free(&k);
}

static void
a_key_goes_through_its_seal_alone(void **state)
{
	struct key *under = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), *out = NULL;
	struct key *k = hex_key("202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");
	uint8_t sealed[SEALED_KEY_LEN];

	(void)state;
	assert_int_equal(key_new(&out), OK);
	key_seal(under, ad, k, sealed);
	assert_int_equal(key_open(under, ad, sealed, out), OK);
	assert_memory_equal(out->b, k->b, KEY_LEN);
	assert_int_equal(key_open(k, ad, sealed, out), ERR_STORAGE_CORRUPT);
	key_free(&under);
	key_free(&out);
	key_free(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_drafts_vector_opens),
		cmocka_unit_test(a_sealed_key_of_the_documents_opens),
		cmocka_unit_test(what_is_sealed_opens_and_no_two_seals_are_alike),
		cmocka_unit_test(no_changed_byte_opens_and_nothing_is_left_of_the_try),
		cmocka_unit_test(another_key_another_binding_or_another_length_opens_nothing),
		cmocka_unit_test(a_key_goes_through_its_seal_alone),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
