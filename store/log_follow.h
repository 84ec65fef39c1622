/*
 * log_follow: the chain of commits, followed from one that is known to a later
 * one by somebody who does not own the log. Each commit names the hash of the
 * one before it, so the way there shows that the later log extends the earlier
 * one. Records are passed over: log_verify checks those.
 *
 * The log may be written meanwhile; what a receipt names is on the disk. Every
 * byte read here is hostile input.
 * Source: docs/store-format.md, "Remembered checkpoints".
 */
#ifndef STORE_LOG_FOLLOW_H
#define STORE_LOG_FOLLOW_H

#include "store/log_commit.h"

/* A group of the log, known by what its commit says. */
struct log_point {
	uint64_t size;             /* records up to its last one */
	uint8_t  root[SHA256_LEN]; /* of them */
	uint64_t segment;          /* the number of its segment */
	uint64_t at;               /* where in it the group begins */
};

struct log_follow;

/* dir holds seg/. ERR_NOT_FOUND: it does not. ERR_FILE_UNREADABLE, ERR_NO_MEMORY. */
enum err log_follow_open(const char *dir, struct log_follow **out);
void     log_follow_close(struct log_follow **f);

/*
 * Goes from a known group to the one that ends with record size - 1; size is
 * at least from->size.
 *
 * commit  its commit and signature as they lie on the disk
 *
 * ERR_AUDIT_DIVERGED: `from` is not there, or no group of that size continues
 * it. ERR_FILE_UNREADABLE.
 */
enum err log_follow_to(struct log_follow *f, const struct log_point *from, uint64_t size,
    struct log_point *to, uint8_t commit[LOG_COMMIT_LEN]);

/* The same without a known group: from the header of the segment in which it must lie, which is believed. */
enum err log_follow_find(struct log_follow *f, uint64_t size, struct log_point *to,
    uint8_t commit[LOG_COMMIT_LEN]);

#endif
