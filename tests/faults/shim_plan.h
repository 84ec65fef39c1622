/*
 * shim_plan: which calls of which process are to go wrong, in a page that the
 * test shares with every process of the program. Part of the preloaded shim.
 *
 *   FAULTS_PLAN    the file of the page; without it nothing goes wrong
 *   FAULTS_HOME    only calls on files below it count as file calls
 *
 * tests/faults/faults.py writes the same page: the two layouts are one.
 */
#ifndef TESTS_FAULTS_SHIM_PLAN_H
#define TESTS_FAULTS_SHIM_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum shim_process {
	SHIM_AUDIT,
	SHIM_CORE,
	SHIM_KEYRING,
	SHIM_SUPERVISOR,
	SHIM_CLIENT,
	SHIM_PROFILE,
	SHIM_HTTP,
	SHIM__PROCESSES,
};

enum shim_call {
	SHIM_WRITE,     /* write, pwrite, pwritev on a file of the home */
	SHIM_SYNC,      /* fsync, fdatasync on a file or directory of the home */
	SHIM_OPEN,      /* open, openat below the home */
	SHIM_RENAME,
	SHIM_UNLINK,
	SHIM_MKDIR,
	SHIM_FALLOCATE,
	SHIM_TRUNCATE,
	SHIM_READ,      /* read, pread on a file of the home */
	SHIM_MMAP,      /* of files and of memory, as far as libc lets them be seen */
	SHIM_MALLOC,    /* malloc, calloc, realloc called by the program itself, not by its libraries */
	SHIM_SEND,      /* write, writev, sendmsg on anything else */
	SHIM_RECEIVE,   /* read, readv, recvmsg on anything else */
	SHIM__CALLS,
};

enum shim_action {
	SHIM_ERROR,     /* the call fails with plan.error and does nothing */
	SHIM_SHORT,     /* half of it is written; the rest is not */
	SHIM_KILL,      /* the process is killed before the call */
	SHIM_LATE_SYNC, /* the call is made, and fails with plan.error all the same */
};

struct shim_plan {
	uint32_t armed;
	uint32_t processes;  /* bit (1 << enum shim_process) */
	uint32_t calls;      /* bit (1 << enum shim_call) */
	uint32_t action;
	uint32_t error;
	uint32_t from_then;  /* 1: the n-th and all after it; 0: the n-th alone */
	int64_t  left;       /* such calls that go well before the first that does not */
	uint32_t hits;       /* calls that went wrong */
	uint32_t sync_us;    /* every sync takes so much longer */
	uint64_t room_on;    /* 1: files may grow by room bytes in all, then ENOSPC */
	int64_t  room;
	uint64_t counts[SHIM__PROCESSES][SHIM__CALLS]; /* since the page was made */
};

enum shim_process shim_plan_process(void);

/* The home, without a slash at its end; NULL when there is none. */
const char *shim_plan_home(void);

/*
 * Counts a call and tells whether it is to go wrong: then how, and its errno.
 * A call that is to kill does not come back.
 */
bool shim_plan_hits(enum shim_call call, enum shim_action *action, int *error);

/* True when no room is left for a file to grow by so many bytes. */
bool shim_plan_no_room(int64_t bytes);

/* What a sync is to take longer. */
unsigned shim_plan_sync_us(void);

#endif
