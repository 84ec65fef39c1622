/* Responses as they go out. */
#include <string.h>

#include "gateway/http_write.h"
#include "tests/support/check.h"

static const struct wall_ms now = { 784111777000 };

static void
expect(struct http_response *r, struct http_write how, const char *wanted)
{
	struct secret *out = NULL;
	struct span text;

	how.now = now;
	assert_int_equal(http_write(r, &how, &out), OK);
	text = secret_span(out);
	assert_int_equal(text.len, strlen(wanted));
	assert_memory_equal(text.p, wanted, text.len);
	secret_free(&out);
	http_response_free(r);
}

#define DATE "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

static void
a_response_is_written(void **state)
{
	struct http_response r;

	(void)state;
	http_response_start(&r, 200);
	http_response_header(&r, "X-A", "b");
	http_response_text(&r, "text/plain", "hello");
	expect(&r, (struct http_write){ .closes = false }, "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 5\r\nX-A: b\r\n"
	    "Content-Type: text/plain\r\n\r\nhello");
}

static void
head_has_the_length_and_no_body(void **state)
{
	struct http_response r;

	(void)state;
	http_response_start(&r, 200);
	http_response_text(&r, "text/plain", "hello");
	expect(&r, (struct http_write){ .is_head = true }, "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 5\r\n"
	    "Content-Type: text/plain\r\n\r\n");
}

static void
an_empty_answer_says_no_type(void **state)
{
	struct http_response r;

	(void)state;
	http_response_start(&r, 202);
	expect(&r, (struct http_write){ .closes = true }, "HTTP/1.1 202 Accepted\r\n" DATE "Content-Length: 0\r\n"
	    "Connection: close\r\n\r\n");
	http_response_start(&r, 204);
	expect(&r, (struct http_write){ .closes = false }, "HTTP/1.1 204 No Content\r\n" DATE "\r\n");
}

static void
a_value_that_would_begin_a_line_fails_the_response(void **state)
{
	static const char *const values[] = { "a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\tb", "a\x7f" };
	struct http_response r;

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		http_response_start(&r, 303);
		http_response_header(&r, "Location", values[i]);
		http_response_text(&r, "text/plain", "secret");
		expect(&r, (struct http_write){ .closes = false }, "HTTP/1.1 500 Internal Server Error\r\n" DATE
		    "Content-Length: 0\r\n\r\n");
	}
}

static void
what_does_not_fit_fails_the_response(void **state)
{
	struct http_response r;

	(void)state;
	http_response_start(&r, 200);
	for (int i = 0; i <= HTTP_RESPONSE_HEADERS_MAX; i++)
		http_response_header(&r, "A", "b");
	assert_true(r.failed);
	http_response_free(&r);
}

static void
a_type_that_was_set_stays(void **state)
{
	struct http_response r;

	(void)state;
	http_response_start(&r, 200);
	http_response_header(&r, "Content-Type", "text/css");
	http_response_text(&r, "text/plain", "");
	assert_int_equal(r.n_headers, 1);
	http_response_free(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_response_is_written),
		cmocka_unit_test(head_has_the_length_and_no_body),
		cmocka_unit_test(an_empty_answer_says_no_type),
		cmocka_unit_test(a_value_that_would_begin_a_line_fails_the_response),
		cmocka_unit_test(what_does_not_fit_fails_the_response),
		cmocka_unit_test(a_type_that_was_set_stays),
	};

	return secret_init(true) == OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
