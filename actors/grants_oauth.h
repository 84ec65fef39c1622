/*
 * grants_oauth: what grants is to OAuth: connections and their tokens, for the
 * pages and the endpoint of HTTP; a part of the grants actor's state. All of it
 * works only while the endpoint serves, but for what the owner takes away.
 *
 * Tokens live by a clock that only goes forward (store/moment.h).
 */
#ifndef ACTORS_GRANTS_OAUTH_H
#define ACTORS_GRANTS_OAUTH_H

#include "mailbox/actor.h"
#include "store/grants_db_tokens.h"

struct grants;

#define CONSENTS_MAX 16 /* that wait for the log */

/* A consent that waits until its record is durable. */
struct consent_waiting {
	uint64_t                  event;  /* the ask of its record */
	uint64_t                  ask_id; /* HTTP's */
	struct mono_ms            ends;
	bool                      goes_on; /* with a connection of before */
	struct connection_consent c;      /* its texts are these: */
	uint8_t                   name[CONNECTION_NAME_MAX];
	uint8_t                   redirect[CONNECTION_REDIRECT_MAX];
};

struct grants_oauth {
	struct moment           last;   /* that was looked at */
	struct forward_ms       issued; /* tokens were, last; 0: not since the start */
	struct consent_waiting *consents[CONSENTS_MAX]; /* owned */
	struct tidy_place       tidy;
	struct mono_ms          tidies; /* when it is tidied next; 0: there never was a connection */
	struct mono_ms          keeps;  /* when the moment is kept, if nothing else does it first; 0: no wish */
};

enum err grants_oauth_start(struct grants *g);
void     grants_oauth_stop(struct grants *g);

/* Now, by the clock of tokens. Borrowed until the next call. */
const struct moment *grants_moment(struct grants *g);

/* It was kept with a commit; tokens: that issued some. */
void grants_moment_kept(struct grants *g, bool tokens);

/* Takes what is over away, a little at a time; ends consents that waited too long. When it wants to be called again. */
struct mono_ms grants_oauth_tick(struct grants *g, struct mono_ms now, struct outbox *out);
void           grants_oauth_edge(struct grants *g, enum actor other, bool up, struct outbox *out);

/* OK while the endpoint serves; else why not. */
enum err grants_check_serves(const struct grants *g);

/* Ends an ask of HTTP's. */
enum err grants_oauth_refuse(struct outbox *out, uint64_t ask_id, enum err why);

/* It has ended, or is gone: HTTP forgets what it remembers, the profile what is shared with it, and the log is told. */
void grants_connection_ended(struct grants *g, struct uuid connection, struct outbox *out);

/* The profile has opened: it is told of those that ended meanwhile. */
void grants_oauth_profile_opened(struct grants *g, struct outbox *out);

/* grants_oauth.c */
enum err grants_on_client_wanted(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_token_check(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_code_redeem(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_token_refresh(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_token_revoke(void *self, const struct inbound *in, struct outbox *out);

/* grants_oauth_consent.c: it takes effect when its record is durable. */
enum err grants_on_consent(void *self, const struct inbound *in, struct outbox *out);
enum err grants_consent_recorded(struct grants *g, uint64_t event, enum err e, struct outbox *out);

/* Ends those at their deadline, or all of them; told: HTTP hears of it. */
void           grants_consents_expire(struct grants *g, struct mono_ms now, struct outbox *out);
void           grants_consents_fail(struct grants *g, enum err why, bool told, struct outbox *out);
struct mono_ms grants_consents_next(const struct grants *g); /* 0: none waits */

/* grants_oauth_owner.c */
enum err grants_on_reduce(void *self, const struct inbound *in, struct outbox *out);
enum err grants_on_connections(void *self, const struct inbound *in, struct outbox *out);

/* A connection as messages say it; it points into the record. */
struct connection_body grants_connection_body(struct grants *g, const struct connection_record *c);

/* grants_http_ruling.c */
enum err grants_on_http_ask(void *self, const struct inbound *in, struct outbox *out);

#endif
