/*
 * web_sessions: who has logged in on the pages. In memory alone: a restart or a
 * lock ends them all. A session is known by the hash of its cookie.
 */
#ifndef GATEWAY_WEB_SESSIONS_H
#define GATEWAY_WEB_SESSIONS_H

#include "escrow/hash.h"
#include "mailbox/clock.h"

#define WEB_SESSIONS_MAX     64        /* past it the one that was used longest ago goes */
#define WEB_SESSION_IDLE_MS  1800000u
#define WEB_SESSION_MAX_MS   43200000u
#define WEB_SESSION_FRESH_MS 900000u   /* consent needs a login not older than that */

struct web_session {
	uint8_t        cookie[SHA256_LEN];
	bool           lives;
	struct mono_ms since; /* the login */
	struct mono_ms last;
};

/* {0} has none. */
struct web_sessions {
	struct web_session at[WEB_SESSIONS_MAX];
};

void web_sessions_add(struct web_sessions *s, const uint8_t cookie[SHA256_LEN], struct mono_ms now);

/* NULL: there is none, or it is over. One that is found counts as used now. */
const struct web_session *web_sessions_find(struct web_sessions *s, const uint8_t cookie[SHA256_LEN],
    struct mono_ms now);

bool web_session_is_fresh(const struct web_session *s, struct mono_ms now);
void web_sessions_end(struct web_sessions *s, const uint8_t cookie[SHA256_LEN]);
void web_sessions_end_all(struct web_sessions *s);

#endif
