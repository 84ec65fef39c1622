#include <string.h>

#include "escrow/hash.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

#define KEY_00 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const struct {
	const char *text;
	const char *digest;
} fips[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void
sha256_gives_the_digests_of_fips_180(void **state)
{
	uint8_t out[SHA256_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof fips / sizeof *fips; i++) {
		sha256(fips[i].text, strlen(fips[i].text), out);
		hex_expect(out, sizeof out, fips[i].digest);
	}
}

static void
a_million_letters_in_pieces_of_any_length_give_one_digest(void **state)
{
	static const size_t pieces[] = { 1, 63, 64, 65, 127, 1000 };
	uint8_t out[SHA256_LEN];
	struct sha256 h;
	char a[1000];
	size_t left = 1000000;

	(void)state;
	memset(a, 'a', sizeof a);
	sha256_start(&h);
	for (size_t i = 0; left > 0; i++) {
		size_t n = pieces[i % 6] < left ? pieces[i % 6] : left;

		sha256_add(&h, a, n);
		left -= n;
	}
	sha256_end(&h, out);
	hex_expect(out, sizeof out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void
nothing_of_what_was_hashed_stays_in_the_state(void **state)
{
	static const struct sha256 wiped;
	uint8_t out[SHA256_LEN];
	struct sha256 h;

	(void)state;
	sha256_start(&h);
	sha256_add(&h, "a token", 7);
	sha256_end(&h, out);
	assert_memory_equal(&h, &wiped, sizeof h);
}

/* The vectors of docs/store-format.md, made by another implementation of BLAKE2b. */
static void
a_derivation_is_keyed_blake2b_over_label_zero_and_context(void **state)
{
	struct key *k = hex_key(KEY_00), *out = NULL;

	(void)state;
	assert_int_equal(key_new(&out), OK);
	derive(k, "memories/test/v1", (struct span){ (const uint8_t *)"context", 7 }, out);
	hex_expect(out->b, KEY_LEN, "8e03ca195aa2a31b7ea2f7253a531dd9b15a5f7a955daae4d4ea8be8d3f2a443");
	derive(k, "memories/test/v1", (struct span){ NULL, 0 }, out);
	hex_expect(out->b, KEY_LEN, "45609615989d1caacc06d27c246cefa940da6461d13a6904a9dce7d99865012f");
	key_free(&k);
	key_free(&out);
}

static void
a_tag_is_what_a_derivation_with_the_same_words_gives(void **state)
{
	struct key *k = hex_key(KEY_00);
	uint8_t tag[32];

	(void)state;
	keyed_tag(k, "memories/test/v1", (struct span){ (const uint8_t *)"context", 7 }, tag);
	hex_expect(tag, sizeof tag, "8e03ca195aa2a31b7ea2f7253a531dd9b15a5f7a955daae4d4ea8be8d3f2a443");
	key_free(&k);
}

static void
key_label_and_context_each_change_the_result(void **state)
{
	struct key *k = hex_key(KEY_00);
	uint8_t tags[5][32];

	(void)state;
	keyed_tag(k, "a", (struct span){ (const uint8_t *)"b", 1 }, tags[0]);
	keyed_tag(k, "ab", (struct span){ NULL, 0 }, tags[1]);
	keyed_tag(k, "a", (struct span){ (const uint8_t *)"bb", 2 }, tags[2]);
	keyed_tag(k, "", (struct span){ (const uint8_t *)"ab", 2 }, tags[3]);
	k->b[KEY_LEN - 1] ^= 1;
	keyed_tag(k, "a", (struct span){ (const uint8_t *)"b", 1 }, tags[4]);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(tags[i], tags[j], 32);
	key_free(&k);
}

static void
only_the_first_half_of_a_slot_is_the_key(void **state)
{
	struct key *k = hex_key(KEY_00);
	uint8_t tag[32];

	(void)state;
	memset(k->b + KEY_LEN, 0xff, KEY_LEN);
	keyed_tag(k, "memories/test/v1", (struct span){ NULL, 0 }, tag);
	hex_expect(tag, sizeof tag, "45609615989d1caacc06d27c246cefa940da6461d13a6904a9dce7d99865012f");
	key_free(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_gives_the_digests_of_fips_180),
		cmocka_unit_test(a_million_letters_in_pieces_of_any_length_give_one_digest),
		cmocka_unit_test(nothing_of_what_was_hashed_stays_in_the_state),
		cmocka_unit_test(a_derivation_is_keyed_blake2b_over_label_zero_and_context),
		cmocka_unit_test(a_tag_is_what_a_derivation_with_the_same_words_gives),
		cmocka_unit_test(key_label_and_context_each_change_the_result),
		cmocka_unit_test(only_the_first_half_of_a_slot_is_the_key),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
