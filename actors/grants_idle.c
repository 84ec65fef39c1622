/*
 * The lock that comes by itself: after a time without the owner, or before the
 * machine sleeps. It drops what the password opened and leaves the unattended
 * key, and it bans nothing.
 */
#include "actors/grants_state.h"

void
grants_owner_was_here(struct grants *g)
{
	g->owner_seen = clock_mono();
}

struct mono_ms
grants_idle_ends(const struct grants *g)
{
	if (!g->unlocked || g->locking != 0 || g->settings->idle_lock_ms == 0)
		return (struct mono_ms){ 0 };
	return (struct mono_ms){ g->owner_seen.ms + g->settings->idle_lock_ms };
}

enum err
grants_idle_lock(struct grants *g, struct outbox *out)
{
	sudo_end_all(&g->sudo);
	return g->unlocked && g->locking == 0 ? grants_lock_begin(g, grants_own_ask(g), true, out) : OK;
}

enum err
grants_idle_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	struct mono_ms ends = grants_idle_ends(g);

	return ends.ms != 0 && now.ms >= ends.ms ? grants_idle_lock(g, out) : OK;
}
