/* What the owner sets for the whole library: its password, who manages it, which devices are members. */
#include <string.h>

#include "actors/grants_state.h"

/* Waits for the log's word that it is recorded; then grants_finish_setting. */
static enum err
record_first(struct grants *g, uint64_t ask_id, struct outbox *out)
{
	if (!g->audit_up)
		return grants_end(g, ask_id, ERR_AUDIT_UNAVAILABLE, NOTHING_MADE, out);
	return grants_keep_record(g, ask_id, LOG_CONFIG, out);
}

enum err
grants_on_passwd(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct passwd_offer_body *offer = &in->body->passwd_offer;
	struct rewrap_body rewrap = { .offer = *offer, .library = g->library.library };
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, &offer->peer)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, &offer->peer, out, &c)) != OK || c == NULL)
		return e;
	c->config = CONFIG_PASSWORD;
	c->envelope = (struct envelope){ .passes = offer->kdf.passes, .memory_kib = offer->kdf.memory_kib };
	memcpy(c->envelope.salt, offer->kdf.salt, sizeof c->envelope.salt);
	return outbox_put(out, MSG_REWRAP, in->ask_id, &rewrap);
}

enum err
grants_on_rewrapped(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);

	if (c == NULL)
		return OK;
	memcpy(c->envelope.sealed_root, in->body->rewrapped.sealed_root, sizeof c->envelope.sealed_root);
	return record_first(g, in->ask_id, out);
}

static enum err
keep_library(struct grants *g, const struct library_record *r)
{
	enum err e = grants_db_put_library(g->db, r);

	if (e == OK)
		g->library = *r;
	return e;
}

/* What narrows is done at once, told to the log, and over when the unattended key is gone. */
static enum err
narrow(struct grants *g, uint64_t ask_id, struct command *c, const struct library_record *r, struct outbox *out)
{
	enum err e = keep_library(g, r);

	if (e != OK)
		return grants_end(g, ask_id, e, NOTHING_MADE, out);
	if ((e = grants_event_config(g, out, c->config, c->id, &c->peer)) != OK)
		return e;
	return outbox_put(out, MSG_KEYS_DROP, ask_id, &(struct keys_drop_body){ .unattended = 1, .profile = 1 });
}

static struct library_record
library_with(const struct grants *g, enum log_config what)
{
	struct library_record r = g->library;

	if (what == CONFIG_CENTER || what == CONFIG_NO_CENTER)
		r.center_managed = what == CONFIG_CENTER;
	else
		r.device_member = what == CONFIG_DEVICE_ADDED;
	return r;
}

static enum err
check_setting(struct grants *g, const struct setting_ask_body *b)
{
	enum err e;

	switch ((enum log_config)b->what) {
	case CONFIG_CENTER:
	case CONFIG_NO_CENTER:
		return grants_check_owner(g);
	case CONFIG_DEVICE_REMOVED:
	case CONFIG_DEVICE_ADDED:
		break;
	case CONFIG_NONE:
	case CONFIG_PASSWORD:
	case CONFIG_VAULT_REMOVED:
	case CONFIG_PROFILE_ENABLED:
	case CONFIG_PROFILE_DISABLED:
	case CONFIG_PROFILE_MAINTENANCE:
	case CONFIG_PROFILE_NO_MAINTENANCE:
	case CONFIG_CONNECTION_REDUCED:
	case CONFIG__COUNT:
		return ERR_INVALID_ARGUMENT;
	}
	if ((e = grants_check_sudo(g, &b->peer)) != OK)
		return e;
	return uuid_equal(b->id, g->library.device) ? OK : ERR_NOT_FOUND;
}

static bool
is_so_already(const struct grants *g, const struct library_record *r)
{
	return r->center_managed == g->library.center_managed && r->device_member == g->library.device_member;
}

enum err
grants_on_setting(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct setting_ask_body *b = &in->body->setting_ask;
	struct library_record r;
	struct command *c;
	enum err e;

	if ((e = check_setting(g, b)) != OK)
		return grants_refuse(out, in->ask_id, e);
	r = library_with(g, (enum log_config)b->what);
	if (is_so_already(g, &r))
		return grants_done(out, in->ask_id, NOTHING_MADE);
	if ((e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	c->config = (enum log_config)b->what;
	c->id = b->id;
	if (c->config == CONFIG_NO_CENTER || c->config == CONFIG_DEVICE_ADDED)
		return record_first(g, in->ask_id, out);
	return narrow(g, in->ask_id, c, &r, out);
}

enum err
grants_finish_setting(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out)
{
	struct library_record r = g->library;
	enum err e;

	if (c->config == CONFIG_PASSWORD) {
		r.envelope = c->envelope;
		sudo_end_all(&g->sudo);
	} else {
		r = library_with(g, c->config);
	}
	if ((e = keep_library(g, &r)) != OK)
		return grants_end(g, ask_id, e, NOTHING_MADE, out);
	g->want_load = g->want_load || c->config != CONFIG_PASSWORD;
	g->profile.want_load = g->profile.want_load || c->config != CONFIG_PASSWORD;
	if ((e = grants_end(g, ask_id, OK, NOTHING_MADE, out)) != OK)
		return e;
	(void)grants_profile_try_load(g, out);
	return grants_try_load(g, out);
}

enum err
grants_on_device(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	enum err e = grants_check_sudo(g, &in->body->owner_ask.peer);

	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	return outbox_put(out, MSG_DEVICE_FOUND, in->ask_id, &(struct device_body){ .device = g->library.device,
	    .member = g->library.device_member, .added_wall_ms = g->library.created.ms });
}
