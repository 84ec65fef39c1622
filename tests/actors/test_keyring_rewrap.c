/* The root key under a new password. */
#include "tests/actors/keyring_rig.h"

static struct rewrap_body
offer_of(struct keyring_rig *k, const struct key *kek, uint32_t memory_kib)
{
	struct rewrap_body b = { .library = k->library,
		.offer = { .client_ask = ++k->n_asks, .kdf = { .passes = 3, .memory_kib = memory_kib } } };
	uint8_t buf[BINDING_MAX];

	memset(b.offer.kdf.salt, 9, sizeof b.offer.kdf.salt);
	memcpy(b.offer.opener, k->opener.public_key, sizeof b.offer.opener);
	key_seal(k->channel.up, passwd_binding(&b.offer, buf), kek, b.offer.boxed_kek);
	return b;
}

static enum err
rewrap(struct keyring_rig *k, const struct rewrap_body *b, uint8_t sealed[SEALED_KEY_LEN])
{
	const union any_body *answer;

	assert_int_equal(rig_deliver(k->r, MSG_REWRAP, ACTOR_GRANTS, 900, b), OK);
	if (rig_next(k->r) == MSG_KEYS_NOT_MADE)
		return (enum err)rig_expect(k->r, MSG_KEYS_NOT_MADE)->result.error;
	answer = rig_expect(k->r, MSG_REWRAPPED);
	assert_non_null(answer);
	memcpy(sealed, answer->rewrapped.sealed_root, SEALED_KEY_LEN);
	return OK;
}

static void
the_new_passwords_key_opens_the_same_root(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t sealed[SEALED_KEY_LEN];
	struct key_binding binding;
	struct key *kek = NULL, *root = NULL;
	struct rewrap_body b;

	keyring_rig_unlock(k);
	assert_int_equal(key_random(&kek), OK);
	b = offer_of(k, kek, 4096);
	assert_int_equal(rewrap(k, &b, sealed), OK);
	binding = bind_root(k->library, 3, 4096, b.offer.kdf.salt);
	assert_int_equal(key_new(&root), OK);
	assert_int_equal(key_open(kek, key_binding_span(&binding), sealed, root), OK);
	assert_memory_equal(root->b, k->root->b, KEY_LEN);
	key_free(&kek);
	key_free(&root);
}

static void
a_locked_keyring_a_weak_stretching_and_a_foreign_box_are_refused(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t sealed[SEALED_KEY_LEN];
	struct key *kek = NULL;
	struct rewrap_body b;

	assert_int_equal(key_random(&kek), OK);
	b = offer_of(k, kek, 4096);
	assert_int_equal(rewrap(k, &b, sealed), ERR_LOCKED);
	keyring_rig_unlock(k);
	k->settings.kdf_memory_kib_min = 4097;
	assert_int_equal(rewrap(k, &b, sealed), ERR_KDF_TOO_WEAK);
	k->settings.kdf_memory_kib_min = 4096;
	b.offer.kdf.passes++;
	assert_int_equal(rewrap(k, &b, sealed), ERR_INVALID_ARGUMENT);
	b = offer_of(k, kek, 4096);
	b.offer.client_ask++;
	assert_int_equal(rewrap(k, &b, sealed), ERR_INVALID_ARGUMENT);
	key_free(&kek);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KEYRING_TEST(the_new_passwords_key_opens_the_same_root),
		KEYRING_TEST(a_locked_keyring_a_weak_stretching_and_a_foreign_box_are_refused),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
