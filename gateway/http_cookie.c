#include <strings.h>

#include "gateway/http_cookie.h"
#include "gateway/span.h"

/* Counts those of one header. */
static size_t
count(struct span header, const char *name, struct span *first)
{
	size_t n = 0, name_len = strlen(name);

	for (size_t at = 0, end; at < header.len; at = end + 1) {
		for (end = at; end < header.len && header.p[end] != ';'; end++)
			;
		while (at < end && header.p[at] == ' ')
			at++;
		if (end - at <= name_len || memcmp(header.p + at, name, name_len) != 0 || header.p[at + name_len] != '=')
			continue;
		if (n++ == 0 && first->p == NULL)
			*first = (struct span){ header.p + at + name_len + 1, end - at - name_len - 1 };
	}
	return n;
}

size_t
http_cookie(const struct http_request *r, const char *name, struct span *value)
{
	size_t n = 0;

	*value = (struct span){ NULL, 0 };
	for (size_t i = 0; i < r->n_headers; i++)
		if (r->headers[i].name.len == 6 && strncasecmp((const char *)r->headers[i].name.p, "cookie", 6) == 0)
			n += count(r->headers[i].value, name, value);
	return n;
}
