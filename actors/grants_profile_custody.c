/*
 * What opens the remote profile without the password: an enrolment of its own,
 * and its key-only start. It asks nobody for anything, and a manual lock bans
 * it as it bans unattended access.
 */
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/custody.h"
#include "escrow/random.h"

/* While custody only says locked or unavailable, it is asked again so often. */
#define RETRY_MS 60000

#define RETRY_SOON_MS 100
#define LOAD_MS       5000

struct custody_ref_body
grants_profile_custody_ref(const struct grants *g, uint8_t delegation[DELEGATION_LEN])
{
	return grants_custody_ref_of(g, CUSTODY_PROFILE, &g->profile.enrolment, delegation);
}

bool
grants_profile_banned(const struct grants *g)
{
	return ban_state(g->ban).manual_lock || g->log_ban;
}

static bool
may_load(const struct grants *g)
{
	return g->initialized && g->profile.exists && g->profile.record.enabled && g->profile.enrolled &&
	    !grants_profile_banned(g) && !g->library.center_managed && g->library.device_member;
}

enum err
grants_profile_try_load(struct grants *g, struct outbox *out)
{
	struct grants_profile *p = &g->profile;
	uint8_t delegation[DELEGATION_LEN];
	struct mono_ms now = clock_mono();
	struct custody_ref_body ref;

	/* The log may know of a lock that the ban file missed, so it must have spoken. */
	if (!p->want_load || p->load_ask != 0 || now.ms < p->load_retry.ms || !g->keyring_up || !g->log_known)
		return OK;
	if (p->loaded || !may_load(g)) {
		p->want_load = false;
		return OK;
	}
	p->load_ask = grants_own_ask(g);
	p->load_ends.ms = now.ms + LOAD_MS;
	ref = grants_profile_custody_ref(g, delegation);
	return outbox_put(out, MSG_MATERIAL_WANTED, p->load_ask, &ref);
}

enum err
grants_profile_load_ended(struct grants *g, uint64_t ask_id, enum err why, struct outbox *out)
{
	struct grants_profile *p = &g->profile;
	bool soon = why == ERR_INTERRUPTED, later = why == ERR_CUSTODY_LOCKED || why == ERR_CUSTODY_UNAVAILABLE;

	/* A ban, or its like, that came while custody was asked: its keys-drop went past the material. */
	if (why == OK && !may_load(g))
		return outbox_put(out, MSG_KEYS_DROP, grants_own_ask(g), &(struct keys_drop_body){ .profile = 1 });
	if (ask_id != p->load_ask)
		return OK;
	p->load_ask = 0;
	p->load_error = soon ? OK : why;
	p->want_load = soon || later;
	p->load_retry.ms = p->want_load ? clock_mono().ms + (soon ? RETRY_SOON_MS : RETRY_MS) : 0;
	return OK;
}

enum err
grants_profile_load_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	if (g->profile.load_ask != 0 && now.ms >= g->profile.load_ends.ms)
		return grants_profile_load_ended(g, g->profile.load_ask, ERR_INTERRUPTED, out);
	return grants_profile_try_load(g, out);
}

struct mono_ms
grants_profile_load_next(const struct grants *g)
{
	const struct grants_profile *p = &g->profile;

	if (p->load_ask != 0)
		return p->load_ends;
	return p->want_load ? p->load_retry : (struct mono_ms){ 0 };
}

enum err
grants_profile_enrol(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out)
{
	struct enrol_body enrol = { .purpose = CUSTODY_PROFILE, .enrolment = uuid_make(clock_wall()),
		.library = g->library.library, .backend = { (const uint8_t *)c->backend, strlen(c->backend) } };
	uint8_t context[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(context, sizeof context);

	memcpy(enrol.sealed_profile, c->sealed_profile, sizeof enrol.sealed_profile);
	custody_context(&(struct custody_binding){ .purpose = CUSTODY_PROFILE, .library = enrol.library,
	    .enrolment = enrol.enrolment, .home = g->settings->home, .backend = c->backend }, &o);
	enrol.context = wire_written(&o);
	return outbox_put(out, MSG_ENROL, ask_id, &enrol);
}

enum err
grants_profile_material_stored(struct grants *g, uint64_t ask_id, struct command *c,
    const struct material_stored_body *b, struct outbox *out)
{
	enum err e = (enum err)b->error, put;

	if (e == OK && (e = grants_take_enrolment(&b->ref, &c->enrolment)) == OK) {
		memcpy(c->sealed_custody, b->ref.sealed_profile, sizeof c->sealed_custody);
		return grants_keep_record(g, ask_id, LOG_CONFIG, out);
	}
	/* What enrolment loaded into the keyring goes again. */
	if ((put = outbox_put(out, MSG_KEYS_DROP, ask_id, &(struct keys_drop_body){ .profile = 1 })) != OK)
		return put;
	return grants_end_refused(g, ask_id, e, custody_detail_text(b->detail), out);
}

enum err
grants_profile_keep_enrolment(struct grants *g, const struct command *c)
{
	enum err e = grants_db_put_enrolment(g->db, CUSTODY_PROFILE, &c->enrolment);

	if (e == OK) {
		g->profile.enrolment = c->enrolment;
		g->profile.enrolled = true;
		g->profile.load_error = OK;
	}
	return e;
}

enum err
grants_profile_forget_enrolment(struct grants *g)
{
	struct profile_record r = g->profile.record;
	enum err e = grants_db_drop_enrolment(g->db, CUSTODY_PROFILE);

	if (e != OK)
		return e;
	g->profile.enrolled = false;
	memset(r.sealed_custody, 0, sizeof r.sealed_custody);
	return g->profile.exists ? grants_profile_keep(g, &r) : OK;
}
