#include "store/log_anchor.h"
#include "store/log_key.h"
#include "tests/store/log_rig.h"

#define LINE "memories/0198a000-0000-7000-8000-000000000001+633be328+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c\n"

static enum err
parse(const char *text, size_t len)
{
	char origin[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];

	return log_key_parse((struct span){ (const uint8_t *)text, len }, origin, key);
}

static void
a_verifier_key_round_trips(void **state)
{
	char origin[LOG_ORIGIN_MAX + 1], text[LOG_KEY_TEXT_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];

	(void)state;
	assert_int_equal(log_key_parse((struct span){ (const uint8_t *)LINE, strlen(LINE) }, origin, key), OK);
	assert_string_equal(origin, "memories/0198a000-0000-7000-8000-000000000001");
	assert_int_equal(key[0], 0x8a);
	assert_int_equal(key[31], 0x5c);
	log_key_text(origin, key, text);
	assert_string_equal(text, LINE);
	assert_int_equal(parse(LINE, strlen(LINE) - 1), OK);
}

static void
anything_else_is_no_verifier_key(void **state)
{
	char text[] = LINE;
	size_t len = strlen(text);

	(void)state;
	for (size_t i = 0; i + 1 < len; i++) {
		assert_int_equal(parse(text, i), ERR_INVALID_CONTENT);
		text[i] ^= 1;
		assert_int_equal(parse(text, len), ERR_INVALID_CONTENT);
		text[i] ^= 1;
	}
	assert_int_equal(parse(LINE "\n", len + 1), ERR_INVALID_CONTENT);
	assert_int_equal(parse(LINE, len + 1), ERR_INVALID_CONTENT);
	assert_int_equal(parse("+633be328+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c", 54), ERR_INVALID_CONTENT);
}

static void
an_anchor_round_trips_or_is_none(void **state)
{
	struct log_anchor a = { .size = 77, .root = { 1, 2 }, .epoch = { { 3 } } }, found;
	uint8_t buf[LOG_ANCHOR_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct wire_in in;

	(void)state;
	log_anchor_put(&o, &a);
	in = wire_in(buf, o.len);
	log_anchor_take(&in, &found);
	assert_true(wire_done(&in));
	assert_int_equal(found.size, 77);
	assert_memory_equal(found.root, a.root, sizeof a.root);
	for (size_t i = 0; i < sizeof buf; i++) {
		buf[i] ^= 0x10;
		in = wire_in(buf, sizeof buf);
		log_anchor_take(&in, &found);
		assert_true(in.failed);
		buf[i] ^= 0x10;
		in = wire_in(buf, i);
		log_anchor_take(&in, &found);
		assert_true(in.failed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verifier_key_round_trips),
		cmocka_unit_test(anything_else_is_no_verifier_key),
		cmocka_unit_test(an_anchor_round_trips_or_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
