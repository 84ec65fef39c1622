/*
 * front_conn: one asker's connection to the front door: SP over a Unix stream
 * socket with REQ's framing, as nng speaks it, without blocking.
 * Source: the SP protocol over IPC; see dial.h.
 */
#ifndef MAILBOX_FRONT_CONN_H
#define MAILBOX_FRONT_CONN_H

#include "mailbox/clock.h"
#include "mailbox/protocol.h"

struct front_conn {
	int            fd;
	uint32_t       pid;
	bool           greeted;     /* its hello has come */
	bool           broken;      /* it said what SP does not allow, or is gone */
	uint8_t       *in;          /* owned; what came and was not taken yet */
	size_t         in_len, in_cap;
	size_t         in_used;     /* taken by the last front_conn_next */
	uint8_t       *out;         /* owned; what the socket did not take yet */
	size_t         out_len, out_at, out_cap;
	struct mono_ms stalled;     /* since when the socket takes nothing; valid while out waits */
	unsigned       n_asked;     /* asks that have no answer yet */
};

/* Takes the descriptor, which must not block. Our own hello goes out. */
void front_conn_open(struct front_conn *c, int fd, uint32_t pid);
void front_conn_close(struct front_conn *c);

/* Reads once. False when nothing more is there now, or it is broken. */
bool front_conn_read(struct front_conn *c);

/* The next whole message and the id of its request; the span is valid until the next call. */
bool front_conn_next(struct front_conn *c, uint32_t *request, struct span *message);

/* Sends an answer as far as the socket takes it; the rest waits for front_conn_flush. */
void front_conn_send(struct front_conn *c, uint32_t request, struct span message, struct mono_ms now);
void front_conn_flush(struct front_conn *c, struct mono_ms now);

/* How many bytes wait for the socket. */
size_t front_conn_waiting(const struct front_conn *c);

#endif
