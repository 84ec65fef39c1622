/* Unattended access: enrolment, key-only start, grants, the ban. */
#include <stdlib.h>
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/custody.h"
#include "escrow/random.h"

/* While custody only says locked or unavailable, it is asked again so often. */
#define RETRY_MS 60000

/* A part of the daemon that is coming up is asked again at once. */
#define RETRY_SOON_MS 100

#define LOAD_MS 5000

static const struct uuid nothing_made;

static struct custody_ref_body
custody_ref(const struct grants *g, uint8_t delegation[DELEGATION_LEN])
{
	const struct enrolment_record *r = &g->enrolment;
	struct custody_ref_body ref = {
		.enrolment = r->enrolment, .library = g->library.library,
		.backend = { (const uint8_t *)r->backend, strlen(r->backend) },
	};
	struct wire_out o = wire_out(delegation, DELEGATION_LEN);

	memcpy(ref.sealed_unattended, r->sealed_unattended, sizeof ref.sealed_unattended);
	memcpy(ref.sealed_delegate, r->sealed_delegate, sizeof ref.sealed_delegate);
	delegation_put(&o, &r->delegation);
	ref.delegation = wire_written(&o);
	return ref;
}

static enum err
start_ended(struct grants *g, enum err why, struct outbox *out)
{
	bool soon = why == ERR_INTERRUPTED, later = why == ERR_CUSTODY_LOCKED || why == ERR_CUSTODY_UNAVAILABLE;

	g->loading = false;
	g->load_error = why;
	g->want_load = soon || later;
	g->retry.ms = g->want_load ? clock_mono().ms + (soon ? RETRY_SOON_MS : RETRY_MS) : 0;
	if (g->started || (soon && clock_mono().ms < g->patience.ms))
		return OK;
	g->started = true;
	return outbox_put(out, MSG_STARTED, 0, &(struct nothing_body){ 0 });
}

/* The id of an ask that begins here; the gate's have the high bit clear. */
static uint64_t
own_ask(struct grants *g)
{
	return ++g->own_asks | (uint64_t)1 << 63;
}

/* Nothing to load, or nothing that may be. */
static bool
nothing_to_load(const struct grants *g)
{
	return g->loaded || !g->initialized || !g->enrolled || grants_banned(g) ||
	    g->library.center_managed || !g->library.device_member;
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
		return start_ended(g, OK, out);
	if (!g->keyring_up || !g->log_known) {
		g->started = true;
		g->load_error = g->keyring_up ? ERR_AUDIT_UNAVAILABLE : ERR_INTERRUPTED;
		return outbox_put(out, MSG_STARTED, 0, &(struct nothing_body){ 0 });
	}
	g->loading = true;
	g->load_ends.ms = now.ms + LOAD_MS;
	ref = custody_ref(g, delegation);
	return outbox_put(out, MSG_MATERIAL_WANTED, own_ask(g), &ref);
}

enum err
grants_load_tick(struct grants *g, struct mono_ms now, struct outbox *out)
{
	if (g->loading && now.ms >= g->load_ends.ms)
		return start_ended(g, ERR_INTERRUPTED, out);
	return grants_try_load(g, out);
}

enum err
grants_on_material_refused(void *self, const struct inbound *in, struct outbox *out)
{
	return start_ended(self, (enum err)in->body->result.error, out);
}

/* A ban that came while custody was asked: its keys-drop went past the material. */
enum err
grants_on_key_loaded(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	enum err e = (enum err)in->body->result.error, put = OK;

	if (e == OK && grants_banned(g))
		put = outbox_put(out, MSG_KEYS_DROP, own_ask(g), &(struct keys_drop_body){ .unattended = 1 });
	return put != OK ? put : start_ended(g, e, out);
}

