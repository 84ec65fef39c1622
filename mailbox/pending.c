#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "mailbox/pending.h"

#define NONE UINT32_MAX

/*
 * A hash table of slot numbers for find, a binary heap of slot numbers by
 * deadline for expire. A slot's memory never moves, so a value's pointer is
 * good until its ask ends.
 */
struct slot {
	uint64_t       ask_id;
	struct mono_ms deadline;
	uint32_t       heap_at;
	uint32_t       next_free;
};

struct pending {
	size_t       max;
	size_t       n;
	size_t       value_size;
	size_t       stride;
	size_t       mask; /* of the table, whose size is a power of two */
	uint32_t     first_free;
	struct slot *slots;
	uint8_t     *values;
	uint32_t    *table;
	uint32_t    *heap;
};

static size_t
table_size(size_t max)
{
	size_t size = 4;

	while (size < max * 2)
		size *= 2;
	return size;
}

enum err
pending_new(size_t max, size_t value_size, struct pending **out)
{
	size_t align = alignof(max_align_t);
	size_t size = table_size(max);
	struct pending *p;

	if (max >= NONE / 4 || (p = calloc(1, sizeof *p)) == NULL)
		return ERR_NO_MEMORY;
	p->max = max;
	p->value_size = value_size;
	p->stride = (value_size + align - 1) / align * align;
	p->mask = size - 1;
	p->slots = calloc(max + 1, sizeof *p->slots);
	p->values = calloc(max + 1, p->stride + align);
	p->table = malloc(size * sizeof *p->table);
	p->heap = calloc(max + 1, sizeof *p->heap);
	if (p->slots == NULL || p->values == NULL || p->table == NULL || p->heap == NULL) {
		pending_free(&p);
		return ERR_NO_MEMORY;
	}
	memset(p->table, 0xff, size * sizeof *p->table);
	for (size_t i = 0; i < max; i++)
		p->slots[i].next_free = i + 1 < max ? (uint32_t)(i + 1) : NONE;
	p->first_free = max > 0 ? 0 : NONE;
	*out = p;
	return OK;
}

void
pending_free(struct pending **p)
{
	if (*p == NULL)
		return;
	free((*p)->slots);
	free((*p)->values);
	free((*p)->table);
	free((*p)->heap);
	free(*p);
	*p = NULL;
}

static size_t
home_of(const struct pending *p, uint64_t ask_id)
{
	/* Fibonacci hashing: ids are counted up, so the high bits must do the work. */
	return (size_t)((ask_id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & p->mask;
}

/* Where the id stands in the table, or where it would go. */
static size_t
place_of(const struct pending *p, uint64_t ask_id)
{
	size_t i = home_of(p, ask_id);

	while (p->table[i] != NONE && p->slots[p->table[i]].ask_id != ask_id)
		i = (i + 1) & p->mask;
	return i;
}

/* Closes the hole that a removal leaves: linear probing stops at holes. */
static void
table_remove(struct pending *p, size_t hole)
{
	size_t i = hole;

	for (;;) {
		size_t home;

		i = (i + 1) & p->mask;
		if (p->table[i] == NONE)
			break;
		home = home_of(p, p->slots[p->table[i]].ask_id);
		if (((i - home) & p->mask) >= ((i - hole) & p->mask)) {
			p->table[hole] = p->table[i];
			hole = i;
		}
	}
	p->table[hole] = NONE;
}

static bool
is_before(const struct pending *p, uint32_t a, uint32_t b)
{
	return p->slots[a].deadline.ms < p->slots[b].deadline.ms;
}

static void
heap_set(struct pending *p, size_t at, uint32_t slot)
{
	p->heap[at] = slot;
	p->slots[slot].heap_at = (uint32_t)at;
}

static void
heap_up(struct pending *p, size_t at)
{
	uint32_t slot = p->heap[at];

	while (at > 0 && is_before(p, slot, p->heap[(at - 1) / 2])) {
		heap_set(p, at, p->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_set(p, at, slot);
}

static void
heap_down(struct pending *p, size_t at)
{
	uint32_t slot = p->heap[at];
	size_t child;

	while ((child = 2 * at + 1) < p->n) {
		if (child + 1 < p->n && is_before(p, p->heap[child + 1], p->heap[child]))
			child++;
		if (!is_before(p, p->heap[child], slot))
			break;
		heap_set(p, at, p->heap[child]);
		at = child;
	}
	heap_set(p, at, slot);
}

enum err
pending_add(struct pending *p, uint64_t ask_id, struct mono_ms deadline, void **value)
{
	size_t place = place_of(p, ask_id);
	uint32_t slot = p->first_free;

	if (p->table[place] != NONE)
		return ERR_INTERNAL;
	if (slot == NONE)
		return ERR_BUSY;
	p->first_free = p->slots[slot].next_free;
	p->slots[slot].ask_id = ask_id;
	p->slots[slot].deadline = deadline;
	p->table[place] = slot;
	heap_set(p, p->n, slot);
	heap_up(p, p->n++);
	*value = p->values + slot * p->stride;
	memset(*value, 0, p->value_size);
	return OK;
}

void *
pending_find(const struct pending *p, uint64_t ask_id)
{
	uint32_t slot = p->table[place_of(p, ask_id)];

	return slot != NONE ? p->values + slot * p->stride : NULL;
}

/* Takes the slot out of table and heap; its memory is not given away yet. */
static void
take_out(struct pending *p, uint32_t slot)
{
	size_t at = p->slots[slot].heap_at;

	table_remove(p, place_of(p, p->slots[slot].ask_id));
	p->n--;
	if (at == p->n)
		return;
	heap_set(p, at, p->heap[p->n]);
	heap_up(p, at);
	heap_down(p, at);
}

static void
give_back(struct pending *p, uint32_t slot)
{
	p->slots[slot].next_free = p->first_free;
	p->first_free = slot;
}

bool
pending_end(struct pending *p, uint64_t ask_id)
{
	uint32_t slot = p->table[place_of(p, ask_id)];

	if (slot == NONE)
		return false;
	take_out(p, slot);
	give_back(p, slot);
	return true;
}

/* Ends the one at that place of the heap. */
static void
end_at(struct pending *p, size_t at, void (*each)(void *arg, uint64_t ask_id, void *value), void *arg)
{
	uint32_t slot = p->heap[at];

	take_out(p, slot);
	each(arg, p->slots[slot].ask_id, p->values + slot * p->stride);
	give_back(p, slot);
}

void
pending_expire(struct pending *p, struct mono_ms now,
    void (*each)(void *arg, uint64_t ask_id, void *value), void *arg)
{
	while (p->n > 0 && p->slots[p->heap[0]].deadline.ms <= now.ms)
		end_at(p, 0, each, arg);
}

void
pending_fail_all(struct pending *p,
    void (*each)(void *arg, uint64_t ask_id, void *value), void *arg)
{
	while (p->n > 0)
		end_at(p, 0, each, arg);
}

void
pending_fail_some(struct pending *p, bool (*waits)(const void *arg, const void *value),
    void (*each)(void *arg, uint64_t ask_id, void *value), void *arg)
{
	size_t at = 0;

	/* Ending one moves others about, also to places that were looked at. */
	while (at < p->n)
		if (waits(arg, p->values + p->heap[at] * p->stride)) {
			end_at(p, at, each, arg);
			at = 0;
		} else {
			at++;
		}
}

size_t
pending_count(const struct pending *p)
{
	return p->n;
}

struct mono_ms
pending_next(const struct pending *p)
{
	return p->n > 0 ? p->slots[p->heap[0]].deadline : (struct mono_ms){ 0 };
}
