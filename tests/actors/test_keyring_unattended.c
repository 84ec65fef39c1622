/* The keyring and unattended access, and the profile's own custody: enrolment, key-only start, and keys that need a token's half. */
#include "tests/actors/mint_rig.h"

#define BACKEND ((struct span){ (const uint8_t *)"owner-file", 10 })
#define CONTEXT ((struct span){ (const uint8_t *)"the home and the library", 24 })

static int
setup(void **state)
{
	int rc = keyring_rig_setup(state);

	keyring_rig_meet_audit(*state);
	return rc;
}

/* What custody and grants keep of an enrolment, copied out of the message. */
struct kept {
	struct material_body m;
	uint8_t              delegation[DELEGATION_LEN];
};

static struct kept
enrol_for(struct keyring_rig *k, enum custody_purpose purpose, const uint8_t sealed_profile[SEALED_KEY_LEN])
{
	struct enrol_body enrol = { .purpose = (uint8_t)purpose, .enrolment = keyring_rig_id((uint8_t)(0x61 + purpose)),
		.library = k->library, .backend = BACKEND, .context = CONTEXT };
	struct kept kept;
	const union any_body *b;

	if (sealed_profile != NULL)
		memcpy(enrol.sealed_profile, sealed_profile, sizeof enrol.sealed_profile);
	assert_int_equal(rig_deliver(k->r, MSG_ENROL, ACTOR_GRANTS, 8, &enrol), OK);
	assert_non_null(b = rig_expect(k->r, MSG_MATERIAL_STORE));
	assert_int_equal(rig_ask_id(k->r), 8);
	kept.m = b->material;
	assert_int_equal(b->material.ref.delegation.len, DELEGATION_LEN);
	memcpy(kept.delegation, b->material.ref.delegation.p, DELEGATION_LEN);
	kept.m.ref.delegation = (struct span){ kept.delegation, DELEGATION_LEN };
	kept.m.ref.backend = BACKEND;
	kept.m.context = CONTEXT;
	return kept;
}

static struct kept
enrol(struct keyring_rig *k)
{
	return enrol_for(k, CUSTODY_UNATTENDED, NULL);
}

static enum err
load(struct keyring_rig *k, struct kept *kept)
{
	const union any_body *b;

	kept->m.ref.delegation.p = kept->delegation;
	assert_int_equal(rig_deliver(k->r, MSG_MATERIAL, ACTOR_CUSTODY, 12, &kept->m), OK);
	while (rig_next(k->r) != MSG_KEY_LOADED && rig_next(k->r) != MSG_NONE)
		(void)rig_expect(k->r, rig_next(k->r));
	assert_non_null(b = rig_expect(k->r, MSG_KEY_LOADED));
	assert_int_equal(rig_ask_id(k->r), 12);
	assert_true(rig_silent(k->r));
	return (enum err)b->custody_result.error;
}

/* The keyring's process ended and another began; the pair keys of a rig stay the same. */
static void
restart(struct keyring_rig *k)
{
	rig_close(&k->r);
	assert_int_equal(rig_open(&keyring_actor, &k->settings, &k->r), OK);
	keyring_rig_meet(k);
	keyring_rig_meet_audit(k);
}

static void
enrolling_loads_the_key_and_hands_custody_boxed_material(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	struct key *material = NULL, *envelope = NULL, *unattended = NULL;
	struct enrol_body e = { .enrolment = keyring_rig_id(0x61), .backend = BACKEND, .context = CONTEXT };
	const union any_body *b;
	struct kept kept;

	assert_int_equal(rig_deliver(k->r, MSG_ENROL, ACTOR_GRANTS, 8, &e), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEYS_NOT_MADE));
	assert_int_equal(b->result.error, ERR_LOCKED);
	assert_null(self->custody[CUSTODY_UNATTENDED].key);

	keyring_rig_unlock(k);
	kept = enrol(k);
	assert_int_equal(key_new(&material), OK);
	assert_int_equal(key_new(&envelope), OK);
	assert_int_equal(key_new(&unattended), OK);
	assert_int_equal(key_open(k->custody_box, (struct span){ e.enrolment.b, UUID_LEN }, kept.m.boxed, material), OK);
	custody_envelope_key(material, CONTEXT, envelope);
	assert_int_equal(key_open(envelope, (struct span){ NULL, 0 }, kept.m.ref.sealed_unattended, unattended), OK);
	assert_memory_equal(unattended->b, self->custody[CUSTODY_UNATTENDED].key->b, KEY_LEN);
	assert_memory_not_equal(unattended->b, material->b, KEY_LEN);
	key_free(&material);
	key_free(&envelope);
	key_free(&unattended);
}

