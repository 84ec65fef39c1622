#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gateway/http_config.h"
#include "gateway/json.h"

#define LISTEN_DEFAULT "127.0.0.1:8787"

/* Of a public origin without a list of its own: the web assistants that call from a browser. */
static const char *const web_assistants[] = { "https://claude.ai", "https://claude.com", "https://chatgpt.com" };

static bool
begins_with(struct span s, const char *text, struct span *rest)
{
	size_t n = strlen(text);

	if (s.len < n || memcmp(s.p, text, n) != 0)
		return false;
	*rest = (struct span){ s.p + n, s.len - n };
	return true;
}

enum err
http_origin_form(struct span text, char out[HTTP_ORIGIN_MAX + 1])
{
	struct http_authority a;
	struct span rest;
	bool secure = begins_with(text, "https://", &rest);
	char port[16] = "";
	int n;

	if ((!secure && !begins_with(text, "http://", &rest)) || !http_authority_parse(rest, &a))
		return ERR_CONFIG_INVALID;
	if (a.port != 0 && a.port != (secure ? 443u : 80u))
		snprintf(port, sizeof port, ":%u", a.port);
	n = snprintf(out, HTTP_ORIGIN_MAX + 1, "%s://%s%.*s%s%s", secure ? "https" : "http", a.is_v6 ? "[" : "",
	    (int)a.host.len, (const char *)a.host.p, a.is_v6 ? "]" : "", port);
	for (int i = 0; i < n; i++)
		if (out[i] >= 'A' && out[i] <= 'Z')
			out[i] = (char)(out[i] + 'a' - 'A');
	return n > HTTP_ORIGIN_MAX ? ERR_CONFIG_INVALID : OK;
}

static enum err
take_listen(struct span text, struct http_config *c)
{
	static const struct span local = { (const uint8_t *)"127.0.0.1", 9 };
	char address[HTTP_ADDRESS_TEXT_MAX];
	struct http_authority a;
	bool is_v4;

	if (!http_authority_parse(text, &a) || a.port == 0)
		return ERR_CONFIG_INVALID;
	if (a.host.len == 9 && strncasecmp((const char *)a.host.p, "localhost", 9) == 0)
		a.host = local;
	if (!http_address_parse(a.host, &c->address))
		return ERR_CONFIG_INVALID;
	is_v4 = http_address_is_v4(&c->address);
	http_address_text(&c->address, address);
	c->port = a.port;
	snprintf(c->listen, sizeof c->listen, is_v4 ? "%s:%u" : "[%s]:%u", address, c->port);
	return OK;
}

/* A name of ours without TLS is none outside this machine. */
static enum err
take_origin(struct span text, struct http_config *c)
{
	struct http_authority a;
	struct span rest;
	enum err e = http_origin_form(text, c->origin);

	if (e != OK)
		return e;
	text = (struct span){ (const uint8_t *)c->origin, strlen(c->origin) };
	c->is_secure = begins_with(text, "https://", &rest);
	if (c->is_secure)
		return OK;
	return begins_with(text, "http://", &rest) && http_authority_parse(rest, &a) && http_host_is_loopback(a.host)
	    ? OK : ERR_CONFIG_INVALID;
}

static enum err
default_origin(struct http_config *c, bool tls)
{
	char text[sizeof c->listen + 16];

	if (http_address_is_any(&c->address))
		return ERR_CONFIG_INVALID;
	snprintf(text, sizeof text, "http%s://%s", tls ? "s" : "", c->listen);
	return take_origin((struct span){ (const uint8_t *)text, strlen(text) }, c);
}

static enum err
take_origins(const struct json *list, struct http_config *c)
{
	struct span text;

	for (const struct json *v = json_first(list); v != NULL; v = json_next(v))
		if (c->n_origins == HTTP_ORIGINS_MAX || !json_as_string(v, &text) ||
		    http_origin_form(text, c->origins[c->n_origins++]) != OK)
			return ERR_CONFIG_INVALID;
	return OK;
}

static enum err
take_proxies(const struct json *list, struct http_config *c)
{
	struct span text;

	for (const struct json *v = json_first(list); v != NULL; v = json_next(v))
		if (c->n_proxies == HTTP_PROXIES_MAX || !json_as_string(v, &text) ||
		    !http_network_parse(text, &c->proxies[c->n_proxies++]))
			return ERR_CONFIG_INVALID;
	return OK;
}

