#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "escrow/secret.h"
#include "store/search_memory.h"

#define PAGE       ((size_t)4096)
#define CHUNK_MIN  ((size_t)64 << 10)
#define CHUNK_MAX  ((size_t)1 << 20)
#define STEP       ((size_t)16)
#define SMALL_MAX  ((size_t)1024)   /* up to here each multiple of STEP has a list */
#define LARGE_MIN  ((size_t)32 << 10) /* from here on each has a mapping of its own */
#define N_LISTS    (SMALL_MAX / STEP + 1 + 20) /* and four between each power of two and the next */

struct chunk {
	struct chunk *next;
	struct chunk *previous;
	size_t        size;
	size_t        used;
	bool          locked;
};

#define CHUNK_HEAD ((sizeof(struct chunk) + STEP - 1) / STEP * STEP)

/* What was given back: nothing in it but this. */
struct hole {
	struct hole *next;
};

struct search_memory {
	struct search_bill *bill;
	bool                lock;
	struct chunk       *chunks; /* the first is the one being filled, unless it is a large one */
	struct chunk       *open;
	size_t              total;
	struct hole        *holes[N_LISTS];
};

struct search_memory *
search_memory_new(struct search_bill *bill, bool lock)
{
	struct search_memory *m = calloc(1, sizeof *m);

	if (m == NULL)
		return NULL;
	m->bill = bill;
	m->lock = lock;
	return m;
}

static struct chunk *
map(struct search_memory *m, size_t size)
{
	struct chunk *c;
	void *p;

	if (m->bill->max != 0 && (size > m->bill->max || m->bill->bytes > m->bill->max - size))
		return NULL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, size, MADV_DONTDUMP);
	(void)madvise(p, size, MADV_DONTFORK);
	c = p;
	c->size = size;
	c->used = CHUNK_HEAD;
	c->locked = m->lock && mlock(p, size) == 0;
	if (m->chunks != NULL)
		m->chunks->previous = c;
	c->next = m->chunks;
	m->chunks = c;
	m->total += size;
	m->bill->bytes += size;
	m->bill->locked += c->locked ? size : 0;
	return c;
}

static void
unmap(struct search_memory *m, struct chunk *c)
{
	size_t size = c->size;

	if (c->previous != NULL)
		c->previous->next = c->next;
	else
		m->chunks = c->next;
	if (c->next != NULL)
		c->next->previous = c->previous;
	m->total -= size;
	m->bill->bytes -= size;
	m->bill->locked -= c->locked ? size : 0;
	wipe(c, c->used);
	(void)munmap(c, size);
}

void
search_memory_free(struct search_memory **m)
{
	if (*m == NULL)
		return;
	while ((*m)->chunks != NULL)
		unmap(*m, (*m)->chunks);
	free(*m);
	*m = NULL;
}

/* Rounds up to what is really taken, and says which list that is. */
static size_t
rounded(size_t len, size_t *list)
{
	size_t step = SMALL_MAX / 4, base = SMALL_MAX;

	if (len <= SMALL_MAX) {
		*list = (len + STEP - 1) / STEP;
		return *list * STEP;
	}
	*list = SMALL_MAX / STEP + 1;
	while (len > base + 4 * step) {
		base *= 2;
		step *= 2;
		*list += 4;
	}
	*list += (len - base - 1) / step;
	return base + ((len - base - 1) / step + 1) * step;
}

static size_t
large_size(size_t len)
{
	return (len + CHUNK_HEAD + PAGE - 1) / PAGE * PAGE;
}

static void *
take_large(struct search_memory *m, size_t len)
{
	struct chunk *c;

	if (len > SIZE_MAX / 2 || (c = map(m, large_size(len))) == NULL)
		return NULL;
	c->used = CHUNK_HEAD + len;
	return (uint8_t *)c + CHUNK_HEAD;
}

static struct chunk *
with_room(struct search_memory *m, size_t size)
{
	size_t want = CHUNK_MIN;

	if (m->open != NULL && m->open->size - m->open->used >= size)
		return m->open;
	while (want < CHUNK_MAX && want < m->total / 4)
		want *= 2;
	return m->open = map(m, want);
}

void *
search_memory_take(struct search_memory *m, size_t len)
{
	struct chunk *c;
	struct hole *h;
	size_t list, size;
	uint8_t *p;

	if (len > LARGE_MIN)
		return take_large(m, len);
	size = rounded(len, &list);
	if ((h = m->holes[list]) != NULL) {
		m->holes[list] = h->next;
		h->next = NULL;
		return h;
	}
	if ((c = with_room(m, size)) == NULL)
		return NULL;
	p = (uint8_t *)c + c->used;
	c->used += size;
	return p;
}

void
search_memory_give(struct search_memory *m, void *p, size_t len)
{
	struct hole *h = p;
	size_t list;

	if (p == NULL)
		return;
	if (len > LARGE_MIN) {
		unmap(m, (struct chunk *)(void *)((uint8_t *)p - CHUNK_HEAD));
		return;
	}
	wipe(p, len);
	(void)rounded(len, &list);
	h->next = m->holes[list];
	m->holes[list] = h;
}

void *
search_memory_grow(struct search_memory *m, void *p, size_t len, size_t new_len)
{
	void *grown = search_memory_take(m, new_len);

	if (grown == NULL)
		return NULL;
	if (len > 0)
		memcpy(grown, p, len);
	search_memory_give(m, p, len);
	return grown;
}
