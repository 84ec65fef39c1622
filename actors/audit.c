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

static enum err
tell_epoch(const struct audit *a, struct outbox *out)
{
	struct epoch_body epoch = { .epoch = log_epoch(a->log) };

	memcpy(epoch.epoch_public, log_epoch_public(a->log), sizeof epoch.epoch_public);
	return outbox_put(out, MSG_EPOCH, 0, &epoch);
}

static enum err
tell_ban(const struct audit *a, struct outbox *out)
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
		(void)tell_epoch(a, out);
	else if (other == ACTOR_GRANTS)
		(void)tell_ban(a, out);
}

static void
count_record(void *arg, const struct log_record *r)
{
	struct audit *a = arg;
	struct log_repaired repaired;

	if (usage_note(a->usage, r) != OK)
		a->uncounted = true;
	if (r->type == LOG_REPAIR && log_repaired_take(r->extra, &repaired)) {
		a->repairs = repaired.repairs;
		a->lost = repaired.lost;
	}
}

/* Recovery from what lies on the disk; usage is counted anew with it. */
static enum err
open_log(struct audit *a, struct outbox *out)
{
	struct log_settings settings = {
		.dir = AUDIT_DIR, .library = a->library, .log_public = a->log_public,
		.first_segment_bytes = a->settings->log_first_segment, .segment_bytes = a->settings->log_segment,
		.on_record = count_record,
	};
	enum err e;

	usage_free(&a->usage);
	if ((e = usage_new(&a->usage)) != OK)
		return e;
	settings.arg = a;
	a->uncounted = false;
	a->tried = clock_mono();
	audit_anchors_new_log(a);
	if ((a->failure = log_open(&settings, &a->log)) == OK && a->uncounted) {
		/* It would forget who was revoked. */
		log_close(&a->log);
		a->failure = ERR_NO_MEMORY;
	}
	if (a->failure != OK)
		return a->failure;
	if ((e = tell_epoch(a, out)) != OK || (e = tell_ban(a, out)) != OK)
		return e;
	return audit_compare_anchors(a, out);
}

static enum err
on_library(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;

	if (a->log != NULL)
		return OK;
	a->library = in->body->library.library;
	memcpy(a->log_public, in->body->library.log_public, sizeof a->log_public);
	return open_log(a, out);
}

static enum err
on_epoch_certified(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct wire_in w = wire_in(in->body->certificate.certificate.p, in->body->certificate.certificate.len);
	struct cert c;
	enum err e;

	if (a->log == NULL || log_epoch_certified(a->log))
		return OK;
	cert_take(&w, &c);
	if (!wire_done(&w))
		return ERR_INVALID_ARGUMENT;
	if ((e = log_epoch_certify(a->log, &c)) != OK)
		return e;
	return audit_append_held(a, out);
}

static enum err
on_batch(void *self, struct outbox *out)
{
	return audit_commit(self, out);
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
	if (a->log != NULL)
		return log_tend(a->log) ? now : (struct mono_ms){ 0 };
	if (a->failure != ERR_NOT_INITIALIZED && a->failure != ERR_AUDIT_TAMPERED && now.ms >= a->tried.ms + REOPEN_MS)
		(void)open_log(a, out);
	return (struct mono_ms){ 0 };
}

static const struct handler handlers[] = {
	{ MSG_AUDIT_INTENT, audit_on_intent },
	{ MSG_EVENT, audit_on_event },
	{ MSG_EVENT_KEEP, audit_on_event_keep },
	{ MSG_REFUSAL_NOTED, audit_on_refusal_noted },
	{ MSG_LOG_STATE_WANTED, audit_on_log_state_wanted },
	{ MSG_USAGE_WANTED, audit_on_usage_wanted },
	{ MSG_LIBRARY, on_library },
	{ MSG_VAULT_ANCHOR, audit_on_anchor },
	{ MSG_GRANTS_ANCHOR, audit_on_anchor },
	{ MSG_EPOCH_CERTIFIED, on_epoch_certified },
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
	.blocks = true,
};
