/*
 * edge_queue: what waits for the send in flight, as the frames that it will
 * be. Short messages gather into one frame; a long one is copied once, into a
 * frame of its own.
 */
#ifndef MAILBOX_EDGE_QUEUE_H
#define MAILBOX_EDGE_QUEUE_H

#include <nng/nng.h>

#include "mailbox/edge_frame.h"

struct edge_queue {
	nng_msg **frames;    /* a ring of those that are ready */
	size_t    first;
	size_t    n;
	size_t    max;
	size_t    ready_len; /* bytes in them */
	uint8_t  *open;      /* the frame that still gathers; kept for the next */
	size_t    open_len;  /* 0: none */
};

/* A frame of these messages alone. NULL: it would be too long, or there is no memory. */
nng_msg *edge_queue_frame(const struct span *messages, size_t n);

/* Adds a message at the end. ERR_NO_MEMORY: nothing was added. */
enum err edge_queue_add(struct edge_queue *q, struct span message);

/* The next frame to send, the caller's; NULL when nothing waits, or no memory is left. */
nng_msg *edge_queue_take(struct edge_queue *q);

size_t edge_queue_len(const struct edge_queue *q);

/* Empties it and gives its memory back. */
void edge_queue_clear(struct edge_queue *q);

#endif
