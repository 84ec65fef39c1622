/*
 * clock: wall time and monotonic time, which are different types so that they
 * cannot be mixed. Tests put their own source in.
 */
#ifndef MAILBOX_CLOCK_H
#define MAILBOX_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, UTC. May jump. */
struct wall_ms {
	uint64_t ms;
};

/* Milliseconds since boot, suspend included. Never goes back. */
struct mono_ms {
	uint64_t ms;
};

struct wall_ms clock_wall(void);
struct mono_ms clock_mono(void);

struct clock_source {
	struct wall_ms (*wall)(void);
	struct mono_ms (*mono)(void);
};

/* Replaces the source for the whole process; NULL puts the system's back. For tests. */
void clock_set_source(const struct clock_source *source);

#define CLOCK_TEXT_LEN 20

/* RFC 3339 UTC with seconds, "2026-11-30T10:00:00Z", and a NUL. */
void clock_text(struct wall_ms t, char out[CLOCK_TEXT_LEN + 1]);

#endif
