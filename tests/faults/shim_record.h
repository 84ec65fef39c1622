/*
 * shim_record: a log of what happens to the files below the home, in the order
 * in which it happens, from all processes. Part of the preloaded shim.
 *
 *   FAULTS_RECORD  the file; each event is appended to it in one write
 *
 * A write stands in it before it is made, the end of a sync after it has
 * returned 0: so at each place of the log, what lies between the two may or
 * may not be on the disk. tests/faults/recording.h reads it.
 */
#ifndef TESTS_FAULTS_SHIM_RECORD_H
#define TESTS_FAULTS_SHIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_type {
	EVENT_CREATE = 1, /* path: a file that was not there; at 1 if it is a directory */
	EVENT_WRITE,      /* path, at, data */
	EVENT_WRITE_SYNCED, /* the EVENT_WRITE of path and at, through a descriptor that syncs, has returned */
	EVENT_TRUNCATE,   /* path, at: its new length */
	EVENT_GROW,       /* path, at: its length is at least this */
	EVENT_RENAME,     /* path to path2 */
	EVENT_LINK,       /* path is also path2 */
	EVENT_UNLINK,     /* path; at 1 if it is a directory */
	EVENT_SYNC_BEGIN, /* path, of a file or directory */
	EVENT_SYNC_END,
	EVENT_OUT,        /* data went to the standard output of a client */
	EVENT_MARK,       /* data: a word of the test's */
};

#define EVENT_MAGIC 0x46415631u

/* Followed by the bytes of path, path2 and data. In the byte order of the machine. */
struct event_head {
	uint32_t magic;
	uint8_t  type;
	uint8_t  process; /* enum shim_process */
	uint16_t path_len;
	uint16_t path2_len;
	uint16_t unused;
	uint32_t data_len;
	uint64_t at;
	uint32_t pid;
	uint32_t thread;
};

void shim_record_start(void);

/* False when nothing is recorded. */
bool shim_record_on(void);

struct shim_event {
	enum event_type type;
	const char     *path, *path2; /* relative to the home; may be NULL */
	uint64_t        at;
	const void     *data;
	size_t          data_len;
};
void shim_record(const struct shim_event *e);

#endif
