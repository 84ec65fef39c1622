/* The keyring and what opens without the password: enrolment and key-only start, of unattended access and of the profile. */
#include <string.h>

#include "actors/keyring_state.h"
#include "escrow/binding.h"
#include "escrow/hash.h"
#include "escrow/keys.h"
#include "escrow/random.h"

/* What enrolment makes, before anything of it is loaded. */
struct enrolment {
	struct key         *material;
	struct custody_keys keys;
};

static void
enrolment_close(struct enrolment *m)
{
	key_free(&m->material);
	key_free(&m->keys.key);
	signer_free(&m->keys.delegate);
}

static enum err
enrolment_make(const struct keyring *k, struct uuid enrolment, struct enrolment *m)
{
	enum err e;

	if (k->log_key == NULL)
		return ERR_LOCKED;
	if ((e = key_random(&m->material)) != OK || (e = key_random(&m->keys.key)) != OK ||
	    (e = signer_new(&m->keys.delegate)) != OK)
		return e;
	delegation_make(k->log_key, enrolment, signer_public(m->keys.delegate), &m->keys.delegation);
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
		key_seal(envelope, (struct span){ NULL, 0 }, m->keys.key, ref->sealed_unattended);
		signer_seed(m->keys.delegate, seed);
		key_seal(m->keys.key, key_binding_span(&binding), seed, ref->sealed_delegate);
	}
	key_free(&envelope);
	key_free(&seed);
	return e;
}

/* The profile's key, from under the root to under that of its custody. */
static enum err
seal_profile(const struct keyring *k, const struct enrolment *m, const struct enrol_body *enrol, uint8_t out[SEALED_KEY_LEN])
{
	struct key_binding binding = bind_profile(enrol->library);
	struct key *profile = NULL;
	enum err e;

	if (enrol->purpose != CUSTODY_PROFILE)
		return OK;
	if ((e = key_new(&profile)) == OK &&
	    (e = key_open(k->root, key_binding_span(&binding), enrol->sealed_profile, profile)) == OK)
		key_seal(m->keys.key, key_binding_span(&binding), profile, out);
	key_free(&profile);
	return e;
}

static void
load(struct keyring *k, enum custody_purpose purpose, struct custody_keys *keys)
{
	/* Another key of the profile opens the same: what is open stays so. */
	bool open = k->profile_open;

	keyring_drop_custody(k, purpose);
	k->custody[purpose] = *keys;
	k->profile_open = open;
	*keys = (struct custody_keys){ NULL, NULL, { { { 0 } }, { 0 }, { 0 } } };
}

static enum err
put_material(struct keyring *k, const struct inbound *in, struct enrolment *m, struct outbox *out)
{
	const struct enrol_body *enrol = &in->body->enrol;
	struct material_body material = {
		.ref = { .purpose = enrol->purpose, .enrolment = enrol->enrolment, .library = enrol->library, .backend = enrol->backend },
		.context = enrol->context,
	};
	uint8_t delegation[DELEGATION_LEN];
	struct wire_out o = wire_out(delegation, sizeof delegation);
	enum err e;

	if ((e = seal_enrolment(m, enrol, &material.ref)) != OK || (e = seal_profile(k, m, enrol, material.ref.sealed_profile)) != OK)
		return e;
	delegation_put(&o, &m->keys.delegation);
	material.ref.delegation = wire_written(&o);
	key_seal(k->custody_box, (struct span){ enrol->enrolment.b, UUID_LEN }, m->material, material.boxed);
	return outbox_put(out, MSG_MATERIAL_STORE, in->ask_id, &material);
}

/* The key is loaded at once; grants has it dropped again if custody cannot keep the material. */
enum err
keyring_on_enrol(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;
	struct enrolment m = { .material = NULL };
	enum err e;

	if (in->body->enrol.purpose >= CUSTODY_PURPOSE__COUNT)
		return ERR_PROTOCOL;
	if ((e = enrolment_make(k, in->body->enrol.enrolment, &m)) == OK &&
	    (e = put_material(k, in, &m, out)) == OK) {
		load(k, (enum custody_purpose)in->body->enrol.purpose, &m.keys);
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
	struct custody_result_body loaded = { .purpose = b->ref.purpose };
	struct custody_keys keys = { .key = NULL };
	enum err e, told;

	if (b->ref.purpose >= CUSTODY_PURPOSE__COUNT)
		return ERR_PROTOCOL;
	if ((e = key_new(&keys.key)) == OK && (e = open_unattended(k, b, keys.key)) == OK &&
	    (e = open_delegate(b, keys.key, &keys.delegate, &keys.delegation)) == OK)
		load(k, (enum custody_purpose)b->ref.purpose, &keys);
	key_free(&keys.key);
	signer_free(&keys.delegate);
	if (e == OK && (told = keyring_tell(k, out)) != OK)
		return told;
	loaded.error = (uint16_t)e;
	return outbox_put(out, MSG_KEY_LOADED, in->ask_id, &loaded);
}
