#include <stdio.h>

#include "gateway/oauth_challenge.h"
#include "gateway/oauth_scope.h"
#include "gateway/span.h"

static const struct oauth_challenge_words words[] = {
	[OAUTH_NO_TOKEN] = { 401, NULL, NULL },
	[OAUTH_INVALID_TOKEN] = { 401, "invalid_token", "the token is unknown, expired or revoked" },
	[OAUTH_INSUFFICIENT_SCOPE] = { 403, "insufficient_scope",
	    "the connection does not allow this: connect anew and tick it there" },
};

const struct oauth_challenge_words *
oauth_challenge_words(enum oauth_challenge what)
{
	return &words[what];
}

void
oauth_challenge_text(enum oauth_challenge what, const char *origin, uint8_t scopes, char out[OAUTH_CHALLENGE_MAX])
{
	char names[OAUTH_SCOPE_TEXT_MAX + 1];
	int len;

	oauth_scope_text(what == OAUTH_INSUFFICIENT_SCOPE ? scopes : OAUTH_SCOPES_OFFER, names);
	len = snprintf(out, OAUTH_CHALLENGE_MAX,
	    "Bearer resource_metadata=\"%s/.well-known/oauth-protected-resource/mcp\", scope=\"%s\"", origin, names);
	if (words[what].error != NULL && len > 0 && len < OAUTH_CHALLENGE_MAX)
		snprintf(out + len, OAUTH_CHALLENGE_MAX - (size_t)len, ", error=\"%s\", error_description=\"%s\"",
		    words[what].error, words[what].description);
}

void
oauth_challenge_response(struct http_response *r, enum oauth_challenge what, const char *origin, uint8_t scopes)
{
	const struct oauth_challenge_words *w = oauth_challenge_words(what);
	char text[OAUTH_CHALLENGE_MAX], body[256];

	oauth_challenge_text(what, origin, scopes, text);
	http_response_start(r, w->status);
	http_response_header(r, "WWW-Authenticate", text);
	http_response_header(r, "Cache-Control", "no-store");
	if (w->error == NULL)
		snprintf(body, sizeof body, "{\"error\":\"unauthorized\"}");
	else
		snprintf(body, sizeof body, "{\"error\":\"%s\",\"error_description\":\"%s\"}", w->error, w->description);
	http_response_body(r, "application/json", span_of(body));
}
