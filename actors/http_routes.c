#include <stdio.h>
#include <string.h>

#include "actors/http_mcp.h"
#include "actors/http_oauth.h"
#include "actors/http_pages.h"
#include "actors/http_routes.h"
#include "gateway/http_origin.h"
#include "gateway/json_write.h"

/* A closed endpoint is asked again after so many seconds. */
#define RETRY_AFTER "30"

static void on_healthz(struct http_gateway *g, struct http_exchange *x);

#define ALL (HTTP_ALLOW(GET) | HTTP_ALLOW(HEAD) | HTTP_ALLOW(POST) | HTTP_ALLOW(DELETE) | HTTP_ALLOW(OPTIONS) | HTTP_ALLOW(OTHER))

/* /mcp looks at the token before it looks at the method. */
static const struct http_route routes[] = {
	{ "/mcp", false, ALL, HTTP_CLOSED_JSON, http_mcp_on },
	{ "/mcp/", false, ALL, HTTP_CLOSED_JSON, http_mcp_on },
	{ "/.well-known/", true, HTTP_ALLOW(GET) | HTTP_ALLOW(HEAD) | HTTP_ALLOW(OPTIONS), HTTP_CLOSED_OPEN, http_oauth_on_well_known },
	{ "/mcp/.well-known/", true, HTTP_ALLOW(GET) | HTTP_ALLOW(HEAD) | HTTP_ALLOW(OPTIONS), HTTP_CLOSED_OPEN,
	    http_oauth_on_well_known },
	{ "/register", false, HTTP_ALLOW(POST) | HTTP_ALLOW(OPTIONS), HTTP_CLOSED_JSON, http_oauth_on_register },
	{ "/token", false, HTTP_ALLOW(POST) | HTTP_ALLOW(OPTIONS), HTTP_CLOSED_JSON, http_oauth_on_token },
	{ "/revoke", false, HTTP_ALLOW(POST) | HTTP_ALLOW(OPTIONS), HTTP_CLOSED_JSON, http_oauth_on_revoke },
	{ "/authorize", false, HTTP_ALLOW(GET), HTTP_CLOSED_PAGE, http_pages_on_authorize },
	{ "/login", false, HTTP_ALLOW(POST), HTTP_CLOSED_PAGE, http_pages_on_login },
	{ "/consent", false, HTTP_ALLOW(GET) | HTTP_ALLOW(POST), HTTP_CLOSED_PAGE, http_pages_on_consent },
	{ "/static/", true, HTTP_ALLOW(GET) | HTTP_ALLOW(HEAD), HTTP_CLOSED_OPEN, http_pages_on_static },
	{ "/healthz", false, HTTP_ALLOW(GET) | HTTP_ALLOW(HEAD), HTTP_CLOSED_OPEN, on_healthz },
};

/* NULL: there is no such path. */
static const struct http_route *
route_of(struct span path)
{
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
		size_t n = strlen(routes[i].path);

		if ((routes[i].is_prefix ? path.len >= n : path.len == n) && memcmp(path.p, routes[i].path, n) == 0)
			return &routes[i];
	}
	return NULL;
}

void
http_body_json(struct http_response *r, struct json_writer *w)
{
	struct span text = { NULL, 0 };

	if (json_write_done(w, &text) != OK)
		r->failed = true;
	else
		http_response_body(r, "application/json", text);
	json_write_free(w);
}

void
http_error_json(struct http_response *r, int status, const char *code, const char *message)
{
	struct json_writer w = { 0 };

	http_response_start(r, status);
	json_write_object(&w);
	json_write_key(&w, "error");
	json_write_object(&w);
	json_member_text(&w, "code", code);
	json_member_text(&w, "message", message);
	json_write_end(&w);
	json_write_end(&w);
	http_body_json(r, &w);
}

void
http_error_of(struct http_response *r, int status, enum err e)
{
	http_error_json(r, status, err_code(e), err_text(e));
}

static const char *
word_of_phase(enum http_phase phase)
{
	switch (phase) {
	case HTTP_SERVES:
		return "serving";
	case HTTP_LOCKED:
		return "locked";
	case HTTP_MAINTENANCE:
		return "maintenance";
	case HTTP_OFF:
	case HTTP_NEVER:
		break;
	}
	return "off";
}

