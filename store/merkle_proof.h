/*
 * merkle_proof: that a leaf stands in a tree, and that a tree extends an older
 * one, without the other leaves. Proofs are made from nodes of the tree,
 * wherever those come from, and checked with hashes alone.
 * Source: RFC 6962, sections 2.1.1 and 2.1.2; RFC 9162, sections 2.1.3.2 and 2.1.4.2.
 */
#ifndef STORE_MERKLE_PROOF_H
#define STORE_MERKLE_PROOF_H

#include "mailbox/err.h"
#include "store/merkle.h"

#define MERKLE_PROOF_MAX 65

struct merkle_proof {
	size_t  n;
	uint8_t hashes[MERKLE_PROOF_MAX][SHA256_LEN]; /* from the leaf to the root */
};

/* Where the nodes of a tree can be had. An error ends the making of a proof with that error. */
struct merkle_source {
	enum err (*node)(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN]);
	void      *arg;
};

/* The root of the first `size` leaves; 1 <= size. */
enum err merkle_source_root(const struct merkle_source *s, uint64_t size, uint8_t out[SHA256_LEN]);

/* The leaf `index` in the tree of `size` leaves; index < size. */
enum err merkle_inclusion(const struct merkle_source *s, uint64_t index, uint64_t size, struct merkle_proof *out);

/* The tree of `size` leaves extends that of `old`; 1 <= old <= size. */
enum err merkle_consistency(const struct merkle_source *s, uint64_t old, uint64_t size, struct merkle_proof *out);

/* False for any index, size or proof that do not fit each other; the numbers may be hostile. */
bool merkle_inclusion_holds(const struct merkle_proof *p, uint64_t index, uint64_t size,
    const uint8_t leaf_hash[SHA256_LEN], const uint8_t root[SHA256_LEN]);
bool merkle_consistency_holds(const struct merkle_proof *p, uint64_t old, uint64_t size,
    const uint8_t old_root[SHA256_LEN], const uint8_t root[SHA256_LEN]);

#endif
