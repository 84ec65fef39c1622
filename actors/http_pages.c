/* The way from an authorization request to the owner's login. */
#include <stdio.h>
#include <stdlib.h>

#include "actors/http_pages_inside.h"
#include "gateway/span.h"
#include "gateway/web_files.h"

/* A password that is being tried, and what comes after it. */
struct logging_in {
	struct http_exchange *x;
	uint64_t              generation;
	char                  tx[OAUTH_TX_LEN + 1];
};

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

/* The process stops. */
static void
drop(void *what)
{
	struct logging_in *l = what;
	struct http_response r;

	http_error_of(&r, 503, ERR_INTERRUPTED);
	http_exchange_answer(l->x, &r);
	free(l);
}

void
http_pages_stop(struct http_gateway *g)
{
	if (g->pages == NULL)
		return;
	http_login_free(&g->pages->login, drop);
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

/* A request that was judged waits from now on. */
static void
begin(struct http_gateway *g, struct http_exchange *x, const struct oauth_request *request, const struct web_browser *b)
{
	struct span peer = http_exchange_request(x)->peer;
	struct oauth_waiting *w;

	if (oauth_waiting_add(&g->pages->waitings, request, b->hash, peer, clock_mono(), &w) != OK)
		web_say_notice(x, 503, b, WEB_BUSY);
	else if (b->is_fresh)
		web_go_on(g, x, b, w, false);
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

/* The request that a form is about, when the form is ours and for this browser. NULL: x is answered. */
static struct oauth_waiting *
waiting_of(struct http_gateway *g, struct http_exchange *x, const struct http_form *f, const struct web_browser *b)
{
	struct span tx, mark;
	struct oauth_waiting *w = NULL;

	if (!web_is_own_form(g, http_exchange_request(x)) || g->oauth->form_key == NULL ||
	    http_form_value(f, "tx", &tx) != 1 || http_form_value(f, "csrf", &mark) != 1 ||
	    !web_mark_holds(g, b, tx, "login", mark))
		web_say_notice(x, 403, b, WEB_FORBIDDEN);
	else if ((w = oauth_waiting_find(&g->pages->waitings, tx, b->hash, clock_mono())) == NULL)
		web_say_notice(x, 400, b, WEB_EXPIRED);
	return w;
}

/* Hands the password to the thread that tries it. ERR_BUSY, ERR_NO_MEMORY. */
static enum err
try_password(struct http_gateway *g, struct http_exchange *x, const char *tx, struct span password)
{
	struct logging_in *l = calloc(1, sizeof *l);
	struct secret *copy = NULL;
	enum err e;

	if (l == NULL)
		return ERR_NO_MEMORY;
	l->x = x;
	l->generation = g->pages->generation;
	memcpy(l->tx, tx, sizeof l->tx);
	if ((e = secret_new(password.len, &copy)) == OK) {
		if (password.len > 0)
			memcpy(secret_bytes(copy), password.p, password.len);
		e = http_login_try(g->pages->login, copy, secret_span(g->oauth->verifier), l);
	}
	if (e != OK) {
		secret_free(&copy);
		free(l);
	}
	return e;
}

static void
log_in(struct http_gateway *g, struct http_exchange *x, const struct http_form *f)
{
	const struct http_request *r = http_exchange_request(x);
	struct mono_ms now = clock_mono();
	struct oauth_waiting *w;
	struct web_browser b;
	struct span password;
	uint64_t wait;

	web_browser_of(g, r, false, &b);
	if ((w = waiting_of(g, x, f, &b)) == NULL)
		return;
	if (secret_len(g->oauth->verifier) == 0) {
		web_say_login(g, x, 200, &b, w->tx, WEB_LOGIN_NO_PASSWORD, 0);
		return;
	}
	if (http_form_value(f, "password", &password) != 1 || password.len > WEB_PASSWORD_MAX) {
		web_say_login(g, x, 403, &b, w->tx, WEB_LOGIN_WRONG, 0);
		return;
	}
	if ((wait = web_throttle_wait(&g->pages->throttle, r->peer, web_is_known(g, r), now)) > 0) {
		web_say_login(g, x, 429, &b, w->tx, WEB_LOGIN_WAIT, wait);
		return;
	}
	if (try_password(g, x, w->tx, password) != OK)
		web_say_login(g, x, 429, &b, w->tx, WEB_LOGIN_BUSY, 0);
	else
		web_throttle_tried(&g->pages->throttle, r->peer, now);
}

void
http_pages_on_login(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_request *r = http_exchange_request(x);
	struct http_form f;
	struct web_browser b;

	if (r->body.len > WEB_FORM_MAX || http_form_parse(r->body, &f) != OK) {
		web_browser_of(g, r, false, &b);
		web_say_notice(x, 400, &b, WEB_MALFORMED);
		return;
	}
	log_in(g, x, &f);
	http_form_free(&f);
}

/* A session of its own, under a cookie that nobody knew before; what waited in this browser goes on in it. */
static void
welcome(struct http_gateway *g, struct http_exchange *x, struct web_browser *b, const char *tx)
{
	uint8_t before[SHA256_LEN];
	char where[sizeof "/consent?tx=" + OAUTH_TX_LEN];

	memcpy(before, b->hash, SHA256_LEN);
	web_sessions_end(&g->pages->sessions, before);
	web_cookie_make(b->cookie, b->hash);
	web_sessions_add(&g->pages->sessions, b->hash, clock_mono());
	oauth_waiting_move(&g->pages->waitings, before, b->hash);
	web_throttle_passed(&g->pages->throttle, http_exchange_request(x)->peer);
	snprintf(where, sizeof where, "/consent?tx=%s", tx);
	web_say_moved(x, g, b, span_of(where), true);
	wipe(b->cookie, sizeof b->cookie);
}

static void
on_tried(struct http_gateway *g, struct logging_in *l, enum err result)
{
	struct web_browser b;

	web_browser_of(g, http_exchange_request(l->x), false, &b);
	if (l->generation != g->pages->generation || g->oauth->form_key == NULL)
		web_say_notice(l->x, 503, &b, WEB_LOCKED);
	else if (oauth_waiting_find(&g->pages->waitings, span_of(l->tx), b.hash, clock_mono()) == NULL)
		web_say_notice(l->x, 400, &b, WEB_EXPIRED);
	else if (result == OK)
		welcome(g, l->x, &b, l->tx);
	else if (result == ERR_WRONG_PASSWORD)
		web_say_login(g, l->x, 403, &b, l->tx, WEB_LOGIN_WRONG, 0);
	else
		web_say_login(g, l->x, 429, &b, l->tx, WEB_LOGIN_BUSY, 0);
}

void
http_pages_turn(struct http_gateway *g)
{
	enum err result;
	void *what;

	while (http_login_result(g->pages->login, &what, &result)) {
		struct logging_in l = *(struct logging_in *)what;

		free(what);
		on_tried(g, &l, result);
	}
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
