/* Forms and cookies. */
#include <string.h>

#include "gateway/http_cookie.h"
#include "gateway/http_form.h"
#include "gateway/span.h"
#include "tests/support/check.h"

static void
fields_are_decoded_in_order(void **state)
{
	struct http_form f;
	struct span v;

	(void)state;
	assert_int_equal(http_form_parse(span_of("a=1&b=x+y%20z%2B&a=2&c&d=&%E5%A5%BD=%e5%a5%bd&e==="), &f), OK);
	assert_int_equal(f.n, 7);
	assert_int_equal(http_form_value(&f, "a", &v), 2);
	assert_true(span_is(v, "1"));
	assert_int_equal(http_form_value(&f, "b", &v), 1);
	assert_true(span_is(v, "x y z+"));
	assert_int_equal(http_form_value(&f, "c", &v), 1);
	assert_int_equal(v.len, 0);
	assert_int_equal(http_form_value(&f, "好", &v), 1);
	assert_true(span_is(v, "好"));
	assert_int_equal(http_form_value(&f, "e", &v), 1);
	assert_true(span_is(v, "=="));
	assert_int_equal(http_form_value(&f, "x", &v), 0);
	assert_null(v.p);
	http_form_free(&f);
	assert_int_equal(http_form_parse((struct span){ NULL, 0 }, &f), OK);
	assert_int_equal(f.n, 0);
	http_form_free(&f);
	assert_int_equal(http_form_parse(span_of("&&a=1&&"), &f), OK);
	assert_int_equal(f.n, 1);
	http_form_free(&f);
}

static void
nothing_is_guessed(void **state)
{
	static const char *const bad[] = { "a=%", "a=%2", "a=%zz", "a=%00", "%00=a", "a=abc%00def", "a=%ff", "a=%c0%80",
	    "a=%ed%a0%80",
		"a=\xff", "a=%u0041" };
	char many[65 * 3 + 1] = "";
	struct http_form f;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(http_form_parse(span_of(bad[i]), &f), ERR_INVALID_CONTENT);
		assert_null(f.text);
	}
	assert_int_equal(http_form_parse((struct span){ (const uint8_t *)"a=\0b", 4 }, &f), ERR_INVALID_CONTENT);
	for (size_t i = 0; i < 65; i++)
		memcpy(many + 3 * i, "a=&", 4);
	assert_int_equal(http_form_parse(span_of(many), &f), ERR_INVALID_CONTENT);
	many[64 * 3] = '\0';
	assert_int_equal(http_form_parse(span_of(many), &f), OK);
	http_form_free(&f);
}

static void
cookies(void **state)
{
	struct http_request r = { .n_headers = 3, .headers = { { span_of("Cookie"), span_of("a=1; b=2;c=3; ab=4") },
		{ span_of("X"), span_of("a=9") }, { span_of("cookie"), span_of("b=5; =x; d=; e") } } };
	struct span v;

	(void)state;
	assert_int_equal(http_cookie(&r, "a", &v), 1);
	assert_true(span_is(v, "1"));
	assert_int_equal(http_cookie(&r, "b", &v), 2);
	assert_true(span_is(v, "2"));
	assert_int_equal(http_cookie(&r, "c", &v), 1);
	assert_true(span_is(v, "3"));
	assert_int_equal(http_cookie(&r, "d", &v), 1);
	assert_int_equal(v.len, 0);
	assert_int_equal(http_cookie(&r, "e", &v), 0);
	assert_null(v.p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_decoded_in_order),
		cmocka_unit_test(nothing_is_guessed),
		cmocka_unit_test(cookies),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
