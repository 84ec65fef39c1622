/*
 * remote_run: a short run of what the remote profile keeps, in a home of its
 * own: changes of facts, shares and proposals in HOME/profile, and a
 * connection with its code and tokens in HOME/grants, from its consent to its
 * end by a replay. Each is a row of steps, one commit each, so what a home
 * holds can be said by two numbers. For faults_store, which lets each call of
 * it go wrong, and for faults_remote, which rebuilds crashes of it.
 */
#ifndef TESTS_FAULTS_REMOTE_RUN_H
#define TESTS_FAULTS_REMOTE_RUN_H

#include <stdbool.h>

#include "mailbox/err.h"

enum remote_part {
	REMOTE_PROFILE,
	REMOTE_CONNECTION,
	REMOTE__PARTS,
};

#define REMOTE_WHY_MAX 256

/* Lies in memory that a forked run shares. */
struct remote_run {
	char     home[256];
	unsigned begun[REMOTE__PARTS], done[REMOTE__PARTS]; /* steps */
	bool     internal;        /* some call answered ERR_INTERNAL */
	bool     shows_otherwise; /* the profile goes on after a failed change with what was never committed */
	void   (*step)(const struct remote_run *r); /* called when a number has changed; may be NULL */
};

/* Makes the folders and databases, with no step done. home is set. */
enum err remote_run_make(struct remote_run *r);

/* The run, until a step fails. Ends with everything closed. */
void remote_run_go(struct remote_run *r);

/* Opens the home as a start does: all steps that are done, and at most the one that was begun besides. */
bool remote_run_check(const struct remote_run *r, char why[REMOTE_WHY_MAX]);

#endif
