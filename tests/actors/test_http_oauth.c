/* OAuth over the actor: registration, login, consent, tokens; grants is played. */
#include "actors/http_pages_inside.h"
#include "gateway/oauth_hash.h"
#include "gateway/oauth_pkce.h"
#include "tests/actors/http_rig.h"

#define REDIRECT  "http://127.0.0.1:5123/cb"
#define VERIFIER  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define OWN       "Origin: " ORIGIN "\r\n"

static struct http_rig h;
static char client_id[2000];

static void
register_client(const char *redirect)
{
	char body[300];
	struct answer *a;
	const char *at;

	snprintf(body, sizeof body, "{\"client_name\":\"Tester\",\"redirect_uris\":[\"%s\"]}", redirect);
	a = http_rig_send(&h, "POST", "/register", "Content-Type: application/json\r\n", body);
	assert_int_equal(a->status, 201);
	at = strstr(a->body, "\"client_id\":\"") + 13;
	snprintf(client_id, sizeof client_id, "%.*s", (int)strcspn(at, "\""), at);
}

static int
start(void **state)
{
	(void)state;
	fake_clock_set(1796083200000, 5000000);
	http_rig_start(&h);
	register_client("http://127.0.0.1/cb");
	return 0;
}

static int
stop(void **state)
{
	(void)state;
	if (h.rig != NULL)
		rig_close(&h.rig);
	fake_clock_off();
	return 0;
}

static struct answer *
authorize(const char *more)
{
	char target[6000];
	struct answer *a;

	snprintf(target, sizeof target, "/authorize?response_type=code&client_id=%s&redirect_uri=" REDIRECT
	    "&code_challenge=" CHALLENGE "&code_challenge_method=S256&state=a%%20b&scope=profile%%3Aread+profile:propose+context:search%s",
	    client_id, more);
	a = http_rig_send(&h, "GET", target, "", "");
	http_rig_keep_cookie(&h, a);
	return a;
}

static struct answer *
post_login(const struct answer *page, const char *password, const char *headers)
{
	char csrf[64], tx[64], body[400], all[400];

	snprintf(all, sizeof all, FORM "%s", headers);
	snprintf(body, sizeof body, "csrf=%s&tx=%s&password=%s", http_rig_field(page, "csrf", csrf), http_rig_field(page,
	    "tx", tx),
	    password);
	return http_rig_send(&h, "POST", "/login", all, body);
}

/* From a login page to the consent page. */
static struct answer *
log_in(const struct answer *page)
{
	struct answer *a = post_login(page, "correct+horse+battery", OWN), *consent;

	http_rig_await(&h, a);
	assert_int_equal(a->status, 303);
	http_rig_keep_cookie(&h, a);
	consent = http_rig_send(&h, "GET", a->location, "", "");
	return consent;
}

/* grants knows nothing of this client. */
static void
answer_client(struct uuid connection)
{
	struct connection_body found = { .connection = connection, .created_wall_ms = 1796083200000 };

	assert_non_null(rig_expect(h.rig, MSG_CLIENT_WANTED));
	assert_int_equal(rig_deliver(h.rig, MSG_CLIENT_FOUND, ACTOR_GRANTS, rig_ask_id(h.rig), &found), OK);
}

static struct answer *
consent_page(void)
{
	struct answer *a = log_in(authorize(""));

	answer_client((struct uuid){ { 0 } });
	assert_int_equal(a->status, 200);
	return a;
}

static struct answer *
post_consent(const struct answer *page, const char *fields, const char *headers)
{
	char csrf[64], tx[64], body[600], all[400];

	snprintf(all, sizeof all, FORM "%s", headers);
	snprintf(body, sizeof body, "csrf=%s&tx=%s%s", http_rig_field(page, "csrf", csrf), http_rig_field(page, "tx", tx),
	    fields);
	return http_rig_send(&h, "POST", "/consent", all, body);
}

#define ALLOW "&scope=profile:read&scope=context:search&category=basic&category=goal&decision=allow"

/* All the way; the code comes back in out, the message to grants in *consent. */
static void
get_code(char out[64], struct consent_body *consent)
{
	struct answer *page = consent_page(), *a = post_consent(page, ALLOW, OWN);
	const union any_body *b = rig_expect(h.rig, MSG_CONSENT);
	const char *at;

	assert_non_null(b);
	*consent = b->consent;
	assert_int_equal(a->status, 0);
	assert_int_equal(rig_deliver(h.rig, MSG_CONSENT_KEPT, ACTOR_GRANTS, rig_ask_id(h.rig),
	    &(struct one_id_body){ { { 1 } } }), OK);
	assert_int_equal(a->status, 303);
	assert_true(span_starts(span_of(a->location), REDIRECT "?code=mac_"));
	assert_non_null(strstr(a->location, "&state=a%20b&iss=http%3A%2F%2F127.0.0.1%3A8787"));
	at = strstr(a->location, "mac_");
	snprintf(out, 64, "%.*s", OAUTH_TOKEN_LEN, at);
}

