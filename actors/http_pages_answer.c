/* How pages are answered, and how a browser is known again. */
#include <stdio.h>

#include "actors/http_pages_inside.h"
#include "escrow/random.h"
#include "gateway/http_cookie.h"
#include "gateway/http_origin.h"
#include "gateway/span.h"
#include "mailbox/base64.h"

#define KNOWN_BYTES (WEB_KNOWN_BYTES + 32)
#define KNOWN_LEN   64
#define HTML        "text/html; charset=utf-8"

static bool
is_cookie(struct span value)
{
	uint8_t bytes[WEB_COOKIE_BYTES + 3];
	size_t len = 0;
	bool is = value.len == WEB_COOKIE_LEN && base64_decode(value, bytes, &len) == OK && len == WEB_COOKIE_BYTES;

	wipe(bytes, sizeof bytes);
	return is;
}

void
web_cookie_make(char out[WEB_COOKIE_LEN + 1], uint8_t hash[SHA256_LEN])
{
	uint8_t bytes[WEB_COOKIE_BYTES];

	random_bytes(bytes, sizeof bytes);
	base64_encode((struct span){ bytes, sizeof bytes }, out);
	out[WEB_COOKIE_LEN] = '\0';
	oauth_hash(span_of(out), hash);
	wipe(bytes, sizeof bytes);
}

void
web_browser_of(struct http_gateway *g, const struct http_request *r, bool makes, struct web_browser *out)
{
	struct mono_ms now = clock_mono();
	struct span language, cookie;

	memset(out, 0, sizeof *out);
	http_header(r, "accept-language", &language);
	out->language = web_language_of(language);
	if (http_cookie(r, WEB_COOKIE, &cookie) == 1 && is_cookie(cookie)) {
		oauth_hash(cookie, out->hash);
		out->session = web_sessions_find(&g->pages->sessions, out->hash, now);
		out->is_fresh = out->session != NULL && web_session_is_fresh(out->session, now);
	} else if (makes)
		web_cookie_make(out->cookie, out->hash);
}

static void
set_cookie(struct http_response *r, const char *cookie)
{
	char text[160];

	snprintf(text, sizeof text, "%s=%s; Path=/; Secure; HttpOnly; SameSite=Lax", WEB_COOKIE, cookie);
	http_response_header(r, "Set-Cookie", text);
	wipe(text, sizeof text);
}

static void
make_mark(const struct http_gateway *g, const struct web_browser *b, struct span tx, const char *purpose,
    uint8_t out[32])
{
	uint8_t context[SHA256_LEN + OAUTH_TX_LEN + 16] = { 0 };

	memcpy(context, b->hash, SHA256_LEN);
	memcpy(context + SHA256_LEN, tx.p, tx.len < OAUTH_TX_LEN ? tx.len : OAUTH_TX_LEN);
	snprintf((char *)context + SHA256_LEN + OAUTH_TX_LEN, 16, "%s", purpose);
	keyed_tag(g->oauth->form_key, "memories/web-form/v1", (struct span){ context, sizeof context }, out);
}

void
web_mark(const struct http_gateway *g, const struct web_browser *b, const char *tx, const char *purpose,
    char out[WEB_MARK_LEN + 1])
{
	uint8_t tag[32];

	make_mark(g, b, span_of(tx), purpose, tag);
	base64_encode((struct span){ tag, sizeof tag }, out);
	out[WEB_MARK_LEN] = '\0';
}

bool
web_mark_holds(const struct http_gateway *g, const struct web_browser *b, struct span tx, const char *purpose,
    struct span mark)
{
	uint8_t tag[32], sent[32 + 3];
	size_t len = 0;

	if (mark.len != WEB_MARK_LEN || tx.len != OAUTH_TX_LEN || base64_decode(mark, sent, &len) != OK ||
	    len != sizeof tag)
		return false;
	make_mark(g, b, tx, purpose, tag);
	return same_bytes(tag, sent, sizeof tag);
}

/* Bound to the password, so a new one knows nobody. */
static void
known_tag(const struct http_gateway *g, const uint8_t id[WEB_KNOWN_BYTES], uint8_t out[32])
{
	uint8_t context[WEB_KNOWN_BYTES + SHA256_LEN];

	memcpy(context, id, WEB_KNOWN_BYTES);
	oauth_hash(secret_span(g->oauth->verifier), context + WEB_KNOWN_BYTES);
	keyed_tag(g->oauth->form_key, "memories/web-known/v1", (struct span){ context, sizeof context }, out);
}

