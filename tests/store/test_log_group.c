#include "store/log_group.h"
#include "tests/store/log_rig.h"

static int
start(void **state)
{
	struct log_group *g = malloc(sizeof *g);

	assert_int_equal(log_group_start(g), OK);
	*state = g;
	return 0;
}

static int
end(void **state)
{
	log_group_end(*state);
	free(*state);
	return 0;
}

static void
add(struct log_group *g, size_t n)
{
	struct log_record r = log_rig_record(LOG_INTENT);

	for (size_t i = 0; i < n; i++) {
		r.index = i;
		assert_int_equal(log_group_stage(g, &r), OK);
		log_group_add(g);
	}
}

static void
a_bit_that_flips_between_hashing_and_signing_is_found(void **state)
{
	struct log_group *g = *state;
	struct merkle tree;
	unsigned seed = 3;

	add(g, 5);
	for (int i = 0; i < 300; i++) {
		uint32_t n = (uint32_t)rand_r(&seed) % g->n;
		uint8_t *leaf = g->buf + SEGMENT_HEADER_LEN + g->leaf_at[n];
		size_t at = (size_t)rand_r(&seed) % g->leaf_len[n];

		leaf[at] ^= (uint8_t)(1 << i % 8);
		memset(&tree, 0, sizeof tree);
		assert_int_equal(log_group_grow(g, &tree), ERR_AUDIT_UNAVAILABLE);
		leaf[at] ^= (uint8_t)(1 << i % 8);
	}
	memset(&tree, 0, sizeof tree);
	assert_int_equal(log_group_grow(g, &tree), OK);
	assert_int_equal(tree.size, 5);
}

static void
its_bytes_are_a_group_behind_a_header(void **state)
{
	struct log_group *g = *state;
	struct log_commit c = { .first = 0, .count = 3, .size = 3 };
	struct segment_header h = { .number = 2, .bytes = 65536 }, found;
	struct log_frame_group group;
	struct span bytes;

	add(g, 3);
	bytes = log_group_bytes(g, NULL, &c);
	assert_int_equal(bytes.len, log_group_need(g));
	assert_true(log_frame_find_group(bytes, &group));
	assert_int_equal(group.n_records, 3);
	assert_int_equal(group.len, bytes.len);
	bytes = log_group_bytes(g, &h, &c);
	assert_int_equal(segment_header_take(bytes, &found), SEGMENT_GOOD);
	assert_int_equal(found.number, 2);
	bytes.p += SEGMENT_HEADER_LEN;
	bytes.len -= SEGMENT_HEADER_LEN;
	assert_true(log_frame_find_group(bytes, &group));
}

static void
a_staged_record_is_not_in_the_group(void **state)
{
	struct log_group *g = *state;
	struct log_record r = log_rig_record(LOG_INTENT);
	size_t need;

	add(g, 2);
	need = log_group_need(g);
	assert_int_equal(log_group_stage(g, &r), OK);
	assert_true(log_group_need(g) > need);
	assert_int_equal(g->n, 2);
	log_group_unstage(g);
	assert_int_equal(log_group_need(g), need);
	log_group_clear(g);
	assert_int_equal(log_group_need(g), LOG_COMMIT_FRAME_LEN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_bit_that_flips_between_hashing_and_signing_is_found, start, end),
		cmocka_unit_test_setup_teardown(its_bytes_are_a_group_behind_a_header, start, end),
		cmocka_unit_test_setup_teardown(a_staged_record_is_not_in_the_group, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
