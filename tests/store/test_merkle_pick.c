#include <string.h>

#include "store/merkle_pick.h"
#include "tests/support/check.h"

static void
leaf_hash(uint64_t i, uint8_t out[SHA256_LEN])
{
	merkle_leaf((struct span){ (const uint8_t *)&i, sizeof i }, out);
}

/* Notes, passes, makes: the root of `size` leaves, of which n pass. */
static enum err
picked_root(struct merkle_pick *p, uint64_t size, uint64_t n, uint8_t out[SHA256_LEN])
{
	struct merkle_source s = { merkle_pick_node, p };
	uint8_t hash[SHA256_LEN];

	assert_int_equal(merkle_source_root(&s, size, out), OK);
	for (uint64_t i = 0; i < n; i++) {
		leaf_hash(i, hash);
		merkle_pick_add(p, hash);
	}
	return merkle_source_root(&s, size, out);
}

static void
every_proof_is_made_from_one_pass(void **state)
{
	struct merkle m = { .size = 0 };
	uint8_t roots[41][SHA256_LEN], hash[SHA256_LEN];

	(void)state;
	for (uint64_t n = 0; n < 40; n++) {
		leaf_hash(n, hash);
		merkle_add(&m, hash);
		merkle_root(&m, roots[n + 1]);
	}
	for (uint64_t old = 1; old <= 40; old++) {
		struct merkle_pick p = { .n = 0 };
		struct merkle_source s = { merkle_pick_node, &p };
		struct merkle_proof inclusion, consistency;

		assert_int_equal(merkle_inclusion(&s, old - 1, 40, &inclusion), OK);
		assert_int_equal(merkle_consistency(&s, old, 40, &consistency), OK);
		for (uint64_t i = 0; i < 40; i++) {
			leaf_hash(i, hash);
			merkle_pick_add(&p, hash);
		}
		assert_int_equal(merkle_inclusion(&s, old - 1, 40, &inclusion), OK);
		assert_int_equal(merkle_consistency(&s, old, 40, &consistency), OK);
		leaf_hash(old - 1, hash);
		assert_true(merkle_inclusion_holds(&inclusion, old - 1, 40, hash, roots[40]));
		assert_true(merkle_consistency_holds(&consistency, old, 40, roots[old], roots[40]));
	}
}

static void
leaves_behind_the_tree_change_nothing(void **state)
{
	struct merkle_pick a = { .n = 0 }, b = { .n = 0 };
	uint8_t x[SHA256_LEN], y[SHA256_LEN];

	(void)state;
	assert_int_equal(picked_root(&a, 21, 21, x), OK);
	assert_int_equal(picked_root(&b, 21, 30, y), OK);
	assert_memory_equal(x, y, sizeof x);
}

static void
what_did_not_pass_or_was_not_noted_is_not_found(void **state)
{
	struct merkle_pick p = { .n = 0 };
	uint8_t root[SHA256_LEN];

	(void)state;
	assert_int_equal(picked_root(&p, 21, 20, root), ERR_NOT_FOUND);
	assert_int_equal(merkle_pick_node(&p, 3, 0, root), ERR_NOT_FOUND);
	assert_int_equal(merkle_pick_node(&p, 4, 0, root), OK);
}

static void
the_largest_proof_fits_and_more_is_refused(void **state)
{
	struct merkle_pick p = { .n = 0 };
	struct merkle_source s = { merkle_pick_node, &p };
	struct merkle_proof proof;
	uint8_t root[SHA256_LEN];

	(void)state;
	assert_int_equal(merkle_source_root(&s, UINT64_MAX / 3, root), OK);
	assert_int_equal(merkle_source_root(&s, UINT64_MAX / 3 * 2, root), OK);
	assert_int_equal(merkle_source_root(&s, UINT64_MAX, root), OK);
	assert_int_equal(merkle_consistency(&s, UINT64_MAX / 3, UINT64_MAX / 3 * 2, &proof), OK);
	while (p.n < MERKLE_PICK_MAX)
		assert_int_equal(merkle_pick_node(&p, 0, 1 + 2 * p.n, root), OK);
	assert_int_equal(merkle_pick_node(&p, 0, 0, root), ERR_INTERNAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_proof_is_made_from_one_pass),
		cmocka_unit_test(leaves_behind_the_tree_change_nothing),
		cmocka_unit_test(what_did_not_pass_or_was_not_noted_is_not_found),
		cmocka_unit_test(the_largest_proof_fits_and_more_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
