/* keyring_rig: a keyring with a library that it can open, and an asker that it can be asked by. */
#ifndef TESTS_ACTORS_KEYRING_RIG_H
#define TESTS_ACTORS_KEYRING_RIG_H

#include <stdlib.h>
#include <string.h>

#include "actors/keyring.h"
#include "actors/keyring_state.h"
#include "escrow/ack.h"
#include "escrow/binding.h"
#include "escrow/hash.h"
#include "escrow/keys.h"
#include "escrow/random.h"
#include "store/log_record.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"
#include "tests/support/rig.h"

#define KEYRING_CLASSES ((1u << CLASS__COUNT) - 1)

struct keyring_rig {
	struct rig     *r;
	struct settings settings;
	struct key     *root, *kek, *ruling_key, *custody_box;
	struct key     *classes[CLASS__COUNT];
	struct signer  *log_key;
	struct uuid     library, vault, asset, revision;
	struct kek_try_body try;           /* opens the library; boxed anew by keyring_rig_try */
	struct key_pair opener;
	struct channel  channel;
	struct uuid     boot;
	uint8_t         boot_public[32];
	uint64_t        n_asks;
	uint8_t         wraps[CLASS__COUNT * (1 + SEALED_KEY_LEN)];
	uint8_t         refs[3800];
};

static inline struct uuid
keyring_rig_id(uint8_t what)
{
	struct uuid id;

	memset(id.b, what, UUID_LEN);
	return id;
}

/* The key that two actors of every rig make of what they share. */
static inline struct key *
keyring_rig_shared(enum actor other, const char *label)
{
	struct key *pair = NULL, *k = NULL;

	assert_int_equal(key_of(rig_pair_key(ACTOR_KEYRING, other), &pair), OK);
	assert_int_equal(key_new(&k), OK);
	derive(pair, label, (struct span){ NULL, 0 }, k);
	key_free(&pair);
	return k;
}

static inline void
keyring_rig_library(struct keyring_rig *k)
{
	struct key_binding root_binding, log_binding = bind_log_key(k->library);
	struct key *seed = NULL;

	k->try = (struct kek_try_body){ .load = 1, .library = k->library, .kdf = { .passes = 3, .memory_kib = 4096 } };
	memset(k->try.kdf.salt, 5, sizeof k->try.kdf.salt);
	root_binding = bind_root(k->library, 3, 4096, k->try.kdf.salt);
	assert_int_equal(key_random(&k->root), OK);
	assert_int_equal(key_random(&k->kek), OK);
	assert_int_equal(signer_new(&k->log_key), OK);
	assert_int_equal(key_new(&seed), OK);
	signer_seed(k->log_key, seed);
	key_seal(k->kek, key_binding_span(&root_binding), k->root, k->try.sealed_root);
	key_seal(k->root, key_binding_span(&log_binding), seed, k->try.sealed_log_key);
	key_free(&seed);
	for (size_t c = 0; c < CLASS__COUNT; c++)
		assert_int_equal(key_random(&k->classes[c]), OK);
}

/* Takes the boot key that it says to a gate, and makes a channel with it. */
static inline void
keyring_rig_meet(struct keyring_rig *k)
{
	const union any_body *b;

	rig_edge(k->r, ACTOR_GATE, true);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	k->boot = b->boot.boot;
	memcpy(k->boot_public, b->boot.boot_public, 32);
	channel_free(&k->channel);
	assert_int_equal(channel_of_opener(&k->opener, k->boot_public, &k->channel), OK);
}

/* The log is there and says its epoch. */
static inline void
keyring_rig_meet_audit(struct keyring_rig *k)
{
	struct epoch_body epoch = { .epoch = keyring_rig_id(0x81) };

	memset(epoch.epoch_public, 6, sizeof epoch.epoch_public);
	rig_edge(k->r, ACTOR_AUDIT, true);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &epoch), OK);
	rig_forget(k->r);
}

