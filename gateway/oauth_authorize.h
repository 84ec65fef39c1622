/*
 * oauth_authorize: an authorization request, judged. The order is the point:
 * until client and redirect URI are known to belong together nothing goes back
 * by redirect, and what goes back does so only behind a login. Sources:
 * OAuth 2.1, 4.1.1 and 4.1.2.1; RFC 7636, 4.3; RFC 8707, 2; RFC 9207.
 */
#ifndef GATEWAY_OAUTH_AUTHORIZE_H
#define GATEWAY_OAUTH_AUTHORIZE_H

#include "gateway/oauth_client.h"
#include "gateway/oauth_form.h"

#define OAUTH_STATE_MAX 4096

/* Said on a page of ours, with status 400, to whoever asks. */
enum oauth_dead_end {
	OAUTH_GOES_ON,
	OAUTH_MALFORMED,        /* a parameter comes twice, or one is too long to be given back */
	OAUTH_UNKNOWN_CLIENT,
	OAUTH_UNKNOWN_DOCUMENT, /* the id is a URL, and we fetch none */
	OAUTH_WRONG_REDIRECT,
};

/* What is asked for. Spans point into the form, or into client. */
struct oauth_request {
	struct oauth_client client;
	struct span redirect;            /* as it was given */
	struct span redirect_registered; /* the one that it matches */
	struct span state;               /* p NULL: none */
	const char *error;               /* to be sent back behind the login; NULL: none */
	uint8_t     challenge[SHA256_LEN];
	uint8_t     scopes;
};

/* Fills *out as far as it gets: all of it on OAUTH_GOES_ON. */
enum oauth_dead_end oauth_authorize(const struct oauth_form *f, const char *origin, const struct key *key,
    struct oauth_request *out);

/*
 * Where the browser goes: the redirect URI with what is said, state and iss.
 * code NULL: error is said. Returns the length; 0: it does not fit.
 */
#define OAUTH_LOCATION_MAX ((size_t)16 << 10)
size_t oauth_authorize_location(struct span redirect, struct span state, const char *origin, const char *code,
    const char *error, char *out, size_t cap);

#endif
