#include <string.h>

#include "gateway/http_head.h"
#include "gateway/span.h"

static bool
is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool
is_alpha_or_digit(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

static bool
is_one_of(uint8_t c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* RFC 9110, section 5.6.2. */
static bool
is_token(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alpha_or_digit(s.p[i]) && !is_one_of(s.p[i], "!#$%&'*+-.^_`|~"))
			return false;
	return s.len > 0;
}

/* RFC 3986: what a path is made of. */
static bool
is_path(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alpha_or_digit(s.p[i]) && !is_one_of(s.p[i], "/-._~%!$&'()*+,;=:@"))
			return false;
	return s.len > 0 && s.p[0] == '/';
}

/* Browsers leave more in a query than the RFC does. */
static bool
is_query(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] <= 0x20 || s.p[i] >= 0x7f || is_one_of(s.p[i], "\"<>#"))
			return false;
	return true;
}

static bool
is_host(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alpha_or_digit(s.p[i]) && !is_one_of(s.p[i], "-._~%!$&'()*+,;=:[]"))
			return false;
	return s.len > 0;
}

/* What stands before c; all of it when there is none. `rest` is what is behind. */
static struct span
cut(struct span s, uint8_t c, struct span *rest)
{
	const uint8_t *at = s.len == 0 ? NULL : memchr(s.p, c, s.len);
	size_t n = at == NULL ? s.len : (size_t)(at - s.p);

	*rest = at == NULL ? (struct span){ NULL, 0 } : (struct span){ at + 1, s.len - n - 1 };
	return (struct span){ s.p, n };
}

/* Blanks and tabs around it. */
static struct span
trimmed(struct span s)
{
	while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s.p++;
		s.len--;
	}
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
		s.len--;
	return s;
}

static enum http_method
method_of(struct span s)
{
	enum http_method m = HTTP_GET;

	while (m != HTTP_OTHER && !span_is(s, http_method_name(m)))
		m++;
	return m;
}

/* A version that is well formed and not ours is 505; anything else is no request. */
static int
take_version(struct span s, bool *is_old)
{
	*is_old = span_is(s, "HTTP/1.0");
	if (*is_old || span_is(s, "HTTP/1.1"))
		return 0;
	return s.len == 8 && memcmp(s.p, "HTTP/", 5) == 0 && is_digit(s.p[5]) && s.p[6] == '.' && is_digit(s.p[7]) ? 505 : 400;
}

static int
take_request_line(struct span line, struct http_request *r, bool *is_old)
{
	struct span rest, version, method = cut(line, ' ', &rest), target = cut(rest, ' ', &version);
	int status;

	if (!is_token(method) || target.len == 0 || version.len == 0)
		return 400;
	if ((status = take_version(version, is_old)) != 0)
		return status;
	r->method = method_of(method);
	r->path = cut(target, '?', &r->query);
	return is_path(r->path) && (r->query.p == NULL || is_query(r->query)) ? 0 : 400;
}

static int
take_header(struct span line, struct http_request *r)
{
	struct span value, name = cut(line, ':', &value);

	if (value.p == NULL || !is_token(name))
		return 400;
	if (r->n_headers == HTTP_HEADERS_MAX)
		return 431;
	value = trimmed(value);
	/* A tab in the middle is a control byte like the others. */
	if (value.len > 0 && memchr(value.p, '\t', value.len) != NULL)
		return 400;
	r->headers[r->n_headers++] = (struct http_header){ name, value };
	return 0;
}

/* Digits alone, without a zero before them: others read that one in octal. */
static int
take_length(struct span s, size_t *out)
{
	size_t n = 0;

	if (s.len == 0 || (s.p[0] == '0' && s.len > 1))
		return 400;
	for (size_t i = 0; i < s.len; i++) {
		if (!is_digit(s.p[i]))
			return 400;
		if (n <= HTTP_BODY_MAX)
			n = n * 10 + (size_t)(s.p[i] - '0');
	}
	*out = n;
	return n > HTTP_BODY_MAX ? 413 : 0;
}

/* RFC 9112, section 6.3, without what it lets pass. */
static int
take_framing(const struct http_request *r, bool is_old, struct http_framing *f)
{
	struct span length, coding;
	size_t n_lengths = http_header(r, "content-length", &length);
	size_t n_codings = http_header(r, "transfer-encoding", &coding);

	if (n_lengths + n_codings > 1 || (is_old && n_codings > 0))
		return 400;
	if (n_codings == 1) {
		f->is_chunked = http_name_is(coding, "chunked");
		return f->is_chunked ? 0 : 501;
	}
	return n_lengths == 1 ? take_length(length, &f->length) : 0;
}

/* Whether "close" is among the words of all Connection headers. */
static bool
says_close(const struct http_request *r)
{
	for (size_t i = 0; i < r->n_headers; i++) {
		struct span rest = r->headers[i].value;

		while (http_name_is(r->headers[i].name, "connection") && rest.p != NULL)
			if (http_name_is(trimmed(cut(rest, ',', &rest)), "close"))
				return true;
	}
	return false;
}

static int
take_meaning(struct http_request *r, bool is_old, struct http_framing *f)
{
	struct span expect;
	size_t n_expect = http_header(r, "expect", &expect);
	int status;

	if (http_header(r, "host", &r->host) != 1 || !is_host(r->host))
		return 400;
	if ((status = take_framing(r, is_old, f)) != 0)
		return status;
	if (n_expect > 1 || (n_expect == 1 && !http_name_is(expect, "100-continue")))
		return 417;
	f->wants_continue = n_expect == 1 && !is_old && (f->is_chunked || f->length > 0);
	f->closes = is_old || says_close(r);
	return 0;
}

/* The line at the start of s, without its CRLF. */
static struct span
take_line(struct span *s)
{
	struct span rest, line = cut(*s, '\n', &rest);

	*s = rest;
	if (line.len > 0)
		line.len--;
	return line;
}

int
http_head_parse(struct span head, struct http_request *r, struct http_framing *f)
{
	struct span line = take_line(&head);
	bool is_old = false;
	int status;

	*r = (struct http_request){ .n_headers = 0 };
	*f = (struct http_framing){ .length = 0 };
	if ((status = take_request_line(line, r, &is_old)) != 0)
		return status;
	while ((line = take_line(&head)).len > 0)
		if ((status = take_header(line, r)) != 0)
			return status;
	return take_meaning(r, is_old, f);
}
