#include <string.h>

#include "gateway/found.h"
#include "tests/support/check.h"

static const struct span title = { (const uint8_t *)"隐私 plan", 11 };
static const struct span excerpt = { (const uint8_t *)"the plan for 2027", 17 };

static struct found_row
row(uint8_t what)
{
	struct found_row r = { .kind = KIND_CARD, .created = { 1764496800000 }, .updated = { 1764496800001 }, .score = 12345,
		.part = SEARCH_FIELD_VALUE, .number = 3, .match_offset = 4, .match_len = 4, .excerpt_offset = 2, .title = title, .excerpt = excerpt };

	memset(r.vault.b, what, UUID_LEN);
	memset(r.asset.b, what + 1, UUID_LEN);
	memset(r.revision.b, what + 2, UUID_LEN);
	return r;
}

static struct span
encode(const struct found_row *rows, uint16_t n, uint8_t *buf, size_t size)
{
	struct wire_out o = wire_out(buf, size);

	found_page_put(&o, &(struct found_page){ .offset = 20, .total = 70000, .relaxed = true, .n_rows = n });
	for (size_t i = 0; i < n; i++)
		found_row_put(&o, &rows[i]);
	assert_false(o.failed);
	return wire_written(&o);
}

static void
a_page_comes_out_as_it_went_in(void **state)
{
	struct found_row rows[2] = { row(1), row(9) }, got[FOUND_ROWS_MAX];
	struct found_page page;
	uint8_t buf[4096];

	(void)state;
	assert_int_equal(found_take(encode(rows, 2, buf, sizeof buf), &page, got), OK);
	assert_int_equal(page.offset, 20);
	assert_int_equal(page.total, 70000);
	assert_int_equal(page.n_rows, 2);
	assert_true(page.relaxed);
	assert_true(uuid_equal(got[1].revision, rows[1].revision));
	assert_int_equal(got[1].kind, KIND_CARD);
	assert_int_equal(got[1].updated.ms, rows[1].updated.ms);
	assert_int_equal(got[1].score, 12345);
	assert_int_equal(got[1].part, SEARCH_FIELD_VALUE);
	assert_int_equal(got[1].number, 3);
	assert_int_equal(got[1].match_offset, 4);
	assert_int_equal(got[1].match_len, 4);
	assert_int_equal(got[1].excerpt_offset, 2);
	assert_memory_equal(got[1].title.p, title.p, title.len);
	assert_memory_equal(got[1].excerpt.p, excerpt.p, excerpt.len);
}

static void
a_page_cut_anywhere_is_refused(void **state)
{
	struct found_row rows[1] = { row(1) }, got[FOUND_ROWS_MAX];
	struct found_page page;
	uint8_t buf[4096];
	struct span whole = encode(rows, 1, buf, sizeof buf);

	(void)state;
	for (size_t len = 0; len < whole.len; len++)
		assert_int_equal(found_take((struct span){ whole.p, len }, &page, got), ERR_STORAGE_CORRUPT);
	buf[whole.len] = 0;
	assert_int_equal(found_take((struct span){ whole.p, whole.len + 1 }, &page, got), ERR_STORAGE_CORRUPT);
}

static void
a_row_of_no_part_or_of_a_kind_that_is_never_searched_is_refused(void **state)
{
	struct found_row rows[1] = { row(1) }, got[FOUND_ROWS_MAX];
	struct found_page page;
	uint8_t buf[4096];

	(void)state;
	rows[0].kind = KIND_FILE;
	assert_int_equal(found_take(encode(rows, 1, buf, sizeof buf), &page, got), ERR_STORAGE_CORRUPT);
	rows[0] = row(1);
	rows[0].part = (enum search_part)6;
	assert_int_equal(found_take(encode(rows, 1, buf, sizeof buf), &page, got), ERR_STORAGE_CORRUPT);
	rows[0] = row(1);
	rows[0].title = (struct span){ (const uint8_t *)"\xff", 1 };
	assert_int_equal(found_take(encode(rows, 1, buf, sizeof buf), &page, got), ERR_STORAGE_CORRUPT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_comes_out_as_it_went_in),
		cmocka_unit_test(a_page_cut_anywhere_is_refused),
		cmocka_unit_test(a_row_of_no_part_or_of_a_kind_that_is_never_searched_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
