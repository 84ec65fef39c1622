/*
 * Any bytes on a connection, in whatever pieces they arrive: the parser says
 * the same of them, each request lies whole in its own bytes, and what it
 * takes has one Host and one length.
 */
#include <stdlib.h>
#include <string.h>

#include "gateway/http_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUESTS_MAX 64

/* What was said of one input. */
struct heard {
	size_t n;
	int    refused;
	struct {
		size_t headers, path, query, body;
		enum http_method method;
		bool closes;
	} requests[REQUESTS_MAX];
};

static void
need(bool fact)
{
	if (!fact)
		abort();
}

static void
note(const struct http_parser *p, struct heard *h)
{
	struct http_request r;
	struct span value;

	http_parser_request(p, &r);
	need(r.n_headers <= HTTP_HEADERS_MAX && r.body.len <= HTTP_BODY_MAX && r.path.len > 0 && r.path.p[0] == '/');
	need(http_header(&r, "host", &value) == 1 && value.len > 0);
	need(http_header(&r, "content-length", &value) + http_header(&r, "transfer-encoding", &value) <= 1);
	for (size_t i = 0; i < r.n_headers; i++)
		for (size_t k = 0; k < r.headers[i].value.len; k++)
			need(r.headers[i].value.p[k] >= 0x20 && r.headers[i].value.p[k] != 0x7f);
	h->requests[h->n].headers = r.n_headers;
	h->requests[h->n].path = r.path.len;
	h->requests[h->n].query = r.query.len;
	h->requests[h->n].body = r.body.len;
	h->requests[h->n].method = r.method;
	h->requests[h->n].closes = http_parser_closes(p);
	h->n++;
}

static enum http_parse
take_all(struct http_parser *p, enum http_parse outcome, struct heard *h)
{
	while (outcome == HTTP_PARSE_DONE && h->n < REQUESTS_MAX) {
		note(p, h);
		outcome = http_parser_next(p);
	}
	if (outcome == HTTP_PARSE_REFUSED) {
		h->refused = http_parser_status(p);
		need(h->refused >= 400 && h->refused < 600);
	}
	return outcome;
}

static void
hear(const uint8_t *data, size_t size, size_t at_once, struct heard *h)
{
	enum http_parse outcome = HTTP_PARSE_MORE;
	struct http_parser *p = NULL;

	memset(h, 0, sizeof *h);
	need(http_parser_new(&p) == OK);
	while (size > 0 && outcome == HTTP_PARSE_MORE) {
		size_t room = 0, n = size < at_once ? size : at_once;
		uint8_t *at;

		need(http_parser_room(p, &at, &room) == OK && room > 0 && room <= HTTP_READ_MAX);
		n = n < room ? n : room;
		memcpy(at, data, n);
		data += n;
		size -= n;
		outcome = take_all(p, http_parser_took(p, n), h);
	}
	http_parser_free(&p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct heard whole, parts;
	size_t at_once = size == 0 ? 1 : 1 + data[size - 1] % 13;

	hear(data, size, HTTP_READ_MAX, &whole);
	hear(data, size, at_once, &parts);
	/* Where the last request is never reached it makes no difference how much of it was there. */
	need(whole.n == REQUESTS_MAX || memcmp(&whole, &parts, sizeof whole) == 0);
	return 0;
}
