/* http_oauth_inside: as the files of http_oauth and http_pages see it; nobody else includes this. */
#ifndef ACTORS_HTTP_OAUTH_INSIDE_H
#define ACTORS_HTTP_OAUTH_INSIDE_H

#include "actors/http_oauth.h"
#include "gateway/http_form.h"
#include "gateway/oauth_pace.h"
#include "gateway/oauth_token.h"
#include "mailbox/pending.h"

#define OAUTH_ASKS_MAX 256
#define OAUTH_ASK_MS   5000

/* A refresh is answered so much later, for others that come with the same token meanwhile. */
#define OAUTH_HOLD_MS      250
#define OAUTH_HOLDS_MAX    192
#define OAUTH_HOLDS_WAIT   64 /* at once; past it the one that waits longest is asked about now */
#define OAUTH_HOLD_WAITERS 8
#define OAUTH_OVERLAP_USES 5

enum oauth_hold_state {
	OAUTH_HOLD_FREE,
	OAUTH_HOLD_WAITS,    /* for others */
	OAUTH_HOLD_ASKED,    /* for grants */
	OAUTH_HOLD_OVERLAPS, /* it was answered, and would be again: only where config.json says so */
};

/* One refresh token that is shown just now, by all who show it. */
struct oauth_hold {
	enum oauth_hold_state      state;
	struct http_exchange      *waiters[OAUTH_HOLD_WAITERS]; /* owned */
	size_t                     n_waiters;
	struct oauth_token_request request;
	struct mono_ms             due;      /* when grants is asked; of one that overlaps: when it ends */
	char                       access[OAUTH_TOKEN_LEN + 1], refresh[OAUTH_TOKEN_LEN + 1]; /* once grants was asked */
	uint8_t                    successor[SHA256_LEN]; /* hash of that refresh token */
	uint8_t                    scopes;   /* that it has, once it was answered */
	struct mono_ms             ends;     /* the access token, then */
	unsigned                   n_again;
};

struct http_oauth {
	struct key       *client_key; /* of client ids; NULL: closed */
	struct key       *form_key;   /* of forms and cookies */
	struct secret    *verifier;   /* of the pages' password; length 0: none is set */
	struct pending   *asks;       /* owned */
	uint64_t          n_ids;
	struct oauth_hold holds[OAUTH_HOLDS_MAX];
	struct oauth_pace pace; /* of registrations */
};

/*
 * Asks grants. done is called once, with the answer's body of the type that
 * the ask has, or NULL and why there is none: what grants said, ERR_TIMEOUT,
 * ERR_INTERRUPTED. Whatever arg owns is done's to free. When it is refused at
 * once (ERR_BUSY, ERR_INTERRUPTED), done is not called.
 */
typedef void oauth_done(struct http_gateway *g, void *arg, enum err e, const union any_body *answer);
enum err http_oauth_ask(struct http_gateway *g, enum msg type, const void *body, oauth_done *done, void *arg);

/* {"error":…} as RFC 6749, 5.2 has it, with CORS and no-store; x is answered. */
void http_oauth_refuse(struct http_exchange *x, enum oauth_token_error e);

/* The same for why grants did not do it: what means that it is closed is a 503, what is ours a 429. */
void http_oauth_refuse_for(struct http_exchange *x, enum err e);

/* A success with a body in JSON, which is written, or answered when it could not be. */
void http_oauth_answer_json(struct http_exchange *x, int status, struct json_writer *w);

/* OPTIONS, and what every endpoint for programs adds. */
void http_oauth_preflight(struct http_exchange *x, const char *methods);
void http_oauth_cors(struct http_response *r);

/*
 * The form of a POST: f is freed by the caller on true. False: x is answered.
 * max: of its body.
 */
bool http_oauth_form(struct http_exchange *x, size_t max, struct http_form *f);

/* A good refresh: it is held, and answered later. */
void http_oauth_hold(struct http_gateway *g, struct http_exchange *x, const struct oauth_token_request *r);
struct mono_ms http_oauth_holds_turn(struct http_gateway *g, struct mono_ms now);
void http_oauth_holds_free(struct http_gateway *g);

/* Forgets what was answered. */
void http_oauth_overlaps_end(struct http_gateway *g);

#endif
