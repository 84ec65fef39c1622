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

/* extra: room for what the record of a setting or a grant says; it has to last as long as the record. */
static struct log_record
record_of_event(const struct event_body *b, uint8_t extra[LOG_CONFIG_LEN])
{
	struct log_record r = {
		.type = (enum log_type)b->type, .outcome = (enum log_outcome)b->outcome,
		.surface = (enum surface)b->surface, .subject_kind = (enum log_subject)b->subject_kind,
		.subject = b->subject,
	};

	put_reason(&r, (enum err)b->error);
	if (r.type == LOG_CONFIG) {
		log_config_put((enum log_config)b->config, b->about, extra);
		r.extra = (struct span){ extra, LOG_CONFIG_LEN };
	}
	if (r.type == LOG_GRANT && b->grant_type != 0) {
		extra[0] = b->grant_type;
		r.extra = (struct span){ extra, 1 };
	}
	return r;
}

/* What gives more rights than there were waits for a log that is known to be the real one. */
static bool
widens(const struct event_body *b)
{
	return b->type == LOG_GRANT || b->type == LOG_ENABLE || b->type == LOG_RESUME ||
	    (b->type == LOG_CONFIG && (b->config == CONFIG_NO_CENTER || b->config == CONFIG_DEVICE_ADDED ||
	    b->config == CONFIG_PROFILE_ENABLED || b->config == CONFIG_PROFILE_NO_MAINTENANCE));
}

static enum err
answer(uint64_t ask_id, enum err e, struct outbox *out)
{
	return outbox_put(out, MSG_EVENT_KEPT, ask_id, &(struct result_body){ .error = (uint16_t)e });
}

/* ERR_LOCKED: not now, but soon. */
static enum err
append(struct audit *a, uint64_t ask_id, const struct event_body *b, struct outbox *out)
{
	uint8_t extra[LOG_CONFIG_LEN];
	struct log_record r = record_of_event(b, extra);
	uint64_t index;
	enum err e = a->log != NULL && r.type != LOG_LOCK && !audit_anchors_agree(a) ? ERR_LOCKED
	    : audit_append(a, &r, &index, out);

	if (e == OK)
		a->group[a->n_group++] = (struct waiting){ .ask_id = ask_id, .index = index, .is_event = true };
	/* Also of what the log could not take, if it narrows: it is done. */
	if ((e == OK || !widens(b)) && usage_note(a->usage, &r) != OK)
		host_fail(ERR_NO_MEMORY);
	return e;
}

enum err
audit_append_held(struct audit *a, struct outbox *out)
{
	enum err e, put = OK;
	size_t n = 0;

	while (n < a->n_held && put == OK) {
		struct told_event h = a->held[n];

		if ((e = append(a, h.ask_id, &h.body, out)) == ERR_LOCKED)
			break;
		n++;
		if (e != OK)
			put = answer(h.ask_id, e, out);
	}
	a->n_held -= n;
	memmove(a->held, a->held + n, a->n_held * sizeof *a->held);
	return put;
}

enum err
audit_on_event_keep(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	const struct event_body *b = &in->body->event;
	enum err e = append(a, in->ask_id, b, out);

	if (e == ERR_LOCKED && !widens(b) && b->type != LOG_LOCK && a->n_held < AUDIT_HELD_MAX) {
		a->held[a->n_held++] = (struct told_event){ .ask_id = in->ask_id, .body = *b };
		return OK;
	}
	return e == OK ? OK : answer(in->ask_id, e == ERR_LOCKED ? ERR_AUDIT_UNAVAILABLE : e, out);
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
