/*
 * supervisor: the process that starts the others, hands them their edge keys,
 * starts anew what dies, and stops them in reverse order. It never calls nng.
 */
#ifndef ACTORS_SUPERVISOR_H
#define ACTORS_SUPERVISOR_H

#include "mailbox/err.h"

#include <stdbool.h>
#include <stdint.h>

struct supervisor_config {
	const char *home;               /* canonical path; the working directory is there */
	bool        one_process;
	bool        sandbox, guard, trace, pin;
	uint32_t    kdf_memory_kib_min;
	uint64_t    log_first_segment, log_segment, log_epoch_records;
	uint64_t    idle_lock_ms;
	const char *weakened;
};

/*
 * Takes the home's lock, makes its directories, and runs the daemon until
 * SIGTERM or SIGINT. Prints "ready" on stdout and tells systemd once it serves.
 *
 * ERR_ALREADY_RUNNING: another daemon holds the lock; it was not disturbed.
 * Otherwise what a process ended with before the daemon was ready.
 */
enum err supervisor_run(const struct supervisor_config *config);

#endif
