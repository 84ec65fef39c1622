#include <stdlib.h>
#include <string.h>

#include "actors/grants.h"
#include "actors/grants_state.h"
#include "escrow/hash.h"

#define GRANTS_DIR "grants"
#define BAN_FILE   "grants/ban"

/* How long a start waits for keyring and log before it calls itself started all the same. */
#define PATIENCE_MS 3000

static enum err on_state_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_keyring_state(void *self, const struct inbound *in, struct outbox *out);
static enum err on_log_ban(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_RULING_WANTED, grants_on_ruling_wanted },
	{ MSG_STATE_WANTED, on_state_wanted },
	{ MSG_INIT_WANTED, grants_on_init },
	{ MSG_ENVELOPE_WANTED, grants_on_envelope },
	{ MSG_UNLOCK_WANTED, grants_on_kek },
	{ MSG_SUDO_WANTED, grants_on_kek },
	{ MSG_SUDO_END_WANTED, grants_on_sudo_end },
	{ MSG_KEK_TRIED, grants_on_kek_tried },
	{ MSG_LOCK_WANTED, grants_on_lock },
	{ MSG_SLEEP_WANTED, grants_on_sleep },
	{ MSG_KEYS_DROPPED, grants_on_keys_dropped },
	{ MSG_EVENT_KEPT, grants_on_event_kept },
	{ MSG_PASSWD_WANTED, grants_on_passwd },
	{ MSG_REWRAPPED, grants_on_rewrapped },
	{ MSG_SETTING_WANTED, grants_on_setting },
	{ MSG_DEVICE_WANTED, grants_on_device },
	{ MSG_VAULT_WANTED, grants_on_vault },
	{ MSG_VAULT_KEYS, grants_on_vault_keys },
	{ MSG_KEYS_NOT_MADE, grants_on_keys_not_made },
	{ MSG_VAULT_REMOVE_WANTED, grants_on_vault_remove },
	{ MSG_PROPOSAL_DROP_WANTED, grants_on_proposal_drop },
	{ MSG_ENABLE_WANTED, grants_on_enable },
	{ MSG_MATERIAL_STORED, grants_on_material_stored },
	{ MSG_MATERIAL_REFUSED, grants_on_material_refused },
	{ MSG_KEY_LOADED, grants_on_key_loaded },
	{ MSG_MATERIAL_REMOVED, grants_on_material_removed },
	{ MSG_MINT_WANTED, grants_on_mint },
	{ MSG_GRANT_KEYS, grants_on_grant_keys },
	{ MSG_GRANTS_WANTED, grants_on_list },
	{ MSG_RESUME_WANTED, grants_on_resume },
	{ MSG_REVOKE_WANTED, grants_on_revoke },
	{ MSG_GRANT_DROPPED, grants_on_grant_dropped },
	{ MSG_DISABLE_WANTED, grants_on_disable },
	{ MSG_REPAIR_WANTED, grants_on_repair },
	{ MSG_INDEX_ASK, grants_on_index_ask },
	{ MSG_INDEX_DROPPED, grants_on_index_dropped },
	{ MSG_PROFILE_ENABLE_WANTED, grants_on_profile_enable },
	{ MSG_PROFILE_KEY_MADE, grants_on_profile_key_made },
	{ MSG_PROFILE_DISABLE_WANTED, grants_on_profile_disable },
	{ MSG_MAINTENANCE_WANTED, grants_on_maintenance },
	{ MSG_PROFILE_STATE_WANTED, grants_on_profile_state },
	{ MSG_PROFILE_OPENED, grants_on_profile_opened },
	{ MSG_PROFILE_NOT_OPENED, grants_on_profile_not_opened },
	{ MSG_PROFILE_DROPPED, grants_on_profile_dropped },
	{ MSG_HTTP_LISTENS, grants_on_http_listens },
	{ MSG_KEYRING_STATE, on_keyring_state },
	{ MSG_LOG_BAN, on_log_ban },
	{ MSG_GRANTS_HEAD, grants_on_head },
	{ MSG_CHECKPOINT_ORDERED, grants_on_checkpoint_ordered },
	{ MSG_HTTP_ASK, grants_on_http_ask },
	{ MSG_TOKEN_CHECK, grants_on_token_check },
	{ MSG_CLIENT_WANTED, grants_on_client_wanted },
	{ MSG_CONSENT, grants_on_consent },
	{ MSG_CODE_REDEEM, grants_on_code_redeem },
	{ MSG_TOKEN_REFRESH, grants_on_token_refresh },
	{ MSG_TOKEN_REVOKE, grants_on_token_revoke },
	{ MSG_CONNECTIONS_WANTED, grants_on_connections },
	{ MSG_REDUCE_WANTED, grants_on_reduce },
	{ MSG_CHECKPOINT_OVER, grants_on_checkpoint_over },
};

static void
forget(void *arg, uint64_t ask_id, void *value)
{
	struct command *c = value;

	(void)arg;
	(void)ask_id;
	free(c->minted);
}

