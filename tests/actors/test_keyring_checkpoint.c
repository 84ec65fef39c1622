/* The keyring and checkpoints: it signs the text that it makes from library, size and root, with what it has. */
#include "store/log_note.h"
#include "tests/actors/keyring_rig.h"

static struct log_note note;
static uint8_t bytes[LOG_NOTE_MADE_MAX + 1];

/* Its answer for size 77 and a root of threes; the note is kept when there is one. */
static enum err
ask(struct keyring_rig *k, uint8_t public_key[SIGN_PUBLIC_LEN])
{
	struct checkpoint_wanted_body wanted = { .library = k->library, .size = 77 };
	const union any_body *b;

	memset(wanted.root, 3, sizeof wanted.root);
	assert_int_equal(rig_deliver(k->r, MSG_CHECKPOINT_WANTED, ACTOR_AUDIT, 12, &wanted), OK);
	assert_non_null(b = rig_expect(k->r, MSG_CHECKPOINT_SIGNED));
	assert_int_equal(rig_ask_id(k->r), 12);
	assert_true(rig_silent(k->r));
	if (b->checkpoint_signed.error != OK)
		return (enum err)b->checkpoint_signed.error;
	memcpy(public_key, b->checkpoint_signed.public_key, SIGN_PUBLIC_LEN);
	memcpy(bytes, b->checkpoint_signed.note.p, b->checkpoint_signed.note.len);
	assert_int_equal(log_note_take((struct span){ bytes, b->checkpoint_signed.note.len }, &note), OK);
	assert_int_equal(note.size, 77);
	assert_int_equal(note.root[31], 3);
	return OK;
}

static void
without_a_key_nothing_is_signed(void **state)
{
	struct keyring_rig *k = *state;
	uint8_t key[SIGN_PUBLIC_LEN];

	assert_int_equal(ask(k, key), ERR_LOCKED);
	keyring_rig_unlock(k);
	assert_int_equal(ask(k, key), OK);
	assert_int_equal(rig_deliver(k->r, MSG_KEYS_DROP, ACTOR_GRANTS, 5,
	    &(struct keys_drop_body){ .password = 1, .unattended = 1 }), OK);
	rig_forget(k->r);
	assert_int_equal(ask(k, key), ERR_LOCKED);
}

static void
unlocked_it_signs_with_the_log_key(void **state)
{
	struct keyring_rig *k = *state;
	char origin[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];

	keyring_rig_unlock(k);
	assert_int_equal(ask(k, key), OK);
	log_key_origin(k->library, origin);
	assert_string_equal(note.origin, origin);
	assert_memory_equal(key, signer_public(k->log_key), sizeof key);
	assert_int_equal(log_note_vouched(&note, origin, key), LOG_NOTE_SIGNED);
}

static void
locked_with_the_unattended_key_loaded_it_signs_with_the_delegate(void **state)
{
	struct keyring_rig *k = *state;
	struct keyring *self = rig_self(k->r);
	uint8_t key[SIGN_PUBLIC_LEN];

	assert_int_equal(signer_new(&self->custody[CUSTODY_UNATTENDED].delegate), OK);
	assert_int_equal(ask(k, key), OK);
	assert_memory_equal(key, signer_public(self->custody[CUSTODY_UNATTENDED].delegate), sizeof key);
	assert_int_equal(log_note_vouched(&note, note.origin, key), LOG_NOTE_SIGNED);
	assert_int_equal(log_note_vouched(&note, note.origin, signer_public(k->log_key)), LOG_NOTE_UNSIGNED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KEYRING_TEST(without_a_key_nothing_is_signed),
		KEYRING_TEST(unlocked_it_signs_with_the_log_key),
		KEYRING_TEST(locked_with_the_unattended_key_loaded_it_signs_with_the_delegate),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
