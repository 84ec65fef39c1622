/*
 * http: one request and one response of HTTP/1.1, as plain values. Who parses
 * bytes into the one is gateway/http_parse.h; who writes the other,
 * gateway/http_write.h. Sources: RFC 9110, RFC 9112.
 */
#ifndef GATEWAY_HTTP_H
#define GATEWAY_HTTP_H

#include "escrow/secret.h"
#include "mailbox/wire.h"

#define HTTP_HEADERS_MAX 64
#define HTTP_HEAD_MAX    ((size_t)16 << 10) /* request line and headers */
#define HTTP_BODY_MAX    ((size_t)64 << 10) /* a route may allow less */

enum http_method {
	HTTP_GET,
	HTTP_HEAD,
	HTTP_POST,
	HTTP_DELETE,
	HTTP_OPTIONS,
	HTTP_OTHER, /* a token that is none of these: 405 or 501 */
};

/* "GET"; NULL: HTTP_OTHER has no name. */
const char *http_method_name(enum http_method method);

struct http_header {
	struct span name;  /* as it was written; compared without case */
	struct span value; /* without blanks around it; no control byte in it */
};

/* All spans point into the connection's own memory, until the request is answered. */
struct http_request {
	enum http_method   method;
	struct span        path;    /* "/mcp", undecoded; begins with a slash */
	struct span        query;   /* behind the "?", undecoded; p NULL: there is no "?" */
	struct span        host;    /* as it was sent */
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t             n_headers;
	struct span        body;
	bool               is_secure;   /* came over TLS */
	struct span        peer;        /* whose request it is, for throttling: an address; of a trusted proxy, what that says */
};

/* How many headers have that name (lower case), and the first one's value; len 0 and p NULL when there is none. */
size_t http_header(const struct http_request *r, const char *name, struct span *value);

/* Whether a header's name is that one, which is written in lower case. */
bool http_name_is(struct span name, const char *wanted);

/* Whether a Content-Type is that one, written in lower case, whatever parameters it has. */
bool http_type_is(struct span value, const char *wanted);

#define HTTP_RESPONSE_HEADERS_MAX 24

/*
 * A response being made. Names are borrowed literals; values and body are
 * copied. Content-Length, Connection and Date are the writer's own. A value
 * with a byte below 0x20 or 0x7f fails the response, which then is a 500.
 */
struct http_response {
	int             status;
	struct {
		const char *name;
		size_t      offset, len; /* into text */
	} headers[HTTP_RESPONSE_HEADERS_MAX];
	size_t          n_headers;
	char            text[18432]; /* room for the longest redirect, with a state that is all escapes */
	size_t          text_len;
	struct secret  *body;     /* owned; NULL: none. Wiped with the response */
	bool            closes;   /* the connection ends behind it */
	bool            failed;
};

void http_response_start(struct http_response *r, int status);
void http_response_header(struct http_response *r, const char *name, const char *value);
void http_response_header_span(struct http_response *r, const char *name, struct span value);
/* Replaces the body, and sets Content-Type where it is not set yet. */
void http_response_body(struct http_response *r, const char *type, struct span body);
void http_response_text(struct http_response *r, const char *type, const char *text);
bool http_response_has(const struct http_response *r, const char *name);

/* Wipes it. It may be started again. */
void http_response_free(struct http_response *r);

#endif