/* The owner's words where they gave some. */
static const char *
message_of(const struct http_gateway *g, enum http_phase phase)
{
	return phase == HTTP_MAINTENANCE && g->message[0] != '\0' ? g->message : err_text(http_phase_error(phase));
}

/* The keys of the pages come another way than grants' word: it serves when both are here. */
static enum http_phase
whole_phase(const struct http_gateway *g)
{
	return g->phase == HTTP_SERVES && !http_oauth_has_keys(g) ? HTTP_LOCKED : g->phase;
}

static void
on_healthz(struct http_gateway *g, struct http_exchange *x)
{
	enum http_phase phase = whole_phase(g);
	struct json_writer w = { 0 };
	struct http_response r;

	http_response_start(&r, phase == HTTP_SERVES ? 200 : 503);
	json_write_object(&w);
	json_member_text(&w, "status", word_of_phase(phase));
	if (phase != HTTP_SERVES) {
		json_member_text(&w, "message", message_of(g, phase));
		http_response_header(&r, "Retry-After", RETRY_AFTER);
	}
	json_write_end(&w);
	http_body_json(&r, &w);
	http_exchange_answer(x, &r);
}

static void
say_closed(struct http_gateway *g, const struct http_route *route, struct http_exchange *x)
{
	struct http_response r;

	if (route->closed == HTTP_CLOSED_PAGE) {
		http_pages_say_closed(g, x);
		return;
	}
	http_error_json(&r, 503, err_code(http_phase_error(g->phase)), message_of(g, g->phase));
	http_response_header(&r, "Retry-After", RETRY_AFTER);
	/* /mcp is for some origins alone. */
	if (route->on == http_mcp_on) {
		http_mcp_answer(g, x, &r);
		return;
	}
	http_response_header(&r, "Access-Control-Allow-Origin", "*");
	http_exchange_answer(x, &r);
}

static void
say_allow(const struct http_route *route, struct http_exchange *x)
{
	struct http_response r;
	char allow[64] = "";
	size_t len = 0;

	for (unsigned m = 0; m < HTTP_OTHER; m++)
		if ((route->methods & (1u << m)) != 0)
			len += (size_t)snprintf(allow + len, sizeof allow - len, "%s%s", len > 0 ? ", " : "",
			    http_method_name((enum http_method)m));
	http_error_json(&r, 405, "method_not_allowed", "this path does not take that method");
	http_response_header(&r, "Allow", allow);
	http_exchange_answer(x, &r);
}

static void
say_error(struct http_exchange *x, int status, const char *code, const char *message)
{
	struct http_response r;

	http_error_json(&r, status, code, message);
	http_exchange_answer(x, &r);
}

void
http_dispatch(void *gateway, struct http_exchange *x)
{
	struct http_gateway *g = gateway;
	const struct http_request *request = http_exchange_request(x);
	const struct http_route *route = route_of(request->path);

	if (!http_host_is_ours(g->config, request->host))
		say_error(x, 421, "misdirected", "no server of that name is here");
	else if (route == NULL)
		say_error(x, 404, err_code(ERR_NOT_FOUND), err_text(ERR_NOT_FOUND));
	else if ((route->methods & (1u << request->method)) == 0)
		say_allow(route, x);
	else if (g->phase != HTTP_SERVES && route->closed != HTTP_CLOSED_OPEN && request->method != HTTP_OPTIONS)
		say_closed(g, route, x);
	else
		route->on(g, x);
}

static void
add(struct http_response *r, const char *name, const char *value)
{
	if (!http_response_has(r, name))
		http_response_header(r, name, value);
}

void
http_common_headers(void *gateway, struct http_response *r)
{
	struct http_gateway *g = gateway;

	add(r, "Cache-Control", "no-store");
	add(r, "X-Content-Type-Options", "nosniff");
	add(r, "X-Frame-Options", "DENY");
	add(r, "Referrer-Policy", "no-referrer");
	add(r, "Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
	/* Of a name on this machine it would hold for everything else that listens here. */
	if (g->config->certificate != NULL && !http_address_is_loopback(&g->config->address))
		add(r, "Strict-Transport-Security", "max-age=31536000");
}
