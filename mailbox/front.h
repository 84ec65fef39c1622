/*
 * front: the front door, where processes outside ask. It speaks nng's wire
 * protocol, REP over a Unix socket, and answers any nng REQ client, but the
 * listener is its own: nng's can be killed by one connection that closes too
 * early (docs/decisions/0010).
 *
 * One thread waits for all askers; what they sent together reaches the gate
 * together. Each ask is answered once: an id is good for one answer and never
 * comes again. What an asker does, sends or does not read harms no other.
 */
#ifndef MAILBOX_FRONT_H
#define MAILBOX_FRONT_H

#include "mailbox/edge.h"

struct front;

struct front_ask {
	uint64_t             ask_id;   /* ours, not the asker's own */
	uint32_t             peer_uid;
	uint32_t             peer_pid;
	struct mono_ms       peer_since; /* when it was let in */
	struct edge_arrival *arrival;  /* one message in message_put's form, unchecked */
};

struct front_events {
	/* Notes the ask, whose arrival is then the callee's. OK; or the asker is refused
	 * with that error, and the arrival stays the caller's. */
	enum err (*take)(void *arg, const struct front_ask *ask);
	/* After one or more takes, on the door's thread. */
	void     (*run)(void *arg);
	void      *arg;
};

/* A door that is still shut; the path is borrowed. ERR_NO_MEMORY, ERR_UNSUPPORTED. */
enum err front_new(const char *path, size_t n_asks, const struct front_events *events, struct front **out);

/* What lies at the path is replaced. ERR_UNSUPPORTED: it cannot listen there. */
enum err front_listen(struct front *f);

/* Waits until no event runs and none will. */
void front_close(struct front *f);
void front_free(struct front **f);

/*
 * Answers an ask with a message in message_put's form; it is copied. OK also
 * when the asker is gone. ERR_INTERNAL: that ask has its answer already, or
 * never was.
 */
enum err front_answer(struct front *f, uint64_t ask_id, struct span message);

/* Answers REFUSED with that error. As front_answer. */
enum err front_refuse(struct front *f, uint64_t ask_id, enum err e);

/* Ends what takes too long; returns when to look again. */
struct mono_ms front_tick(struct front *f, struct mono_ms now);

#endif
