/*
 * sudo: which terminals gave the password again in the last five minutes. A
 * ticket is for one user, session, terminal and start of the session's leader;
 * a program run in the same terminal shares it. In memory only.
 */
#ifndef ACTORS_SUDO_H
#define ACTORS_SUDO_H

#include "mailbox/clock.h"
#include "mailbox/protocol.h"

#define SUDO_TICKETS_MAX 32
#define SUDO_MS          (5u * 60 * 1000)

struct sudo {
	struct {
		struct peer_body peer;
		struct mono_ms   until; /* 0: empty */
	} tickets[SUDO_TICKETS_MAX];
};

/* ERR_TERMINAL_REQUIRED: the peer has no terminal. The oldest ticket gives way. */
enum err sudo_give(struct sudo *s, const struct peer_body *peer, struct mono_ms now);
bool     sudo_has(const struct sudo *s, const struct peer_body *peer, struct mono_ms now);
void     sudo_end(struct sudo *s, const struct peer_body *peer);
void     sudo_end_all(struct sudo *s);

#endif
