/* The way from an authorization request to the owner's login. */
#include <stdlib.h>

#include "actors/http_pages_inside.h"
#include "gateway/span.h"
#include "gateway/web_files.h"

static void
wake(void *arg)
{
	struct http_gateway *g = arg;

	if (g->server != NULL)
		http_server_wake(g->server);
}

enum err
http_pages_start(struct http_gateway *g)
{
	if ((g->pages = calloc(1, sizeof *g->pages)) == NULL)
		return ERR_NO_MEMORY;
	return http_login_new(wake, g, &g->pages->login);
}

void
http_pages_stop(struct http_gateway *g)
{
	if (g->pages == NULL)
		return;
	http_login_free(&g->pages->login, web_login_drop);
	http_pages_forget(g);
	free(g->pages);
	g->pages = NULL;
}

void
http_pages_forget(struct http_gateway *g)
{
	web_sessions_end_all(&g->pages->sessions);
	oauth_waiting_end_all(&g->pages->waitings);
	g->pages->generation++;
}

void
http_pages_say_closed(struct http_gateway *g, struct http_exchange *x)
{
	enum web_notice what = g->phase == HTTP_LOCKED ? WEB_LOCKED
	    : g->phase == HTTP_MAINTENANCE ? WEB_MAINTENANCE : WEB_OFF;
	struct secret *page = NULL;
	struct web_browser b;
	enum err e;

	web_browser_of(g, http_exchange_request(x), false, &b);
	e = web_notice_page(b.language, what, span_of(what == WEB_MAINTENANCE ? g->message : ""), &page);
	web_say_wait(x, 503, &b, 30, e, page);
}

static enum web_notice
notice_of(enum oauth_dead_end end)
{
	switch (end) {
	case OAUTH_UNKNOWN_CLIENT:
		return WEB_UNKNOWN_CLIENT;
	case OAUTH_UNKNOWN_DOCUMENT:
		return WEB_UNKNOWN_DOCUMENT;
	case OAUTH_WRONG_REDIRECT:
		return WEB_WRONG_REDIRECT;
	case OAUTH_GOES_ON:
	case OAUTH_MALFORMED:
		break;
	}
	return WEB_MALFORMED;
}

/*
 * A request that was judged waits from now on. Its owner logs in for it, and
 * for it alone: cookies know no ports, so whatever else listens on this host
 * sees the session's, and must not be able to begin and allow with it.
 */
static void
begin(struct http_gateway *g, struct http_exchange *x, const struct oauth_request *request, const struct web_browser *b)
{
	const struct http_request *r = http_exchange_request(x);
	bool is_known = web_is_known(g, r, NULL);
	struct oauth_waiting *w;

	if (oauth_waiting_add(&g->pages->waitings, request, b->hash, r->peer, is_known, clock_mono(), &w) != OK)
		web_say_notice(x, 503, b, WEB_BUSY);
	else
		web_say_login(g, x, 200, b, w->tx, WEB_LOGIN_ASKS, 0);
}

void
http_pages_on_authorize(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_request *r = http_exchange_request(x);
	struct oauth_request request;
	struct oauth_form form;
	struct web_browser b;
	struct http_form f;
	enum oauth_dead_end end;

	web_browser_of(g, r, true, &b);
	if (g->oauth->client_key == NULL) {
		web_say_notice(x, 503, &b, WEB_LOCKED);
		return;
	}
	if (http_form_parse(r->query, &f) != OK) {
		web_say_notice(x, 400, &b, WEB_MALFORMED);
		return;
	}
	form = (struct oauth_form){ f.fields, f.n };
	if ((end = oauth_authorize(&form, g->config->origin, g->oauth->client_key, &request)) != OAUTH_GOES_ON)
		web_say_notice(x, 400, &b, notice_of(end));
	else
		begin(g, x, &request, &b);
	wipe(b.cookie, sizeof b.cookie);
	http_form_free(&f);
}

void
http_pages_on_static(struct http_gateway *g, struct http_exchange *x)
{
	struct span name = span_after(http_exchange_request(x)->path, strlen("/static/"));
	struct http_response r;
	struct span bytes;

	(void)g;
	if (!span_is(name, "style.css") || !web_file_find(name, &bytes)) {
		http_error_of(&r, 404, ERR_NOT_FOUND);
		http_exchange_answer(x, &r);
		return;
	}
	http_response_start(&r, 200);
	http_response_header(&r, "Cache-Control", "max-age=3600");
	http_response_body(&r, "text/css; charset=utf-8", bytes);
	http_exchange_answer(x, &r);
}
