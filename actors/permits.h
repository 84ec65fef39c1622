/*
 * permits: which new revisions may be written, by whom. The gateway makes one
 * from each ack of a write, so the second half of a write is open to nobody
 * whose first half audit has not recorded. Bounded; the one that was used
 * longest ago goes.
 */
#ifndef ACTORS_PERMITS_H
#define ACTORS_PERMITS_H

#include "mailbox/clock.h"
#include "mailbox/protocol.h"

#define PERMITS_MAX 256
#define PERMIT_MS   (10u * 60 * 1000) /* without use */

struct permit {
	struct uuid    revision; /* zero: free */
	struct uuid    asset;
	struct uuid    vault;
	struct uuid    grant;      /* whose proposal it is to be */
	uint8_t        op;         /* OP_WRITE_ASSET, OP_WRITE_NAME or OP_PROPOSE */
	uint8_t        kind;
	uint8_t        is_private;
	uint32_t       pid;        /* of the asker that got the keys */
	struct mono_ms used;
};

struct permits {
	struct permit rows[PERMITS_MAX];
};

void permits_add(struct permits *p, const struct permit *permit);

/*
 * May this message be passed on? OK, and the permit counts as used; into a
 * proposal is put whose it is. Proposals are no revisions, and have the chunks
 * of PROPOSAL_LEN_MAX at most.
 * ERR_NOT_FOUND: nothing of that revision is being written by that asker.
 * ERR_INVALID_ARGUMENT: its row or vault is not what the keys were given for.
 */
enum err permits_check(struct permits *p, enum msg type, union any_body *body, uint32_t pid, struct mono_ms now);

/* At a lock: what was begun cannot be ended. */
void permits_clear(struct permits *p);

#endif
