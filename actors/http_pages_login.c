/* The owner's login: a password is taken, tried on another thread, and answered. */
#include <stdio.h>
#include <stdlib.h>

#include "actors/http_pages_inside.h"
#include "gateway/span.h"

/* A password that is being tried, and what comes after it. */
struct logging_in {
	struct http_exchange *x;
	uint64_t              generation;
	char                  tx[OAUTH_TX_LEN + 1];
};

void
web_login_drop(void *what)
{
	struct logging_in *l = what;
	struct http_response r;

	http_error_of(&r, 503, ERR_INTERRUPTED);
	http_exchange_answer(l->x, &r);
	free(l);
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

static struct web_who
who_tries(const struct http_gateway *g, const struct http_request *r)
{
	struct web_who who = { .peer = r->peer };

	who.is_known = web_is_known(g, r, who.known);
	return who;
}

static void
passed(struct http_gateway *g, const struct http_request *r)
{
	struct web_who who = who_tries(g, r);

	web_throttle_passed(&g->pages->throttle, &who);
}

static void
say_consent(struct http_exchange *x, const struct http_gateway *g, const struct web_browser *b, const char *tx)
{
	char where[sizeof "/consent?tx=" + OAUTH_TX_LEN];

	snprintf(where, sizeof where, "/consent?tx=%s", tx);
	web_say_welcome(x, g, b, span_of(where));
}

/* A second click, after the first has logged in: it changes nothing. */
static bool
goes_on(struct http_gateway *g, struct http_exchange *x, const struct http_form *f, const struct web_browser *b)
{
	struct oauth_waiting *w;
	struct span tx;

	if (!b->is_fresh || !web_is_own_form(g, http_exchange_request(x)) || http_form_value(f, "tx", &tx) != 1 ||
	    (w = oauth_waiting_find(&g->pages->waitings, tx, b->hash, clock_mono())) == NULL || !w->is_logged_in)
		return false;
	say_consent(x, g, b, w->tx);
	return true;
}

static void
log_in(struct http_gateway *g, struct http_exchange *x, const struct http_form *f)
{
	const struct http_request *r = http_exchange_request(x);
	struct web_who who = who_tries(g, r);
	struct mono_ms now = clock_mono();
	struct oauth_waiting *w;
	struct web_browser b;
	struct span password;
	uint64_t wait;

	web_browser_of(g, r, false, &b);
	if (goes_on(g, x, f, &b) || (w = waiting_of(g, x, f, &b)) == NULL)
		return;
	if (secret_len(g->oauth->verifier) == 0) {
		web_say_login(g, x, 200, &b, w->tx, WEB_LOGIN_NO_PASSWORD, 0);
		return;
	}
	if (http_form_value(f, "password", &password) != 1 || password.len > WEB_PASSWORD_MAX) {
		web_say_login(g, x, 403, &b, w->tx, WEB_LOGIN_WRONG, 0);
		return;
	}
	if ((wait = web_throttle_wait(&g->pages->throttle, &who, now)) > 0) {
		web_say_login(g, x, 429, &b, w->tx, WEB_LOGIN_WAIT, wait);
		return;
	}
	if (try_password(g, x, w->tx, password) != OK)
		web_say_login(g, x, 429, &b, w->tx, WEB_LOGIN_BUSY, 0);
	else
		web_throttle_tried(&g->pages->throttle, &who, now);
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

/* A session of its own, under a cookie that nobody knew before; the request that it is for goes on in it. */
static void
welcome(struct http_gateway *g, struct http_exchange *x, struct web_browser *b, struct oauth_waiting *w)
{
	web_sessions_end(&g->pages->sessions, b->hash);
	web_cookie_make(b->cookie, b->hash);
	web_sessions_add(&g->pages->sessions, b->hash, clock_mono());
	oauth_waiting_logged_in(w, b->hash);
	passed(g, http_exchange_request(x));
	say_consent(x, g, b, w->tx);
	wipe(b->cookie, sizeof b->cookie);
}

static void
on_tried(struct http_gateway *g, struct logging_in *l, enum err result)
{
	struct oauth_waiting *w;
	struct web_browser b;

	web_browser_of(g, http_exchange_request(l->x), false, &b);
	if (l->generation != g->pages->generation || g->oauth->form_key == NULL)
		web_say_notice(l->x, 503, &b, WEB_LOCKED);
	else if ((w = oauth_waiting_find(&g->pages->waitings, span_of(l->tx), b.hash, clock_mono())) == NULL)
		web_say_notice(l->x, 400, &b, WEB_EXPIRED);
	/* Sent twice by a hasty finger: it is the second that the browser waits for. */
	else if (!http_exchange_is_wanted(l->x))
		web_say_notice(l->x, 400, &b, WEB_BUSY);
	else if (result == OK)
		welcome(g, l->x, &b, w);
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