static inline int
keyring_rig_setup(void **state)
{
	struct keyring_rig *k = calloc(1, sizeof *k);

	if (k == NULL)
		return -1;
	fake_clock_set(1764496800000, 100000);
	k->settings = (struct settings){ .home = "/home/ada", .kdf_memory_kib_min = 1024, .weakened = "" };
	k->library = keyring_rig_id(0x51);
	k->vault = keyring_rig_id(0x11);
	k->asset = keyring_rig_id(0x21);
	k->revision = keyring_rig_id(0x31);
	assert_int_equal(rig_open(&keyring_actor, &k->settings, &k->r), OK);
	keyring_rig_library(k);
	k->ruling_key = keyring_rig_shared(ACTOR_GRANTS, "memories/ruling-key/v1");
	k->custody_box = keyring_rig_shared(ACTOR_CUSTODY, "memories/custody-box/v1");
	assert_int_equal(key_pair_new(&k->opener), OK);
	keyring_rig_meet(k);
	*state = k;
	return 0;
}

static inline int
keyring_rig_teardown(void **state)
{
	struct keyring_rig *k = *state;

	rig_close(&k->r);
	key_free(&k->root);
	key_free(&k->kek);
	key_free(&k->ruling_key);
	key_free(&k->custody_box);
	for (size_t c = 0; c < CLASS__COUNT; c++)
		key_free(&k->classes[c]);
	signer_free(&k->log_key);
	key_pair_free(&k->opener);
	channel_free(&k->channel);
	free(k);
	fake_clock_off();
	return 0;
}

/* Boxes this KEK and has it tried; the result, with what was told before it taken away. */
static inline enum err
keyring_rig_try(struct keyring_rig *k, bool load, const struct key *kek)
{
	struct kek_try_body try = k->try;
	uint8_t buf[BINDING_MAX];
	const union any_body *b;

	try.load = load;
	try.client_ask = ++k->n_asks;
	memcpy(try.opener, k->opener.public_key, sizeof try.opener);
	key_seal(k->channel.up, kek_binding(try.client_ask, load, buf), kek, try.boxed_kek);
	assert_int_equal(rig_deliver(k->r, MSG_KEK_TRY, ACTOR_GRANTS, 900 + k->n_asks, &try), OK);
	while (rig_next(k->r) == MSG_BOOT || rig_next(k->r) == MSG_HTTP_BOOT || rig_next(k->r) == MSG_KEYRING_STATE ||
	    rig_next(k->r) == MSG_EPOCH_CERTIFIED)
		(void)rig_expect(k->r, rig_next(k->r));
	assert_non_null(b = rig_expect(k->r, MSG_KEK_TRIED));
	assert_int_equal(rig_ask_id(k->r), 900 + k->n_asks);
	assert_true(rig_silent(k->r));
	return (enum err)b->result.error;
}

static inline void
keyring_rig_unlock(struct keyring_rig *k)
{
	assert_int_equal(keyring_rig_try(k, true, k->kek), OK);
}

/* Class keys under the root key, of the classes in the mask. */
static inline struct span
keyring_rig_wraps(struct keyring_rig *k, unsigned classes)
{
	struct wire_out o = wire_out(k->wraps, sizeof k->wraps);

	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		struct key_binding binding = bind_class(k->vault, (enum key_class)c);
		struct wrap_body w = { .key_class = (uint8_t)c };

		if ((classes & 1u << c) == 0)
			continue;
		key_seal(k->root, key_binding_span(&binding), k->classes[c], w.sealed);
		wrap_body_put(&o, &w);
	}
	return wire_written(&o);
}

