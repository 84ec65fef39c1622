#include <stdlib.h>
#include <string.h>

#include "actors/audit.h"
#include "actors/settings.h"
#include "actors/usage.h"
#include "escrow/hash.h"
#include "escrow/ticket.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"
#include "mailbox/trace.h"
#include "store/log.h"
#include "store/log_commit.h"

#define AUDIT_DIR "audit"
#define GROUP_MAX 512
#define HELD_MAX  32
#define REOPEN_MS 2000

/* An intent of the waiting group: what its ack will say. */
struct waiting {
	uint64_t    ask_id;
	uint64_t    index;
	bool        is_event; /* an EVENT_KEEP, answered to grants */
	struct uuid asset;
	struct uuid revision;
	uint16_t    ticket_len;
	uint8_t     ticket[TICKET_MAX];
};

struct audit {
	const struct settings *settings;
	struct log     *log;        /* owned; NULL until the library is known, or when it cannot be opened */
	enum err        failure;    /* why log is NULL */
	struct mono_ms  tried;      /* when it was last tried */
	struct uuid     library;
	uint8_t         log_public[SIGN_PUBLIC_LEN];
	struct usage   *usage;
	struct waiting *group;      /* GROUP_MAX of them; n_group are in use */
	size_t          n_group;
	/* What happened while the epoch waits for its certificate, which may come over another edge later. */
	struct event_body held[HELD_MAX];
	size_t          n_held;
};

