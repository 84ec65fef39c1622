/* What the owner is asked, and what comes of the answer. */
#include <stdlib.h>

#include "actors/http_pages_inside.h"
#include "gateway/oauth_scope.h"
#include "gateway/span.h"

/* A page that waits for what grants knows of its client. */
struct looking_up {
	struct http_exchange *x;
	char                  tx[OAUTH_TX_LEN + 1];
	bool                  chose_nothing;
};

/* A decision that is being kept. */
struct deciding {
	struct http_exchange *x;
	struct secret        *where; /* the way back, with the code */
};

/* Where the client is told something. False: it does not fit. */
static bool
way_back(const struct http_gateway *g, const struct oauth_waiting *w, const char *code, const char *error,
    struct secret **out)
{
	size_t len;

	if (secret_new(OAUTH_LOCATION_MAX, out) != OK)
		return false;
	len = oauth_authorize_location(w->redirect, w->state, g->config->origin, code, error, (char *)secret_bytes(*out),
	    OAUTH_LOCATION_MAX);
	if (len == 0)
		secret_free(out);
	else
		secret_cut(*out, len);
	return len > 0;
}

/* The owner has come for this request: the login is over with it. */
static void
end(struct http_gateway *g, const struct web_browser *b, struct oauth_waiting *w)
{
	oauth_waiting_end(&g->pages->waitings, w);
	web_sessions_end(&g->pages->sessions, b->hash);
}

/* The owner has decided, or there is nothing to decide: the browser goes back. */
static void
send_back(struct http_gateway *g, struct http_exchange *x, const struct web_browser *b, struct oauth_waiting *w,
    const char *error)
{
	struct secret *where = NULL;
	bool fits = way_back(g, w, NULL, error, &where);

	end(g, b, w);
	if (fits)
		web_say_back(x, b, secret_span(where));
	else
		web_say_notice(x, 400, b, WEB_MALFORMED);
	secret_free(&where);
}

/*
 * What the client did wrong. Anybody can register a client, and an owner who
 * follows a link of ours must not be sent anywhere by it: so it is a link, but
 * for programs on this machine and clients that we know.
 */
static void
tell_error(struct http_gateway *g, struct http_exchange *x, const struct web_browser *b, struct oauth_waiting *w)
{
	struct secret *where = NULL, *page = NULL;
	struct web_error p = { .code = w->error };
	enum err e;

	if (w->client_is_known || oauth_redirect_is_loopback(w->redirect)) {
		send_back(g, x, b, w, w->error);
		return;
	}
	if (!way_back(g, w, NULL, w->error, &where)) {
		web_say_notice(x, 400, b, WEB_MALFORMED);
		return;
	}
	p.url = secret_span(where);
	p.host = oauth_redirect_shown(w->redirect);
	e = web_error_page(b->language, &p, &page);
	secret_free(&where);
	end(g, b, w);
	web_say(x, 400, b, WEB_POLICY, e, page);
}

static void
show(struct http_gateway *g, struct http_exchange *x, const struct web_browser *b, const struct oauth_waiting *w,
    const struct connection_body *connection, bool chose_nothing)
{
	char mark[WEB_MARK_LEN + 1];
	struct web_consent p = { .csrf = mark, .tx = w->tx, .name = w->name, .redirect = w->redirect, .scopes = w->scopes,
		.chose_nothing = chose_nothing };
	struct secret *page = NULL;
	enum err e;

	if (connection != NULL && !uuid_is_zero(connection->connection) && connection->revoked == CONNECTION_LIVES) {
		p.is_connected = true;
		p.since.ms = connection->created_wall_ms;
	}
	web_mark(g, b, w->tx, "consent", mark);
	e = web_consent_page(b->language, &p, &page);
	web_say(x, chose_nothing ? 400 : 200, b, WEB_POLICY_CONSENT, e, page);
}

/* In the session whose login was for this request. */
static bool
may_decide(const struct web_browser *b, const struct oauth_waiting *w)
{
	return b->is_fresh && w->is_logged_in;
}

