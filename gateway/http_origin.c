#include <string.h>
#include <strings.h>

#include "gateway/http_origin.h"

static bool
same_host(struct span a, struct span b)
{
	return a.len == b.len && strncasecmp((const char *)a.p, (const char *)b.p, a.len) == 0;
}

/* The authority in a text that http_origin_form made. */
static bool
take_origin(const char *origin, struct http_authority *out)
{
	const char *at = strstr(origin, "://");

	return at != NULL && http_authority_parse((struct span){ (const uint8_t *)at + 3, strlen(at + 3) }, out);
}

static bool
is_origins(const struct http_config *c, const struct http_authority *a)
{
	unsigned port = c->is_secure ? 443 : 80;
	struct http_authority own;

	return take_origin(c->origin, &own) && same_host(own.host, a->host) &&
	    (own.port == 0 ? port : own.port) == (a->port == 0 ? port : a->port);
}

bool
http_host_is_ours(const struct http_config *c, struct span host)
{
	unsigned port = c->certificate != NULL ? 443 : 80;
	struct http_authority a;
	struct http_address address;

	if (!http_authority_parse(host, &a))
		return false;
	if (is_origins(c, &a))
		return true;
	if ((a.port == 0 ? port : a.port) != c->port)
		return false;
	if (http_address_is_loopback(&c->address) && http_host_is_loopback(a.host))
		return true;
	return http_address_parse(a.host, &address) &&
	    (http_address_is_any(&c->address) || memcmp(&address, &c->address, sizeof address) == 0);
}

bool
http_origin_is_own(const struct http_config *c, struct span origin)
{
	return origin.len == strlen(c->origin) && strncasecmp((const char *)origin.p, c->origin, origin.len) == 0;
}

bool
http_origin_is_allowed(const struct http_config *c, struct span origin)
{
	char text[HTTP_ORIGIN_MAX + 1];
	struct http_authority a;

	if (http_origin_form(origin, text) != OK)
		return false;
	if (strcmp(text, c->origin) == 0)
		return true;
	for (size_t i = 0; i < c->n_origins; i++)
		if (strcmp(text, c->origins[i]) == 0)
			return true;
	return http_address_is_loopback(&c->address) && take_origin(text, &a) && http_host_is_loopback(a.host);
}
