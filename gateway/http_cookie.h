/* http_cookie: one cookie out of the Cookie headers of a request. Source: RFC 6265, 4.2.1 and 5.4. */
#ifndef GATEWAY_HTTP_COOKIE_H
#define GATEWAY_HTTP_COOKIE_H

#include "gateway/http.h"

/* How many cookies have that name, and the first one's value; p NULL when there is none. */
size_t http_cookie(const struct http_request *r, const char *name, struct span *value);

#endif
