/*
 * ban: the file that stops key-only starts and unattended reads, across
 * restarts. It is written once, in full, when the library is made, and from
 * then on only overwritten in place and synced, so that a full disk cannot
 * stop a lock. Two slots of 512 bytes, a page apart, are written and synced one
 * after the other; a torn write leaves the other, and what was acknowledged
 * stands in both. The newest valid slot counts. A file with none bans.
 * Source: docs/store-format.md, "The ban file".
 */
#ifndef STORE_BAN_H
#define STORE_BAN_H

#include "mailbox/clock.h"
#include "mailbox/err.h"
#include <stdbool.h>

struct ban; /* an open ban file */

struct ban_state {
	bool manual_lock; /* set by lock, cleared by resume */
	bool disabled;    /* set by disable, cleared by enable */
};

/*
 * Opens the file, or makes it (synced, its directory too), banning nothing. A
 * file of another length is made anew, banning.
 * ERR_STORAGE_FULL. ERR_STORAGE_FAILED: also when it is a link, is no regular
 * file, or belongs to somebody else.
 */
enum err ban_open(const char *path, struct ban **out);
void     ban_close(struct ban **b);

/* What the newest valid slot says; both true when none is valid. */
struct ban_state ban_state(const struct ban *b);

/*
 * Durable when it returns OK. On an error the state in memory is what was
 * asked for, and the state on disk the old one or the new one.
 * ERR_STORAGE_FAILED; after it the file is opened anew for the next try.
 */
enum err ban_set(struct ban *b, struct ban_state state);

#endif
