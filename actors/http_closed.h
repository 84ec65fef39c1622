/* http_closed: what people are told while the endpoint is closed, in Chinese and in English. */
#ifndef ACTORS_HTTP_CLOSED_H
#define ACTORS_HTTP_CLOSED_H

#include "gateway/http.h"
#include "mailbox/words.h"

/* Sets the body. `message` is the owner's, of maintenance; may be empty. */
void http_closed_page(struct http_response *r, enum http_phase phase, const char *message);

#endif
