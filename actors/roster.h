/*
 * roster: who exists, and in which process. The one table that decides it; no
 * actor can tell.
 */
#ifndef ACTORS_ROSTER_H
#define ACTORS_ROSTER_H

#include "mailbox/actor.h"

#define ROSTER_ACTORS_MAX    10
#define ROSTER_PROCESSES_MAX 6
#define ROSTER_EDGES_MAX     40

enum sandbox {
	SANDBOX_NONE,
	SANDBOX_KEYRING, /* dials Unix sockets; opens no file, runs nothing */
	SANDBOX_AUDIT,   /* files and Unix sockets; runs nothing, no network */
	SANDBOX_SEARCH,  /* as keyring, and listens for it on one Unix socket */
	SANDBOX_PROFILE, /* as audit */
	SANDBOX_HTTP,    /* listens, on Unix sockets and for TCP; connects to nothing, opens no file, runs nothing */
};

struct roster_process {
	const char *name;
	enum sandbox sandbox;
	const struct actor_spec *actors[ROSTER_ACTORS_MAX]; /* NULL after the last */
};

struct roster {
	const char *name;
	size_t      n_processes;  /* started in this order and stopped in reverse: audit needs keyring to the end */
	struct roster_process processes[ROSTER_PROCESSES_MAX];
};

extern const struct roster roster_default;     /* keyring, audit, search, profile, http, core */
extern const struct roster roster_one_process; /* for debugging and tests */

/* The index of the process that the actor lives in. */
size_t roster_process_of(const struct roster *r, enum actor a);

/* The two ends of the i-th edge, a < b; false past the last. Edges follow from the protocol's table. */
bool roster_edge(size_t i, enum actor *a, enum actor *b);

#endif
