/* http_mcp_inside: /mcp as its files see it; nobody else includes this. */
#ifndef ACTORS_HTTP_MCP_INSIDE_H
#define ACTORS_HTTP_MCP_INSIDE_H

#include <sys/queue.h>

#include "actors/http_ask.h"
#include "actors/http_mcp.h"
#include "gateway/mcp_http.h"
#include "gateway/mcp_repeats.h"
#include "gateway/oauth_challenge.h"
#include "mailbox/pending.h"

#define HTTP_TOKENS_KEPT    256
#define HTTP_TOKEN_KEEP_MS  10000
#define HTTP_CHECKS_MAX     1024

/* In flight of one connection: half of all, so that nobody keeps the others out. */
#define HTTP_ASKS_EACH_MAX  (HTTP_ASKS_MAX / 2)

/* What was found for answers that are not whole yet; past it nothing more is asked. */
#define HTTP_HELD_MAX       ((size_t)16 << 20)

/* What grants says of a token. */
struct http_token {
	uint8_t        hash[32];
	struct uuid    connection;
	uint8_t        scopes;
	struct mono_ms until; /* it is asked again; 0: nothing is known */
};

struct http_check {
	struct http_gateway  *g;
	struct http_exchange *x;
	uint8_t               hash[32];
};

struct http_mcp {
	struct mcp_repeats *repeats;
	struct pending     *checks;  /* requests whose token is being looked at: struct http_check */
	struct http_check   ended[HTTP_CHECKS_MAX];
	LIST_HEAD(http_calls, http_call) calls; /* POSTs under way that ask something: of http_mcp_call.c */
	size_t              held;    /* bytes */
	uint64_t            n_ids;
	struct http_token   tokens[HTTP_TOKENS_KEPT]; /* by the first byte of the hash */
};

/* http_mcp.c: errors, as http_mcp_answer gives responses. */
void http_mcp_answer_error(struct http_gateway *g, struct http_exchange *x, int status, enum err e);
void http_mcp_challenge(struct http_gateway *g, struct http_exchange *x, enum oauth_challenge what, uint8_t scopes);

/* http_mcp.c: whose request it is is known. */
void http_mcp_authorized(struct http_gateway *g, struct http_exchange *x, const struct http_token *token);

/* http_mcp_token.c: looks for the token, and answers or goes on with http_mcp_authorized, now or later. */
void http_mcp_authorize(struct http_gateway *g, struct http_exchange *x);
void http_mcp_forget_token(struct http_mcp *m, const uint8_t hash[32]);
void http_mcp_forget_tokens(struct http_mcp *m);
void http_mcp_end_checks(struct http_gateway *g); /* what waits for one is answered with 503 */

/* http_mcp_call.c: a POST of JSON. */
void http_mcp_call(struct http_gateway *g, struct http_exchange *x, const struct http_token *token);

#endif