static void
material_loads_the_same_key_into_a_new_keyring_and_leaves_it_locked(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	uint8_t unattended[KEY_LEN];
	struct kept kept;
	const union any_body *b;
	struct wire_in in;
	struct cert c;

	keyring_rig_unlock(k);
	kept = enrol(k);
	memcpy(unattended, self->custody[CUSTODY_UNATTENDED].key->b, KEY_LEN);
	restart(k);
	self = rig_self(k->r);
	assert_null(self->custody[CUSTODY_UNATTENDED].key);
	assert_int_equal(load(k, &kept), OK);
	assert_memory_equal(self->custody[CUSTODY_UNATTENDED].key->b, unattended, KEY_LEN);
	assert_null(self->root);
	rig_edge(k->r, ACTOR_GATE, true);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.certified, 1);
	in = wire_in(b->boot.certificate.p, b->boot.certificate.len);
	cert_take(&in, &c);
	assert_true(wire_done(&in));
	assert_true(c.delegated);
	assert_true(uuid_equal(c.delegation.enrolment, keyring_rig_id(0x61)));
	assert_true(cert_valid(&c, signer_public(k->log_key)));
}

static void
material_of_another_place_opens_nothing(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	struct kept kept, bad;

	keyring_rig_unlock(k);
	kept = enrol(k);
	restart(k);
	self = rig_self(k->r);
	bad = kept;
	bad.m.context = (struct span){ (const uint8_t *)"another home", 12 };
	assert_int_equal(load(k, &bad), ERR_CUSTODY_BINDING);
	bad = kept;
	bad.m.ref.sealed_unattended[30] ^= 1;
	assert_int_equal(load(k, &bad), ERR_CUSTODY_BINDING);
	bad = kept;
	bad.m.boxed[40] ^= 1;
	assert_int_equal(load(k, &bad), ERR_INTERNAL);
	bad = kept;
	bad.m.ref.enrolment.b[0] ^= 1;
	assert_int_equal(load(k, &bad), ERR_INTERNAL);
	bad = kept;
	bad.m.ref.sealed_delegate[30] ^= 1;
	assert_int_equal(load(k, &bad), ERR_STORAGE_CORRUPT);
	bad = kept;
	bad.m.ref.delegation.len--;
	assert_int_equal(load(k, &bad), ERR_STORAGE_CORRUPT);
	assert_null(self->custody[CUSTODY_UNATTENDED].key);
	assert_null(self->custody[CUSTODY_UNATTENDED].delegate);
}

/* The profile's key, made and enrolled; *open is what grants keeps of it. */
static struct kept
enrol_profile(struct keyring_rig *k, struct profile_open_body *open)
{
	const union any_body *b;
	struct kept kept;

	rig_forget(k->r);
	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_KEY_MAKE, ACTOR_GRANTS, 5, &(struct library_body){ .library = k->library }), OK);
	assert_non_null(b = rig_expect(k->r, MSG_PROFILE_KEY_MADE));
	*open = (struct profile_open_body){ .library = k->library };
	memcpy(open->sealed, b->profile_key.sealed, sizeof open->sealed);
	kept = enrol_for(k, CUSTODY_PROFILE, open->sealed);
	memcpy(open->sealed_custody, kept.m.ref.sealed_profile, sizeof open->sealed_custody);
	rig_forget(k->r);
	return kept;
}

