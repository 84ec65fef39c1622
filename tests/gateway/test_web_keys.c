/* What goes from the profile to the pages: opened by the one that shares the channel, and by nobody else. */
#include <string.h>

#include "escrow/channel.h"
#include "escrow/random.h"
#include "gateway/web_keys.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

static struct channel channel;
static struct key *web;

static int
setup(void **state)
{
	uint8_t pair[KEY_LEN] = { 7 };

	(void)state;
	return channel_of_pair(pair, &channel) == OK && key_random(&web) == OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	channel_free(&channel);
	key_free(&web);
	return 0;
}

static void
the_other_end_gets_key_and_verifier(void **state)
{
	static const char verifier[] = "$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA";
	uint8_t boxed[WEB_KEYS_BOXED_MAX];
	struct key *got = NULL;
	struct secret *text = NULL;
	size_t len;

	(void)state;
	assert_int_equal(web_keys_box(channel.down, web, (struct span){ (const uint8_t *)verifier, strlen(verifier) }, boxed, &len), OK);
	assert_int_equal(web_keys_open(channel.down, (struct span){ boxed, len }, &got, &text), OK);
	assert_memory_equal(got->b, web->b, KEY_LEN);
	assert_int_equal(secret_len(text), strlen(verifier));
	assert_memory_equal(secret_view(text), verifier, strlen(verifier));
	key_free(&got);
	secret_free(&text);
	assert_int_equal(web_keys_box(channel.down, web, (struct span){ NULL, 0 }, boxed, &len), OK);
	assert_int_equal(web_keys_open(channel.down, (struct span){ boxed, len }, &got, &text), OK);
	assert_int_equal(secret_len(text), 0);
	key_free(&got);
	secret_free(&text);
}

static void
nobody_else_does(void **state)
{
	uint8_t boxed[WEB_KEYS_BOXED_MAX], long_one[WEB_VERIFIER_MAX + 1] = { 0 };
	struct key *got = NULL;
	struct secret *text = NULL;
	size_t len;

	(void)state;
	assert_int_equal(web_keys_box(channel.down, web, (struct span){ long_one, sizeof long_one }, boxed, &len), ERR_INTERNAL);
	assert_int_equal(web_keys_box(channel.down, web, (struct span){ long_one, 5 }, boxed, &len), OK);
	assert_int_equal(web_keys_open(channel.up, (struct span){ boxed, len }, &got, &text), ERR_STORAGE_CORRUPT);
	boxed[len - 1] ^= 1;
	assert_int_equal(web_keys_open(channel.down, (struct span){ boxed, len }, &got, &text), ERR_STORAGE_CORRUPT);
	assert_int_equal(web_keys_open(channel.down, (struct span){ boxed, 20 }, &got, &text), ERR_STORAGE_CORRUPT);
	assert_null(got);
	assert_null(text);
}

/* Client ids that were made before a restart are still good after it. */
static void
the_key_is_derived_as_documented(void **state)
{
	struct key *profile = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), *out = NULL;

	(void)state;
	assert_int_equal(key_new(&out), OK);
	web_key_of(profile, out);
	hex_expect(out->b, KEY_LEN, "db87f6e94ff7e42f34382369c9c0855bc1999f10546dcdc3e0633ffe5650477d");
	key_free(&out);
	key_free(&profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_other_end_gets_key_and_verifier, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_else_does, setup, teardown),
		cmocka_unit_test_setup_teardown(the_key_is_derived_as_documented, setup, teardown),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
