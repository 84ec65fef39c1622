#include <string.h>

#include "gateway/fact_form.h"
#include "tests/support/check.h"

#define TEXT(s) ((struct span){ (const uint8_t *)(s), strlen(s) })

static void
equal(struct span got, const char *wanted)
{
	assert_int_equal(got.len, strlen(wanted));
	assert_memory_equal(got.p, wanted, got.len);
}

static void
what_is_written_is_taken_back(void **state)
{
	struct fact_form in = { .has_category = true, .category = CATEGORY_WORK_STUDY, .has_uncertain = true, .uncertain = true,
		.label = TEXT("茶"), .value = TEXT("# green, 不加糖"), .evidence = TEXT("") }, out;
	char reason[DRAFT_REASON_MAX];
	struct secret *text = NULL;

	(void)state;
	assert_int_equal(fact_form_text("one\ntwo", &in, &text), OK);
	equal(secret_span(text), "# one\n# two\ncategory: work_study\nlabel: 茶\nevidence: \nuncertain: yes\n\n# green, 不加糖\n");
	assert_int_equal(fact_form_take(secret_span(text), &out, reason), OK);
	assert_true(out.has_category && out.category == CATEGORY_WORK_STUDY && out.has_uncertain && out.uncertain);
	equal(out.label, "茶");
	equal(out.value, "# green, 不加糖");
	equal(out.evidence, "");
	secret_free(&text);
}

static void
what_is_not_given_has_no_line(void **state)
{
	struct fact_form in = { .value = TEXT("x") }, out;
	char reason[DRAFT_REASON_MAX];
	struct secret *text = NULL;

	(void)state;
	assert_int_equal(fact_form_text("", &in, &text), OK);
	equal(secret_span(text), "\nx\n");
	assert_int_equal(fact_form_take(secret_span(text), &out, reason), OK);
	assert_true(!out.has_category && !out.has_uncertain && out.label.p == NULL && out.evidence.p == NULL);
	secret_free(&text);
}

static void
a_wrong_form_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{ "label: x\n\n", "the value is empty" },
		{ "label:\n\nv\n", "the label is empty" },
		{ "v", "above the empty line stand category, label, evidence and uncertain, each with a colon" },
		{ "category: weather\n\nv", "a category is one of basic, preference, habit, goal, work_study, health, relationship, uncategorized" },
		{ "uncertain: maybe\n\nv", "uncertain is yes or no" },
		{ "\na\nb\n", "the value is not one line of UTF-8 without control characters" },
		{ "\na\xff\n", "the value is not one line of UTF-8 without control characters" },
		{ "label: 12345678901234567890123456789012345678901\n\nv", "the label is longer than 40 characters" },
	};
	char reason[DRAFT_REASON_MAX];
	struct fact_form out;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(fact_form_take(TEXT(rows[i].text), &out, reason), ERR_INVALID_CONTENT);
		assert_string_equal(reason, rows[i].reason);
	}
}

static void
lengths_count_characters(void **state)
{
	char value[3 * FACT_VALUE_MAX + 4], reason[DRAFT_REASON_MAX];
	struct fact_form f = { .value = { (const uint8_t *)value, 3 * FACT_VALUE_MAX } };

	(void)state;
	for (size_t i = 0; i <= FACT_VALUE_MAX; i++)
		memcpy(value + 3 * i, "茶", 3);
	assert_true(fact_form_good(&f, reason));
	f.value.len += 3;
	assert_false(fact_form_good(&f, reason));
	assert_string_equal(reason, "the value is longer than 300 characters");
}

static void
only_what_is_given_is_asked_for(void **state)
{
	struct fact_form f = { .has_category = true, .category = CATEGORY_GOAL, .label = TEXT("a\"b") };
	struct json_writer w = { 0 };
	struct span text;

	(void)state;
	json_write_object(&w);
	fact_form_put(&w, &f);
	json_write_end(&w);
	assert_int_equal(json_write_done(&w, &text), OK);
	equal(text, "{\"category\":\"goal\",\"label\":\"a\\\"b\"}");
	json_write_free(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_taken_back),
		cmocka_unit_test(what_is_not_given_has_no_line),
		cmocka_unit_test(a_wrong_form_is_refused_with_a_reason),
		cmocka_unit_test(lengths_count_characters),
		cmocka_unit_test(only_what_is_given_is_asked_for),
	};

	if (secret_init(true) != OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
