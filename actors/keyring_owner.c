/* The keyring's answers to the owner: password tries, locking, keys of a new vault. */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/keys.h"
#include "escrow/random.h"

/* So many wrong passwords are free; then each waits longer, up to a minute. */
#define FREE_TRIES    3
#define THROTTLE_MS   2000
#define THROTTLE_MAX_MS 60000

static void
note_wrong_password(struct keyring *k)
{
	uint64_t wait_ms = THROTTLE_MS;

	if (++k->n_wrong < FREE_TRIES)
		return;
	for (unsigned i = FREE_TRIES; i < k->n_wrong && wait_ms < THROTTLE_MAX_MS; i++)
		wait_ms *= 2;
	if (wait_ms > THROTTLE_MAX_MS)
		wait_ms = THROTTLE_MAX_MS;
	k->next_try.ms = clock_mono().ms + wait_ms;
}

/* Opens the envelope with the key that the asker's password gave. */
static enum err
open_root(struct keyring *k, const struct kek_try_body *try, struct key *root)
{
	struct key_binding binding = bind_root(try->library, try->kdf.passes, try->kdf.memory_kib, try->kdf.salt);
	const struct channel *c;
	uint8_t buf[BINDING_MAX];
	struct key *kek = NULL;
	enum err e;

	if (clock_mono().ms < k->next_try.ms)
		return ERR_THROTTLED;
	if (try->kdf.memory_kib < k->settings->kdf_memory_kib_min)
		return ERR_KDF_TOO_WEAK;
	if ((e = channels_find(k->channels, &k->boot_pair, try->opener, &c)) != OK)
		return e;
	if ((e = key_new(&kek)) != OK)
		return e;
	if (key_open(c->up, kek_binding(try->client_ask, try->load, buf), try->boxed_kek, kek) != OK) {
		e = ERR_INVALID_ARGUMENT;
	} else if (key_open(kek, key_binding_span(&binding), try->sealed_root, root) != OK) {
		note_wrong_password(k);
		e = ERR_WRONG_PASSWORD;
	} else {
		k->n_wrong = 0;
	}
	key_free(&kek);
	return e;
}

static enum err
load_root(struct keyring *k, const struct kek_try_body *try, struct key **root)
{
	struct key_binding binding = bind_log_key(try->library);
	struct key *seed = NULL;
	struct signer *log_key = NULL;
	enum err e;

	if ((e = key_new(&seed)) != OK)
		return e;
	if (key_open(*root, key_binding_span(&binding), try->sealed_log_key, seed) != OK)
		e = ERR_STORAGE_CORRUPT;
	else
		e = signer_of_seed(seed, &log_key);
	key_free(&seed);
	if (e != OK)
		return e;
	/* Whoever unlocks once more has locked nothing: what was opened by that key stays open. */
	key_free(&k->root);
	signer_free(&k->log_key);
	k->root = *root;
	k->log_key = log_key;
	*root = NULL;
	return OK;
}

enum err
keyring_on_kek_try(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	const struct kek_try_body *try = &in->body->kek_try;
	struct key *root = NULL;
	struct result_body result;
	enum err e;

	if ((e = key_new(&root)) == OK && (e = open_root(k, try, root)) == OK && try->load)
		e = load_root(k, try, &root);
	key_free(&root);
	/* State first, so that who hears the result can rely on it. */
	if (e == OK && try->load && (e = keyring_tell(k, out)) != OK)
		return e;
	result.error = (uint16_t)e;
	return outbox_put(out, MSG_KEK_TRIED, in->ask_id, &result);
}

/* Seals the root key under the key that a new password gives. */
static enum err
rewrap(struct keyring *k, const struct rewrap_body *b, uint8_t sealed[SEALED_KEY_LEN])
{
	const struct passwd_offer_body *offer = &b->offer;
	struct key_binding binding = bind_root(b->library, offer->kdf.passes, offer->kdf.memory_kib, offer->kdf.salt);
	const struct channel *c;
	uint8_t buf[BINDING_MAX];
	struct key *kek = NULL;
	enum err e;

	if (k->root == NULL)
		return ERR_LOCKED;
	if (offer->kdf.memory_kib < k->settings->kdf_memory_kib_min)
		return ERR_KDF_TOO_WEAK;
	if ((e = channels_find(k->channels, &k->boot_pair, offer->opener, &c)) != OK || (e = key_new(&kek)) != OK)
		return e;
	if (key_open(c->up, passwd_binding(offer, buf), offer->boxed_kek, kek) != OK)
		e = ERR_INVALID_ARGUMENT;
	else
		key_seal(kek, key_binding_span(&binding), k->root, sealed);
	key_free(&kek);
	return e;
}

enum err
keyring_on_rewrap(void *self, const struct inbound *in, struct outbox *out)
{
	struct rewrapped_body b;
	enum err e = rewrap(self, &in->body->rewrap, b.sealed_root);

	if (e != OK)
		return outbox_put(out, MSG_KEYS_NOT_MADE, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	return outbox_put(out, MSG_REWRAPPED, in->ask_id, &b);
}

enum err
keyring_on_keys_drop(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	enum err e;

	if (in->body->keys_drop.password)
		keyring_drop_password(k);
	if (in->body->keys_drop.unattended)
		keyring_drop_custody(k, CUSTODY_UNATTENDED);
	if (in->body->keys_drop.profile)
		keyring_drop_custody(k, CUSTODY_PROFILE);
	if (in->body->keys_drop.closes)
		k->profile_open = false;
	if ((e = keyring_tell(k, out)) != OK)
		return e;
	return outbox_put(out, MSG_KEYS_DROPPED, in->ask_id, &(struct nothing_body){ 0 });
}

enum err
keyring_on_vault_keys_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	struct vault_keys_made_body made = { .vault = uuid_make(clock_wall()) };
	struct key *fresh = NULL;
	enum err e = k->root == NULL ? ERR_LOCKED : OK;

	for (unsigned c = 0; c < CLASS__COUNT && e == OK; c++) {
		struct key_binding binding = bind_class(made.vault, (enum key_class)c);

		if ((e = key_random(&fresh)) == OK)
			key_seal(k->root, key_binding_span(&binding), fresh, made.sealed + c * SEALED_KEY_LEN);
		key_free(&fresh);
	}
	if (e != OK)
		return outbox_put(out, MSG_KEYS_NOT_MADE, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	return outbox_put(out, MSG_VAULT_KEYS, in->ask_id, &made);
}
