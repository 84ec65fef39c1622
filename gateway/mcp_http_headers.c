#include <stdlib.h>
#include <string.h>

#include "gateway/mcp_http_headers.h"
#include "gateway/span.h"
#include "mailbox/base64.h"

#define SHOWN_MAX  64
#define WRAP_START "=?base64?"
#define WRAP_END   "?="

bool
mcp_http_version_is_modern(const struct mcp_http_header *version)
{
	static const char first[] = "2026-07-28";
	size_t len = version->value.len < sizeof first - 1 ? version->value.len : sizeof first - 1;
	int order;

	if (version->n == 0)
		return false;
	order = len == 0 ? 0 : memcmp(version->value.p, first, len);
	return order > 0 || (order == 0 && version->value.len >= sizeof first - 1);
}

bool
mcp_http_version_says(const struct mcp_http_header *version, struct span claimed)
{
	return version->n == 1 && span_same(version->value, claimed);
}

static bool
is_wrapped(struct span s)
{
	return s.len >= sizeof WRAP_START + sizeof WRAP_END - 2 && memcmp(s.p, WRAP_START, sizeof WRAP_START - 1) == 0 &&
	    memcmp(s.p + s.len - (sizeof WRAP_END - 1), WRAP_END, sizeof WRAP_END - 1) == 0;
}

/* The name inside =?base64?…?= is that one. */
static bool
wraps(struct span value, struct span name)
{
	struct span text = { value.p + sizeof WRAP_START - 1, value.len - (sizeof WRAP_START + sizeof WRAP_END - 2) };
	uint8_t *decoded = malloc(base64_decoded_len(text.len) + 1);
	size_t len;
	bool yes;

	if (decoded == NULL)
		return false;
	yes = base64_decode_padded(text, decoded, &len) == OK && span_same((struct span){ decoded, len }, name);
	free(decoded);
	return yes;
}

/* What stands bare is printable ASCII. */
static bool
is_plain(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < 0x20 || s.p[i] > 0x7e)
			return false;
	return true;
}

struct span
mcp_http_version_shown(const struct mcp_http_header *version)
{
	return version->value.len <= SHOWN_MAX && is_plain(version->value) ? version->value : (struct span){ NULL, 0 };
}

static bool
says(const struct mcp_http_header *h, struct span name)
{
	if (h->n != 1 || !is_plain(h->value))
		return false;
	return is_wrapped(h->value) ? wraps(h->value, name) : span_same(h->value, name);
}

/* The member of params that names what the method is about; NULL: there is none. */
static const char *
naming_member(const struct rpc_message *m)
{
	if (rpc_is(m, "tools/call") || rpc_is(m, "prompts/get"))
		return "name";
	return rpc_is(m, "resources/read") ? "uri" : NULL;
}

bool
mcp_http_routing_says(const struct mcp_http_post *post, const struct rpc_message *m)
{
	const char *member = naming_member(m);
	struct span name;

	if (post->method.n != 1 || !span_same(post->method.value, m->method))
		return false;
	/* One that is no string is refused for that. */
	if (member == NULL || json_string(m->params, member, &name) != JSON_GOT)
		return true;
	return says(&post->name, name);
}