static void
on_looked_up(struct http_gateway *g, void *arg, enum err e, const union any_body *answer)
{
	struct looking_up l = *(struct looking_up *)arg;
	struct oauth_waiting *w;
	struct web_browser b;

	free(arg);
	web_browser_of(g, http_exchange_request(l.x), false, &b);
	w = oauth_waiting_find(&g->pages->waitings, span_of(l.tx), b.hash, clock_mono());
	if (w == NULL || !may_decide(&b, w))
		web_say_notice(l.x, 400, &b, WEB_EXPIRED);
	else
		/* What is not known is not shown; consent goes on. */
		show(g, l.x, &b, w, e == OK ? &answer->connection : NULL, l.chose_nothing);
}

void
web_go_on(struct http_gateway *g, struct http_exchange *x, const struct web_browser *b, struct oauth_waiting *w,
    bool chose_nothing)
{
	struct client_wanted_body body;
	struct looking_up *l;

	if (w->error != NULL) {
		tell_error(g, x, b, w);
		return;
	}
	memcpy(body.client, w->client, SHA256_LEN);
	oauth_hash(w->redirect_registered, body.redirect);
	if ((l = calloc(1, sizeof *l)) != NULL) {
		*l = (struct looking_up){ .x = x, .chose_nothing = chose_nothing };
		memcpy(l->tx, w->tx, sizeof l->tx);
		if (http_oauth_ask(g, MSG_CLIENT_WANTED, &body, on_looked_up, l) == OK)
			return;
		free(l);
	}
	show(g, x, b, w, NULL, chose_nothing);
}

static void
on_decided(struct http_gateway *g, void *arg, enum err e, const union any_body *answer)
{
	struct deciding d = *(struct deciding *)arg;
	struct web_browser b;

	(void)answer;
	free(arg);
	web_browser_of(g, http_exchange_request(d.x), false, &b);
	if (e == OK)
		web_say_back(d.x, &b, secret_span(d.where));
	else
		web_say_notice(d.x, 503, &b, e == ERR_LOCKED ? WEB_LOCKED : e == ERR_PROFILE_OFF ? WEB_OFF :
		    e == ERR_MAINTENANCE ? WEB_MAINTENANCE : e == ERR_BUSY ? WEB_BUSY : e == ERR_PROFILE_FULL ? WEB_FULL :
		    WEB_FAILED);
	secret_free(&d.where);
}

/* Asks grants to keep it; the request is over, whatever comes of it. */
static void
allow(struct http_gateway *g, struct http_exchange *x, const struct web_browser *b, struct oauth_waiting *w,
    uint8_t scopes, uint8_t categories)
{
	struct consent_body body = { .scopes = scopes, .categories = categories, .name = w->name,
	    .redirect = w->redirect_registered };
	struct deciding *d = calloc(1, sizeof *d);
	char code[OAUTH_TOKEN_LEN + 1];
	enum err e = ERR_NO_MEMORY;

	oauth_token_make(OAUTH_CODE, code);
	if (d != NULL && way_back(g, w, code, NULL, &d->where)) {
		d->x = x;
		memcpy(body.client, w->client, SHA256_LEN);
		memcpy(body.challenge, w->challenge, SHA256_LEN);
		oauth_hash(w->redirect_registered, body.redirect_hash);
		oauth_hash(w->redirect, body.redirect_given);
		oauth_hash(span_of(code), body.code);
		e = http_oauth_ask(g, MSG_CONSENT, &body, on_decided, d);
	}
	wipe(code, sizeof code);
	end(g, b, w);
	if (e == OK)
		return;
	if (d != NULL)
		secret_free(&d->where);
	free(d);
	web_say_notice(x, 503, b, WEB_BUSY);
}

