/*
 * log_group: the records that wait for a commit, in the bytes that will lie on
 * the disk.
 *
 * Each leaf is hashed when it is put in and again before the group is signed,
 * from the bytes that are written: one flipped bit in between would make every
 * later root wrong for ever.
 */
#ifndef STORE_LOG_GROUP_H
#define STORE_LOG_GROUP_H

#include "store/log_check.h"
#include "store/segment.h"

struct log_group {
	uint8_t *buf;        /* owned: room for a segment header, the frames, the commit */
	size_t   len;        /* of the record frames, behind the room for the header */
	size_t   staged_len; /* of the frame behind them that is not in the group yet */
	uint32_t n;
	uint32_t leaf_at[LOG_GROUP_RECORDS_MAX];
	uint32_t leaf_len[LOG_GROUP_RECORDS_MAX];
	uint8_t  leaf_hash[LOG_GROUP_RECORDS_MAX][SHA256_LEN];
};

/* ERR_NO_MEMORY. */
enum err log_group_start(struct log_group *g);
void     log_group_end(struct log_group *g);

/*
 * Encodes a record behind the group, which stays as it is. ERR_BUSY: 512
 * records or 256 KiB. ERR_INVALID_ARGUMENT: the record is outside its limits.
 */
enum err log_group_stage(struct log_group *g, const struct log_record *r);

/* What the group would be on the disk with the staged record: its frames and a commit frame. */
size_t log_group_need(const struct log_group *g);

/* Takes the staged record in, or forgets it. */
void log_group_add(struct log_group *g);
void log_group_unstage(struct log_group *g);

/*
 * Adds the leaves to the tree. ERR_AUDIT_UNAVAILABLE when a leaf does not hash
 * to what it hashed to before; the tree is then of no use.
 */
enum err log_group_grow(const struct log_group *g, struct merkle *tree);

struct span log_group_records(const struct log_group *g);

/*
 * The bytes to write: the header when there is one, the records, the commit.
 * Borrowed until the next change.
 */
struct span log_group_bytes(struct log_group *g, const struct segment_header *header,
    const struct log_commit *c);

/* Forgets the records. */
void log_group_clear(struct log_group *g);

#endif
