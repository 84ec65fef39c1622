/*
 * log_room: where the next group goes: into the current segment, or into a new
 * one; and the state of the room that is left.
 */
#ifndef STORE_LOG_ROOM_H
#define STORE_LOG_ROOM_H

#include "store/segment.h"

#define LOG_SPARES 2

struct log_room {
	int                  seg_fd;       /* borrowed */
	struct segment       current;      /* none: nothing may be written to the last one */
	uint64_t             end;          /* where its last group ends */
	struct segment       spares[LOG_SPARES]; /* all zero, in the order of their use; none behind the first none */
	struct segment_maker maker;        /* of the next spare */
	uint64_t             next_number;  /* of the next segment to be made */
	uint64_t             first_bytes;  /* length of segment 1 */
	uint64_t             later_bytes;  /* of every other */
	bool                 no_space;     /* the last spare could not be made */
	bool                 full;         /* and it was needed, for none was left */
};

/* Rests: no segment is open or being made. */
#define LOG_ROOM_NONE ((struct log_room){ .seg_fd = -1, .current = { .fd = -1 }, \
    .spares = { { .fd = -1 }, { .fd = -1 } }, .maker = { .fd = -1 } })

void log_room_close(struct log_room *r);

/*
 * Sees to it that a group of `need` bytes (its frames) has a place; makes a
 * segment when there is none.
 *
 * reserved  the type may use the reserve at the end of a segment
 *
 * ERR_BUSY: only a smaller group has a place. ERR_AUDIT_FULL: no room on the
 * disk. ERR_AUDIT_UNAVAILABLE: a write or sync failed.
 */
enum err log_room_admit(struct log_room *r, size_t need, bool reserved);

struct log_spot {
	const struct segment *segment; /* borrowed from the room */
	uint64_t              at;
	bool                  fresh;   /* a new segment: its header goes first, at `at` */
};

/* The place of a group that was admitted. False when there is none. */
bool log_room_spot(const struct log_room *r, size_t need, struct log_spot *out);

/* The group is on the disk, len bytes of it with what went first. */
void log_room_written(struct log_room *r, const struct log_spot *spot, size_t len);

/*
 * One step towards the spares that are missing. *more when another is to be done. For lack of
 * space it is OK and no_space says so. ERR_AUDIT_UNAVAILABLE.
 */
enum err log_room_tend(struct log_room *r, bool *more);

#endif
