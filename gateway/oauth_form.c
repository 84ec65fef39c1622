#include <strings.h>

#include "gateway/oauth_form.h"
#include "gateway/span.h"

struct span
oauth_form_value(const struct oauth_form *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (span_is(f->fields[i].name, name) && f->fields[i].value.len > 0)
			return f->fields[i].value;
	return (struct span){ NULL, 0 };
}

bool
oauth_form_repeats(const struct oauth_form *f)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = i + 1; k < f->n; k++)
			if (span_same(f->fields[i].name, f->fields[k].name) && !span_is(f->fields[i].name, "resource"))
				return true;
	return false;
}

/* Scheme and authority of a URL, without the port that its scheme implies. */
static struct span
authority(struct span url)
{
	size_t at = 0, slashes = 0, len;
	struct span a;

	while (at < url.len && !(url.p[at] == '/' && slashes == 2))
		slashes += url.p[at++] == '/';
	a = (struct span){ url.p, at };
	len = a.len;
	if (len > 12 && strncasecmp((const char *)a.p, "https:", 6) == 0 && memcmp(a.p + len - 4, ":443", 4) == 0)
		a.len -= 4;
	else if (len > 10 && strncasecmp((const char *)a.p, "http:", 5) == 0 && memcmp(a.p + len - 3, ":80", 3) == 0)
		a.len -= 3;
	return a;
}

static bool
is_ours(struct span resource, struct span origin)
{
	struct span a = authority(resource), o = authority(origin), path;
	size_t skip = a.len;

	if (a.len != o.len || strncasecmp((const char *)a.p, (const char *)o.p, a.len) != 0)
		return false;
	while (skip < resource.len && resource.p[skip] != '/')
		skip++;
	path = span_after(resource, skip);
	return path.len == 0 || span_is(path, "/") || span_is(path, "/mcp") || span_is(path, "/mcp/");
}

bool
oauth_form_resource_ours(const struct oauth_form *f, const char *origin)
{
	for (size_t i = 0; i < f->n; i++)
		if (span_is(f->fields[i].name, "resource") && f->fields[i].value.len > 0 &&
		    !is_ours(f->fields[i].value, span_of(origin)))
			return false;
	return true;
}
