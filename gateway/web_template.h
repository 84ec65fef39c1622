/*
 * web_template: a page out of a file of gateway/pages and values.
 *
 *   {{name}}               the value, escaped for text and for a quoted attribute
 *   {{#name}} … {{/name}}  once for each part of that name: none, one or many
 *
 * There is no way to say anything unescaped, so whatever a stranger sent can be
 * a value. Names are looked for in the innermost part first.
 */
#ifndef GATEWAY_WEB_TEMPLATE_H
#define GATEWAY_WEB_TEMPLATE_H

#include "mailbox/wire.h"

struct web_value {
	const char *name;
	struct span text; /* UTF-8 */
};

struct web_scope;

struct web_part {
	const char             *name;
	const struct web_scope *each;
	size_t                  n;
};

/* What names mean: values, and parts with values of their own. All borrowed. */
struct web_scope {
	const struct web_value *values;
	size_t                  n_values;
	const struct web_part  *parts;
	size_t                  n_parts;
};

/* False: a name means nothing, a part is not closed, or the page does not fit. */
bool web_template_write(struct span template, const struct web_scope *scope, struct wire_out *out);

#endif
