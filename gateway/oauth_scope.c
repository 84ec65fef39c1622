#include <stdio.h>

#include "gateway/oauth_scope.h"

uint8_t
oauth_scope_bits(struct span text)
{
	const char *p = (const char *)text.p;
	uint8_t bits = 0;
	enum scope scope;

	for (size_t at = 0, end; at < text.len; at = end + 1) {
		for (end = at; end < text.len && p[end] != ' '; end++)
			;
		if (scope_of_name(p + at, end - at, &scope))
			bits |= (uint8_t)(1u << scope);
	}
	return bits;
}

uint8_t
oauth_scope_wanted(struct span text)
{
	uint8_t bits = scopes_closed(oauth_scope_bits(text));

	return bits == 0 ? OAUTH_SCOPES_DEFAULT : bits;
}

void
oauth_scope_text(uint8_t scopes, char out[OAUTH_SCOPE_TEXT_MAX + 1])
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned s = 0; s < SCOPE__COUNT; s++)
		if ((scopes & 1u << s) != 0)
			len += (size_t)snprintf(out + len, OAUTH_SCOPE_TEXT_MAX + 1 - len, "%s%s", len > 0 ? " " : "",
			    scope_name((enum scope)s));
}
