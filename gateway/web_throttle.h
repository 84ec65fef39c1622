/*
 * web_throttle: how long whoever tries passwords has to wait. After some
 * failures each one doubles the delay; no delay is for ever, and a try that
 * comes too early counts as none. A browser that has logged in before waits
 * for its own tries and for nobody else's: others behind the same address
 * (programs on this machine, all the world behind a tunnel) cannot shut the
 * owner out.
 */
#ifndef GATEWAY_WEB_THROTTLE_H
#define GATEWAY_WEB_THROTTLE_H

#include "escrow/hash.h"
#include "mailbox/clock.h"

#define WEB_THROTTLE_PEERS 256
#define WEB_THROTTLE_KNOWN 16  /* browsers; nobody makes one up */
#define WEB_KNOWN_BYTES    16

struct web_tries {
	uint8_t        who[SHA256_LEN]; /* hash of an address, or of what a browser is known by */
	unsigned       n;
	struct mono_ms last;
};

/* {0} has seen nobody. */
struct web_throttle {
	struct web_tries peers[WEB_THROTTLE_PEERS];
	struct web_tries known[WEB_THROTTLE_KNOWN];
	struct web_tries all;
};

struct web_who {
	struct span peer;
	bool        is_known;               /* the browser has logged in before */
	uint8_t     known[WEB_KNOWN_BYTES]; /* it, then */
};

/* How many milliseconds it must still wait; 0: it may try. */
uint64_t web_throttle_wait(struct web_throttle *t, const struct web_who *who, struct mono_ms now);

/* It tries. Counted before it is known what comes of it, so that many at once are no way around. */
void web_throttle_tried(struct web_throttle *t, const struct web_who *who, struct mono_ms now);

/* That was the password: what it tried is forgotten. */
void web_throttle_passed(struct web_throttle *t, const struct web_who *who);

#endif
