/* What is written down besides deliveries: events of the owner and of grants, refusals. */
#include <string.h>

#include "actors/audit_state.h"
#include "mailbox/host.h"
#include "mailbox/log_line.h"

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

enum err
audit_on_event(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct log_record r = record_of_event(&in->body->event);
	uint64_t index;
	enum err e = audit_append(a, &r, &index, out);

	/* Also of what the log could not take: it is done. */
	if (usage_note(a->usage, &r) != OK)
		host_fail(ERR_NO_MEMORY);
	if (e == ERR_LOCKED && a->n_held < AUDIT_HELD_MAX)
		a->held[a->n_held++] = in->body->event;
	else if (e != OK)
		/* Said here: an error returned would take acks with it that a full group has just earned. */
		log_line_error(ACTOR_AUDIT, e, in->ask_id);
	return OK;
}

enum err
audit_append_held(struct audit *a, struct outbox *out)
{
	uint64_t index;
	enum err e = OK;

	for (size_t i = 0; i < a->n_held && e == OK; i++) {
		struct log_record r = record_of_event(&a->held[i]);

		e = audit_append(a, &r, &index, out);
	}
	if (e == OK)
		a->n_held = 0;
	return e;
}

/* What gives more rights than there were waits for a log that is known to be the real one. */
static bool
widens(enum log_type t)
{
	return t == LOG_GRANT || t == LOG_ENABLE || t == LOG_RESUME;
}

enum err
audit_on_event_keep(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct log_record r = record_of_event(&in->body->event);
	bool waits = a->log != NULL && widens(r.type) && !audit_anchors_agree(a);
	uint64_t index;
	enum err e = waits ? ERR_AUDIT_UNAVAILABLE : audit_append(a, &r, &index, out);

	if (e == ERR_LOCKED)
		e = ERR_AUDIT_UNAVAILABLE;
	if (e == OK && usage_note(a->usage, &r) != OK)
		host_fail(ERR_NO_MEMORY);
	if (e != OK)
		return outbox_put(out, MSG_EVENT_KEPT, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	a->group[a->n_group++] = (struct waiting){ .ask_id = in->ask_id, .index = index, .is_event = true };
	return OK;
}

enum err
audit_on_refusal_noted(void *self, const struct inbound *in, struct outbox *out)
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
	(void)audit_append(self, &r, &index, out);
	return OK;
}
