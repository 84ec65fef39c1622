#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/content_page.h"
#include "gateway/json.h"
#include "mailbox/utf8.h"
#include "tests/support/check.h"

#define CARD \
	"{\"title\":\"Router\",\"fields\":[" \
	"{\"name\":\"user\",\"value\":\"admin\",\"protected\":false}," \
	"{\"name\":\"password\",\"value\":\"secret://0192f5a0-0000-7000-8000-000000000001/0192f5a0-0000-7000-8000-000000000002\",\"protected\":true}," \
	"{\"name\":\"\",\"value\":\"\",\"protected\":false}],\"tags\":[\"home\",\"net\"]}"

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

/* The page at that place as a JSON text; the caller frees the writer. */
static enum err
page(const char *content, enum kind kind, size_t room, struct json_writer *w, struct content_place *place, bool *more)
{
	enum err e;

	json_write_object(w);
	e = content_page(span_of(content), kind, room, w, place, more);
	json_write_end(w);
	return e;
}

static void
expect_whole(const char *content, enum kind kind, const char *wanted)
{
	struct content_place place = { 0 };
	struct json_writer w = { 0 };
	struct span text;
	bool more = true;

	assert_int_equal(page(content, kind, 4096, &w, &place, &more), OK);
	assert_false(more);
	assert_int_equal(json_write_done(&w, &text), OK);
	assert_int_equal(text.len, strlen(wanted));
	assert_memory_equal(text.p, wanted, text.len);
	json_write_free(&w);
}

static void
what_fits_is_one_page(void **state)
{
	(void)state;
	expect_whole("{\"title\":\"T\",\"body\":\"one\\ntwo\",\"tags\":[\"a\",\"b\"]}", KIND_MEMORY,
	    "{\"title\":\"T\",\"tags\":[\"a\",\"b\"],\"text\":\"one\\ntwo\"}");
	expect_whole("{\"title\":\"\",\"body\":\"\",\"tags\":[]}", KIND_MEMORY, "{\"title\":\"\",\"text\":\"\"}");
	expect_whole("{\"title\":\"c\",\"fields\":[],\"tags\":[]}", KIND_CARD, "{\"title\":\"c\"}");
	expect_whole(CARD, KIND_CARD, "{\"title\":\"Router\",\"tags\":[\"home\",\"net\"],\"fields\":["
	    "{\"protected\":false,\"name\":\"user\",\"value\":\"admin\"},"
	    "{\"protected\":true,\"name\":\"password\",\"value\":\"secret://0192f5a0-0000-7000-8000-000000000001/0192f5a0-0000-7000-8000-000000000002\"},"
	    "{\"protected\":false,\"name\":\"\",\"value\":\"\"}]}");
}

/* The strings of a page, joined to what came before: a string that was cut goes on without a mark. */
struct joined {
	char   text[65536];
	size_t len;
};

static void
join_string(struct joined *j, const struct json *v, bool goes_on)
{
	struct span s;

	assert_true(json_as_string(v, &s));
	assert_true(utf8_valid(s));
	if (!goes_on)
		j->text[j->len++] = '|';
	memcpy(j->text + j->len, s.p, s.len);
	j->len += s.len;
}

static void
join_value(struct joined *j, const struct json *v, bool *goes_on)
{
	if (json_type(v) == JSON_BOOL)
		return;
	if (json_type(v) != JSON_STRING) {
		for (const struct json *i = json_first(v); i != NULL; i = json_next(i))
			join_value(j, i, goes_on);
		return;
	}
	join_string(j, v, *goes_on);
	*goes_on = false;
}

static void
join_pages(const char *content, enum kind kind, size_t room, struct joined *j)
{
	struct content_place place = { 0 };
	bool more = true, goes_on;
	unsigned n = 0;

	j->len = 0;
	while (more) {
		struct json_writer w = { 0 };
		struct json *root = NULL;
		struct span text;

		assert_true(n++ < 5000);
		goes_on = place.offset > 0;
		assert_int_equal(page(content, kind, room, &w, &place, &more), OK);
		assert_int_equal(json_write_done(&w, &text), OK);
		assert_true(text.len <= room + 2);
		assert_int_equal(json_parse(text, &root), OK);
		join_value(j, root, &goes_on);
		json_free(&root);
		json_write_free(&w);
	}
	j->text[j->len] = '\0';
}

static void
pages_of_any_size_join_to_the_whole(void **state)
{
	static struct joined j;
	char *content, *body;

	(void)state;
	assert_non_null(body = calloc(1, 13001));
	for (size_t i = 0; i < 13000; i += 13)
		memcpy(body + i, "ab\\n\xe4\xb8\xad\xf0\x9f\x94\x91\\\"", 13);
	assert_true(asprintf(&content, "{\"title\":\"A \xe2\x80\xa8 title\",\"body\":\"%s\",\"tags\":[\"x\",\"y\\u0001z\"]}", body) > 0);
	for (size_t room = CONTENT_PAGE_MIN; room < 3000; room += 127) {
		join_pages(content, KIND_MEMORY, room, &j);
		assert_memory_equal(j.text, "|A \xe2\x80\xa8 title|x|y\001z|ab\n\xe4\xb8\xad", 24);
		assert_int_equal(j.len, 19 + 1000 * 11);
		join_pages(CARD, KIND_CARD, room, &j);
		assert_string_equal(j.text, "|Router|home|net|user|admin|password|"
		    "secret://0192f5a0-0000-7000-8000-000000000001/0192f5a0-0000-7000-8000-000000000002||");
	}
	free(content);
	free(body);
}

static void
a_place_that_is_none_is_refused(void **state)
{
	static const struct content_place bad[] = { { 3, 0 }, { 0, 5 }, { 1, 1 }, { UINT32_MAX, 0 }, { 0, UINT64_MAX } };
	struct content_place place;
	bool more = true;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct json_writer w = { 0 };

		place = bad[i];
		/* Parts: a title of 4 bytes, one tag of one character of 3, a text. */
		assert_int_equal(page("{\"title\":\"four\",\"body\":\"b\",\"tags\":[\"\xe4\xb8\xad\"]}", KIND_MEMORY, 4096, &w,
		    &place, &more), ERR_INVALID_ARGUMENT);
		json_write_free(&w);
	}
}

static void
what_is_no_content_is_refused(void **state)
{
	static const char *const bad[] = { "", "[]", "{}", "{\"title\":1,\"body\":\"\",\"tags\":[]}",
		"{\"title\":\"\",\"body\":\"\"}", "{\"title\":\"\",\"body\":\"\",\"tags\":[1]}", CARD };
	struct content_place place = { 0 };
	bool more = true;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct json_writer w = { 0 };

		assert_int_equal(page(bad[i], KIND_MEMORY, 4096, &w, &place, &more), ERR_INVALID_CONTENT);
		json_write_free(&w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_one_page),
		cmocka_unit_test(pages_of_any_size_join_to_the_whole),
		cmocka_unit_test(a_place_that_is_none_is_refused),
		cmocka_unit_test(what_is_no_content_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
