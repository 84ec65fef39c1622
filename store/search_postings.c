#include <string.h>

#include "escrow/secret.h"
#include "store/search_postings.h"

#define BLOCK_HEAD offsetof(struct search_block, bytes)
#define BLOCK_MIN  ((size_t)32)
#define BLOCK_MAX  ((size_t)4096)

static uint32_t
varint_len(uint32_t v)
{
	return v < 1U << 7 ? 1 : v < 1U << 14 ? 2 : v < 1U << 21 ? 3 : v < 1U << 28 ? 4 : 5;
}

static uint8_t *
put(uint8_t *p, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static const uint8_t *
take(const uint8_t *p, uint32_t *v)
{
	uint32_t sum = *p & 0x7f;

	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		sum |= (uint32_t)(*p & 0x7f) << shift;
	*v = sum;
	return p;
}

static size_t
places_len(const struct search_posting *p)
{
	size_t len = 0;
	uint32_t before = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		len += varint_len(p->positions[i] - before);
		before = p->positions[i];
	}
	return len;
}

/* The block that has room for len bytes more: the last, or a new one. */
static struct search_block *
with_room(struct search_memory *m, struct search_postings *list, size_t len)
{
	struct search_block *b = list->last;
	size_t size = BLOCK_MIN;

	if (b != NULL && b->cap - b->len >= len)
		return b;
	if (b != NULL && (size = 2 * (b->cap + BLOCK_HEAD)) > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < BLOCK_HEAD + len)
		size = BLOCK_HEAD + len;
	if ((b = search_memory_take(m, size)) == NULL)
		return NULL;
	b->cap = (uint32_t)(size - BLOCK_HEAD);
	b->base = list->last_doc;
	if (list->last == NULL)
		list->first = b;
	else
		list->last->next = b;
	return list->last = b;
}

bool
search_postings_add(struct search_memory *m, struct search_postings *list, const struct search_posting *p)
{
	uint32_t delta = p->doc - list->last_doc, head = p->n << 1 | p->in_title, before = 0;
	size_t n_places = p->positions == NULL ? 0 : places_len(p);
	struct search_block *b;
	uint8_t *to;

	b = with_room(m, list, varint_len(delta) + varint_len(head) + (p->n > 1 ? 5 : 0) + n_places);
	if (b == NULL)
		return false;
	to = put(put(b->bytes + b->len, delta), head);
	if (p->positions != NULL && p->n > 1)
		to = put(to, (uint32_t)n_places);
	for (uint32_t i = 0; p->positions != NULL && i < p->n; i++) {
		to = put(to, p->positions[i] - before);
		before = p->positions[i];
	}
	b->len = (uint32_t)(to - b->bytes);
	list->last_doc = p->doc;
	list->n_docs++;
	return true;
}

void
search_cursor_start(struct search_cursor *c, const struct search_postings *list, bool has_positions)
{
	*c = (struct search_cursor){ .block = list->first, .has_positions = has_positions };
	if (c->block != NULL)
		c->doc = c->block->base;
}

bool
search_cursor_next(struct search_cursor *c)
{
	const uint8_t *p;
	uint32_t v;

	while (c->block != NULL && c->at == c->block->len) {
		if ((c->block = c->block->next) != NULL)
			c->doc = c->block->base;
		c->at = 0;
	}
	if (c->block == NULL)
		return false;
	p = take(c->block->bytes + c->at, &v);
	c->doc += v;
	p = take(p, &v);
	c->n = v >> 1;
	c->in_title = v & 1;
	c->places = (struct span){ p, 0 };
	if (c->has_positions && c->n == 1) {
		c->places.len = (size_t)(take(p, &v) - p);
	} else if (c->has_positions) {
		c->places.p = take(p, &v);
		c->places.len = v;
	}
	c->at = (uint32_t)(c->places.p + c->places.len - c->block->bytes);
	return true;
}

bool
search_cursor_seek(struct search_cursor *c, uint32_t doc)
{
	if (c->n > 0 && c->doc >= doc)
		return true;
	while (c->block != NULL && c->block->next != NULL && c->block->next->base < doc) {
		c->block = c->block->next;
		c->doc = c->block->base;
		c->at = 0;
	}
	while (search_cursor_next(c))
		if (c->doc >= doc)
			return true;
	return false;
}

void
search_places_start(struct search_places *p, const struct search_cursor *c)
{
	*p = (struct search_places){ .left = c->places };
}

bool
search_places_next(struct search_places *p)
{
	const uint8_t *next;
	uint32_t v;

	if (p->left.len == 0)
		return false;
	next = take(p->left.p, &v);
	p->left.len -= (size_t)(next - p->left.p);
	p->left.p = next;
	p->position += v;
	return true;
}

/* Cuts out the bytes from..to, one document's, which stood `gone` after the one before it; what follows counts from that. */
static void
cut(struct search_block *b, uint32_t from, uint32_t to, uint32_t gone)
{
	uint32_t delta, kept;
	uint8_t *end;

	if (to < b->len) {
		kept = (uint32_t)(take(b->bytes + to, &delta) - b->bytes);
		end = put(b->bytes + from, delta + gone);
		memmove(end, b->bytes + kept, b->len - kept);
		end += b->len - kept;
	} else {
		end = b->bytes + from;
	}
	wipe(end, (size_t)(b->bytes + b->len - end));
	b->len = (uint32_t)(end - b->bytes);
}

static void
unlink_block(struct search_memory *m, struct search_postings *list, struct search_block *b, struct search_block *previous)
{
	if (previous == NULL)
		list->first = b->next;
	else
		previous->next = b->next;
	if (b->next == NULL)
		list->last = previous;
	search_memory_give(m, b, BLOCK_HEAD + b->cap);
}

void
search_postings_remove(struct search_memory *m, struct search_postings *list, uint32_t doc, bool has_positions)
{
	struct search_block *b = list->first, *previous = NULL;
	struct search_cursor c = { .has_positions = has_positions };
	uint32_t from = 0, before;

	for (; b != NULL && b->next != NULL && b->next->base < doc; b = b->next)
		previous = b;
	if (b == NULL)
		return;
	c.block = b;
	for (c.doc = before = b->base; c.at < b->len && search_cursor_next(&c) && c.doc < doc; before = c.doc)
		from = c.at;
	if (c.doc != doc || c.n == 0)
		return;
	if (c.at == b->len && b == list->last)
		list->last_doc = before;
	cut(b, from, c.at, doc - before);
	if (--list->n_docs == 0)
		while (list->first != NULL)
			unlink_block(m, list, list->first, NULL);
	else if (b->len == 0 && b != list->last)
		unlink_block(m, list, b, previous);
	if (list->first == NULL)
		*list = (struct search_postings){ .first = NULL };
}
