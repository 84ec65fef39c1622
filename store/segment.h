/*
 * segment: one file of the log, seg/NNNNNNNNNN.seg. It is written with zeros
 * and synced before it is used, so that writing a group changes no metadata;
 * its header is written together with its first group.
 * Source: docs/store-format.md, "Segments".
 */
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include <sys/stat.h>

#include "escrow/hash.h"
#include "mailbox/wire.h"

#define SEGMENT_NAME_LEN   14
#define SEGMENT_HEADER_LEN (4 + 2 + UUID_LEN + 3 * 8 + 2 * SHA256_LEN)
#define SEGMENT_BYTES_MIN  ((uint64_t)64 << 10)
#define SEGMENT_BYTES_MAX  ((uint64_t)1 << 30)

struct segment_header {
	struct uuid library;
	uint64_t    number;
	uint64_t    first;                /* index of its first record */
	uint64_t    bytes;                /* of the file */
	uint8_t     previous[SHA256_LEN]; /* as in its first commit */
};

enum segment_header_state {
	SEGMENT_BLANK, /* zeros: not used yet */
	SEGMENT_GOOD,
	SEGMENT_TORN,  /* anything else */
};

void segment_header_put(struct wire_out *o, const struct segment_header *h);
enum segment_header_state segment_header_take(struct span bytes, struct segment_header *out);

/* "0000000001.seg" and a NUL. */
void segment_name(uint64_t number, char out[SEGMENT_NAME_LEN + 1]);

/* The number in a name of exactly that form, 1 .. 9999999999; 0 for any other. */
uint64_t segment_number(const char *name);

struct segment {
	int      fd;     /* -1: none */
	uint64_t number;
	uint64_t bytes;
};

#define SEGMENT_NONE ((struct segment){ .fd = -1 })

/*
 * Opens an existing segment for reading and writing. ERR_AUDIT_TAMPERED: it is
 * not a file of ours alone with mode 0600. ERR_AUDIT_UNAVAILABLE.
 */
enum err segment_open(int seg_fd, uint64_t number, struct segment *out);
void     segment_close(struct segment *s);

/* ERR_AUDIT_TAMPERED unless the open file is still there under its name, whole and ours. */
enum err segment_intact(const struct segment *s, int seg_fd);

/*
 * Notes beside the segment, as well as the disk lets us, that a write or sync
 * of it failed: NNNNNNNNNN.failed. Nothing is written to it any more then.
 */
void segment_note_failure(int seg_fd, uint64_t number);
bool segment_has_failed(int seg_fd, uint64_t number);

/* True when a group may be the first in it: all of a length, under one name, and no write of it ever failed. */
bool segment_is_spare(const struct segment *s, int seg_fd);

/* The end of a segment that only the types of the reserve may use. */
uint64_t segment_reserve(uint64_t bytes);

/* A new segment being made, a piece at a time. */
struct segment_maker {
	int      fd; /* -1: none is being made */
	uint64_t number;
	uint64_t bytes;
	uint64_t done;
};

#define SEGMENT_MAKER_NONE ((struct segment_maker){ .fd = -1 })

/*
 * Begins a segment under a temporary name. ERR_AUDIT_FULL: no room; nothing is
 * left behind. ERR_AUDIT_UNAVAILABLE.
 */
enum err segment_make(int seg_fd, uint64_t number, uint64_t bytes, struct segment_maker *m);

/*
 * Writes and syncs the next 4 MiB. After the last of them the file has its
 * name, durably, *out is the segment and the maker is at rest. On an error the
 * file is removed and the maker is at rest; the errors are those of segment_make.
 */
enum err segment_make_more(struct segment_maker *m, int seg_fd, struct segment *out, bool *finished);

/* Removes what was made so far. */
void segment_make_stop(struct segment_maker *m, int seg_fd);

#endif
