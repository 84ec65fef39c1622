#include <unistd.h>

#include "tests/store/env_rig.h"

static void
a_committed_group_is_there_after_reopening(void **state)
{
	struct env *e = opened(state);

	put(e, TEXT("k"));
	assert_int_equal(env_commit(e), OK);
	put(e, TEXT("never committed"));
	env_close(&e);
	assert_null(e);
	e = opened(state);
	assert_true(has(e, TEXT("k")));
	assert_false(has(e, TEXT("never committed")));
	env_close(&e);
}

static void
a_group_is_seen_from_inside_and_gone_after_abort(void **state)
{
	struct env *e = opened(state);

	put(e, TEXT("k"));
	assert_true(env_in_group(e));
	assert_true(has(e, TEXT("k")));
	env_abort(e);
	assert_false(env_in_group(e));
	assert_false(has(e, TEXT("k")));
	env_close(&e);
}

static void
a_failed_group_is_forgotten_whole_and_its_commit_says_so_once(void **state)
{
	struct env *e = opened(state);

	put(e, TEXT("k"));
	assert_int_equal(env_fail(e, ERR_STORAGE_CORRUPT), ERR_STORAGE_CORRUPT);
	assert_int_equal(env_begin(e), ERR_STORAGE_CORRUPT);
	assert_false(has(e, TEXT("k")));
	assert_int_equal(env_commit(e), ERR_STORAGE_CORRUPT);
	assert_int_equal(env_commit(e), OK);
	put(e, TEXT("k"));
	assert_int_equal(env_commit(e), OK);
	assert_true(has(e, TEXT("k")));
	env_close(&e);
}

static void
a_write_that_lmdb_refuses_forgets_the_group(void **state)
{
	struct env *e = opened(state);

	put(e, TEXT("k"));
	assert_int_equal(env_put(e, 0, TEXT(""), TEXT("a key of no bytes"), NULL), ERR_STORAGE_FAILED);
	assert_int_equal(env_commit(e), ERR_STORAGE_FAILED);
	assert_false(has(e, TEXT("k")));
	put(e, TEXT("k"));
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
}

static void
put_tells_whether_the_key_was_there_and_replaces_it(void **state)
{
	struct env *e = opened(state);
	struct span value;
	bool existed = true;

	assert_int_equal(env_begin(e), OK);
	assert_int_equal(env_put(e, 0, TEXT("k"), TEXT("one"), &existed), OK);
	assert_false(existed);
	assert_int_equal(env_put(e, 0, TEXT("k"), TEXT("two"), &existed), OK);
	assert_true(existed);
	assert_int_equal(env_get(e, 0, TEXT("k"), &value), OK);
	assert_int_equal(value.len, 3);
	assert_memory_equal(value.p, "two", 3);
	assert_int_equal(env_delete(e, 0, TEXT("k")), OK);
	assert_int_equal(env_delete(e, 0, TEXT("k")), OK);
	assert_int_equal(env_get(e, 0, TEXT("k"), &value), ERR_NOT_FOUND);
	env_close(&e);
}

static void
expect_row(enum err r, const struct env_row *row, const char *key)
{
	if (key == NULL) {
		assert_int_equal(r, ERR_NOT_FOUND);
		return;
	}
	assert_int_equal(r, OK);
	assert_int_equal(row->key.len, 1);
	assert_int_equal(row->key.p[0], key[0]);
}

static void
seek_floor_and_next_find_the_neighbours(void **state)
{
	struct env *e = opened(state);
	struct env_row row;

	put(e, TEXT("b"));
	put(e, TEXT("d"));
	assert_int_equal(env_commit(e), OK);
	assert_int_equal(env_look(e), OK);
	expect_row(env_seek(e, 0, TEXT("a"), &row), &row, "b");
	expect_row(env_next(e, 0, &row), &row, "d");
	expect_row(env_next(e, 0, &row), &row, NULL);
	expect_row(env_seek(e, 0, TEXT("d"), &row), &row, "d");
	expect_row(env_seek(e, 0, TEXT("e"), &row), &row, NULL);
	expect_row(env_floor(e, 0, TEXT("a"), &row), &row, NULL);
	expect_row(env_floor(e, 0, TEXT("b"), &row), &row, "b");
	expect_row(env_floor(e, 0, TEXT("c"), &row), &row, "b");
	expect_row(env_floor(e, 0, TEXT("e"), &row), &row, "d");
	expect_row(env_floor(e, 1, TEXT("e"), &row), &row, NULL);
	env_close(&e);
}

