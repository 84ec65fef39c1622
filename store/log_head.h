/*
 * log_head: how far a log was known to reach: what the vault and grants keep
 * beside their own data as its anchor, and how it is compared later.
 * Source: docs/store-format.md, "Anchors in the databases".
 */
#ifndef STORE_LOG_HEAD_H
#define STORE_LOG_HEAD_H

#include "escrow/hash.h"
#include "mailbox/err.h"
#include "mailbox/wire.h"

#define LOG_HEAD_LEN (4 + 8 + SHA256_LEN)

struct log_head {
	uint32_t repairs; /* how often the log was repaired: a repair may make it shorter */
	uint64_t size;    /* at the end of a group; 0: there is no head */
	uint8_t  root[SHA256_LEN];
};

void log_head_put(struct wire_out *o, const struct log_head *h);
void log_head_take(struct wire_in *in, struct log_head *out);

/*
 * What a repair record says in its extra: how often the log was repaired with
 * this time, what was found to hold, and the newest head that was known and is
 * given up. The counts of both are the one before.
 */
struct log_repaired {
	uint32_t        repairs;
	struct log_head found;
	struct log_head lost;
};

#define LOG_REPAIRED_LEN (4 + 2 * (8 + SHA256_LEN))

void log_repaired_put(struct wire_out *o, const struct log_repaired *r);
bool log_repaired_take(struct span extra, struct log_repaired *out);

/* Does a replace b as the newest that is known? By repairs, then by size. */
bool log_head_newer(const struct log_head *a, const struct log_head *b);

/*
 * The root that the log of that directory had at that size. Looks for the
 * commit from the start of its segment on, along the chain of commits; that
 * the records behind it hold is not asked here. The log may be written
 * meanwhile.
 *
 * ERR_NOT_FOUND: no group ends there. ERR_AUDIT_TAMPERED: damage lies before
 * it. ERR_FILE_UNREADABLE, ERR_NO_MEMORY.
 */
enum err log_head_find(const char *dir, uint64_t size, uint8_t root[SHA256_LEN]);

#endif
