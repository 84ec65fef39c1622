#include <string.h>

#include "actors/head.h"

struct head_body
head_to_body(const struct log_head *h)
{
	struct head_body b = { .repairs = h->repairs, .size = h->size };

	memcpy(b.root, h->root, sizeof b.root);
	return b;
}

struct log_head
head_from_body(const struct head_body *b)
{
	struct log_head h = { .repairs = b->repairs, .size = b->size };

	memcpy(h.root, b->root, sizeof h.root);
	return h;
}
