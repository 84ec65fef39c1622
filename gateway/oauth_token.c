#include "gateway/oauth_pkce.h"
#include "gateway/oauth_scope.h"
#include "gateway/oauth_token.h"
#include "gateway/span.h"

static const struct {
	const char *name;
	int         status;
} errors[] = {
	[OAUTH_TOKEN_OK] = { "", 200 },
	[OAUTH_INVALID_REQUEST] = { "invalid_request", 400 },
	[OAUTH_INVALID_CLIENT] = { "invalid_client", 401 },
	[OAUTH_INVALID_GRANT] = { "invalid_grant", 400 },
	[OAUTH_INVALID_SCOPE] = { "invalid_scope", 400 },
	[OAUTH_INVALID_TARGET] = { "invalid_target", 400 },
	[OAUTH_UNSUPPORTED_GRANT_TYPE] = { "unsupported_grant_type", 400 },
	[OAUTH_TOO_MANY] = { "too_many_requests", 429 },
};

const char *
oauth_token_error_name(enum oauth_token_error e)
{
	return errors[e].name;
}

int
oauth_token_error_status(enum oauth_token_error e)
{
	return errors[e].status;
}

/* The client of a form. */
static enum oauth_token_error
take_client(const struct oauth_form *f, const struct key *key, uint8_t hash[SHA256_LEN])
{
	struct span id = oauth_form_value(f, "client_id");
	struct oauth_client c;

	if (oauth_form_repeats(f) || id.p == NULL)
		return OAUTH_INVALID_REQUEST;
	if (!oauth_client_read(id, key, &c))
		return OAUTH_INVALID_CLIENT;
	memcpy(hash, c.hash, SHA256_LEN);
	return OAUTH_TOKEN_OK;
}

static enum oauth_token_error
take_code(const struct oauth_form *f, struct oauth_token_request *out)
{
	struct span code = oauth_form_value(f, "code"), redirect = oauth_form_value(f, "redirect_uri");
	struct span verifier = oauth_form_value(f, "code_verifier");

	if (code.p == NULL || verifier.p == NULL)
		return OAUTH_INVALID_REQUEST;
	out->has_redirect = redirect.p != NULL;
	if (out->has_redirect)
		oauth_hash(redirect, out->redirect);
	oauth_hash(code, out->shown);
	/* A verifier that cannot be one is a wrong one: it counts against the code. */
	if (!oauth_pkce_verifier(verifier, out->challenge))
		memset(out->challenge, 0, SHA256_LEN);
	return oauth_token_formed(OAUTH_CODE, code) ? OAUTH_TOKEN_OK : OAUTH_INVALID_GRANT;
}

static enum oauth_token_error
take_refresh(const struct oauth_form *f, struct oauth_token_request *out)
{
	struct span token = oauth_form_value(f, "refresh_token");

	if (token.p == NULL)
		return OAUTH_INVALID_REQUEST;
	out->scopes = oauth_scope_bits(oauth_form_value(f, "scope"));
	oauth_hash(token, out->shown);
	return oauth_token_formed(OAUTH_REFRESH, token) ? OAUTH_TOKEN_OK : OAUTH_INVALID_GRANT;
}

enum oauth_token_error
oauth_token_check(const struct oauth_form *f, const char *origin, const struct key *key,
    struct oauth_token_request *out)
{
	struct span type = oauth_form_value(f, "grant_type");
	enum oauth_token_error e;

	memset(out, 0, sizeof *out);
	if ((e = take_client(f, key, out->client)) != OAUTH_TOKEN_OK)
		return e;
	if (type.p == NULL)
		return OAUTH_INVALID_REQUEST;
	out->grant = span_is(type, "refresh_token") ? OAUTH_BY_REFRESH : OAUTH_BY_CODE;
	if (out->grant == OAUTH_BY_CODE && !span_is(type, "authorization_code"))
		return OAUTH_UNSUPPORTED_GRANT_TYPE;
	if (!oauth_form_resource_ours(f, origin))
		return OAUTH_INVALID_TARGET;
	return out->grant == OAUTH_BY_CODE ? take_code(f, out) : take_refresh(f, out);
}

enum oauth_token_error
oauth_revoke_check(const struct oauth_form *f, const struct key *key, struct oauth_revoke_request *out)
{
	struct span token = oauth_form_value(f, "token");
	enum oauth_token_error e;

	memset(out, 0, sizeof *out);
	if ((e = take_client(f, key, out->client)) != OAUTH_TOKEN_OK)
		return e;
	if (token.p == NULL)
		return OAUTH_INVALID_REQUEST;
	out->is_nobodys = !oauth_token_formed(OAUTH_ACCESS, token) && !oauth_token_formed(OAUTH_REFRESH, token);
	oauth_hash(token, out->token);
	return OAUTH_TOKEN_OK;
}

void
oauth_token_write(struct json_writer *w, const char *access, const char *refresh, uint8_t scopes, uint64_t access_s)
{
	char names[OAUTH_SCOPE_TEXT_MAX + 1];

	oauth_scope_text(scopes, names);
	json_write_object(w);
	json_member_text(w, "access_token", access);
	json_member_text(w, "token_type", "Bearer");
	json_member_u64(w, "expires_in", access_s);
	json_member_text(w, "refresh_token", refresh);
	json_member_text(w, "scope", names);
	json_write_end(w);
}