/* The key that the profile is given, or NULL when it is given none. */
static struct key *
given_key(struct keyring_rig *k, const struct profile_open_body *open)
{
	struct key_binding way = bind_profile_way(6);
	struct channel profile;
	struct key *key = NULL;
	const union any_body *b;

	assert_int_equal(rig_deliver(k->r, MSG_PROFILE_OPEN, ACTOR_GRANTS, 6, open), OK);
	if (rig_next(k->r) != MSG_PROFILE_KEY) {
		rig_forget(k->r);
		return NULL;
	}
	assert_non_null(b = rig_expect(k->r, MSG_PROFILE_KEY));
	assert_int_equal(channel_of_pair(rig_pair_key(ACTOR_KEYRING, ACTOR_PROFILE), &profile), OK);
	assert_int_equal(key_new(&key), OK);
	assert_int_equal(key_open(profile.down, key_binding_span(&way), b->profile_boxed.boxed, key), OK);
	channel_free(&profile);
	return key;
}

static void
the_profiles_custody_opens_the_same_key_and_nothing_of_unattended_access(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	struct profile_open_body open;
	struct key *by_root, *by_custody;
	struct kept profile, unattended, mixed;

	rig_edge(k->r, ACTOR_PROFILE, true);
	keyring_rig_unlock(k);
	unattended = enrol(k);
	profile = enrol_profile(k, &open);
	assert_memory_not_equal(self->custody[CUSTODY_UNATTENDED].key->b, self->custody[CUSTODY_PROFILE].key->b, KEY_LEN);
	assert_non_null(by_root = given_key(k, &open));
	restart(k);
	self = rig_self(k->r);
	rig_edge(k->r, ACTOR_PROFILE, true);
	/* Locked, and with the unattended key alone, it stays closed. */
	assert_null(given_key(k, &open));
	assert_int_equal(load(k, &unattended), OK);
	assert_null(given_key(k, &open));
	/* The material of the one is none of the other's. */
	mixed = profile;
	memcpy(mixed.m.ref.sealed_unattended, unattended.m.ref.sealed_unattended, sizeof mixed.m.ref.sealed_unattended);
	assert_int_equal(load(k, &mixed), ERR_CUSTODY_BINDING);
	assert_int_equal(load(k, &profile), OK);
	assert_null(self->root);
	assert_non_null(by_custody = given_key(k, &open));
	assert_memory_equal(by_custody->b, by_root->b, KEY_LEN);
	key_free(&by_root);
	key_free(&by_custody);
}

static void
the_profiles_delegate_certifies_when_there_is_no_other(void **state)
{
	struct keyring_rig *k = *state;
	struct profile_open_body open;
	struct kept kept;
	const union any_body *b;
	struct wire_in in;
	struct cert c;

	keyring_rig_unlock(k);
	kept = enrol_profile(k, &open);
	restart(k);
	assert_int_equal(load(k, &kept), OK);
	rig_edge(k->r, ACTOR_GATE, true);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.certified, 1);
	in = wire_in(b->boot.certificate.p, b->boot.certificate.len);
	cert_take(&in, &c);
	assert_true(wire_done(&in));
	assert_true(c.delegated);
	assert_true(uuid_equal(c.delegation.enrolment, keyring_rig_id(0x61 + CUSTODY_PROFILE)));
	assert_true(cert_valid(&c, signer_public(k->log_key)));
}

