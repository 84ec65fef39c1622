#include <stdio.h>
#include <string.h>

#include "gateway/content.h"
#include "tests/support/check.h"

#define REFERENCE "secret://0198c0de-0000-7000-8000-000000000001/0198c0de-0000-7000-8000-000000000002"

static struct span
text(const char *s)
{
	return (struct span){ (const uint8_t *)s, strlen(s) };
}

static void
expect_written(struct json_writer *w, const char *want)
{
	struct span s;

	assert_int_equal(json_write_done(w, &s), OK);
	assert_int_equal(s.len, strlen(want));
	assert_memory_equal(s.p, want, s.len);
	json_write_free(w);
}

static void
a_memory_has_title_body_and_tags_in_that_order(void **state)
{
	struct content_labels l = { .title = text("T\"1"), .tags = { text("a"), text("b") }, .n_tags = 2 }, none = { .n_tags = 0 };
	struct json_writer w = { 0 };

	(void)state;
	assert_int_equal(content_memory(&l, text("line\n"), &w), OK);
	expect_written(&w, "{\"title\":\"T\\\"1\",\"body\":\"line\\n\",\"tags\":[\"a\",\"b\"]}");
	assert_int_equal(content_memory(&none, text(""), &w), OK);
	expect_written(&w, "{\"title\":\"\",\"body\":\"\",\"tags\":[]}");
}

static void
meta_leaves_out_what_is_not_there(void **state)
{
	struct content_labels l = { .name = text("a.pdf"), .media_type = text("application/pdf"), .title = text("not in it") },
		none = { .n_tags = 0 };
	struct json_writer w = { 0 };

	(void)state;
	assert_int_equal(content_meta(&l, &w), OK);
	expect_written(&w, "{\"name\":\"a.pdf\",\"media_type\":\"application/pdf\",\"tags\":[]}");
	assert_int_equal(content_meta(&none, &w), OK);
	expect_written(&w, "{\"tags\":[]}");
}

static void
the_meta_of_content_has_its_tags(void **state)
{
	static const char *const wrong[] = { "", "{\"tags\":1}", "{\"tags\":[1]}", "{\"tags\":[\"\"]}" };
	struct json_writer w = { 0 };

	(void)state;
	assert_int_equal(content_meta_of(text("{\"title\":\"T\",\"fields\":[],\"tags\":[\"a\",\"b\"]}"), &w), OK);
	expect_written(&w, "{\"tags\":[\"a\",\"b\"]}");
	assert_int_equal(content_meta_of(text("{\"title\":\"T\"}"), &w), OK);
	expect_written(&w, "{\"tags\":[]}");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(content_meta_of(text(wrong[i]), &w), ERR_INVALID_CONTENT);
	json_write_free(&w);
}

static void
text_that_is_not_utf8_or_holds_a_nul_is_no_content(void **state)
{
	static const struct span bad[] = { { (const uint8_t *)"a\0b", 3 }, { (const uint8_t *)"\xff", 1 },
		{ (const uint8_t *)"\xed\xa0\x80", 3 }, { (const uint8_t *)"\xc0\xaf", 2 } };
	struct json_writer w = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct content_labels title = { .title = bad[i] }, name = { .name = bad[i] }, type = { .media_type = bad[i] },
			tag = { .tags = { bad[i] }, .n_tags = 1 }, good = { .n_tags = 0 };

		assert_false(content_text_valid(bad[i], 100));
		assert_int_equal(content_memory(&title, text("b"), &w), ERR_INVALID_CONTENT);
		assert_int_equal(content_memory(&tag, text("b"), &w), ERR_INVALID_CONTENT);
		assert_int_equal(content_memory(&good, bad[i], &w), ERR_INVALID_CONTENT);
		assert_int_equal(content_meta(&name, &w), ERR_INVALID_CONTENT);
		assert_int_equal(content_meta(&type, &w), ERR_INVALID_CONTENT);
	}
	json_write_free(&w);
}

static void
labels_past_their_lengths_are_no_content(void **state)
{
	static uint8_t longest[1025];
	struct content_labels l = { .n_tags = 1 };
	struct json_writer w = { 0 };

	(void)state;
	memset(longest, 'x', sizeof longest);
	l.tags[0] = (struct span){ longest, CONTENT_TAG_MAX };
	assert_int_equal(content_meta(&l, &w), OK);
	json_write_clear(&w);
	l.tags[0].len++;
	assert_int_equal(content_meta(&l, &w), ERR_INVALID_CONTENT);
	l.tags[0].len = 0;
	assert_int_equal(content_meta(&l, &w), ERR_INVALID_CONTENT);
	l.n_tags = 0;
	l.title = (struct span){ longest, 1024 };
	assert_int_equal(content_meta(&l, &w), OK);
	l.title.len++;
	assert_int_equal(content_meta(&l, &w), ERR_INVALID_CONTENT);
	json_write_free(&w);
}

static enum err
card(const struct content_labels *l, const char *s, struct json_writer *w, struct secret **title)
{
	return content_card(l, text(s), w, title);
}

static void
a_card_is_written_in_its_one_form(void **state)
{
	static const char own[] = " { \"tags\" : [ \"t\" ] , \"fields\":[{\"value\":\"v\",\"name\":\"n\"},"
	    "{\"protected\":true,\"name\":\"pin\",\"value\":\"" REFERENCE "\"}], \"title\":\"Card\" } ";
	struct content_labels none = { .n_tags = 0 };
	struct json_writer w = { 0 };
	struct secret *title = NULL;

	(void)state;
	assert_int_equal(card(&none, own, &w, &title), OK);
	assert_int_equal(secret_len(title), 4);
	assert_memory_equal(secret_view(title), "Card", 4);
	secret_free(&title);
	expect_written(&w, "{\"title\":\"Card\",\"fields\":[{\"name\":\"n\",\"value\":\"v\",\"protected\":false},"
	    "{\"name\":\"pin\",\"value\":\"" REFERENCE "\",\"protected\":true}],\"tags\":[\"t\"]}");
}

