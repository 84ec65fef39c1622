/*
 * Lock: the ban and its record, a last checkpoint while keyring can still sign
 * one, then the keys. Nothing of it waits for long, and nothing stops it. A
 * lock that comes by itself (grants_idle.c) has neither ban nor record.
 */
#include "actors/grants_state.h"

/* How long the keys wait for the checkpoint. Meanwhile nobody gets a ruling. */
#define CHECKPOINT_MS 500

/* The keys are gone and so are the index and what the profile holds, whichever lock asked for that; a ban that the file could not say waits for the log. */
static bool
is_over(const struct grants *g, const struct command *c)
{
	return c->keys_dropped && g->search.dropping == 0 && g->profile.dropping == 0 && (!c->ban_failed || !g->audit_up);
}

static enum err
lock_step(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out)
{
	if (!is_over(g, c))
		return OK;
	return grants_end(g, ask_id, c->ban_failed ? ERR_LOCK_NOT_DURABLE : OK, NOTHING_MADE, out);
}

static enum err
drop_keys(struct grants *g, uint64_t ask_id, bool idle, struct outbox *out)
{
	enum err e;

	if (g->locking == ask_id)
		g->locking = 0;
	if ((e = grants_search_drop(g, ask_id, out)) != OK)
		return e;
	/* One that custody opened goes on without the password. */
	if ((!idle || !g->profile.loaded) && (e = grants_profile_drop(g, ask_id, out)) != OK)
		return e;
	return outbox_put(out, MSG_KEYS_DROP, ask_id,
	    &(struct keys_drop_body){ .password = 1, .unattended = !idle, .profile = !idle, .closes = !idle });
}

/* A second lock that comes meanwhile does not wait with the first. */
static bool
can_sign(const struct grants *g)
{
	return g->locking == 0 && g->log_known && (g->unlocked || g->loaded || g->profile.loaded);
}

enum err
grants_lock_begin(struct grants *g, uint64_t ask_id, bool idle, struct outbox *out)
{
	if (!can_sign(g))
		return drop_keys(g, ask_id, idle, out);
	g->locking = ask_id;
	g->locking_idle = idle;
	g->locking_until.ms = clock_mono().ms + CHECKPOINT_MS;
	if (grants_profile_tell(g, false, out) != OK)
		return ERR_NO_MEMORY;
	return outbox_put(out, MSG_CHECKPOINT_DUE, ask_id, &(struct nothing_body){ 0 });
}

/*
 * The ban first, then the keys: a daemon that dies in between starts banned.
 * The record bans too, so one of the two is enough for a durable lock.
 */
enum err
grants_on_lock(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct peer_body *peer = &in->body->owner_ask.peer;
	struct event_body event = grants_event_of(LOG_LOCK, OK, peer, NOTHING_MADE);
	struct ban_state ban = ban_state(g->ban);
	struct command *c;
	bool ban_failed;
	enum err e;

	if (!g->initialized)
		return grants_refuse(out, in->ask_id, ERR_NOT_INITIALIZED);
	sudo_end_all(&g->sudo);
	ban.manual_lock = true;
	ban_failed = ban_set(g->ban, ban) != OK;
	g->want_load = g->profile.want_load = false;
	if ((e = grants_begin(in, g, peer, out, &c)) != OK || c == NULL)
		return e;
	c->ban_failed = ban_failed;
	c->keys_dropped = !g->keyring_up;
	if ((e = grants_event_lock(g, in->ask_id, &event, out)) != OK)
		return e;
	if (!g->keyring_up)
		return lock_step(g, in->ask_id, c, out);
	return grants_lock_begin(g, in->ask_id, false, out);
}

enum err
grants_on_checkpoint_over(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;

	return in->ask_id == g->locking ? grants_lock_without_checkpoint(g, out) : OK;
}

enum err
grants_lock_without_checkpoint(struct grants *g, struct outbox *out)
{
	return g->locking != 0 ? drop_keys(g, g->locking, g->locking_idle, out) : OK;
}

enum err
grants_lock_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	return now.ms >= g->locking_until.ms ? grants_lock_without_checkpoint(g, out) : OK;
}

static bool
is_lock(const struct command *c)
{
	return c->type == MSG_LOCK_WANTED || c->type == MSG_SLEEP_WANTED;
}

struct ending {
	const struct grants *grants;
	struct outbox       *out;
};

static bool
ends_now(const void *arg, const void *value)
{
	const struct ending *ending = arg;

	return is_lock(value) && is_over(ending->grants, value);
}

static void
answer(void *arg, uint64_t ask_id, void *value)
{
	const struct ending *ending = arg;
	const struct command *c = value;

	if (c->ban_failed)
		(void)grants_refuse(ending->out, ask_id, ERR_LOCK_NOT_DURABLE);
	else
		(void)grants_done(ending->out, ask_id, NOTHING_MADE);
}

void
grants_locks_go_on(struct grants *g, struct outbox *out)
{
	pending_fail_some(g->commands, ends_now, answer, &(struct ending){ g, out });
}

enum err
grants_lock_recorded(struct grants *g, uint64_t ask_id, struct command *c, enum err e, struct outbox *out)
{
	if (!c->ban_failed)
		return OK;
	g->log_ban = g->log_ban || e == OK;
	if (e != OK)
		return grants_end(g, ask_id, ERR_LOCK_NOT_DURABLE, NOTHING_MADE, out);
	c->ban_failed = false;
	return lock_step(g, ask_id, c, out);
}

enum err
grants_on_keys_dropped(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);

	if (c == NULL)
		return OK;
	c->keys_dropped = true;
	if (is_lock(c))
		return lock_step(g, in->ask_id, c, out);
	if (c->type == MSG_PROFILE_DISABLE_WANTED)
		return grants_profile_keys_dropped(g, in->ask_id, c, out);
	if (c->type == MSG_DISABLE_WANTED)
		return grants_disable_clean(g, in->ask_id, c, out);
	if (c->type == MSG_SETTING_WANTED)
		return grants_end(g, in->ask_id, OK, NOTHING_MADE, out);
	/* Enable failed at its end, and what it had loaded is gone again. */
	return OK;
}
