/* profile_seen: what a connection was given, as the log has it. */
#ifndef TOOLS_COMMAND_PROFILE_SEEN_H
#define TOOLS_COMMAND_PROFILE_SEEN_H

#include "mailbox/clock.h"
#include "tools/command/command.h"

/* A fact as it was at one revision. */
struct seen_fact {
	struct uuid    fact, revision; /* a zero fact: the slot is free */
	struct wall_ms first, last;
	uint64_t       times;
	bool           known;    /* the four below are filled in */
	bool           there, current, archived;
	char           label[164]; /* of today; "": none */
};

/* One record. */
struct seen_read {
	uint64_t       index;
	struct wall_ms time;
	enum op        op;
	size_t         n_facts;
};

struct seen {
	struct seen_fact *facts; /* owned; n_facts of them, the first seen first */
	size_t            n_facts, room;
	size_t           *slots; /* owned; places of facts, plus 1, by hash */
	size_t            n_slots;
	struct seen_read *reads; /* owned; the newest n_reads of n_all, oldest first */
	size_t            n_reads, reads_max, oldest;
	uint64_t          n_all;
	struct uuid       connection;
	enum err          error;
};

/*
 * Reads the log of the home. reads_max: so many of the newest reads are kept.
 * ERR_AUDIT_TAMPERED: it does not hold somewhere; what is before that is there. ERR_NO_MEMORY, ERR_FILE_UNREADABLE.
 */
enum err seen_read_log(struct uuid connection, size_t reads_max, struct seen *out);
void     seen_free(struct seen *s);

/* The i-th of the reads that were kept, oldest first. */
const struct seen_read *seen_read_at(const struct seen *s, size_t i);

#endif
