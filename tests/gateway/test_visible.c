#include <string.h>

#include "gateway/visible.h"
#include "tests/support/check.h"

/* The text as it is shown. */
static const char *
shown(const char *text)
{
	static char out[256];
	size_t left = strlen(text), n = 0, len;

	for (const uint8_t *p = (const uint8_t *)text; left > 0;) {
		size_t taken = visible_next(p, left, out + n, &len);

		p += taken;
		left -= taken;
		n += len;
	}
	out[n] = '\0';
	return out;
}

static void
what_can_be_seen_is_left_alone(void **state)
{
	static const char text[] = "abc \xc3\xa9 \xe4\xb8\xad\xe6\x96\x87\xe3\x80\x80 \xd8\xb9 \xf0\x9f\x94\x91 \xc2\xa0";

	(void)state;
	assert_string_equal(shown(text), text);
	assert_int_equal(visible_count_hidden((struct span){ (const uint8_t *)text, sizeof text - 1 }), 0);
}

static void
what_hides_or_turns_around_is_shown_by_its_number(void **state)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "a\xe2\x80\xae" "b", "a\xe2\x9f\xa8U+202E\xe2\x9f\xa9" "b" },
		{ "\xe2\x80\x8b", "\xe2\x9f\xa8U+200B\xe2\x9f\xa9" },
		{ "\xe2\x81\xa6x\xe2\x81\xa9", "\xe2\x9f\xa8U+2066\xe2\x9f\xa9x\xe2\x9f\xa8U+2069\xe2\x9f\xa9" },
		{ "\xef\xbb\xbf", "\xe2\x9f\xa8U+FEFF\xe2\x9f\xa9" },
		{ "\x1b[31m", "\xe2\x9f\xa8U+001B\xe2\x9f\xa9[31m" },
		{ "\xc2\xad", "\xe2\x9f\xa8U+00AD\xe2\x9f\xa9" },
		{ "\xd8\x9c", "\xe2\x9f\xa8U+061C\xe2\x9f\xa9" },
		{ "\xf3\xa0\x81\x81", "\xe2\x9f\xa8U+E0041\xe2\x9f\xa9" },
		{ "\xc2\x9b", "\xe2\x9f\xa8U+009B\xe2\x9f\xa9" },
		{ "\xe3\x85\xa4", "\xe2\x9f\xa8U+3164\xe2\x9f\xa9" },
		{ "\xff" "a", "\xe2\x9f\xa8" "0xff\xe2\x9f\xa9" "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_string_equal(shown(rows[i].text), rows[i].wanted);
		assert_true(visible_count_hidden((struct span){ (const uint8_t *)rows[i].text, strlen(rows[i].text) }) > 0);
	}
}

static void
lines_and_tabs_are_no_secret(void **state)
{
	(void)state;
	assert_int_equal(visible_count_hidden((struct span){ (const uint8_t *)"a\n\tb\r", 5 }), 1);
	assert_true(visible_hidden('\n') && visible_hidden(0) && visible_hidden(0xe0fff));
	assert_false(visible_hidden(0x2010) || visible_hidden(0x10ffff) || visible_hidden(0x20) || visible_hidden(0xe1000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_seen_is_left_alone),
		cmocka_unit_test(what_hides_or_turns_around_is_shown_by_its_number),
		cmocka_unit_test(lines_and_tabs_are_no_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
