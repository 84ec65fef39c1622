#include <string.h>

#include "gateway/json_raw.h"
#include "gateway/json_scan.h"
#include "tests/support/check.h"

static struct span
span_of(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

static void
expect_member(const char *text, const char *name, const char *wanted)
{
	struct span value = { NULL, 0 };

	assert_int_equal(json_scan(span_of(text)), OK);
	assert_int_equal(json_raw_member(span_of(text), name, &value), wanted != NULL);
	if (wanted == NULL)
		return;
	assert_int_equal(value.len, strlen(wanted));
	assert_memory_equal(value.p, wanted, value.len);
}

static void
a_member_is_found_with_its_exact_bytes(void **state)
{
	(void)state;
	expect_member("{\"id\":9007199254740993}", "id", "9007199254740993");
	expect_member(" { \"a\" : [ {\"id\":1}, \"}\\\"]\" ] , \"id\" : \"\\u0041\\\"\" , \"z\":0}", "id", "\"\\u0041\\\"\"");
	expect_member("{\"i\\u0064\":-0 }", "id", "-0");
	expect_member("{\"id\":{\"a\":[1,{}]}}", "id", "{\"a\":[1,{}]}");
	expect_member("{\"id\":null}", "id", "null");
}

static void
a_member_of_something_deeper_or_of_no_object_is_not_found(void **state)
{
	(void)state;
	expect_member("{\"a\":{\"id\":1}}", "id", NULL);
	expect_member("{\"ID\":1,\"id2\":2,\"i\":3}", "id", NULL);
	expect_member("[\"id\",1]", "id", NULL);
	expect_member("{}", "id", NULL);
	expect_member("\"id\"", "id", NULL);
	expect_member("7", "id", NULL);
}

static void
an_array_is_walked_element_by_element(void **state)
{
	static const char *const wanted[] = { "1", "\"a,]\"", "[2,[3]]", "{\"b\":[]}", "null" };
	struct span rest = span_of(" [1 , \"a,]\",[2,[3]] ,{\"b\":[]},null ] "), element;
	size_t n = 0;

	(void)state;
	for (; json_raw_element(&rest, &element); n++) {
		assert_int_equal(element.len, strlen(wanted[n]));
		assert_memory_equal(element.p, wanted[n], element.len);
	}
	assert_int_equal(n, 5);
	rest = span_of("[ ]");
	assert_false(json_raw_element(&rest, &element));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_is_found_with_its_exact_bytes),
		cmocka_unit_test(a_member_of_something_deeper_or_of_no_object_is_not_found),
		cmocka_unit_test(an_array_is_walked_element_by_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
