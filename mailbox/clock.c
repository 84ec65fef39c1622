#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mailbox/clock.h"

static const struct clock_source *replaced;

static uint64_t
now_ms(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct wall_ms
clock_wall(void)
{
	if (replaced != NULL)
		return replaced->wall();
	return (struct wall_ms){ now_ms(CLOCK_REALTIME) };
}

struct mono_ms
clock_mono(void)
{
	if (replaced != NULL)
		return replaced->mono();
	return (struct mono_ms){ now_ms(CLOCK_BOOTTIME) };
}

void
clock_set_source(const struct clock_source *source)
{
	replaced = source;
}

void
clock_text(struct wall_ms t, char out[CLOCK_TEXT_LEN + 1])
{
	static const char latest[CLOCK_TEXT_LEN + 1] = "9999-12-31T23:59:59Z";
	time_t s = (time_t)(t.ms / 1000);
	struct tm tm;

	/* Times from disk can be anything; past year 9999 the form has no room. */
	if (t.ms / 1000 > 253402300799u || gmtime_r(&s, &tm) == NULL ||
	    strftime(out, CLOCK_TEXT_LEN + 1, "%Y-%m-%dT%H:%M:%SZ", &tm) != CLOCK_TEXT_LEN)
		memcpy(out, latest, sizeof latest);
}
