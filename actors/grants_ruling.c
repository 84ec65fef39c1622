/*
 * The ruling: may this ask be answered, and from which keys. Deciding is apart
 * from saying, so that it can be tested with plain values.
 */
#include <stdlib.h>
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/binding.h"
#include "escrow/hash.h"

#define ALL_CLASSES ((1u << CLASS__COUNT) - 1)

/* What an ask may reach, and for whom the log will name it. */
struct decision {
	struct ruling_body ruling;
	uint8_t            wraps[CLASS__COUNT * (1 + SEALED_KEY_LEN)];
	uint8_t            vaults[GRANT_VAULTS_MAX * UUID_LEN];
	bool               authenticated;
};

static bool
is_set(const uint8_t id[32])
{
	static const uint8_t zero[32];

	return memcmp(id, zero, sizeof zero) != 0;
}

/* Puts the wrapped class keys that the classes allow. */
static void
add_wraps(struct decision *d, uint8_t classes, uint8_t sealed[CLASS__COUNT][SEALED_KEY_LEN])
{
	struct wire_out o = wire_out(d->wraps, sizeof d->wraps);

	d->ruling.classes = classes;
	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		struct wrap_body w = { .key_class = (uint8_t)c };

		if ((classes & 1u << c) == 0)
			continue;
		memcpy(w.sealed, sealed[c], SEALED_KEY_LEN);
		wrap_body_put(&o, &w);
	}
	d->ruling.wraps = wire_written(&o);
}

static bool
is_owners(enum op op)
{
	return op_known(op) && op != OP_PROPOSE &&
	    (!op_is_profile(op) || op == OP_PROFILE_LIST || op == OP_PROFILE_CHANGE);
}

/* A search may name a vault or, with none, means all. */
static void
set_scope(struct decision *d, struct uuid vault)
{
	if (d->ruling.ask.op != OP_SEARCH || uuid_is_zero(vault))
		return;
	memcpy(d->vaults, vault.b, UUID_LEN);
	d->ruling.vaults = (struct span){ d->vaults, UUID_LEN };
}

/* The owner's ask about a connection knows what that may be shown; one that is over is shown nothing more. */
static enum err
decide_profile(struct grants *g, const struct ask_body *ask, struct decision *d)
{
	struct connection_record c;
	enum err e = grants_profile_check(g);

	if (e != OK || uuid_is_zero(ask->vault))
		return e;
	if ((e = grants_db_connection(g->db, ask->vault, &c)) != OK)
		return e;
	if (c.end != CONNECTION_LIVES)
		return ask->op == OP_PROFILE_CHANGE ? ERR_NOT_FOUND : OK;
	d->ruling.categories = c.categories;
	return OK;
}

/*
 * The owner reaches every class, and credentials' bytes only with sudo. What
 * else of an answer needs it, the keyring sees by the ruling.
 */
static enum err
decide_owner(struct grants *g, const struct ask_body *ask, struct decision *d)
{
	bool all = ask->op == OP_VAULT_LIST || (ask->op == OP_SEARCH && uuid_is_zero(ask->vault));
	struct vault_keys keys;
	enum err e;

	d->ruling.subject_kind = LOG_TERMINAL;
	d->ruling.subject = terminal_tag(&ask->peer);
	if (ask->surface != SURFACE_OWNER || ask->grant_type != 0 || !is_owners((enum op)ask->op))
		return ERR_INVALID_ARGUMENT;
	if ((e = grants_check_owner(g)) != OK)
		return e;
	d->authenticated = true;
	d->ruling.sudo = grants_check_sudo(g, &ask->peer) == OK;
	if (op_is_profile((enum op)ask->op))
		return decide_profile(g, ask, d);
	if (ask->op == OP_CREDENTIAL_BYTES && !d->ruling.sudo)
		return ERR_SUDO_REQUIRED;
	if (all)
		return OK;
	if ((e = grants_db_vault_keys(g->db, ask->vault, &keys)) != OK)
		return e;
	set_scope(d, ask->vault);
	if (ask->op != OP_WRITE_NAME && ask->op != OP_SEARCH)
		add_wraps(d, ALL_CLASSES, keys.sealed);
	return OK;
}

static bool
is_unattendeds(enum op op)
{
	return op == OP_LIST || op == OP_HISTORY || op == OP_READ || op == OP_CREDENTIAL_BYTES;
}

static bool
is_ordinarys(enum op op)
{
	return op == OP_LIST || op == OP_READ || op == OP_SEARCH || op == OP_PROPOSE;
}

/* What can be said of an ask before its token is looked at. */
static enum err
check_form(const struct grants *g, const struct ask_body *ask)
{
	bool ordinary = ask->grant_type == GRANT_ORDINARY;
	enum op op = (enum op)ask->op;

	if (!g->initialized)
		return ERR_NOT_INITIALIZED;
	if (!grant_type_known(ask->grant_type) || (!is_unattendeds(op) && !is_ordinarys(op)))
		return ERR_INVALID_ARGUMENT;
	if (ask->surface != SURFACE_STDIO && (ordinary || ask->surface != SURFACE_CLI))
		return ERR_INVALID_ARGUMENT;
	/* A token of the one type is none for what is the other's. */
	return (ordinary ? is_ordinarys : is_unattendeds)(op) ? OK : ERR_INVALID_GRANT;
}

