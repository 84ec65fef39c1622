/* The keyring and unattended access: enrolment, key-only start, keys of a grant. */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/hash.h"
#include "escrow/keys.h"
#include "escrow/random.h"

/* What enrolment makes, before anything of it is loaded. */
struct enrolment {
	struct key       *material;
	struct key       *unattended;
	struct signer    *delegate;
	struct delegation delegation;
};

static void
enrolment_close(struct enrolment *m)
{
	key_free(&m->material);
	key_free(&m->unattended);
	signer_free(&m->delegate);
}

static enum err
enrolment_make(const struct keyring *k, struct uuid enrolment, struct enrolment *m)
{
	enum err e;

	if (k->log_key == NULL)
		return ERR_LOCKED;
	if ((e = key_random(&m->material)) != OK || (e = key_random(&m->unattended)) != OK ||
	    (e = signer_new(&m->delegate)) != OK)
		return e;
	delegation_make(k->log_key, enrolment, signer_public(m->delegate), &m->delegation);
	return OK;
}

static enum err
seal_enrolment(const struct enrolment *m, const struct enrol_body *enrol, struct custody_ref_body *ref)
{
	struct key_binding binding = bind_delegate(enrol->enrolment);
	struct key *envelope = NULL, *seed = NULL;
	enum err e;

	if ((e = key_new(&envelope)) == OK && (e = key_new(&seed)) == OK) {
		custody_envelope_key(m->material, enrol->context, envelope);
		key_seal(envelope, (struct span){ NULL, 0 }, m->unattended, ref->sealed_unattended);
		signer_seed(m->delegate, seed);
		key_seal(m->unattended, key_binding_span(&binding), seed, ref->sealed_delegate);
	}
	key_free(&envelope);
	key_free(&seed);
	return e;
}

static void
load(struct keyring *k, struct key **unattended, struct signer **delegate, const struct delegation *d)
{
	keyring_drop_unattended(k);
	k->unattended = *unattended;
	k->delegate = *delegate;
	k->delegation = *d;
	*unattended = NULL;
	*delegate = NULL;
}

static enum err
put_material(struct keyring *k, const struct inbound *in, struct enrolment *m, struct outbox *out)
{
	const struct enrol_body *enrol = &in->body->enrol;
	struct material_body material = {
		.ref = { .enrolment = enrol->enrolment, .library = enrol->library, .backend = enrol->backend },
		.context = enrol->context,
	};
	uint8_t delegation[DELEGATION_LEN];
	struct wire_out o = wire_out(delegation, sizeof delegation);
	enum err e;

	if ((e = seal_enrolment(m, enrol, &material.ref)) != OK)
		return e;
	delegation_put(&o, &m->delegation);
	material.ref.delegation = wire_written(&o);
	key_seal(k->custody_box, (struct span){ enrol->enrolment.b, UUID_LEN }, m->material, material.boxed);
	return outbox_put(out, MSG_MATERIAL_STORE, in->ask_id, &material);
}

/* The key is loaded at once; grants has it dropped again if custody cannot keep the material. */
enum err
keyring_on_enrol(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	struct enrolment m = { NULL, NULL, NULL, { { { 0 } }, { 0 }, { 0 } } };
	enum err e;

	if ((e = enrolment_make(k, in->body->enrol.enrolment, &m)) == OK &&
	    (e = put_material(k, in, &m, out)) == OK) {
		load(k, &m.unattended, &m.delegate, &m.delegation);
		e = keyring_tell(k, out);
	}
	enrolment_close(&m);
	if (e != OK)
		return outbox_put(out, MSG_KEYS_NOT_MADE, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
	return OK;
}

static enum err
open_unattended(const struct keyring *k, const struct material_body *b, struct key *unattended)
{
	struct key *material = NULL, *envelope = NULL;
	enum err e;

	if ((e = key_new(&material)) == OK && (e = key_new(&envelope)) == OK) {
		if (key_open(k->custody_box, (struct span){ b->ref.enrolment.b, UUID_LEN }, b->boxed, material) != OK) {
			e = ERR_INTERNAL;
		} else {
			custody_envelope_key(material, b->context, envelope);
			/* Another home, library or backend derives another key. */
			if (key_open(envelope, (struct span){ NULL, 0 }, b->ref.sealed_unattended, unattended) != OK)
				e = ERR_CUSTODY_BINDING;
		}
	}
	key_free(&material);
	key_free(&envelope);
	return e;
}

static enum err
open_delegate(const struct material_body *b, const struct key *unattended,
    struct signer **delegate, struct delegation *d)
{
	struct key_binding binding = bind_delegate(b->ref.enrolment);
	struct wire_in in = wire_in(b->ref.delegation.p, b->ref.delegation.len);
	struct key *seed = NULL;
	enum err e;

	delegation_take(&in, d);
	if (!wire_done(&in))
		return ERR_STORAGE_CORRUPT;
	if ((e = key_new(&seed)) != OK)
		return e;
	if (key_open(unattended, key_binding_span(&binding), b->ref.sealed_delegate, seed) != OK)
		e = ERR_STORAGE_CORRUPT;
	else
		e = signer_of_seed(seed, delegate);
	key_free(&seed);
	return e;
}

enum err
keyring_on_material(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	const struct material_body *b = &in->body->material;
	struct key *unattended = NULL;
	struct signer *delegate = NULL;
	struct delegation d;
	enum err e, told;

	if ((e = key_new(&unattended)) == OK && (e = open_unattended(k, b, unattended)) == OK &&
	    (e = open_delegate(b, unattended, &delegate, &d)) == OK)
		load(k, &unattended, &delegate, &d);
	key_free(&unattended);
	signer_free(&delegate);
	if (e == OK && (told = keyring_tell(k, out)) != OK)
		return told;
	return outbox_put(out, MSG_KEY_LOADED, in->ask_id, &(struct result_body){ .error = (uint16_t)e });
}

/* Opens each class key of a vault under the root key and seals it again under the grant's. */
static enum err
rewrap(const struct keyring *k, const struct key *to, struct uuid grant, struct vault_keys_made_body *v)
{
	struct key *class_key = NULL;
	enum err e = key_new(&class_key);

	for (unsigned c = 0; c < CLASS__COUNT && e == OK; c++) {
		struct key_binding from_binding = bind_class(v->vault, (enum key_class)c);
		struct key_binding to_binding = bind_grant_class(grant, v->vault, (enum key_class)c);
		uint8_t *sealed = v->sealed + c * SEALED_KEY_LEN;

		if (key_open(k->root, key_binding_span(&from_binding), sealed, class_key) != OK)
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
		if ((e = rewrap(k, to, w->grant, &v)) == OK)
			vault_keys_made_body_put(o, &v);
	}
	return e == OK && o->failed ? ERR_INTERNAL : e;
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
	enum err e = k->root == NULL ? ERR_LOCKED : k->unattended == NULL ? ERR_UNATTENDED_NOT_LOADED : OK;

	if (e == OK && (e = key_new(&half)) == OK && (e = key_new(&to)) == OK &&
	    (e = open_half(k, &w->mint, half)) == OK) {
		grant_key(k->unattended, half, w->grant, to);
		e = rewrap_all(k, to, w, &o);
	}
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
