/* The owner's commands that wait for another actor, and all their ends. */
#include <stdlib.h>
#include <string.h>

#include "actors/grants_state.h"

enum err
grants_refuse(struct outbox *out, uint64_t ask_id, enum err why)
{
	return grants_refuse_detailed(out, ask_id, why, "");
}

enum err
grants_refuse_detailed(struct outbox *out, uint64_t ask_id, enum err why, const char *detail)
{
	return outbox_put(out, MSG_ASK_DENIED, ask_id, &(struct refusal_body){ .error = (uint16_t)why,
	    .detail = { (const uint8_t *)detail, strlen(detail) } });
}

enum err
grants_done(struct outbox *out, uint64_t ask_id, struct uuid made)
{
	return outbox_put(out, MSG_COMMAND_DONE, ask_id, &(struct made_body){ .id = made });
}

enum err
grants_begin(const struct inbound *in, struct grants *g, const struct peer_body *peer,
    struct outbox *out, struct command **c)
{
	struct mono_ms deadline = { clock_mono().ms + COMMAND_MS };
	void *value = NULL;
	/* A lock goes on without a keyring: what it still has to make durable is elsewhere. */
	bool goes_on = g->keyring_up || in->type == MSG_LOCK_WANTED;
	/* And there is always room for one. */
	bool has_room = in->type == MSG_LOCK_WANTED || in->type == MSG_SLEEP_WANTED || pending_count(g->commands) < COMMANDS_MAX - LOCKS_MAX;
	enum err e = !goes_on ? ERR_INTERRUPTED : !has_room ? ERR_BUSY
	    : pending_add(g->commands, in->ask_id, deadline, &value);

	*c = value;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	(*c)->type = in->type;
	(*c)->peer = *peer;
	return OK;
}

struct command *
grants_command(struct grants *g, uint64_t ask_id)
{
	return pending_find(g->commands, ask_id);
}

static bool
end_command(struct grants *g, uint64_t ask_id)
{
	struct command *c = grants_command(g, ask_id);

	if (c == NULL)
		return false;
	free(c->minted);
	pending_end(g->commands, ask_id);
	return true;
}

enum err
grants_end(struct grants *g, uint64_t ask_id, enum err why, struct uuid made, struct outbox *out)
{
	if (!end_command(g, ask_id))
		return OK;
	return why == OK ? grants_done(out, ask_id, made) : grants_refuse(out, ask_id, why);
}

enum err
grants_end_refused(struct grants *g, uint64_t ask_id, enum err why, const char *detail, struct outbox *out)
{
	return end_command(g, ask_id) ? grants_refuse_detailed(out, ask_id, why, detail) : OK;
}

static void
refuse_command(void *arg, uint64_t ask_id, enum err why)
{
	(void)grants_refuse(arg, ask_id, why);
}

static void
interrupted(void *arg, uint64_t ask_id, void *value)
{
	struct command *c = value;

	free(c->minted);
	if (c->type != MSG_LOCK_WANTED)
		refuse_command(arg, ask_id, ERR_INTERRUPTED);
	else if (c->ban_failed)
		refuse_command(arg, ask_id, ERR_LOCK_NOT_DURABLE);
	else
		(void)grants_done(arg, ask_id, NOTHING_MADE); /* the keys are gone with the keyring */
}

static bool
waits_for_log(const void *arg, const void *value)
{
	const struct command *c = value;

	(void)arg;
	return c->waits_for_log || (c->type == MSG_LOCK_WANTED && c->keys_dropped && c->ban_failed);
}

/* What the keyring may have loaded has no enrolment. */
static void
drop_enrolled(const struct command *c, struct outbox *out)
{
	if (c->type == MSG_ENABLE_WANTED)
		(void)outbox_put(out, MSG_KEYS_DROP, 0, &(struct keys_drop_body){ .unattended = 1 });
	if (c->type == MSG_PROFILE_ENABLE_WANTED && c->backend[0] != '\0' && !c->waits_for_profile)
		(void)outbox_put(out, MSG_KEYS_DROP, 0, &(struct keys_drop_body){ .profile = 1 });
}

static void
log_lost(void *arg, uint64_t ask_id, void *value)
{
	struct command *c = value;

	free(c->minted);
	drop_enrolled(c, arg);
	refuse_command(arg, ask_id, c->type == MSG_LOCK_WANTED ? ERR_LOCK_NOT_DURABLE : ERR_AUDIT_UNAVAILABLE);
}

static void
timed_out(void *arg, uint64_t ask_id, void *value)
{
	struct command *c = value;

	free(c->minted);
	drop_enrolled(c, arg);
	refuse_command(arg, ask_id, c->type == MSG_LOCK_WANTED && c->ban_failed ? ERR_LOCK_NOT_DURABLE : ERR_TIMEOUT);
}

void
grants_commands_without_log(struct grants *g, struct outbox *out)
{
	pending_fail_some(g->commands, waits_for_log, log_lost, out);
}

void
grants_commands_without_keyring(struct grants *g, struct outbox *out)
{
	pending_fail_all(g->commands, interrupted, out);
}

void
grants_commands_expire(struct grants *g, struct mono_ms now, struct outbox *out)
{
	pending_expire(g->commands, now, timed_out, out);
}
