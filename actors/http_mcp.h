/*
 * http_mcp: the route /mcp: who may come in, whose token it is, what the body
 * asks, and the answer.
 *
 * The order in which a request is looked at: OPTIONS (a browser asks whether
 * it may), Origin, token, method, type of the body, the body itself, scopes.
 * The token comes before the method, for clients look for the way to log in
 * with a GET. Sources: RFC 6750; Fetch, "CORS protocol"; MCP, Transports.
 */
#ifndef ACTORS_HTTP_MCP_H
#define ACTORS_HTTP_MCP_H

#include "actors/http_gateway_state.h"

/* Makes g->mcp and g->asks. ERR_NO_MEMORY. */
enum err http_mcp_start(struct http_gateway *g);
void     http_mcp_stop(struct http_gateway *g);

/* The route. */
void http_mcp_on(struct http_gateway *g, struct http_exchange *x);

/* A response of that route, with what a browser needs to show it to its page. */
void http_mcp_answer(struct http_gateway *g, struct http_exchange *x, struct http_response *r);

/* What grants, keyring, profile and audit say. */
enum err http_mcp_on_token_found(void *self, const struct inbound *in, struct outbox *out);
enum err http_mcp_on_connection_changed(void *self, const struct inbound *in, struct outbox *out);
enum err http_mcp_on_found(void *self, const struct inbound *in, struct outbox *out);
enum err http_mcp_on_ack(void *self, const struct inbound *in, struct outbox *out);
enum err http_mcp_on_refused(void *self, const struct inbound *in, struct outbox *out);

/* The same for HTTP_DENIED, which others get as well: true when it was about something of ours. */
bool http_mcp_denied(struct http_gateway *g, const struct inbound *in);

void http_mcp_on_state(struct http_gateway *g, const struct http_state_body *b);
void http_mcp_on_boot(struct http_gateway *g, const struct boot_body *b);
void http_mcp_on_edge(struct http_gateway *g, enum actor other, bool up);
struct mono_ms http_mcp_tick(struct http_gateway *g, struct mono_ms now);

#endif
