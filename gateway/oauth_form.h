/*
 * oauth_form: the parameters of a request, decoded. Source: RFC 6749, 3.1 and
 * 3.2: none may come twice, and one without a value counts as absent.
 */
#ifndef GATEWAY_OAUTH_FORM_H
#define GATEWAY_OAUTH_FORM_H

#include "gateway/http_form.h"

struct oauth_form {
	const struct http_field *fields; /* borrowed */
	size_t                    n;
};

/* The first value of that name; p NULL and len 0 when there is none, or an empty one. */
struct span oauth_form_value(const struct oauth_form *f, const char *name);

/* True when some name comes twice, `resource` aside (RFC 8707, 2). */
bool oauth_form_repeats(const struct oauth_form *f);

/*
 * True when every `resource` is ours: the origin or the origin and "/mcp",
 * each with or without a slash at its end; scheme and host without case, the
 * scheme's own port left out or not. None at all is ours, too.
 */
bool oauth_form_resource_ours(const struct oauth_form *f, const char *origin);

#endif
