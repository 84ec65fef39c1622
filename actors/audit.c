#include <stdlib.h>
#include <string.h>

#include "actors/audit.h"
#include "actors/audit_state.h"

#define REOPEN_MS 2000

static void
audit_stop(void *self)
{
	struct audit *a = self;

	if (a == NULL)
		return;
	log_close(&a->log);
	usage_free(&a->usage);
	free(a->group);
	free(a);
}

static enum err
audit_start(const struct actor_context *context, void **self)
{
	struct audit *a = calloc(1, sizeof *a);

	if (a == NULL)
		return ERR_NO_MEMORY;
	a->settings = context->settings;
	a->failure = ERR_NOT_INITIALIZED;
	if (usage_new(&a->usage) != OK || (a->group = calloc(AUDIT_GROUP_MAX, sizeof *a->group)) == NULL) {
		audit_stop(a);
		return ERR_NO_MEMORY;
	}
	*self = a;
	return OK;
}

enum err
audit_tell_ban(const struct audit *a, struct outbox *out)
{
	return outbox_put(out, MSG_LOG_BAN, 0, &(struct log_ban_body){ .manual_lock = log_manual_lock(a->log) });
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct audit *a = self;

	audit_anchors_edge(a, other);
	if (!up || a->log == NULL)
		return;
	if (other == ACTOR_KEYRING)
		(void)audit_tell_epoch(a, out);
	else if (other == ACTOR_GRANTS)
		(void)audit_tell_ban(a, out);
}

static enum err
on_library(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;

	if (a->log != NULL)
		return OK;
	a->library = in->body->library.library;
	memcpy(a->log_public, in->body->library.log_public, sizeof a->log_public);
	audit_checkpoint_load(a);
	return audit_open_log(a, NULL, out);
}

static enum err
on_batch(void *self, struct outbox *out)
{
	enum err e = audit_commit(self, out);

	if (e != OK || (e = audit_epoch_batch(self, out)) != OK)
		return e;
	return audit_checkpoint_batch(self, out);
}

/*
 * Makes a spare segment while nothing else is to be done. A log that could not
 * be opened is tried again, for its disk may be mended; one that was changed
 * from outside is the owner's to look at.
 */
static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct audit *a = self;

	(void)audit_anchors_tick(a, now, out);
	(void)audit_epoch_tick(a, now, out);
	audit_repair_tick(a, now, out);
	(void)audit_checkpoint_tick(a, now, out);
	if (a->log != NULL) {
		bool more = log_tend(a->log);

		audit_say_state(a);
		return more ? now : a->rotating ? a->rotate_by : (struct mono_ms){ 0 };
	}
	if (a->failure != ERR_NOT_INITIALIZED && a->failure != ERR_AUDIT_TAMPERED && now.ms >= a->tried.ms + REOPEN_MS)
		(void)audit_open_log(a, NULL, out);
	return (struct mono_ms){ 0 };
}

static const struct handler handlers[] = {
	{ MSG_AUDIT_INTENT, audit_on_intent },
	{ MSG_INDEX_INTENT, audit_on_index_intent },
	{ MSG_HTTP_INTENT, audit_on_intent },
	{ MSG_EVENT_KEEP, audit_on_event_keep },
	{ MSG_REFUSAL_NOTED, audit_on_refusal_noted },
	{ MSG_HTTP_REFUSAL_NOTED, audit_on_refusal_noted },
	{ MSG_LOG_STATE_WANTED, audit_on_log_state_wanted },
	{ MSG_USAGE_WANTED, audit_on_usage_wanted },
	{ MSG_CONNECTIONS_USAGE_WANTED, audit_on_connections_usage_wanted },
	{ MSG_LIBRARY, on_library },
	{ MSG_VAULT_ANCHOR, audit_on_anchor },
	{ MSG_GRANTS_ANCHOR, audit_on_anchor },
	{ MSG_CHECKPOINT_DUE, audit_on_checkpoint_due },
	{ MSG_CHECKPOINT_ALLOWED, audit_on_checkpoint_allowed },
	{ MSG_CHECKPOINT_SIGNED, audit_on_checkpoint_signed },
	{ MSG_EPOCH_CERTIFIED, audit_on_epoch_certified },
	{ MSG_REPAIR_ALLOWED, audit_on_repair_allowed },
};

const struct actor_spec audit_actor = {
	.id = ACTOR_AUDIT,
	.start = audit_start,
	.stop = audit_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_batch = on_batch,
	.on_tick = on_tick,
	.on_leave = audit_checkpoint_leave,
	.blocks = true,
};