static void
the_whole_way(void **state)
{
	struct consent_body consent;
	struct token_found_body kept = { .scopes = 9, .left_ms = 600000 };
	const union any_body *b;
	uint8_t hash[SHA256_LEN];
	char code[64], body[3000];
	struct answer *a;

	(void)state;
	get_code(code, &consent);
	assert_int_equal(consent.scopes, 1u << SCOPE_READ | 1u << SCOPE_SEARCH);
	assert_int_equal(consent.categories, 1u << CATEGORY_BASIC | 1u << CATEGORY_GOAL);
	oauth_hash(span_of(code), hash);
	assert_memory_equal(consent.code, hash, SHA256_LEN);
	oauth_hash(span_of(client_id), hash);
	assert_memory_equal(consent.client, hash, SHA256_LEN);
	oauth_hash(span_of(REDIRECT), hash);
	assert_memory_equal(consent.redirect_given, hash, SHA256_LEN);
	oauth_hash(span_of("http://127.0.0.1/cb"), hash);
	assert_memory_equal(consent.redirect_hash, hash, SHA256_LEN);

	snprintf(body, sizeof body,
	    "grant_type=authorization_code&client_id=%s&code=%s&redirect_uri=" REDIRECT "&code_verifier=" VERIFIER,
	    client_id, code);
	a = http_rig_send(&h, "POST", "/token", FORM, body);
	b = rig_expect(h.rig, MSG_CODE_REDEEM);
	assert_non_null(b);
	assert_memory_equal(b->code_redeem.code, consent.code, SHA256_LEN);
	assert_memory_equal(b->code_redeem.client, consent.client, SHA256_LEN);
	assert_memory_equal(b->code_redeem.redirect_given, consent.redirect_given, SHA256_LEN);
	assert_memory_equal(b->code_redeem.challenge, consent.challenge, SHA256_LEN);
	memcpy(hash, b->code_redeem.access, SHA256_LEN);
	assert_int_equal(rig_deliver(h.rig, MSG_TOKENS_KEPT, ACTOR_GRANTS, rig_ask_id(h.rig), &kept), OK);
	assert_int_equal(a->status, 200);
	assert_non_null(strstr(a->headers, "Cache-Control: no-store"));
	assert_non_null(strstr(a->headers, "Access-Control-Allow-Origin: *"));
	assert_non_null(strstr(a->body, "\"token_type\":\"Bearer\",\"expires_in\":600,\"refresh_token\":\"mrt_"));
	assert_non_null(strstr(a->body, "\"scope\":\"profile:read context:search\"}"));
	/* What grants knows is the hash of what the client has. */
	{
		uint8_t of_token[SHA256_LEN];

		oauth_hash((struct span){ (const uint8_t *)strstr(a->body, "mat_"), OAUTH_TOKEN_LEN }, of_token);
		assert_memory_equal(of_token, hash, SHA256_LEN);
	}
}

static void
login_begins_a_session_of_its_own(void **state)
{
	struct answer *page = authorize("");
	char before[256];
	struct answer *a;

	(void)state;
	assert_int_equal(page->status, 200);
	assert_non_null(strstr(page->cookies, "__Host-memories="));
	assert_non_null(strstr(page->cookies, "; Path=/; Secure; HttpOnly; SameSite=Lax"));
	assert_non_null(strstr(page->headers, "form-action 'self'"));
	assert_non_null(strstr(page->headers, "Referrer-Policy: same-origin"));
	memcpy(before, h.cookie, sizeof before);
	a = post_login(page, "correct+horse+battery", OWN);
	http_rig_await(&h, a);
	assert_int_equal(a->status, 303);
	assert_true(span_starts(span_of(a->location), "/consent?tx="));
	assert_non_null(strstr(a->cookies, "__Host-memories-known="));
	http_rig_keep_cookie(&h, a);
	assert_string_not_equal(h.cookie, before);
	/* The cookie of before is nobody's. */
	memcpy(h.cookie, before, sizeof before);
	assert_int_equal(http_rig_send(&h, "GET", a->location, "", "")->status, 400);
}

static bool
is_known(const char *value)
{
	struct http_exchange *x;
	struct answer a;
	char text[400];
	bool known;

	snprintf(text, sizeof text, "GET / HTTP/1.1\r\n" HOST "Cookie: x=y; __Host-memories-known=%s\r\n\r\n", value);
	assert_int_equal(http_exchange_of(span_of(text), http_rig_on_answer, &a, &x), OK);
	known = web_is_known(rig_self(h.rig), http_exchange_request(x), NULL);
	http_dispatch(rig_self(h.rig), x);
	return known;
}

