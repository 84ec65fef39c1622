#include <stdio.h>

#include "gateway/oauth_metadata.h"
#include "gateway/oauth_scope.h"
#include "gateway/span.h"

#define URL_MAX 640

static const struct {
	const char         *path;
	enum oauth_document what;
} places[] = {
	{ "/.well-known/oauth-protected-resource/mcp", OAUTH_RESOURCE },
	{ "/.well-known/oauth-protected-resource", OAUTH_RESOURCE },
	{ "/.well-known/oauth-authorization-server", OAUTH_SERVER },
	{ "/.well-known/oauth-authorization-server/mcp", OAUTH_SERVER },
	{ "/mcp/.well-known/oauth-authorization-server", OAUTH_SERVER },
};

enum oauth_document
oauth_document_at(struct span path)
{
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (span_is(path, places[i].path))
			return places[i].what;
	return OAUTH_NO_DOCUMENT;
}

static void
write_url(struct json_writer *w, const char *name, const char *origin, const char *path)
{
	char url[URL_MAX];

	snprintf(url, sizeof url, "%s%s", origin, path);
	json_member_text(w, name, url);
}

/* The default ones alone: some clients ask for all that they find here. */
static void
write_scopes(struct json_writer *w)
{
	char names[OAUTH_SCOPE_TEXT_MAX + 1];

	oauth_scope_text(OAUTH_SCOPES_DEFAULT, names);
	json_member_texts(w, "scopes_supported", names, NULL);
}

static void
write_resource(struct json_writer *w, const char *origin)
{
	write_url(w, "resource", origin, "/mcp");
	json_member_texts(w, "authorization_servers", origin, NULL);
	write_scopes(w);
	json_member_texts(w, "bearer_methods_supported", "header", NULL);
	json_member_text(w, "resource_name", "memories");
}

static void
write_server(struct json_writer *w, const char *origin)
{
	json_member_text(w, "issuer", origin);
	write_url(w, "authorization_endpoint", origin, "/authorize");
	write_url(w, "token_endpoint", origin, "/token");
	write_url(w, "registration_endpoint", origin, "/register");
	write_url(w, "revocation_endpoint", origin, "/revoke");
	json_member_texts(w, "response_types_supported", "code", NULL);
	json_member_texts(w, "response_modes_supported", "query", NULL);
	json_member_texts(w, "grant_types_supported", "authorization_code", "refresh_token");
	json_member_texts(w, "token_endpoint_auth_methods_supported", "none", NULL);
	json_member_texts(w, "revocation_endpoint_auth_methods_supported", "none", NULL);
	json_member_texts(w, "code_challenge_methods_supported", "S256", NULL);
	json_member_bool(w, "authorization_response_iss_parameter_supported", true);
	json_member_bool(w, "client_id_metadata_document_supported", false);
	write_scopes(w);
}

void
oauth_metadata_write(struct json_writer *w, enum oauth_document what, const char *origin)
{
	json_write_object(w);
	if (what == OAUTH_RESOURCE)
		write_resource(w, origin);
	else
		write_server(w, origin);
	json_write_end(w);
}
