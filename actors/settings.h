/*
 * settings: what the program decided before its actors start. Borrowed by
 * actors for the life of the process.
 */
#ifndef ACTORS_SETTINGS_H
#define ACTORS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "gateway/http_config.h"

struct settings {
	const char *home;                /* canonical path; the working directory is there */
	uint64_t    log_first_segment;   /* bytes; 0: the default */
	uint64_t    log_segment;
	uint64_t    log_epoch_records;   /* an epoch of the log ends after so many; 0: the default */
	uint64_t    idle_lock_ms;        /* the library locks after so long without its owner; 0: never */
	uint32_t    kdf_memory_kib_min;  /* envelopes with less are refused */
	bool        sandbox;             /* seccomp filters on */
	bool        guard;               /* not dumpable, no core */
	int         ready_fd;            /* where PROCESS_READY is written once the daemon serves; -1: nowhere */
	const struct http_config *http;  /* of config.json, for who hosts ACTOR_HTTP; NULL: it cannot be used */
	enum err    http_error;          /* why */
	unsigned    http_connections;    /* as many as there are descriptors for; 0: no matter */
	const char *weakened;            /* words for status, commas between; "" for none */
};

#endif
