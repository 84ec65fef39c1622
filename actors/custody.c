#include <stdlib.h>
#include <string.h>

#include "actors/custody.h"
#include "actors/settings.h"
#include "escrow/custody.h"
#include "escrow/hash.h"
#include "escrow/seal.h"

#define BACKEND_MAX 32

struct custody {
	const struct settings *settings;
	struct key *box;   /* shared with keyring */
	bool  keyring_up;  /* its edge */
};

static enum err on_material_store(void *self, const struct inbound *in, struct outbox *out);
static enum err on_material_wanted(void *self, const struct inbound *in, struct outbox *out);
static enum err on_material_remove(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_MATERIAL_STORE, on_material_store },
	{ MSG_MATERIAL_WANTED, on_material_wanted },
	{ MSG_MATERIAL_REMOVE, on_material_remove },
};

static void
custody_stop(void *self)
{
	struct custody *c = self;

	if (c == NULL)
		return;
	key_free(&c->box);
	free(c);
}

static enum err
custody_start(const struct actor_context *context, void **self)
{
	struct custody *c = calloc(1, sizeof *c);
	struct key *pair = NULL;
	enum err e;

	if (c == NULL)
		return ERR_NO_MEMORY;
	c->settings = context->settings;
	if ((e = key_of(context->pair_key(context->host, ACTOR_KEYRING), &pair)) == OK &&
	    (e = key_new(&c->box)) == OK)
		derive(pair, "memories/custody-box/v1", (struct span){ NULL, 0 }, c->box);
	key_free(&pair);
	if (e != OK) {
		custody_stop(c);
		return e;
	}
	*self = c;
	return OK;
}

/* The backend's name lands in backend, which the binding points at. */
static struct custody_binding
binding_of(const struct custody *c, const struct custody_ref_body *ref, char backend[BACKEND_MAX])
{
	memcpy(backend, ref->backend.p, ref->backend.len);
	backend[ref->backend.len] = '\0';
	return (struct custody_binding){ .purpose = (enum custody_purpose)ref->purpose, .library = ref->library, .enrolment = ref->enrolment,
		.home = c->settings->home, .backend = backend };
}

static enum err
on_material_store(void *self, const struct inbound *in, struct outbox *out)
{
	struct custody *c = self;
	const struct material_body *b = &in->body->material;
	struct material_stored_body stored = { .ref = b->ref };
	char backend[BACKEND_MAX];
	struct custody_binding binding = binding_of(c, &b->ref, backend);
	struct key *material = NULL;
	enum custody_detail why = CUSTODY_NO_DETAIL;
	enum err e;

	if ((e = key_new(&material)) == OK) {
		if (key_open(c->box, (struct span){ b->ref.enrolment.b, UUID_LEN }, b->boxed, material) != OK)
			e = ERR_INTERNAL;
		else
			e = custody_store(&binding, material, &why);
	}
	key_free(&material);
	stored.error = (uint16_t)e;
	stored.detail = (uint8_t)why;
	return outbox_put(out, MSG_MATERIAL_STORED, in->ask_id, &stored);
}

static enum err
on_material_wanted(void *self, const struct inbound *in, struct outbox *out)
{
	struct custody *c = self;
	struct material_body m = { .ref = in->body->custody_ref };
	char backend[BACKEND_MAX];
	struct custody_binding binding = binding_of(c, &m.ref, backend);
	uint8_t context[CUSTODY_CONTEXT_MAX];
	struct wire_out o = wire_out(context, sizeof context);
	struct key *material = NULL;
	enum custody_detail why = CUSTODY_NO_DETAIL;
	enum err e;

	if ((e = c->keyring_up ? key_new(&material) : ERR_INTERRUPTED) == OK &&
	    (e = custody_load(&binding, material, &why)) == OK)
		key_seal(c->box, (struct span){ m.ref.enrolment.b, UUID_LEN }, material, m.boxed);
	key_free(&material);
	if (e != OK)
		return outbox_put(out, MSG_MATERIAL_REFUSED, in->ask_id,
		    &(struct custody_result_body){ .purpose = m.ref.purpose, .error = (uint16_t)e, .detail = (uint8_t)why });
	custody_context(&binding, &o);
	m.context = wire_written(&o);
	return outbox_put(out, MSG_MATERIAL, in->ask_id, &m);
}

static enum err
on_material_remove(void *self, const struct inbound *in, struct outbox *out)
{
	const struct custody *c = self;
	char backend[BACKEND_MAX];
	struct custody_binding binding = binding_of(c, &in->body->custody_ref, backend);
	enum custody_detail why;
	struct custody_result_body result = { .error = (uint16_t)custody_remove(&binding, &why) };

	result.purpose = in->body->custody_ref.purpose;
	result.detail = (uint8_t)why;
	return outbox_put(out, MSG_MATERIAL_REMOVED, in->ask_id, &result);
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct custody *c = self;

	(void)out;
	if (other == ACTOR_KEYRING)
		c->keyring_up = up;
}

const struct actor_spec custody_actor = {
	.id = ACTOR_CUSTODY,
	.start = custody_start,
	.stop = custody_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
	.blocks = true,
};
