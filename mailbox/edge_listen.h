/*
 * edge_listen: an ipc listener that survives nng 1.5.2, whose listeners can
 * die of one connect-and-close (nanomsg/nng#1518). Each second it knocks at
 * its own door; when it is not shown out it closes and listens anew on the same
 * socket. Its owner polls it; no thread is made. Where mending must wait, the
 * knock waits too and no other follows: each that leaves a dead listener costs
 * a descriptor that nng never closes, and a poller that never sleeps.
 * A process that may not connect (EPERM) waits as long for somebody to come in instead.
 *
 * The same knocks show whether nng still buries connections: one that is closed
 * at a bad moment can block the thread that does (nanomsg/nng#1543), and then
 * none is ever made again in its place. That cannot be mended: host_fail.
 */
#ifndef MAILBOX_EDGE_LISTEN_H
#define MAILBOX_EDGE_LISTEN_H

#include <stdatomic.h>
#include <stdbool.h>

#include <nng/nng.h>

#include "mailbox/clock.h"
#include "mailbox/edge_closing.h"
#include "mailbox/err.h"

#define EDGE_LISTEN_PATH_MAX 100

struct edge_listen {
	nng_socket     socket;     /* borrowed */
	nng_listener   listener;
	bool           listening;
	bool           dead;       /* found so, and not yet mended */
	struct edge_closing *closing; /* the dead one's end; NULL: none */
	struct mono_ms closing_ends;
	char           path[EDGE_LISTEN_PATH_MAX + 1];
	int            knock_fd;   /* a probe under way; -1: none */
	bool           awaits;     /* no probe can be made: somebody should come in until knock_ends */
	size_t         n_came_before; /* connections, when that wait began */
	struct mono_ms knock_ends;
	struct mono_ms knock_next;
	unsigned       n_full;     /* knocks in a row that found the backlog full */
	unsigned       n_mended;
	unsigned       n_vain;     /* times mended in a row after which nobody came in */
	atomic_size_t  n_came;     /* connections */
	size_t         n_came_then;   /* when it was mended last */
	atomic_size_t  n_buried;   /* connections that nng has done with */
	size_t         n_buried_then; /* when the knock began */
	struct mono_ms burial_ends;   /* by when one more must be; 0: none is awaited */
};

/*
 * Listens at that path, of at most EDGE_LISTEN_PATH_MAX bytes, relative to the
 * working directory; the socket's file gets mode 0600. What l holds before does
 * not matter. ERR_UNSUPPORTED: the path is too long, or cannot be listened on.
 */
enum err edge_listen_open(struct edge_listen *l, nng_socket socket, const char *path);

/* To be called when a connection comes, and when it is removed; from any thread. */
void edge_listen_came(struct edge_listen *l);
void edge_listen_buried(struct edge_listen *l);

/* Forgets a probe under way; the listener itself goes with its socket. */
void edge_listen_close(struct edge_listen *l);

enum edge_listen_mood {
	EDGE_LISTEN_STEADY,
	EDGE_LISTEN_EAGER,   /* somebody should come in, and has not: look sooner */
	EDGE_LISTEN_CONTENT, /* mending would close the connections that came in here: not now */
};

/* To be called at the time that it returned last, and when knock_fd is readable. */
struct mono_ms edge_listen_tick(struct edge_listen *l, struct mono_ms now, enum edge_listen_mood mood);

#endif
