/*
 * actor: what an actor is. It owns its state alone, hears messages and says
 * messages; it never calls another actor, never waits, and cannot send: what a
 * handler wants said goes into the outbox, which is posted after it returns.
 */
#ifndef MAILBOX_ACTOR_H
#define MAILBOX_ACTOR_H

#include "mailbox/clock.h"
#include "mailbox/protocol.h"

#define PAIR_KEY_LEN 32

struct outbox;

/* One message as a handler gets it; everything in it is valid until it returns. */
struct inbound {
	enum msg               type;
	enum actor             from;
	uint64_t               ask_id;
	const union any_body  *body;
	uint32_t               peer_uid; /* the front door's messages only */
	uint32_t               peer_pid;
	struct mono_ms         peer_since; /* when its connection was accepted: a later process of that pid is another */
};

/*
 * Wants a message said. The receiver is the one that the type's row names.
 * The body is encoded at once, so it may die afterwards.
 *
 * ERR_INTERNAL: the row does not start at this actor, or the body does not fit
 * its row; nothing was put.
 */
enum err outbox_put(struct outbox *out, enum msg type, uint64_t ask_id, const void *body);

/*
 * A handler returns OK, or an error, which drops what it put and is logged
 * once: the ask then ends at its deadline. A refusal is a message like any other.
 */
struct handler {
	enum msg type;
	enum err (*on)(void *self, const struct inbound *in, struct outbox *out);
};

/* What an actor is given when it starts. */
struct actor_context {
	enum actor  id;
	const void *settings; /* of the program; borrowed for the life of the process */
	/* The key that this actor and the other share from start; NULL when no row joins them. */
	const uint8_t *(*pair_key)(const void *host, enum actor other);
	const void *host;
};

struct actor_spec {
	enum actor  id;
	/* ERR_*: the process ends with err_exit. Runs before any message. */
	enum err  (*start)(const struct actor_context *context, void **self);
	void      (*stop)(void *self); /* accepts a half-started self and NULL */
	const struct handler *handlers;
	size_t      n_handlers;

	/* The edge to the other came up or was lost. May be NULL. */
	void      (*on_edge)(void *self, enum actor other, bool up, struct outbox *out);

	/* After all that had come was handled, before it is posted. May be NULL. An
	 * error drops everything that was put since the batch began. */
	enum err  (*on_batch)(void *self, struct outbox *out);

	/* At least once a second, and soon after the time that it last returned
	 * (0: no wish). May be NULL. */
	struct mono_ms (*on_tick)(void *self, struct mono_ms now, struct outbox *out);

	/*
	 * It waits for more than messages, on a thread of its own. `wait` is called when nothing has come:
	 * it returns when something that it waits for has happened, or soon after `wake` was called, which
	 * any thread may do at any time; what it put is posted then. Both, or NULL.
	 */
	void      (*wait)(void *self, struct outbox *out);
	void      (*wake)(void *self);

	/*
	 * The process is asked to stop, and its edges are still up: what is to be said before. It calls
	 * host_stop once the answers have come, which may be now; without it the process goes on for
	 * HOST_LEAVE_MS and stops then. May be NULL, and is for all but one actor of a process.
	 */
	void      (*on_leave)(void *self, struct outbox *out);

	/* It waits for a disk or a device at every turn: it gets a thread of its own. One that
	 * does so now and then takes one of nng's meanwhile, which is cheaper than a hand-over. */
	bool        blocks;
};

#endif