static void
a_browser_is_known_until_the_password_changes(void **state)
{
	struct answer *a = post_login(authorize(""), "correct+horse+battery", OWN);
	char value[80] = "";

	(void)state;
	http_rig_await(&h, a);
	memcpy(value, strstr(a->cookies, "-known=") + 7, 64);
	assert_true(is_known(value));
	value[5] = value[5] == 'A' ? 'B' : 'A';
	assert_false(is_known(value));
	assert_false(is_known(""));
	memcpy(value, strstr(a->cookies, "-known=") + 7, 64);
	http_rig_password(&h, "another one");
	assert_false(is_known(value));
}

static void
a_wrong_password_is_told_and_slows_down(void **state)
{
	struct answer *page = authorize(""), *a = NULL;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		a = post_login(page, "wrong", OWN);
		http_rig_await(&h, a);
		assert_int_equal(a->status, 403);
		assert_non_null(strstr(a->body, "not the password"));
	}
	a = post_login(page, "correct+horse+battery", OWN);
	assert_int_equal(a->status, 429);
	assert_non_null(strstr(a->headers, "Retry-After: 1\n"));
	fake_clock_advance(1000);
	a = post_login(page, "correct+horse+battery", OWN);
	http_rig_await(&h, a);
	assert_int_equal(a->status, 303);
}

static void
no_password_is_set(void **state)
{
	struct answer *a;

	(void)state;
	http_rig_keys(&h, "");
	a = authorize("");
	assert_int_equal(a->status, 200);
	assert_non_null(strstr(a->body, "memories profile passwd"));
	assert_null(strstr(a->body, "<form"));
}

static void
pages_end_what_is_not_known(void **state)
{
	struct answer *a;
	char good[2000];

	(void)state;
	a = http_rig_send(&h, "GET", "/authorize?client_id=x&redirect_uri=https://evil.example/", "", "");
	assert_int_equal(a->status, 400);
	assert_string_equal(a->location, "");
	memcpy(good, client_id, sizeof good);
	a = authorize("&state=again");
	assert_int_equal(a->status, 400);
	a = authorize("&x=%00");
	assert_int_equal(a->status, 400);
	a = authorize("&x=%zz");
	assert_int_equal(a->status, 400);
	client_id[10] ^= 1;
	a = authorize("");
	assert_int_equal(a->status, 400);
	assert_non_null(strstr(a->body, "is not known here"));
	assert_string_equal(a->location, "");
	memcpy(client_id, good, sizeof good);
	register_client("https://a.example/cb");
	a = authorize("");
	assert_int_equal(a->status, 400);
	assert_non_null(strstr(a->body, "not the registered one"));
}

static void
errors_wait_for_the_login(void **state)
{
	struct answer *a = authorize("&request_uri=x");

	(void)state;
	assert_int_equal(a->status, 200);
	assert_string_equal(a->location, "");
	a = log_in(a);
	assert_int_equal(a->status, 303);
	assert_string_equal(a->location,
	    REDIRECT "?error=request_uri_not_supported&state=a%20b&iss=http%3A%2F%2F127.0.0.1%3A8787");
	assert_true(rig_silent(h.rig));
}

static void
an_error_of_a_stranger_elsewhere_is_a_link(void **state)
{
	char target[3000];
	struct answer *a;

	(void)state;
	register_client("https://a.example/cb");
	snprintf(target, sizeof target, "/authorize?response_type=token&client_id=%s&redirect_uri=https://a.example/cb",
	    client_id);
	a = http_rig_send(&h, "GET", target, "", "");
	http_rig_keep_cookie(&h, a);
	a = log_in(a);
	assert_int_equal(a->status, 400);
	assert_string_equal(a->location, "");
	assert_non_null(strstr(a->body, "href=\"https://a.example/cb?error=unsupported_response_type&amp;iss="));
}

static void
denial_goes_back(void **state)
{
	struct answer *a = post_consent(consent_page(), "&decision=deny", OWN);

	(void)state;
	assert_int_equal(a->status, 303);
	assert_string_equal(a->location, REDIRECT "?error=access_denied&state=a%20b&iss=http%3A%2F%2F127.0.0.1%3A8787");
	assert_true(rig_silent(h.rig));
}

