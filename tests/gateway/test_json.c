#include <stdlib.h>
#include <string.h>

#include "gateway/json.h"
#include "tests/support/check.h"

static struct json *
parse(const char *text)
{
	struct json *root = NULL;

	assert_int_equal(json_parse((struct span){ (const uint8_t *)text, strlen(text) }, &root), OK);
	return root;
}

static void
getters_tell_found_from_absent_from_wrong(void **state)
{
	struct json *root = parse("{\"s\":\"x\",\"n\":7,\"b\":true,\"o\":{},\"a\":[],\"z\":null}");
	const struct json *container = NULL;
	struct span s = { NULL, 0 };
	uint64_t n = 0;
	bool b = false;

	(void)state;
	assert_int_equal(json_string(root, "s", &s), JSON_GOT);
	assert_int_equal(json_u64(root, "n", &n), JSON_GOT);
	assert_int_equal(json_bool(root, "b", &b), JSON_GOT);
	assert_int_equal(json_object(root, "o", &container), JSON_GOT);
	assert_int_equal(json_array(root, "a", &container), JSON_GOT);
	assert_int_equal(s.len, 1);
	assert_int_equal(n, 7);
	assert_true(b);

	assert_int_equal(json_string(root, "q", &s), JSON_ABSENT);
	assert_int_equal(json_u64(root, "q", &n), JSON_ABSENT);
	assert_int_equal(json_string(NULL, "s", &s), JSON_ABSENT);
	assert_int_equal(json_string(container, "s", &s), JSON_ABSENT);

	assert_int_equal(json_string(root, "z", &s), JSON_WRONG_TYPE);
	assert_int_equal(json_u64(root, "s", &n), JSON_WRONG_TYPE);
	assert_int_equal(json_bool(root, "n", &b), JSON_WRONG_TYPE);
	assert_int_equal(json_object(root, "a", &container), JSON_WRONG_TYPE);
	assert_int_equal(json_array(root, "o", &container), JSON_WRONG_TYPE);
	json_free(&root);
	assert_null(root);
	json_free(&root);
}

static void
names_are_matched_byte_for_byte(void **state)
{
	struct json *root = parse("{\"GRANT\":\"no\",\"grant\":\"yes\"}");
	struct span s;

	(void)state;
	assert_int_equal(json_string(root, "grant", &s), JSON_GOT);
	assert_memory_equal(s.p, "yes", 4);
	assert_int_equal(json_string(root, "Grant", &s), JSON_ABSENT);
	json_free(&root);
}

static void
integers_are_exact_or_refused(void **state)
{
	struct json *root = parse("[0,9007199254740991,9007199254740992,9007199254740993,-1,1.5,1e400,3.0,\"3\",-0]");
	static const bool taken[] = { true, true, false, false, false, false, false, true, false, true };
	const struct json *v = json_first(root);
	uint64_t n;

	(void)state;
	for (size_t i = 0; i < 10; i++, v = json_next(v))
		assert_int_equal(json_as_u64(v, &n), taken[i]);
	assert_null(v);
	v = json_next(json_first(root));
	assert_true(json_as_u64(v, &n));
	assert_true(n == JSON_INTEGER_MAX);
	json_free(&root);
}

static void
strings_are_unescaped(void **state)
{
	struct json *root = parse("{\"s\":\"a\\n\\u00e9\\ud83d\\ude00\\\"\"}");
	struct span s;

	(void)state;
	assert_int_equal(json_string(root, "s", &s), JSON_GOT);
	assert_int_equal(s.len, 9);
	assert_memory_equal(s.p, "a\n\xc3\xa9\xf0\x9f\x98\x80\"", 10);
	json_free(&root);
}

static void
members_are_walked_in_their_order(void **state)
{
	struct json *root = parse("{\"b\":1,\"a\":[true,\"x\"],\"c\":{}}");
	const struct json *v = json_first(root);

	(void)state;
	assert_string_equal(json_name(v), "b");
	assert_int_equal(json_type(v), JSON_NUMBER);
	v = json_next(v);
	assert_string_equal(json_name(v), "a");
	assert_int_equal(json_type(v), JSON_ARRAY);
	assert_int_equal(json_type(json_first(v)), JSON_BOOL);
	assert_int_equal(json_type(json_next(json_first(v))), JSON_STRING);
	v = json_next(v);
	assert_int_equal(json_type(v), JSON_OBJECT);
	assert_null(json_first(v));
	assert_null(json_next(v));
	json_free(&root);
}

/* Only bytes that the scan takes reach the parser: these are ones that cJSON would take. */
static void
what_the_parser_alone_would_take_is_refused(void **state)
{
	static const char *const bad[] = {
		"{\"a\":1}xyz", "nulll", "01", "1.", "\xef\xbb\xbf{}", "{\"a\":\"x\\u0000y\"}", "\"\xff\"", "{\"a\":1,\"a\":2}", "\0011",
	};
	struct json *root = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(json_parse((struct span){ (const uint8_t *)bad[i], strlen(bad[i]) }, &root), ERR_INVALID_CONTENT);
	assert_null(root);
}

static void
text_without_a_nul_after_it_is_read_exactly(void **state)
{
	static const char *const texts[] = { "{\"a\":12}", "12", "true", "\"x\"", "[1] ", "-0.5e1" };
	struct json *root = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		size_t len = strlen(texts[i]);
		uint8_t *exact = malloc(len);

		memcpy(exact, texts[i], len);
		assert_int_equal(json_parse((struct span){ exact, len }, &root), OK);
		json_free(&root);
		free(exact);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(getters_tell_found_from_absent_from_wrong),
		cmocka_unit_test(names_are_matched_byte_for_byte),
		cmocka_unit_test(integers_are_exact_or_refused),
		cmocka_unit_test(strings_are_unescaped),
		cmocka_unit_test(members_are_walked_in_their_order),
		cmocka_unit_test(what_the_parser_alone_would_take_is_refused),
		cmocka_unit_test(text_without_a_nul_after_it_is_read_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
