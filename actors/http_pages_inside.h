/* http_pages_inside: as the files of http_pages see it; nobody else includes this. */
#ifndef ACTORS_HTTP_PAGES_INSIDE_H
#define ACTORS_HTTP_PAGES_INSIDE_H

#include "actors/http_login.h"
#include "actors/http_oauth_inside.h"
#include "actors/http_pages.h"
#include "gateway/oauth_waiting.h"
#include "gateway/web_pages.h"
#include "gateway/web_sessions.h"
#include "gateway/web_throttle.h"

#define WEB_COOKIE        "__Host-memories"
#define WEB_COOKIE_KNOWN  "__Host-memories-known" /* of a browser that has logged in before */
#define WEB_COOKIE_BYTES  32
#define WEB_COOKIE_LEN    43
#define WEB_MARK_LEN      43 /* of a form: base64url of a keyed tag */
#define WEB_FORM_MAX      ((size_t)8 << 10)
#define WEB_PASSWORD_MAX  1024

struct http_pages {
	struct web_sessions   sessions;
	struct oauth_waitings waitings;
	struct web_throttle   throttle;
	struct http_login    *login;
	uint64_t              generation; /* one more each time all was forgotten */
};

/* Who asks: the browser of a request. */
struct web_browser {
	enum web_language         language;
	char                      cookie[WEB_COOKIE_LEN + 1]; /* new, to be set; "": it has one */
	uint8_t                   hash[SHA256_LEN];           /* of its cookie */
	const struct web_session *session;                    /* NULL: not logged in */
	bool                      is_fresh;                   /* it may consent */
};

/* makes: it gets a cookie when it has none. */
void web_browser_of(struct http_gateway *g, const struct http_request *r, bool makes, struct web_browser *out);

/* A cookie's new value, and its hash. */
void web_cookie_make(char out[WEB_COOKIE_LEN + 1], uint8_t hash[SHA256_LEN]);

/* The mark of a form: that we made it for this browser, this request and this purpose. */
void web_mark(const struct http_gateway *g, const struct web_browser *b, const char *tx, const char *purpose,
    char out[WEB_MARK_LEN + 1]);
bool web_mark_holds(const struct http_gateway *g, const struct web_browser *b, struct span tx, const char *purpose,
    struct span mark);

/* A browser that has logged in before with this password; its mark lasts half a year. id: which, or NULL. */
bool web_is_known(const struct http_gateway *g, const struct http_request *r, uint8_t id[WEB_KNOWN_BYTES]);

/* The form came from one of our pages. */
bool web_is_own_form(const struct http_gateway *g, const struct http_request *r);

/* Answers with a page, which is freed; e: why there is none. */
void web_say(struct http_exchange *x, int status, const struct web_browser *b, const char *policy, enum err e,
    struct secret *page);

/* The same, with a Retry-After. */
void web_say_wait(struct http_exchange *x, int status, const struct web_browser *b, unsigned seconds, enum err e,
    struct secret *page);
void web_say_notice(struct http_exchange *x, int status, const struct web_browser *b, enum web_notice what);
void web_say_login(struct http_gateway *g, struct http_exchange *x, int status, const struct web_browser *b,
    const char *tx, enum web_login_state state, uint64_t wait_ms);

/* 303 to a page of ours, of a browser that is known from now on. */
void web_say_welcome(struct http_exchange *x, const struct http_gateway *g, const struct web_browser *b,
    struct span where);

/* 303 to the client. The session's cookie is taken back: whatever listens there would be sent it. */
void web_say_back(struct http_exchange *x, const struct web_browser *b, struct span where);

/* Of a password that is being tried when the process stops: whoever waits is told. */
void web_login_drop(void *what);

/* Goes on with a request whose owner is here: an error is told, else consent is asked for. */
void web_go_on(struct http_gateway *g, struct http_exchange *x, const struct web_browser *b, struct oauth_waiting *w,
    bool chose_nothing);

#endif
