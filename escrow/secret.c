#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "escrow/secret.h"

#define SLAB_KEYS 1024
#define SECRET_MAX ((size_t)16 << 20)

/* The slab is the process's, as locked memory is; everything else has an owner. */
static struct {
	pthread_mutex_t lock;
	struct key     *keys;
	uint16_t        free[SLAB_KEYS];
	size_t          n_free;
} slab = { .lock = PTHREAD_MUTEX_INITIALIZER };

enum err
secret_init(bool allow_unlocked)
{
	size_t size = SLAB_KEYS * sizeof(struct key);
	void *p;

	if (slab.keys != NULL)
		return OK;
	if (sodium_init() < 0)
		return ERR_UNSUPPORTED;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return ERR_NO_MEMORY;
	if (mlock(p, size) != 0 && !allow_unlocked) {
		munmap(p, size);
		return ERR_UNSUPPORTED;
	}
	(void)madvise(p, size, MADV_DONTDUMP);
	(void)madvise(p, size, MADV_WIPEONFORK);
	slab.keys = p;
	for (size_t i = 0; i < SLAB_KEYS; i++)
		slab.free[i] = (uint16_t)(SLAB_KEYS - 1 - i);
	slab.n_free = SLAB_KEYS;
	return OK;
}

enum err
key_new(struct key **out)
{
	enum err e = ERR_NO_MEMORY;

	pthread_mutex_lock(&slab.lock);
	if (slab.n_free > 0) {
		*out = &slab.keys[slab.free[--slab.n_free]];
		e = OK;
	}
	pthread_mutex_unlock(&slab.lock);
	return e;
}

enum err
key_of(const uint8_t bytes[KEY_LEN], struct key **out)
{
	enum err e = key_new(out);

	if (e == OK)
		memcpy((*out)->b, bytes, KEY_LEN);
	return e;
}

void
key_free(struct key **k)
{
	if (*k == NULL)
		return;
	wipe(*k, sizeof **k);
	pthread_mutex_lock(&slab.lock);
	slab.free[slab.n_free++] = (uint16_t)(*k - slab.keys);
	pthread_mutex_unlock(&slab.lock);
	*k = NULL;
}

struct secret {
	size_t  len;
	size_t  cap;
	uint8_t b[];
};

enum err
secret_new(size_t len, struct secret **out)
{
	struct secret *s;

	if (len > SECRET_MAX || (s = calloc(1, sizeof *s + len)) == NULL)
		return ERR_NO_MEMORY;
	s->len = s->cap = len;
	*out = s;
	return OK;
}

void
secret_free(struct secret **s)
{
	if (*s == NULL)
		return;
	wipe((*s)->b, (*s)->cap);
	free(*s);
	*s = NULL;
}

uint8_t *
secret_bytes(struct secret *s)
{
	return s->b;
}

const uint8_t *
secret_view(const struct secret *s)
{
	return s->b;
}

size_t
secret_len(const struct secret *s)
{
	return s->len;
}

struct span
secret_span(const struct secret *s)
{
	return (struct span){ s->b, s->len };
}

void
secret_cut(struct secret *s, size_t len)
{
	wipe(s->b + len, s->len - len);
	s->len = len;
}

void
wipe(void *p, size_t len)
{
	sodium_memzero(p, len);
}

bool
same_bytes(const void *a, const void *b, size_t len)
{
	return sodium_memcmp(a, b, len) == 0;
}
