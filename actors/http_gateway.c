#include <stdlib.h>
#include <string.h>

#include "actors/http_gateway.h"
#include "actors/http_mcp.h"
#include "actors/http_oauth.h"
#include "actors/http_pages.h"
#include "actors/http_routes.h"
#include "mailbox/log_line.h"

#define LISTEN_AGAIN_MS 5000

static enum err on_state(void *self, const struct inbound *in, struct outbox *out);
static enum err on_boot(void *self, const struct inbound *in, struct outbox *out);
static enum err on_denied(void *self, const struct inbound *in, struct outbox *out);
static enum err on_web_keys(void *self, const struct inbound *in, struct outbox *out);
static enum err on_answer(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_HTTP_STATE, on_state },
	{ MSG_HTTP_BOOT, on_boot },
	{ MSG_HTTP_DENIED, on_denied },
	{ MSG_TOKEN_FOUND, http_mcp_on_token_found },
	{ MSG_CONNECTION_CHANGED, http_mcp_on_connection_changed },
	{ MSG_HTTP_FOUND, http_mcp_on_found },
	{ MSG_HTTP_ACK, http_mcp_on_ack },
	{ MSG_HTTP_KEYS_REFUSED, http_mcp_on_refused },
	{ MSG_HTTP_QUERY_REFUSED, http_mcp_on_refused },
	{ MSG_HTTP_INTENT_REFUSED, http_mcp_on_refused },
	{ MSG_WEB_KEYS, on_web_keys },
	{ MSG_CLIENT_FOUND, on_answer },
	{ MSG_CONSENT_KEPT, on_answer },
	{ MSG_TOKENS_KEPT, on_answer },
	{ MSG_TOKEN_REVOKED, on_answer },
};

static enum err
tell_listens(struct http_gateway *g)
{
	struct http_listens_body body = {
		.error = (uint16_t)g->error,
		.listening = http_server_listens(g->server),
		.tls = g->config->certificate != NULL,
		.address = { (const uint8_t *)g->config->listen, strlen(g->config->listen) },
		.origin = { (const uint8_t *)g->config->origin, strlen(g->config->origin) },
	};

	return g->is_up[ACTOR_GRANTS] ? outbox_put(g->out, MSG_HTTP_LISTENS, 0, &body) : OK;
}

/* A home that never enabled opens no port; one that did is told why it does not serve. */
static enum err
listen_now(struct http_gateway *g, struct mono_ms now)
{
	enum err before = g->error;

	g->try_at.ms = 0;
	if (g->phase == HTTP_NEVER || g->is_unusable || g->error == ERR_CONFIG_INVALID || http_server_listens(g->server))
		return OK;
	if ((g->error = http_server_listen(g->server)) == OK) {
		log_line_say("http", "listens on port", http_server_port(g->server));
		return tell_listens(g);
	}
	g->try_at.ms = now.ms + LISTEN_AGAIN_MS;
	if (g->error == before)
		return OK;
	log_line_error(ACTOR_HTTP, g->error, 0);
	return tell_listens(g);
}

static enum err
on_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);
	const struct http_state_body *b = &in->body->http_state;

	g->phase = b->phase <= HTTP_NEVER ? (enum http_phase)b->phase : HTTP_OFF;
	g->initialized = b->initialized;
	g->library = b->library;
	memcpy(g->log_public, b->log_public, sizeof g->log_public);
	memcpy(g->message, b->message.p, b->message.len);
	g->message[b->message.len] = '\0';
	http_mcp_on_state(g, b);
	return listen_now(g, clock_mono());
}

static enum err
on_boot(void *self, const struct inbound *in, struct outbox *out)
{
	http_mcp_on_boot(http_gateway_enter(self, out), &in->body->boot);
	return OK;
}

/* Of a token, a code, a client or an ask: whoever waits for it knows. */
static enum err
on_denied(void *self, const struct inbound *in, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);

	if (!http_oauth_on_answer(g, in))
		(void)http_mcp_denied(g, in);
	return OK;
}

