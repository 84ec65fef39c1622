/*
 * http_write: a response as bytes on the wire. Sources: RFC 9110, section 8.6
 * for Content-Length, 6.6.1 for Date.
 */
#ifndef GATEWAY_HTTP_WRITE_H
#define GATEWAY_HTTP_WRITE_H

#include "gateway/http.h"
#include "mailbox/clock.h"

struct http_write {
	struct wall_ms now;
	bool           is_head;  /* HEAD: what GET would have said, without the body */
	bool           closes;   /* Connection: close */
};

/*
 * The whole response; a failed one becomes a 500 without a body.
 *
 * *out  new, caller frees; ERR_NO_MEMORY
 */
enum err http_write(const struct http_response *r, const struct http_write *how, struct secret **out);

/* "OK" for 200; "" for a status that we never say. */
const char *http_reason(int status);

#endif
