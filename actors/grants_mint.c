/* Grants: minted, listed, revoked. */
#include <stdlib.h>
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/random.h"
#include "mailbox/utf8.h"

#define LABEL_CHARACTERS 64

/* One line of text, so that whoever prints it prints one. */
static bool
is_label(struct span label)
{
	size_t n = 0, len = 0;
	uint32_t point;

	for (size_t at = 0; at < label.len; at += len, n++)
		if ((len = utf8_take(label.p + at, label.len - at, &point)) == 0 || point < 0x20 || point == 0x7f)
			return false;
	return n <= LABEL_CHARACTERS;
}

static bool
are_vaults(struct span vaults)
{
	size_t n = vaults.len / UUID_LEN;

	if (vaults.len % UUID_LEN != 0 || n < 1 || n > GRANT_VAULTS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (memcmp(vaults.p + i * UUID_LEN, vaults.p + j * UUID_LEN, UUID_LEN) == 0)
				return false;
	return true;
}

/* An ordinary grant reaches ordinary memories and cards and nothing else, whatever was asked for. */
static bool
is_scope(const struct mint_ask_body *b)
{
	if (b->grant_type == GRANT_ORDINARY)
		return b->classes == 1u << CLASS_ORDINARY && b->may_propose <= 1;
	return b->grant_type == GRANT_UNATTENDED && b->classes != 0 && b->classes >> CLASS__COUNT == 0 && b->may_propose == 0;
}

static bool
is_term(uint64_t expires_wall_ms)
{
	uint64_t now = clock_wall().ms;

	return expires_wall_ms == 0 || (expires_wall_ms > now && expires_wall_ms - now <= GRANT_TERM_MAX_MS);
}

static enum err
check_unattended(const struct grants *g)
{
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	if (!g->enrolled)
		return ERR_NOT_ENABLED;
	return g->loaded ? OK : ERR_UNATTENDED_NOT_LOADED;
}

static enum err
check_mint(struct grants *g, const struct mint_ask_body *b)
{
	enum err e = grants_check_sudo(g, &b->peer);

	if (e == OK && b->grant_type == GRANT_UNATTENDED)
		e = check_unattended(g);
	if (e != OK)
		return e;
	if (!g->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
	return is_scope(b) && is_term(b->expires_wall_ms) && is_label(b->label) && are_vaults(b->vaults) ? OK
	    : ERR_INVALID_ARGUMENT;
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

static enum err
begin_grant(const struct grants *g, struct uuid id, const struct mint_ask_body *b, struct grant_record **out)
{
	struct grant_record *r = calloc(1, sizeof *r);

	if (r == NULL)
		return ERR_NO_MEMORY;
	r->grant = id;
	r->type = (enum grant_type)b->grant_type;
	r->revision = 1;
	r->life = (struct grant_life){ .created = clock_wall(), .expires = { b->expires_wall_ms },
	    .boot = g->boot, .minted = clock_mono() };
	r->classes = b->classes;
	r->may_propose = b->may_propose;
	if (b->label.len > 0)
		memcpy(r->label, b->label.p, b->label.len);
	sha256(b->token_id, sizeof b->token_id, r->token_hash);
	*out = r;
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
	if ((e = begin_grant(g, wanted.grant, b, &c->minted)) != OK)
		return grants_end(g, in->ask_id, e, NOTHING_MADE, out);
	c->id = wanted.grant;
	wanted.wraps = wire_written(&o);
	return outbox_put(out, MSG_GRANT_KEYS_WANTED, in->ask_id, &wanted);
}

/* The wraps that the keyring made. */
static enum err
add_vaults(struct grant_record *r, struct span wraps)
{
	struct wire_in in = wire_in(wraps.p, wraps.len);

	while (in.len > 0 && !in.failed && r->n_vaults < GRANT_VAULTS_MAX) {
		struct grant_vault *v = &r->vaults[r->n_vaults++];
		struct vault_keys_made_body made;

		vault_keys_made_body_take(&in, &made);
		v->vault = made.vault;
		v->classes = r->classes;
		memcpy(v->sealed, made.sealed, sizeof v->sealed);
	}
	return wire_done(&in) ? OK : ERR_INTERNAL;
}

/* A disable may have come in between; of an ordinary grant it says nothing. */
static enum err
may_keep(const struct grants *g, const struct grant_record *r)
{
	if (r->type == GRANT_ORDINARY)
		return OK;
	return !g->enrolled ? ERR_NOT_ENABLED : ban_state(g->ban).disabled ? ERR_BANNED : OK;
}

enum err
grants_on_grant_keys(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	enum err e;

	if (c == NULL || c->minted == NULL || c->minted->n_vaults != 0)
		return OK;
	if ((e = may_keep(g, c->minted)) == OK)
		e = add_vaults(c->minted, in->body->grant_keys_made.wraps);
	return e == OK ? grants_keep_record(g, in->ask_id, LOG_GRANT, out) : grants_end(g, in->ask_id, e, NOTHING_MADE, out);
}

enum err
grants_finish_mint(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out)
{
	struct uuid grant = c->id;
	enum err e;

	if ((e = may_keep(g, c->minted)) == OK)
		e = grants_db_add_grant(g->db, c->minted);
	if (e == OK && c->minted->life.expires.ms != 0)
		g->expiry = clock_mono();
	if (e != OK)
		(void)grants_event(g, out, LOG_GRANT, e, &c->peer, grant);
	return grants_end(g, ask_id, e, grant, out);
}

static void
put_grant_row(const struct grants *g, const struct grant_record *r, struct wire_out *o)
{
	uint8_t vaults[GRANT_VAULTS_MAX * UUID_LEN];
	struct wire_out v = wire_out(vaults, sizeof vaults);
	struct grant_row_body row = {
		.grant = r->grant, .created_wall_ms = r->life.created.ms, .expires_wall_ms = r->life.expires.ms,
		.grant_type = (uint8_t)r->type, .classes = r->classes, .may_propose = r->may_propose,
		.label = { (const uint8_t *)r->label, strlen(r->label) },
	};
	uint64_t left;

	row.expired = grants_lasts(&r->life, clock_wall(), clock_mono(), g->boot, &left) == GRANT_OVER;

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
	enum err e = grants_db_list(g->db, (enum grant_type)b->grant_type, b->offset, b->limit, rows, &n, &more);

	if (e != OK)
		return grants_refuse(out, in->ask_id, e);
	for (size_t i = 0; i < n; i++)
		put_grant_row(g, &rows[i], &o);
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
	enum { ROWS = 100, PAGE_BYTES = ROWS * 1240 };
	struct grants *g = self;
	const struct grants_ask_body *b = &in->body->grants_ask;
	struct grant_record *rows;
	uint8_t *buf;
	enum err e;

	if ((e = grants_check_sudo(g, &b->peer)) == OK &&
	    (b->limit < 1 || b->limit > ROWS || !grant_type_known(b->grant_type)))
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

enum err
grants_on_revoke(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct revoke_ask_body *b = &in->body->revoke_ask;
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, &b->peer)) != OK || 
	    (e = grants_db_revoke(g->db, (enum grant_type)b->grant_type, b->grant)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_events_again(g, out)) != OK ||
	    (e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	return outbox_put(out, MSG_GRANT_DROP, in->ask_id, &(struct one_id_body){ .id = b->grant });
}

enum err
grants_on_grant_dropped(void *self, const struct inbound *in, struct outbox *out)
{
	return grants_end(self, in->ask_id, OK, NOTHING_MADE, out);
}