static void
a_group_over_its_maximum_is_busy_until_committed(void **state)
{
	struct env *e = opened(state);
	uint32_t n = 0;
	enum err r;

	while ((r = put_big(e, n)) == OK)
		n++;
	assert_int_equal(r, ERR_BUSY);
	assert_in_range(n, ENV_GROUP_MAX / (2 * BIG_LEN), ENV_GROUP_MAX / BIG_LEN);
	assert_int_equal(env_commit(e), OK);
	assert_int_equal(put_big(e, n), OK);
	env_close(&e);
}

static void
the_map_grows_under_a_growing_file(void **state)
{
	struct env *e = opened(state);
	struct span value;
	uint32_t n_max = 320u * 1024 * 1024 / BIG_LEN, n = 0;
	enum err r;

	while (n < n_max) {
		if ((r = put_big(e, n)) == ERR_BUSY)
			r = env_commit(e);
		else
			n++;
		assert_int_equal(r, OK);
	}
	assert_int_equal(env_commit(e), OK);
	assert_true(file_bytes(state) > 320 * 1024 * 1024);
	assert_int_equal(env_look(e), OK);
	for (n = 0; n < n_max; n += 100)
		assert_int_equal(env_get(e, 0, (struct span){ (uint8_t *)&n, sizeof n }, &value), OK);
	env_close(&e);
	e = opened(state);
	assert_int_equal(put_big(e, n_max), OK);
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
}

/* How long the file is after some updates, with a read begun before them or not. */
static off_t
bytes_after_updates(void **state, bool keep_read)
{
	struct env *e = opened(state);

	if (keep_read)
		assert_false(has(e, TEXT("k")));
	for (int i = 0; i < 50; i++) {
		assert_int_equal(put_big(e, 1), OK);
		assert_int_equal(env_commit(e), OK);
	}
	env_close(&e);
	return file_bytes(state);
}

static void
what_a_read_borrowed_does_not_make_the_file_grow(void **state)
{
	off_t alone = bytes_after_updates(state, false);

	assert_int_equal(unlink(temp_dir_at(*state, "data.mdb")), 0);
	assert_int_equal(bytes_after_updates(state, true), alone);
}

static void
resting_is_refused_in_a_group_and_changes_nothing_else(void **state)
{
	struct env *e = opened(state);

	put(e, TEXT("k"));
	assert_int_equal(env_rest(e), ERR_BUSY);
	assert_int_equal(env_commit(e), OK);
	assert_true(has(e, TEXT("k")));
	assert_int_equal(env_rest(e), OK);
	assert_true(has(e, TEXT("k")));
	put(e, TEXT("l"));
	assert_int_equal(env_commit(e), OK);
	assert_true(has(e, TEXT("l")));
	env_close(&e);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, temp_dir_setup, temp_dir_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_committed_group_is_there_after_reopening),
		TEST(a_group_is_seen_from_inside_and_gone_after_abort),
		TEST(a_failed_group_is_forgotten_whole_and_its_commit_says_so_once),
		TEST(a_write_that_lmdb_refuses_forgets_the_group),
		TEST(put_tells_whether_the_key_was_there_and_replaces_it),
		TEST(seek_floor_and_next_find_the_neighbours),
		TEST(a_group_over_its_maximum_is_busy_until_committed),
		TEST(the_map_grows_under_a_growing_file),
		TEST(what_a_read_borrowed_does_not_make_the_file_grow),
		TEST(resting_is_refused_in_a_group_and_changes_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
