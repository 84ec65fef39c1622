/*
 * http_server: connections and their timers: it takes requests in and brings
 * responses out, one at a time a connection, and knows nothing of what they
 * say. Everything runs on the thread of the actor that owns it; no call waits
 * but http_server_wait.
 */
#ifndef ACTORS_HTTP_SERVER_H
#define ACTORS_HTTP_SERVER_H

#include "gateway/http.h"
#include "gateway/http_config.h"
#include "mailbox/clock.h"

/* Absolute times: no byte that comes makes one longer, but of writing, where each that goes does. */
#define HTTP_HEAD_MS     10000  /* from a connection's start, or a request's first byte, to the end of its head */
#define HTTP_BODY_MS     30000  /* from there to the end of its body */
#define HTTP_WRITE_MS    60000  /* without a byte taken from us */
#define HTTP_IDLE_MS     300000 /* between two requests */
#define HTTP_LINGER_MS   2000   /* for what a client still sends behind our last word */
#define HTTP_REQUESTS_MAX 1000  /* of one connection */

/* Responses may take so much memory over all connections; past it who has taken nothing for longest is left. */
#define HTTP_OUTPUT_MAX  ((size_t)64 << 20)

struct http_server;

/*
 * One request until its answer is given. It outlives its connection: who took
 * it answers it exactly once, whether somebody still listens or not.
 */
struct http_exchange;

/* Valid until the answer; spans in it point into memory that is wiped then. */
const struct http_request *http_exchange_request(const struct http_exchange *x);

/* False when nobody waits for the answer any more. */
bool http_exchange_is_wanted(const struct http_exchange *x);

/* Frees the exchange and the response's body. May be called in on_request, or any time later. */
void http_exchange_answer(struct http_exchange *x, struct http_response *r);

/*
 * An exchange of a request's bytes, without a connection: its answer is handed to on_answer. For tests of who
 * answers. ERR_INVALID_ARGUMENT: the parser does not take it. ERR_NO_MEMORY.
 */
enum err http_exchange_of(struct span bytes, void (*on_answer)(void *arg, const struct http_response *r), void *arg,
    struct http_exchange **out);

struct http_server_config {
	const struct http_config *http;   /* borrowed */
	unsigned  connections_max;        /* there the longest idle is left for a new one; while none is idle the listener pauses */
	void    (*on_request)(void *arg, struct http_exchange *x);
	void    (*before_answer)(void *arg, struct http_response *r); /* for what all responses say; may be NULL */
	void     *arg;
};

/*
 * Listens nowhere yet. ERR_CONFIG_INVALID: the certificate or its key cannot
 * be used. ERR_NO_MEMORY, ERR_UNSUPPORTED.
 */
enum err http_server_new(const struct http_server_config *config, struct http_server **out);

/* Ends all connections; exchanges that are still out may be answered afterwards. Accepts NULL inside. */
void http_server_free(struct http_server **s);

/* Port 0 takes any. ERR_LISTEN_FAILED: the address is taken, or not ours. */
enum err http_server_listen(struct http_server *s);
bool     http_server_listens(const struct http_server *s);
unsigned http_server_port(const struct http_server *s);

/* Returns when something has happened, or was woken; wake may be called from any thread. */
void http_server_wait(struct http_server *s);
void http_server_wake(struct http_server *s);

/* The wait ends in so many milliseconds at the latest; the last call counts. */
void http_server_alarm(struct http_server *s, uint64_t ms);

/* Ends what is over its time. Returns when there is something to do again; 0: nothing. */
struct mono_ms http_server_tick(struct http_server *s, struct mono_ms now);

struct http_figures {
	unsigned connections;
	uint64_t accepted, turned_away; /* over an address's limit, or without a descriptor */
	uint64_t requests, refused;     /* refused: by the parser */
	size_t   input;                 /* bytes that wait for the rest of their request */
	size_t   output;                /* bytes of responses that are not taken yet */
};
struct http_figures http_server_figures(const struct http_server *s);

#endif
