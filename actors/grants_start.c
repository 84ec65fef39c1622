/* The key-only start: loads the unattended key from custody, when nothing stands in its way. */
#include <string.h>

#include "actors/grants_state.h"

/* While custody only says locked or unavailable, it is asked again so often. */
#define RETRY_MS 60000

/* A part of the daemon that is coming up is asked again at once. */
#define RETRY_SOON_MS 100

#define LOAD_MS 5000

struct custody_ref_body
grants_custody_ref_of(const struct grants *g, enum custody_purpose purpose, const struct enrolment_record *r,
    uint8_t delegation[DELEGATION_LEN])
{
	struct custody_ref_body ref = {
		.purpose = (uint8_t)purpose, .enrolment = r->enrolment, .library = g->library.library,
		.backend = { (const uint8_t *)r->backend, strlen(r->backend) },
	};
	struct wire_out o = wire_out(delegation, DELEGATION_LEN);

	memcpy(ref.sealed_unattended, r->sealed_unattended, sizeof ref.sealed_unattended);
	memcpy(ref.sealed_delegate, r->sealed_delegate, sizeof ref.sealed_delegate);
	delegation_put(&o, &r->delegation);
	ref.delegation = wire_written(&o);
	return ref;
}

struct custody_ref_body
grants_custody_ref(const struct grants *g, uint8_t delegation[DELEGATION_LEN])
{
	return grants_custody_ref_of(g, CUSTODY_UNATTENDED, &g->enrolment, delegation);
}

static enum err
start_ended(struct grants *g, enum err why, uint8_t detail, struct outbox *out)
{
	bool soon = why == ERR_INTERRUPTED, later = why == ERR_CUSTODY_LOCKED || why == ERR_CUSTODY_UNAVAILABLE;

	g->loading = false;
	g->load_error = why;
	g->load_detail = detail;
	g->want_load = soon || later;
	g->retry.ms = g->want_load ? clock_mono().ms + (soon ? RETRY_SOON_MS : RETRY_MS) : 0;
	if (g->started || (soon && clock_mono().ms < g->patience.ms))
		return OK;
	g->started = true;
	return outbox_put(out, MSG_STARTED, 0, &(struct nothing_body){ 0 });
}

uint64_t
grants_own_ask(struct grants *g)
{
	return ++g->own_asks | ASK_INSIDE;
}

static bool
may_not_load(const struct grants *g)
{
	return grants_banned(g) || g->library.center_managed || !g->library.device_member;
}

static bool
nothing_to_load(const struct grants *g)
{
	return g->loaded || !g->initialized || !g->enrolled || may_not_load(g);
}

/* Keyring and log are still coming up, and there is patience left. */
static bool
waits(const struct grants *g, struct mono_ms now)
{
	bool here = g->keyring_up && (g->log_known || !g->initialized);

	return !here && (g->started || now.ms < g->patience.ms);
}

enum err
grants_try_load(struct grants *g, struct outbox *out)
{
	uint8_t delegation[DELEGATION_LEN];
	struct mono_ms now = clock_mono();
	struct custody_ref_body ref;

	/* The log may know of a lock that the ban file missed, so it must have spoken. */
	if (!g->want_load || g->loading || (g->retry.ms != 0 && now.ms < g->retry.ms) || waits(g, now))
		return OK;
	if (nothing_to_load(g))
		return start_ended(g, OK, 0, out);
	if (!g->keyring_up || !g->log_known) {
		g->started = true;
		g->load_error = g->keyring_up ? ERR_AUDIT_UNAVAILABLE : ERR_INTERRUPTED;
		return outbox_put(out, MSG_STARTED, 0, &(struct nothing_body){ 0 });
	}
	g->loading = true;
	g->load_ends.ms = now.ms + LOAD_MS;
	ref = grants_custody_ref(g, delegation);
	return outbox_put(out, MSG_MATERIAL_WANTED, grants_own_ask(g), &ref);
}

enum err
grants_load_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	if (g->loading && now.ms >= g->load_ends.ms)
		return start_ended(g, ERR_INTERRUPTED, 0, out);
	return grants_try_load(g, out);
}

enum err
grants_on_material_refused(void *self, const struct inbound *in, struct outbox *out)
{
	const struct custody_result_body *b = &in->body->custody_result;

	if (b->purpose == CUSTODY_PROFILE)
		return grants_profile_load_ended(self, in->ask_id, (enum err)b->error, out);
	return start_ended(self, (enum err)b->error, b->detail, out);
}

/* A ban, or its like, that came while custody was asked: its keys-drop went past the material. */
enum err
grants_on_key_loaded(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	enum err e = (enum err)in->body->custody_result.error, put = OK;

	if (in->body->custody_result.purpose == CUSTODY_PROFILE)
		return grants_profile_load_ended(g, in->ask_id, e, out);
	if (e == OK && may_not_load(g))
		put = outbox_put(out, MSG_KEYS_DROP, grants_own_ask(g), &(struct keys_drop_body){ .unattended = 1 });
	return put != OK ? put : start_ended(g, e, 0, out);
}
