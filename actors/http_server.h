/*
 * http_server: connections and their timers: it takes requests in and brings
 * responses out, one at a time a connection, and knows nothing of what they
 * say. Everything runs on the thread of the actor that owns it.
 */
#ifndef ACTORS_HTTP_SERVER_H
#define ACTORS_HTTP_SERVER_H

#include "gateway/http.h"
#include "mailbox/clock.h"

struct http_server;

/*
 * One request until its answer is given. It outlives its connection: who took
 * it answers it exactly once, whether somebody still listens or not.
 */
struct http_exchange;

const struct http_request *http_exchange_request(const struct http_exchange *x);

/* False when nobody waits for the answer any more. */
bool http_exchange_is_wanted(const struct http_exchange *x);

/* Frees the exchange and the response's body. */
void http_exchange_answer(struct http_exchange *x, struct http_response *r);

#endif
