/* http_rig: actor http alone, with a browser and programs that speak to it without sockets. */
#ifndef TESTS_ACTORS_HTTP_RIG_H
#define TESTS_ACTORS_HTTP_RIG_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actors/http_gateway.h"
#include "actors/http_routes.h"
#include "escrow/channel.h"
#include "escrow/password.h"
#include "gateway/span.h"
#include "gateway/web_keys.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

#define ORIGIN   "http://127.0.0.1:8787"
#define HOST     "Host: 127.0.0.1:8787\r\n"
#define FORM     "Content-Type: application/x-www-form-urlencoded\r\n"
#define PASSWORD "correct horse battery"

/* One answer; status 0: not yet. */
struct answer {
	int  status;
	char body[32769];
	char location[4096];
	char cookies[512]; /* all Set-Cookie, one after the other */
	char headers[8192];
};

struct http_rig {
	struct rig   *rig;
	struct answer at[16];
	size_t        n;
	char          cookie[256]; /* what the browser sends: "name=value" */
};

static inline void
http_rig_on_answer(void *arg, const struct http_response *r)
{
	struct answer *a = arg;

	memset(a, 0, sizeof *a);
	if (r->body != NULL) {
		assert_true(secret_len(r->body) < sizeof a->body);
		memcpy(a->body, secret_view(r->body), secret_len(r->body));
	}
	for (size_t i = 0; i < r->n_headers; i++) {
		size_t len = strlen(a->headers);

		snprintf(a->headers + len, sizeof a->headers - len, "%s: %.*s\n", r->headers[i].name, (int)r->headers[i].len,
		    r->text + r->headers[i].offset);
		if (strcmp(r->headers[i].name, "Location") == 0)
			memcpy(a->location, r->text + r->headers[i].offset, r->headers[i].len);
		if (strcmp(r->headers[i].name, "Set-Cookie") == 0)
			strncat(a->cookies, r->text + r->headers[i].offset, r->headers[i].len);
	}
	a->status = r->failed ? 500 : r->status;
}

/* Sends a request; its answer comes into the returned place, now or later. */
static inline struct answer *
http_rig_send(struct http_rig *h, const char *method, const char *target, const char *headers, const char *body)
{
	static char text[40000];
	struct answer *a = &h->at[h->n++ % 16];
	struct http_exchange *x;
	char cookie[300] = "";

	memset(a, 0, sizeof *a);
	if (h->cookie[0] != '\0')
		snprintf(cookie, sizeof cookie, "Cookie: %s\r\n", h->cookie);
	snprintf(text, sizeof text, "%s %s HTTP/1.1\r\n" HOST "%s%sContent-Length: %zu\r\n\r\n%s", method, target, cookie,
	    headers,
	    strlen(body), body);
	assert_int_equal(http_exchange_of(span_of(text), http_rig_on_answer, a, &x), OK);
	rig_tick(h->rig, clock_mono());
	http_dispatch(rig_self(h->rig), x);
	assert_int_equal(rig_batch(h->rig), OK);
	return a;
}

/* A browser takes the cookie that was set. */
static inline void
http_rig_keep_cookie(struct http_rig *h, const struct answer *a)
{
	const char *end = strchr(a->cookies, ';');

	if (end != NULL)
		snprintf(h->cookie, sizeof h->cookie, "%.*s", (int)(end - a->cookies), a->cookies);
}

/* What stands behind name="…" value=" on a page. */
static inline const char *
http_rig_field(const struct answer *a, const char *name, char out[64])
{
	char mark[80];
	const char *at;

	snprintf(mark, sizeof mark, "name=\"%s\" value=\"", name);
	at = strstr(a->body, mark);
	assert_non_null(at);
	snprintf(out, 64, "%.*s", (int)strcspn(at + strlen(mark), "\""), at + strlen(mark));
	return out;
}

/* Waits until a password has been tried. */
static inline void
http_rig_await(struct http_rig *h, const struct answer *a)
{
	for (unsigned i = 0; i < 10000 && a->status == 0; i++) {
		usleep(1000);
		rig_tick(h->rig, clock_mono());
	}
	assert_int_not_equal(a->status, 0);
}

/* What the profile says when it is opened; verifier "": no password is set. */
static inline void
http_rig_keys(struct http_rig *h, const char *verifier)
{
	uint8_t bytes[KEY_LEN] = { 9 }, boxed[WEB_KEYS_BOXED_MAX];
	struct web_keys_body b;
	struct channel c;
	struct key *web;
	size_t len;

	assert_int_equal(key_of(bytes, &web), OK);
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_PROFILE, ACTOR_HTTP), &c), OK);
	assert_int_equal(web_keys_box(c.down, web, span_of(verifier), boxed, &len), OK);
	b.boxed = (struct span){ boxed, len };
	assert_int_equal(rig_deliver(h->rig, MSG_WEB_KEYS, ACTOR_PROFILE, 0, &b), OK);
	channel_free(&c);
	key_free(&web);
}

static inline void
http_rig_password(struct http_rig *h, const char *password)
{
	char verifier[PASSWORD_VERIFIER_MAX];
	struct secret *s;

	assert_int_equal(secret_new(strlen(password), &s), OK);
	memcpy(secret_bytes(s), password, strlen(password));
	assert_int_equal(password_verifier(s, true, verifier), OK);
	secret_free(&s);
	http_rig_keys(h, verifier);
}

static inline void
http_rig_start(struct http_rig *h)
{
	struct http_gateway *g;

	memset(h, 0, sizeof *h);
	assert_int_equal(secret_init(true), OK);
	assert_int_equal(rig_open(&http_gateway_actor, NULL, &h->rig), OK);
	rig_edge(h->rig, ACTOR_GRANTS, true);
	rig_edge(h->rig, ACTOR_PROFILE, true);
	rig_forget(h->rig);
	/* Set by hand: the port of the defaults may be another's. */
	g = rig_self(h->rig);
	g->phase = HTTP_SERVES;
	http_rig_password(h, PASSWORD);
}

#endif
