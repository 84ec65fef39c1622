/*
 * What vault and grants keep of the log: they say it when their edge comes up,
 * and until both have said it, and the log agrees, nothing is delivered. So a
 * log that was put back alone, or with one of the two, is told from the real
 * one. From then on they hear how far the log has come.
 */
#include <string.h>

#include "actors/audit_state.h"
#include "actors/head.h"
#include "mailbox/log_line.h"

/* So often at most they hear of a log that grows by reads alone. */
#define HEAD_EVERY_MS 1000

static struct log_head
head_now(const struct audit *a)
{
	struct log_head h = { .repairs = a->repairs, .size = log_size(a->log) };

	memcpy(h.root, log_root(a->log), sizeof h.root);
	return h;
}

static struct audit_anchor *
anchor_of(struct audit *a, enum actor other)
{
	return other == ACTOR_VAULT ? &a->vault_anchor : other == ACTOR_GRANTS ? &a->grants_anchor : NULL;
}

/* OK, or why the log is not the one that the anchor was taken from. */
static enum err
compare(const struct audit *a, const struct log_head *anchor)
{
	struct log_head now = head_now(a);
	uint8_t root[SHA256_LEN];
	enum err e;

	if (anchor->size == 0)
		return OK;
	/* A repair names the newest head that was known, and nothing older can ask for more. */
	if (anchor->repairs < now.repairs && !log_head_newer(anchor, &a->lost))
		return OK;
	if (anchor->repairs != now.repairs || anchor->size > now.size)
		return ERR_AUDIT_TAMPERED;
	if (anchor->size == now.size)
		return memcmp(anchor->root, now.root, sizeof root) == 0 ? OK : ERR_AUDIT_TAMPERED;
	if ((e = log_head_find(HOME_LOG, anchor->size, root)) == OK)
		return memcmp(anchor->root, root, sizeof root) == 0 ? OK : ERR_AUDIT_TAMPERED;
	return e == ERR_NOT_FOUND || e == ERR_AUDIT_TAMPERED ? ERR_AUDIT_TAMPERED : ERR_AUDIT_UNAVAILABLE;
}

/* The log is closed, and stays so if it is not the one that was known. */
static enum err
refuse_log(struct audit *a, enum err why, struct outbox *out)
{
	enum err e = audit_refuse_group(a, why, out);

	log_line_error(ACTOR_AUDIT, why, 0);
	log_close(&a->log);
	a->failure = why;
	a->tried = clock_mono();
	return e;
}

enum err
audit_compare_anchors(struct audit *a, struct outbox *out)
{
	struct audit_anchor *const both[] = { &a->vault_anchor, &a->grants_anchor };
	enum err e;

	for (size_t i = 0; i < 2 && a->log != NULL && !log_repairing(a->log); i++) {
		if (!both[i]->told || both[i]->agreed)
			continue;
		if ((e = compare(a, &both[i]->head)) != OK)
			return refuse_log(a, e, out);
		both[i]->agreed = true;
		both[i]->knows = 0;
	}
	if ((e = audit_append_held(a, out)) != OK)
		return e;
	return audit_tell_head(a, out);
}

bool
audit_anchors_agree(const struct audit *a)
{
	return a->vault_anchor.agreed && a->grants_anchor.agreed;
}

void
audit_anchors_new_log(struct audit *a)
{
	a->vault_anchor.agreed = a->grants_anchor.agreed = false;
}

void
audit_anchors_edge(struct audit *a, enum actor other)
{
	struct audit_anchor *anchor = anchor_of(a, other);

	if (anchor != NULL)
		*anchor = (struct audit_anchor){ .told = false };
}

enum err
audit_on_anchor(void *self, const struct inbound *in, struct outbox *out)
{
	struct audit *a = self;
	struct audit_anchor *anchor = anchor_of(a, in->from);

	*anchor = (struct audit_anchor){ .told = true, .head = head_from_body(&in->body->head) };
	return audit_compare_anchors(a, out);
}

static enum err
tell(struct audit_anchor *anchor, enum msg type, const struct log_head *now, struct outbox *out)
{
	struct head_body b = head_to_body(now);

	if (!anchor->agreed || anchor->knows == now->size)
		return OK;
	anchor->knows = now->size;
	return outbox_put(out, type, 0, &b);
}

enum err
audit_tell_head(struct audit *a, struct outbox *out)
{
	struct log_head now;
	enum err e;

	a->head_due = false;
	if (a->log == NULL)
		return OK;
	now = head_now(a);
	a->head_told = clock_mono();
	if ((e = tell(&a->vault_anchor, MSG_VAULT_HEAD, &now, out)) != OK)
		return e;
	return tell(&a->grants_anchor, MSG_GRANTS_HEAD, &now, out);
}

enum err
audit_anchors_tick(struct audit *a, struct mono_ms now, struct outbox *out)
{
	return now.ms >= a->head_told.ms + HEAD_EVERY_MS ? audit_tell_head(a, out) : OK;
}
