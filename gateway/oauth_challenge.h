/*
 * oauth_challenge: the WWW-Authenticate header of every 401 and 403 of the
 * resource. One challenge, which begins with "Bearer" and names the metadata
 * first. The same words every time: clients compare them. Sources: RFC 6750,
 * 3; RFC 9728, 5.1.
 */
#ifndef GATEWAY_OAUTH_CHALLENGE_H
#define GATEWAY_OAUTH_CHALLENGE_H

#include "gateway/http.h"
#include "mailbox/words.h"

enum oauth_challenge {
	OAUTH_NO_TOKEN,           /* 401: none was sent, or an empty one; names no error */
	OAUTH_INVALID_TOKEN,      /* 401: unknown, expired or revoked */
	OAUTH_INSUFFICIENT_SCOPE, /* 403 */
};

struct oauth_challenge_words {
	int         status;
	const char *error;       /* NULL: none is named */
	const char *description;
};
const struct oauth_challenge_words *oauth_challenge_words(enum oauth_challenge what);

#define OAUTH_CHALLENGE_MAX 1024

/*
 * The value of the header, and a NUL.
 *
 * origin  of this server, without a slash at its end; at most 512 bytes
 * scopes  of OAUTH_INSUFFICIENT_SCOPE: all that the call needs, also those that
 *         the token has. The others name OAUTH_SCOPES_OFFER
 */
void oauth_challenge_text(enum oauth_challenge what, const char *origin, uint8_t scopes, char out[OAUTH_CHALLENGE_MAX]);

/* A whole response: status, header, a small JSON body, no-store. */
void oauth_challenge_response(struct http_response *r, enum oauth_challenge what, const char *origin, uint8_t scopes);

#endif
