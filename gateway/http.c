#include <string.h>
#include <strings.h>

#include "gateway/http.h"

const char *
http_method_name(enum http_method method)
{
	static const char *const names[] = {
		[HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD", [HTTP_POST] = "POST", [HTTP_DELETE] = "DELETE",
		[HTTP_OPTIONS] = "OPTIONS", [HTTP_OTHER] = NULL,
	};

	return names[method];
}

bool
http_name_is(struct span name, const char *wanted)
{
	return name.len == strlen(wanted) && strncasecmp((const char *)name.p, wanted, name.len) == 0;
}

bool
http_type_is(struct span value, const char *wanted)
{
	size_t n = strlen(wanted);

	return value.len >= n && strncasecmp((const char *)value.p, wanted, n) == 0 &&
	    (value.len == n || value.p[n] == ';' || value.p[n] == ' ');
}

size_t
http_header(const struct http_request *r, const char *name, struct span *value)
{
	size_t n = 0;

	*value = (struct span){ NULL, 0 };
	for (size_t i = 0; i < r->n_headers; i++)
		if (http_name_is(r->headers[i].name, name) && n++ == 0)
			*value = r->headers[i].value;
	return n;
}

void
http_response_start(struct http_response *r, int status)
{
	r->status = status;
	r->n_headers = 0;
	r->text_len = 0;
	r->body = NULL;
	r->closes = false;
	r->failed = false;
}

static bool
is_value(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
	return true;
}

void
http_response_header_span(struct http_response *r, const char *name, struct span value)
{
	if (r->n_headers == HTTP_RESPONSE_HEADERS_MAX || value.len > sizeof r->text - r->text_len || !is_value(value)) {
		r->failed = true;
		return;
	}
	r->headers[r->n_headers].name = name;
	r->headers[r->n_headers].offset = r->text_len;
	r->headers[r->n_headers].len = value.len;
	r->n_headers++;
	if (value.len > 0)
		memcpy(r->text + r->text_len, value.p, value.len);
	r->text_len += value.len;
}

void
http_response_header(struct http_response *r, const char *name, const char *value)
{
	http_response_header_span(r, name, (struct span){ (const uint8_t *)value, strlen(value) });
}

bool
http_response_has(const struct http_response *r, const char *name)
{
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcasecmp(r->headers[i].name, name) == 0)
			return true;
	return false;
}

void
http_response_body(struct http_response *r, const char *type, struct span body)
{
	secret_free(&r->body);
	if (secret_new(body.len, &r->body) != OK) {
		r->failed = true;
		return;
	}
	if (body.len > 0)
		memcpy(secret_bytes(r->body), body.p, body.len);
	if (!http_response_has(r, "Content-Type"))
		http_response_header(r, "Content-Type", type);
}

void
http_response_text(struct http_response *r, const char *type, const char *text)
{
	http_response_body(r, type, (struct span){ (const uint8_t *)text, strlen(text) });
}

void
http_response_free(struct http_response *r)
{
	secret_free(&r->body);
	wipe(r->text, r->text_len);
	r->text_len = 0;
	r->n_headers = 0;
}
