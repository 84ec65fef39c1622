/* The text of a remembered checkpoint. */
#include <stdio.h>
#include <string.h>

#include "gateway/remembered_form.h"
#include "tests/support/check.h"

static const char sample[] =
    "memories/0198a000-0000-7000-8000-000000000001\n"
    "3\n"
    "x0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\n"
    "segment 1 offset 543\n";

static struct uuid
library(void)
{
	struct uuid id;

	assert_int_equal(uuid_parse("0198a000-0000-7000-8000-000000000001", &id), OK);
	return id;
}

static enum err
take(const char *text, size_t len, struct log_point *out)
{
	return remembered_form_take((struct span){ (const uint8_t *)text, len }, library(), out);
}

static void
what_is_written_is_read_again(void **state)
{
	struct log_point p = { .size = UINT64_MAX, .segment = 9999999999, .at = (uint64_t)1 << 30 }, q;
	char text[REMEMBERED_TEXT_MAX + 1];
	size_t len;

	(void)state;
	memset(p.root, 0xfb, sizeof p.root);
	len = remembered_form_put(library(), &p, text);
	assert_int_equal(len, strlen(text));
	assert_int_equal(take(text, len, &q), OK);
	assert_int_equal(q.size, p.size);
	assert_int_equal(q.segment, p.segment);
	assert_int_equal(q.at, p.at);
	assert_memory_equal(q.root, p.root, sizeof p.root);
}

static void
the_sample_is_taken_and_no_shorter_or_longer_text(void **state)
{
	char longer[sizeof sample + 1];
	struct log_point p;

	(void)state;
	assert_int_equal(take(sample, strlen(sample), &p), OK);
	assert_int_equal(p.size, 3);
	assert_int_equal(p.segment, 1);
	assert_int_equal(p.at, 543);
	for (size_t len = 0; len < strlen(sample); len++)
		assert_int_equal(take(sample, len, &p), ERR_INVALID_CONTENT);
	for (unsigned c = 0; c < 256; c++) {
		memcpy(longer, sample, sizeof sample);
		longer[sizeof sample - 1] = (char)c;
		assert_int_equal(take(longer, sizeof sample, &p), ERR_INVALID_CONTENT);
	}
}

static void
no_other_library_and_no_other_spelling_is_taken(void **state)
{
	static const char *const tails[] = {
		"03\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 1 offset 543\n",
		"0\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 1 offset 543\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX-WT_qAI=\nsegment 1 offset 543\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 0 offset 543\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 1 offset 1073741825\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 1  offset 543\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 1 offset -4\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\n",
		"3\nx0yxNo1Uwc0BZTyIUPrtWdL4X0GiztLNSDcX+WTRqAI=\nsegment 1 offset 543\nsegment 1 offset 543\n",
	};
	char text[400];
	struct log_point p;

	(void)state;
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		snprintf(text, sizeof text, "memories/0198a000-0000-7000-8000-000000000001\n%s", tails[i]);
		assert_int_equal(take(text, strlen(text), &p), ERR_INVALID_CONTENT);
	}
	snprintf(text, sizeof text, "memories/0198a000-0000-7000-8000-000000000002\n%s", strchr(sample, '\n') + 1);
	assert_int_equal(take(text, strlen(text), &p), ERR_INVALID_CONTENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(the_sample_is_taken_and_no_shorter_or_longer_text),
		cmocka_unit_test(no_other_library_and_no_other_spelling_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
