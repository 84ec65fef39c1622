/* The owner enables the remote profile, or disables it. */
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/custody.h"

/* backend: the custody that it is to get; "" for none that is new. */
static enum err
check_enable(struct grants *g, const struct enable_ask_body *b, char backend[BACKEND_NAME_MAX + 1])
{
	enum err e = grants_check_sudo(g, &b->peer);

	if (e != OK)
		return e;
	if (!g->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
	if (b->backend.len == 0)
		return OK;
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	memcpy(backend, b->backend.p, b->backend.len);
	backend[b->backend.len] = '\0';
	if ((e = custody_supported(backend)) != OK || !g->profile.enrolled)
		return e;
	/* It has that one already; another is to be removed first. */
	if (strcmp(backend, g->profile.enrolment.backend) != 0)
		return ERR_ALREADY_ENABLED;
	backend[0] = '\0';
	return OK;
}

/* The key is known: a custody for it first, if one is wanted, then the record. */
static enum err
go_on(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out)
{
	return c->backend[0] != '\0' ? grants_profile_enrol(g, ask_id, c, out) : grants_keep_record(g, ask_id, LOG_CONFIG, out);
}

/* What widens waits for its record: enabled, and at the first time with a key. */
enum err
grants_on_profile_enable(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct enable_ask_body *b = &in->body->enable_ask;
	struct library_body library = { .library = g->library.library };
	char backend[BACKEND_NAME_MAX + 1] = "";
	struct command *c;
	enum err e;

	if ((e = check_enable(g, b, backend)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	c->config = CONFIG_PROFILE_ENABLED;
	memcpy(c->backend, backend, sizeof c->backend);
	if (!g->profile.exists)
		return outbox_put(out, MSG_PROFILE_KEY_MAKE, in->ask_id, &library);
	memcpy(c->sealed_profile, g->profile.record.sealed, sizeof c->sealed_profile);
	return go_on(g, in->ask_id, c, out);
}

enum err
grants_on_profile_key_made(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);

	if (c == NULL)
		return OK;
	/* Another enable may have been first. */
	memcpy(c->sealed_profile, g->profile.exists ? g->profile.record.sealed : in->body->profile_key.sealed,
	    sizeof c->sealed_profile);
	return go_on(g, in->ask_id, c, out);
}

/* What enrolment loaded into the keyring goes again. */
static enum err
give_up_enable(struct grants *g, uint64_t ask_id, const struct command *c, enum err why, struct outbox *out)
{
	if (c->backend[0] != '\0')
		(void)outbox_put(out, MSG_KEYS_DROP, ask_id, &(struct keys_drop_body){ .profile = 1 });
	return grants_end(g, ask_id, why, NOTHING_MADE, out);
}

static enum err
finish_enable(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out)
{
	struct profile_record r = g->profile.record;
	enum err e = OK;

	if (!g->profile.exists) {
		r = (struct profile_record){ .enabled = true };
		memcpy(r.sealed, c->sealed_profile, sizeof r.sealed);
	}
	r.enabled = true;
	if (c->backend[0] != '\0') {
		memcpy(r.sealed_custody, c->sealed_custody, sizeof r.sealed_custody);
		e = grants_profile_keep_enrolment(g, c);
	}
	if (e != OK || (e = grants_profile_keep(g, &r)) != OK)
		return give_up_enable(g, ask_id, c, e, out);
	g->profile.want_load = true;
	g->profile.retry.ms = 0;
	if ((e = grants_profile_open(g, out)) != OK || (e = grants_profile_try_load(g, out)) != OK ||
	    (e = grants_profile_tell(g, false, out)) != OK)
		return e;
	/* What its owner does next finds it open. */
	c->waits_for_profile = g->profile.opening != 0;
	return c->waits_for_profile ? OK : grants_end(g, ask_id, OK, NOTHING_MADE, out);
}

enum err
grants_finish_profile(struct grants *g, uint64_t ask_id, struct command *c, enum err recorded, struct outbox *out)
{
	struct profile_record r = g->profile.record;
	enum err e = recorded;

	if (c->type == MSG_PROFILE_ENABLE_WANTED) {
		return e == OK ? finish_enable(g, ask_id, c, out) : give_up_enable(g, ask_id, c, e, out);
	}
	r.maintenance = false;
	memset(r.message, 0, sizeof r.message);
	if (e == OK && (e = grants_profile_keep(g, &r)) == OK)
		e = grants_profile_tell(g, true, out);
	return grants_end(g, ask_id, e, NOTHING_MADE, out);
}

struct settled {
	struct outbox *out;
	enum err       why;
};

static bool
waits_for_profile(const void *arg, const void *value)
{
	const struct command *c = value;

	(void)arg;
	return c->waits_for_profile;
}

static void
settle(void *arg, uint64_t ask_id, void *value)
{
	const struct settled *s = arg;

	(void)value;
	if (s->why == OK)
		(void)grants_done(s->out, ask_id, NOTHING_MADE);
	else
		(void)grants_refuse(s->out, ask_id, s->why);
}

void
grants_profile_settled(struct grants *g, enum err why, struct outbox *out)
{
	pending_fail_some(g->commands, waits_for_profile, settle, &(struct settled){ out, why });
}

/* At once, and told to the log. Over when nobody has the key any more. */
enum err
grants_on_profile_disable(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct peer_body *peer = &in->body->disable_ask.peer;
	struct profile_record r = g->profile.record;
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, peer)) == OK && (!g->profile.exists || (!r.enabled && !g->profile.enrolled)))
		e = ERR_PROFILE_OFF;
	r.enabled = false;
	if (e != OK || (e = grants_profile_keep(g, &r)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_event_config(g, out, CONFIG_PROFILE_DISABLED, NOTHING_MADE, peer)) != OK ||
	    (e = grants_profile_drop(g, in->ask_id, out)) != OK ||
	    (e = grants_begin(in, g, peer, out, &c)) != OK || c == NULL)
		return e;
	c->leaves_material = in->body->disable_ask.leave;
	return outbox_put(out, MSG_KEYS_DROP, in->ask_id, &(struct keys_drop_body){ .profile = 1, .closes = 1 });
}