static void
an_idle_drop_leaves_the_profile_open_by_custody_and_a_full_one_closes_it(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	struct profile_open_body open;
	struct key *key;

	rig_edge(k->r, ACTOR_PROFILE, true);
	keyring_rig_unlock(k);
	(void)enrol_profile(k, &open);
	assert_non_null(key = given_key(k, &open));
	key_free(&key);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 1, &(struct keys_drop_body){ .password = 1 }), OK);
	assert_true(self->profile_open);
	assert_non_null(self->custody[CUSTODY_PROFILE].key);
	/* A disable of unattended access is not about it. */
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 1, &(struct keys_drop_body){ .unattended = 1 }), OK);
	assert_true(self->profile_open);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 1, &(struct keys_drop_body){ .profile = 1 }), OK);
	assert_false(self->profile_open);
	assert_null(self->custody[CUSTODY_PROFILE].key);
	assert_null(self->custody[CUSTODY_PROFILE].delegate);
}

static void
an_idle_drop_leaves_the_unattended_key_and_a_full_one_wipes_it(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	const struct key *slot;

	keyring_rig_unlock(k);
	(void)enrol(k);
	slot = self->custody[CUSTODY_UNATTENDED].key;
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 1, &(struct keys_drop_body){ .password = 1 }), OK);
	assert_null(self->root);
	assert_non_null(self->custody[CUSTODY_UNATTENDED].key);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 1, &(struct keys_drop_body){ .unattended = 1 }), OK);
	assert_null(self->custody[CUSTODY_UNATTENDED].key);
	assert_null(self->custody[CUSTODY_UNATTENDED].delegate);
	for (size_t i = 0; i < sizeof slot->b; i++)
		assert_int_equal(slot->b[i], 0);
	rig_forget(k->r);
}

static void
a_minted_grant_reads_after_a_key_only_start(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_UNATTENDED);
	struct kept kept;
	const union any_body *b;

	keyring_rig_unlock(k);
	kept = enrol(k);
	rig_forget(k->r);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	restart(k);
	assert_int_equal(load(k, &kept), OK);
	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		mint_rig_ask(k, &m, m.token, KEYRING_CLASSES, (enum key_class)c);
		assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
		assert_int_equal(b->intent.subject_kind, LOG_GRANT_ID);
		assert_true(uuid_equal(b->intent.subject, m.grant));
		assert_true(rig_silent(k->r));
	}
	key_free(&m.token);
}

static void
another_token_or_another_grants_wraps_open_nothing(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_UNATTENDED), other;

	keyring_rig_unlock(k);
	(void)enrol(k);
	rig_forget(k->r);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	mint_rig_ask(k, &m, k->root, KEYRING_CLASSES, CLASS_ORDINARY);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	other = m;
	other.grant = keyring_rig_id(0x42);
	mint_rig_ask(k, &other, m.token, KEYRING_CLASSES, CLASS_ORDINARY);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	mint_rig_ask(k, &m, m.token, KEYRING_CLASSES & ~(1u << CLASS_PRIVATE), CLASS_PRIVATE);
	assert_int_equal(keyring_rig_refused(k), ERR_VAULT_NOT_GRANTED);
	key_free(&m.token);
}

static void
a_half_boxed_into_another_ask_or_missing_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w;
	struct key_ref_body ref = keyring_rig_ref(k, CLASS_ORDINARY, PART_TITLE, 0);
	uint8_t boxed[SEALED_KEY_LEN], buf[BINDING_MAX];

	keyring_rig_unlock(k);
	(void)enrol(k);
	rig_forget(k->r);
	w = keyring_rig_wanted(k, OP_LIST);
	keyring_rig_refs(k, &w, &ref, 1);
	w.ruling.grant = keyring_rig_id(0x41);
	w.ruling.grant_type = GRANT_UNATTENDED;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INTERRUPTED);
	key_seal(k->channel.up, ask_binding(&w.ruling.ask, buf), k->root, boxed);
	w.ruling.ask.boxed_half = (struct span){ boxed, sizeof boxed };
	w.ruling.ask.offset++;
	keyring_rig_ask(k, &w);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
}