static void
grants_stop(void *self)
{
	struct grants *g = self;

	if (g == NULL)
		return;
	if (g->commands != NULL)
		pending_fail_all(g->commands, forget, NULL);
	pending_free(&g->commands);
	grants_oauth_stop(g);
	ban_close(&g->ban);
	if (g->db != NULL)
		(void)grants_db_keep_anchor(g->db);
	grants_db_close(&g->db);
	key_free(&g->ruling_key);
	free(g);
}

enum err
grants_load_library(struct grants *g)
{
	enum err e = grants_db_library(g->db, &g->library);

	if (e == ERR_NOT_INITIALIZED)
		return OK;
	if (e != OK)
		return e;
	g->initialized = true;
	if ((e = grants_db_enrolment(g->db, CUSTODY_UNATTENDED, &g->enrolment)) != OK && e != ERR_NOT_ENABLED)
		return e;
	g->enrolled = e == OK;
	return grants_profile_load(g);
}

static enum err
take_ruling_key(struct grants *g, const struct actor_context *context)
{
	struct key *pair = NULL;
	enum err e;

	if ((e = key_of(context->pair_key(context->host, ACTOR_KEYRING), &pair)) != OK)
		return e;
	if ((e = key_new(&g->ruling_key)) == OK)
		derive(pair, "memories/ruling-key/v1", (struct span){ NULL, 0 }, g->ruling_key);
	key_free(&pair);
	return e;
}

static enum err
grants_start(const struct actor_context *context, void **self)
{
	struct grants *g = calloc(1, sizeof *g);
	enum err e;

	if (g == NULL)
		return ERR_NO_MEMORY;
	g->settings = context->settings;
	g->want_load = g->profile.want_load = true;
	/* Other ids than those of a predecessor, whose answers may still be on their way. */
	g->own_asks = (uint64_t)clock_mono().ms << 12;
	g->patience.ms = clock_mono().ms + PATIENCE_MS;
	g->boot = clock_boot();
	g->expiry = clock_mono();
	if ((e = take_ruling_key(g, context)) != OK ||
	    (e = pending_new(COMMANDS_MAX, sizeof(struct command), &g->commands)) != OK ||
	    (e = grants_db_open(GRANTS_DIR, &g->db)) != OK ||
	    (e = ban_open(BAN_FILE, &g->ban)) != OK ||
	    (e = grants_load_library(g)) != OK ||
	    (e = grants_oauth_start(g)) != OK) {
		grants_stop(g);
		return e;
	}
	*self = g;
	return OK;
}

enum err
grants_check_unlocked(const struct grants *g)
{
	if (!g->initialized)
		return ERR_NOT_INITIALIZED;
	return g->unlocked && g->locking == 0 ? OK : ERR_LOCKED;
}

enum err
grants_check_owner(struct grants *g)
{
	enum err e = grants_check_unlocked(g);

	if (e == OK)
		grants_owner_was_here(g);
	return e;
}

enum err
grants_check_sudo(struct grants *g, const struct peer_body *peer)
{
	enum err e = grants_check_owner(g);

	if (e != OK)
		return e;
	return sudo_has(&g->sudo, peer, clock_mono()) ? OK : ERR_SUDO_REQUIRED;
}

bool
grants_banned(const struct grants *g)
{
	struct ban_state s = ban_state(g->ban);

	return s.manual_lock || s.disabled || g->log_ban;
}

struct uuid
terminal_tag(const struct peer_body *peer)
{
	uint8_t buf[64], hash[SHA256_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct peer_body p = *peer;
	struct uuid tag;

	p.pid = 0;
	peer_body_put(&o, &p);
	sha256(buf, o.len, hash);
	memcpy(tag.b, hash, UUID_LEN);
	return tag;
}

struct event_body
grants_event_of(enum log_type type, enum err outcome, const struct peer_body *peer, struct uuid grant)
{
	struct event_body b = {
		.type = (uint8_t)type, .surface = SURFACE_OWNER, .error = (uint16_t)outcome,
		.outcome = outcome == OK ? LOG_DONE : LOG_REFUSED,
		.subject_kind = LOG_GRANT_ID, .subject = grant,
	};

	if (uuid_is_zero(grant)) {
		b.subject_kind = LOG_TERMINAL;
		b.subject = terminal_tag(peer);
	}
	return b;
}

static enum err
why_not_loaded(const struct grants *g)
{
	if (g->loaded || !g->initialized)
		return OK;
	if (!g->enrolled)
		return ERR_NOT_ENABLED;
	if (grants_banned(g))
		return ERR_BANNED;
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	if (!g->library.device_member)
		return ERR_DEVICE_REMOVED;
	return g->load_error != OK ? g->load_error : ERR_UNATTENDED_NOT_LOADED;
}

void
grants_state_of(const struct grants *g, struct state_body *s)
{
	struct ban_state ban = ban_state(g->ban);

	*s = (struct state_body){
		.initialized = g->initialized, .unlocked = g->unlocked, .enrolled = g->enrolled,
		.loaded = g->loaded, .unattended_error = (uint16_t)why_not_loaded(g),
		.unattended_detail = why_not_loaded(g) == g->load_error ? g->load_detail : 0,
		.manual_lock = ban.manual_lock || g->log_ban, .inhibited = grants_banned(g),
		.sleep_word = (uint8_t)grants_sleep_word(g), .profile_phase = (uint8_t)grants_profile_phase(g),
	};
	if (!g->initialized)
		return;
	s->library = g->library.library;
	memcpy(s->log_public, g->library.log_public, sizeof s->log_public);
	if (g->enrolled)
		s->backend = (struct span){ (const uint8_t *)g->enrolment.backend, strlen(g->enrolment.backend) };
}

static enum err
on_state_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct state_body s;

	grants_state_of(self, &s);
	return outbox_put(out, MSG_STATE, in->ask_id, &s);
}