static void
consent_is_one_decision_of_one_browser(void **state)
{
	struct answer page = *consent_page(), *a;
	char cookie[256], csrf[64], tx[64], body[300];

	(void)state;
	assert_null(strstr(page.headers, "form-action"));
	/* Not from elsewhere. */
	assert_int_equal(post_consent(&page, ALLOW, "")->status, 403);
	assert_int_equal(post_consent(&page, ALLOW, "Origin: null\r\n")->status, 403);
	assert_int_equal(post_consent(&page, ALLOW, "Origin: https://evil.example\r\n")->status, 403);
	assert_int_equal(post_consent(&page, ALLOW, OWN OWN)->status, 403);
	assert_int_equal(post_consent(&page, ALLOW, "Sec-Fetch-Site: cross-site\r\n")->status, 403);
	/* Not without the mark, nor with one for something else. */
	http_rig_field(&page, "tx", tx);
	snprintf(body, sizeof body, "tx=%s" ALLOW, tx);
	assert_int_equal(http_rig_send(&h, "POST", "/consent", FORM OWN, body)->status, 403);
	snprintf(body, sizeof body, "csrf=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&tx=%s" ALLOW, tx);
	assert_int_equal(http_rig_send(&h, "POST", "/consent", FORM OWN, body)->status, 403);
	snprintf(body, sizeof body, "csrf=%s&tx=AAAAAAAAAAAAAAAAAAAAAA" ALLOW, http_rig_field(&page, "csrf", csrf));
	assert_int_equal(http_rig_send(&h, "POST", "/consent", FORM OWN, body)->status, 403);
	/* Not in another browser. */
	memcpy(cookie, h.cookie, sizeof cookie);
	h.cookie[0] = '\0';
	assert_int_equal(post_consent(&page, ALLOW, OWN)->status, 403);
	memcpy(h.cookie, cookie, sizeof cookie);
	/* Nothing that we do not have, and not nothing. */
	assert_int_equal(post_consent(&page, "&scope=profile%3Aread&category=health&decision=allow", OWN)->status, 400);
	assert_int_equal(post_consent(&page, "&scope=admin&category=basic&decision=allow", OWN)->status, 400);
	assert_int_equal(post_consent(&page, "&scope=profile%3Aread&category=basic&decision=maybe", OWN)->status, 400);
	assert_true(rig_silent(h.rig));
	a = post_consent(&page, "&scope=context%3Asearch&category=basic&decision=allow", OWN);
	answer_client((struct uuid){ { 0 } });
	assert_int_equal(a->status, 400);
	assert_non_null(strstr(a->body, "Tick at least"));
	/* Not more than was asked for. */
	a = post_consent(&page, "&scope=profile%3Aread&scope=profile%3Acorrect&category=basic&decision=allow",
	    "Sec-Fetch-Site: same-origin\r\n");
	assert_int_equal(rig_expect(h.rig, MSG_CONSENT)->consent.scopes, 1u << SCOPE_READ);
	/* Not twice. */
	assert_int_equal(post_consent(&page, ALLOW, OWN)->status, 400);
	assert_true(rig_silent(h.rig));
	assert_int_equal(rig_deliver(h.rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(h.rig),
	    &(struct refusal_body){ .error = ERR_BUSY }),
	    OK);
	assert_int_equal(a->status, 503);
	assert_string_equal(a->location, "");
}

static void
a_connected_client_is_said_to_be(void **state)
{
	struct answer *a = log_in(authorize(""));

	(void)state;
	answer_client((struct uuid){ { 1 } });
	assert_non_null(strstr(a->body, "You connected it before, on 2026-12-01"));
	/* The same without grants' word. */
	a = log_in(authorize(""));
	assert_non_null(rig_expect(h.rig, MSG_CLIENT_WANTED));
	assert_int_equal(a->status, 0);
	fake_clock_advance(5000);
	rig_tick(h.rig, clock_mono());
	assert_int_equal(a->status, 200);
	assert_non_null(strstr(a->body, "name=\"decision\""));
}

/* What a page shows is asked for again, under its name. */
static struct answer *
again(const struct answer *page)
{
	char target[100], tx[64];

	snprintf(target, sizeof target, "/consent?tx=%s", http_rig_field(page, "tx", tx));
	return http_rig_send(&h, "GET", target, "", "");
}

/* The session's cookie comes to whatever listens on this host, on any port: it must not be enough to begin and to allow. */
static void
a_login_is_for_one_request(void **state)
{
	struct answer first = *consent_page(), second, *a;

	(void)state;
	second = *authorize("");
	assert_non_null(strstr(second.body, "name=\"password\""));
	a = again(&second);
	assert_int_equal(a->status, 200);
	assert_non_null(strstr(a->body, "name=\"password\""));
	assert_null(strstr(a->body, "name=\"decision\""));
	assert_int_equal(post_consent(&second, ALLOW, OWN)->status, 403);
	assert_true(rig_silent(h.rig));
	/* The first still waits for its decision. */
	a = again(&first);
	answer_client((struct uuid){ { 0 } });
	assert_non_null(strstr(a->body, "name=\"decision\""));
}

