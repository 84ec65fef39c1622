#include <stdlib.h>
#include <string.h>

#include "gateway/json_scan.h"
#include "gateway/json_write.h"
#include "tests/support/check.h"

static void
expect(struct json_writer *w, const char *wanted)
{
	struct span text;

	assert_int_equal(json_write_done(w, &text), OK);
	assert_int_equal(json_scan(text), OK);
	assert_int_equal(text.len, strlen(wanted));
	assert_memory_equal(text.p, wanted, text.len);
	json_write_free(w);
}

static void
a_member_is_a_key_and_its_value(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_object(&w);
	json_member_string(&w, "s", (struct span){ (const uint8_t *)"a\"b", 3 });
	json_member_text(&w, "t", "x");
	json_member_u64(&w, "u", 7);
	json_member_bool(&w, "b", true);
	json_member_id(&w, "i", (struct uuid){ { 0 } });
	json_write_end(&w);
	expect(&w, "{\"s\":\"a\\\"b\",\"t\":\"x\",\"u\":7,\"b\":true,\"i\":\"00000000-0000-0000-0000-000000000000\"}");
}

static void
commas_and_colons_come_by_themselves(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_object(&w);
	json_write_key(&w, "a");
	json_write_array(&w);
	json_write_u64(&w, UINT64_MAX);
	json_write_i64(&w, INT64_MIN);
	json_write_bool(&w, true);
	json_write_bool(&w, false);
	json_write_null(&w);
	json_write_array(&w);
	json_write_end(&w);
	json_write_object(&w);
	json_write_end(&w);
	json_write_end(&w);
	json_write_key(&w, "b");
	json_write_raw(&w, (struct span){ (const uint8_t *)"{\"x\":1}", 7 });
	json_write_key(&w, "c");
	json_write_id(&w, (struct uuid){ { 1, 2, 3 } });
	json_write_end(&w);
	expect(&w, "{\"a\":[18446744073709551615,-9223372036854775808,true,false,null,[],{}],\"b\":{\"x\":1},"
	    "\"c\":\"01020300-0000-0000-0000-000000000000\"}");
}

static void
strings_are_escaped_and_stay_on_one_line(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_text(&w, "a\"\\/\b\f\n\r\t\x01\x1f\x7f \xc3\xa9 \xf0\x9f\x98\x80 \xe2\x80\xa8\xe2\x80\xa9 \xe2\x80\xaa");
	expect(&w, "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f \xc3\xa9 \xf0\x9f\x98\x80 \\u2028\\u2029 \xe2\x80\xaa\"");
}

static void
bytes_that_are_no_utf8_become_replacement_characters(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_text(&w, "a\xff\xed\xa0\x80z\xe4\xb8");
	expect(&w, "\"a\\ufffd\\ufffd\\ufffd\\ufffdz\\ufffd\\ufffd\"");
}

static void
bytes_go_out_as_base64(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_array(&w);
	json_write_base64(&w, (struct span){ NULL, 0 });
	json_write_base64(&w, (struct span){ (const uint8_t *)"foobar\xfb", 7 });
	json_write_end(&w);
	expect(&w, "[\"\",\"Zm9vYmFy-w\"]");
}

static void
a_long_text_survives_growing(void **state)
{
	struct json_writer w = { 0 };
	struct span text;

	(void)state;
	json_write_array(&w);
	for (uint64_t i = 0; i < 20000; i++)
		json_write_u64(&w, i % 10);
	json_write_end(&w);
	assert_int_equal(json_write_done(&w, &text), OK);
	assert_int_equal(text.len, 40001);
	for (size_t i = 1; i < 40000; i++)
		assert_int_equal(text.p[i], i % 2 == 0 ? ',' : (int)('0' + i / 2 % 10));
	json_write_free(&w);
}

static void
an_incomplete_text_is_not_given_out(void **state)
{
	struct json_writer w = { 0 };
	struct span text;

	(void)state;
	assert_int_equal(json_write_done(&w, &text), ERR_INTERNAL);
	json_write_array(&w);
	assert_int_equal(json_write_done(&w, &text), ERR_INTERNAL);
	json_write_u64(&w, 1);
	assert_int_equal(json_write_done(&w, &text), ERR_INTERNAL);
	json_write_end(&w);
	assert_int_equal(json_write_done(&w, &text), OK);
	json_write_end(&w);
	assert_int_equal(json_write_done(&w, &text), ERR_NO_MEMORY);
	json_write_clear(&w);
	json_write_null(&w);
	expect(&w, "null");
}

static void
nesting_deeper_than_64_fails(void **state)
{
	struct json_writer w = { 0 };
	struct span text;

	(void)state;
	for (int i = 0; i < 64; i++)
		json_write_array(&w);
	assert_false(w.failed);
	json_write_object(&w);
	assert_int_equal(json_write_done(&w, &text), ERR_NO_MEMORY);
	json_write_free(&w);
}

static void
an_error_is_written_as_commands_print_it(void **state)
{
	struct json_writer w = { 0 };

	(void)state;
	json_write_error(&w, ERR_NOT_FOUND, NULL);
	expect(&w, "{\"error\":{\"code\":\"not_found\",\"message\":\"there is no such thing here\"}}");
	json_write_error(&w, ERR_BUSY, "wait");
	expect(&w, "{\"error\":{\"code\":\"busy\",\"message\":\"wait\"}}");
}

static void
what_fits_is_whole_characters_as_they_are_written(void **state)
{
	static const struct {
		const char *text;
		size_t      room, fit;
	} rows[] = {
		{ "abc", 5, 3 }, { "abc", 4, 2 }, { "abc", 2, 0 }, { "abc", 1, 0 }, { "", 2, 0 }, { "abc", 100, 3 },
		{ "a\"b", 5, 2 }, { "a\"b", 4, 1 }, { "\n\n", 6, 2 }, { "\001x", 8, 1 }, { "\001x", 7, 0 },
		{ "\xe4\xb8\xad\xe6\x96\x87", 8, 6 }, { "\xe4\xb8\xad\xe6\x96\x87", 7, 3 }, { "\xe4\xb8\xad", 4, 0 },
		{ "\xe2\x80\xa8", 7, 0 }, { "\xe2\x80\xa8", 8, 3 }, { "\xff" "a", 8, 1 }, { "\xff" "a", 9, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct span s = { (const uint8_t *)rows[i].text, strlen(rows[i].text) };
		struct json_writer w = { 0 };

		assert_int_equal(json_string_fit(s, rows[i].room), rows[i].fit);
		json_write_string(&w, (struct span){ s.p, rows[i].fit });
		assert_true(w.len <= rows[i].room || rows[i].fit == 0);
		json_write_free(&w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_and_colons_come_by_themselves),
		cmocka_unit_test(strings_are_escaped_and_stay_on_one_line),
		cmocka_unit_test(bytes_that_are_no_utf8_become_replacement_characters),
		cmocka_unit_test(bytes_go_out_as_base64),
		cmocka_unit_test(a_long_text_survives_growing),
		cmocka_unit_test(an_incomplete_text_is_not_given_out),
		cmocka_unit_test(a_member_is_a_key_and_its_value),
		cmocka_unit_test(nesting_deeper_than_64_fails),
		cmocka_unit_test(an_error_is_written_as_commands_print_it),
		cmocka_unit_test(what_fits_is_whole_characters_as_they_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
