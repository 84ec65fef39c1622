/*
 * oauth_waiting: authorization requests that wait for their owner's word: each
 * for ten minutes, for one decision, in the browser where it began. Bounded;
 * what an address has begun first makes room for what it begins later. What
 * strangers begin never makes the owner's own go: those of browsers that have
 * logged in before, or have now, have room of their own.
 */
#ifndef GATEWAY_OAUTH_WAITING_H
#define GATEWAY_OAUTH_WAITING_H

#include "gateway/oauth_authorize.h"
#include "mailbox/clock.h"

#define OAUTH_WAITING_MAX  256
#define OAUTH_WAITING_PEER 32      /* of one address */
#define OAUTH_WAITING_OWN  32      /* of them, for the owner's browsers */
#define OAUTH_WAITING_MS   600000u
#define OAUTH_TX_BYTES     16
#define OAUTH_TX_LEN       22      /* its name: base64url */

struct oauth_waiting {
	char           tx[OAUTH_TX_LEN + 1];
	uint8_t        browser[SHA256_LEN]; /* hash of its cookie */
	uint8_t        peer[SHA256_LEN];    /* hash of its address */
	struct mono_ms since;
	bool           is_owners;           /* of a browser that has logged in, at some time */
	bool           is_logged_in;        /* for this request */

	/* As oauth_request has it; spans point behind the struct. */
	uint8_t        client[SHA256_LEN];
	bool           client_is_known;
	struct span    name, redirect, redirect_registered, state;
	const char    *error;
	uint8_t        challenge[SHA256_LEN];
	uint8_t        scopes;
};

/* {0} has none. */
struct oauth_waitings {
	struct oauth_waiting *at[OAUTH_WAITING_MAX]; /* owned */
};

/* Keeps a request; *out is borrowed until it ends. is_owners: the browser has logged in before. ERR_NO_MEMORY. */
enum err oauth_waiting_add(struct oauth_waitings *w, const struct oauth_request *r, const uint8_t browser[SHA256_LEN],
    struct span peer, bool is_owners, struct mono_ms now, struct oauth_waiting **out);

/* NULL: there is none of that name, it is over, or it began in another browser. */
struct oauth_waiting *oauth_waiting_find(struct oauth_waitings *w, struct span tx, const uint8_t browser[SHA256_LEN],
    struct mono_ms now);

/* Its owner has logged in for it: it goes on under that browser's new cookie. Nothing else that waits does. */
void oauth_waiting_logged_in(struct oauth_waiting *one, const uint8_t browser[SHA256_LEN]);

/* Wipes it. */
void oauth_waiting_end(struct oauth_waitings *w, struct oauth_waiting *one);
void oauth_waiting_end_all(struct oauth_waitings *w);

#endif
