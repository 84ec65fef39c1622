/* The keyring and unattended access: enrolment, key-only start. */
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
