#include <stdatomic.h>
#include <stddef.h>

#include "tests/support/fake_clock.h"

static atomic_uint_fast64_t wall_now_ms;
static atomic_uint_fast64_t mono_now_ms;

static struct wall_ms
fake_wall(void)
{
	return (struct wall_ms){ wall_now_ms };
}

static struct mono_ms
fake_mono(void)
{
	return (struct mono_ms){ mono_now_ms };
}

static const struct clock_source fake = { fake_wall, fake_mono };

void
fake_clock_set(uint64_t wall_ms, uint64_t mono_ms)
{
	wall_now_ms = wall_ms;
	mono_now_ms = mono_ms;
	clock_set_source(&fake);
}

void
fake_clock_advance(uint64_t ms)
{
	wall_now_ms += ms;
	mono_now_ms += ms;
}

void
fake_clock_off(void)
{
	clock_set_source(NULL);
}
