/* The group that one sync makes durable, and the acks that it earns. */
#include <string.h>

#include "actors/audit_state.h"
#include "escrow/hash.h"
#include "mailbox/host.h"
#include "mailbox/trace.h"
#include "store/log_commit.h"

/*
 * The order of these steps is the promise of the whole daemon: the group's
 * records are written and synced, and only the receipt of that makes acks.
 */
enum err
audit_commit(struct audit *a, struct outbox *out)
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
			.index = w->index, .asset = w->asset, .revision = w->revision, .subject = w->subject,
			.ticket = { w->ticket, w->ticket_len },
		};

		trace_mark(ACTOR_AUDIT, "DURABLE", w->ask_id, w->index);
		if (w->is_event) {
			e = outbox_put(out, MSG_EVENT_KEPT, w->ask_id, &(struct result_body){ .error = OK });
			continue;
		}
		memcpy(ack.commit, log_receipt_bytes(receipt).p, sizeof ack.commit);
		e = outbox_put(out, w->is_index ? MSG_INDEX_ACK : w->is_http ? MSG_HTTP_ACK : MSG_AUDIT_ACK, w->ask_id, &ack);
	}
	a->n_group = 0;
	return e == OK && a->head_due ? audit_tell_head(a, out) : e;
}

enum err
audit_refuse_group(struct audit *a, enum err why, struct outbox *out)
{
	enum err e = OK;

	for (size_t i = 0; i < a->n_group && e == OK; i++) {
		const struct waiting *w = &a->group[i];

		e = w->is_event || w->is_index ? outbox_put(out, w->is_event ? MSG_EVENT_KEPT : MSG_INDEX_NOT_KEPT, w->ask_id,
		    &(struct result_body){ .error = (uint16_t)why })
		    : outbox_put(out, w->is_http ? MSG_HTTP_INTENT_REFUSED : MSG_INTENT_REFUSED, w->ask_id,
		    &(struct refusal_body){ .error = (uint16_t)why });
	}
	a->n_group = 0;
	for (size_t i = 0; i < a->n_held && e == OK; i++)
		e = outbox_put(out, MSG_EVENT_KEPT, a->held[i].ask_id, &(struct result_body){ .error = (uint16_t)why });
	a->n_held = 0;
	return e;
}

/* What widens, narrows or writes is known to vault and grants at once; what only reads, within a second. */
static bool
is_told_at_once(enum log_type t)
{
	return t != LOG_INTENT && t != LOG_INDEX && t != LOG_REFUSAL && t != LOG_CHECKPOINT;
}

enum err
audit_append(struct audit *a, const struct log_record *r, uint64_t *index, struct outbox *out)
{
	enum err e;

	if (a->log == NULL)
		return a->failure == ERR_NOT_INITIALIZED ? ERR_NOT_INITIALIZED
		    : a->failure == ERR_AUDIT_FULL || a->failure == ERR_AUDIT_TAMPERED ? a->failure
		    : ERR_AUDIT_UNAVAILABLE;
	if (a->n_group == AUDIT_GROUP_MAX || (e = log_append(a->log, r, index)) == ERR_BUSY)
		if ((e = audit_commit(a, out)) == OK)
			e = log_append(a->log, r, index);
	if (e == OK && is_told_at_once(r->type))
		a->head_due = true;
	if (e == OK && r->type != LOG_CHECKPOINT)
		a->checkpoint.active = true;
	return e;
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

/* What comes by a door's row is of that door. */
static bool
is_type_of(const struct intent_body *b, enum msg row)
{
	bool http = b->surface == SURFACE_HTTP && b->subject_kind == LOG_CONNECTION_ID;

	if (row == MSG_INDEX_INTENT)
		return b->type == LOG_INDEX;
	if (row == MSG_HTTP_INTENT)
		return b->type == LOG_INTENT && http;
	return (b->type == LOG_INTENT || b->type == LOG_WRITE) && b->surface != SURFACE_HTTP && b->subject_kind != LOG_CONNECTION_ID;
}

/* By what the log knows, whatever grants still has. */
static enum err
check_subject(const struct audit *a, const struct intent_body *b)
{
	bool connection = b->subject_kind == LOG_CONNECTION_ID;

	if ((!connection && b->subject_kind != LOG_GRANT_ID) || !usage_find(a->usage, b->subject).revoked)
		return OK;
	return connection ? ERR_INVALID_TOKEN : ERR_INVALID_GRANT;
}

static enum err
take_intent(struct audit *a, const struct inbound *in, struct outbox *out)
{
	const struct intent_body *b = &in->body->intent;
	struct log_record r = record_of_intent(in);
	struct waiting *w;
	uint64_t index;
	enum err e;

	if (!is_type_of(b, in->type) || b->ticket.len > TICKET_MAX ||
	    b->rows.len != b->n_rows * 2u * UUID_LEN)
		return ERR_INTERNAL;
	if (a->leaving || (a->log != NULL && !audit_anchors_agree(a)))
		return ERR_INTERRUPTED;
	if ((e = check_subject(a, b)) != OK || (e = audit_append(a, &r, &index, out)) != OK)
		return e;
	w = &a->group[a->n_group++];
	*w = (struct waiting){ .ask_id = in->ask_id, .index = index, .is_index = in->type == MSG_INDEX_INTENT,
		.is_http = in->type == MSG_HTTP_INTENT,
		.asset = b->asset, .revision = b->revision, .subject = b->subject,
		.ticket_len = (uint16_t)b->ticket.len };
	memcpy(w->ticket, b->ticket.p, b->ticket.len);
	r.wall = clock_wall();
	(void)usage_note(a->usage, &r);
	return OK;
}

enum err
audit_on_intent(void *self, const struct inbound *in, struct outbox *out)
{
	const struct intent_body *b = &in->body->intent;
	enum err e = take_intent(self, in, out);
	struct refusal_body refusal = { .error = (uint16_t)(e == ERR_LOCKED ? ERR_AUDIT_UNAVAILABLE : e) };

	if (e == OK)
		return OK;
	if (e == ERR_INVALID_GRANT || e == ERR_INVALID_TOKEN) {
		/* Grants still has it, the log knows better: that is worth a record. */
		refusal.authenticated = true;
		refusal.subject_kind = b->subject_kind;
		refusal.subject = b->subject;
	}
	return outbox_put(out, in->type == MSG_HTTP_INTENT ? MSG_HTTP_INTENT_REFUSED : MSG_INTENT_REFUSED, in->ask_id, &refusal);
}

enum err
audit_on_index_intent(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = take_intent(self, in, out);
	struct result_body result = { .error = (uint16_t)(e == ERR_LOCKED ? ERR_AUDIT_UNAVAILABLE : e) };

	return e == OK ? OK : outbox_put(out, MSG_INDEX_NOT_KEPT, in->ask_id, &result);
}
