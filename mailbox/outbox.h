/*
 * outbox: messages that wait to be posted, encoded. The mailbox makes one a
 * batch; a test makes one to see what a handler wanted said.
 */
#ifndef MAILBOX_OUTBOX_H
#define MAILBOX_OUTBOX_H

#include "mailbox/actor.h"

/* An outbox of that actor. ERR_NO_MEMORY. */
enum err outbox_new(enum actor owner, struct outbox **out);
void     outbox_free(struct outbox **o);

size_t outbox_count(const struct outbox *o);
size_t outbox_len(const struct outbox *o);   /* bytes in all messages */

/* The i-th message: where it goes and its bytes (message_put's form); borrowed until the outbox changes. */
struct outbox_view {
	enum actor  to;
	enum msg    type;
	uint64_t    ask_id;
	struct span message;
};
struct outbox_view outbox_at(const struct outbox *o, size_t i);

/* Forgets all but the first n messages. */
void outbox_cut(struct outbox *o, size_t n);

#endif
