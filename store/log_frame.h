/*
 * log_frame: records and commits as they lie one after another in a segment.
 * Everybody who reads a log reads it through this: recovery, verify, show.
 * Source: docs/store-format.md, "Frames".
 */
#ifndef STORE_LOG_FRAME_H
#define STORE_LOG_FRAME_H

#include "store/log_commit.h"
#include "store/log_record.h"

#define LOG_GROUP_RECORDS_MAX 512
#define LOG_GROUP_BYTES_MAX   ((size_t)256 << 10) /* record frames of one group */

#define LOG_RECORD_HEAD_LEN   8
#define LOG_RECORD_FRAME_MAX  (LOG_RECORD_HEAD_LEN + LOG_LEAF_MAX)
#define LOG_COMMIT_FRAME_LEN  (4 + LOG_COMMIT_LEN)

/* So many bytes from where a group starts decide about it. */
#define LOG_FRAME_REACH (LOG_GROUP_BYTES_MAX + LOG_COMMIT_FRAME_LEN + 4)

/* A record frame around a leaf that the caller encodes. Fails o for a record outside its limits. */
void log_frame_put_record(struct wire_out *o, const struct log_record *r);
void log_frame_put_commit(struct wire_out *o, const struct log_commit *c);

/* Takes one record frame; the leaf points into the input. Fails in on anything else. */
struct span log_frame_take_record(struct wire_in *in);

/* A group as its frames say it is; nothing of it is checked. Borrowed from the bytes it was found in. */
struct log_frame_group {
	struct span       records;  /* the record frames */
	uint32_t          n_records;
	struct span       signed_commit; /* LOG_COMMIT_LEN bytes */
	struct log_commit commit;
	size_t            len;      /* all its frames */
	bool              followed; /* another record frame begins behind it */
};

/* True when whole record frames and a commit frame stand at the start of bytes. */
bool log_frame_find_group(struct span bytes, struct log_frame_group *out);

/* A commit frame in its form (version, count, flags, size) at `at`; nothing else of it is checked. */
bool log_frame_commit_at(struct span bytes, size_t at, struct log_commit *out);

/* The first that begins at *at or behind it, or the last that begins before *at. *at becomes its place. */
bool log_frame_next_commit(struct span bytes, size_t *at, struct log_commit *out);
bool log_frame_last_commit(struct span bytes, size_t *at, struct log_commit *out);

/*
 * True when somewhere in bytes lies a commit frame of a group that comes after
 * the one whose first record is `size`. A crash cannot leave that behind a
 * group that does not hold: each group was synced before the next was written.
 */
bool log_frame_later_commit(struct span bytes, uint64_t size);

#endif