/* The boxes that were ticked. False: one that we do not have. */
static bool
take_boxes(const struct http_form *f, uint8_t *scopes, uint8_t *categories)
{
	enum category category;
	enum scope scope;

	*scopes = *categories = 0;
	for (size_t i = 0; i < f->n; i++) {
		const char *value = (const char *)f->fields[i].value.p;
		size_t len = f->fields[i].value.len;

		if (span_is(f->fields[i].name, "scope")) {
			if (!scope_of_name(value, len, &scope))
				return false;
			*scopes |= (uint8_t)(1u << scope);
		} else if (span_is(f->fields[i].name, "category")) {
			if (!category_of_name(value, len, &category) || (CATEGORIES_SHAREABLE & 1u << category) == 0)
				return false;
			*categories |= (uint8_t)(1u << category);
		}
	}
	return true;
}

static void
decide(struct http_gateway *g, struct http_exchange *x, const struct http_form *f, const struct web_browser *b,
    struct oauth_waiting *w)
{
	uint8_t scopes, categories;
	struct span decision;

	if (http_form_value(f, "decision", &decision) != 1 || !take_boxes(f, &scopes, &categories))
		web_say_notice(x, 400, b, WEB_MALFORMED);
	else if (span_is(decision, "deny"))
		send_back(g, x, b, w, "access_denied");
	else if (!span_is(decision, "allow"))
		web_say_notice(x, 400, b, WEB_MALFORMED);
	else if ((scopes = scopes_closed(scopes & w->scopes)) == 0 || categories == 0)
		web_go_on(g, x, b, w, true);
	else
		allow(g, x, b, w, scopes, categories);
}

/* A form from our own page, in the browser that logged in; NULL: x is answered. */
static struct oauth_waiting *
waiting_of(struct http_gateway *g, struct http_exchange *x, const struct http_form *f, const struct web_browser *b)
{
	struct span tx, mark;
	struct oauth_waiting *w = NULL;

	if (!web_is_own_form(g, http_exchange_request(x)) || http_form_value(f, "tx", &tx) != 1 ||
	    http_form_value(f, "csrf", &mark) != 1 || !web_mark_holds(g, b, tx, "consent", mark))
		web_say_notice(x, 403, b, WEB_FORBIDDEN);
	else if ((w = oauth_waiting_find(&g->pages->waitings, tx, b->hash, clock_mono())) == NULL)
		web_say_notice(x, 400, b, WEB_EXPIRED);
	return w;
}

/* GET shows the page again, which decides nothing. */
static void
show_again(struct http_gateway *g, struct http_exchange *x, const struct http_form *f, const struct web_browser *b)
{
	struct oauth_waiting *w;
	struct span tx;

	if (http_form_value(f, "tx", &tx) != 1 ||
	    (w = oauth_waiting_find(&g->pages->waitings, tx, b->hash, clock_mono())) == NULL)
		web_say_notice(x, 400, b, WEB_EXPIRED);
	else if (!may_decide(b, w))
		web_say_login(g, x, 200, b, w->tx, WEB_LOGIN_ASKS, 0);
	else
		web_go_on(g, x, b, w, false);
}

static void
take_decision(struct http_gateway *g, struct http_exchange *x, const struct http_form *f, const struct web_browser *b)
{
	struct oauth_waiting *w = waiting_of(g, x, f, b);

	if (w == NULL)
		return;
	if (!may_decide(b, w))
		web_say_login(g, x, 200, b, w->tx, WEB_LOGIN_ASKS, 0);
	else if (w->error != NULL)
		tell_error(g, x, b, w);
	else
		decide(g, x, f, b, w);
}

void
http_pages_on_consent(struct http_gateway *g, struct http_exchange *x)
{
	const struct http_request *r = http_exchange_request(x);
	bool is_post = r->method == HTTP_POST;
	struct web_browser b;
	struct http_form f;

	web_browser_of(g, r, false, &b);
	if (g->oauth->form_key == NULL) {
		web_say_notice(x, 503, &b, WEB_LOCKED);
		return;
	}
	if (r->body.len > WEB_FORM_MAX || http_form_parse(is_post ? r->body : r->query, &f) != OK) {
		web_say_notice(x, 400, &b, WEB_MALFORMED);
		return;
	}
	if (is_post)
		take_decision(g, x, &f, &b);
	else
		show_again(g, x, &f, &b);
	http_form_free(&f);
}
