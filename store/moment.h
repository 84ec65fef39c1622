/*
 * moment: a clock that only goes forward, for lives that nobody may lengthen
 * by setting a clock back. It is the wall clock, but never behind what it said
 * before, and in one boot of the machine it goes on at least as fast as the
 * clock that nobody can set. A wall clock that was wrongly far ahead ends what
 * lives by it; what is made after goes by this clock and lasts as it should.
 */
#ifndef STORE_MOMENT_H
#define STORE_MOMENT_H

#include "mailbox/clock.h"

/* Milliseconds of that clock. */
struct forward_ms {
	uint64_t ms;
};

/* What has to be kept of it over a restart. */
struct moment {
	struct forward_ms now;
	struct uuid       boot; /* in which it said so; zero: not known */
	struct mono_ms    mono; /* and when, in that boot */
};

/* At a start: the moment now, after the one that was kept; all zero: none was. */
struct moment moment_from(struct moment kept, struct wall_ms wall, struct mono_ms mono, struct uuid boot);

/* The moment now, after another of the same boot. */
struct moment moment_after(struct moment last, struct wall_ms wall, struct mono_ms mono);

/* How long until then; 0: it is over. */
uint64_t moment_left(const struct moment *m, struct forward_ms then);

#endif
