/*
 * http_parse: bytes of a connection into requests: a closed grammar, of which
 * whatever is left over is refused. It reads as RFC 9112 says a server may,
 * and never as one server among several could read otherwise:
 *
 *   lines end in CRLF; no other CR, LF or NUL stands anywhere in a head
 *   the target is in origin form; its path has no byte that a URI has not
 *   a header's name is a token with the colon behind it; its value has no
 *     control byte; no line goes on in the next one
 *   one Host; a body by one Content-Length of digits, or by one
 *     Transfer-Encoding that is `chunked`, never by both
 *   chunks have sizes in hex, no extensions, and no trailers
 *   HTTP/1.1; HTTP/1.0 for what old proxies and probes say, without chunks
 *
 * Where more than one reading would be possible nothing is read on: the
 * refusal has a status, and the connection ends behind it.
 */
#ifndef GATEWAY_HTTP_PARSE_H
#define GATEWAY_HTTP_PARSE_H

#include "gateway/http.h"

enum http_parse {
	HTTP_PARSE_MORE,     /* the request is not complete */
	HTTP_PARSE_DONE,     /* http_parser_request has it */
	HTTP_PARSE_REFUSED,  /* http_parser_status says with which status */
};

struct http_parser;

/* ERR_NO_MEMORY. */
enum err http_parser_new(struct http_parser **out);

/* Wipes all that it holds. Sets the pointer to NULL; accepts NULL inside. */
void http_parser_free(struct http_parser **p);

/*
 * Where the next bytes may be put, at least one and at most HTTP_READ_MAX of
 * them; not to be called when a request is done or refused. ERR_NO_MEMORY.
 */
#define HTTP_READ_MAX ((size_t)16 << 10)
enum err http_parser_room(struct http_parser *p, uint8_t **at, size_t *room);

/* Takes the n bytes that were put there. */
enum http_parse http_parser_took(struct http_parser *p, size_t n);

/* What is refused, and why: 400, 413, 414, 417, 431, 500, 501, 505. */
int http_parser_status(const struct http_parser *p);

/* The head is complete, and the body is not: the client has 30 s for that one. */
bool http_parser_in_body(const struct http_parser *p);

/* True once a request: the client waits for 100 Continue before it sends its body. */
bool http_parser_wants_continue(struct http_parser *p);

/* The request that is done; its spans are the parser's until http_parser_next. `peer` and `is_secure` are not set. */
void http_parser_request(const struct http_parser *p, struct http_request *out);

/* The connection ends behind this request, by its client's wish or its version. */
bool http_parser_closes(const struct http_parser *p);

/* Wipes the request, and takes what had come behind it for the next one. */
enum http_parse http_parser_next(struct http_parser *p);

/* Nothing of a request is there. */
bool http_parser_is_empty(const struct http_parser *p);

/* Bytes of memory that it holds. */
size_t http_parser_size(const struct http_parser *p);

#endif
