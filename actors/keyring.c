#include <stdlib.h>
#include <string.h>

#include "actors/keyring.h"
#include "actors/keyring_state.h"
#include "escrow/hash.h"
#include "escrow/random.h"

static enum err on_epoch(void *self, const struct inbound *in, struct outbox *out);

static const struct handler handlers[] = {
	{ MSG_KEYS_WANTED, keyring_on_keys_wanted },
	{ MSG_KEK_TRY, keyring_on_kek_try },
	{ MSG_KEYS_DROP, keyring_on_keys_drop },
	{ MSG_REWRAP, keyring_on_rewrap },
	{ MSG_VAULT_KEYS_WANTED, keyring_on_vault_keys_wanted },
	{ MSG_ENROL, keyring_on_enrol },
	{ MSG_MATERIAL, keyring_on_material },
	{ MSG_GRANT_KEYS_WANTED, keyring_on_grant_keys_wanted },
	{ MSG_GRANT_DROP, keyring_on_grant_drop },
	{ MSG_INDEX_WANTED, keyring_on_index_wanted },
	{ MSG_QUERY_WANTED, keyring_on_query_wanted },
	{ MSG_FOUND_KEY_WANTED, keyring_on_found_key_wanted },
	{ MSG_PROFILE_WANTED, keyring_on_query_wanted },
	{ MSG_PROFILE_KEY_WANTED, keyring_on_found_key_wanted },
	{ MSG_PROFILE_KEY_MAKE, keyring_on_profile_key_make },
	{ MSG_PROFILE_OPEN, keyring_on_profile_open },
	{ MSG_EPOCH, on_epoch },
	{ MSG_CHECKPOINT_WANTED, keyring_on_checkpoint_wanted },
};

void
keyring_drop_password(struct keyring *k)
{
	key_free(&k->root);
	signer_free(&k->log_key);
	k->profile_open = k->profile_open && k->custody[CUSTODY_PROFILE].key != NULL;
}

void
keyring_drop_custody(struct keyring *k, enum custody_purpose purpose)
{
	struct custody_keys *c = &k->custody[purpose];

	key_free(&c->key);
	signer_free(&c->delegate);
	memset(&c->delegation, 0, sizeof c->delegation);
	if (purpose == CUSTODY_PROFILE)
		k->profile_open = k->profile_open && k->root != NULL;
}

const struct custody_keys *
keyring_delegate(const struct keyring *k)
{
	for (size_t i = 0; i < CUSTODY_PURPOSE__COUNT; i++)
		if (k->custody[i].delegate != NULL)
			return &k->custody[i];
	return NULL;
}

static void
keyring_stop(void *self)
{
	struct keyring *k = self;

	if (k == NULL)
		return;
	keyring_drop_password(k);
	for (size_t i = 0; i < CUSTODY_PURPOSE__COUNT; i++)
		keyring_drop_custody(k, (enum custody_purpose)i);
	channels_free(&k->channels);
	key_pair_free(&k->boot_pair);
	key_free(&k->ruling_key);
	key_free(&k->custody_box);
	channel_free(&k->search);
	channel_free(&k->profile);
	free(k);
}

/* A key for one use, from the one that this actor and the other share. */
static enum err
shared_key(const struct actor_context *context, enum actor other, const char *label, struct key **out)
{
	struct key *pair = NULL;
	enum err e;

	if ((e = key_of(context->pair_key(context->host, other), &pair)) != OK)
		return e;
	if ((e = key_new(out)) == OK)
		derive(pair, label, (struct span){ NULL, 0 }, *out);
	key_free(&pair);
	return e;
}

static enum err
keyring_start(const struct actor_context *context, void **self)
{
	struct keyring *k = calloc(1, sizeof *k);
	enum err e;

	if (k == NULL)
		return ERR_NO_MEMORY;
	k->settings = context->settings;
	k->boot = uuid_make(clock_wall());
	if ((e = key_pair_new(&k->boot_pair)) != OK ||
	    (e = channels_new(&k->channels)) != OK ||
	    (e = shared_key(context, ACTOR_GRANTS, "memories/ruling-key/v1", &k->ruling_key)) != OK ||
	    (e = shared_key(context, ACTOR_CUSTODY, "memories/custody-box/v1", &k->custody_box)) != OK ||
	    (e = channel_of_pair(context->pair_key(context->host, ACTOR_SEARCH), &k->search)) != OK ||
	    (e = channel_of_pair(context->pair_key(context->host, ACTOR_PROFILE), &k->profile)) != OK) {
		keyring_stop(k);
		return e;
	}
	*self = k;
	return OK;
}

