#include "gateway/json.h"
#include "gateway/oauth_register.h"
#include "gateway/span.h"

static enum oauth_registered
refuse(struct json_writer *w, enum oauth_registered why, const char *description)
{
	json_write_clear(w);
	json_write_object(w);
	json_member_text(w, "error", why == OAUTH_BAD_REDIRECT ? "invalid_redirect_uri" : "invalid_client_metadata");
	json_member_text(w, "error_description", description);
	json_write_end(w);
	return why;
}

static bool
is_there(const struct oauth_client *c, struct span uri)
{
	for (size_t i = 0; i < c->n_redirects; i++)
		if (span_same(c->redirects[i], uri))
			return true;
	return false;
}

/* Those that are acceptable, each once, as many as there is room for. */
static void
take_redirects(const struct json *list, struct oauth_client *c)
{
	struct span uri;

	for (const struct json *v = json_first(list); v != NULL; v = json_next(v))
		if (json_as_string(v, &uri) && oauth_redirect_acceptable(uri) && !is_there(c, uri) &&
		    !oauth_client_add_redirect(c, uri))
			return;
}

static void
write_client(struct json_writer *w, const struct oauth_client *c, const char *id)
{
	json_write_object(w);
	json_member_text(w, "client_id", id);
	json_member_u64(w, "client_id_issued_at", c->issued_s);
	if (c->name.len > 0)
		json_member_string(w, "client_name", c->name);
	json_write_key(w, "redirect_uris");
	json_write_array(w);
	for (size_t i = 0; i < c->n_redirects; i++)
		json_write_string(w, c->redirects[i]);
	json_write_end(w);
	json_member_text(w, "token_endpoint_auth_method", "none");
	json_member_texts(w, "grant_types", "authorization_code", "refresh_token");
	json_member_texts(w, "response_types", "code", NULL);
	json_write_end(w);
}

/* Puts the client together out of what was sent. */
static enum oauth_registered
take(const struct json *root, struct oauth_client *c, const char **why)
{
	const struct json *list;
	struct span name;

	*why = "redirect_uris must be a list of URIs";
	if (json_array(root, "redirect_uris", &list) != JSON_GOT || json_first(list) == NULL)
		return OAUTH_BAD_REDIRECT;
	*why = "client_name does not fit";
	if (json_string(root, "client_name", &name) == JSON_GOT && !oauth_client_set_name(c, name))
		return OAUTH_BAD_METADATA;
	take_redirects(list, c);
	*why = "no redirect URI can be used: https, http to a loopback host, or a private scheme";
	return c->n_redirects > 0 ? OAUTH_REGISTERED : OAUTH_BAD_REDIRECT;
}

enum oauth_registered
oauth_register(struct span body, const struct key *key, uint64_t now_s, struct json_writer *w)
{
	char id[OAUTH_CLIENT_ID_MAX + 1];
	struct oauth_client c;
	struct json *root = NULL;
	enum oauth_registered end;
	const char *why;

	if (body.len > OAUTH_REGISTER_BODY_MAX || json_parse(body, &root) != OK || json_type(root) != JSON_OBJECT) {
		json_free(&root);
		return refuse(w, OAUTH_BAD_METADATA, "the body is not a JSON object of at most 16 KiB");
	}
	oauth_client_start(&c);
	c.issued_s = now_s;
	end = take(root, &c, &why);
	json_free(&root);
	if (end != OAUTH_REGISTERED)
		return refuse(w, end, why);
	if (oauth_client_write(&c, key, id) == 0)
		return refuse(w, OAUTH_BAD_METADATA, "the name and the redirect URIs are too long together");
	write_client(w, &c, id);
	return OAUTH_REGISTERED;
}
