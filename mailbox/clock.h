/*
 * clock: wall time and monotonic time, which are different types so that they
 * cannot be mixed. Tests put their own source in.
 */
#ifndef MAILBOX_CLOCK_H
#define MAILBOX_CLOCK_H

#include <stdint.h>

#include "mailbox/err.h"
#include "mailbox/uuid.h"

/* Milliseconds since 1970, UTC. May jump. */
struct wall_ms {
	uint64_t ms;
};

/* Milliseconds since boot, suspend included. Never goes back. */
struct mono_ms {
	uint64_t ms;
};

/* The earlier of two times of which 0 says that there is none. */
static inline struct mono_ms
mono_sooner(struct mono_ms a, struct mono_ms b)
{
	return a.ms == 0 || (b.ms != 0 && b.ms < a.ms) ? b : a;
}

struct wall_ms clock_wall(void);
struct mono_ms clock_mono(void);

/* The start of the machine that monotonic time counts from; zero: not known. The kernel makes it anew each time. */
struct uuid clock_boot(void);

struct clock_source {
	struct wall_ms (*wall)(void);
	struct mono_ms (*mono)(void);
	struct uuid    (*boot)(void);
};

/* Replaces the source for the whole process; NULL puts the system's back. For tests. */
void clock_set_source(const struct clock_source *source);

#define CLOCK_TEXT_LEN 20

/* RFC 3339 UTC with seconds, "2026-11-30T10:00:00Z", and a NUL. */
void clock_text(struct wall_ms t, char out[CLOCK_TEXT_LEN + 1]);

/*
 * The other way: a date and time of RFC 3339, with seconds, perhaps with a
 * fraction of them, in UTC (`Z`) or with an offset (`+02:00`). Fractions are
 * cut to milliseconds. ERR_INVALID_ARGUMENT: anything else, or before 1970.
 */
enum err clock_parse(const char *text, struct wall_ms *out);

/*
 * A whole number and one of s, m, h, d, w: seconds to weeks.
 * ERR_INVALID_ARGUMENT: anything else, or beyond what fits.
 */
enum err clock_parse_duration(const char *text, uint64_t *ms);

#endif
