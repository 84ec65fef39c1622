/*
 * oauth_redirect: where an authorization may send the browser back. A client
 * registers URIs; a request's URI must be one of them byte for byte, but for
 * the port of a loopback one. Sources: RFC 6749, 3.1.2; RFC 8252, 7 and 8;
 * OAuth 2.1, 2.3.1 and 8.4.2.
 */
#ifndef GATEWAY_OAUTH_REDIRECT_H
#define GATEWAY_OAUTH_REDIRECT_H

#include "mailbox/wire.h"

#define OAUTH_REDIRECT_MAX 2000

/* A URI in pieces, which point into it. */
struct oauth_uri {
	struct span scheme;
	struct span host;  /* "[::1]" with its brackets; len 0: the scheme has none, "com.example:/x" */
	struct span port;  /* digits; p NULL: none */
	struct span path;  /* and query: all behind the host and port */
	bool        has_authority; /* "//" stands behind the scheme */
};

/*
 * False for what is no absolute URI of visible ASCII, and for any with a
 * fragment, a user, a star, a backslash, a bad escape, or a port out of range.
 */
bool oauth_uri_parse(struct span text, struct oauth_uri *out);

/*
 * True when a client may register it: https to any host; http to 127.0.0.1,
 * [::1] and localhost; a private scheme with a dot in it, or of a program that
 * is known to use one without.
 */
bool oauth_redirect_acceptable(struct span uri);

/* True for http and https to a loopback host: whatever program listens there gets the code. */
bool oauth_redirect_is_loopback(struct span uri);

/*
 * True when they are the same bytes, or both are http to the same loopback
 * host, as it is spelled, with the same path and query, whatever their ports.
 */
bool oauth_redirect_matches(struct span registered, struct span given);

/* What a person is shown of it: host and port, or the scheme of a private one with its colon. Points into uri. */
struct span oauth_redirect_shown(struct span uri);

/*
 * The URI with parameters behind it: "?" or "&", name=value, escaped.
 *
 * params  n pairs; a value whose p is NULL is left out
 *
 * Returns the length, without a NUL; 0 when it does not fit into cap.
 */
struct oauth_param {
	const char *name;
	struct span value;
};
size_t oauth_redirect_write(struct span uri, const struct oauth_param *params, size_t n, char *out, size_t cap);

#endif
