/*
 * profile_rows: what the profile is made of, and the form of each in its
 * database. A take function accepts exactly one value and only bytes that the
 * put function writes; what stands in a row's key is an argument of it.
 * Source: docs/store-format.md, "Profile".
 */
#ifndef STORE_PROFILE_ROWS_H
#define STORE_PROFILE_ROWS_H

#include "mailbox/clock.h"
#include "mailbox/wire.h"
#include "mailbox/words.h"

#define PROFILE_TEXT_BYTES_MAX 1200 /* of a label, a value, evidence: 300 characters of UTF-8 */
#define PROFILE_ROW_MAX        4096 /* every row is shorter */
#define PROFILE_SAME_LEN       32

struct profile_fact {
	struct uuid    fact;
	struct uuid    revision;  /* new at each version: what the log names */
	uint64_t       version;   /* from 1 */
	enum category  category;
	bool           uncertain; /* a guess: never shared */
	bool           archived;
	bool           sensitive; /* found out when it is loaded or put; in no row */
	struct wall_ms created;
	struct wall_ms updated;
	struct span    label, value, evidence; /* UTF-8 */
};

/* The owner shares that fact as it was at that revision; when the fact is changed it is void. */
struct profile_share {
	struct uuid    connection;
	struct uuid    fact;
	struct uuid    revision;
	struct wall_ms made;
};

enum profile_op {
	PROFILE_ADD = 1,
	PROFILE_UPDATE,
	PROFILE_ARCHIVE,
};

/* It waits for the owner's word. */
struct profile_proposal {
	struct uuid     proposal;
	struct uuid     connection;
	enum profile_op op;
	enum category   category;
	struct span     label, value, evidence; /* to archive: perhaps empty */
	struct uuid     target;          /* zero: to add */
	struct uuid     target_revision; /* as the target was then */
	struct wall_ms  created;
	struct wall_ms  expires;
};

enum profile_end {
	PROFILE_CONFIRMED = 1,
	PROFILE_DISMISSED,
	PROFILE_EXPIRED,
};

/* What is kept of one that does not wait any more, so that the same is not made again. */
struct profile_ended {
	struct uuid      connection;
	uint8_t          same[PROFILE_SAME_LEN]; /* profile_db_same of it */
	struct uuid      proposal;
	enum profile_end end;
	struct wall_ms   ended;
};

/* "add", "update", "archive"; "confirmed", …; "?" out of range. */
const char *profile_op_name(enum profile_op op);
bool        profile_op_of_name(const char *name, size_t len, enum profile_op *out);

void profile_fact_put(struct wire_out *o, const struct profile_fact *f);
bool profile_fact_take(struct span value, struct uuid fact, struct profile_fact *out);

void profile_share_put(struct wire_out *o, const struct profile_share *s);
bool profile_share_take(struct span value, struct uuid connection, struct uuid fact, struct profile_share *out);

void profile_proposal_put(struct wire_out *o, const struct profile_proposal *p);
bool profile_proposal_take(struct span value, struct uuid proposal, struct profile_proposal *out);

void profile_ended_put(struct wire_out *o, const struct profile_ended *x);
bool profile_ended_take(struct span value, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN],
    struct profile_ended *out);

#endif
