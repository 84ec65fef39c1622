/*
 * trace: one line a message, for people and for tests: from, to, name, ask id
 * and length. There is no way to hand it a body.
 */
#ifndef MAILBOX_TRACE_H
#define MAILBOX_TRACE_H

#include "mailbox/protocol.h"

/* -1 (the start): no trace. Lines are written whole, each by one write. */
void trace_to(int fd);

/* "123456 gate>grants RULING_WANTED ask=17 len=250" */
void trace_message(enum actor from, enum actor to, enum msg type, uint64_t ask_id, size_t len);

/* "123456 audit DURABLE ask=17 index=9": an actor's own mark in the trace. */
void trace_mark(enum actor who, const char *word, uint64_t ask_id, uint64_t number);

#endif