/* With the log key while unlocked, else with a delegate; false when none is here. */
static bool
certify(const struct keyring *k, enum cert_purpose purpose, struct uuid context,
    const uint8_t subject[32], uint8_t buf[CERT_LEN], struct span *out)
{
	const struct custody_keys *d = keyring_delegate(k);
	struct wire_out o = wire_out(buf, CERT_LEN);
	struct cert c;

	if (k->log_key != NULL)
		cert_make(k->log_key, NULL, purpose, context, subject, &c);
	else if (d != NULL)
		cert_make(d->delegate, &d->delegation, purpose, context, subject, &c);
	else
		return false;
	cert_put(&o, &c);
	*out = wire_written(&o);
	return true;
}

/* The boot key, and the epochs that acks are signed in, each with who stands behind it. `who`: BOOT or HTTP_BOOT. */
static enum err
tell_boot(struct keyring *k, enum msg who, struct outbox *out)
{
	struct boot_body boot = { .boot = k->boot, .epoch_known = k->epoch_known, .epoch = k->epoch };
	uint8_t boot_cert[CERT_LEN], epoch_cert[CERT_LEN], earlier_cert[CERT_LEN];

	memcpy(boot.boot_public, k->boot_pair.public_key, sizeof boot.boot_public);
	memcpy(boot.epoch_public, k->epoch_public, sizeof boot.epoch_public);
	boot.certified = certify(k, CERT_BOOT, k->boot, boot.boot_public, boot_cert, &boot.certificate);
	if (k->epoch_known)
		(void)certify(k, CERT_EPOCH, k->epoch, k->epoch_public, epoch_cert, &boot.epoch_certificate);
	if (k->earlier_known)
		(void)certify(k, CERT_EPOCH, k->earlier, k->earlier_public, earlier_cert, &boot.earlier_certificate);
	return outbox_put(out, who, 0, &boot);
}

static enum err
tell_epoch(struct keyring *k, struct outbox *out)
{
	struct certificate_body c;
	uint8_t buf[CERT_LEN];

	if (!k->epoch_known ||
	    !certify(k, CERT_EPOCH, k->epoch, k->epoch_public, buf, &c.certificate))
		return OK;
	return outbox_put(out, MSG_EPOCH_CERTIFIED, 0, &c);
}

static enum err
tell_state(struct keyring *k, struct outbox *out)
{
	struct keyring_state_body s = { .unlocked = k->root != NULL, .loaded = k->custody[CUSTODY_UNATTENDED].key != NULL,
		.profile_loaded = k->custody[CUSTODY_PROFILE].key != NULL };

	return outbox_put(out, MSG_KEYRING_STATE, 0, &s);
}

enum err
keyring_tell(struct keyring *k, struct outbox *out)
{
	enum err e;

	/* The doors first: audit goes over to an epoch as soon as it is certified, and clients then ask for it there. */
	if ((e = tell_boot(k, MSG_BOOT, out)) != OK || (k->http_up && (e = tell_boot(k, MSG_HTTP_BOOT, out)) != OK) ||
	    (e = tell_epoch(k, out)) != OK)
		return e;
	return tell_state(k, out);
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	struct keyring *k = self;

	if (other == ACTOR_AUDIT) {
		k->audit_up = up;
		k->epoch_known = k->earlier_known = false;
	}
	if (other == ACTOR_SEARCH)
		k->search_up = up;
	if (other == ACTOR_HTTP)
		k->http_up = up;
	if (other == ACTOR_PROFILE) {
		k->profile_up = up;
		/* A new process has to be given the key anew. */
		k->profile_open = false;
	}
	if (!up)
		return;
	if (other == ACTOR_SEARCH)
		(void)outbox_put(out, MSG_SEARCH_BOOT, 0, &(struct one_id_body){ .id = k->boot });
	else if (other == ACTOR_GATE)
		(void)tell_boot(k, MSG_BOOT, out);
	else if (other == ACTOR_HTTP)
		(void)tell_boot(k, MSG_HTTP_BOOT, out);
	else if (other == ACTOR_GRANTS)
		(void)tell_state(k, out);
}

static enum err
on_epoch(void *self, const struct inbound *in, struct outbox *out)
{
	struct keyring *k = self;

	if (k->epoch_known && !uuid_equal(k->epoch, in->body->epoch.epoch)) {
		k->earlier_known = true;
		k->earlier = k->epoch;
		memcpy(k->earlier_public, k->epoch_public, sizeof k->earlier_public);
	}
	k->epoch_known = true;
	k->epoch = in->body->epoch.epoch;
	memcpy(k->epoch_public, in->body->epoch.epoch_public, sizeof k->epoch_public);
	return keyring_tell(k, out);
}

const struct actor_spec keyring_actor = {
	.id = ACTOR_KEYRING,
	.start = keyring_start,
	.stop = keyring_stop,
	.handlers = handlers,
	.n_handlers = sizeof handlers / sizeof *handlers,
	.on_edge = on_edge,
};
