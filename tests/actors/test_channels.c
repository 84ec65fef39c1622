#include <string.h>

#include "actors/channels.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

static struct channels *channels;
static struct key_pair boot;

static int
setup(void **state)
{
	(void)state;
	return key_pair_new(&boot) != OK || channels_new(&channels) != OK;
}

static int
teardown(void **state)
{
	(void)state;
	channels_free(&channels);
	key_pair_free(&boot);
	return 0;
}

/* A fresh opener's public key; nobody needs its secret here. */
static void
fresh_opener(uint8_t out[CHANNEL_PUBLIC_LEN])
{
	struct key_pair p;

	assert_int_equal(key_pair_new(&p), OK);
	memcpy(out, p.public_key, CHANNEL_PUBLIC_LEN);
	key_pair_free(&p);
}

static const struct channel *
find(const uint8_t opener[CHANNEL_PUBLIC_LEN])
{
	const struct channel *c = NULL;

	assert_int_equal(channels_find(channels, &boot, opener, &c), OK);
	return c;
}

static void
an_opener_is_met_once_and_found_again(void **state)
{
	uint8_t opener[CHANNEL_PUBLIC_LEN];
	struct channel fresh;
	const struct key *up;

	(void)state;
	fresh_opener(opener);
	up = find(opener)->up;
	assert_ptr_equal(find(opener)->up, up);
	assert_int_equal(channel_of_boot(&boot, opener, &fresh), OK);
	assert_memory_equal(fresh.up->b, up->b, KEY_LEN);
	channel_free(&fresh);
}

static void
a_full_table_lets_the_longest_unused_go_and_keeps_no_more_keys(void **state)
{
	static uint8_t openers[CHANNELS_MAX + 1][CHANNEL_PUBLIC_LEN];
	const struct key *first, *second;
	size_t left;

	(void)state;
	for (size_t i = 0; i < CHANNELS_MAX; i++) {
		fresh_opener(openers[i]);
		find(openers[i]);
	}
	left = keys_left();
	first = find(openers[0])->up;
	second = find(openers[1])->up;
	find(openers[0]);
	for (size_t i = 2; i < CHANNELS_MAX; i++)
		find(openers[i]);
	fresh_opener(openers[CHANNELS_MAX]);
	find(openers[CHANNELS_MAX]);
	assert_int_equal(keys_left(), left);
	assert_ptr_equal(find(openers[0])->up, first);
	/* The second's slot was given up; met again, it takes the place of another. */
	assert_memory_not_equal(second->b, find(openers[1])->down->b, KEY_LEN);
	assert_int_equal(keys_left(), left);
}

static void
a_key_of_low_order_is_refused_and_takes_no_place(void **state)
{
	uint8_t opener[CHANNEL_PUBLIC_LEN], low[CHANNEL_PUBLIC_LEN] = { 1 };
	const struct channel *c = NULL;
	const struct key *up;
	size_t left;

	(void)state;
	fresh_opener(opener);
	up = find(opener)->up;
	left = keys_left();
	for (size_t i = 0; i < 2 * CHANNELS_MAX; i++)
		assert_int_equal(channels_find(channels, &boot, low, &c), ERR_INVALID_ARGUMENT);
	assert_null(c);
	assert_int_equal(keys_left(), left);
	assert_ptr_equal(find(opener)->up, up);
}

static void
freeing_gives_every_key_back(void **state)
{
	uint8_t opener[CHANNEL_PUBLIC_LEN];
	size_t left = keys_left();

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		fresh_opener(opener);
		find(opener);
	}
	assert_int_equal(keys_left(), left - 10);
	channels_free(&channels);
	assert_int_equal(keys_left(), left);
	assert_int_equal(channels_new(&channels), OK);
}

#define CHANNELS_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CHANNELS_TEST(an_opener_is_met_once_and_found_again),
		CHANNELS_TEST(a_full_table_lets_the_longest_unused_go_and_keeps_no_more_keys),
		CHANNELS_TEST(a_key_of_low_order_is_refused_and_takes_no_place),
		CHANNELS_TEST(freeing_gives_every_key_back),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