static enum err on_intent(void *self, const struct inbound *in, struct outbox *out);
static enum err on_event(void *self, const struct inbound *in, struct outbox *out);
static enum err on_event_keep(void *self, const struct inbound *in, struct outbox *out);
static enum err on_refusal_noted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_log_state_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_usage_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_library(void *self, const struct inbound *in, struct outbox *out);
static enum err on_epoch_certified(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_AUDIT_INTENT, on_intent },
	{ MSG_EVENT, on_event },
	{ MSG_EVENT_KEEP, on_event_keep },
	{ MSG_REFUSAL_NOTED, on_refusal_noted },
	{ MSG_LOG_STATE_WANTED, on_log_state_wanted },
	{ MSG_USAGE_WANTED, on_usage_wanted },
	{ MSG_LIBRARY, on_library },
	{ MSG_EPOCH_CERTIFIED, on_epoch_certified },
};

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
	if (usage_new(&a->usage) != OK || (a->group = calloc(GROUP_MAX, sizeof *a->group)) == NULL) {
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
	(void)usage_note(arg, r);
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
	settings.arg = a->usage;
	a->tried = clock_mono();
	if ((a->failure = log_open(&settings, &a->log)) != OK)
		return a->failure;
	if ((e = tell_epoch(a, out)) != OK)
		return e;
	return tell_ban(a, out);
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

/*
 * The order of these steps is the promise of the whole daemon: the group's
 * records are written and synced, and only the receipt of that makes acks.
 */
static enum err
commit_group(struct audit *a, struct outbox *out)
{
	const struct log_receipt *receipt;
	enum err e;

	if (a->log == NULL)
		return OK;
	/* It can latch without a group, too: while a spare segment is made. */
	if (log_failure(a->log) != OK)
		host_fail(log_failure(a->log));
	if (log_waiting(a->log) == 0)
		return OK;
	if ((e = log_commit(a->log, &receipt)) != OK) {
		/* What was not recorded must not be delivered, and this log takes nothing more. */
		a->n_group = 0;
		host_fail(e);
		return e;
	}
	for (size_t i = 0; i < a->n_group && e == OK; i++) {
		const struct waiting *w = &a->group[i];
		struct ack_body ack = {
			.index = w->index, .asset = w->asset, .revision = w->revision,
			.ticket = { w->ticket, w->ticket_len },
		};

		trace_mark(ACTOR_AUDIT, "DURABLE", w->ask_id, w->index);
		if (w->is_event) {
			e = outbox_put(out, MSG_EVENT_KEPT, w->ask_id, &(struct result_body){ .error = OK });
			continue;
		}
		memcpy(ack.commit, log_receipt_bytes(receipt).p, sizeof ack.commit);
		e = outbox_put(out, MSG_AUDIT_ACK, w->ask_id, &ack);
	}
	a->n_group = 0;
	return e;
}

static enum err
on_batch(void *self, struct outbox *out)
{
	return commit_group(self, out);
}

/* Puts a record into the group; a full group is committed first. */
static enum err
append(struct audit *a, const struct log_record *r, uint64_t *index, struct outbox *out)
{
	enum err e;

	if (a->log == NULL)
		return a->failure == ERR_NOT_INITIALIZED ? ERR_NOT_INITIALIZED
		    : a->failure == ERR_AUDIT_FULL || a->failure == ERR_AUDIT_TAMPERED ? a->failure
		    : ERR_AUDIT_UNAVAILABLE;
	if (a->n_group < GROUP_MAX && (e = log_append(a->log, r, index)) != ERR_BUSY)
		return e;
	if ((e = commit_group(a, out)) != OK)
		return e;
	return log_append(a->log, r, index);
}

static struct log_record
record_of_intent(const struct inbound *in)
{
	const struct intent_body *b = &in->body->intent;
	struct log_record r = {
		.type = (enum log_type)b->type, .outcome = LOG_DONE, .surface = (enum surface)b->surface,
		.subject_kind = (enum log_subject)b->subject_kind, .subject = b->subject, .op = (enum op)b->op,
		.vault = b->vault, .asset = b->asset, .revision = b->revision, .offset = b->offset,
		.length = b->length, .first_chunk = b->first_chunk, .n_chunks = b->n_chunks,
		.ask_id = in->ask_id, .n_refs = b->n_rows, .refs = b->rows,
	};

	sha256(b->ticket.p, b->ticket.len, r.ticket_hash);
	return r;
}

static enum err
take_intent(struct audit *a, const struct inbound *in, struct outbox *out)
{
	const struct intent_body *b = &in->body->intent;
	struct log_record r = record_of_intent(in);
	struct waiting *w;
	uint64_t index;
	enum err e;

	if ((b->type != LOG_INTENT && b->type != LOG_WRITE) || b->ticket.len > TICKET_MAX ||
	    b->rows.len != b->n_rows * 2u * UUID_LEN)
		return ERR_INTERNAL;
	if ((e = append(a, &r, &index, out)) != OK)
		return e;
	w = &a->group[a->n_group++];
	*w = (struct waiting){ .ask_id = in->ask_id, .index = index,
		.asset = b->asset, .revision = b->revision, .ticket_len = (uint16_t)b->ticket.len };
	memcpy(w->ticket, b->ticket.p, b->ticket.len);
	r.wall = clock_wall();
	(void)usage_note(a->usage, &r);
	return OK;
}

static enum err
on_intent(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = take_intent(self, in, out);

	if (e == OK)
		return OK;
	return outbox_put(out, MSG_INTENT_REFUSED, in->ask_id,
	    &(struct refusal_body){ .error = (uint16_t)(e == ERR_LOCKED ? ERR_AUDIT_UNAVAILABLE : e) });
}

static void
put_reason(struct log_record *r, enum err e)
{
	if (e != OK)
		strncpy(r->reason, err_code(e), LOG_REASON_MAX);
}

static struct log_record
record_of_event(const struct event_body *b)
{
	struct log_record r = {
		.type = (enum log_type)b->type, .outcome = (enum log_outcome)b->outcome,
		.surface = (enum surface)b->surface, .subject_kind = (enum log_subject)b->subject_kind,
		.subject = b->subject,
	};

	put_reason(&r, (enum err)b->error);
	return r;
}

static enum err
on_event(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct log_record r = record_of_event(&in->body->event);
	uint64_t index;
	enum err e = append(a, &r, &index, out);

	if (e == ERR_LOCKED && a->n_held < HELD_MAX)
		a->held[a->n_held++] = in->body->event;
	else if (e != OK)
		/* Said here: an error returned would take acks with it that a full group has just earned. */
		log_error(ACTOR_AUDIT, e, in->ask_id);
	return OK;
}

static enum err
on_epoch_certified(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct wire_in w = wire_in(in->body->certificate.certificate.p, in->body->certificate.certificate.len);
	struct cert c;
	uint64_t index;
	enum err e;

	if (a->log == NULL || log_epoch_certified(a->log))
		return OK;
	cert_take(&w, &c);
	if (!wire_done(&w))
		return ERR_INVALID_ARGUMENT;
	e = log_epoch_certify(a->log, &c);
	for (size_t i = 0; i < a->n_held && e == OK; i++) {
		struct log_record r = record_of_event(&a->held[i]);

		e = append(a, &r, &index, out);
	}
	if (e == OK)
		a->n_held = 0;
	return e;
}

static enum err
on_event_keep(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct log_record r = record_of_event(&in->body->event);
	uint64_t index;
	enum err e = append(a, &r, &index, out);

	if (e != OK)
		return outbox_put(out, MSG_EVENT_KEPT, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	a->group[a->n_group++] = (struct waiting){ .ask_id = in->ask_id, .index = index, .is_event = true };
	return OK;
}

static enum err
on_refusal_noted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct noted_body *b = &in->body->noted;
	struct log_record r = {
		.type = LOG_REFUSAL, .outcome = LOG_REFUSED, .surface = (enum surface)b->surface,
		.subject_kind = (enum log_subject)b->subject_kind, .subject = b->subject, .op = (enum op)b->op,
		.vault = b->vault, .asset = b->asset, .revision = b->revision, .length = b->count,
	};
	uint64_t index;

	put_reason(&r, (enum err)b->error);
	/* A refusal that cannot be recorded delivers nothing, so it is let go. */
	(void)append(self, &r, &index, out);
	return OK;
}

static enum err
on_log_state_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct audit *a = self;
	/* What no library came to yet takes no record; whether there is a library is not for this actor to say. */
	struct log_state_body s = { .state = LOG_FAILED,
		.failure = (uint16_t)(a->failure == ERR_NOT_INITIALIZED ? ERR_AUDIT_UNAVAILABLE : a->failure) };

	if (a->log != NULL) {
		s.size = log_size(a->log);
		memcpy(s.root, log_root(a->log), sizeof s.root);
		s.state = (uint8_t)log_state(a->log);
		s.failure = (uint16_t)log_failure(a->log);
	}
	return outbox_put(out, MSG_LOG_STATE, in->ask_id, &s);
}

static enum err
on_usage_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	const struct audit *a = self;
	struct grants_page_body page = in->body->grants_page;
	struct wire_in rows = wire_in(page.rows.p, page.rows.len);
	uint8_t *buf = malloc(page.rows.len + 1);
	struct wire_out o = wire_out(buf, page.rows.len);
	enum err e;

	if (buf == NULL)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < page.n_rows; i++) {
		struct grant_row_body row;
		struct usage_of used;

		grant_row_body_take(&rows, &row);
		used = usage_find(a->usage, row.grant);
		row.last_used_wall_ms = used.last_used.ms;
		row.reads = used.reads;
		grant_row_body_put(&o, &row);
	}
	page.rows = wire_written(&o);
	e = rows.failed || o.failed ? ERR_INTERNAL : outbox_put(out, MSG_USAGE, in->ask_id, &page);
	free(buf);
	return e;
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

	if (a->log != NULL)
		return log_tend(a->log) ? now : (struct mono_ms){ 0 };
	if (a->failure != ERR_NOT_INITIALIZED && a->failure != ERR_AUDIT_TAMPERED && now.ms >= a->tried.ms + REOPEN_MS)
		(void)open_log(a, out);
	return (struct mono_ms){ 0 };
}

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