static bool
is_disabled(const struct grants *g, const struct command *c)
{
	return c->type == MSG_PROFILE_DISABLE_WANTED && c->keys_dropped && c->material_gone &&
	    g->profile.dropping == 0;
}

static enum err
disable_step(struct grants *g, uint64_t ask_id, const struct command *c, struct outbox *out)
{
	return is_disabled(g, c) ? grants_end(g, ask_id, OK, NOTHING_MADE, out) : OK;
}

/* Last the custody's part, if there is one. A further disable does that again. */
enum err
grants_profile_keys_dropped(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out)
{
	uint8_t delegation[DELEGATION_LEN];
	struct custody_ref_body ref;

	if (g->profile.enrolled && c->leaves_material)
		return grants_profile_material_removed(g, ask_id, c, out);
	if (g->profile.enrolled) {
		ref = grants_profile_custody_ref(g, delegation);
		return outbox_put(out, MSG_MATERIAL_REMOVE, ask_id, &ref);
	}
	c->material_gone = true;
	return disable_step(g, ask_id, c, out);
}

enum err
grants_profile_material_removed(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out)
{
	enum err e = grants_profile_forget_enrolment(g);

	if (e != OK)
		return grants_end(g, ask_id, e, NOTHING_MADE, out);
	c->material_gone = true;
	return disable_step(g, ask_id, c, out);
}

struct going {
	const struct grants *grants;
	struct outbox       *out;
};

static bool
waits_for_process(const void *arg, const void *value)
{
	const struct going *going = arg;

	return is_disabled(going->grants, value);
}

static void
done(void *arg, uint64_t ask_id, void *value)
{
	const struct going *going = arg;

	(void)value;
	(void)grants_done(going->out, ask_id, NOTHING_MADE);
}

void
grants_profile_gone(struct grants *g, struct outbox *out)
{
	grants_locks_go_on(g, out);
	pending_fail_some(g->commands, waits_for_process, done, &(struct going){ g, out });
}