static enum err
on_web_keys(void *self, const struct inbound *in, struct outbox *out)
{
	return http_oauth_on_web_keys(http_gateway_enter(self, out), &in->body->web_keys);
}

static enum err
on_answer(void *self, const struct inbound *in, struct outbox *out)
{
	(void)http_oauth_on_answer(http_gateway_enter(self, out), in);
	return OK;
}

/* Does what is due, and sees to it that this runs again when more is. */
static void
take_turn(struct http_gateway *g)
{
	struct mono_ms now = clock_mono(), next = http_oauth_turn(g, now);

	if (next.ms != 0)
		http_server_alarm(g->server, next.ms > now.ms ? next.ms - now.ms : 0);
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);

	g->is_up[other] = up;
	if (other == ACTOR_GRANTS && up)
		(void)tell_listens(g);
	/* Without grants nobody says any more whether it may serve. */
	if (other == ACTOR_GRANTS && !up && g->phase == HTTP_SERVES)
		g->phase = HTTP_LOCKED;
	http_mcp_on_edge(g, other, up);
	http_oauth_on_edge(g, other, up);
}

static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);
	struct mono_ms next;

	if (g->try_at.ms != 0 && now.ms >= g->try_at.ms)
		(void)listen_now(g, now);
	take_turn(g);
	next = http_server_tick(g->server, now);
	return mono_sooner(next, http_mcp_tick(g, now));
}

static void
wait_for_more(void *self, struct outbox *out)
{
	struct http_gateway *g = http_gateway_enter(self, out);

	http_server_wait(g->server);
	take_turn(g);
}

static void
wake(void *self)
{
	struct http_gateway *g = self;

	http_server_wake(g->server);
}

static void
stop(void *self)
{
	struct http_gateway *g = self;

	if (g == NULL)
		return;
	g->phase = HTTP_OFF;
	http_mcp_stop(g);
	http_oauth_stop(g);
	http_pages_stop(g);
	http_server_free(&g->server);
	http_config_free(&g->own_config);
	free(g);
}

static enum err
start_server(struct http_gateway *g)
{
	struct http_server_config c = { .http = g->config, .connections_max = HTTP_CONNECTIONS_MAX,
		.on_request = http_dispatch, .before_answer = http_common_headers, .arg = g };

	if (g->settings != NULL && g->settings->http_connections != 0 && g->settings->http_connections < c.connections_max)
		c.connections_max = g->settings->http_connections;
	return http_server_new(&c, &g->server);
}

/* With the defaults, where there is no config.json or none that can be used. */
static enum err
start_default(struct http_gateway *g)
{
	enum err e = http_config_default(&g->own_config);

	g->config = g->own_config;
	return e == OK ? start_server(g) : e;
}

/* What is wrong with config.json, or keeps it from being read, keeps this from listening, and nothing else from running. */
static enum err
start(const struct actor_context *context, void **self)
{
	struct http_gateway *g = calloc(1, sizeof *g);
	enum err e = ERR_CONFIG_INVALID;

	if (g == NULL)
		return ERR_NO_MEMORY;
	g->context = context;
	g->settings = context->settings;
	g->phase = HTTP_NEVER;
	if (g->settings != NULL) {
		g->config = g->settings->http;
		g->error = g->settings->http_error;
	}
	if (g->config != NULL && (e = start_server(g)) == ERR_CONFIG_INVALID)
		g->error = e;
	g->is_unusable = g->error != OK;
	/* One that could not be read for want of memory may be at the next start. */
	if (g->error == ERR_NO_MEMORY)
		e = ERR_NO_MEMORY;
	if (e == ERR_CONFIG_INVALID)
		e = start_default(g);
	if (e == OK)
		e = http_mcp_start(g);
	if (e == OK && (e = http_oauth_start(g)) == OK)
		e = http_pages_start(g);
	if (e != OK) {
		stop(g);
		return e;
	}
	*self = g;
	return OK;
}

const struct actor_spec http_gateway_actor = {
	.id = ACTOR_HTTP,
	.start = start,
	.stop = stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_tick = on_tick,
	.wait = wait_for_more,
	.wake = wake,
};
