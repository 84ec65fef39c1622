/*
 * inbox: what has come for one actor and waits, in order: frames, asks from
 * the front door, edges that came up or were lost, the wish to stop. Not
 * locked: its owner does.
 */
#ifndef MAILBOX_INBOX_H
#define MAILBOX_INBOX_H

#include "mailbox/front.h"

enum inbox_kind { INBOX_FRAME, INBOX_ASK, INBOX_EDGE_UP, INBOX_EDGE_DOWN, INBOX_LEAVE };

struct inbox_entry {
	enum inbox_kind  kind;
	enum actor       from;
	struct front_ask ask; /* of a FRAME, the arrival only */
};

struct inbox {
	struct inbox_entry *entries;
	size_t              n;
	size_t              max;
	size_t              len;  /* bytes in their frames */
};

/* ERR_NO_MEMORY: nothing was added, and the arrival is still the caller's. */
enum err inbox_add(struct inbox *b, const struct inbox_entry *e);

/* Frees what waits, and the memory. */
void inbox_clear(struct inbox *b);

#endif
