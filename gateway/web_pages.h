/*
 * web_pages: the pages that a person sees, out of the files of gateway/pages.
 * All that comes from elsewhere is escaped (gateway/web_template.h). The names
 * of form fields are in docs/http.md, "Pages".
 */
#ifndef GATEWAY_WEB_PAGES_H
#define GATEWAY_WEB_PAGES_H

#include "escrow/secret.h"
#include "gateway/oauth_client.h"
#include "gateway/web_language.h"
#include "mailbox/clock.h"
#include "mailbox/words.h"

#define WEB_PAGE_MAX ((size_t)32 << 10)

enum web_login_state {
	WEB_LOGIN_ASKS,
	WEB_LOGIN_WRONG,
	WEB_LOGIN_WAIT,        /* seconds says how long */
	WEB_LOGIN_BUSY,
	WEB_LOGIN_NO_PASSWORD, /* none was set; there is no form */
};

struct web_login {
	enum web_login_state state;
	const char          *csrf;
	const char          *tx;
	unsigned             seconds;
};

struct web_consent {
	const char    *csrf;
	const char    *tx;
	struct span    name;        /* of the client; len 0: none */
	struct span    redirect;    /* as it was given */
	uint8_t        scopes;      /* that are asked for */
	bool           is_connected;
	struct wall_ms since;       /* when it is */
	bool           chose_nothing;
};

enum web_notice {
	WEB_MALFORMED,
	WEB_UNKNOWN_CLIENT,
	WEB_UNKNOWN_DOCUMENT,
	WEB_WRONG_REDIRECT,
	WEB_EXPIRED,
	WEB_FORBIDDEN,
	WEB_OFF,
	WEB_LOCKED,
	WEB_MAINTENANCE, /* text: the owner's words, or none */
	WEB_BUSY,
	WEB_FAILED,
	WEB_FULL,        /* as many connections as there may be */
	WEB_NOTICES,
};

/* An OAuth error that is told to the owner rather than sent, with a link that sends it. */
struct web_error {
	const char *code;
	struct span url;  /* with the error in it; of an acceptable redirect URI */
	struct span host;
};

/* *out: the page, new; the caller frees it. ERR_NO_MEMORY; ERR_INTERNAL: the page does not fit. */
enum err web_login_page(enum web_language l, const struct web_login *p, struct secret **out);
enum err web_consent_page(enum web_language l, const struct web_consent *p, struct secret **out);
enum err web_notice_page(enum web_language l, enum web_notice what, struct span text, struct secret **out);
enum err web_error_page(enum web_language l, const struct web_error *p, struct secret **out);

/*
 * The policy of a page. That of consent names no form-action: browsers apply it
 * to the redirect behind the form, and the way back leads elsewhere.
 */
#define WEB_POLICY_CONSENT \
	"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
#define WEB_POLICY WEB_POLICY_CONSENT "; form-action 'self'"

#endif
