#include <string.h>

#include "gateway/web_throttle.h"

#define FORGET_MS 3600000u

/* Failures that cost nothing, and the longest delay. */
#define PEER_FREE   5
#define PEER_MAX_MS 900000u
#define ALL_FREE    20
#define ALL_MAX_MS  60000u

static void
hash_of(struct span peer, uint8_t out[SHA256_LEN])
{
	sha256(peer.p, peer.len, out);
}

static uint64_t
wait_of(const struct web_tries *e, unsigned free_tries, uint64_t max_ms, struct mono_ms now)
{
	uint64_t delay, since = now.ms - e->last.ms;
	unsigned over;

	if (e->n < free_tries || since >= FORGET_MS)
		return 0;
	over = e->n - free_tries;
	delay = over > 20 ? max_ms : (uint64_t)1000 << over;
	if (delay > max_ms)
		delay = max_ms;
	return since >= delay ? 0 : delay - since;
}

static const struct web_tries *
find(const struct web_throttle *t, const uint8_t peer[SHA256_LEN])
{
	for (size_t i = 0; i < WEB_THROTTLE_PEERS; i++)
		if (t->peers[i].n > 0 && memcmp(t->peers[i].peer, peer, SHA256_LEN) == 0)
			return &t->peers[i];
	return NULL;
}

uint64_t
web_throttle_wait(const struct web_throttle *t, struct span peer, bool is_known_browser, struct mono_ms now)
{
	uint8_t hash[SHA256_LEN];
	const struct web_tries *e;
	uint64_t own, all;

	hash_of(peer, hash);
	e = find(t, hash);
	own = e == NULL ? 0 : wait_of(e, PEER_FREE, PEER_MAX_MS, now);
	all = is_known_browser ? 0 : wait_of(&t->all, ALL_FREE, ALL_MAX_MS, now);
	return own > all ? own : all;
}

/* Its entry, or that of whoever tried longest ago. */
static struct web_tries *
take(struct web_throttle *t, const uint8_t peer[SHA256_LEN])
{
	struct web_tries *oldest = &t->peers[0];

	for (size_t i = 0; i < WEB_THROTTLE_PEERS; i++) {
		struct web_tries *e = &t->peers[i];

		if (e->n > 0 && memcmp(e->peer, peer, SHA256_LEN) == 0)
			return e;
		if (oldest->n > 0 && (e->n == 0 || e->last.ms < oldest->last.ms))
			oldest = e;
	}
	oldest->n = 0;
	memcpy(oldest->peer, peer, SHA256_LEN);
	return oldest;
}

static void
count(struct web_tries *e, struct mono_ms now)
{
	if (now.ms - e->last.ms >= FORGET_MS)
		e->n = 0;
	e->n++;
	e->last = now;
}

void
web_throttle_tried(struct web_throttle *t, struct span peer, struct mono_ms now)
{
	uint8_t hash[SHA256_LEN];

	hash_of(peer, hash);
	count(take(t, hash), now);
	count(&t->all, now);
}

void
web_throttle_passed(struct web_throttle *t, struct span peer)
{
	uint8_t hash[SHA256_LEN];

	hash_of(peer, hash);
	for (size_t i = 0; i < WEB_THROTTLE_PEERS; i++)
		if (memcmp(t->peers[i].peer, hash, SHA256_LEN) == 0)
			t->peers[i].n = 0;
	if (t->all.n > 0)
		t->all.n--;
}
