#include <stdio.h>
#include <string.h>

#include "gateway/draft_text.h"
#include "tests/support/check.h"

static struct span
text(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

static void
expect_text(struct secret **s, const char *want)
{
	assert_int_equal(secret_len(*s), strlen(want));
	assert_memory_equal(secret_view(*s), want, strlen(want));
	secret_free(s);
}

static void
expect_span(struct span s, const char *want)
{
	assert_int_equal(s.len, strlen(want));
	assert_memory_equal(s.p, want, s.len);
}

/* The content as it comes back from its own draft. */
static void
expect_same_after(const char *content)
{
	char reason[DRAFT_REASON_MAX];
	struct json_writer w = { 0 };
	struct secret *s = NULL;
	struct span again;
	struct draft d;

	assert_int_equal(draft_text_of(KIND_MEMORY, "two\nlines", text(content), &s), OK);
	assert_int_equal(draft_text_take(secret_span(s), &d, reason), OK);
	assert_int_equal(content_memory(&d.labels, d.body, &w), OK);
	assert_int_equal(json_write_done(&w, &again), OK);
	expect_span(again, content);
	json_write_free(&w);
	draft_free(&d);
	secret_free(&s);
}

static void
a_memory_is_a_header_an_empty_line_and_its_body(void **state)
{
	struct secret *s = NULL;

	(void)state;
	assert_int_equal(draft_text_of(KIND_MEMORY, "one\ntwo", text("{\"title\":\"T\",\"body\":\"a\\nb\",\"tags\":[\"x\",\"y z\"]}"), &s), OK);
	expect_text(&s, "# one\n# two\ntitle: T\ntag: x\ntag: y z\n\na\nb\n");
}

static void
a_card_is_its_content_over_lines(void **state)
{
	static const char *const card = "{\"title\":\"B\\\"\",\"fields\":[{\"name\":\"n\",\"value\":\"1\\n\",\"protected\":false},"
	    "{\"name\":\"p\",\"value\":\"secret://v/c\",\"protected\":true}],\"tags\":[\"a\",\"b\"]}";
	struct secret *s = NULL;

	(void)state;
	assert_int_equal(draft_text_of(KIND_CARD, "a note", text(card), &s), OK);
	expect_span(draft_text_card(secret_span(s)), "{\n  \"title\": \"B\\\"\",\n  \"fields\": [\n"
	    "    {\"name\": \"n\", \"value\": \"1\\n\", \"protected\": false},\n"
	    "    {\"name\": \"p\", \"value\": \"secret://v/c\", \"protected\": true}\n  ],\n  \"tags\": [\"a\", \"b\"]\n}\n");
	secret_free(&s);
	assert_int_equal(draft_text_of(KIND_CARD, "", text("{\"title\":\"\",\"fields\":[],\"tags\":[]}"), &s), OK);
	expect_text(&s, "{\n  \"title\": \"\",\n  \"fields\": [],\n  \"tags\": []\n}\n");
}

static void
a_remark_takes_the_place_of_the_one_before(void **state)
{
	struct secret *s = NULL;

	(void)state;
	assert_int_equal(draft_text_remark(text("# old\n# other\ntitle: a\n"), "new", &s), OK);
	expect_text(&s, "# new\n# other\ntitle: a\n");
	assert_int_equal(draft_text_remark(text("title: a"), "new", &s), OK);
	expect_text(&s, "# new\ntitle: a");
	assert_int_equal(draft_text_remark(text("#"), "new", &s), OK);
	expect_text(&s, "# new\n");
	assert_int_equal(draft_text_card(text("# only")).len, 0);
}

static void
what_nobody_changed_comes_back_the_same(void **state)
{
	(void)state;
	expect_same_after("{\"title\":\"\",\"body\":\"\",\"tags\":[]}");
	expect_same_after("{\"title\":\"T\",\"body\":\"\\n\",\"tags\":[]}");
	expect_same_after("{\"title\":\"T\",\"body\":\"no newline\",\"tags\":[]}");
	expect_same_after("{\"title\":\"T\",\"body\":\"# not a comment\\n\\ntitle: not the title\\r\\n\\n\",\"tags\":[]}");
	expect_same_after("{\"title\":\" blanks \",\"body\":\"b\",\"tags\":[\"two\\nlines\",\"\\\"quoted\\\"\",\"# tag\"]}");
	expect_same_after("{\"title\":\"\\\"\",\"body\":\"牛奶\",\"tags\":[\"食物\"]}");
}

static void
a_header_may_be_written_by_hand(void **state)
{
	char reason[DRAFT_REASON_MAX];
	struct draft d;

	(void)state;
	assert_int_equal(draft_text_take(text("#x\ntag:a\r\ntitle:   T t  \r\n \t\nbody"), &d, reason), OK);
	expect_span(d.labels.title, "T t");
	assert_int_equal(d.labels.n_tags, 1);
	expect_span(d.labels.tags[0], "a");
	expect_span(d.body, "body");
	draft_free(&d);
	assert_int_equal(draft_text_take(text(""), &d, reason), OK);
	assert_int_equal(d.body.len, 0);
	draft_free(&d);
}

static void
a_wrong_header_is_named_by_its_line(void **state)
{
	static const struct { const char *text, *starts; } wrong[] = {
		{ "# c\nTitle: x\n\n", "line 2: a line above" }, { "title: a\ntitle: b\n\n", "line 2: there is a title" },
		{ "title: \"open\n\n", "line 1: a value that starts" }, { "title: [1]\ntag: \"a\" b\n", "line 2: a value" },
		{ "tag: \"\"\n\n", "line 1: a title is at most" }, { "tag:\n\n", "line 1: a title is at most" },
		{ "title: \xff\n\n", "line 1: a title is at most" }, { "title: x\n\n\xff", "the body is not UTF-8" },
	};
	char reason[DRAFT_REASON_MAX];
	struct draft d;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(draft_text_take(text(wrong[i].text), &d, reason), ERR_INVALID_CONTENT);
		assert_memory_equal(reason, wrong[i].starts, strlen(wrong[i].starts));
	}
}

