#include "store/moment.h"

struct moment
moment_after(struct moment last, struct wall_ms wall, struct mono_ms mono)
{
	if (mono.ms > last.mono.ms) {
		last.now.ms += mono.ms - last.mono.ms;
		last.mono = mono;
	}
	if (wall.ms > last.now.ms)
		last.now.ms = wall.ms;
	return last;
}

struct moment
moment_from(struct moment kept, struct wall_ms wall, struct mono_ms mono, struct uuid boot)
{
	if (uuid_is_zero(boot) || !uuid_equal(kept.boot, boot)) {
		kept.boot = boot;
		kept.mono = mono;
	}
	return moment_after(kept, wall, mono);
}

uint64_t
moment_left(const struct moment *m, struct forward_ms then)
{
	return then.ms > m->now.ms ? then.ms - m->now.ms : 0;
}