static enum err
check_enable(const struct grants *g, const struct enable_ask_body *b, char backend[BACKEND_NAME_MAX + 1])
{
	enum err e = grants_check_sudo(g, &b->peer);

	if (e != OK)
		return e;
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	if (g->enrolled)
		return ERR_ALREADY_ENABLED;
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

static enum err
keep_enrolment(struct grants *g, const struct custody_ref_body *ref)
{
	struct enrolment_record r = { .enrolment = ref->enrolment, .created = clock_wall() };
	struct wire_in in = wire_in(ref->delegation.p, ref->delegation.len);
	struct ban_state ban = ban_state(g->ban);
	enum err e;

	memcpy(r.backend, ref->backend.p, ref->backend.len);
	memcpy(r.sealed_unattended, ref->sealed_unattended, sizeof r.sealed_unattended);
	memcpy(r.sealed_delegate, ref->sealed_delegate, sizeof r.sealed_delegate);
	delegation_take(&in, &r.delegation);
	if (!wire_done(&in))
		return ERR_INTERNAL;
	/* Only the ban that disable set; never a manual lock's. First, while there is nothing to load. */
	ban.disabled = false;
	if ((e = ban_set(g->ban, ban)) != OK || (e = grants_db_put_enrolment(g->db, &r)) != OK)
		return e;
	g->enrolment = r;
	g->enrolled = true;
	return OK;
}

enum err
grants_on_material_stored(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	enum err e = (enum err)in->body->material_stored.error, drop;

	if (c == NULL)
		return OK;
	if (e == OK)
		e = keep_enrolment(g, &in->body->material_stored.ref);
	if (e == OK) {
		g->load_error = OK;
		(void)grants_event(g, out, LOG_ENABLE, OK, &c->peer, nothing_made);
	} else if ((drop = outbox_put(out, MSG_KEYS_DROP, in->ask_id, &(struct keys_drop_body){ .unattended = 1 })) != OK) {
		/* The command's deadline says it again. */
		return drop;
	}
	return grants_end(g, in->ask_id, e, nothing_made, out);
}

static enum err
check_mint(const struct grants *g, const struct mint_ask_body *b)
{
	enum err e = grants_check_sudo(g, &b->peer);
	size_t n = b->vaults.len / UUID_LEN;

	if (e != OK)
		return e;
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	if (!g->enrolled)
		return ERR_NOT_ENABLED;
	if (!g->loaded)
		return ERR_UNATTENDED_NOT_LOADED;
	if (b->vaults.len % UUID_LEN != 0 || n < 1 || n > GRANT_VAULTS_MAX)
		return ERR_INVALID_ARGUMENT;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (memcmp(b->vaults.p + i * UUID_LEN, b->vaults.p + j * UUID_LEN, UUID_LEN) == 0)
				return ERR_INVALID_ARGUMENT;
	return OK;
}

static enum err
put_root_wraps(struct grants *g, struct span vaults, struct wire_out *o)
{
	struct wire_in in = wire_in(vaults.p, vaults.len);
	struct vault_keys keys;
	enum err e;

	while (in.len > 0) {
		struct vault_keys_made_body v = { .vault = wire_take_id(&in) };

		if ((e = grants_db_vault_keys(g->db, v.vault, &keys)) != OK)
			return e;
		memcpy(v.sealed, keys.sealed, sizeof v.sealed);
		vault_keys_made_body_put(o, &v);
	}
	return OK;
}

enum err
grants_on_mint(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct mint_ask_body *b = &in->body->mint_ask;
	struct grant_keys_wanted_body wanted = { .grant = uuid_make(clock_wall()), .mint = *b };
	uint8_t wraps[20000];
	struct wire_out o = wire_out(wraps, sizeof wraps);
	struct command *c;
	enum err e;

	if ((e = check_mint(g, b)) != OK || (e = put_root_wraps(g, b->vaults, &o)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	c->id = wanted.grant;
	c->expires.ms = b->expires_wall_ms;
	sha256(b->token_id, sizeof b->token_id, c->token_hash);
	wanted.wraps = wire_written(&o);
	return outbox_put(out, MSG_GRANT_KEYS_WANTED, in->ask_id, &wanted);
}

/* The grant's record from the command that asked for it and the wraps that the keyring made. */
static enum err
keep_grant(struct grants *g, const struct command *c, struct span wraps)
{
	struct grant_record *r = calloc(1, sizeof *r);
	struct wire_in in = wire_in(wraps.p, wraps.len);
	enum err e;

	if (r == NULL)
		return ERR_NO_MEMORY;
	r->grant = c->id;
	r->revision = 1;
	r->created = clock_wall();
	r->expires = c->expires;
	memcpy(r->token_hash, c->token_hash, sizeof r->token_hash);
	while (in.len > 0 && !in.failed && r->n_vaults < GRANT_VAULTS_MAX) {
		struct grant_vault *v = &r->vaults[r->n_vaults++];
		struct vault_keys_made_body made;

		vault_keys_made_body_take(&in, &made);
		v->vault = made.vault;
		v->classes = (1u << CLASS__COUNT) - 1;
		memcpy(v->sealed, made.sealed, sizeof v->sealed);
	}
	e = wire_done(&in) ? grants_db_add_grant(g->db, r) : ERR_INTERNAL;
	free(r);
	return e;
}

enum err
grants_on_grant_keys(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	struct uuid grant;
	enum err e;

	if (c == NULL)
		return OK;
	grant = c->id;
	/* A disable may have come in between. */
	e = !g->enrolled ? ERR_NOT_ENABLED : ban_state(g->ban).disabled ? ERR_BANNED : OK;
	if (e == OK && (e = keep_grant(g, c, in->body->grant_keys_made.wraps)) == OK)
		(void)grants_event(g, out, LOG_GRANT, OK, &c->peer, grant);
	return grants_end(g, in->ask_id, e, grant, out);
}

static void
put_grant_row(const struct grant_record *r, struct wire_out *o)
{
	uint8_t vaults[GRANT_VAULTS_MAX * UUID_LEN];
	struct wire_out v = wire_out(vaults, sizeof vaults);
	struct grant_row_body row = {
		.grant = r->grant, .created_wall_ms = r->created.ms, .expires_wall_ms = r->expires.ms,
	};

	for (size_t i = 0; i < r->n_vaults; i++)
		wire_put_id(&v, r->vaults[i].vault);
	row.vaults = wire_written(&v);
	grant_row_body_put(o, &row);
}

static enum err
put_page(struct grants *g, const struct inbound *in, struct grant_record *rows, uint8_t *buf, size_t cap,
    struct outbox *out)
{
	const struct grants_ask_body *b = &in->body->grants_ask;
	struct grants_page_body page = { .offset = b->offset };
	struct wire_out o = wire_out(buf, cap);
	size_t n;
	bool more;
	enum err e = grants_db_list(g->db, b->offset, b->limit, rows, &n, &more);

	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	for (size_t i = 0; i < n; i++)
		put_grant_row(&rows[i], &o);
	grants_state_of(g, &page.state);
	page.more = more;
	page.n_rows = (uint16_t)n;
	page.rows = wire_written(&o);
	return outbox_put(out, MSG_USAGE_WANTED, in->ask_id, &page);
}

/* The grants' page goes on to audit, which knows when each was used. */
enum err
grants_on_list(void *self, const struct inbound *in, struct outbox *out)
{
	enum { ROWS = 100, PAGE_BYTES = ROWS * 1100 };
	struct grants *g = self;
	const struct grants_ask_body *b = &in->body->grants_ask;
	struct grant_record *rows;
	uint8_t *buf;
	enum err e;

	if ((e = grants_check_sudo(g, &b->peer)) == OK && (b->limit < 1 || b->limit > ROWS))
		e = ERR_INVALID_ARGUMENT;
	if (e == OK && !g->audit_up)
		e = ERR_AUDIT_UNAVAILABLE;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	rows = calloc(b->limit, sizeof *rows);
	buf = malloc(PAGE_BYTES);
	e = rows == NULL || buf == NULL ? grants_refuse(out, in->ask_id, ERR_NO_MEMORY)
	    : put_page(g, in, rows, buf, PAGE_BYTES, out);
	free(rows);
	free(buf);
	return e;
}

/* The record first: a crash in between leaves the ban, never a ban that comes back. */
enum err
grants_on_resume(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct peer_body *peer = &in->body->owner_ask.peer;
	struct event_body event = grants_event_of(LOG_RESUME, OK, peer, nothing_made);
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, peer)) == OK)
		e = g->library.center_managed ? ERR_CENTER_MANAGED : !g->enrolled ? ERR_NOT_ENABLED
		    : !g->audit_up ? ERR_AUDIT_UNAVAILABLE : OK;
	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, peer, out, &c)) != OK || c == NULL)
		return e;
	return outbox_put(out, MSG_EVENT_KEEP, in->ask_id, &event);
}

