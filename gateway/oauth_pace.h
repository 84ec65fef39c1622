/*
 * oauth_pace: how often clients may register. A registration is kept nowhere
 * and costs little, so this bounds work and nothing else: an address has a pace
 * of its own, which many assistants behind it can live with, and all together
 * have a wider one. Nobody who registers all day keeps others from it.
 */
#ifndef GATEWAY_OAUTH_PACE_H
#define GATEWAY_OAUTH_PACE_H

#include "escrow/hash.h"
#include "mailbox/clock.h"

#define OAUTH_PACE_PEERS       128
#define OAUTH_PACE_PEER_BURST  20  /* then one a second */
#define OAUTH_PACE_ALL_BURST   200 /* then twenty a second */

struct oauth_credit {
	uint8_t        peer[SHA256_LEN]; /* hash of an address */
	uint64_t       credit;           /* in thousandths of a registration */
	struct mono_ms last;             /* 0: nobody's */
};

/* {0} has seen nobody. */
struct oauth_pace {
	struct oauth_credit peers[OAUTH_PACE_PEERS];
	struct oauth_credit all;
};

/* Whether that address may register now; then it counts. */
bool oauth_pace_take(struct oauth_pace *p, struct span peer, struct mono_ms now);

#endif