bool
web_is_known(const struct http_gateway *g, const struct http_request *r, uint8_t id[WEB_KNOWN_BYTES])
{
	uint8_t bytes[KNOWN_BYTES + 3], tag[32];
	struct span value;
	size_t len = 0;
	bool is;

	/* Without the pages' keys nobody can be told from others. */
	if (g->oauth->form_key == NULL || http_cookie(r, WEB_COOKIE_KNOWN, &value) != 1 || value.len != KNOWN_LEN ||
	    base64_decode(value, bytes, &len) != OK)
		return false;
	known_tag(g, bytes, tag);
	if (id != NULL)
		memcpy(id, bytes, WEB_KNOWN_BYTES);
	is = same_bytes(tag, bytes + WEB_KNOWN_BYTES, sizeof tag);
	wipe(bytes, sizeof bytes);
	wipe(tag, sizeof tag);
	return is;
}

static void
set_known(const struct http_gateway *g, struct http_response *r)
{
	uint8_t bytes[KNOWN_BYTES];
	char value[KNOWN_LEN + 1], text[200];

	random_bytes(bytes, WEB_KNOWN_BYTES);
	known_tag(g, bytes, bytes + WEB_KNOWN_BYTES);
	base64_encode((struct span){ bytes, sizeof bytes }, value);
	value[KNOWN_LEN] = '\0';
	snprintf(text, sizeof text, "%s=%s; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=15552000",
	    WEB_COOKIE_KNOWN, value);
	http_response_header(r, "Set-Cookie", text);
	wipe(bytes, sizeof bytes);
	wipe(value, sizeof value);
	wipe(text, sizeof text);
}

bool
web_is_own_form(const struct http_gateway *g, const struct http_request *r)
{
	struct span origin, site;
	size_t n = http_header(r, "origin", &origin);

	if (n > 0)
		return n == 1 && http_origin_is_own(g->config, origin);
	return http_header(r, "sec-fetch-site", &site) == 1 && span_is(site, "same-origin");
}

static void
add_headers(struct http_response *r, const struct web_browser *b, const char *policy)
{
	http_response_header(r, "Content-Security-Policy", policy);
	http_response_header(r, "Referrer-Policy", "same-origin");
	http_response_header(r, "Cache-Control", "no-store");
	if (b->cookie[0] != '\0')
		set_cookie(r, b->cookie);
}

static void
say(struct http_exchange *x, int status, const struct web_browser *b, const char *policy, unsigned seconds, enum err e,
    struct secret *page)
{
	struct http_response r;
	char text[16];

	http_response_start(&r, e == OK ? status : 500);
	add_headers(&r, b, policy);
	snprintf(text, sizeof text, "%u", seconds);
	if (seconds > 0)
		http_response_header(&r, "Retry-After", text);
	if (e == OK)
		http_response_body(&r, HTML, secret_span(page));
	secret_free(&page);
	http_exchange_answer(x, &r);
}

void
web_say(struct http_exchange *x, int status, const struct web_browser *b, const char *policy, enum err e,
    struct secret *page)
{
	say(x, status, b, policy, 0, e, page);
}

void
web_say_wait(struct http_exchange *x, int status, const struct web_browser *b, unsigned seconds, enum err e,
    struct secret *page)
{
	say(x, status, b, WEB_POLICY, seconds, e, page);
}

void
web_say_notice(struct http_exchange *x, int status, const struct web_browser *b, enum web_notice what)
{
	struct secret *page = NULL;
	enum err e = web_notice_page(b->language, what, (struct span){ NULL, 0 }, &page);

	web_say_wait(x, status, b, status == 503 ? 5 : 0, e, page);
}

void
web_say_login(struct http_gateway *g, struct http_exchange *x, int status, const struct web_browser *b, const char *tx,
    enum web_login_state state, uint64_t wait_ms)
{
	char mark[WEB_MARK_LEN + 1];
	struct web_login p = { state, mark, tx, (unsigned)((wait_ms + 999) / 1000) };
	struct secret *page = NULL;
	enum err e;

	if (secret_len(g->oauth->verifier) == 0)
		p.state = WEB_LOGIN_NO_PASSWORD;
	web_mark(g, b, tx, "login", mark);
	e = web_login_page(b->language, &p, &page);
	web_say_wait(x, status, b, status != 429 ? 0 : p.seconds > 0 ? p.seconds : 2, e, page);
}

static void
start_moved(struct http_response *r, const struct web_browser *b, struct span where)
{
	http_response_start(r, 303);
	http_response_header_span(r, "Location", where);
	add_headers(r, b, WEB_POLICY_CONSENT);
}

void
web_say_welcome(struct http_exchange *x, const struct http_gateway *g, const struct web_browser *b, struct span where)
{
	struct http_response r;

	start_moved(&r, b, where);
	set_known(g, &r);
	http_exchange_answer(x, &r);
}

void
web_say_back(struct http_exchange *x, const struct web_browser *b, struct span where)
{
	struct http_response r;

	start_moved(&r, b, where);
	http_response_header(&r, "Set-Cookie", WEB_COOKIE "=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
	http_exchange_answer(x, &r);
}
