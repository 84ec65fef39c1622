/* The owner's commands: library, password, sudo, lock. */
#include <string.h>

#include "actors/grants_state.h"

enum err
grants_on_init(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct library_init_body *b = &in->body->library_init;
	struct library_record r = {
		.library = b->library, .device = b->device, .created = { b->created_wall_ms }, .device_member = true,
		.envelope = { .passes = b->kdf.passes, .memory_kib = b->kdf.memory_kib },
	};
	struct library_body library = { .library = b->library };
	struct command *c;
	enum err e;

	memcpy(r.log_public, b->log_public, sizeof r.log_public);
	memcpy(r.sealed_log_key, b->sealed_log_key, sizeof r.sealed_log_key);
	memcpy(r.envelope.salt, b->kdf.salt, sizeof r.envelope.salt);
	memcpy(r.envelope.sealed_root, b->sealed_root, sizeof r.envelope.sealed_root);
	memcpy(library.log_public, b->log_public, sizeof library.log_public);
	if ((e = grants_db_init_library(g->db, &r)) != OK || (e = grants_load_library(g)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if (!g->audit_up || !g->keyring_up)
		return grants_done(out, in->ask_id, r.library);
	/* Done once the log is there: what comes next wants to be recorded. */
	if ((e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	g->init_ask = in->ask_id;
	return outbox_put(out, MSG_LIBRARY, 0, &library);
}

static struct kdf_body
kdf_of(const struct envelope *envelope)
{
	struct kdf_body kdf = { .passes = envelope->passes, .memory_kib = envelope->memory_kib };

	memcpy(kdf.salt, envelope->salt, sizeof kdf.salt);
	return kdf;
}

enum err
grants_on_envelope(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct kdf_body kdf = kdf_of(&g->library.envelope);

	if (!g->initialized)
		return grants_refuse(out, in->ask_id, ERR_NOT_INITIALIZED);
	return outbox_put(out, MSG_ENVELOPE_FOUND, in->ask_id, &kdf);
}

static enum err
check_kek(const struct grants *g, enum msg type, const struct peer_body *peer)
{
	if (!g->initialized)
		return ERR_NOT_INITIALIZED;
	if (type == MSG_UNLOCK_WANTED)
		return OK;
	if (!g->unlocked)
		return ERR_LOCKED;
	return peer->terminal != 0 ? OK : ERR_TERMINAL_REQUIRED;
}

/* Unlock and sudo: the keyring tries the key that the password gave. */
enum err
grants_on_kek(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct kek_offer_body *offer = &in->body->kek_offer;
	struct kek_try_body try = {
		.load = in->type == MSG_UNLOCK_WANTED, .client_ask = offer->client_ask,
		.kdf = kdf_of(&g->library.envelope), .library = g->library.library,
	};
	struct command *c;
	enum err e;

	if ((e = check_kek(g, in->type, &offer->peer)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, &offer->peer, out, &c)) != OK || c == NULL)
		return e;
	memcpy(try.opener, offer->opener, sizeof try.opener);
	memcpy(try.boxed_kek, offer->boxed_kek, sizeof try.boxed_kek);
	memcpy(try.sealed_root, g->library.envelope.sealed_root, sizeof try.sealed_root);
	memcpy(try.sealed_log_key, g->library.sealed_log_key, sizeof try.sealed_log_key);
	return outbox_put(out, MSG_KEK_TRY, in->ask_id, &try);
}

enum err
grants_on_kek_tried(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	enum err e = (enum err)in->body->result.error;

	if (c == NULL)
		return OK;
	if (c->type == MSG_SUDO_WANTED && e == OK)
		e = sudo_give(&g->sudo, &c->peer, clock_mono());
	if (c->type == MSG_UNLOCK_WANTED || e == ERR_WRONG_PASSWORD)
		(void)grants_event(g, out, LOG_UNLOCK, e, &c->peer, NOTHING_MADE);
	return grants_end(g, in->ask_id, e, NOTHING_MADE, out);
}

enum err
grants_on_sudo_end(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;

	if (!g->initialized)
		return grants_refuse(out, in->ask_id, ERR_NOT_INITIALIZED);
	sudo_end(&g->sudo, &in->body->owner_ask.peer);
	return grants_done(out, in->ask_id, NOTHING_MADE);
}

static enum err
finish_resume(struct grants *g, uint64_t ask_id, enum err e, struct outbox *out)
{
	struct ban_state ban = ban_state(g->ban);
	enum err put;

	ban.manual_lock = false;
	/* A ban that the file still holds stands here too, though the log has lifted it. */
	if (e == OK)
		g->log_ban = (e = ban_set(g->ban, ban)) != OK;
	g->profile.want_load = g->profile.want_load || e == OK;
	if ((put = grants_end(g, ask_id, e, NOTHING_MADE, out)) != OK)
		return put;
	return grants_profile_try_load(g, out);
}

enum err
grants_keep_record(struct grants *g, uint64_t ask_id, enum log_type type, struct outbox *out)
{
	struct command *c = grants_command(g, ask_id);
	struct event_body event = grants_event_of(type, OK, &c->peer, type == LOG_GRANT ? c->id : NOTHING_MADE);

	if (type == LOG_GRANT)
		event.grant_type = (uint8_t)c->minted->type;
	event.config = (uint8_t)c->config;
	event.about = type == LOG_CONFIG ? c->id : NOTHING_MADE;
	c->waits_for_log = true;
	return grants_event_awaited(g, ask_id, &event, out) == OK ? OK : grants_recorded(g, ask_id, ERR_BUSY, out);
}

enum err
grants_recorded(struct grants *g, uint64_t ask_id, enum err e, struct outbox *out)
{
	struct command *c = grants_command(g, ask_id);

	if (c == NULL)
		return grants_consent_recorded(g, ask_id, e, out);
	c->waits_for_log = false;
	if (c->type == MSG_RESUME_WANTED)
		return finish_resume(g, ask_id, e, out);
	if (c->type == MSG_ENABLE_WANTED)
		return grants_finish_enable(g, ask_id, c, e, out);
	if (c->type == MSG_MINT_WANTED)
		return e == OK ? grants_finish_mint(g, ask_id, c, out) : grants_end(g, ask_id, e, NOTHING_MADE, out);
	if (c->type == MSG_PASSWD_WANTED || c->type == MSG_SETTING_WANTED)
		return e == OK ? grants_finish_setting(g, ask_id, c, out) : grants_end(g, ask_id, e, NOTHING_MADE, out);
	if (c->type == MSG_PROFILE_ENABLE_WANTED || c->type == MSG_MAINTENANCE_WANTED)
		return grants_finish_profile(g, ask_id, c, e, out);
	return c->type == MSG_LOCK_WANTED ? grants_lock_recorded(g, ask_id, c, e, out) : OK;
}

/* A checkpoint on demand: audit makes it and answers the gate. */
enum err
grants_on_checkpoint_ordered(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	enum err e = grants_check_owner(g);

	if (e == OK && !g->audit_up)
		e = ERR_AUDIT_UNAVAILABLE;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	return outbox_put(out, MSG_CHECKPOINT_ALLOWED, in->ask_id, &(struct nothing_body){ 0 });
}
