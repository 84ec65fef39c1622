#include <stdlib.h>
#include <string.h>

#include "actors/http_peers.h"
#include "escrow/random.h"

#define BUCKETS 1024

struct http_peer {
	struct http_peer   *next;
	struct http_address address;
	unsigned            n;
	size_t              bucket;
};

struct http_peers {
	uint32_t          salt;
	struct http_peer *buckets[BUCKETS];
};

enum err
http_peers_new(struct http_peers **out)
{
	struct http_peers *p = calloc(1, sizeof *p);

	if (p == NULL)
		return ERR_NO_MEMORY;
	random_bytes(&p->salt, sizeof p->salt);
	*out = p;
	return OK;
}

void
http_peers_free(struct http_peers **p)
{
	if (*p == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while ((*p)->buckets[i] != NULL) {
			struct http_peer *one = (*p)->buckets[i];

			(*p)->buckets[i] = one->next;
			free(one);
		}
	free(*p);
	*p = NULL;
}

static size_t
bucket_of(const struct http_peers *p, const struct http_address *a)
{
	uint32_t h = 2166136261u ^ p->salt;

	for (size_t i = 0; i < sizeof a->b; i++)
		h = (h ^ a->b[i]) * 16777619u;
	return (h ^ h >> 16) % BUCKETS;
}

enum err
http_peers_add(struct http_peers *p, const struct http_address *a, unsigned max, struct http_peer **out)
{
	struct http_address key = http_address_party(a);
	struct http_peer *one;
	size_t bucket;

	bucket = bucket_of(p, &key);
	one = p->buckets[bucket];
	while (one != NULL && memcmp(&one->address, &key, sizeof key) != 0)
		one = one->next;
	if (one != NULL && one->n >= max)
		return ERR_BUSY;
	if (one == NULL) {
		if ((one = calloc(1, sizeof *one)) == NULL)
			return ERR_NO_MEMORY;
		one->address = key;
		one->bucket = bucket;
		one->next = p->buckets[bucket];
		p->buckets[bucket] = one;
	}
	one->n++;
	*out = one;
	return OK;
}

void
http_peers_remove(struct http_peers *p, struct http_peer *peer)
{
	struct http_peer **at = &p->buckets[peer->bucket];

	if (--peer->n > 0)
		return;
	while (*at != peer)
		at = &(*at)->next;
	*at = peer->next;
	free(peer);
}
