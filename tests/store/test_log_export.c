#include "store/log_export.h"
#include "tests/store/proof_rig.h"

static void
out_path(struct log_rig *rig, const char *name, char out[192])
{
	snprintf(out, 192, "%s/out%s%s", rig->dir, *name != '\0' ? "/" : "", name);
}

static enum err
export(struct log_rig *rig, struct log_export *result)
{
	char out[192];

	out_path(rig, "", out);
	return log_export(rig->dir, out, result);
}

static void
assert_same(struct log_rig *rig, const char *ours, const char *theirs)
{
	char path[192];
	size_t len, other_len;
	uint8_t *bytes, *other;

	log_rig_path(rig, ours, path);
	bytes = log_rig_read_file(path, &len);
	out_path(rig, theirs, path);
	other = log_rig_read_file(path, &other_len);
	assert_int_equal(len, other_len);
	assert_memory_equal(bytes, other, len);
	free(bytes);
	free(other);
}

static bool
exists(struct log_rig *rig, const char *name)
{
	char path[192];

	out_path(rig, name, path);
	return access(path, F_OK) == 0;
}

static void
an_export_holds_key_checkpoint_tiles_and_entries(void **state)
{
	struct log_rig *rig = *state;
	struct log_export r;

	proof_rig_grow(rig, 600);
	assert_int_equal(export(rig, &r), OK);
	assert_int_equal(r.size, 600);
	assert_int_equal(r.old_size, 0);
	assert_int_equal(r.n_new, 3 + 1 + 3 + 2);
	assert_same(rig, "key.pub", "key.pub");
	assert_same(rig, "checkpoint", "checkpoint");
	assert_true(exists(rig, "tile/0/002.p/88") && exists(rig, "tile/1/000.p/2") && exists(rig, "tile/entries/001"));
	assert_true(exists(rig, "tile/entries/002.p/88"));
}

static void
a_later_export_adds_only_what_is_new(void **state)
{
	struct log_rig *rig = *state;
	struct log_export r;

	proof_rig_grow(rig, 600);
	assert_int_equal(export(rig, &r), OK);
	proof_rig_grow(rig, 1030);
	assert_int_equal(export(rig, &r), OK);
	assert_int_equal(r.old_size, 600);
	assert_int_equal(r.n_new, 2 * (2 + 1) + 1 + 1);
	assert_same(rig, "checkpoint", "checkpoint");
	assert_int_equal(export(rig, &r), OK);
	assert_int_equal(r.old_size, 1030);
	assert_int_equal(r.n_new, 0);
}

static void
lost_tiles_are_made_again(void **state)
{
	struct log_rig *rig = *state;
	struct log_export r;
	char path[192];

	proof_rig_grow(rig, 600);
	assert_int_equal(export(rig, &r), OK);
	out_path(rig, "tile/1/000.p/2", path);
	assert_int_equal(unlink(path), 0);
	out_path(rig, "tile/entries/000", path);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(export(rig, &r), OK);
	assert_int_equal(r.n_new, 2);
}

static void
a_folder_of_another_log_is_left_as_it_is(void **state)
{
	struct log_rig *rig = *state, other;
	struct log_export r;
	char out[192];

	proof_rig_grow(rig, 20);
	assert_int_equal(export(rig, &r), OK);
	log_rig_start(&other, 64 << 10, 64 << 10);
	proof_rig_grow(&other, 30);
	out_path(rig, "", out);
	assert_int_equal(log_export(other.dir, out, &r), ERR_EXPORT_FOREIGN);
	assert_same(rig, "checkpoint", "checkpoint");
	assert_false(exists(rig, "tile/0/000.p/30"));
	log_rig_end(&other);
}

