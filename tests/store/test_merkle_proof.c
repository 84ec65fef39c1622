#include <string.h>

#include "store/merkle_proof.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

#define N_LEAVES 70

struct tree {
	uint8_t leaves[N_LEAVES][SHA256_LEN];
	uint8_t roots[N_LEAVES + 1][SHA256_LEN];
};

static int
start(void **state)
{
	static struct tree t;
	struct merkle m = { .size = 0 };

	for (size_t n = 0; n < N_LEAVES; n++) {
		merkle_leaf((struct span){ (const uint8_t *)&n, sizeof n }, t.leaves[n]);
		merkle_add(&m, t.leaves[n]);
		merkle_root(&m, t.roots[n + 1]);
	}
	*state = &t;
	return 0;
}

/* Nodes from the leaves, by their definition. */
static enum err
node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN])
{
	struct tree *t = arg;
	struct merkle m = { .size = 0 };

	assert_true((index + 1) << level <= N_LEAVES);
	for (uint64_t i = index << level; i < (index + 1) << level; i++)
		merkle_add(&m, t->leaves[i]);
	merkle_root(&m, out);
	return OK;
}

static enum err
no_node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN])
{
	(void)arg;
	(void)level;
	(void)index;
	(void)out;
	return ERR_FILE_UNREADABLE;
}

/* The vectors that implementations of RFC 6962 are commonly tested with: 8 leaves. */
static const struct span known_leaves[] = {
	{ (const uint8_t *)"", 0 }, { (const uint8_t *)"\x00", 1 }, { (const uint8_t *)"\x10", 1 },
	{ (const uint8_t *)"\x20\x21", 2 }, { (const uint8_t *)"\x30\x31", 2 },
	{ (const uint8_t *)"\x40\x41\x42\x43", 4 }, { (const uint8_t *)"\x50\x51\x52\x53\x54\x55\x56\x57", 8 },
	{ (const uint8_t *)"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f", 16 },
};

static void
expect(const struct merkle_proof *p, size_t n, const char *const hashes[])
{
	assert_int_equal(p->n, n);
	for (size_t i = 0; i < n; i++)
		hex_expect(p->hashes[i], SHA256_LEN, hashes[i]);
}

static void
proofs_are_those_that_others_publish(void **state)
{
	static const char *const inclusion_0_of_8[] = {
		"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
		"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
		"6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
	};
	static const char *const consistency_6_of_8[] = {
		"0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
		"ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
	};
	static struct tree t;
	struct merkle_source s = { node, &t };
	struct merkle_proof p;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		merkle_leaf(known_leaves[i], t.leaves[i]);
	assert_int_equal(merkle_inclusion(&s, 0, 8, &p), OK);
	expect(&p, 3, inclusion_0_of_8);
	assert_int_equal(merkle_consistency(&s, 6, 8, &p), OK);
	expect(&p, 3, consistency_6_of_8);
}

static void
every_leaf_is_proven_in_every_tree(void **state)
{
	struct tree *t = *state;
	struct merkle_source s = { node, t };
	struct merkle_proof p;
	uint8_t root[SHA256_LEN];

	for (uint64_t size = 1; size <= N_LEAVES; size++) {
		assert_int_equal(merkle_source_root(&s, size, root), OK);
		assert_memory_equal(root, t->roots[size], sizeof root);
		for (uint64_t i = 0; i < size; i++) {
			assert_int_equal(merkle_inclusion(&s, i, size, &p), OK);
			assert_true(merkle_inclusion_holds(&p, i, size, t->leaves[i], t->roots[size]));
		}
	}
}

static void
every_tree_extends_every_older_one(void **state)
{
	struct tree *t = *state;
	struct merkle_source s = { node, t };
	struct merkle_proof p;

	for (uint64_t size = 1; size <= N_LEAVES; size++) {
		for (uint64_t old = 1; old <= size; old++) {
			assert_int_equal(merkle_consistency(&s, old, size, &p), OK);
			assert_true(merkle_consistency_holds(&p, old, size, t->roots[old], t->roots[size]));
		}
	}
}