static void
labels_given_beside_a_card_replace_its_own(void **state)
{
	struct content_labels l = { .title = text("Given"), .tags = { text("g") }, .n_tags = 1 };
	struct json_writer w = { 0 };
	struct secret *title = NULL;

	(void)state;
	assert_int_equal(card(&l, "{\"title\":\"Own\",\"fields\":[],\"tags\":[\"o\"]}", &w, &title), OK);
	assert_memory_equal(secret_view(title), "Given", 5);
	secret_free(&title);
	expect_written(&w, "{\"title\":\"Given\",\"fields\":[],\"tags\":[\"g\"]}");
	assert_int_equal(card(&l, "{\"fields\":[]}", &w, &title), OK);
	secret_free(&title);
	json_write_free(&w);
}

static void
a_protected_value_is_a_reference_and_nothing_else(void **state)
{
	static const char *const bad[] = {
		"hunter2", "", "secret://", (REFERENCE "x"), "secret://0198c0de-0000-7000-8000-000000000001",
		"secret://0198c0de-0000-7000-8000-000000000001/0198c0de-0000-7000-8000-00000000000g",
		"Secret://0198c0de-0000-7000-8000-000000000001/0198c0de-0000-7000-8000-000000000002",
		"secret://0198c0de-0000-7000-8000-000000000001-0198c0de-0000-7000-8000-000000000002",
		(" " REFERENCE),
	};
	struct content_labels none = { .n_tags = 0 };
	struct json_writer w = { 0 };
	struct secret *title = NULL;
	char own[400];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(own, sizeof own, "{\"title\":\"t\",\"fields\":[{\"name\":\"n\",\"value\":\"%s\",\"protected\":true}]}", bad[i]);
		assert_int_equal(card(&none, own, &w, &title), ERR_INVALID_CONTENT);
		assert_null(title);
		json_write_free(&w);
	}
}

static void
what_is_no_card_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "[]", "\"x\"", "{", "{}", "{\"title\":\"t\"}", "{\"fields\":[]}", "{\"title\":1,\"fields\":[]}",
		"{\"title\":\"t\",\"fields\":{}}", "{\"title\":\"t\",\"fields\":[1]}", "{\"title\":\"t\",\"fields\":[{}]}",
		"{\"title\":\"t\",\"fields\":[{\"name\":\"n\"}]}", "{\"title\":\"t\",\"fields\":[{\"name\":\"n\",\"value\":1}]}",
		"{\"title\":\"t\",\"fields\":[{\"name\":\"n\",\"value\":\"v\",\"protected\":\"no\"}]}",
		"{\"title\":\"t\",\"fields\":[{\"name\":\"n\",\"value\":\"v\",\"more\":1}]}",
		"{\"title\":\"t\",\"fields\":[],\"tags\":\"t\"}", "{\"title\":\"t\",\"fields\":[],\"tags\":[1]}",
		"{\"title\":\"t\",\"fields\":[],\"tags\":[\"\"]}", "{\"title\":\"t\",\"fields\":[],\"more\":1}",
		"{\"title\":\"t\",\"fields\":[]} x",
		"{\"title\":\"a\\u0000b\",\"fields\":[]}",
		"{\"title\":\"t\",\"fields\":[{\"name\":\"n\",\"value\":\"a\\u0000b\"}]}",
	};
	struct content_labels none = { .n_tags = 0 };
	struct json_writer w = { 0 };
	struct secret *title = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (card(&none, bad[i], &w, &title) != ERR_INVALID_CONTENT)
			fail_msg("taken: %s", bad[i]);
		assert_null(title);
		json_write_free(&w);
	}
}

static void
more_tags_than_fit_are_refused(void **state)
{
	struct content_labels none = { .n_tags = 0 };
	struct json_writer w = { 0 };
	struct secret *title = NULL;
	char own[600] = "{\"title\":\"t\",\"fields\":[],\"tags\":[\"0\"";

	(void)state;
	for (size_t i = 1; i < CONTENT_TAGS_MAX; i++)
		strcat(own, ",\"x\"");
	strcat(own, "]}");
	assert_int_equal(card(&none, own, &w, &title), OK);
	secret_free(&title);
	json_write_free(&w);
	own[strlen(own) - 2] = '\0';
	strcat(own, ",\"x\"]}");
	assert_int_equal(card(&none, own, &w, &title), ERR_INVALID_CONTENT);
	json_write_free(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_memory_has_title_body_and_tags_in_that_order),
		cmocka_unit_test(meta_leaves_out_what_is_not_there),
		cmocka_unit_test(the_meta_of_content_has_its_tags),
		cmocka_unit_test(text_that_is_not_utf8_or_holds_a_nul_is_no_content),
		cmocka_unit_test(labels_past_their_lengths_are_no_content),
		cmocka_unit_test(a_card_is_written_in_its_one_form),
		cmocka_unit_test(labels_given_beside_a_card_replace_its_own),
		cmocka_unit_test(a_protected_value_is_a_reference_and_nothing_else),
		cmocka_unit_test(what_is_no_card_is_refused),
		cmocka_unit_test(more_tags_than_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
