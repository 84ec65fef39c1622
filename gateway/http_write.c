#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gateway/http_write.h"

#define LINES_MAX 160 /* of those that are the writer's own */

const char *
http_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} known[] = {
		{ 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
		{ 302, "Found" }, { 303, "See Other" }, { 304, "Not Modified" },
		{ 400, "Bad Request" }, { 401, "Unauthorized" }, { 403, "Forbidden" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 406, "Not Acceptable" }, { 408, "Request Timeout" }, { 409, "Conflict" },
		{ 410, "Gone" }, { 411, "Length Required" }, { 413, "Content Too Large" }, { 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" }, { 417, "Expectation Failed" }, { 421, "Misdirected Request" },
		{ 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" }, { 501, "Not Implemented" }, { 502, "Bad Gateway" },
		{ 503, "Service Unavailable" }, { 504, "Gateway Timeout" }, { 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].status == status)
			return known[i].reason;
	return "";
}

/* RFC 9110, section 5.6.7; the C library's names of days are the locale's. */
static void
put_date(struct wall_ms now, char *out, size_t size)
{
	static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t t = (time_t)(now.ms / 1000);
	struct tm tm = { .tm_mday = 1 };

	gmtime_r(&t, &tm);
	snprintf(out, size, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * tm.tm_wday, tm.tm_mday,
	    months + 3 * tm.tm_mon, tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void
put(struct wire_out *o, const char *text)
{
	wire_put_bytes(o, text, strlen(text));
}

/* 204 and 304 have neither a body nor its length. */
static bool
has_length(int status)
{
	return status != 204 && status != 304;
}

static void
put_own(struct wire_out *o, int status, const struct http_write *how, size_t body)
{
	char line[LINES_MAX], date[64];

	put_date(how->now, date, sizeof date);
	snprintf(line, sizeof line, "HTTP/1.1 %d %s\r\nDate: %s\r\n", status, http_reason(status), date);
	put(o, line);
	if (has_length(status)) {
		snprintf(line, sizeof line, "Content-Length: %zu\r\n", body);
		put(o, line);
	}
	if (how->closes)
		put(o, "Connection: close\r\n");
}

static void
put_headers(struct wire_out *o, const struct http_response *r)
{
	for (size_t i = 0; i < r->n_headers; i++) {
		put(o, r->headers[i].name);
		put(o, ": ");
		wire_put_bytes(o, r->text + r->headers[i].offset, r->headers[i].len);
		put(o, "\r\n");
	}
}

static size_t
size_of(const struct http_response *r, size_t body)
{
	size_t n = 2 * LINES_MAX + body;

	for (size_t i = 0; i < r->n_headers; i++)
		n += strlen(r->headers[i].name) + r->headers[i].len + 4;
	return n;
}

enum err
http_write(const struct http_response *r, const struct http_write *how, struct secret **out)
{
	static const struct http_response failed = { .status = 500 };
	const struct http_response *said = r->failed ? &failed : r;
	struct span body = said->body == NULL ? (struct span){ NULL, 0 } : secret_span(said->body);
	struct secret *s = NULL;
	struct wire_out o;
	enum err e;

	if (!has_length(said->status))
		body.len = 0;
	if ((e = secret_new(size_of(said, body.len), &s)) != OK)
		return e;
	o = wire_out(secret_bytes(s), secret_len(s));
	put_own(&o, said->status, how, body.len);
	put_headers(&o, said);
	put(&o, "\r\n");
	if (!how->is_head && body.len > 0)
		wire_put_bytes(&o, body.p, body.len);
	if (o.failed) {
		secret_free(&s);
		return ERR_INTERNAL;
	}
	secret_cut(s, o.len);
	*out = s;
	return OK;
}
