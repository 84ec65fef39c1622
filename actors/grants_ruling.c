/*
 * The ruling: may this ask be answered, and from which keys. Deciding is apart
 * from saying, so that it can be tested with plain values.
 */
#include <string.h>

#include "actors/grants_state.h"
#include "escrow/binding.h"
#include "escrow/hash.h"

#define ALL_CLASSES ((1u << CLASS__COUNT) - 1)

/* What an ask may reach, and for whom the log will name it. */
struct decision {
	struct ruling_body ruling;
	uint8_t            wraps[CLASS__COUNT * (1 + SEALED_KEY_LEN)];
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

/* The owner reaches every class, and credentials' bytes only with sudo. */
static enum err
decide_owner(struct grants *g, const struct ask_body *ask, struct decision *d)
{
	struct vault_keys keys;
	enum err e;

	d->ruling.subject_kind = LOG_TERMINAL;
	d->ruling.subject = terminal_tag(&ask->peer);
	if (ask->surface != SURFACE_OWNER || !op_known(ask->op))
		return ERR_INVALID_ARGUMENT;
	if ((e = grants_check_owner(g)) != OK)
		return e;
	d->authenticated = true;
	if (ask->op == OP_CREDENTIAL_BYTES && (e = grants_check_sudo(g, &ask->peer)) != OK)
		return e;
	if (ask->op == OP_VAULT_LIST)
		return OK;
	if ((e = grants_db_vault_keys(g->db, ask->vault, &keys)) != OK)
		return e;
	if (ask->op != OP_WRITE_NAME)
		add_wraps(d, ALL_CLASSES, keys.sealed);
	return OK;
}

static enum err
check_unattended(const struct grants *g, const struct ask_body *ask)
{
	if (!g->initialized)
		return ERR_NOT_INITIALIZED;
	if (ask->surface != SURFACE_CLI && ask->surface != SURFACE_STDIO)
		return ERR_INVALID_ARGUMENT;
	if (ask->op != OP_LIST && ask->op != OP_HISTORY && ask->op != OP_READ && ask->op != OP_CREDENTIAL_BYTES)
		return ERR_INVALID_ARGUMENT;
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

static enum err
decide_grant(struct grants *g, const struct ask_body *ask, struct decision *d)
{
	uint8_t hash[SHA256_LEN];
	struct grant_use use;
	enum err e;

	if ((e = check_unattended(g, ask)) != OK)
		return e;
	sha256(ask->token_id, sizeof ask->token_id, hash);
	e = grants_db_use(g->db, hash, ask->vault, &use);
	if (e == ERR_NOT_FOUND)
		return ERR_INVALID_GRANT;
	if (e != OK && e != ERR_VAULT_NOT_GRANTED)
		return e;
	if (use.revoked || (use.expires.ms != 0 && clock_wall().ms >= use.expires.ms))
		return ERR_INVALID_GRANT;
	d->authenticated = true;
	d->ruling.grant = use.grant;
	d->ruling.grant_revision = use.revision;
	d->ruling.grant_type = GRANT_UNATTENDED;
	d->ruling.subject_kind = LOG_GRANT_ID;
	d->ruling.subject = use.grant;
	if (e == OK)
		add_wraps(d, use.vault.classes, use.vault.sealed);
	return e;
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
	e = is_set(ask->token_id) ? decide_grant(g, ask, &d) : decide_owner(g, ask, &d);
	if (e == OK) {
		ruling_mac(g->ruling_key, &d.ruling, d.ruling.mac);
		return outbox_put(out, MSG_RECORD_WANTED, in->ask_id, &d.ruling);
	}
	refusal = (struct refusal_body){
		.error = (uint16_t)e, .authenticated = d.authenticated,
		.subject_kind = d.ruling.subject_kind, .subject = d.ruling.subject,
	};
	return outbox_put(out, MSG_ASK_DENIED, in->ask_id, &refusal);
}
