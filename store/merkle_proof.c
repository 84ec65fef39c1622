#include <string.h>

#include "store/merkle_proof.h"

/* The largest power of two below n, as its exponent; n > 1. */
static unsigned
split_level(uint64_t n)
{
	return 63U - (unsigned)__builtin_clzll(n - 1);
}

/*
 * The hash of the leaves [from, to), where `from` is a multiple of a power of
 * two that is not below to - from. At most 64 deep.
 */
static enum err
range_hash(const struct merkle_source *s, uint64_t from, uint64_t to, uint8_t out[SHA256_LEN])
{
	uint8_t left[SHA256_LEN], right[SHA256_LEN];
	uint64_t n = to - from;
	unsigned level;
	enum err e;

	if ((n & (n - 1)) == 0) {
		level = (unsigned)__builtin_ctzll(n);
		return s->node(s->arg, level, from >> level, out);
	}
	level = split_level(n);
	if ((e = s->node(s->arg, level, from >> level, left)) != OK ||
	    (e = range_hash(s, from + (1ULL << level), to, right)) != OK)
		return e;
	merkle_join(left, right, out);
	return OK;
}

enum err
merkle_source_root(const struct merkle_source *s, uint64_t size, uint8_t out[SHA256_LEN])
{
	return range_hash(s, 0, size, out);
}

static enum err
add_range(const struct merkle_source *s, uint64_t from, uint64_t to, struct merkle_proof *p)
{
	enum err e = range_hash(s, from, to, p->hashes[p->n]);

	if (e == OK)
		p->n++;
	return e;
}

/* PATH(index - from, D[from:to]). */
static enum err
path(const struct merkle_source *s, uint64_t index, uint64_t from, uint64_t to, struct merkle_proof *p)
{
	uint64_t middle;
	enum err e;

	if (to - from == 1)
		return OK;
	middle = from + (1ULL << split_level(to - from));
	if (index < middle) {
		e = path(s, index, from, middle, p);
		return e != OK ? e : add_range(s, middle, to, p);
	}
	e = path(s, index, middle, to, p);
	return e != OK ? e : add_range(s, from, middle, p);
}

enum err
merkle_inclusion(const struct merkle_source *s, uint64_t index, uint64_t size, struct merkle_proof *out)
{
	struct merkle_proof p = { .n = 0 };
	enum err e = path(s, index, 0, size, &p);

	if (e == OK)
		*out = p;
	return e;
}

/* SUBPROOF(old - from, D[from:to], whole): whole means that the verifier knows the root of D[0:old] and `from` is 0. */
static enum err
subproof(const struct merkle_source *s, uint64_t old, uint64_t from, uint64_t to, bool whole,
    struct merkle_proof *p)
{
	uint64_t middle;
	enum err e;

	if (old == to)
		return whole ? OK : add_range(s, from, to, p);
	middle = from + (1ULL << split_level(to - from));
	if (old <= middle) {
		e = subproof(s, old, from, middle, whole, p);
		return e != OK ? e : add_range(s, middle, to, p);
	}
	e = subproof(s, old, middle, to, false, p);
	return e != OK ? e : add_range(s, from, middle, p);
}

enum err
merkle_consistency(const struct merkle_source *s, uint64_t old, uint64_t size, struct merkle_proof *out)
{
	struct merkle_proof p = { .n = 0 };
	enum err e = subproof(s, old, 0, size, true, &p);

	if (e == OK)
		*out = p;
	return e;
}

static bool
equal(const uint8_t a[SHA256_LEN], const uint8_t b[SHA256_LEN])
{
	return memcmp(a, b, SHA256_LEN) == 0;
}

bool
merkle_inclusion_holds(const struct merkle_proof *p, uint64_t index, uint64_t size,
    const uint8_t leaf_hash[SHA256_LEN], const uint8_t root[SHA256_LEN])
{
	uint64_t node = index, last = size - 1;
	uint8_t h[SHA256_LEN];

	if (index >= size)
		return false;
	memcpy(h, leaf_hash, sizeof h);
	for (size_t i = 0; i < p->n; i++) {
		if (last == 0)
			return false;
		if (!(node & 1) && node != last) {
			merkle_join(h, p->hashes[i], h);
		} else {
			merkle_join(p->hashes[i], h, h);
			/* The right edge: levels at which this node has no sibling are passed over. */
			while (!(node & 1) && node != 0) {
				node >>= 1;
				last >>= 1;
			}
		}
		node >>= 1;
		last >>= 1;
	}
	return last == 0 && equal(h, root);
}

bool
merkle_consistency_holds(const struct merkle_proof *p, uint64_t old, uint64_t size,
    const uint8_t old_root[SHA256_LEN], const uint8_t root[SHA256_LEN])
{
	uint64_t node = old - 1, last = size - 1;
	uint8_t of_old[SHA256_LEN], of_new[SHA256_LEN];
	bool perfect = (old & (old - 1)) == 0; /* then the old root is the first hash, and left out */
	size_t i = perfect ? 0 : 1;

	if (old == 0 || old > size || p->n > MERKLE_PROOF_MAX)
		return false;
	if (old == size)
		return p->n == 0 && equal(old_root, root);
	if (p->n < i + perfect)
		return false;
	memcpy(of_old, perfect ? old_root : p->hashes[0], sizeof of_old);
	memcpy(of_new, of_old, sizeof of_new);
	for (; node & 1; node >>= 1)
		last >>= 1;
	for (; i < p->n; i++) {
		if (last == 0)
			return false;
		if ((node & 1) || node == last) {
			merkle_join(p->hashes[i], of_old, of_old);
			merkle_join(p->hashes[i], of_new, of_new);
			while (!(node & 1) && node != 0) {
				node >>= 1;
				last >>= 1;
			}
		} else {
			merkle_join(of_new, p->hashes[i], of_new);
		}
		node >>= 1;
		last >>= 1;
	}
	return last == 0 && equal(of_old, old_root) && equal(of_new, root);
}
