/*
 * edge: one end of the link between two actors: an nng PAIR0 socket, inproc or
 * ipc. It sends at once when idle; what is posted while a send is in flight
 * goes out as one frame. What is posted while it is down is lost, as is what
 * had not left when it went down: both ends then hear so. One end is up first:
 * what the other posts between goes out when it is up as well.
 */
#ifndef MAILBOX_EDGE_H
#define MAILBOX_EDGE_H

#include "mailbox/clock.h"
#include "mailbox/host.h"

struct edge;

/* A frame of messages as it came in, see edge_frame.h. */
struct edge_arrival;

/*
 * take and changed only note what happened, in order: they run under the
 * edge's lock. run is called after them, without it, on a thread of nng's;
 * wake asks for the same from another thread, where calls into nng are safe.
 */
struct edge_events {
	/* The arrival is the callee's. False: it has enough; see edge_resume. */
	bool (*take)(void *arg, struct edge_arrival *arrival);
	void (*changed)(void *arg, bool up);
	void (*run)(void *arg);
	void (*wake)(void *arg);
	void  *arg;
};

struct edge_config {
	enum actor         self, other;
	bool               inproc;         /* the other end is in this process */
	const char        *run_dir;
	const uint8_t     *key;            /* PAIR_KEY_LEN, borrowed while the edge lives */
	host_tag          *tag;
	int                supervisor_pid; /* 0: peers' parents are not checked */
	struct edge_events events;
};

/* A new edge, closed to the world. ERR_NO_MEMORY, ERR_UNSUPPORTED. */
enum err edge_new(const struct edge_config *config, struct edge **out);

/* Listens, if this is the end that does. ERR_UNSUPPORTED: it cannot. */
enum err edge_listen(struct edge *g);

/* Dials, if this is the end that does, and again each time that it is lost. */
enum err edge_dial(struct edge *g);

/* Waits until no event runs and none will. */
void edge_close(struct edge *g);
void edge_free(struct edge **g);

/*
 * Posts messages in message_put's form, in order; they are copied. False: the
 * edge is down, or its queue is full past all bounds, and they are lost.
 */
bool edge_post(struct edge *g, const struct span *messages, size_t n);

/* More waits to be sent than should: new work is to be refused. */
bool edge_pressed(const struct edge *g);

/* The other end broke the protocol: drops the connection, which is dialled anew. */
void edge_drop(struct edge *g);

/* Takes frames again, after take has returned false. */
void edge_resume(struct edge *g);

/* Housekeeping: handshakes that hang, the listener. Returns when to call again at the latest. */
struct mono_ms edge_tick(struct edge *g, struct mono_ms now);

/* Poll it for reading, then tick; -1: nothing to poll. */
int edge_fd(const struct edge *g);

/* One that holds a copy of these bytes; NULL: no memory. */
struct edge_arrival *edge_arrival_new(struct span bytes);
struct span edge_arrival_frame(const struct edge_arrival *a);
void        edge_arrival_free(struct edge_arrival *a);

#endif
