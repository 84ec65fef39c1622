#include "gateway/http_peer.h"

bool
http_is_proxy(const struct http_config *c, const struct http_address *a)
{
	for (size_t i = 0; i < c->n_proxies; i++)
		if (http_network_has(&c->proxies[i], a))
			return true;
	return false;
}

/* What stands behind the last comma, trimmed; the list loses it. */
static struct span
take_last(struct span *list)
{
	size_t end = list->len, from = end;
	struct span last;

	while (from > 0 && list->p[from - 1] != ',')
		from--;
	last = (struct span){ list->p + from, end - from };
	list->len = from > 0 ? from - 1 : 0;
	while (last.len > 0 && last.p[0] == ' ') {
		last.p++;
		last.len--;
	}
	while (last.len > 0 && last.p[last.len - 1] == ' ')
		last.len--;
	return last;
}

/* An address, or one with its port. */
static bool
take_address(struct span text, struct http_address *out)
{
	struct http_authority a;

	return http_address_parse(text, out) || (http_authority_parse(text, &a) && http_address_parse(a.host, out));
}

static struct http_address
find(const struct http_config *c, const struct http_address *caller, const struct http_request *r)
{
	struct http_address found = *caller;

	for (size_t i = r->n_headers; i-- > 0 && http_is_proxy(c, &found);) {
		struct span list = r->headers[i].value;

		if (!http_name_is(r->headers[i].name, "x-forwarded-for"))
			continue;
		while (list.len > 0 && http_is_proxy(c, &found))
			if (!take_address(take_last(&list), &found))
				return found;
	}
	return found;
}

struct http_address
http_peer(const struct http_config *c, const struct http_address *caller, const struct http_request *r)
{
	struct http_address found = find(c, caller, r);

	return http_address_party(&found);
}
