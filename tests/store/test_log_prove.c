#include "store/log_export.h"
#include "store/log_prove.h"
#include "tests/store/proof_rig.h"

static enum err
prove(struct log_rig *rig, uint64_t index, bool cache)
{
	struct log_prove_options o = { .dir = rig->dir, .cache = cache };
	struct log_proof p;
	enum err e = log_prove_inclusion(&o, index, &p);
	uint8_t hash[SHA256_LEN];

	if (e == ERR_OFFSET_OUT_OF_RANGE)
		log_proof_free(&p);
	if (e != OK)
		return e;
	assert_int_equal(p.index, index);
	merkle_leaf((struct span){ p.leaf, p.leaf_len }, hash);
	assert_true(merkle_inclusion_holds(&p.proof, index, p.checkpoint.note.size, hash, p.checkpoint.note.root));
	log_proof_free(&p);
	return OK;
}

static enum err
extends(struct log_rig *rig, uint64_t old, uint64_t size, bool cache)
{
	struct log_prove_options o = { .dir = rig->dir, .cache = cache };
	struct log_proof p;
	enum err e = log_prove_consistency(&o, old, size, &p);

	if (e == ERR_OFFSET_OUT_OF_RANGE)
		log_proof_free(&p);
	if (e != OK)
		return e;
	assert_true(merkle_consistency_holds(&p.proof, old, size, p.old_root, p.root));
	log_proof_free(&p);
	return OK;
}

static bool
has_cache(struct log_rig *rig)
{
	char path[192];

	log_rig_path(rig, "tile/checkpoint", path);
	return access(path, F_OK) == 0;
}

static void
records_are_proven_from_the_log_alone_and_from_its_cache(void **state)
{
	static const uint64_t indices[] = { 0, 1, 255, 256, 511, 512, 598, 599 };
	struct log_rig *rig = *state;

	proof_rig_grow(rig, 600);
	for (size_t cache = 0; cache < 2; cache++) {
		for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
			assert_int_equal(prove(rig, indices[i], cache == 1), OK);
		assert_int_equal(has_cache(rig), cache);
	}
	proof_rig_grow(rig, 700);
	assert_int_equal(prove(rig, 699, true), OK);
	assert_int_equal(prove(rig, 0, false), OK);
}

static void
growth_is_proven_between_any_sizes_up_to_the_checkpoint(void **state)
{
	static const uint64_t sizes[] = { 1, 2, 255, 256, 257, 512, 599, 600 };
	struct log_rig *rig = *state;

	proof_rig_grow(rig, 600);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t j = i; j < sizeof sizes / sizeof *sizes; j++)
			assert_int_equal(extends(rig, sizes[i], sizes[j], (i + j) % 2), OK);
	assert_int_equal(extends(rig, 1, 601, true), ERR_OFFSET_OUT_OF_RANGE);
}

static void
what_is_newer_than_the_checkpoint_is_not_proven(void **state)
{
	struct log_rig *rig = *state;

	proof_rig_grow(rig, 20);
	log_rig_group(rig, 5);
	assert_int_equal(prove(rig, 19, false), OK);
	assert_int_equal(prove(rig, 20, false), ERR_OFFSET_OUT_OF_RANGE);
	assert_int_equal(prove(rig, UINT64_MAX, true), ERR_OFFSET_OUT_OF_RANGE);
	proof_rig_sign(rig, rig->log_key);
	assert_int_equal(prove(rig, 20, true), OK);
}

static void
a_cache_that_lies_is_made_anew(void **state)
{
	struct log_rig *rig = *state;
	char tile[192];
	size_t len;
	uint8_t *before, *after;

	proof_rig_grow(rig, 600);
	assert_int_equal(prove(rig, 3, true), OK);
	log_rig_path(rig, "tile/0/000", tile);
	before = log_rig_read_file(tile, &len);
	proof_rig_flip(tile, 64);
	assert_int_equal(prove(rig, 3, true), OK);
	after = log_rig_read_file(tile, &len);
	assert_memory_equal(before, after, len);
	free(before);
	free(after);
	log_rig_path(rig, "tile/1/000.p/2", tile);
	proof_rig_flip(tile, 1);
	proof_rig_grow(rig, 1100);
	assert_int_equal(prove(rig, 1000, true), OK);
	log_rig_path(rig, "tile/checkpoint", tile);
	log_rig_write_file(tile, "no note", 7);
	assert_int_equal(prove(rig, 1000, true), OK);
}

