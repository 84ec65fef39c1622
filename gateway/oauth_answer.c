#include <stdio.h>

#include "gateway/oauth_challenge.h"
#include "gateway/span.h"

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
