/*
 * edge_traffic: an edge from inside: what it holds, and what nng calls. For
 * edge.c alone. What edge.h says of posting and dropping is done there too.
 */
#ifndef MAILBOX_EDGE_TRAFFIC_H
#define MAILBOX_EDGE_TRAFFIC_H

#include <pthread.h>
#include <stdatomic.h>

#include "mailbox/edge.h"
#include "mailbox/edge_dialer.h"
#include "mailbox/edge_listen.h"
#include "mailbox/edge_queue.h"
#include "mailbox/edge_session.h"

/* A hello and a proof: all that is ever said before messages. */
#define EDGE_CONTROL_MAX 2

/*
 * Locks: the edge's lock is held while nng is asked to send, which never calls
 * back on the same thread, and while events are noted; never while they run.
 *
 * Only one frame is given to nng at a time, and nng keeps none of its own
 * (SENDBUF 0), so that nothing meant for a proven connection can wait and go
 * out on the next one; a frame that waits when its connection is lost is
 * cancelled before nng can attach another.
 */
struct edge {
	struct edge_config  config;
	bool                listens;
	char                address[EDGE_LISTEN_PATH_MAX + 1];
	nng_socket          socket;
	nng_aio            *receiving;
	nng_aio            *sending;
	struct edge_listen  door;      /* the main thread's alone */
	bool                has_door;
	struct edge_dialer  dialer;    /* likewise */
	bool                dials;
	pthread_mutex_t     lock;      /* guards what follows */
	struct edge_session session;
	uint32_t            pipe;      /* of the session; 0: none */
	uint32_t            lost_pipe; /* the last one; what it brought late is no longer taken */
	struct mono_ms      handshake_ends;
	nng_msg            *control[EDGE_CONTROL_MAX];
	size_t              n_control;
	struct edge_queue   queue;
	bool                is_sending;
	bool                is_paused;
	bool                is_closing;
	atomic_bool         is_pressed;
};

/* nng's callbacks; arg is the edge. */
void edge_traffic_sent(void *arg);
void edge_traffic_received(void *arg);
void edge_traffic_pipe_before(nng_pipe pipe, nng_pipe_ev ev, void *arg);
void edge_traffic_pipe_added(nng_pipe pipe, nng_pipe_ev ev, void *arg);
void edge_traffic_pipe_removed(nng_pipe pipe, nng_pipe_ev ev, void *arg);

#endif
