/*
 * The epochs of the log. One ends in two steps, so that no read meets a
 * pending one while keys are loaded: the keyring is told of the next, and the
 * log goes over to it with the certificate that comes back, or without one
 * when none comes in time.
 */
#include <string.h>

#include "actors/audit_state.h"
#include "mailbox/log_line.h"

#define CERTIFICATE_MS 2000

static enum err
tell_next(struct audit *a, struct outbox *out)
{
	const uint8_t *public_key;
	struct epoch_body next;
	enum err e;

	if ((e = log_epoch_next(a->log, &next.epoch, &public_key)) != OK)
		return e;
	memcpy(next.epoch_public, public_key, sizeof next.epoch_public);
	return outbox_put(out, MSG_EPOCH, 0, &next);
}

enum err
audit_tell_epoch(struct audit *a, struct outbox *out)
{
	struct epoch_body epoch = { .epoch = log_epoch(a->log) };
	enum err e;

	memcpy(epoch.epoch_public, log_epoch_public(a->log), sizeof epoch.epoch_public);
	if ((e = outbox_put(out, MSG_EPOCH, 0, &epoch)) != OK)
		return e;
	return a->rotating ? tell_next(a, out) : OK;
}

enum err
audit_epoch_batch(struct audit *a, struct outbox *out)
{
	enum err e;

	/* A repair is recorded in the epoch that began with it. */
	if (a->log == NULL || a->rotating || log_repairing(a->log) || log_size(a->log) == a->epoch_looked_at)
		return OK;
	a->epoch_looked_at = log_size(a->log);
	if (!log_epoch_due(a->log))
		return OK;
	if ((e = tell_next(a, out)) != OK)
		return e;
	a->rotating = true;
	a->rotate_by.ms = clock_mono().ms + CERTIFICATE_MS;
	return OK;
}

/* An error of the rotation itself is said here: returned, it would take acks with it that a group has just earned. */
static enum err
rotate(struct audit *a, const struct cert *c, struct outbox *out)
{
	enum err e;

	a->rotating = false;
	if ((e = audit_commit(a, out)) != OK)
		return e;
	if ((e = log_epoch_rotate(a->log, c)) != OK) {
		log_line_error(ACTOR_AUDIT, e, 0);
		return OK;
	}
	a->epoch_looked_at = log_size(a->log);
	return c != NULL ? audit_append_held(a, out) : OK;
}

/* True for a certificate of the epoch that waits for it. */
static bool
is_of_next(struct audit *a, const struct cert *c)
{
	const uint8_t *public_key;
	struct uuid next;

	return a->rotating && log_epoch_next(a->log, &next, &public_key) == OK && uuid_equal(c->context, next) &&
	    memcmp(c->subject, public_key, sizeof c->subject) == 0;
}

enum err
audit_on_epoch_certified(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct wire_in w = wire_in(in->body->certificate.certificate.p, in->body->certificate.certificate.len);
	struct cert c;
	enum err e;

	if (a->log == NULL)
		return OK;
	cert_take(&w, &c);
	if (!wire_done(&w))
		return ERR_INVALID_ARGUMENT;
	if (is_of_next(a, &c))
		return rotate(a, &c, out);
	/* A certified epoch takes nothing but its delegate's word, which may come after the log key's. */
	if (log_epoch_certified(a->log) && !(c.delegated && uuid_equal(c.context, log_epoch(a->log))))
		return OK;
	if ((e = log_epoch_certify(a->log, &c)) != OK)
		return e;
	if (log_repairing(a->log) && (e = audit_repair_certified(a, out)) != OK)
		return e;
	return a->log != NULL ? audit_append_held(a, out) : OK;
}

enum err
audit_epoch_tick(struct audit *a, struct mono_ms now, struct outbox *out)
{
	return a->log != NULL && a->rotating && now.ms >= a->rotate_by.ms ? rotate(a, NULL, out) : OK;
}
