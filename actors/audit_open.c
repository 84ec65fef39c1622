/* Opening the log: what follows from its records for this actor, from a seal and from the walk behind it. */
#include <stdlib.h>

#include "actors/audit_state.h"

#define STATE_VERSION 2

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

static enum err
seal_state(void *arg, uint8_t **bytes, size_t *len)
{
	const struct audit *a = arg;
	size_t cap = 1 + 4 + LOG_HEAD_LEN + usage_len(a->usage);
	struct wire_out o;

	if ((*bytes = malloc(cap)) == NULL)
		return ERR_NO_MEMORY;
	o = wire_out(*bytes, cap);
	wire_put_u8(&o, STATE_VERSION);
	wire_put_u32(&o, a->repairs);
	log_head_put(&o, &a->lost);
	usage_put(&o, a->usage);
	*len = o.len;
	return OK;
}

static bool
unseal_state(void *arg, struct span bytes)
{
	struct audit *a = arg;
	struct wire_in in = wire_in(bytes.p, bytes.len);
	uint8_t version = wire_take_u8(&in);
	uint32_t repairs = wire_take_u32(&in);
	struct usage *usage;
	struct log_head lost;

	log_head_take(&in, &lost);
	if (version != STATE_VERSION || usage_take(&in, &usage) != OK)
		return false;
	usage_free(&a->usage);
	a->usage = usage;
	a->repairs = repairs;
	a->lost = lost;
	return true;
}

static enum err
forget_log(struct audit *a)
{
	usage_free(&a->usage);
	a->uncounted = a->rotating = false;
	a->repairs = 0;
	a->lost = (struct log_head){ .size = 0 };
	a->epoch_looked_at = 0;
	return usage_new(&a->usage);
}

struct log_settings
audit_log_settings(struct audit *a)
{
	return (struct log_settings){
		.dir = HOME_LOG, .library = a->library, .log_public = a->log_public,
		.first_segment_bytes = a->settings->log_first_segment, .segment_bytes = a->settings->log_segment,
		.epoch_records = a->settings->log_epoch_records, .on_record = count_record,
		.seal = seal_state, .unseal = unseal_state, .arg = a,
	};
}

struct log_known
audit_known_heads(const struct audit *a, struct log_head heads[AUDIT_ANCHORS])
{
	heads[0] = a->vault_anchor.head;
	heads[1] = a->grants_anchor.head;
	return (struct log_known){ heads, AUDIT_ANCHORS };
}

static enum err
open_or_repair(struct audit *a, struct log_repaired *repair)
{
	struct log_settings settings = audit_log_settings(a);
	struct log_head heads[AUDIT_ANCHORS];

	if (repair == NULL)
		return log_open(&settings, &a->log);
	return log_repair_open(&settings, audit_known_heads(a, heads), &a->log, repair);
}

enum err
audit_open_log(struct audit *a, struct log_repaired *repair, struct outbox *out)
{
	enum err e;

	if ((e = forget_log(a)) != OK)
		return e;
	a->tried = clock_mono();
	audit_anchors_new_log(a);
	if ((a->failure = open_or_repair(a, repair)) == OK && a->uncounted) {
		/* It would forget who was revoked. */
		log_close(&a->log);
		a->failure = ERR_NO_MEMORY;
	}
	if (a->failure != OK)
		return a->failure;
	if ((e = audit_tell_epoch(a, out)) != OK || repair != NULL)
		return e;
	if ((e = audit_tell_ban(a, out)) != OK)
		return e;
	return audit_compare_anchors(a, out);
}
