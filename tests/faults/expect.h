/*
 * expect: what the scenario's client knows, and since which event of the
 * recording. Written by tests/faults/scenario.py, one fact a line:
 *
 *   EVENT delivered INDEX OFFSET LENGTH ASSET REVISION   bytes left the client (ids zero for a page)
 *   EVENT begun REVISION                                 an add was asked for that came to be this revision
 *   EVENT added VAULT ASSET REVISION BYTES               and was acknowledged
 *   EVENT granted GRANT | revoking GRANT | revoked GRANT
 *   EVENT locking | locked | resuming | resumed
 */
#ifndef TESTS_FAULTS_EXPECT_H
#define TESTS_FAULTS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mailbox/uuid.h"

enum fact_type {
	FACT_DELIVERED,
	FACT_BEGUN,
	FACT_ADDED,
	FACT_GRANTED,
	FACT_REVOKING,
	FACT_REVOKED,
	FACT_LOCKING,
	FACT_LOCKED,
	FACT_RESUMING,
	FACT_RESUMED,
	FACT__COUNT,
};

struct fact {
	enum fact_type type;
	size_t         event; /* true from here on */
	uint64_t       index, offset, length;
	struct uuid    vault, asset, revision, grant;
};

struct expect {
	struct fact *facts; /* in the order of events */
	size_t       n;
};

/* False when the file cannot be read or a line has another form. */
bool expect_read(const char *path, struct expect *out);
void expect_free(struct expect *x);

#endif
