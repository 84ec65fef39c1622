/* The keyring and the password: what it tells, how it locks, what stays behind. */
#include "tests/actors/keyring_rig.h"

static const struct keyring *
self(const struct keyring_rig *k)
{
	return rig_self(k->r);
}

static void
it_starts_locked_with_a_boot_key_that_nobody_certified(void **state)
{
	struct keyring_rig *k = *state;
	const union any_body *b;

	rig_edge(k->r, ACTOR_GATE, true);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.certified, 0);
	assert_int_equal(b->boot.certificate.len, 0);
	rig_edge(k->r, ACTOR_GRANTS, true);
	assert_non_null(b = rig_expect(k->r, MSG_KEYRING_STATE));
	assert_int_equal(b->keyring_state.unlocked, 0);
	assert_int_equal(b->keyring_state.loaded, 0);
	assert_true(rig_silent(k->r));
}

static void
the_right_password_certifies_the_boot_key_before_it_says_so(void **state)
{
	struct keyring_rig *k = *state;
	struct kek_try_body try = k->try;
	uint8_t buf[BINDING_MAX];
	const union any_body *b;
	struct wire_in in;
	struct cert c;

	try.client_ask = 5;
	memcpy(try.opener, k->opener.public_key, 32);
	key_seal(k->channel.up, kek_binding(5, true, buf), k->kek, try.boxed_kek);
	assert_int_equal(rig_deliver(k->r, MSG_KEK_TRY, ACTOR_GRANTS, 3, &try), OK);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.certified, 1);
	in = wire_in(b->boot.certificate.p, b->boot.certificate.len);
	cert_take(&in, &c);
	assert_true(wire_done(&in));
	assert_int_equal(c.purpose, CERT_BOOT);
	assert_true(uuid_equal(c.context, k->boot));
	assert_memory_equal(c.subject, k->boot_public, 32);
	assert_true(cert_valid(&c, signer_public(k->log_key)));
	assert_non_null(b = rig_expect(k->r, MSG_KEYRING_STATE));
	assert_int_equal(b->keyring_state.unlocked, 1);
	assert_non_null(b = rig_expect(k->r, MSG_KEK_TRIED));
	assert_int_equal(b->result.error, OK);
}

static void
an_epoch_is_certified_once_a_key_is_here(void **state)
{
	struct keyring_rig *k = *state;
	struct epoch_body epoch = { .epoch = keyring_rig_id(0x81) };
	const union any_body *b;
	struct wire_in in;
	struct cert c;

	memset(epoch.epoch_public, 6, 32);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &epoch), OK);
	assert_int_equal(rig_next(k->r), MSG_BOOT);
	rig_forget(k->r);
	assert_int_equal(keyring_rig_try(k, false, k->kek), OK);
	keyring_rig_unlock(k);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &epoch), OK);
	assert_non_null(rig_expect(k->r, MSG_BOOT));
	assert_non_null(b = rig_expect(k->r, MSG_EPOCH_CERTIFIED));
	in = wire_in(b->certificate.certificate.p, b->certificate.certificate.len);
	cert_take(&in, &c);
	assert_true(wire_done(&in));
	assert_int_equal(c.purpose, CERT_EPOCH);
	assert_true(uuid_equal(c.context, epoch.epoch));
	assert_memory_equal(c.subject, epoch.epoch_public, 32);
	assert_true(cert_valid(&c, signer_public(k->log_key)));
}

/* Audit tells the epoch that is to follow before it runs; acks of the one before are still under way. */
static void
an_epoch_told_after_another_is_certified_beside_it_and_the_gate_hears_first(void **state)
{
	struct keyring_rig *k = *state;
	struct epoch_body first = { .epoch = keyring_rig_id(0x81) }, second = { .epoch = keyring_rig_id(0x82) };
	const union any_body *b;
	struct wire_in in;
	struct cert c;

	memset(first.epoch_public, 6, 32);
	memset(second.epoch_public, 7, 32);
	keyring_rig_unlock(k);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &first), OK);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.earlier_certificate.len, 0);
	rig_forget(k->r);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &first), OK);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.earlier_certificate.len, 0);
	rig_forget(k->r);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &second), OK);
	assert_int_equal(rig_next(k->r), MSG_BOOT);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_true(uuid_equal(b->boot.epoch, second.epoch));
	in = wire_in(b->boot.earlier_certificate.p, b->boot.earlier_certificate.len);
	cert_take(&in, &c);
	assert_true(wire_done(&in));
	assert_true(uuid_equal(c.context, first.epoch));
	assert_memory_equal(c.subject, first.epoch_public, 32);
	assert_true(cert_valid(&c, signer_public(k->log_key)));
	assert_non_null(rig_expect(k->r, MSG_EPOCH_CERTIFIED));
}

