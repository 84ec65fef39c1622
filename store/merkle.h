/*
 * merkle: the tree hashes of RFC 6962, and the compact range from which the
 * root of a growing log follows: one hash for each perfect subtree. A node is
 * a perfect subtree: at level l, the index-th one covers the 2^l leaves from
 * index * 2^l on.
 * Source: RFC 6962, section 2.1.
 */
#ifndef STORE_MERKLE_H
#define STORE_MERKLE_H

#include "escrow/hash.h"

struct merkle {
	uint64_t size;                  /* leaves */
	uint8_t  peaks[64][SHA256_LEN]; /* peaks[i] covers 2^i leaves; in use where bit i of size is set */
};

void merkle_leaf(struct span leaf, uint8_t out[SHA256_LEN]);

/* The hash of a tree of its two halves. May be one of them. */
void merkle_join(const uint8_t left[SHA256_LEN], const uint8_t right[SHA256_LEN], uint8_t out[SHA256_LEN]);

/* Adds one leaf's hash. */
void merkle_add(struct merkle *m, const uint8_t leaf_hash[SHA256_LEN]);

/* The same, telling each node that it completes, from the leaf upwards. */
typedef void merkle_seen(void *arg, unsigned level, uint64_t index, const uint8_t hash[SHA256_LEN]);
void merkle_add_seen(struct merkle *m, const uint8_t leaf_hash[SHA256_LEN], merkle_seen *seen, void *arg);

/* The root; of no leaves, the hash of nothing. */
void merkle_root(const struct merkle *m, uint8_t out[SHA256_LEN]);

#endif
