/*
 * http_form: application/x-www-form-urlencoded, of bodies and of queries.
 * Source: the URL standard, "application/x-www-form-urlencoded"; stricter than
 * that: what a client meant is never guessed.
 */
#ifndef GATEWAY_HTTP_FORM_H
#define GATEWAY_HTTP_FORM_H

#include "escrow/secret.h"

#define HTTP_FIELDS_MAX 64

struct http_field {
	struct span name;
	struct span value; /* len 0 for a name without one */
};

/* Fields in their order, decoded. {0} is one without any. */
struct http_form {
	struct http_field fields[HTTP_FIELDS_MAX];
	size_t            n;
	struct secret    *text; /* what the fields point into; owned */
};

/*
 * ERR_INVALID_CONTENT: an escape that is none, a NUL, what is not UTF-8, more
 * than HTTP_FIELDS_MAX fields. ERR_NO_MEMORY. *out is empty then.
 */
enum err http_form_parse(struct span text, struct http_form *out);

/* Wipes it; it is empty then. */
void http_form_free(struct http_form *f);

/* How many fields have that name, and the first one's value; p NULL when there is none. */
size_t http_form_value(const struct http_form *f, const char *name, struct span *value);

#endif
