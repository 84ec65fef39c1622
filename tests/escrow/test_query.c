#include <string.h>

#include "escrow/deposit.h"
#include "escrow/index_ref.h"
#include "escrow/query.h"
#include "tests/support/check.h"

static const uint8_t mac[32] = { 7, 7, 7 };
static const struct span words = { (const uint8_t *)"隐私 plan", 11 };

struct made {
	struct channel  channel;
	struct key_pair boot;
	struct key     *result;
	uint8_t         sealed[QUERY_SEALED_MAX];
	size_t          len;
};

static int
setup(void **state)
{
	static struct made m;
	static const uint8_t pair[KEY_LEN] = { 1, 2, 3 };

	assert_int_equal(channel_of_pair(pair, &m.channel), OK);
	assert_int_equal(key_pair_new(&m.boot), OK);
	assert_int_equal(query_result_key(&m.boot, mac, 41, &m.result), OK);
	assert_int_equal(query_seal(m.channel.down, 41, mac, m.result, words, m.sealed, &m.len), OK);
	*state = &m;
	return 0;
}

static int
teardown(void **state)
{
	struct made *m = *state;

	channel_free(&m->channel);
	key_pair_free(&m->boot);
	key_free(&m->result);
	return 0;
}

static void
what_was_sealed_for_an_ask_and_a_ruling_comes_out_whole(void **state)
{
	struct made *m = *state;
	struct key *result = NULL;
	struct secret *text = NULL;

	assert_int_equal(query_open(m->channel.down, 41, mac, (struct span){ m->sealed, m->len }, &result, &text), OK);
	assert_memory_equal(result->b, m->result->b, KEY_LEN);
	assert_int_equal(secret_len(text), words.len);
	assert_memory_equal(secret_view(text), words.p, words.len);
	key_free(&result);
	secret_free(&text);
}

static void
it_opens_for_no_other_ask_ruling_or_key_and_not_when_changed(void **state)
{
	struct made *m = *state;
	struct span sealed = { m->sealed, m->len };
	struct key *result = NULL;
	struct secret *text = NULL;
	uint8_t other[32] = { 7, 7, 8 };

	assert_int_equal(query_open(m->channel.down, 42, mac, sealed, &result, &text), ERR_STORAGE_CORRUPT);
	assert_int_equal(query_open(m->channel.down, 41, other, sealed, &result, &text), ERR_STORAGE_CORRUPT);
	assert_int_equal(query_open(m->channel.up, 41, mac, sealed, &result, &text), ERR_STORAGE_CORRUPT);
	m->sealed[m->len - 1] ^= 1;
	assert_int_equal(query_open(m->channel.down, 41, mac, sealed, &result, &text), ERR_STORAGE_CORRUPT);
	for (size_t len = 0; len < m->len; len++)
		assert_int_equal(query_open(m->channel.down, 41, mac, (struct span){ m->sealed, len }, &result, &text),
		    ERR_STORAGE_CORRUPT);
	assert_null(result);
	assert_null(text);
}

static void
a_result_key_is_of_one_boot_one_ruling_and_one_ask(void **state)
{
	struct made *m = *state;
	struct key *k = NULL;
	struct key_pair boot;
	uint8_t other[32] = { 7, 7, 8 };

	assert_int_equal(query_result_key(&m->boot, mac, 41, &k), OK);
	assert_memory_equal(k->b, m->result->b, KEY_LEN);
	key_free(&k);
	assert_int_equal(query_result_key(&m->boot, mac, 42, &k), OK);
	assert_memory_not_equal(k->b, m->result->b, KEY_LEN);
	key_free(&k);
	assert_int_equal(query_result_key(&m->boot, other, 41, &k), OK);
	assert_memory_not_equal(k->b, m->result->b, KEY_LEN);
	key_free(&k);
	assert_int_equal(key_pair_new(&boot), OK);
	assert_int_equal(query_result_key(&boot, mac, 41, &k), OK);
	assert_memory_not_equal(k->b, m->result->b, KEY_LEN);
	key_free(&k);
	key_pair_free(&boot);
}

static void
what_was_found_opens_as_a_piece_of_a_deposit(void **state)
{
	static const struct uuid none;
	struct made *m = *state;
	uint8_t sealed[64], plain[64], buf[PIECE_BINDING_MAX];
	struct span ad = piece_binding(PART_FOUND, none, none, 0, false, (struct span){ NULL, 0 }, buf);

	query_found_seal(m->result, words, sealed);
	assert_int_equal(seal_open(m->result->b, ad, (struct span){ sealed, words.len + SEAL_OVERHEAD }, plain), OK);
	assert_memory_equal(plain, words.p, words.len);
}

static void
words_that_are_too_many_are_not_sealed(void **state)
{
	struct made *m = *state;
	uint8_t long_text[PROFILE_TEXT_MAX + 1] = { 0 };
	size_t len;

	assert_int_equal(query_seal(m->channel.down, 1, mac, m->result, (struct span){ long_text, sizeof long_text }, m->sealed, &len),
	    ERR_INTERNAL);
}

static void
the_two_refs_differ_and_have_the_length_of_a_ref(void **state)
{
	uint8_t a[INDEX_REF_LEN], b[INDEX_REF_LEN];
	struct span index = index_ref(CLASS_ORDINARY, a), found = index_ref_found(b);

	(void)state;
	assert_int_equal(index.len, INDEX_REF_LEN);
	assert_int_equal(found.len, INDEX_REF_LEN);
	assert_memory_not_equal(index.p, found.p, INDEX_REF_LEN);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_sealed_for_an_ask_and_a_ruling_comes_out_whole),
		TEST(it_opens_for_no_other_ask_ruling_or_key_and_not_when_changed),
		TEST(a_result_key_is_of_one_boot_one_ruling_and_one_ask),
		TEST(what_was_found_opens_as_a_piece_of_a_deposit),
		TEST(words_that_are_too_many_are_not_sealed),
		TEST(the_two_refs_differ_and_have_the_length_of_a_ref),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
