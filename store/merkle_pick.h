/*
 * merkle_pick: the nodes that a proof needs, picked while the leaves of a log
 * pass by once: first the proof is made from nodes that are only noted, then
 * the leaves are added, then it is made again from what was picked.
 */
#ifndef STORE_MERKLE_PICK_H
#define STORE_MERKLE_PICK_H

#include "store/merkle_proof.h"

#define MERKLE_PICK_MAX 400 /* more than the nodes of a proof, its roots included, in a tree of 2^64 leaves */

struct merkle_picked {
	unsigned level;
	uint64_t index;
	bool     found;
	uint8_t  hash[SHA256_LEN];
};

struct merkle_pick { /* all zero to begin with */
	struct merkle        tree;  /* of the leaves so far */
	bool                 begun; /* nothing more can be noted */
	size_t               n;
	size_t               next;  /* the first that was not found yet */
	struct merkle_picked wanted[MERKLE_PICK_MAX];
};

/*
 * A merkle_source's node(); arg is a struct merkle_pick. Before the first
 * leaf: notes the node and gives zeros; ERR_INTERNAL for too many. Afterwards:
 * what was found; ERR_NOT_FOUND for what was not noted or did not pass.
 */
enum err merkle_pick_node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN]);

void merkle_pick_add(struct merkle_pick *p, const uint8_t leaf_hash[SHA256_LEN]);

#endif