static void
a_lost_audit_takes_its_epoch_with_it(void **state)
{
	struct keyring_rig *k = *state;
	struct epoch_body epoch = { .epoch = keyring_rig_id(0x81) };
	const union any_body *b;

	keyring_rig_unlock(k);
	assert_int_equal(rig_deliver(k->r, MSG_EPOCH, ACTOR_AUDIT, 0, &epoch), OK);
	rig_forget(k->r);
	rig_edge(k->r, ACTOR_AUDIT, false);
	rig_edge(k->r, ACTOR_GATE, true);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.epoch_known, 0);
}

static void
sudo_tries_the_password_and_loads_nothing(void **state)
{
	struct keyring_rig *k = *state;

	assert_int_equal(keyring_rig_try(k, false, k->kek), OK);
	assert_null(self(k)->root);
	assert_null(self(k)->log_key);
}

static void
a_box_for_sudo_does_not_unlock_and_one_of_another_ask_does_nothing(void **state)
{
	struct keyring_rig *k = *state;
	struct kek_try_body try = k->try;
	uint8_t buf[BINDING_MAX];
	const union any_body *b;

	memcpy(try.opener, k->opener.public_key, 32);
	try.client_ask = 5;
	key_seal(k->channel.up, kek_binding(5, false, buf), k->kek, try.boxed_kek);
	assert_int_equal(rig_deliver(k->r, MSG_KEK_TRY, ACTOR_GRANTS, 3, &try), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEK_TRIED));
	assert_int_equal(b->result.error, ERR_INVALID_ARGUMENT);
	key_seal(k->channel.up, kek_binding(6, true, buf), k->kek, try.boxed_kek);
	assert_int_equal(rig_deliver(k->r, MSG_KEK_TRY, ACTOR_GRANTS, 3, &try), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEK_TRIED));
	assert_int_equal(b->result.error, ERR_INVALID_ARGUMENT);
	assert_null(self(k)->root);
}

static void
wrong_passwords_wait_longer_each_time_up_to_a_minute(void **state)
{
	static const uint64_t waits_ms[] = { 2000, 4000, 8000, 16000, 32000, 60000, 60000 };
	struct keyring_rig *k = *state;

	assert_int_equal(keyring_rig_try(k, true, k->root), ERR_WRONG_PASSWORD);
	assert_int_equal(keyring_rig_try(k, true, k->root), ERR_WRONG_PASSWORD);
	for (size_t i = 0; i < sizeof waits_ms / sizeof *waits_ms; i++) {
		assert_int_equal(keyring_rig_try(k, true, k->root), ERR_WRONG_PASSWORD);
		assert_int_equal(keyring_rig_try(k, true, k->kek), ERR_THROTTLED);
		fake_clock_advance(waits_ms[i] - 1);
		assert_int_equal(keyring_rig_try(k, false, k->kek), ERR_THROTTLED);
		fake_clock_advance(1);
	}
	assert_int_equal(keyring_rig_try(k, true, k->kek), OK);
	assert_int_equal(keyring_rig_try(k, true, k->root), ERR_WRONG_PASSWORD);
	assert_int_equal(keyring_rig_try(k, true, k->kek), OK);
}

static void
an_envelope_that_is_too_cheap_or_changed_is_refused(void **state)
{
	struct keyring_rig *k = *state;

	k->try.kdf.memory_kib = 1023;
	assert_int_equal(keyring_rig_try(k, true, k->kek), ERR_KDF_TOO_WEAK);
	k->try.kdf.memory_kib = 4096;
	k->try.kdf.passes = 2;
	assert_int_equal(keyring_rig_try(k, true, k->kek), ERR_WRONG_PASSWORD);
	k->try.kdf.passes = 3;
	k->try.sealed_log_key[30] ^= 1;
	assert_int_equal(keyring_rig_try(k, true, k->kek), ERR_STORAGE_CORRUPT);
	assert_null(self(k)->root);
	k->try.sealed_log_key[30] ^= 1;
	k->try.library.b[0] ^= 1;
	assert_int_equal(keyring_rig_try(k, true, k->kek), ERR_WRONG_PASSWORD);
	k->try.library.b[0] ^= 1;
	keyring_rig_unlock(k);
}

