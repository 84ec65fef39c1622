/* The keys of ordinary grants: what they open, and everything that they cannot. */
#include "tests/actors/mint_rig.h"

static int
setup(void **state)
{
	int rc = keyring_rig_setup(state);

	keyring_rig_meet_audit(*state);
	return rc;
}

static void
an_ordinary_grant_needs_no_enrolment_and_reads_while_unlocked_alone(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_ORDINARY);
	struct keys_drop_body drop = { .password = 1 };
	const union any_body *b;

	assert_int_equal(mint_rig_mint(k, &m, false), ERR_LOCKED);
	keyring_rig_unlock(k);
	assert_int_equal(mint_rig_mint(k, &m, true), ERR_INVALID_ARGUMENT);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	for (int i = 0; i < 2; i++) {
		mint_rig_ask(k, &m, m.token, 1u << CLASS_ORDINARY, CLASS_ORDINARY);
		assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
		assert_int_equal(b->intent.subject_kind, LOG_GRANT_ID);
		assert_true(uuid_equal(b->intent.subject, m.grant));
		assert_true(rig_silent(k->r));
		assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 30, &drop), OK);
		rig_forget(k->r);
		mint_rig_ask(k, &m, m.token, 1u << CLASS_ORDINARY, CLASS_ORDINARY);
		assert_int_equal(keyring_rig_refused(k), ERR_LOCKED);
		/* The same token again after an unlock. */
		keyring_rig_unlock(k);
	}
	key_free(&m.token);
}

/* Whatever a ruling says: there is no wrap, and no key that another one would open under. */
static void
an_ordinary_grant_has_no_key_for_what_is_not_ordinary(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_ORDINARY);

	keyring_rig_unlock(k);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	for (unsigned c = CLASS_PRIVATE; c < CLASS__COUNT; c++) {
		static const uint8_t nothing[SEALED_KEY_LEN];
		uint8_t *sealed = m.wraps.sealed + c * SEALED_KEY_LEN;
		struct key_binding binding = bind_class(k->vault, (enum key_class)c);

		assert_memory_equal(sealed, nothing, sizeof nothing);
		mint_rig_ask(k, &m, m.token, 1u << CLASS_ORDINARY, (enum key_class)c);
		assert_int_equal(keyring_rig_refused(k), ERR_VAULT_NOT_GRANTED);
		/* Zeros; the ordinary class's wrap; the one that the owner has, under the root key. */
		mint_rig_ask(k, &m, m.token, KEYRING_CLASSES, (enum key_class)c);
		assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
		memcpy(sealed, m.wraps.sealed, SEALED_KEY_LEN);
		mint_rig_ask(k, &m, m.token, KEYRING_CLASSES, (enum key_class)c);
		assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
		key_seal(k->root, key_binding_span(&binding), k->classes[c], sealed);
		mint_rig_ask(k, &m, m.token, KEYRING_CLASSES, (enum key_class)c);
		assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	}
	key_free(&m.token);
}

static void
classes_or_a_type_forged_into_a_ruling_fail_its_mac(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_wanted_body w, forged;
	struct key_ref_body ref = keyring_rig_ref(k, CLASS_PRIVATE, PART_TITLE, 0);

	keyring_rig_unlock(k);
	w = keyring_rig_wanted(k, OP_LIST);
	keyring_rig_refs(k, &w, &ref, 1);
	w.ruling.grant = keyring_rig_id(0x41);
	w.ruling.grant_type = GRANT_ORDINARY;
	w.ruling.classes = 1u << CLASS_ORDINARY;
	ruling_mac(k->ruling_key, &w.ruling, w.ruling.mac);
	for (int i = 0; i < 5; i++) {
		forged = w;
		forged.ruling.classes |= i == 0 ? 1u << CLASS_PRIVATE : 0;
		forged.ruling.grant_type = i == 1 ? GRANT_UNATTENDED : i == 2 ? 0 : GRANT_ORDINARY;
		if (i == 3)
			forged.ruling.grant = (struct uuid){ { 0 } };
		forged.ruling.sudo = i == 4;
		assert_int_equal(rig_deliver(k->r, MSG_KEYS_WANTED, ACTOR_VAULT, 7, &forged), OK);
		assert_int_equal(keyring_rig_refused(k), ERR_INTERNAL);
	}
}

static void
a_token_opens_nothing_as_that_of_the_other_type(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_ORDINARY);

	keyring_rig_unlock(k);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	m.type = GRANT_UNATTENDED;
	mint_rig_ask(k, &m, m.token, 1u << CLASS_ORDINARY, CLASS_ORDINARY);
	assert_int_equal(keyring_rig_refused(k), ERR_UNATTENDED_NOT_LOADED);
	m.type = GRANT_ORDINARY;
	mint_rig_ask(k, &m, k->root, 1u << CLASS_ORDINARY, CLASS_ORDINARY);
	assert_int_equal(keyring_rig_refused(k), ERR_INVALID_GRANT);
	key_free(&m.token);
}

