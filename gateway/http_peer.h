/*
 * http_peer: whose request it is, for throttling and for nothing else: the
 * address that called, or, of a trusted proxy, the last one in X-Forwarded-For
 * that is not a trusted proxy's (RFC 9700, section 4.13). Of IPv6 the /64.
 */
#ifndef GATEWAY_HTTP_PEER_H
#define GATEWAY_HTTP_PEER_H

#include "gateway/http.h"
#include "gateway/http_config.h"

bool http_is_proxy(const struct http_config *c, const struct http_address *a);

struct http_address http_peer(const struct http_config *c, const struct http_address *caller, const struct http_request *r);

#endif
