/*
 * oracle: opens a home from its files as the daemon does, and checks it
 * against what the scenario's client knows (expect.h):
 *
 *  - the log verifies as it lies there, can be opened, and verifies again;
 *  - each delivery has its intent, with the same asset, revision and range;
 *  - what was acknowledged is there: revisions whole, grants, revocations, locks;
 *  - what was not even begun is not, and what is half done does not show.
 */
#ifndef TESTS_FAULTS_ORACLE_H
#define TESTS_FAULTS_ORACLE_H

#include "escrow/hash.h"
#include "tests/faults/expect.h"

/* The revisions of a home and the hash of all their chunks: made from the home that never crashed. */
#define KNOWN_MAX 1024
struct known {
	struct {
		struct uuid revision;
		uint8_t     hash[SHA256_LEN];
	} rows[KNOWN_MAX];
	size_t n;
};

#define ORACLE_WHY_MAX 256

/* Fills known. False, with why, when the home itself is not whole. */
bool oracle_learn(const char *home, struct known *known, char why[ORACLE_WHY_MAX]);

/* The facts up to and with that event hold in the home. It is changed as a start changes it. */
bool oracle_check(const char *home, const struct expect *x, size_t event, const struct known *known,
    char why[ORACLE_WHY_MAX]);

#endif
