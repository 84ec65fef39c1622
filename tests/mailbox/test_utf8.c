#include <string.h>

#include "mailbox/utf8.h"
#include "tests/support/check.h"

static bool
valid(const char *s)
{
	return utf8_valid((struct span){ (const uint8_t *)s, strlen(s) });
}

/* A code point that is no surrogate, in 1 .. 4 bytes (RFC 3629). */
static size_t
put(uint32_t point, uint8_t out[4])
{
	size_t len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

	if (len == 1) {
		out[0] = (uint8_t)point;
		return 1;
	}
	for (size_t i = len; i-- > 1; point >>= 6)
		out[i] = (uint8_t)(0x80 | (point & 0x3f));
	out[0] = (uint8_t)(0xf00U >> len | point);
	return len;
}

static void
every_code_point_survives_put_and_take(void **state)
{
	uint8_t b[4];
	uint32_t back;
	size_t len;

	(void)state;
	for (uint32_t point = 0; point <= 0x10ffff; point++) {
		if (point >= 0xd800 && point <= 0xdfff)
			continue;
		len = put(point, b);
		assert_int_equal(utf8_take(b, len, &back), len);
		assert_int_equal(back, point);
		assert_int_equal(utf8_take(b, len - 1, &back), 0);
	}
}

static void
malformed_sequences_are_refused(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2g", "\xe0\x80\x80", "\xe0\x9f\xbf",
		"\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe", "\xff", "ok\xe4\xb8",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(valid(bad[i]));
	assert_true(valid("plain, \xc3\xa9, \xe4\xb8\xad, \xf0\x9f\x98\x80"));
	assert_true(valid(""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point_survives_put_and_take),
		cmocka_unit_test(malformed_sequences_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
