#include "tests/store/proof_rig.h"

static enum err
newest(struct log_rig *rig, uint64_t *size)
{
	uint8_t log_public[SIGN_PUBLIC_LEN];
	struct log_checkpoint c;
	enum err e = log_checkpoint_newest(rig->dir, NULL, &c, log_public);

	if (e != OK)
		return e;
	*size = c.note.size;
	log_checkpoint_free(&c);
	return OK;
}

static void
a_checkpoint_by_the_log_key_is_vouched_for(void **state)
{
	struct log_rig *rig = *state;
	uint64_t size = 0;

	log_rig_ready(rig);
	assert_int_equal(newest(rig, &size), ERR_NOT_FOUND);
	proof_rig_sign(rig, rig->log_key);
	assert_int_equal(newest(rig, &size), OK);
	assert_int_equal(size, 2);
}

static void
one_by_a_stranger_or_damaged_is_not(void **state)
{
	struct log_rig *rig = *state;
	struct signer *other;
	uint64_t size;
	char path[192];

	log_rig_ready(rig);
	assert_int_equal(signer_new(&other), OK);
	proof_rig_sign(rig, other);
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
	signer_free(&other);
	proof_rig_sign(rig, rig->log_key);
	log_rig_path(rig, "checkpoint", path);
	proof_rig_flip(path, 3);
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
	log_rig_write_file(path, "no note", 7);
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
}

static void
one_of_another_log_of_the_same_key_is_not(void **state)
{
	struct log_rig *rig = *state;
	struct uuid library = rig->settings.library;
	uint64_t size;

	log_rig_ready(rig);
	rig->settings.library.b[15] ^= 1;
	proof_rig_sign(rig, rig->log_key);
	rig->settings.library = library;
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
}

static void
a_delegate_counts_when_an_epochs_certificate_names_it(void **state)
{
	struct log_rig *rig = *state;
	struct signer *delegate, *stranger;
	uint64_t size;

	assert_int_equal(signer_new(&stranger), OK);
	assert_int_equal(log_rig_open(rig), OK);
	delegate = proof_rig_delegate(rig, rig->log_key);
	proof_rig_sign(rig, stranger);
	assert_int_equal(newest(rig, &size), ERR_AUDIT_TAMPERED);
	proof_rig_sign(rig, delegate);
	assert_int_equal(newest(rig, &size), OK);
	signer_free(&delegate);
	signer_free(&stranger);
}

static void
a_delegate_that_was_named_long_ago_counts_too(void **state)
{
	struct log_rig rig;
	struct signer *delegate;
	uint64_t size;

	(void)state;
	log_rig_start(&rig, 0, 0);
	assert_int_equal(log_rig_open(&rig), OK);
	delegate = proof_rig_delegate(&rig, rig.log_key);
	for (size_t i = 0; i < 142; i++)
		log_rig_group(&rig, 500);
	proof_rig_sign(&rig, delegate);
	assert_int_equal(newest(&rig, &size), OK);
	assert_int_equal(size, 71002);
	signer_free(&delegate);
	log_rig_end(&rig);
}

/* A checkpoint of that size and root, signed by the log key. */
static void
put_checkpoint(struct log_rig *rig, uint64_t size, const uint8_t root[SHA256_LEN])
{
	struct log_note n = { .size = size };
	char text[LOG_NOTE_MADE_MAX + 1], path[192];

	memcpy(n.root, root, sizeof n.root);
	log_key_origin(rig->settings.library, n.origin);
	log_note_sign(&n, rig->log_key, text);
	log_rig_path(rig, "checkpoint", path);
	log_rig_write_file(path, text, strlen(text));
}

static void
verify_tells_a_log_that_does_not_hold_its_checkpoint(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;
	uint8_t root[SHA256_LEN];

	log_rig_ready(rig);
	memcpy(root, log_root(rig->log), sizeof root);
	log_rig_group(rig, 5);
	put_checkpoint(rig, 2, root);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
	put_checkpoint(rig, 3, root);
	assert_int_equal(log_rig_verify(rig->dir, &v), ERR_AUDIT_DIVERGED);
	put_checkpoint(rig, 7, root);
	assert_int_equal(log_rig_verify(rig->dir, &v), ERR_AUDIT_DIVERGED);
	put_checkpoint(rig, 8, root);
	assert_int_equal(log_rig_verify(rig->dir, &v), ERR_AUDIT_DIVERGED);
	assert_true(v.valid);
}

static void
verify_refuses_a_checkpoint_that_nobody_signed(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;
	struct signer *other;
	char path[192];

	log_rig_ready(rig);
	assert_int_equal(signer_new(&other), OK);
	proof_rig_sign(rig, other);
	signer_free(&other);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_false(v.valid);
	assert_int_equal(v.bad_index, 2);
	log_rig_path(rig, "checkpoint", path);
	log_rig_write_file(path, "no note", 7);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_false(v.valid);
}

/* As a crash leaves it, but for the checkpoint, which was signed when the record counted. */
static void
a_torn_write_is_not_within_the_checkpoint(void **state)
{
	struct log_rig *rig = *state;
	struct log_verdict v;
	uint8_t *bytes;
	char path[192];
	size_t len, ends[8];

	log_rig_ready(rig);
	log_rig_group(rig, 1);
	proof_rig_sign(rig, rig->log_key);
	log_close(&rig->log);
	log_rig_path(rig, "anchor", path);
	assert_int_equal(unlink(path), 0);
	log_rig_segment_path(rig, 0, path);
	bytes = log_rig_read_file(path, &len);
	assert_int_equal(log_rig_groups(bytes, len, ends, 8), 3);
	free(bytes);
	proof_rig_flip(path, (off_t)ends[3] - 1);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_false(v.valid);
	log_rig_path(rig, "checkpoint", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(log_rig_verify(rig->dir, &v), OK);
	assert_true(v.valid);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_checkpoint_by_the_log_key_is_vouched_for, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(one_by_a_stranger_or_damaged_is_not, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(one_of_another_log_of_the_same_key_is_not, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_delegate_counts_when_an_epochs_certificate_names_it, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(verify_tells_a_log_that_does_not_hold_its_checkpoint, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(verify_refuses_a_checkpoint_that_nobody_signed, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_torn_write_is_not_within_the_checkpoint, proof_rig_start, proof_rig_end),
		cmocka_unit_test(a_delegate_that_was_named_long_ago_counts_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
