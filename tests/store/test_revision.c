#include <string.h>

#include "store/revision.h"
#include "tests/support/check.h"

static struct revision_row
sample(void)
{
	struct revision_row r = { .vault = { { 1 } }, .asset = { { 2 } }, .revision = { { 3 } },
		.kind = KIND_CARD, .key_class = CLASS_PRIVATE, .bytes = 1000, .created = { 77 },
		.asset_created = { 66 }, .n_parents = 2, .parents = { { { 4 } }, { { 5 } } } };

	return r;
}

static bool
round_trips(const struct revision_row *r, struct revision_row *out)
{
	uint8_t buf[REVISION_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct wire_in in;

	revision_row_put(&o, r);
	if (o.failed)
		return false;
	in = wire_in(buf, o.len);
	revision_row_take(&in, out);
	return wire_done(&in);
}

static void
a_row_comes_back_as_it_was(void **state)
{
	struct revision_row r = sample(), out;

	(void)state;
	assert_true(round_trips(&r, &out));
	assert_true(uuid_equal(out.vault, r.vault) && uuid_equal(out.asset, r.asset));
	assert_true(uuid_equal(out.revision, r.revision));
	assert_int_equal(out.kind, KIND_CARD);
	assert_int_equal(out.key_class, CLASS_PRIVATE);
	assert_false(out.deleted);
	assert_int_equal(out.bytes, 1000);
	assert_int_equal(out.created.ms, 77);
	assert_int_equal(out.asset_created.ms, 66);
	assert_int_equal(out.n_parents, 2);
	assert_true(uuid_equal(out.parents[1], r.parents[1]));
}

static void
the_longest_row_fills_its_maximum(void **state)
{
	uint8_t buf[REVISION_ROW_MAX + 1];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct revision_row r = sample();

	(void)state;
	r.n_parents = REVISION_PARENTS_MAX;
	revision_row_put(&o, &r);
	assert_false(o.failed);
	assert_int_equal(o.len, REVISION_ROW_MAX);
	r.n_parents++;
	revision_row_put(&o, &r);
	assert_true(o.failed);
}

static void
a_row_that_cannot_be_is_refused(void **state)
{
	struct revision_row out = { .bytes = 5 }, r;

	(void)state;
	r = sample();
	r.kind = (enum kind)0;
	assert_false(round_trips(&r, &out));
	r = sample();
	r.kind = (enum kind)5;
	assert_false(round_trips(&r, &out));
	r = sample();
	r.key_class = CLASS__COUNT;
	assert_false(round_trips(&r, &out));
	r = sample();
	r.key_class = CLASS_CREDENTIAL;
	assert_false(round_trips(&r, &out));
	r = sample();
	r.deleted = true;
	assert_false(round_trips(&r, &out));
	r = sample();
	r.bytes = FILE_LEN_MAX + 1;
	assert_false(round_trips(&r, &out));
	assert_int_equal(out.bytes, 5);
}

static void
a_row_cut_anywhere_is_refused(void **state)
{
	uint8_t buf[REVISION_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct revision_row r = sample(), out;

	(void)state;
	revision_row_put(&o, &r);
	for (size_t len = 0; len < o.len; len++) {
		struct wire_in in = wire_in(buf, len);

		revision_row_take(&in, &out);
		assert_true(in.failed);
	}
}

static void
a_class_belongs_to_its_kinds(void **state)
{
	(void)state;
	assert_true(revision_class_fits(KIND_MEMORY, CLASS_ORDINARY));
	assert_true(revision_class_fits(KIND_CARD, CLASS_PRIVATE));
	assert_false(revision_class_fits(KIND_MEMORY, CLASS_FILE));
	assert_true(revision_class_fits(KIND_FILE, CLASS_FILE));
	assert_false(revision_class_fits(KIND_FILE, CLASS_PRIVATE));
	assert_true(revision_class_fits(KIND_CREDENTIAL, CLASS_CREDENTIAL));
	assert_false(revision_class_fits(KIND_CREDENTIAL, CLASS_ORDINARY));
}

static void
chunks_are_counted_up_and_never_none(void **state)
{
	(void)state;
	assert_int_equal(revision_n_chunks(0), 1);
	assert_int_equal(revision_n_chunks(1), 1);
	assert_int_equal(revision_n_chunks(CHUNK_LEN), 1);
	assert_int_equal(revision_n_chunks(CHUNK_LEN + 1), 2);
	assert_int_equal(revision_n_chunks(FILE_LEN_MAX), 262144);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_comes_back_as_it_was),
		cmocka_unit_test(the_longest_row_fills_its_maximum),
		cmocka_unit_test(a_row_that_cannot_be_is_refused),
		cmocka_unit_test(a_row_cut_anywhere_is_refused),
		cmocka_unit_test(a_class_belongs_to_its_kinds),
		cmocka_unit_test(chunks_are_counted_up_and_never_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
