/* Unattended access as a whole: enabled, disabled, and resumed after a lock. */
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/custody.h"
#include "escrow/random.h"

static enum err
check_enable(struct grants *g, const struct enable_ask_body *b, char backend[BACKEND_NAME_MAX + 1])
{
	enum err e = grants_check_sudo(g, &b->peer);

	if (e != OK)
		return e;
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	if (g->enrolled)
		return ERR_ALREADY_ENABLED;
	if (!g->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
	memcpy(backend, b->backend.p, b->backend.len);
	backend[b->backend.len] = '\0';
	return custody_supported(backend);
}

enum err
grants_on_enable(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct enable_ask_body *b = &in->body->enable_ask;
	struct enrol_body enrol = { .enrolment = uuid_make(clock_wall()), .library = g->library.library, .backend = b->backend };
	uint8_t context[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(context, sizeof context);
	struct command *c;
	enum err e;
	char backend[BACKEND_NAME_MAX + 1];

	if ((e = check_enable(g, b, backend)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	custody_context(&(struct custody_binding){ .library = enrol.library, .enrolment = enrol.enrolment,
	    .home = g->settings->home, .backend = backend }, &o);
	enrol.context = wire_written(&o);
	return outbox_put(out, MSG_ENROL, in->ask_id, &enrol);
}

enum err
grants_take_enrolment(const struct custody_ref_body *ref, struct enrolment_record *out)
{
	struct enrolment_record r = { .enrolment = ref->enrolment, .created = clock_wall() };
	struct wire_in in = wire_in(ref->delegation.p, ref->delegation.len);

	memcpy(r.backend, ref->backend.p, ref->backend.len);
	memcpy(r.sealed_unattended, ref->sealed_unattended, sizeof r.sealed_unattended);
	memcpy(r.sealed_delegate, ref->sealed_delegate, sizeof r.sealed_delegate);
	delegation_take(&in, &r.delegation);
	if (!wire_done(&in))
		return ERR_INTERNAL;
	*out = r;
	return OK;
}

static enum err
keep_enrolment(struct grants *g, const struct enrolment_record *r)
{
	struct ban_state ban = ban_state(g->ban);
	enum err e;

	/* Only the ban that disable set; never a manual lock's. First, while there is nothing to load. */
	ban.disabled = false;
	if ((e = ban_set(g->ban, ban)) != OK || (e = grants_db_put_enrolment(g->db, CUSTODY_UNATTENDED, r)) != OK)
		return e;
	g->enrolment = *r;
	g->enrolled = true;
	g->load_error = OK;
	return OK;
}

/* What enrolment loaded into the keyring goes again. */
static enum err
give_up_enable(struct grants *g, uint64_t ask_id, enum err why, const char *detail, struct outbox *out)
{
	enum err e = outbox_put(out, MSG_KEYS_DROP, ask_id, &(struct keys_drop_body){ .unattended = 1 });

	/* The command's deadline says it again. */
	return e != OK ? e : grants_end_refused(g, ask_id, why, detail, out);
}

enum err
grants_on_material_stored(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	const struct material_stored_body *b = &in->body->material_stored;
	enum err e = (enum err)b->error;

	if (c == NULL)
		return OK;
	if (c->type == MSG_PROFILE_ENABLE_WANTED)
		return grants_profile_material_stored(g, in->ask_id, c, b, out);
	if (e == OK)
		e = grants_take_enrolment(&b->ref, &c->enrolment);
	return e == OK ? grants_keep_record(g, in->ask_id, LOG_ENABLE, out)
	    : give_up_enable(g, in->ask_id, e, custody_detail_text(b->detail), out);
}

enum err
grants_finish_enable(struct grants *g, uint64_t ask_id, struct command *c, enum err recorded, struct outbox *out)
{
	enum err e = recorded;

	if (e == OK && (e = keep_enrolment(g, &c->enrolment)) != OK)
		(void)grants_event(g, out, LOG_ENABLE, e, &c->peer, NOTHING_MADE);
	return e == OK ? grants_end(g, ask_id, OK, NOTHING_MADE, out) : give_up_enable(g, ask_id, e, "", out);
}

/* The record first: a crash in between leaves the ban, never a ban that comes back. */
enum err
grants_on_resume(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct peer_body *peer = &in->body->owner_ask.peer;
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, peer)) == OK)
		e = g->library.center_managed ? ERR_CENTER_MANAGED : !g->enrolled && !g->profile.enrolled ? ERR_NOT_ENABLED
		    : !g->audit_up ? ERR_AUDIT_UNAVAILABLE : OK;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, peer, out, &c)) != OK || c == NULL)
		return e;
	return grants_keep_record(g, in->ask_id, LOG_RESUME, out);
}

/* Ban, then grants, then the backend: each step may be repeated after a crash. */
enum err
grants_on_disable(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct peer_body *peer = &in->body->disable_ask.peer;
	struct ban_state ban = ban_state(g->ban);
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, peer)) == OK && !g->enrolled)
		e = ERR_NOT_ENABLED;
	ban.disabled = true;
	if (e != OK || (e = ban_set(g->ban, ban)) != OK || (e = grants_db_revoke_all(g->db, terminal_tag(peer))) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_events_again(g, out)) != OK || (e = grants_begin(in, g, peer, out, &c)) != OK || c == NULL)
		return e;
	c->leaves_material = in->body->disable_ask.leave;
	return outbox_put(out, MSG_KEYS_DROP, in->ask_id, &(struct keys_drop_body){ .unattended = 1 });
}

static enum err
forget_enrolment(struct grants *g, uint64_t ask_id, struct outbox *out)
{
	enum err e = grants_db_drop_enrolment(g->db, CUSTODY_UNATTENDED);

	if (e == OK)
		g->enrolled = false;
	return grants_end(g, ask_id, e, NOTHING_MADE, out);
}

enum err
grants_disable_clean(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out)
{
	uint8_t delegation[DELEGATION_LEN];
	struct custody_ref_body ref;

	if (c->leaves_material)
		return forget_enrolment(g, ask_id, out);
	ref = grants_custody_ref(g, delegation);
	return outbox_put(out, MSG_MATERIAL_REMOVE, ask_id, &ref);
}

enum err
grants_on_material_removed(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct custody_result_body *b = &in->body->custody_result;
	struct command *c = grants_command(g, in->ask_id);
	enum err e = (enum err)b->error;

	if (c == NULL)
		return OK;
	if (e != OK)
		return grants_end_refused(g, in->ask_id, e, custody_detail_text(b->detail), out);
	if (b->purpose == CUSTODY_PROFILE)
		return grants_profile_material_removed(g, in->ask_id, c, out);
	return forget_enrolment(g, in->ask_id, out);
}