static void
a_foreign_file_is_never_overwritten(void **state)
{
	struct log_rig *rig = *state;
	struct log_export r;
	char path[192];

	proof_rig_grow(rig, 300);
	out_path(rig, "", path);
	assert_int_equal(mkdir(path, 0755), 0);
	out_path(rig, "checkpoint", path);
	log_rig_write_file(path, "mine", 4);
	assert_int_equal(export(rig, &r), ERR_EXPORT_FOREIGN);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(export(rig, &r), ERR_EXPORT_FOREIGN);
	assert_int_equal(unlink(path), 0);
	assert_false(exists(rig, "key.pub"));
	out_path(rig, "tile", path);
	log_rig_write_file(path, "mine", 4);
	assert_int_equal(export(rig, &r), ERR_EXPORT_FOREIGN);
	assert_false(exists(rig, "checkpoint"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(export(rig, &r), OK);
}

static void
an_export_of_a_later_or_another_history_is_not_continued(void **state)
{
	struct log_rig *rig = *state;
	struct log_note n = { .size = 300 };
	struct log_export r;
	char text[LOG_NOTE_MADE_MAX + 1], path[192];

	proof_rig_grow(rig, 300);
	assert_int_equal(export(rig, &r), OK);
	out_path(rig, "checkpoint", path);
	log_key_origin(rig->settings.library, n.origin);
	log_note_sign(&n, rig->log_key, text);
	log_rig_write_file(path, text, strlen(text));
	assert_int_equal(export(rig, &r), ERR_AUDIT_DIVERGED);
	n.size = 290;
	log_note_sign(&n, rig->log_key, text);
	log_rig_write_file(path, text, strlen(text));
	assert_int_equal(export(rig, &r), ERR_AUDIT_DIVERGED);
	n.size = 301;
	log_note_sign(&n, rig->log_key, text);
	log_rig_write_file(path, text, strlen(text));
	assert_int_equal(export(rig, &r), ERR_AUDIT_DIVERGED);
}

static void
a_log_that_is_not_what_its_checkpoint_says_is_not_published(void **state)
{
	struct log_rig *rig = *state;
	struct log_note n = { .size = 20 };
	struct log_export r;
	char text[LOG_NOTE_MADE_MAX + 1], path[192];

	proof_rig_grow(rig, 20);
	log_key_origin(rig->settings.library, n.origin);
	log_note_sign(&n, rig->log_key, text);
	log_rig_path(rig, "checkpoint", path);
	log_rig_write_file(path, text, strlen(text));
	assert_int_equal(export(rig, &r), ERR_AUDIT_TAMPERED);
	assert_false(exists(rig, "checkpoint"));
}

static void
the_key_of_a_delegate_that_signed_lies_beside(void **state)
{
	struct log_rig *rig = *state;
	char path[192], origin[LOG_ORIGIN_MAX + 1];
	uint8_t key[SIGN_PUBLIC_LEN];
	struct signer *delegate;
	struct log_export r;

	assert_int_equal(log_rig_open(rig), OK);
	delegate = proof_rig_delegate(rig, rig->log_key);
	proof_rig_sign(rig, rig->log_key);
	assert_int_equal(export(rig, &r), OK);
	assert_false(exists(rig, "delegate.pub"));
	proof_rig_sign(rig, delegate);
	assert_int_equal(export(rig, &r), OK);
	out_path(rig, "delegate.pub", path);
	assert_int_equal(log_key_read(path, origin, key), OK);
	assert_memory_equal(key, signer_public(delegate), sizeof key);
	log_rig_write_file(path, "mine", 4);
	log_rig_group(rig, 1);
	proof_rig_sign(rig, delegate);
	assert_int_equal(export(rig, &r), ERR_EXPORT_FOREIGN);
	signer_free(&delegate);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_export_holds_key_checkpoint_tiles_and_entries, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_later_export_adds_only_what_is_new, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(lost_tiles_are_made_again, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_folder_of_another_log_is_left_as_it_is, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_foreign_file_is_never_overwritten, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(an_export_of_a_later_or_another_history_is_not_continued, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_log_that_is_not_what_its_checkpoint_says_is_not_published, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(the_key_of_a_delegate_that_signed_lies_beside, proof_rig_start, proof_rig_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
