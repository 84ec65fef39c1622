/*
 * host: a process that runs actors. Edges between two of them are inproc, to
 * others ipc; no actor can tell. nng stays behind edge.c.
 *
 * How handlers get their thread is this module's affair alone: frames are
 * taken by nng's callbacks into the actor's inbox, and whoever finds the actor
 * idle runs it, under its lock, until the inbox is empty, then posts; actors
 * that wait for a disk at every turn run on a thread of their own.
 */
#ifndef MAILBOX_HOST_H
#define MAILBOX_HOST_H

#include "mailbox/actor.h"

/* How long a process that is asked to stop waits for an actor that has something to say before. */
#define HOST_LEAVE_MS 500

/* One edge that ends in this process. */
struct host_edge {
	enum actor a, b;               /* a < b */
	bool       here[2];            /* which ends are in this process */
	uint8_t    key[PAIR_KEY_LEN];  /* shared by a and b */
};

/* Keyed 32-byte tag over a message: escrow/hash.h's, handed in since mailbox is the lowest layer. */
typedef void host_tag(const uint8_t key[PAIR_KEY_LEN], const void *p, size_t len, uint8_t out[32]);

struct host_config {
	const struct actor_spec *const *actors;
	size_t                  n_actors;
	const struct host_edge *edges;
	size_t                  n_edges;
	host_tag               *tag;
	const char             *run_dir;      /* "run": where ipc edges live, relative to the working directory, 0700 */
	const char             *front_door;   /* "service.sock" when ACTOR_GATE is here, NULL otherwise */
	int                     supervisor_pid; /* ipc peers must be its children; 0: not checked (tests) */
	int                     control_fd;   /* readable or closed: stop. -1: run until host_stop */
	const void             *settings;     /* handed to the actors */
	int                     trace_fd;     /* -1: no trace */
	bool                    pin;          /* keep nng's threads on one CPU */
	enum err              (*ready)(void *arg); /* called once: actors started, edges listening. May be NULL */
	void                   *ready_arg;
	void                  (*connected)(void *arg); /* called once: every edge has been up. May be NULL */
	void                   *connected_arg;
};

/*
 * Starts the actors and runs until the control fd ends, host_stop is called or
 * an actor fails for good (host_fail). Returns OK for an ordinary stop.
 * Sandboxing is done before, or in ready().
 */
enum err host_run(const struct host_config *config);

/* Makes host_run return with that error, from any thread: an actor whose disk failed calls it. */
void host_fail(enum err e);

/* Makes host_run return OK, from any thread; before host_run it does nothing. */
void host_stop(void);

#endif