static void
a_lock_wipes_what_was_loaded_and_tells_before_it_answers(void **state)
{
	struct keyring_rig *k = *state;
	struct keys_drop_body drop = { .password = 1, .unattended = 1 };
	size_t left = keys_left();
	const struct key *root;
	const union any_body *b;

	keyring_rig_unlock(k);
	root = self(k)->root;
	assert_memory_equal(root->b, k->root->b, KEY_LEN);
	assert_int_equal(keys_left(), left - 2 - 2);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 9, &drop), OK);
	assert_non_null(b = rig_expect(k->r, MSG_BOOT));
	assert_int_equal(b->boot.certified, 0);
	assert_non_null(b = rig_expect(k->r, MSG_KEYRING_STATE));
	assert_int_equal(b->keyring_state.unlocked, 0);
	assert_non_null(rig_expect(k->r, MSG_KEYS_DROPPED));
	assert_int_equal(rig_ask_id(k->r), 9);
	assert_null(self(k)->root);
	for (size_t i = 0; i < sizeof root->b; i++)
		assert_int_equal(root->b[i], 0);
	assert_int_equal(keys_left(), left - 2); /* the channel with the opener */
}

static void
a_vaults_keys_are_four_that_only_the_root_key_opens(void **state)
{
	struct keyring_rig *k = *state;
	const union any_body *b;
	struct key *classes[CLASS__COUNT] = { NULL };

	assert_int_equal(rig_deliver(k->r, MSG_VAULT_KEYS_WANTED, ACTOR_GRANTS, 4, &(struct nothing_body){ 0 }), OK);
	assert_non_null(b = rig_expect(k->r, MSG_KEYS_NOT_MADE));
	assert_int_equal(b->result.error, ERR_LOCKED);
	keyring_rig_unlock(k);
	assert_int_equal(rig_deliver(k->r, MSG_VAULT_KEYS_WANTED, ACTOR_GRANTS, 4, &(struct nothing_body){ 0 }), OK);
	assert_non_null(b = rig_expect(k->r, MSG_VAULT_KEYS));
	for (unsigned c = 0; c < CLASS__COUNT; c++) {
		struct key_binding binding = bind_class(b->vault_keys_made.vault, (enum key_class)c);

		assert_int_equal(key_new(&classes[c]), OK);
		assert_int_equal(key_open(k->root, key_binding_span(&binding),
		    b->vault_keys_made.sealed + c * SEALED_KEY_LEN, classes[c]), OK);
		for (unsigned d = 0; d < c; d++)
			assert_memory_not_equal(classes[c]->b, classes[d]->b, KEY_LEN);
	}
	for (unsigned c = 0; c < CLASS__COUNT; c++)
		key_free(&classes[c]);
}

static void
stopping_leaves_no_key_behind(void **state)
{
	struct keyring_rig *k = *state;
	size_t left = keys_left();
	struct rig *r = NULL;

	assert_int_equal(rig_open(&keyring_actor, &k->settings, &r), OK);
	assert_int_equal(keys_left(), left - 7);
	rig_close(&r);
	assert_int_equal(keys_left(), left);
	keyring_rig_unlock(k);
	rig_close(&k->r);
	assert_int_equal(keys_left(), left + 7);
}

static void
a_full_slab_stops_a_start_cleanly(void **state)
{
	static struct key *taken[2048];
	struct keyring_rig *k = *state;
	struct rig *r = NULL;
	size_t n = 0;

	while (key_new(&taken[n]) == OK)
		n++;
	for (size_t spare = 0; spare < 6; spare++) {
		assert_int_equal(rig_open(&keyring_actor, &k->settings, &r), ERR_NO_MEMORY);
		assert_null(r);
		assert_int_equal(keys_left(), spare);
		key_free(&taken[--n]);
	}
	while (n > 0)
		key_free(&taken[--n]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KEYRING_TEST(it_starts_locked_with_a_boot_key_that_nobody_certified),
		KEYRING_TEST(the_right_password_certifies_the_boot_key_before_it_says_so),
		KEYRING_TEST(an_epoch_is_certified_once_a_key_is_here),
		KEYRING_TEST(an_epoch_told_after_another_is_certified_beside_it_and_the_gate_hears_first),
		KEYRING_TEST(a_lost_audit_takes_its_epoch_with_it),
		KEYRING_TEST(sudo_tries_the_password_and_loads_nothing),
		KEYRING_TEST(a_box_for_sudo_does_not_unlock_and_one_of_another_ask_does_nothing),
		KEYRING_TEST(wrong_passwords_wait_longer_each_time_up_to_a_minute),
		KEYRING_TEST(an_envelope_that_is_too_cheap_or_changed_is_refused),
		KEYRING_TEST(a_lock_wipes_what_was_loaded_and_tells_before_it_answers),
		KEYRING_TEST(a_vaults_keys_are_four_that_only_the_root_key_opens),
		KEYRING_TEST(stopping_leaves_no_key_behind),
		KEYRING_TEST(a_full_slab_stops_a_start_cleanly),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
