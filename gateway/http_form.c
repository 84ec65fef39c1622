#include "gateway/hex.h"
#include "gateway/http_form.h"
#include "gateway/span.h"
#include "mailbox/utf8.h"

/* Decodes to *out, which moves on. False: an escape that is none, or a NUL. */
static bool
decode(struct span raw, uint8_t **out, struct span *decoded)
{
	uint8_t *p = *out;

	for (size_t i = 0; i < raw.len; i++) {
		uint8_t c = raw.p[i] == '+' ? ' ' : raw.p[i];

		if (c == '%') {
			if (raw.len - i < 3 || hex_digit(raw.p[i + 1]) < 0 || hex_digit(raw.p[i + 2]) < 0)
				return false;
			c = (uint8_t)(hex_digit(raw.p[i + 1]) << 4 | hex_digit(raw.p[i + 2]));
			i += 2;
		}
		if (c == '\0')
			return false;
		*p++ = c;
	}
	*decoded = (struct span){ *out, (size_t)(p - *out) };
	*out = p;
	return utf8_valid(*decoded);
}

static bool
add(struct http_form *f, struct span pair, uint8_t **out)
{
	const uint8_t *equals = memchr(pair.p, '=', pair.len);
	size_t n = equals == NULL ? pair.len : (size_t)(equals - pair.p);
	struct http_field *field;

	if (f->n == HTTP_FIELDS_MAX)
		return false;
	field = &f->fields[f->n++];
	return decode((struct span){ pair.p, n }, out, &field->name) &&
	    decode(equals == NULL ? (struct span){ pair.p, 0 } : span_after(pair, n + 1), out, &field->value);
}

enum err
http_form_parse(struct span text, struct http_form *out)
{
	uint8_t *to;

	memset(out, 0, sizeof *out);
	if (secret_new(text.len, &out->text) != OK)
		return ERR_NO_MEMORY;
	to = secret_bytes(out->text);
	for (size_t at = 0, end; at < text.len; at = end + 1) {
		for (end = at; end < text.len && text.p[end] != '&'; end++)
			;
		if (end > at && !add(out, (struct span){ text.p + at, end - at }, &to)) {
			http_form_free(out);
			return ERR_INVALID_CONTENT;
		}
	}
	return OK;
}

void
http_form_free(struct http_form *f)
{
	secret_free(&f->text);
	memset(f, 0, sizeof *f);
}

size_t
http_form_value(const struct http_form *f, const char *name, struct span *value)
{
	size_t n = 0;

	*value = (struct span){ NULL, 0 };
	for (size_t i = 0; i < f->n; i++)
		if (span_is(f->fields[i].name, name) && n++ == 0)
			*value = f->fields[i].value;
	return n;
}