static enum err
on_keyring_state(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	bool was_unlocked = g->unlocked;

	if (!g->unlocked && in->body->keyring_state.unlocked)
		grants_owner_was_here(g);
	g->unlocked = in->body->keyring_state.unlocked;
	g->loaded = in->body->keyring_state.loaded;
	g->profile.loaded = in->body->keyring_state.profile_loaded;
	/* Both of its keys went, and by no lock that told it. */
	if (g->profile.opened && !g->unlocked && !g->profile.loaded)
		(void)grants_profile_drop(g, grants_own_ask(g), out);
	g->profile.closing = false;
	if (g->unlocked != was_unlocked)
		(void)grants_search_tell(g, out);
	(void)grants_profile_open(g, out);
	(void)grants_profile_tell(g, false, out);
	(void)grants_profile_try_load(g, out);
	return grants_try_load(g, out);
}

/* A durable lock record bans as the file does, and outlives a file that could not be written. */
static enum err
on_log_ban(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;

	g->log_known = true;
	g->log_ban = in->body->log_ban.manual_lock;
	if (g->init_ask != 0 && grants_end(g, g->init_ask, OK, g->library.library, out) == OK)
		g->init_ask = 0;
	(void)grants_events_again(g, out);
	(void)grants_profile_try_load(g, out);
	return grants_try_load(g, out);
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct grants *g = self;
	struct library_body library = { .library = g->library.library };

	if (other == ACTOR_AUDIT) {
		g->audit_up = up;
		g->log_known = false;
		if (!up) {
			(void)grants_lock_without_checkpoint(g, out);
			grants_commands_without_log(g, out);
		}
		grants_events_edge(g);
		if (up)
			grants_anchor_tell(g, out);
		memcpy(library.log_public, g->library.log_public, sizeof library.log_public);
		if (up && g->initialized)
			(void)outbox_put(out, MSG_LIBRARY, 0, &library);
	}
	if (other == ACTOR_KEYRING) {
		g->keyring_up = up;
		g->want_load = true;
		g->retry.ms = 0;
		if (!up) {
			/* Its keys are gone with it. */
			g->unlocked = g->loaded = g->loading = false;
			g->locking = 0;
			sudo_end_all(&g->sudo);
			grants_commands_without_keyring(g, out);
			(void)grants_search_tell(g, out);
		}
	}
	if (other == ACTOR_SEARCH)
		grants_search_edge(g, up, out);
	if (other == ACTOR_PROFILE || other == ACTOR_HTTP || other == ACTOR_KEYRING)
		grants_profile_edge(g, other, up, out);
	grants_oauth_edge(g, other, up, out);
	if (other == ACTOR_GATE && up && g->started)
		(void)outbox_put(out, MSG_STARTED, 0, &(struct nothing_body){ 0 });
}

static struct mono_ms
on_tick(void *self, struct mono_ms now, struct outbox *out)
{
	struct grants *g = self;
	struct mono_ms next;

	grants_commands_expire(g, now, out);
	(void)grants_lock_tick(g, now, out);
	(void)grants_search_tick(g, now, out);
	(void)grants_profile_tick(g, now, out);
	(void)grants_profile_load_tick(g, now, out);
	(void)grants_idle_tick(g, now, out);
	(void)grants_load_tick(g, now, out);
	(void)grants_events_tick(g, now, out);
	(void)grants_expiry_tick(g, now, out);
	grants_anchor_tick(g, now);
	next = pending_next(g->commands);
	next = mono_sooner(next, grants_oauth_tick(g, now, out));
	next = mono_sooner(next, g->expiry);
	if (!g->started)
		next = mono_sooner(next, g->patience);
	if (g->locking != 0)
		next = mono_sooner(next, g->locking_until);
	next = mono_sooner(next, grants_idle_ends(g));
	if (g->search.dropping != 0)
		next = mono_sooner(next, g->search.drop_until);
	next = mono_sooner(next, grants_profile_next(g));
	next = mono_sooner(next, grants_profile_load_next(g));
	next = mono_sooner(next, g->events.retry);
	if (g->want_load)
		next = mono_sooner(next, g->retry);
	if (g->loading)
		next = mono_sooner(next, g->load_ends);
	return next;
}

const struct actor_spec grants_actor = {
	.id = ACTOR_GRANTS,
	.start = grants_start,
	.stop = grants_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.on_tick = on_tick,
};