static void
nothing_is_left_of_a_login_after_the_decision(void **state)
{
	static const char *const decisions[] = { "&decision=deny", ALLOW };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct answer *page = consent_page(), *a = post_consent(page, decisions[i], OWN);

		if (i == 1) {
			assert_non_null(rig_expect(h.rig, MSG_CONSENT));
			assert_int_equal(rig_deliver(h.rig, MSG_CONSENT_KEPT, ACTOR_GRANTS, rig_ask_id(h.rig),
			    &(struct one_id_body){ { { 1 } } }), OK);
		}
		assert_int_equal(a->status, 303);
		assert_true(span_starts(span_of(a->cookies), "__Host-memories=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"));
		/* Whoever kept the cookie is nobody. */
		assert_int_equal(again(page)->status, 400);
		assert_non_null(strstr(authorize("")->body, "name=\"password\""));
	}
}

static void
a_request_ends_after_ten_minutes(void **state)
{
	struct answer page = *consent_page(), *a;

	(void)state;
	fake_clock_advance(590000);
	a = again(&page);
	answer_client((struct uuid){ { 0 } });
	assert_non_null(strstr(a->body, "name=\"decision\""));
	fake_clock_advance(10000);
	assert_int_equal(post_consent(&page, ALLOW, OWN)->status, 400);
	assert_true(rig_silent(h.rig));
}

