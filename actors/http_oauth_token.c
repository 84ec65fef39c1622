/* /token and /revoke: a form comes in, grants is asked, what it says goes out. */
#include <stdlib.h>
#include <strings.h>

#include "actors/http_oauth_inside.h"
#include "gateway/span.h"
#include "mailbox/base64.h"

/* One code that is being redeemed. */
struct redeeming {
	struct http_exchange *x;
	char                  access[OAUTH_TOKEN_LEN + 1], refresh[OAUTH_TOKEN_LEN + 1];
};

static struct oauth_form
view(const struct http_form *f)
{
	return (struct oauth_form){ f->fields, f->n };
}

/* Our clients have no secret: who sends one is not one of ours. */
static bool
sends_secret(const struct http_request *r)
{
	uint8_t plain[1024];
	struct span value;
	size_t len = 0;
	bool sends;

	if (http_header(r, "authorization", &value) == 0 || value.len < 6 ||
	    strncasecmp((const char *)value.p, "basic ", 6) != 0)
		return false;
	value = span_after(value, 6);
	if (value.len == 0 || value.len > sizeof plain || base64_decode_padded(value, plain, &len) != OK)
		return true;
	sends = plain[len - 1] != ':';
	wipe(plain, sizeof plain);
	return sends;
}

static void
on_redeemed(struct http_gateway *g, void *arg, enum err e, const union any_body *answer)
{
	struct redeeming *d = arg;
	struct json_writer w = { 0 };
	struct http_exchange *x = d->x;

	(void)g;
	if (e == OK)
		oauth_token_write(&w, d->access, d->refresh, answer->token_found.scopes, answer->token_found.left_ms / 1000);
	wipe(d, sizeof *d);
	free(d);
	if (e == OK)
		http_oauth_answer_json(x, 200, &w);
	else
		/* Of a code a scope that is gone is no more than a code that is over. */
		http_oauth_refuse_for(x, e == ERR_INSUFFICIENT_SCOPE ? ERR_INVALID_TOKEN : e);
}

static void
redeem(struct http_gateway *g, struct http_exchange *x, const struct oauth_token_request *r)
{
	struct redeeming *d = calloc(1, sizeof *d);
	struct code_redeem_body b = { .has_redirect = r->has_redirect };
	enum err e = ERR_NO_MEMORY;

	if (d != NULL) {
		d->x = x;
		oauth_token_make(OAUTH_ACCESS, d->access);
		oauth_token_make(OAUTH_REFRESH, d->refresh);
		memcpy(b.code, r->shown, SHA256_LEN);
		memcpy(b.client, r->client, SHA256_LEN);
		memcpy(b.redirect_given, r->redirect, SHA256_LEN);
		memcpy(b.challenge, r->challenge, SHA256_LEN);
		oauth_hash(span_of(d->access), b.access);
		oauth_hash(span_of(d->refresh), b.refresh);
		e = http_oauth_ask(g, MSG_CODE_REDEEM, &b, on_redeemed, d);
	}
	if (e == OK)
		return;
	if (d != NULL)
		wipe(d, sizeof *d);
	free(d);
	http_oauth_refuse_for(x, e);
}

void
http_oauth_on_token(struct http_gateway *g, struct http_exchange *x)
{
	struct oauth_token_request request;
	enum oauth_token_error e;
	struct oauth_form form;
	struct http_form f;

	if (http_exchange_request(x)->method == HTTP_OPTIONS) {
		http_oauth_preflight(x, "POST");
		return;
	}
	if (sends_secret(http_exchange_request(x))) {
		http_oauth_refuse(x, OAUTH_INVALID_CLIENT);
		return;
	}
	if (!http_oauth_form(x, OAUTH_TOKEN_BODY_MAX, &f))
		return;
	form = view(&f);
	e = g->oauth->client_key == NULL ? OAUTH_TOO_MANY
	    : oauth_token_check(&form, g->config->origin, g->oauth->client_key, &request);
	http_form_free(&f);
	if (e != OAUTH_TOKEN_OK)
		http_oauth_refuse(x, e);
	else if (request.grant == OAUTH_BY_CODE)
		redeem(g, x, &request);
	else
		http_oauth_hold(g, x, &request);
}

static void
say_revoked(struct http_exchange *x)
{
	struct http_response r;

	http_response_start(&r, 200);
	http_oauth_cors(&r);
	http_response_header(&r, "Cache-Control", "no-store");
	http_exchange_answer(x, &r);
}

static void
on_revoked(struct http_gateway *g, void *arg, enum err e, const union any_body *answer)
{
	(void)g;
	(void)answer;
	if (e == OK)
		say_revoked(arg);
	else
		http_oauth_refuse_for(arg, e == ERR_INVALID_TOKEN ? ERR_INTERNAL : e);
}

void
http_oauth_on_revoke(struct http_gateway *g, struct http_exchange *x)
{
	struct oauth_revoke_request request;
	struct token_revoke_body b;
	enum oauth_token_error e;
	struct oauth_form form;
	struct http_form f;
	enum err asked;

	if (http_exchange_request(x)->method == HTTP_OPTIONS) {
		http_oauth_preflight(x, "POST");
		return;
	}
	if (!http_oauth_form(x, OAUTH_TOKEN_BODY_MAX, &f))
		return;
	form = view(&f);
	e = g->oauth->client_key == NULL ? OAUTH_TOO_MANY : oauth_revoke_check(&form, g->oauth->client_key, &request);
	http_form_free(&f);
	if (e != OAUTH_TOKEN_OK) {
		http_oauth_refuse(x, e);
		return;
	}
	if (request.is_nobodys) {
		say_revoked(x);
		return;
	}
	memcpy(b.token, request.token, SHA256_LEN);
	memcpy(b.client, request.client, SHA256_LEN);
	if ((asked = http_oauth_ask(g, MSG_TOKEN_REVOKE, &b, on_revoked, x)) != OK)
		http_oauth_refuse_for(x, asked);
}
