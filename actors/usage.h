/*
 * usage: what the log says of each grant and each connection: when it last read and how often,
 * and whether it was revoked. Lives in audit's memory, built anew as the log
 * is opened.
 */
#ifndef ACTORS_USAGE_H
#define ACTORS_USAGE_H

#include "store/log_record.h"

struct usage;

struct usage_of {
	struct wall_ms last_used; /* 0: never */
	uint64_t       reads;
	bool           revoked;   /* by its own record, or by a disable after it was known */
	bool           ordinary;  /* no unattended one, as its own record says: a disable is not about it */
};

enum err usage_new(struct usage **out);
void     usage_free(struct usage **u);

/* Counts a record if it says something of a grant. ERR_NO_MEMORY: not counted. */
enum err usage_note(struct usage *u, const struct log_record *r);

/* All of it as bytes, for a seal of the log. */
size_t usage_len(const struct usage *u);
void   usage_put(struct wire_out *o, const struct usage *u);

/* Takes such bytes up to their end. ERR_INVALID_CONTENT: they are none. ERR_NO_MEMORY. */
enum err usage_take(struct wire_in *in, struct usage **out);

struct usage_of usage_find(const struct usage *u, struct uuid grant);

#endif
