/*
 * web_throttle: how long whoever tries passwords has to wait. After some
 * failures each one doubles the delay; no delay is for ever, and a try that
 * comes too early counts as none, so nobody can shut the owner out. A browser
 * that has logged in before waits for its own address alone.
 */
#ifndef GATEWAY_WEB_THROTTLE_H
#define GATEWAY_WEB_THROTTLE_H

#include "escrow/hash.h"
#include "mailbox/clock.h"

#define WEB_THROTTLE_PEERS 256

struct web_tries {
	uint8_t        peer[SHA256_LEN]; /* hash of an address */
	unsigned       n;
	struct mono_ms last;
};

/* {0} has seen nobody. */
struct web_throttle {
	struct web_tries peers[WEB_THROTTLE_PEERS];
	struct web_tries all;
};

/* How many milliseconds it must still wait; 0: it may try. */
uint64_t web_throttle_wait(const struct web_throttle *t, struct span peer, bool is_known_browser, struct mono_ms now);

/* It tries. Counted before it is known what comes of it, so that many at once are no way around. */
void web_throttle_tried(struct web_throttle *t, struct span peer, struct mono_ms now);

/* That was the password: what this address tried is forgotten. */
void web_throttle_passed(struct web_throttle *t, struct span peer);

#endif