static enum err
check_unattended(const struct grants *g)
{
	if (g->library.center_managed)
		return ERR_CENTER_MANAGED;
	if (!g->library.device_member)
		return ERR_DEVICE_REMOVED;
	if (grants_banned(g))
		return ERR_BANNED;
	if (!g->enrolled)
		return ERR_NOT_ENABLED;
	return g->loaded && (g->locking == 0 || g->locking_idle) ? OK : ERR_UNATTENDED_NOT_LOADED;
}

/* The living grant of that token and type. ERR_VAULT_NOT_GRANTED: *use is set all the same. */
static enum err
find_grant(struct grants *g, const struct ask_body *ask, struct decision *d, struct grant_use *use, struct outbox *out)
{
	uint8_t hash[SHA256_LEN];
	uint64_t left;
	enum err e;

	sha256(ask->token_id, sizeof ask->token_id, hash);
	e = grants_db_use(g->db, hash, ask->vault, use);
	if (e == ERR_NOT_FOUND)
		return ERR_INVALID_GRANT;
	if (e != OK && e != ERR_VAULT_NOT_GRANTED)
		return e;
	if (use->type != ask->grant_type || grants_look_at(g, use->grant, &use->life, &left, out) != GRANT_LASTS)
		return ERR_INVALID_GRANT;
	d->authenticated = true;
	d->ruling.grant = use->grant;
	d->ruling.grant_type = (uint8_t)use->type;
	d->ruling.grant_revision = use->revision;
	d->ruling.subject_kind = LOG_GRANT_ID;
	d->ruling.subject = use->grant;
	/* What was ruled before a grant is over does not hold for longer than the grant. */
	if (left < RULING_MS)
		d->ruling.deadline_boot_ms = clock_mono().ms + left;
	return e;
}

/*
 * A search is over one vault of the grant, or all. The wraps of one of them
 * go with it: by opening them the keyring sees that the token's half is right.
 */
static enum err
add_search(struct grants *g, const struct ask_body *ask, struct grant_use *use, struct decision *d)
{
	struct grant_record *r;
	struct wire_out o = wire_out(d->vaults, sizeof d->vaults);
	enum err e;

	if (!uuid_is_zero(ask->vault)) {
		set_scope(d, ask->vault);
		add_wraps(d, use->vault.classes, use->vault.sealed);
		return OK;
	}
	if ((r = calloc(1, sizeof *r)) == NULL)
		return ERR_NO_MEMORY;
	if ((e = grants_db_grant(g->db, use->grant, r)) == OK) {
		for (size_t i = 0; i < r->n_vaults; i++)
			wire_put_id(&o, r->vaults[i].vault);
		d->ruling.vaults = wire_written(&o);
		add_wraps(d, r->vaults[0].classes, r->vaults[0].sealed);
	}
	free(r);
	return e;
}

/* The token first, so that who has none learns nothing of the library's state. */
static enum err
decide_ordinary(struct grants *g, const struct ask_body *ask, struct decision *d, struct outbox *out)
{
	bool all = ask->op == OP_SEARCH && uuid_is_zero(ask->vault);
	struct grant_use use;
	enum err e = find_grant(g, ask, d, &use, out), state;

	if (e != OK && e != ERR_VAULT_NOT_GRANTED)
		return e;
	if ((state = grants_check_unlocked(g)) != OK)
		return state;
	if (e != OK && !all)
		return e;
	if (ask->op == OP_PROPOSE && !use.may_propose)
		return ERR_PROPOSE_NOT_GRANTED;
	if (ask->op == OP_SEARCH)
		return add_search(g, ask, &use, d);
	add_wraps(d, use.vault.classes, use.vault.sealed);
	return OK;
}

static enum err
decide_unattended(struct grants *g, const struct ask_body *ask, struct decision *d, struct outbox *out)
{
	struct grant_use use;
	enum err e;

	if ((e = check_unattended(g)) != OK || (e = find_grant(g, ask, d, &use, out)) != OK)
		return e;
	add_wraps(d, use.vault.classes, use.vault.sealed);
	return OK;
}

static enum err
decide_grant(struct grants *g, const struct ask_body *ask, struct decision *d, struct outbox *out)
{
	enum err e = check_form(g, ask);

	if (e != OK)
		return e;
	return ask->grant_type == GRANT_ORDINARY ? decide_ordinary(g, ask, d, out) : decide_unattended(g, ask, d, out);
}

enum err
grants_on_ruling_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct grants *g = self;
	const struct ask_body *ask = &in->body->ask;
	struct decision d = { .ruling = { .ask = *ask } };
	struct refusal_body refusal;
	enum err e;

	d.ruling.deadline_boot_ms = clock_mono().ms + RULING_MS;
	e = is_set(ask->token_id) ? decide_grant(g, ask, &d, out) : decide_owner(g, ask, &d);
	if (e == OK && ask->op == OP_SEARCH && !g->search.up)
		e = ERR_SEARCH_WARMING;
	if (e == OK) {
		ruling_mac(g->ruling_key, &d.ruling, d.ruling.mac);
		return outbox_put(out, ask->op == OP_SEARCH ? MSG_QUERY_WANTED : op_is_profile((enum op)ask->op) ? MSG_PROFILE_WANTED
		    : MSG_RECORD_WANTED, in->ask_id, &d.ruling);
	}
	refusal = (struct refusal_body){
		.error = (uint16_t)e, .authenticated = d.authenticated,
		.subject_kind = d.ruling.subject_kind, .subject = d.ruling.subject,
	};
	return outbox_put(out, MSG_ASK_DENIED, in->ask_id, &refusal);
}
