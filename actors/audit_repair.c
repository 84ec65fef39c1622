/*
 * A log that was changed from outside, and its repair: nothing else ends that
 * state. The files are moved and an epoch begins at once; the repair record
 * follows when keyring has certified it. Until then the log takes nothing.
 */
#include <string.h>

#include "actors/audit_state.h"
#include "mailbox/log_line.h"

/* How long the certificate may take. */
#define CERTIFY_MS 5000

static enum err
answer(uint64_t ask_id, enum err error, bool failed, const struct log_repaired *what, struct outbox *out)
{
	struct repaired_body b = { .error = (uint16_t)error, .failed = failed };

	if (what != NULL) {
		b.repairs = what->repairs;
		b.found_size = what->found.size;
		memcpy(b.found_root, what->found.root, sizeof b.found_root);
		b.lost_size = what->lost.size;
		memcpy(b.lost_root, what->lost.root, sizeof b.lost_root);
	}
	return outbox_put(out, MSG_REPAIR_OVER, ask_id, &b);
}

/*
 * OK when there is a log that a repair may make usable; otherwise why there is nothing to repair. One that cannot be
 * read may have files whose modes were changed; if it is the disk, the repair ends at that before it moves anything.
 */
static enum err
check(const struct audit *a)
{
	if (a->repair.ask != 0)
		return ERR_BUSY;
	if (a->log != NULL)
		return ERR_NOT_FAILED;
	return a->failure == ERR_AUDIT_TAMPERED || a->failure == ERR_AUDIT_UNAVAILABLE ? OK : a->failure;
}

static enum err
look(struct audit *a, uint64_t ask_id, struct outbox *out)
{
	struct log_settings settings = audit_log_settings(a);
	struct log_head heads[AUDIT_ANCHORS];
	struct log_repaired what = { .repairs = a->repairs, .lost = a->lost };
	enum err e = check(a);

	if (e == OK) {
		e = log_repair_look(&settings, audit_known_heads(a, heads), &what);
		return answer(ask_id, e, true, &what, out);
	}
	if (e != ERR_NOT_FAILED)
		return answer(ask_id, e, false, NULL, out);
	what.found.size = log_size(a->log);
	memcpy(what.found.root, log_root(a->log), sizeof what.found.root);
	return answer(ask_id, OK, false, &what, out);
}

enum err
audit_on_repair_allowed(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	const struct repair_order_body *b = &in->body->repair_order;
	struct log_repaired what;
	enum err e;

	if (b->look)
		return look(a, in->ask_id, out);
	if ((e = check(a)) == OK && (e = audit_open_log(a, &what, out)) != OK)
		log_line_error(ACTOR_AUDIT, e, in->ask_id);
	if (e != OK)
		return answer(in->ask_id, e, true, NULL, out);
	/* It stands until the record does. */
	a->failure = ERR_AUDIT_TAMPERED;
	a->repair = (struct audit_repair){ .ask = in->ask_id, .by = { clock_mono().ms + CERTIFY_MS },
		.subject = b->subject, .what = what };
	return OK;
}

/* The log is as failed as before; it can be repaired again. */
static enum err
give_up(struct audit *a, enum err why, struct outbox *out)
{
	uint64_t ask_id = a->repair.ask;
	enum err e = audit_refuse_group(a, ERR_AUDIT_TAMPERED, out);

	log_line_error(ACTOR_AUDIT, why, ask_id);
	log_close(&a->log);
	a->failure = ERR_AUDIT_TAMPERED;
	a->repair.ask = 0;
	return e != OK ? e : answer(ask_id, why, true, NULL, out);
}

enum err
audit_repair_certified(struct audit *a, struct outbox *out)
{
	struct audit_repair repair = a->repair;
	enum err e;

	if ((e = log_repair_finish(a->log, repair.subject)) != OK)
		return give_up(a, e, out);
	a->failure = OK;
	a->repair.ask = 0;
	a->repairs = repair.what.repairs;
	a->lost = repair.what.lost;
	/* The one of the log as it was has been set aside. */
	a->checkpoint.newest_size = 0;
	a->checkpoint.due = true;
	if ((e = answer(repair.ask, OK, false, &repair.what, out)) != OK || (e = audit_tell_ban(a, out)) != OK)
		return e;
	return audit_compare_anchors(a, out);
}

void
audit_repair_tick(struct audit *a, struct mono_ms now, struct outbox *out)
{
	if (a->repair.ask != 0 && now.ms >= a->repair.by.ms)
		(void)give_up(a, ERR_TIMEOUT, out);
}
