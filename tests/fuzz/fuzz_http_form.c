/* Any bytes as a form: what is taken is well-formed, and saying it again gives the same. */
#include <stdlib.h>
#include <string.h>

#include "gateway/http_form.h"
#include "mailbox/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
need(bool fact)
{
	if (!fact)
		abort();
}

/* Every byte escaped. */
static size_t
put(uint8_t *out, struct span s)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < s.len; i++) {
		*out++ = '%';
		*out++ = (uint8_t)digits[s.p[i] >> 4];
		*out++ = (uint8_t)digits[s.p[i] & 15];
	}
	return 3 * s.len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_form form, again;
	uint8_t *text, *at;

	if (http_form_parse((struct span){ data, size }, &form) != OK)
		return 0;
	need(form.n <= HTTP_FIELDS_MAX && (text = malloc(3 * size + 2 * HTTP_FIELDS_MAX + 1)) != NULL);
	at = text;
	for (size_t i = 0; i < form.n; i++) {
		struct http_field *f = &form.fields[i];

		need(utf8_valid(f->name) && utf8_valid(f->value) && memchr(f->name.p, '\0', f->name.len) == NULL);
		need(f->value.len == 0 || memchr(f->value.p, '\0', f->value.len) == NULL);
		at += put(at, f->name);
		*at++ = '=';
		at += put(at, f->value);
		*at++ = '&';
	}
	need(http_form_parse((struct span){ text, (size_t)(at - text) }, &again) == OK && again.n == form.n);
	for (size_t i = 0; i < form.n; i++)
		need(form.fields[i].name.len == again.fields[i].name.len && form.fields[i].value.len == again.fields[i].value.len &&
		    memcmp(form.fields[i].value.p, again.fields[i].value.p, form.fields[i].value.len) == 0);
	http_form_free(&again);
	http_form_free(&form);
	free(text);
	return 0;
}
