/* The keyring and grants of both types: the keys of a new one, and the word that one has ended. */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/keys.h"

enum err
keyring_grant_key(const struct keyring *k, enum grant_type type, const struct key *half, struct uuid grant, struct key *out)
{
	struct key *base = NULL;
	enum err e;

	switch (type) {
	case GRANT_UNATTENDED:
		if (k->custody[CUSTODY_UNATTENDED].key == NULL)
			return ERR_UNATTENDED_NOT_LOADED;
		grant_key(k->custody[CUSTODY_UNATTENDED].key, half, grant, out);
		return OK;
	case GRANT_ORDINARY:
		if (k->root == NULL)
			return ERR_LOCKED;
		if ((e = key_new(&base)) != OK)
			return e;
		ordinary_base_key(k->root, base);
		grant_key(base, half, grant, out);
		key_free(&base);
		return OK;
	case GRANT_CONNECTION: /* reaches no vault */
		break;
	}
	return ERR_INTERNAL;
}

/* Opens a vault's class keys of those classes under the root key and seals them again under the grant's; the others go. */
static enum err
rewrap(const struct keyring *k, const struct key *to, const struct grant_keys_wanted_body *w,
    struct vault_keys_made_body *v)
{
	struct key *class_key = NULL;
	enum err e = key_new(&class_key);

	for (unsigned c = 0; c < CLASS__COUNT && e == OK; c++) {
		struct key_binding from_binding = bind_class(v->vault, (enum key_class)c);
		struct key_binding to_binding = bind_grant_class(w->grant, v->vault, (enum key_class)c);
		uint8_t *sealed = v->sealed + c * SEALED_KEY_LEN;

		if ((w->mint.classes & 1u << c) == 0)
			memset(sealed, 0, SEALED_KEY_LEN);
		else if (key_open(k->root, key_binding_span(&from_binding), sealed, class_key) != OK)
			e = ERR_STORAGE_CORRUPT;
		else
			key_seal(to, key_binding_span(&to_binding), class_key, sealed);
	}
	key_free(&class_key);
	return e;
}

static enum err
open_half(struct keyring *k, const struct mint_ask_body *mint, struct key *half)
{
	const struct channel *c;
	uint8_t buf[BINDING_MAX];
	enum err e;

	if (mint->boxed_half.len != SEALED_KEY_LEN)
		return ERR_INVALID_ARGUMENT;
	if ((e = channels_find(k->channels, &k->boot_pair, mint->opener, &c)) != OK)
		return e;
	return key_open(c->up, mint_binding(mint, buf), mint->boxed_half.p, half) == OK ? OK : ERR_INVALID_ARGUMENT;
}

static enum err
rewrap_all(const struct keyring *k, const struct key *to, const struct grant_keys_wanted_body *w,
    struct wire_out *o)
{
	struct wire_in in = wire_in(w->wraps.p, w->wraps.len);
	struct vault_keys_made_body v;
	enum err e = OK;

	while (in.len > 0 && e == OK) {
		vault_keys_made_body_take(&in, &v);
		if (in.failed)
			return ERR_INTERNAL;
		if ((e = rewrap(k, to, w, &v)) == OK)
			vault_keys_made_body_put(o, &v);
	}
	return e == OK && o->failed ? ERR_INTERNAL : e;
}

/* So that no bug in who asks can give an ordinary grant more than it may ever have. */
static enum err
check_classes(const struct mint_ask_body *mint)
{
	if (mint->grant_type == GRANT_ORDINARY)
		return mint->classes == 1u << CLASS_ORDINARY ? OK : ERR_INTERNAL;
	return mint->classes != 0 && mint->classes >> CLASS__COUNT == 0 ? OK : ERR_INTERNAL;
}

enum err
keyring_on_grant_keys_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	const struct grant_keys_wanted_body *w = &in->body->grant_keys_wanted;
	struct grant_keys_made_body made = { .grant = w->grant };
	uint8_t buf[20000];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct key *half = NULL, *to = NULL;
	enum err e = k->root == NULL ? ERR_LOCKED : check_classes(&w->mint);

	if (e == OK && (e = key_new(&half)) == OK && (e = key_new(&to)) == OK &&
	    (e = open_half(k, &w->mint, half)) == OK &&
	    (e = keyring_grant_key(k, (enum grant_type)w->mint.grant_type, half, w->grant, to)) == OK)
		e = rewrap_all(k, to, w, &o);
	key_free(&half);
	key_free(&to);
	if (e != OK)
		return outbox_put(out, MSG_KEYS_NOT_MADE, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	made.wraps = wire_written(&o);
	return outbox_put(out, MSG_GRANT_KEYS, in->ask_id, &made);
}

enum err
keyring_on_grant_drop(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;

	k->dropped[k->n_dropped++ % DROPPED_GRANTS_MAX] = in->body->one_id.id;
	return outbox_put(out, MSG_GRANT_DROPPED, in->ask_id, &(struct nothing_body){ 0 });
}
