#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/json_scan.h"
#include "tests/support/check.h"

static enum err
scan(const char *text)
{
	return json_scan((struct span){ (const uint8_t *)text, strlen(text) });
}

static void
what_rfc_8259_allows_is_accepted(void **state)
{
	static const char *const good[] = {
		"{}", "[]", "null", "true", "false", "0", "-0", "10", "-1.5e+3", "1E9", "0.25", "\"\"", " [ 1 , 2 ] ",
		"\t\r\n{\"a\" : {\"a\" : [ ] } }", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", "\"\\ud83d\\ude00\"",
		"\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\x7f\"", "[[],{},\"\",0]", "1e400", "{\"\":1}",
		"123456789012345678901234567890",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(scan(good[i]), OK);
}

static void
what_is_not_strict_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"", " ", "{", "}", "[", "]", "[1,]", "[,1]", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}",
		"[1 2]", "01", "-", "-01", "+1", "1.", ".5", "1e", "1e+", "0x10", "NaN", "Infinity", "nul", "nulll", "True",
		"\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"a\nb\"", "\"\x01\"", "{\"a\":1}x", "{} {}",
		"\xef\xbb\xbf{}", "//c\n1", "/**/1", "\v1", "\f1", "\302\2401", "[1}", "{\"a\":1]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (scan(bad[i]) != ERR_INVALID_CONTENT)
			fail_msg("accepted: %s", bad[i]);
}

static void
malformed_text_inside_strings_is_refused(void **state)
{
	static const char *const bad[] = {
		"\"\\u0000\"", "{\"adm\\u0000x\":1}", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\\ud800x\"",
		"\"\\ud83d\\u0041\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe4\xb8\"",
	};
	static const uint8_t nul_inside[] = { '"', 'a', 0, 'b', '"' };
	static const uint8_t nul_after[] = { '1', 0 };
	static const uint8_t nul_escaped[] = { '"', '\\', 0, '"' };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(scan(bad[i]), ERR_INVALID_CONTENT);
	assert_int_equal(json_scan((struct span){ nul_inside, sizeof nul_inside }), ERR_INVALID_CONTENT);
	assert_int_equal(json_scan((struct span){ nul_after, sizeof nul_after }), ERR_INVALID_CONTENT);
	assert_int_equal(json_scan((struct span){ nul_escaped, sizeof nul_escaped }), ERR_INVALID_CONTENT);
}

static void
the_same_key_twice_is_refused_in_any_spelling(void **state)
{
	(void)state;
	assert_int_equal(scan("{\"a\":1,\"a\":2}"), ERR_INVALID_CONTENT);
	assert_int_equal(scan("{\"id\":1,\"b\":0,\"i\\u0064\":2}"), ERR_INVALID_CONTENT);
	assert_int_equal(scan("{\"\\u00e9\":1,\"\xc3\xa9\":2}"), ERR_INVALID_CONTENT);
	assert_int_equal(scan("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}"), ERR_INVALID_CONTENT);
	assert_int_equal(scan("{\"\":1,\"\":2}"), ERR_INVALID_CONTENT);
	assert_int_equal(scan("[{\"x\":{\"a\":1,\"b\":{},\"a\":2}}]"), ERR_INVALID_CONTENT);
	assert_int_equal(scan("{\"a\":{\"a\":[{\"a\":1}]},\"A\":1,\"a \":1,\"aa\":1}"), OK);
	assert_int_equal(scan("{\"x\":{\"a\":1},\"y\":{\"a\":1}}"), OK);
}

static void
a_twin_is_found_among_thousands_of_keys(void **state)
{
	char *text = malloc(200000);
	size_t len = 0;

	(void)state;
	for (int i = 0; i < 4900; i++)
		len += (size_t)sprintf(text + len, "%c\"key%d\":1", i == 0 ? '{' : ',', i);
	memcpy(text + len, "}", 2);
	assert_int_equal(scan(text), OK);
	memcpy(text + len, ",\"\\u006bey17\":1}", 17);
	assert_int_equal(scan(text), ERR_INVALID_CONTENT);
	free(text);
}

static void
nesting_ends_at_its_limit(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 4];

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX);
	memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	text[2 * JSON_DEPTH_MAX] = 0;
	assert_int_equal(scan(text), OK);
	memset(text, '[', JSON_DEPTH_MAX + 1);
	assert_int_equal(scan(text), ERR_TOO_LARGE);
}

static void
tokens_and_bytes_and_digits_end_at_their_limits(void **state)
{
	char *text = malloc(JSON_TEXT_MAX + 2), number[JSON_NUMBER_MAX + 2];

	(void)state;
	for (size_t i = 0; i < JSON_TOKENS_MAX; i++)
		memcpy(text + 2 * i, i == 0 ? "[0" : ",0", 2);
	memcpy(text + 2 * JSON_TOKENS_MAX, "]", 2);
	assert_int_equal(scan(text), ERR_TOO_LARGE);
	memcpy(text + 2 * (JSON_TOKENS_MAX - 1), "]", 2);
	assert_int_equal(scan(text), OK);

	memset(text, 'x', JSON_TEXT_MAX + 1);
	text[0] = text[JSON_TEXT_MAX - 1] = '"';
	assert_int_equal(json_scan((struct span){ (uint8_t *)text, JSON_TEXT_MAX }), OK);
	assert_int_equal(json_scan((struct span){ (uint8_t *)text, JSON_TEXT_MAX + 1 }), ERR_TOO_LARGE);
	free(text);

	memset(number, '9', sizeof number);
	number[JSON_NUMBER_MAX + 1] = 0;
	assert_int_equal(scan(number), ERR_TOO_LARGE);
	number[JSON_NUMBER_MAX] = 0;
	assert_int_equal(scan(number), OK);
}

static void
every_prefix_of_a_text_is_refused(void **state)
{
	static const char text[] = "{\"a\":[1,-2.5e3,true,null,\"\\ud83d\\ude00\xe4\xb8\xad\"],\"b\":{}}";

	(void)state;
	for (size_t len = 0; len < sizeof text - 1; len++) {
		uint8_t *exact = malloc(len + 1);

		memcpy(exact, text, len);
		assert_int_equal(json_scan((struct span){ exact, len }), ERR_INVALID_CONTENT);
		free(exact);
	}
	assert_int_equal(scan(text), OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rfc_8259_allows_is_accepted),
		cmocka_unit_test(what_is_not_strict_json_is_refused),
		cmocka_unit_test(malformed_text_inside_strings_is_refused),
		cmocka_unit_test(the_same_key_twice_is_refused_in_any_spelling),
		cmocka_unit_test(a_twin_is_found_among_thousands_of_keys),
		cmocka_unit_test(nesting_ends_at_its_limit),
		cmocka_unit_test(tokens_and_bytes_and_digits_end_at_their_limits),
		cmocka_unit_test(every_prefix_of_a_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
