#include "gateway/oauth_authorize.h"
#include "gateway/oauth_pkce.h"
#include "gateway/oauth_scope.h"
#include "gateway/span.h"

/* A word out of a list of words with blanks between them. */
static bool
has_word(struct span list, const char *word)
{
	for (size_t at = 0, end; at < list.len; at = end + 1) {
		for (end = at; end < list.len && list.p[end] != ' '; end++)
			;
		if (span_is((struct span){ list.p + at, end - at }, word))
			return true;
	}
	return false;
}

/* What is wrong with a request whose client and redirect URI are right; NULL: nothing. */
static const char *
find_error(const struct oauth_form *f, const char *origin, struct oauth_request *out)
{
	struct span mode = oauth_form_value(f, "response_mode");

	if (oauth_form_value(f, "request").p != NULL)
		return "request_not_supported";
	if (oauth_form_value(f, "request_uri").p != NULL)
		return "request_uri_not_supported";
	if (oauth_form_value(f, "response_type").p == NULL)
		return "invalid_request";
	if (!span_is(oauth_form_value(f, "response_type"), "code"))
		return "unsupported_response_type";
	if (!span_is(oauth_form_value(f, "code_challenge_method"), "S256") ||
	    !oauth_pkce_challenge(oauth_form_value(f, "code_challenge"), out->challenge))
		return "invalid_request";
	if (!oauth_form_resource_ours(f, origin))
		return "invalid_target";
	if (mode.p != NULL && !span_is(mode, "query"))
		return "invalid_request";
	if (has_word(oauth_form_value(f, "prompt"), "none"))
		return "interaction_required";
	return NULL;
}

enum oauth_dead_end
oauth_authorize(const struct oauth_form *f, const char *origin, const struct key *key, struct oauth_request *out)
{
	struct span id = oauth_form_value(f, "client_id");

	if (oauth_form_repeats(f))
		return OAUTH_MALFORMED;
	if (id.p == NULL || !oauth_client_read(id, key, &out->client))
		return id.p != NULL && span_starts(id, "https://") ? OAUTH_UNKNOWN_DOCUMENT : OAUTH_UNKNOWN_CLIENT;
	out->redirect = oauth_form_value(f, "redirect_uri");
	out->redirect_registered = oauth_client_redirect(&out->client, out->redirect);
	if (out->redirect.p == NULL || out->redirect_registered.p == NULL)
		return OAUTH_WRONG_REDIRECT;
	out->state = oauth_form_value(f, "state");
	if (out->state.len > OAUTH_STATE_MAX)
		return OAUTH_MALFORMED;
	out->error = find_error(f, origin, out);
	out->scopes = oauth_scope_wanted(oauth_form_value(f, "scope"));
	return OAUTH_GOES_ON;
}

size_t
oauth_authorize_location(struct span redirect, struct span state, const char *origin, const char *code,
    const char *error, char *out, size_t cap)
{
	const struct oauth_param params[] = {
		{ "code", code == NULL ? (struct span){ NULL, 0 } : span_of(code) },
		{ "error", code != NULL ? (struct span){ NULL, 0 } : span_of(error) },
		{ "state", state },
		{ "iss", span_of(origin) },
	};

	return oauth_redirect_write(redirect, params, sizeof params / sizeof *params, out, cap);
}
