/*
 * http_origin: which Host and which Origin a request may name: a page of
 * another's cannot have its visitor's browser speak to a server on this
 * machine under a name of its own (DNS rebinding), nor to /mcp at all.
 */
#ifndef GATEWAY_HTTP_ORIGIN_H
#define GATEWAY_HTTP_ORIGIN_H

#include "gateway/http_config.h"

/*
 * The configured origin's, and the address that we listen on; on loopback
 * `localhost` and its addresses with our port, on all addresses any literal
 * with our port.
 */
bool http_host_is_ours(const struct http_config *c, struct span host);

/* Our own pages: forms are taken from them alone. */
bool http_origin_is_own(const struct http_config *c, struct span origin);

/* Who may call /mcp from a browser: our own, those of config.json, and while we listen on loopback any on this machine. */
bool http_origin_is_allowed(const struct http_config *c, struct span origin);

#endif