enum err
grants_on_revoke(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct owner_id_ask_body *b = &in->body->owner_id_ask;
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, &b->peer)) != OK || (e = grants_db_revoke(g->db, b->id)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_event(g, out, LOG_REVOKE, OK, &b->peer, b->id)) != OK ||
	    (e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	return outbox_put(out, MSG_GRANT_DROP, in->ask_id, &(struct one_id_body){ .id = b->id });
}

enum err
grants_on_grant_dropped(void *self, const struct inbound *in, struct outbox *out)
{
	return grants_end(self, in->ask_id, OK, nothing_made, out);
}

/* Ban, then grants, then the backend: each step may be repeated after a crash. */
enum err
grants_on_disable(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct peer_body *peer = &in->body->owner_ask.peer;
	struct ban_state ban = ban_state(g->ban);
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, peer)) == OK && !g->enrolled)
		e = ERR_NOT_ENABLED;
	ban.disabled = true;
	if (e != OK || (e = ban_set(g->ban, ban)) != OK || (e = grants_db_revoke_all(g->db)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_begin(in, g, peer, out, &c)) != OK || c == NULL)
		return e;
	return outbox_put(out, MSG_KEYS_DROP, in->ask_id, &(struct keys_drop_body){ .unattended = 1 });
}

enum err
grants_disable_clean(struct grants *g, uint64_t ask_id, struct outbox *out)
{
	uint8_t delegation[DELEGATION_LEN];
	struct custody_ref_body ref = custody_ref(g, delegation);

	return outbox_put(out, MSG_MATERIAL_REMOVE, ask_id, &ref);
}

enum err
grants_on_material_removed(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	enum err e = (enum err)in->body->result.error;

	if (c == NULL)
		return OK;
	if (e == OK && (e = grants_db_drop_enrolment(g->db)) == OK) {
		g->enrolled = false;
		(void)grants_event(g, out, LOG_DISABLE, OK, &c->peer, nothing_made);
	}
	return grants_end(g, in->ask_id, e, nothing_made, out);
}
