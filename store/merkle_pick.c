#include <stdlib.h>
#include <string.h>

#include "store/merkle_pick.h"

static struct merkle_picked *
find(struct merkle_pick *p, unsigned level, uint64_t index)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->wanted[i].level == level && p->wanted[i].index == index)
			return &p->wanted[i];
	return NULL;
}

enum err
merkle_pick_node(void *arg, unsigned level, uint64_t index, uint8_t out[SHA256_LEN])
{
	struct merkle_pick *p = arg;
	const struct merkle_picked *known = find(p, level, index);

	if (known == NULL && !p->begun) {
		if (p->n == MERKLE_PICK_MAX)
			return ERR_INTERNAL;
		known = &p->wanted[p->n];
		p->wanted[p->n++] = (struct merkle_picked){ .level = level, .index = index };
	}
	if (known == NULL || (p->begun && !known->found))
		return ERR_NOT_FOUND;
	memcpy(out, known->hash, SHA256_LEN);
	return OK;
}

/* In the order in which they are completed: by their last leaf, then upwards. */
static int
by_completion(const void *a, const void *b)
{
	const struct merkle_picked *x = a, *y = b;
	uint64_t x_last = (x->index << x->level) + (1ULL << x->level) - 1;
	uint64_t y_last = (y->index << y->level) + (1ULL << y->level) - 1;

	if (x_last != y_last)
		return x_last < y_last ? -1 : 1;
	return x->level < y->level ? -1 : x->level > y->level;
}

static void
on_node(void *arg, unsigned level, uint64_t index, const uint8_t hash[SHA256_LEN])
{
	struct merkle_pick *p = arg;
	struct merkle_picked *next = &p->wanted[p->next];

	if (p->next == p->n || next->level != level || next->index != index)
		return;
	next->found = true;
	memcpy(next->hash, hash, SHA256_LEN);
	p->next++;
}

void
merkle_pick_add(struct merkle_pick *p, const uint8_t leaf_hash[SHA256_LEN])
{
	if (!p->begun)
		qsort(p->wanted, p->n, sizeof p->wanted[0], by_completion);
	p->begun = true;
	merkle_add_seen(&p->tree, leaf_hash, on_node, p);
}