static void
sessions_end_with_the_keys(void **state)
{
	struct answer page = *consent_page();

	(void)state;
	assert_int_equal(http_rig_send(&h, "GET", "/healthz", "", "")->status, 200);
	assert_int_equal(rig_deliver(h.rig, MSG_WEB_KEYS, ACTOR_PROFILE, 0, &(struct web_keys_body){ { NULL, 0 } }), OK);
	assert_int_equal(post_consent(&page, ALLOW, OWN)->status, 503);
	assert_int_equal(http_rig_send(&h, "GET", "/healthz", "", "")->status, 503);
	/* A cookie that any stranger can make up is looked at by a key that is not here. */
	assert_int_equal(http_rig_send(&h, "POST", "/login", FORM "Cookie: __Host-memories-known="
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", "password=x")->status, 403);
	http_rig_password(&h, PASSWORD);
	assert_int_equal(http_rig_send(&h, "GET", "/healthz", "", "")->status, 200);
	assert_int_equal(post_consent(&page, ALLOW, OWN)->status, 400);
	/* The key of client ids is the same. */
	assert_non_null(strstr(authorize("")->body, "name=\"password\""));
}

/* In the owner's words, as text, and in the reader's language. */
static void
closed_pages_say_why(void **state)
{
	struct http_gateway *g = rig_self(h.rig);
	struct answer *a;

	(void)state;
	g->phase = HTTP_MAINTENANCE;
	memcpy(g->message, "back at <b>9</b>", 17);
	a = authorize("");
	assert_int_equal(a->status, 503);
	assert_non_null(strstr(a->headers, "Retry-After: 30"));
	assert_non_null(strstr(a->body, "<p>back at &lt;b&gt;9&lt;/b&gt;</p>"));
	g->phase = HTTP_LOCKED;
	a = http_rig_send(&h, "GET", "/consent?tx=x", "Accept-Language: zh-CN\r\n", "");
	assert_int_equal(a->status, 503);
	assert_non_null(strstr(a->body, "已锁定"));
	assert_null(strstr(a->body, "back at"));
	g->phase = HTTP_OFF;
	a = http_rig_send(&h, "POST", "/login", FORM OWN, "");
	assert_non_null(strstr(a->body, "profile is off"));
	a = http_rig_send(&h, "POST", "/token", FORM, "");
	assert_int_equal(a->status, 503);
	assert_non_null(strstr(a->headers, "Access-Control-Allow-Origin: *"));
	assert_int_equal(http_rig_send(&h, "GET", "/static/style.css", "", "")->status, 200);
	assert_int_equal(http_rig_send(&h, "GET", "/.well-known/oauth-protected-resource/mcp", "", "")->status, 200);
}

static char refresh[OAUTH_TOKEN_LEN + 1];

static struct answer *
send_refresh(const char *more)
{
	char body[3000];

	snprintf(body, sizeof body, "grant_type=refresh_token&client_id=%s&refresh_token=%s%s", client_id, refresh, more);
	return http_rig_send(&h, "POST", "/token", FORM, body);
}

static void
refreshes_at_once_get_one_answer(void **state)
{
	struct answer *a[9];
	struct token_found_body kept = { .scopes = 1, .left_ms = 600000 };
	uint64_t ask_id;

	(void)state;
	oauth_token_make(OAUTH_REFRESH, refresh);
	for (unsigned i = 0; i < 8; i++)
		a[i] = send_refresh("");
	a[8] = send_refresh("");
	assert_int_equal(a[8]->status, 429);
	assert_non_null(strstr(a[8]->headers, "Retry-After"));
	fake_clock_advance(249);
	rig_tick(h.rig, clock_mono());
	assert_true(rig_silent(h.rig));
	fake_clock_advance(1);
	rig_tick(h.rig, clock_mono());
	assert_non_null(rig_expect(h.rig, MSG_TOKEN_REFRESH));
	ask_id = rig_ask_id(h.rig);
	assert_true(rig_silent(h.rig));
	assert_int_equal(a[0]->status, 0);
	assert_int_equal(rig_deliver(h.rig, MSG_TOKENS_KEPT, ACTOR_GRANTS, ask_id, &kept), OK);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(a[i]->status, 200);
		assert_string_equal(a[i]->body, a[0]->body);
	}
	/* Whoever comes later shows an old one: grants hears of it. */
	a[0] = send_refresh("");
	fake_clock_advance(250);
	rig_tick(h.rig, clock_mono());
	assert_non_null(rig_expect(h.rig, MSG_TOKEN_REFRESH));
	assert_int_equal(rig_deliver(h.rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(h.rig),
	    &(struct refusal_body){ .error = ERR_INVALID_TOKEN }), OK);
	assert_int_equal(a[0]->status, 400);
	assert_string_equal(a[0]->body, "{\"error\":\"invalid_grant\"}");
}

static void
ask_and_keep(void)
{
	struct token_found_body kept = { .scopes = 1, .left_ms = 600000 };

	fake_clock_advance(250);
	rig_tick(h.rig, clock_mono());
	assert_non_null(rig_expect(h.rig, MSG_TOKEN_REFRESH));
	assert_int_equal(rig_deliver(h.rig, MSG_TOKENS_KEPT, ACTOR_GRANTS, rig_ask_id(h.rig), &kept), OK);
}

/* Where the owner wants it so: the same answer again, for a while, until the next token is used. */
static void
an_answer_can_be_given_again(void **state)
{
	static struct http_config config;
	struct http_gateway *g = rig_self(h.rig);
	char first[OAUTH_TOKEN_LEN + 1], tokens[600];
	struct answer *a;

	(void)state;
	config = *g->config;
	config.refresh_overlap_s = 10;
	g->config = &config;
	oauth_token_make(OAUTH_REFRESH, refresh);
	memcpy(first, refresh, sizeof first);
	a = send_refresh("");
	ask_and_keep();
	assert_int_equal(a->status, 200);
	memcpy(tokens, a->body, sizeof tokens);
	tokens[sizeof tokens - 1] = '\0';
	fake_clock_advance(5000);
	a = send_refresh("");
	assert_int_equal(a->status, 200);
	assert_non_null(strstr(a->body, "\"expires_in\":595"));
	assert_memory_equal(strstr(a->body, "mrt_"), strstr(tokens, "mrt_"), OAUTH_TOKEN_LEN);
	assert_true(rig_silent(h.rig));
	/* Not for something else. */
	a = send_refresh("&scope=profile%3Aread");
	assert_int_equal(a->status, 0);
	ask_and_keep();
	/* The next one is used: the one before is old, at once. */
	memcpy(refresh, strstr(tokens, "mrt_"), OAUTH_TOKEN_LEN);
	send_refresh("");
	ask_and_keep();
	memcpy(refresh, first, sizeof first);
	assert_int_equal(send_refresh("")->status, 0);
	fake_clock_advance(250);
	rig_tick(h.rig, clock_mono());
	assert_non_null(rig_expect(h.rig, MSG_TOKEN_REFRESH));
}

static void
an_answer_is_given_again_for_a_while(void **state)
{
	static struct http_config config;
	struct http_gateway *g = rig_self(h.rig);

	(void)state;
	config = *g->config;
	config.refresh_overlap_s = 10;
	g->config = &config;
	for (unsigned late = 0; late < 2; late++) {
		oauth_token_make(OAUTH_REFRESH, refresh);
		send_refresh("");
		ask_and_keep();
		fake_clock_advance(late ? 10000 : 0);
		for (unsigned i = 0; i < (late ? 0 : 5); i++)
			assert_int_equal(send_refresh("")->status, 200);
		assert_int_equal(send_refresh("")->status, 0);
		ask_and_keep();
	}
}

static void
refreshes_that_differ_are_not_one(void **state)
{
	struct answer *a, *b;

	(void)state;
	oauth_token_make(OAUTH_REFRESH, refresh);
	a = send_refresh("");
	b = send_refresh("&scope=profile%3Aread");
	fake_clock_advance(250);
	rig_tick(h.rig, clock_mono());
	assert_int_equal(rig_expect(h.rig, MSG_TOKEN_REFRESH)->token_refresh.scopes, 0);
	assert_int_equal(rig_expect(h.rig, MSG_TOKEN_REFRESH)->token_refresh.scopes, 1u << SCOPE_READ);
	assert_int_equal(rig_deliver(h.rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(h.rig),
	    &(struct refusal_body){ .error = ERR_INSUFFICIENT_SCOPE }), OK);
	assert_string_equal(b->body, "{\"error\":\"invalid_scope\"}");
	assert_int_equal(a->status, 0);
	/* grants is lost: nobody knows, so the client keeps its token. */
	rig_edge(h.rig, ACTOR_GRANTS, false);
	assert_int_equal(a->status, 429);
}

/* From one stranger, as fast as it can. */
static void
made_up_tokens_keep_no_refresh_out(void **state)
{
	struct token_found_body kept = { .scopes = 1, .left_ms = 600000 };
	char mine[OAUTH_TOKEN_LEN + 1];
	uint8_t hash[SHA256_LEN];
	unsigned n = 0;
	struct answer *a;

	(void)state;
	oauth_token_make(OAUTH_REFRESH, mine);
	oauth_hash(span_of(mine), hash);
	for (unsigned i = 0; i < OAUTH_HOLDS_WAIT; i++) {
		oauth_token_make(OAUTH_REFRESH, refresh);
		assert_int_equal(send_refresh("")->status, 0);
	}
	assert_true(rig_silent(h.rig));
	/* One more is let in; who waits longest is asked about at once. */
	memcpy(refresh, mine, sizeof refresh);
	a = send_refresh("");
	assert_int_equal(a->status, 0);
	assert_non_null(rig_expect(h.rig, MSG_TOKEN_REFRESH));
	assert_true(rig_silent(h.rig));
	fake_clock_advance(250);
	rig_tick(h.rig, clock_mono());
	for (const union any_body *b; n < OAUTH_HOLDS_WAIT && (b = rig_expect(h.rig, MSG_TOKEN_REFRESH)) != NULL; n++) {
		bool is_mine = memcmp(b->token_refresh.token, hash, SHA256_LEN) == 0;

		assert_int_equal(is_mine ? rig_deliver(h.rig, MSG_TOKENS_KEPT, ACTOR_GRANTS, rig_ask_id(h.rig), &kept)
		    : rig_deliver(h.rig, MSG_HTTP_DENIED, ACTOR_GRANTS, rig_ask_id(h.rig),
		    &(struct refusal_body){ .error = ERR_INVALID_TOKEN }), OK);
	}
	assert_int_equal(a->status, 200);
}

/* Whoever still waits when the process stops hears something. */
static void
what_waits_ends_with_the_process(void **state)
{
	struct answer *a[4];

	(void)state;
	oauth_token_make(OAUTH_REFRESH, refresh);
	a[0] = log_in(authorize(""));
	a[1] = log_in(authorize(""));
	assert_int_equal(a[1]->status, 0);
	rig_forget(h.rig);
	a[2] = send_refresh("");
	fake_clock_advance(250);
	rig_tick(h.rig, clock_mono());
	a[3] = send_refresh("&scope=profile:read");
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(a[i]->status, 0);
	rig_close(&h.rig);
	for (unsigned i = 0; i < 4; i++)
		assert_int_not_equal(a[i]->status, 0);
}

static void
the_errors_of_token(void **state)
{
	char body[3000];
	struct answer *a;

	(void)state;
	a = http_rig_send(&h, "POST", "/token", "Content-Type: application/json\r\n", "{}");
	assert_int_equal(a->status, 400);
	assert_string_equal(a->body, "{\"error\":\"invalid_request\"}");
	a = http_rig_send(&h, "POST", "/token", FORM, "grant_type=refresh_token&client_id=mc1.x.y&refresh_token=x");
	assert_int_equal(a->status, 401);
	assert_string_equal(a->body, "{\"error\":\"invalid_client\"}");
	snprintf(body, sizeof body, "grant_type=refresh_token&client_id=%s&refresh_token=x", client_id);
	a = http_rig_send(&h, "POST", "/token", FORM "Authorization: Basic eDp5\r\n", body);
	assert_int_equal(a->status, 401);
	assert_non_null(strstr(a->headers, "WWW-Authenticate: Basic"));
	a = http_rig_send(&h, "POST", "/token", FORM "Authorization: Basic eDo=\r\n", body);
	assert_string_equal(a->body, "{\"error\":\"invalid_grant\"}");
	a = http_rig_send(&h, "OPTIONS", "/token", "", "");
	assert_int_equal(a->status, 204);
	assert_non_null(strstr(a->headers, "Access-Control-Allow-Methods: POST"));
	a = http_rig_send(&h, "GET", "/token", "", "");
	assert_int_equal(a->status, 405);
	assert_true(rig_silent(h.rig));
}

static void
revocation(void **state)
{
	char token[OAUTH_TOKEN_LEN + 1], body[3000];
	struct answer *a;

	(void)state;
	oauth_token_make(OAUTH_ACCESS, token);
	snprintf(body, sizeof body, "client_id=%s&token=junk", client_id);
	assert_int_equal(http_rig_send(&h, "POST", "/revoke", FORM, body)->status, 200);
	assert_true(rig_silent(h.rig));
	snprintf(body, sizeof body, "client_id=%s", client_id);
	assert_int_equal(http_rig_send(&h, "POST", "/revoke", FORM, body)->status, 400);
	snprintf(body, sizeof body, "client_id=%s&token=%s", client_id, token);
	a = http_rig_send(&h, "POST", "/revoke", FORM, body);
	assert_non_null(rig_expect(h.rig, MSG_TOKEN_REVOKE));
	assert_int_equal(rig_deliver(h.rig, MSG_TOKEN_REVOKED, ACTOR_GRANTS, rig_ask_id(h.rig),
	    &(struct nothing_body){ 0 }), OK);
	assert_int_equal(a->status, 200);
	assert_string_equal(a->body, "");
}

static void
registrations_have_a_pace(void **state)
{
	unsigned n = 1;

	(void)state;
	while (http_rig_send(&h, "POST", "/register", "", "{\"redirect_uris\":[\"https://a.example/\"]}")->status == 201)
		n++;
	assert_int_equal(n, 20);
	fake_clock_advance(1000);
	assert_int_equal(http_rig_send(&h, "POST", "/register", "", "{\"redirect_uris\":[\"https://a.example/\"]}")->status,
	    201);
	assert_int_equal(http_rig_send(&h, "POST", "/register", "", "{\"redirect_uris\":[\"https://a.example/\"]}")->status,
	    429);
}

static void
documents_and_style(void **state)
{
	struct answer *a = http_rig_send(&h, "GET", "/.well-known/oauth-authorization-server", "", "");

	(void)state;
	assert_int_equal(a->status, 200);
	assert_non_null(strstr(a->body, "\"issuer\":\"" ORIGIN "\""));
	assert_non_null(strstr(a->headers, "Access-Control-Allow-Origin: *"));
	assert_non_null(strstr(a->headers, "Cache-Control: max-age=300"));
	a = http_rig_send(&h, "GET", "/mcp/.well-known/oauth-authorization-server", "", "");
	assert_int_equal(a->status, 200);
	a = http_rig_send(&h, "GET", "/.well-known/openid-configuration", "", "");
	assert_int_equal(a->status, 404);
	assert_true(span_starts(span_of(a->body), "{\"error\""));
	assert_int_equal(http_rig_send(&h, "GET", "/static/style.css", "", "")->status, 200);
	assert_int_equal(http_rig_send(&h, "GET", "/static/login.en.html", "", "")->status, 404);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_whole_way),
		TEST(login_begins_a_session_of_its_own),
		TEST(a_browser_is_known_until_the_password_changes),
		TEST(a_wrong_password_is_told_and_slows_down),
		TEST(no_password_is_set),
		TEST(pages_end_what_is_not_known),
		TEST(errors_wait_for_the_login),
		TEST(an_error_of_a_stranger_elsewhere_is_a_link),
		TEST(denial_goes_back),
		TEST(consent_is_one_decision_of_one_browser),
		TEST(a_connected_client_is_said_to_be),
		TEST(a_login_is_for_one_request),
		TEST(nothing_is_left_of_a_login_after_the_decision),
		TEST(a_request_ends_after_ten_minutes),
		TEST(sessions_end_with_the_keys),
		TEST(closed_pages_say_why),
		TEST(made_up_tokens_keep_no_refresh_out),
		TEST(what_waits_ends_with_the_process),
		TEST(refreshes_at_once_get_one_answer),
		TEST(an_answer_can_be_given_again),
		TEST(an_answer_is_given_again_for_a_while),
		TEST(refreshes_that_differ_are_not_one),
		TEST(the_errors_of_token),
		TEST(revocation),
		TEST(registrations_have_a_pace),
		TEST(documents_and_style),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