static enum err
take_path(const struct json *tls, const char *name, char out[4096])
{
	struct span text;

	if (json_string(tls, name, &text) != JSON_GOT || text.len == 0 || text.len >= 4096)
		return ERR_CONFIG_INVALID;
	memcpy(out, text.p, text.len);
	out[text.len] = '\0';
	return OK;
}

static enum err
take_tls(const struct json *http, struct http_files *files)
{
	static const char *const names[] = { "certificate", "key" };
	const struct json *tls = NULL;
	enum json_got got = json_object(http, "tls", &tls);

	if (got == JSON_ABSENT)
		return OK;
	if (got != JSON_GOT || !json_has_only(tls, names, 2) || take_path(tls, "certificate", files->certificate) != OK)
		return ERR_CONFIG_INVALID;
	return take_path(tls, "key", files->key);
}

static enum err
take_number(const struct json *http, const char *name, uint64_t min, uint64_t max, unsigned *out)
{
	uint64_t n;
	enum json_got got = json_u64(http, name, &n);

	if (got == JSON_ABSENT)
		return OK;
	if (got != JSON_GOT || n < min || n > max)
		return ERR_CONFIG_INVALID;
	*out = (unsigned)n;
	return OK;
}

static enum err
take_lists(const struct json *http, struct http_config *c)
{
	const struct json *list = NULL;
	enum json_got got = json_array(http, "trusted_proxies", &list);
	bool is_public = !http_address_is_loopback(&c->address) || c->is_secure;

	if (got == JSON_WRONG_TYPE || (got == JSON_GOT && take_proxies(list, c) != OK))
		return ERR_CONFIG_INVALID;
	got = json_array(http, "allowed_origins", &list);
	if (got == JSON_GOT)
		return take_origins(list, c);
	for (size_t i = 0; got == JSON_ABSENT && is_public && i < sizeof web_assistants / sizeof *web_assistants; i++)
		snprintf(c->origins[c->n_origins++], HTTP_ORIGIN_MAX + 1, "%s", web_assistants[i]);
	return got == JSON_ABSENT ? OK : ERR_CONFIG_INVALID;
}

static enum err
take_names(const struct json *http, struct http_config *c, bool tls)
{
	struct span text;
	enum json_got got = json_string(http, "listen", &text);

	if (got == JSON_WRONG_TYPE || (got == JSON_GOT && take_listen(text, c) != OK))
		return ERR_CONFIG_INVALID;
	got = json_string(http, "origin", &text);
	if (got == JSON_ABSENT)
		return default_origin(c, tls);
	return got == JSON_GOT ? take_origin(text, c) : ERR_CONFIG_INVALID;
}

static enum err
take_http(const struct json *http, struct http_config *c, struct http_files *files)
{
	static const char *const names[] = { "listen", "origin", "tls", "allowed_origins", "trusted_proxies",
		"peer_connections_max", "refresh_overlap_seconds" };
	enum err e;

	if (http != NULL && (json_type(http) != JSON_OBJECT || !json_has_only(http, names, sizeof names / sizeof *names)))
		return ERR_CONFIG_INVALID;
	c->peer_connections = HTTP_PEER_CONNECTIONS;
	(void)take_listen((struct span){ (const uint8_t *)LISTEN_DEFAULT, strlen(LISTEN_DEFAULT) }, c);
	if (http == NULL)
		return default_origin(c, false);
	if ((e = take_tls(http, files)) == OK && (e = take_names(http, c, files->key[0] != '\0')) == OK &&
	    (e = take_lists(http, c)) == OK &&
	    (e = take_number(http, "peer_connections_max", 1, HTTP_CONNECTIONS_MAX, &c->peer_connections)) == OK)
		e = take_number(http, "refresh_overlap_seconds", 0, 30, &c->refresh_overlap_s);
	return e;
}

enum err
http_config_parse(struct span text, struct http_config *c, struct http_files *files)
{
	struct json *root = NULL;
	enum err e = json_parse(text, &root);

	memset(c, 0, sizeof *c);
	memset(files, 0, sizeof *files);
	if (e != OK)
		return e == ERR_NO_MEMORY ? e : ERR_CONFIG_INVALID;
	e = json_type(root) == JSON_OBJECT ? take_http(json_member(root, "http"), c, files) : ERR_CONFIG_INVALID;
	json_free(&root);
	return e;
}
