/*
 * How long grants last: by the wall clock, which may be set, and in the boot
 * in which they were made by the clock that nobody can set. What was once
 * seen to be over is marked so, and no clock brings it back.
 */
#include "actors/grants_state.h"
#include "mailbox/log_line.h"

/* The wall clock may be set at any time, and tells nobody. */
#define LOOK_MS 60000

enum grant_lasts
grants_lasts(const struct grant_life *life, struct wall_ms wall, struct mono_ms mono, struct uuid boot, uint64_t *left_ms)
{
	bool same_boot = !uuid_is_zero(boot) && uuid_equal(life->boot, boot);
	uint64_t whole, left;

	*left_ms = UINT64_MAX;
	if (life->expired)
		return GRANT_OVER;
	if (life->expires.ms == 0)
		return GRANT_LASTS;
	if (wall.ms >= life->expires.ms || life->created.ms >= life->expires.ms)
		return GRANT_OVER;
	whole = life->expires.ms - life->created.ms;
	left = life->expires.ms - wall.ms;
	if (!same_boot && wall.ms < life->created.ms)
		return GRANT_DOUBTFUL;
	if (same_boot) {
		uint64_t lasted = mono.ms > life->minted.ms ? mono.ms - life->minted.ms : 0;

		if (lasted >= whole)
			return GRANT_OVER;
		if (whole - lasted < left)
			left = whole - lasted;
	}
	*left_ms = left;
	return GRANT_LASTS;
}

/* The mark, and the word to those that may hold something of it. What cannot be marked is refused all the same. */
static void
mark(struct grants *g, struct uuid grant, struct outbox *out)
{
	enum err e = grants_db_expire(g->db, grant);

	if (e == OK)
		e = grants_events_again(g, out);
	if (e == OK && g->keyring_up)
		e = outbox_put(out, MSG_GRANT_DROP, grants_own_ask(g), &(struct one_id_body){ .id = grant });
	if (e != OK)
		log_line_error(ACTOR_GRANTS, e, 0);
}

enum grant_lasts
grants_look_at(struct grants *g, struct uuid grant, const struct grant_life *life, uint64_t *left_ms, struct outbox *out)
{
	enum grant_lasts lasts = grants_lasts(life, clock_wall(), clock_mono(), g->boot, left_ms);

	if (lasts == GRANT_OVER && !life->expired)
		mark(g, grant, out);
	return lasts;
}

enum err
grants_expiry_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	struct uuid grant = { { 0 } };
	struct grant_life life;
	uint64_t left, soonest = LOOK_MS;
	bool any = false;
	enum err e;

	if (g->expiry.ms == 0 || now.ms < g->expiry.ms)
		return OK;
	while ((e = grants_db_next_mortal(g->db, grant, &grant, &life)) == OK) {
		any = true;
		if (grants_look_at(g, grant, &life, &left, out) == GRANT_LASTS && left < soonest)
			soonest = left;
	}
	/* What could not be read or marked is tried again. */
	g->expiry.ms = any || e != ERR_NOT_FOUND ? now.ms + soonest : 0;
	return e == ERR_NOT_FOUND ? OK : e;
}
