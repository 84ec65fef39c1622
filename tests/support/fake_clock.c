#include <stdatomic.h>
#include <stddef.h>

#include "tests/support/fake_clock.h"

static atomic_uint_fast64_t wall_now_ms;
static atomic_uint_fast64_t mono_now_ms;
static atomic_uint_fast32_t n_boots;

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

static struct uuid
fake_boot(void)
{
	return (struct uuid){ { 0xb0, (uint8_t)n_boots } };
}

static const struct clock_source fake = { fake_wall, fake_mono, fake_boot };

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
fake_clock_set_wall(uint64_t wall_ms)
{
	wall_now_ms = wall_ms;
}

void
fake_clock_reboot(uint64_t ms_later)
{
	wall_now_ms += ms_later;
	mono_now_ms = 1000;
	n_boots++;
}

void
fake_clock_off(void)
{
	clock_set_source(NULL);
}
