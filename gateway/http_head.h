/*
 * http_head: a complete head of a request, from its first byte to the empty
 * line, as plain values. The grammar is said in gateway/http_parse.h; lines
 * have been checked for their ends and for control bytes before.
 */
#ifndef GATEWAY_HTTP_HEAD_H
#define GATEWAY_HTTP_HEAD_H

#include "gateway/http.h"

struct http_framing {
	bool   is_chunked;
	size_t length;          /* of the body, when it is not chunked */
	bool   closes;          /* the client's wish, or HTTP/1.0 */
	bool   wants_continue;
};

/* 0, or the status that it is refused with. `request` and `framing` are then not to be used. */
int http_head_parse(struct span head, struct http_request *request, struct http_framing *framing);

#endif
