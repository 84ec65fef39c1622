/* Grants: minted, listed, revoked. */
#include <stdlib.h>
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/random.h"

static enum err
check_mint(struct grants *g, const struct mint_ask_body *b)
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
	if (!g->audit_up)
		return ERR_AUDIT_UNAVAILABLE;
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
make_grant(const struct command *c, struct span wraps, struct grant_record **out)
{
	struct grant_record *r = calloc(1, sizeof *r);
	struct wire_in in = wire_in(wraps.p, wraps.len);

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
	if (!wire_done(&in)) {
		free(r);
		return ERR_INTERNAL;
	}
	*out = r;
	return OK;
}

/* A disable may have come in between. */
static enum err
may_keep(const struct grants *g)
{
	return !g->enrolled ? ERR_NOT_ENABLED : ban_state(g->ban).disabled ? ERR_BANNED : OK;
}

enum err
grants_on_grant_keys(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	struct command *c = grants_command(g, in->ask_id);
	enum err e;

	if (c == NULL || c->minted != NULL)
		return OK;
	if ((e = may_keep(g)) == OK)
		e = make_grant(c, in->body->grant_keys_made.wraps, &c->minted);
	return e == OK ? grants_keep_record(g, in->ask_id, LOG_GRANT, out) : grants_end(g, in->ask_id, e, NOTHING_MADE, out);
}

enum err
grants_finish_mint(struct grants *g, uint64_t ask_id, struct command *c, struct outbox *out)
{
	struct uuid grant = c->id;
	enum err e;

	if ((e = may_keep(g)) == OK)
		e = grants_db_add_grant(g->db, c->minted);
	if (e != OK)
		(void)grants_event(g, out, LOG_GRANT, e, &c->peer, grant);
	return grants_end(g, ask_id, e, grant, out);
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

enum err
grants_on_revoke(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct owner_id_ask_body *b = &in->body->owner_id_ask;
	struct command *c;
	enum err e;

	if ((e = grants_check_sudo(g, &b->peer)) != OK || (e = grants_db_revoke(g->db, b->id)) != OK)
		return grants_refuse(out, in->ask_id, e);
	if ((e = grants_events_again(g, out)) != OK ||
	    (e = grants_begin(in, g, &b->peer, out, &c)) != OK || c == NULL)
		return e;
	return outbox_put(out, MSG_GRANT_DROP, in->ask_id, &(struct one_id_body){ .id = b->id });
}

enum err
grants_on_grant_dropped(void *self, const struct inbound *in, struct outbox *out)
{
	return grants_end(self, in->ask_id, OK, NOTHING_MADE, out);
}