/* Everything but the proof itself must fail: another place, size, hash, root, a hash more or less. */
static void
an_altered_inclusion_proof_does_not_hold(void **state)
{
	struct tree *t = *state;
	struct merkle_source s = { node, t };
	struct merkle_proof p;
	const uint64_t size = 45;

	for (uint64_t i = 0; i < size; i++) {
		assert_int_equal(merkle_inclusion(&s, i, size, &p), OK);
		for (uint64_t other = 0; other < size; other++)
			assert_int_equal(merkle_inclusion_holds(&p, other, size, t->leaves[i], t->roots[size]), other == i);
		assert_false(merkle_inclusion_holds(&p, i, 0, t->leaves[i], t->roots[size]));
		assert_false(merkle_inclusion_holds(&p, i, size - 1, t->leaves[i], t->roots[size - 1]));
		assert_false(merkle_inclusion_holds(&p, size, size, t->leaves[i], t->roots[size]));
		assert_false(merkle_inclusion_holds(&p, i, size, t->leaves[i + 1], t->roots[size]));
		for (size_t h = 0; h < p.n; h++) {
			p.hashes[h][h] ^= 1;
			assert_false(merkle_inclusion_holds(&p, i, size, t->leaves[i], t->roots[size]));
			p.hashes[h][h] ^= 1;
		}
		p.n--;
		assert_false(merkle_inclusion_holds(&p, i, size, t->leaves[i], t->roots[size]));
		p.n += 2;
		assert_false(merkle_inclusion_holds(&p, i, size, t->leaves[i], t->roots[size]));
	}
}

static void
an_altered_consistency_proof_does_not_hold(void **state)
{
	struct tree *t = *state;
	struct merkle_source s = { node, t };
	struct merkle_proof p;
	const uint64_t size = 45;

	for (uint64_t old = 1; old < size; old++) {
		assert_int_equal(merkle_consistency(&s, old, size, &p), OK);
		assert_false(merkle_consistency_holds(&p, old, size, t->roots[old + 1], t->roots[size]));
		assert_false(merkle_consistency_holds(&p, old, size, t->roots[old], t->roots[size - 1]));
		assert_false(merkle_consistency_holds(&p, old + 1, size, t->roots[old + 1], t->roots[size]));
		assert_false(merkle_consistency_holds(&p, 0, size, t->roots[old], t->roots[size]));
		assert_false(merkle_consistency_holds(&p, size, old, t->roots[old], t->roots[size]));
		for (size_t h = 0; h < p.n; h++) {
			p.hashes[h][h] ^= 1;
			assert_false(merkle_consistency_holds(&p, old, size, t->roots[old], t->roots[size]));
			p.hashes[h][h] ^= 1;
		}
		p.n--;
		assert_false(merkle_consistency_holds(&p, old, size, t->roots[old], t->roots[size]));
		p.n += 2;
		assert_false(merkle_consistency_holds(&p, old, size, t->roots[old], t->roots[size]));
	}
	p.n = 0;
	assert_true(merkle_consistency_holds(&p, size, size, t->roots[size], t->roots[size]));
	assert_false(merkle_consistency_holds(&p, size, size, t->roots[size], t->roots[size - 1]));
	p.n = 1;
	assert_false(merkle_consistency_holds(&p, size, size, t->roots[size], t->roots[size]));
	assert_false(merkle_consistency_holds(&p, 1, UINT64_MAX, t->roots[1], t->roots[1]));
}

static void
a_source_that_fails_ends_the_proof(void **state)
{
	struct merkle_source s = { no_node, NULL };
	struct merkle_proof p;
	uint8_t root[SHA256_LEN];

	(void)state;
	assert_int_equal(merkle_source_root(&s, 5, root), ERR_FILE_UNREADABLE);
	assert_int_equal(merkle_inclusion(&s, 1, 5, &p), ERR_FILE_UNREADABLE);
	assert_int_equal(merkle_consistency(&s, 3, 5, &p), ERR_FILE_UNREADABLE);
}

static enum err
any_node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN])
{
	(void)arg;
	memset(out, (int)(level + index), SHA256_LEN);
	return OK;
}

static void
the_longest_proofs_fit(void **state)
{
	struct merkle_source s = { any_node, NULL };
	struct merkle_proof p;

	(void)state;
	assert_int_equal(merkle_inclusion(&s, 0, UINT64_MAX, &p), OK);
	assert_int_equal(p.n, 64);
	assert_int_equal(merkle_consistency(&s, (1ULL << 63) - 1, UINT64_MAX, &p), OK);
	assert_true(p.n <= MERKLE_PROOF_MAX);
	assert_int_equal(merkle_consistency(&s, 1, UINT64_MAX, &p), OK);
	assert_true(p.n <= MERKLE_PROOF_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proofs_are_those_that_others_publish),
		cmocka_unit_test(every_leaf_is_proven_in_every_tree),
		cmocka_unit_test(every_tree_extends_every_older_one),
		cmocka_unit_test(an_altered_inclusion_proof_does_not_hold),
		cmocka_unit_test(an_altered_consistency_proof_does_not_hold),
		cmocka_unit_test(a_source_that_fails_ends_the_proof),
		cmocka_unit_test(the_longest_proofs_fit),
	};

	return cmocka_run_group_tests(tests, start, NULL) != 0;
}
