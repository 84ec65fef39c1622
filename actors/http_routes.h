/*
 * http_routes: which path is whose. Paths are compared byte for byte, as they
 * were sent: no other spelling is one of ours.
 */
#ifndef ACTORS_HTTP_ROUTES_H
#define ACTORS_HTTP_ROUTES_H

#include "actors/http_gateway_state.h"

#define HTTP_ALLOW(method) (1u << HTTP_##method)

/* What is said while the endpoint is closed. */
enum http_closed {
	HTTP_CLOSED_OPEN, /* it is served all the same */
	HTTP_CLOSED_JSON, /* 503 with a code */
	HTTP_CLOSED_PAGE, /* 503 for people */
};

struct http_route {
	const char      *path;
	bool             is_prefix; /* all that begins so */
	unsigned         methods;   /* HTTP_ALLOW; others: 405. OPTIONS reaches its route when closed, too */
	enum http_closed closed;

	/* Answers the exchange, now or later, exactly once. */
	void           (*on)(struct http_gateway *g, struct http_exchange *x);
};

/* Host, path, method and phase are looked at in this order; what passes goes to its route. */
void http_dispatch(void *gateway, struct http_exchange *x);

/* What every response says, unless it says otherwise itself. */
void http_common_headers(void *gateway, struct http_response *r);

#endif
