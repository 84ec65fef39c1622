/*
 * host_actor: one actor at work: its inbox, its handlers, its outbox. It runs
 * on the thread that finds it idle, or on one of its own if it blocks.
 */
#ifndef MAILBOX_HOST_ACTOR_H
#define MAILBOX_HOST_ACTOR_H

#include <pthread.h>

#include "mailbox/edge_call.h"
#include "mailbox/host.h"
#include "mailbox/inbox.h"
#include "mailbox/outbox.h"

/* How many bytes may wait in an inbox before its edges are told to wait. */
#define HOST_ACTOR_WAITS_MAX (16u * 1024 * 1024)

struct host_actor {
	const struct actor_spec  *spec;    /* NULL: not in this process */
	const struct host_config *config;
	struct actor_context      context;
	void                     *self;
	const struct handler    *handlers[MSG__COUNT];
	struct edge             *edges[ACTOR__COUNT]; /* NULL: none */
	struct front            *front;               /* the gate's */
	struct outbox           *out;
	struct inbox             taken;   /* what is being handled */
	struct edge_call        *call;    /* runs it on one of nng's threads */
	void                   (*tick_moved)(void *arg); /* tick_at has changed */
	void                    *tick_moved_arg;

	pthread_mutex_t          lock;    /* guards what follows */
	pthread_cond_t           woken;   /* for the thread of its own */
	struct inbox             inbox;
	bool                     has_thread;
	bool                     is_running;
	bool                     is_stopping;
	bool                     is_full;
	bool                     tick_due;
	struct mono_ms           tick_at;
	pthread_t                thread;
};

/*
 * Starts the actor; config, tick_moved and the context are set before, the
 * edges and the front may be set until something is added. ERR_NO_MEMORY,
 * ERR_UNSUPPORTED, or what its start says; its stop is to be called all the same.
 */
enum err host_actor_start(struct host_actor *a, const struct actor_spec *spec);

/* Waits until it does not run and never will. */
void host_actor_stop(struct host_actor *a);

/* Frees what the host has of it, once nothing is added any more. The actor's own stop is called before. */
void host_actor_free(struct host_actor *a);

/* Notes what came. ERR_NO_MEMORY: it did not. */
enum err host_actor_add(struct host_actor *a, const struct inbox_entry *e);

/* So much waits that its edges must. */
bool host_actor_is_full(struct host_actor *a);

/*
 * Runs it until its inbox is empty, or wakes its thread; returns at once if it
 * runs already. On a thread of nng's only; soon asks for it from any other.
 */
void host_actor_run(struct host_actor *a);
void host_actor_soon(struct host_actor *a);

/* Has on_tick run if it is due. Returns when it is due again. */
struct mono_ms host_actor_tick(struct host_actor *a, struct mono_ms now);

#endif