static void
a_dropped_grant_is_refused_though_its_ruling_is_on_the_way(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_UNATTENDED);

	keyring_rig_unlock(k);
	(void)enrol(k);
	rig_forget(k->r);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	assert_int_equal(rig_deliver(k->r, MSG_GRANT_DROP, ACTOR_GRANTS, 15, &(struct one_id_body){ m.grant }), OK);
	assert_non_null(rig_expect(k->r, MSG_GRANT_DROPPED));
	assert_int_equal(rig_ask_id(k->r), 15);
	mint_rig_ask(k, &m, m.token, KEYRING_CLASSES, CLASS_ORDINARY);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	for (int i = 0; i < DROPPED_GRANTS_MAX - 1; i++)
		assert_int_equal(rig_deliver(k->r, MSG_GRANT_DROP, ACTOR_GRANTS, 15, &(struct one_id_body){ k->vault }), OK);
	rig_forget(k->r);
	mint_rig_ask(k, &m, m.token, KEYRING_CLASSES, CLASS_ORDINARY);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	key_free(&m.token);
}

static void
minting_needs_both_keys_and_a_half_boxed_for_it(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_UNATTENDED);

	assert_int_equal(mint_rig_mint(k, &m, false), ERR_LOCKED);
	keyring_rig_unlock(k);
	assert_int_equal(mint_rig_mint(k, &m, false), ERR_UNATTENDED_NOT_LOADED);
	(void)enrol(k);
	rig_forget(k->r);
	assert_int_equal(mint_rig_mint(k, &m, true), ERR_INVALID_ARGUMENT);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	key_free(&m.token);
}

static void
minting_a_vault_whose_keys_do_not_open_is_refused(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_UNATTENDED);

	keyring_rig_unlock(k);
	(void)enrol(k);
	rig_forget(k->r);
	k->root->b[0] ^= 1; /* so that the wraps are under another key than the keyring's */
	assert_int_equal(mint_rig_mint(k, &m, false), ERR_STORAGE_CORRUPT);
	k->root->b[0] ^= 1;
	key_free(&m.token);
}

static void
no_enrolment_or_mint_leaves_a_key_behind(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_UNATTENDED);
	struct kept kept;
	size_t left;

	keyring_rig_unlock(k);
	kept = enrol(k);
	rig_forget(k->r);
	left = keys_left();
	for (int i = 0; i < 10; i++) {
		(void)enrol(k);
		rig_forget(k->r);
		(void)mint_rig_mint(k, &m, i % 2 == 0);
		(void)load(k, &kept);
	}
	assert_int_equal(keys_left(), left);
	key_free(&m.token);
}

#define UNATTENDED_TEST(f) cmocka_unit_test_setup_teardown(f, setup, keyring_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		UNATTENDED_TEST(enrolling_loads_the_key_and_hands_custody_boxed_material),
		UNATTENDED_TEST(material_loads_the_same_key_into_a_new_keyring_and_leaves_it_locked),
		UNATTENDED_TEST(material_of_another_place_opens_nothing),
		UNATTENDED_TEST(the_profiles_custody_opens_the_same_key_and_nothing_of_unattended_access),
		UNATTENDED_TEST(the_profiles_delegate_certifies_when_there_is_no_other),
		UNATTENDED_TEST(an_idle_drop_leaves_the_profile_open_by_custody_and_a_full_one_closes_it),
		UNATTENDED_TEST(an_idle_drop_leaves_the_unattended_key_and_a_full_one_wipes_it),
		UNATTENDED_TEST(a_minted_grant_reads_after_a_key_only_start),
		UNATTENDED_TEST(another_token_or_another_grants_wraps_open_nothing),
		UNATTENDED_TEST(a_half_boxed_into_another_ask_or_missing_is_refused),
		UNATTENDED_TEST(a_dropped_grant_is_refused_though_its_ruling_is_on_the_way),
		UNATTENDED_TEST(minting_needs_both_keys_and_a_half_boxed_for_it),
		UNATTENDED_TEST(minting_a_vault_whose_keys_do_not_open_is_refused),
		UNATTENDED_TEST(no_enrolment_or_mint_leaves_a_key_behind),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