/* The owner's ask for that operation, with a ruling over all classes. */
static inline struct keys_wanted_body
keyring_rig_wanted(struct keyring_rig *k, enum op op)
{
	struct keys_wanted_body w = { .ruling = {
		.ask = { .boot = k->boot, .client_ask = ++k->n_asks, .op = (uint8_t)op, .surface = SURFACE_OWNER,
		    .vault = k->vault, .asset = k->asset, .limit = 100 },
		.deadline_boot_ms = clock_mono().ms + 2000, .classes = KEYRING_CLASSES,
		.subject_kind = LOG_TERMINAL, .subject = keyring_rig_id(0x77) } };

	memcpy(w.ruling.ask.opener, k->opener.public_key, 32);
	w.ruling.wraps = keyring_rig_wraps(k, KEYRING_CLASSES);
	if (op == OP_READ || op == OP_CREDENTIAL_BYTES || op == OP_DETAILS || op == OP_PROPOSAL_READ)
		w.revision = k->revision;
	if (op == OP_READ || op == OP_CREDENTIAL_BYTES || op == OP_PROPOSAL_READ)
		w.length = 1;
	return w;
}

static inline void
keyring_rig_refs(struct keyring_rig *k, struct keys_wanted_body *w, const struct key_ref_body *refs, size_t n)
{
	struct wire_out o = wire_out(k->refs, sizeof k->refs);

	for (size_t i = 0; i < n; i++)
		key_ref_body_put(&o, &refs[i]);
	assert_false(o.failed);
	w->n_refs = (uint16_t)n;
	w->refs = wire_written(&o);
}

static inline struct key_ref_body
keyring_rig_ref(const struct keyring_rig *k, enum key_class c, enum part part, uint32_t index)
{
	return (struct key_ref_body){ .key_class = (uint8_t)c, .asset = k->asset, .revision = k->revision,
		.part = (uint8_t)part, .index = index };
}

/* Signs as grants would, and has it heard as ask 7. */
static inline void
keyring_rig_ask(struct keyring_rig *k, struct keys_wanted_body *w)
{
	ruling_mac(k->ruling_key, &w->ruling, w->ruling.mac);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 7, w), OK);
}

/* The error of the refusal that must come, and nothing else with it. */
static inline enum err
keyring_rig_refused(struct keyring_rig *k)
{
	const union any_body *b = rig_expect(k->r, MSG_KEYS_REFUSED);

	if (b == NULL)
		fail_msg("%s came instead of a refusal", msg_name(rig_next(k->r)));
	assert_int_equal(rig_ask_id(k->r), 7);
	assert_true(rig_silent(k->r));
	return (enum err)b->refusal.error;
}

/* Opens the ticket as the asker would, who knows what it asked and what the deposit names. */
static inline enum err
keyring_rig_open(const struct keyring_rig *k, const struct keys_wanted_body *w, struct span refs, struct span ticket,
    struct audit_ack **ack)
{
	struct ticket_terms terms = {
		.boot = k->boot, .client_ask = w->ruling.ask.client_ask, .op = (enum op)w->ruling.ask.op,
		.vault = w->ruling.ask.vault, .asset = w->ruling.ask.asset, .revision = w->ruling.ask.revision,
		.offset = w->ruling.ask.offset, .limit = w->ruling.ask.limit, .refs = refs,
	};

	return ack_accept(&k->channel, &terms, ticket, ack);
}

/* True when the i-th key of the ack opens what is sealed under that place of that class key. */
static inline bool
keyring_rig_opens(const struct audit_ack *ack, size_t i, const struct key *class_key, const struct key_ref_body *ref)
{
	static const struct span ad = { (const uint8_t *)"piece", 5 };
	struct key *revision = NULL, *chunk = NULL;
	uint8_t sealed[4 + SEAL_OVERHEAD];
	struct secret *plain = NULL;
	bool opens;

	assert_int_equal(key_new(&revision), OK);
	assert_int_equal(key_new(&chunk), OK);
	revision_key(class_key, ref->asset, ref->revision, revision);
	chunk_key(revision, (enum part)ref->part, ref->index, chunk);
	seal(chunk->b, ad, (struct span){ (const uint8_t *)"text", 4 }, sealed);
	opens = escrow_open(ack, i, ad, (struct span){ sealed, sizeof sealed }, &plain) == OK;
	secret_free(&plain);
	key_free(&revision);
	key_free(&chunk);
	return opens;
}

#define KEYRING_TEST(f) cmocka_unit_test_setup_teardown(f, keyring_rig_setup, keyring_rig_teardown)

#endif
