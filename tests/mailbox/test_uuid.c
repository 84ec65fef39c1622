#include "tests/support/check.h"

#include <string.h>

#include "mailbox/uuid.h"

static const char *const text = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

static void
text_goes_there_and_back(void **state)
{
	char out[UUID_TEXT_LEN + 1];
	struct uuid id;

	(void)state;
	assert_int_equal(uuid_parse(text, &id), OK);
	assert_int_equal(id.b[0], 0x01);
	assert_int_equal(id.b[15], 0x5b);
	uuid_text(id, out);
	assert_string_equal(out, text);
	assert_int_equal(uuid_parse("0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B", &id), OK);
	uuid_text(id, out);
	assert_string_equal(out, text);
}

static void
every_changed_character_that_is_no_hex_digit_is_refused(void **state)
{
	static const char bad[] = "g-/:@`G \n";
	struct uuid id = { { 9 } };
	char copy[UUID_TEXT_LEN + 1];

	(void)state;
	for (size_t i = 0; i < UUID_TEXT_LEN; i++)
		for (size_t k = 0; k < sizeof bad - 1; k++) {
			strcpy(copy, text);
			if (copy[i] == bad[k])
				continue;
			copy[i] = bad[k];
			assert_int_equal(uuid_parse(copy, &id), ERR_INVALID_ARGUMENT);
		}
	assert_int_equal(id.b[0], 9);
}

static void
a_text_too_short_or_too_long_is_refused(void **state)
{
	struct uuid id;

	(void)state;
	assert_int_equal(uuid_parse("", &id), ERR_INVALID_ARGUMENT);
	assert_int_equal(uuid_parse("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5", &id), ERR_INVALID_ARGUMENT);
	assert_int_equal(uuid_parse("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b0", &id), ERR_INVALID_ARGUMENT);
}

static void
order_is_byte_order(void **state)
{
	struct uuid a = { { 1, 2 } };
	struct uuid b = { { 1, 3 } };
	struct uuid zero = { { 0 } };

	(void)state;
	assert_true(uuid_compare(a, b) < 0);
	assert_true(uuid_compare(b, a) > 0);
	assert_int_equal(uuid_compare(a, a), 0);
	assert_true(uuid_equal(a, a));
	assert_false(uuid_equal(a, b));
	assert_true(uuid_is_zero(zero));
	assert_false(uuid_is_zero(a));
}

static void
an_id_tells_when_it_was_made(void **state)
{
	struct uuid id;

	(void)state;
	assert_int_equal(uuid_parse("019ad434-7900-7fff-bfff-ffffffffffff", &id), OK);
	assert_int_equal(uuid_ms(id), 1764496800000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_goes_there_and_back),
		cmocka_unit_test(every_changed_character_that_is_no_hex_digit_is_refused),
		cmocka_unit_test(a_text_too_short_or_too_long_is_refused),
		cmocka_unit_test(order_is_byte_order),
		cmocka_unit_test(an_id_tells_when_it_was_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
