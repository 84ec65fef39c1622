/*
 * edge_dialer: a dialer that goes on. nng 1.5.2's own can stop for good when it
 * is hung up on at a bad moment, as its listeners do (nanomsg/nng#1518): one
 * that brings no connection for a while is closed, and another dials.
 */
#ifndef MAILBOX_EDGE_DIALER_H
#define MAILBOX_EDGE_DIALER_H

#include "mailbox/clock.h"
#include "mailbox/edge_closing.h"
#include "mailbox/edge_listen.h"

#define EDGE_DIALER_URL_MAX (sizeof "inproc://" + EDGE_LISTEN_PATH_MAX)

struct edge_dialer {
	nng_socket           socket;  /* borrowed */
	nng_dialer           dialer;
	bool                 dialing;
	bool                 was_connected; /* at the last tick */
	char                 url[EDGE_DIALER_URL_MAX];
	uint64_t             waits_ms; /* for a connection, before it is given up; doubles */
	struct mono_ms       gives_up;
	struct edge_closing *closing;  /* the last one's end; NULL: none */
	struct mono_ms       closing_ends;
};

/* ERR_UNSUPPORTED: nng cannot dial that URL. */
enum err edge_dialer_open(struct edge_dialer *d, nng_socket socket, const char *url);

/* The dialer itself goes with its socket. */
void edge_dialer_close(struct edge_dialer *d);

/* Returns when to call again at the latest. */
struct mono_ms edge_dialer_tick(struct edge_dialer *d, struct mono_ms now, bool connected);

#endif
