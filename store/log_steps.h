/*
 * log_steps: a log read a group at a time, forwards or backwards, from any
 * record on and without what lies before. A group that is stepped over holds:
 * its frames, its indices, the hash of its bytes, and the link to the group
 * that was stepped from. Roots, epochs and signatures are log_verify's.
 *
 * The log may be written meanwhile. Every byte read here is hostile input.
 * Source: docs/store-format.md, "What a log must hold".
 */
#ifndef STORE_LOG_STEPS_H
#define STORE_LOG_STEPS_H

#include "store/log_frame.h"

struct log_steps;

/* Between two groups. */
struct log_mark {
	uint64_t number;               /* of the segment, from 1 */
	uint64_t at;                   /* in it: behind its header or a commit frame */
	uint64_t size;                 /* records before it */
	uint8_t  previous[SHA256_LEN]; /* hash of the commit before it; zeros at the beginning */
};

/* dir holds seg/. ERR_NOT_FOUND: it does not. ERR_FILE_UNREADABLE, ERR_NO_MEMORY. */
enum err log_steps_open(const char *dir, struct log_steps **out);
void     log_steps_close(struct log_steps **s);

/*
 * The mark behind the group that holds record before - 1, or behind the last
 * group when there is no such record. Reads some megabytes of one segment,
 * however long the log is; all of one that a crash tore.
 *
 * ERR_NOT_FOUND: no segment has a header. ERR_AUDIT_TAMPERED: what counted
 * does not hold, or the log ends before its anchor. ERR_FILE_UNREADABLE.
 */
enum err log_steps_find(struct log_steps *s, uint64_t before, struct log_mark *out);

/*
 * Takes the group before the mark, or the one behind it, and moves the mark
 * over it. The group is borrowed until the next call.
 *
 * ERR_NOT_FOUND: the mark is at the beginning; or no group is behind it yet,
 * and the same call may find one later. ERR_AUDIT_TAMPERED: what stands there
 * does not hold. ERR_FILE_UNREADABLE. The mark stays where it was.
 */
enum err log_steps_back(struct log_steps *s, struct log_mark *m, struct log_frame_group *g);
enum err log_steps_on(struct log_steps *s, struct log_mark *m, struct log_frame_group *g);

#endif
