#include <stdlib.h>

#include "actors/http_mcp_inside.h"
#include "gateway/http_origin.h"

#define CORS_METHODS "POST, GET, DELETE, OPTIONS"
#define CORS_HEADERS "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"
#define CORS_EXPOSED "WWW-Authenticate, MCP-Protocol-Version, Retry-After"

enum err
http_mcp_start(struct http_gateway *g)
{
	enum err e;

	if ((g->mcp = calloc(1, sizeof *g->mcp)) == NULL)
		return ERR_NO_MEMORY;
	if ((e = mcp_repeats_new(&g->mcp->repeats)) != OK ||
	    (e = pending_new(HTTP_CHECKS_MAX, sizeof(struct http_check), &g->mcp->checks)) != OK)
		return e;
	return http_asks_new(&g->asks);
}

void
http_mcp_stop(struct http_gateway *g)
{
	if (g->asks != NULL)
		http_asks_end_all(g->asks, g->out);
	http_asks_free(&g->asks);
	if (g->mcp == NULL)
		return;
	if (g->mcp->checks != NULL)
		http_mcp_end_checks(g);
	mcp_repeats_free(&g->mcp->repeats);
	pending_free(&g->mcp->checks);
	free(g->mcp);
	g->mcp = NULL;
}

/* The page that asks may see the answer, and the headers that tell it what to do. */
static void
add_cors(struct http_gateway *g, const struct http_request *q, struct http_response *r)
{
	struct span origin;

	http_response_header(r, "Vary", "Origin");
	if (http_header(q, "origin", &origin) != 1 || !http_origin_is_allowed(g->config, origin))
		return;
	http_response_header_span(r, "Access-Control-Allow-Origin", origin);
	http_response_header(r, "Access-Control-Expose-Headers", CORS_EXPOSED);
}

void
http_mcp_answer(struct http_gateway *g, struct http_exchange *x, struct http_response *r)
{
	add_cors(g, http_exchange_request(x), r);
	http_exchange_answer(x, r);
}

void
http_mcp_answer_error(struct http_gateway *g, struct http_exchange *x, int status, enum err e)
{
	struct http_response r;

	http_error_of(&r, status, e);
	if (status == 503)
		http_response_header(&r, "Retry-After", e == ERR_BUSY || e == ERR_TIMEOUT || e == ERR_INTERRUPTED ? "1" : "30");
	http_mcp_answer(g, x, &r);
}

void
http_mcp_challenge(struct http_gateway *g, struct http_exchange *x, enum oauth_challenge what, uint8_t scopes)
{
	struct http_response r;

	oauth_challenge_response(&r, what, g->config->origin, scopes);
	http_mcp_answer(g, x, &r);
}

static void
answer_word(struct http_gateway *g, struct http_exchange *x, int status, const char *code, const char *message)
{
	struct http_response r;

	http_error_json(&r, status, code, message);
	if (status == 405)
		http_response_header(&r, "Allow", "POST");
	http_mcp_answer(g, x, &r);
}

/* A browser asks before it sends: without a token, and without an answer that depends on one. */
static void
answer_preflight(struct http_gateway *g, struct http_exchange *x)
{
	struct http_response r;

	http_response_start(&r, 204);
	http_response_header(&r, "Allow", "POST");
	http_response_header(&r, "Access-Control-Allow-Methods", CORS_METHODS);
	http_response_header(&r, "Access-Control-Allow-Headers", CORS_HEADERS);
	http_response_header(&r, "Access-Control-Max-Age", "600");
	http_mcp_answer(g, x, &r);
}

/* No Origin: it is no browser. */
static bool
origin_passes(struct http_gateway *g, const struct http_request *q)
{
	struct span origin;
	size_t n = http_header(q, "origin", &origin);

	return n == 0 || (n == 1 && http_origin_is_allowed(g->config, origin));
}

void
http_mcp_on(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_request *q = http_exchange_request(x);

	if (!origin_passes(g, q))
		answer_word(g, x, 403, "origin_not_allowed", "pages of this origin may not call here; see allowed_origins in config.json");
	else if (q->method == HTTP_OPTIONS)
		answer_preflight(g, x);
	else
		http_mcp_authorize(g, x);
}

static bool
is_json(const struct http_request *q)
{
	struct span type, coding;

	return http_header(q, "content-type", &type) == 1 && http_type_is(type, "application/json") &&
	    http_header(q, "content-encoding", &coding) == 0;
}

void
http_mcp_authorized(struct http_gateway *g, struct http_exchange *x, const struct http_token *token)
{
	const struct http_request *q = http_exchange_request(x);

	if (q->method != HTTP_POST)
		answer_word(g, x, 405, "method_not_allowed", "only POST is taken here: there are no streams and no sessions");
	else if (!is_json(q))
		answer_word(g, x, 415, "unsupported_media_type", "the body must be application/json");
	else
		http_mcp_call(g, x, token);
}

enum err
http_mcp_on_found(void *self, const struct inbound *in, struct outbox *out)
{
	http_asks_on_found(http_gateway_enter(self, out)->asks, in, out);
	return OK;
}

enum err
http_mcp_on_ack(void *self, const struct inbound *in, struct outbox *out)
{
	http_asks_on_ack(http_gateway_enter(self, out)->asks, in, out);
	return OK;
}

enum err
http_mcp_on_refused(void *self, const struct inbound *in, struct outbox *out)
{
	http_asks_on_refused(http_gateway_enter(self, out)->asks, in, out);
	return OK;
}

void
http_mcp_on_boot(struct http_gateway *g, const struct boot_body *b)
{
	http_asks_on_boot(g->asks, b, g->out);
}

void
http_mcp_on_state(struct http_gateway *g, const struct http_state_body *b)
{
	http_mcp_forget_tokens(g->mcp);
	http_asks_on_state(g->asks, b);
}

enum err
http_mcp_on_connection_changed(void *self, const struct inbound *in, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);

	http_mcp_forget_tokens(g->mcp);
	mcp_repeats_forget(g->mcp->repeats, in->body->one_id.id);
	return OK;
}
