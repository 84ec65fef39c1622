/*
 * process: one of the daemon's processes, from the inside: it takes its part
 * from the supervisor over an inherited socket, gives up what it will not
 * need, and runs its actors.
 */
#ifndef ACTORS_PROCESS_H
#define ACTORS_PROCESS_H

#include "actors/roster.h"
#include "mailbox/host.h"

#define PROCESS_FD    3    /* the inherited socket; the process ends when it does */

/* Said on it, a byte each; a smaller one is the enum err that the process ends with. */
#define PROCESS_END_PROFILE 0xfc /* likewise of what it holds */
#define PROCESS_END_SEARCH 0xfd /* that process does not let go of its index: it is to be killed */
#define PROCESS_CONNECTED 0xfe /* every edge of the process has been up */
#define PROCESS_READY     0xff /* the first try at a key-only start has ended */

/* What a process needs to know. Encoded by process_config_put on that socket. */
struct process_config {
	bool     one_process;         /* which roster */
	uint8_t  process;             /* index in it */
	bool     sandbox, guard, trace, pin;
	uint32_t supervisor_pid;
	uint32_t kdf_memory_kib_min;
	uint64_t log_first_segment, log_segment, log_epoch_records, idle_lock_ms;
	char     home[16384];         /* canonical path; the working directory is there already */
	char     weakened[256];
	size_t   n_edges;
	struct host_edge edges[ROSTER_EDGES_MAX];
};

/* Writes it, length first. ERR_INTERNAL: the other end is gone. */
enum err process_config_send(int fd, const struct process_config *c);

/* Runs the process to its end. The result is its exit code. */
int process_run(void);

#endif
