/*
 * The keyring and the profile: its key is made here and given to the profile's
 * process, and of each ruling about it is seen whether it may be one.
 */
#include "actors/keyring_state.h"
#include "escrow/keys.h"
#include "escrow/random.h"
#include "store/log_record.h"

/* A connection's: over HTTP, of what a connection may do, and of no vault. */
static bool
is_connections(const struct ruling_body *r)
{
	enum op op = (enum op)r->ask.op;

	return r->grant_type == GRANT_CONNECTION && r->subject_kind == LOG_CONNECTION_ID && uuid_equal(r->subject, r->grant) &&
	    !uuid_is_zero(r->grant) && r->ask.surface == SURFACE_HTTP && uuid_is_zero(r->ask.vault) &&
	    (r->categories & ~CATEGORIES_SHAREABLE) == 0 &&
	    (op == OP_PROFILE_READ || op == OP_PROFILE_SEARCH || op == OP_PROFILE_PROPOSE || op == OP_PROFILE_CORRECT);
}

static bool
is_owners(const struct ruling_body *r)
{
	enum op op = (enum op)r->ask.op;

	return r->grant_type == 0 && r->subject_kind == LOG_TERMINAL && r->ask.surface == SURFACE_OWNER &&
	    (op == OP_PROFILE_LIST || op == OP_PROFILE_CHANGE);
}

enum err
keyring_check_profile(const struct keyring *k, const struct ruling_body *r)
{
	enum err e = keyring_check_made(k, r);

	if (e != OK)
		return e;
	if ((!is_connections(r) && !is_owners(r)) || r->classes != 0 || r->wraps.len != 0 || r->vaults.len != 0)
		return ERR_INTERNAL;
	if (!k->profile_open || (r->grant_type == 0 && k->root == NULL))
		return ERR_LOCKED;
	return OK;
}

static enum err
make(const struct keyring *k, struct uuid library, uint8_t sealed[SEALED_KEY_LEN])
{
	struct key_binding binding = bind_profile(library);
	struct key *fresh = NULL;
	enum err e;

	if (k->root == NULL)
		return ERR_LOCKED;
	if ((e = key_random(&fresh)) == OK)
		key_seal(k->root, key_binding_span(&binding), fresh, sealed);
	key_free(&fresh);
	return e;
}

enum err
keyring_on_profile_key_make(void *self, const struct inbound *in, struct outbox *out)
{
	struct profile_key_body made = { { 0 } };
	enum err e = make(self, in->body->library.library, made.sealed);

	if (e != OK)
		return outbox_put(out, MSG_KEYS_NOT_MADE, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	return outbox_put(out, MSG_PROFILE_KEY_MADE, in->ask_id, &made);
}

static enum err
open_key(const struct keyring *k, const struct profile_open_body *b, struct key *profile)
{
	struct key_binding binding = bind_profile(b->library);
	const struct key *custody = k->custody[CUSTODY_PROFILE].key;

	if (k->root != NULL)
		return key_open(k->root, key_binding_span(&binding), b->sealed, profile);
	return custody == NULL ? ERR_LOCKED : key_open(custody, key_binding_span(&binding), b->sealed_custody, profile);
}

static enum err
give_key(struct keyring *k, const struct inbound *in, struct outbox *out)
{
	struct key_binding way = bind_profile_way(in->ask_id);
	struct profile_boxed_body boxed;
	struct key *profile = NULL;
	enum err e;

	if (!k->profile_up)
		return ERR_INTERRUPTED;
	if ((e = key_new(&profile)) == OK && (e = open_key(k, &in->body->profile_open, profile)) == OK) {
		key_seal(k->profile.down, key_binding_span(&way), profile, boxed.boxed);
		e = outbox_put(out, MSG_PROFILE_KEY, in->ask_id, &boxed);
	}
	key_free(&profile);
	k->profile_open = k->profile_open || e == OK;
	return e;
}

enum err
keyring_on_profile_open(void *self, const struct inbound *in, struct outbox *out)
{
	enum err e = give_key(self, in, out);

	return e == OK ? OK : outbox_put(out, MSG_PROFILE_NOT_OPENED, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
}
