/*
 * store_run: one short run of everything that the daemon keeps, in a home of
 * its own, writing down what was acknowledged (expect.h). For faults_store,
 * which lets each call of it go wrong in turn.
 */
#ifndef TESTS_FAULTS_STORE_RUN_H
#define TESTS_FAULTS_STORE_RUN_H

#include "escrow/sign.h"
#include "tests/faults/oracle.h"

#define STORE_FACTS_MAX 256

/* Lies in memory that a forked run shares, so that facts outlive it. */
struct store_run {
	char           home[256];
	uint8_t        log_public[SIGN_PUBLIC_LEN];
	struct uuid    library;
	struct known   known;
	struct fact    facts[STORE_FACTS_MAX];
	size_t         n_facts;
	bool           unlatched; /* a log that had failed took another record, or acknowledged one whose sync failed */
	const uint32_t *n_failed; /* how many syncs failed so far; NULL: none can */
	bool           internal;  /* some call answered ERR_INTERNAL */
};

/* Makes the home: a library, a vault, two grants, a log with a certified epoch. */
enum err store_run_make(struct store_run *r);

/* The run: what succeeds becomes a fact. Ends with everything closed. */
void store_run_go(struct store_run *r);

#endif