static void
more_tags_than_an_asset_has_are_refused(void **state)
{
	char buf[CONTENT_TAGS_MAX * 9 + 32] = "", reason[DRAFT_REASON_MAX];
	struct draft d;
	size_t at = 0;

	(void)state;
	for (int i = 0; i < CONTENT_TAGS_MAX; i++)
		at += (size_t)snprintf(buf + at, sizeof buf - at, "tag: \"a\"\n");
	assert_int_equal(draft_text_take(text(buf), &d, reason), OK);
	assert_int_equal(d.labels.n_tags, CONTENT_TAGS_MAX);
	draft_free(&d);
	snprintf(buf + at, sizeof buf - at, "tag: b\n");
	assert_int_equal(draft_text_take(text(buf), &d, reason), ERR_INVALID_CONTENT);
}

static void
what_is_no_content_json_is_corrupt(void **state)
{
	static const char *const wrong[] = { "", "[]", "{\"title\":\"x\"}", "{\"title\":\"x\",\"body\":1,\"tags\":[]}",
		"{\"title\":\"x\",\"body\":\"\",\"tags\":[1]}", "{\"title\":\"x\",\"fields\":[1],\"tags\":[]}" };
	struct secret *s = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(draft_text_of(KIND_MEMORY, "", text(wrong[i]), &s), ERR_STORAGE_CORRUPT);
		assert_int_equal(draft_text_of(KIND_CARD, "", text(wrong[i]), &s), ERR_STORAGE_CORRUPT);
	}
	assert_null(s);
}

static int
ready(void **state)
{
	(void)state;
	return secret_init(true) != OK;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_memory_is_a_header_an_empty_line_and_its_body),
		cmocka_unit_test(a_card_is_its_content_over_lines),
		cmocka_unit_test(a_remark_takes_the_place_of_the_one_before),
		cmocka_unit_test(what_nobody_changed_comes_back_the_same),
		cmocka_unit_test(a_header_may_be_written_by_hand),
		cmocka_unit_test(a_wrong_header_is_named_by_its_line),
		cmocka_unit_test(more_tags_than_an_asset_has_are_refused),
		cmocka_unit_test(what_is_no_content_json_is_corrupt),
	};

	return cmocka_run_group_tests(tests, ready, NULL) != 0;
}
