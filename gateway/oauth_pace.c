#include <string.h>

#include "gateway/oauth_pace.h"

#define COST           1000u
#define PEER_EARNS_MS  1u /* thousandths in a millisecond */
#define ALL_EARNS_MS   20u

static void
earn(struct oauth_credit *c, unsigned earns, unsigned burst, struct mono_ms now)
{
	uint64_t most = (uint64_t)burst * COST;

	if (c->last.ms == 0 || now.ms - c->last.ms >= most / earns)
		c->credit = most;
	else
		c->credit += (now.ms - c->last.ms) * earns;
	if (c->credit > most)
		c->credit = most;
	c->last = now;
}

/* Its entry, or that of whoever came longest ago. */
static struct oauth_credit *
find(struct oauth_pace *p, struct span peer)
{
	uint8_t hash[SHA256_LEN];
	struct oauth_credit *oldest = &p->peers[0];

	sha256(peer.p, peer.len, hash);
	for (size_t i = 0; i < OAUTH_PACE_PEERS; i++) {
		struct oauth_credit *c = &p->peers[i];

		if (c->last.ms != 0 && memcmp(c->peer, hash, SHA256_LEN) == 0)
			return c;
		if (c->last.ms < oldest->last.ms)
			oldest = c;
	}
	memset(oldest, 0, sizeof *oldest);
	memcpy(oldest->peer, hash, SHA256_LEN);
	return oldest;
}

bool
oauth_pace_take(struct oauth_pace *p, struct span peer, struct mono_ms now)
{
	struct oauth_credit *own = find(p, peer);

	earn(own, PEER_EARNS_MS, OAUTH_PACE_PEER_BURST, now);
	earn(&p->all, ALL_EARNS_MS, OAUTH_PACE_ALL_BURST, now);
	if (own->credit < COST || p->all.credit < COST)
		return false;
	own->credit -= COST;
	p->all.credit -= COST;
	return true;
}