static void
a_log_that_is_not_what_its_checkpoint_says_proves_nothing(void **state)
{
	struct log_rig *rig = *state;
	struct log_prove_options o = { .dir = rig->dir };
	struct log_note n = { .size = 600 };
	char text[LOG_NOTE_MADE_MAX + 1], path[192];
	struct log_proof p;

	proof_rig_grow(rig, 600);
	log_key_origin(rig->settings.library, n.origin);
	log_note_sign(&n, rig->log_key, text);
	log_rig_path(rig, "checkpoint", path);
	log_rig_write_file(path, text, strlen(text));
	assert_int_equal(log_prove_inclusion(&o, 5, &p), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_prove_consistency(&o, 5, 600, &p), ERR_AUDIT_TAMPERED);
	n.size = 601;
	log_note_sign(&n, rig->log_key, text);
	log_rig_write_file(path, text, strlen(text));
	assert_int_equal(log_prove_inclusion(&o, 5, &p), ERR_AUDIT_TAMPERED);
	assert_int_equal(log_prove_inclusion(&o, 600, &p), ERR_AUDIT_TAMPERED);
}

static void
without_a_log_or_a_checkpoint_there_is_nothing_to_prove(void **state)
{
	struct log_rig *rig = *state;
	struct log_prove_options o = { .dir = "/nowhere" };
	struct log_proof p;

	assert_int_equal(log_prove_inclusion(&o, 0, &p), ERR_NOT_FOUND);
	o.dir = rig->dir;
	log_rig_ready(rig);
	assert_int_equal(log_prove_inclusion(&o, 0, &p), ERR_NOT_FOUND);
}

static void
the_text_is_a_tlog_proof_or_what_a_witness_is_asked(void **state)
{
	struct log_rig *rig = *state;
	struct log_prove_options o = { .dir = rig->dir };
	struct log_proof p;
	char *text;

	proof_rig_grow(rig, 3);
	assert_int_equal(log_prove_inclusion(&o, 2, &p), OK);
	assert_int_equal(log_proof_text(&p, &text), OK);
	assert_memory_equal(text, "c2sp.org/tlog-proof@v1\nextra ", 29);
	assert_non_null(strstr(text, "\nindex 2\n"));
	assert_string_equal(strstr(text, "\n\n") + 2, (const char *)p.checkpoint.bytes);
	free(text);
	log_proof_free(&p);
	assert_int_equal(log_prove_consistency(&o, 1, 3, &p), OK);
	assert_int_equal(log_proof_text(&p, &text), OK);
	assert_memory_equal(text, "old 1\n", 6);
	assert_string_equal(strstr(text, "\n\n") + 2, (const char *)p.checkpoint.bytes);
	free(text);
	log_proof_free(&p);
	assert_int_equal(log_prove_consistency(&o, 1, 2, &p), OK);
	assert_int_equal(log_proof_text(&p, &text), OK);
	assert_non_null(strstr(text, "\n2\n"));
	assert_null(strstr(text, "\xe2\x80\x94"));
	free(text);
	log_proof_free(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_are_proven_from_the_log_alone_and_from_its_cache, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(growth_is_proven_between_any_sizes_up_to_the_checkpoint, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(what_is_newer_than_the_checkpoint_is_not_proven, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_cache_that_lies_is_made_anew, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(a_log_that_is_not_what_its_checkpoint_says_proves_nothing, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(without_a_log_or_a_checkpoint_there_is_nothing_to_prove, proof_rig_start, proof_rig_end),
		cmocka_unit_test_setup_teardown(the_text_is_a_tlog_proof_or_what_a_witness_is_asked, proof_rig_start, proof_rig_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