static void
a_mint_is_of_the_classes_that_its_type_may_have(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_ORDINARY);

	keyring_rig_unlock(k);
	for (unsigned classes = 0; classes < 32; classes++) {
		m.classes = (uint8_t)classes;
		assert_int_equal(mint_rig_mint(k, &m, false), classes == 1u << CLASS_ORDINARY ? OK : ERR_INTERNAL);
	}
	m.type = GRANT_UNATTENDED;
	for (unsigned classes = 0; classes < 32; classes++) {
		m.classes = (uint8_t)classes;
		assert_int_equal(mint_rig_mint(k, &m, false),
		    classes == 0 || classes > 15 ? ERR_INTERNAL : ERR_UNATTENDED_NOT_LOADED);
	}
	key_free(&m.token);
}

/* Proposes, or as an owner's write: the keyring's word for it. */
static enum err
propose(struct keyring_rig *k, const struct minted *m, enum op op, enum kind kind, bool is_private, struct uuid *named)
{
	struct keys_wanted_body w = keyring_rig_wanted(k, op);
	struct wrap_body wrap = { .key_class = CLASS_ORDINARY };
	struct wire_out o = wire_out(k->wraps, sizeof k->wraps);
	uint8_t boxed[SEALED_KEY_LEN], buf[BINDING_MAX];
	struct key *half = NULL;
	const union any_body *b;

	memcpy(wrap.sealed, m->wraps.sealed, SEALED_KEY_LEN);
	wrap_body_put(&o, &wrap);
	w.ruling.wraps = wire_written(&o);
	w.ruling.classes = 1u << CLASS_ORDINARY;
	w.ruling.grant = m->grant;
	w.ruling.grant_type = (uint8_t)m->type;
	w.ruling.ask.kind = (uint8_t)kind;
	w.ruling.ask.is_private = is_private;
	assert_int_equal(key_new(&half), OK);
	token_half(m->token, half);
	key_seal(k->channel.up, ask_binding(&w.ruling.ask, buf), half, boxed);
	key_free(&half);
	w.ruling.ask.boxed_half = (struct span){ boxed, sizeof boxed };
	keyring_rig_ask(k, &w);
	if (rig_next(k->r) == MSG_KEYS_REFUSED)
		return keyring_rig_refused(k);
	assert_non_null(b = rig_expect(k->r, MSG_AUDIT_INTENT));
	assert_int_equal(b->intent.type, LOG_WRITE);
	assert_int_equal(b->intent.op, OP_PROPOSE);
	*named = b->intent.revision;
	return OK;
}

static void
a_proposal_is_a_new_ordinary_revision_that_the_keyring_names(void **state)
{
	struct keyring_rig *k = *state;
	struct minted m = mint_rig_of(GRANT_ORDINARY);
	struct uuid one, two;

	keyring_rig_unlock(k);
	assert_int_equal(mint_rig_mint(k, &m, false), OK);
	assert_int_equal(propose(k, &m, OP_PROPOSE, KIND_MEMORY, false, &one), OK);
	assert_int_equal(propose(k, &m, OP_PROPOSE, KIND_CARD, false, &two), OK);
	assert_false(uuid_equal(one, two));
	assert_int_equal(propose(k, &m, OP_PROPOSE, KIND_MEMORY, true, &one), ERR_INTERNAL);
	assert_int_equal(propose(k, &m, OP_PROPOSE, KIND_FILE, false, &one), ERR_INTERNAL);
	assert_int_equal(propose(k, &m, OP_PROPOSE, KIND_CREDENTIAL, false, &one), ERR_INTERNAL);
	assert_int_equal(propose(k, &m, OP_WRITE_ASSET, KIND_MEMORY, false, &one), ERR_INTERNAL);
	key_free(&m.token);
}

#define KEYRING_GRANT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, keyring_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KEYRING_GRANT_TEST(an_ordinary_grant_needs_no_enrolment_and_reads_while_unlocked_alone),
		KEYRING_GRANT_TEST(an_ordinary_grant_has_no_key_for_what_is_not_ordinary),
		KEYRING_GRANT_TEST(classes_or_a_type_forged_into_a_ruling_fail_its_mac),
		KEYRING_GRANT_TEST(a_token_opens_nothing_as_that_of_the_other_type),
		KEYRING_GRANT_TEST(a_mint_is_of_the_classes_that_its_type_may_have),
		KEYRING_GRANT_TEST(a_proposal_is_a_new_ordinary_revision_that_the_keyring_names),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
