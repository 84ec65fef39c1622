#include "store/env.h"
#include "tests/store/vault_rig.h"

static const struct uuid asset = { { 0x20, 1 } }, first = { { 0x70, 1 } }, second = { { 0x70, 2 } },
	third = { { 0x70, 3 } };

static void
a_revision_comes_back_as_it_was_published(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);
	struct revision_record got;

	n.row.kind = KIND_CARD;
	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, first, CLASSES_ALL, &got), OK);
	assert_int_equal(got.row.kind, KIND_CARD);
	assert_int_equal(got.row.key_class, CLASS_PRIVATE);
	assert_int_equal(got.row.bytes, 24);
	assert_int_equal(got.row.created.ms, 2000);
	assert_true(got.head);
	assert_false(got.quarantined);
	assert_int_equal(got.sealed_head.len, n.sealed_head.len);
	assert_memory_equal(got.sealed_head.p, n.sealed_head.p, got.sealed_head.len);
	assert_int_equal(got.sealed_title.len, n.sealed_title.len);
	assert_memory_equal(got.sealed_title.p, n.sealed_title.p, got.sealed_title.len);
	assert_int_equal(got.sealed_meta.len, n.sealed_meta.len);
	assert_memory_equal(got.sealed_meta.p, n.sealed_meta.p, got.sealed_meta.len);
}

static void
the_longest_revision_record_can_be_kept(void **state)
{
	static const uint8_t title[SEALED_TITLE_MAX] = { 1 }, meta[SEALED_META_MAX] = { 2 };
	struct rig *r = *state;
	struct new_revision n;
	struct revision_record got;

	rig_make_asset(r, asset, id_of(0x70, 0));
	for (unsigned i = 1; i < REVISION_PARENTS_MAX; i++) {
		n = rig_revision(r, asset, id_of(0x70, i));
		rig_add_parent(&n, id_of(0x70, 0));
		n.quarantined = true;
		assert_int_equal(vault_db_publish(r->db, &n), OK);
	}
	n = rig_revision(r, asset, id_of(0x70, 99));
	for (unsigned i = 0; i < REVISION_PARENTS_MAX; i++)
		rig_add_parent(&n, id_of(0x70, i));
	n.sealed_title = (struct span){ title, sizeof title };
	n.sealed_meta = (struct span){ meta, sizeof meta };
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, id_of(0x70, 99), CLASSES_ALL, &got), OK);
	assert_int_equal(got.row.n_parents, REVISION_PARENTS_MAX);
	assert_int_equal(got.sealed_meta.len, SEALED_META_MAX);
	assert_memory_equal(got.sealed_title.p, title, sizeof title);
}

static void
a_revision_of_another_asset_or_vault_is_a_mismatch(void **state)
{
	struct rig *r = *state;
	struct revision_record got;

	rig_make_asset(r, asset, first);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, second, CLASSES_ALL, &got), ERR_NOT_FOUND);
	assert_int_equal(vault_db_revision(r->db, r->vault, id_of(0x20, 9), first, CLASSES_ALL, &got), ERR_REVISION_MISMATCH);
	assert_int_equal(vault_db_revision(r->db, id_of(0x10, 9), asset, first, CLASSES_ALL, &got), ERR_REVISION_MISMATCH);
}

static void
an_asset_is_not_found_in_another_vault(void **state)
{
	struct rig *r = *state;
	struct asset_row row;
	struct revision_record got;
	size_t n;
	bool more;

	rig_make_asset(r, asset, first);
	assert_int_equal(vault_db_asset(r->db, id_of(0x10, 9), asset, CLASSES_ALL, &row), ERR_NOT_FOUND);
	assert_int_equal(vault_db_history(r->db, id_of(0x10, 9), asset, CLASSES_ALL, 0, 1, &got, &n, &more), ERR_NOT_FOUND);
}

static void
a_history_is_paged_in_the_order_of_ids(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, second);
	struct revision_record rows[2];
	size_t n_rows;
	bool more;

	assert_int_equal(rig_publish(r, &n), OK);
	n = rig_revision(r, asset, third);
	rig_add_parent(&n, second);
	assert_int_equal(rig_publish(r, &n), OK);
	n = rig_revision(r, asset, first);
	rig_add_parent(&n, third);
	assert_int_equal(rig_publish(r, &n), OK);
	rig_make_asset(r, id_of(0x20, 1), id_of(0x71, 1));
	assert_int_equal(vault_db_history(r->db, r->vault, asset, CLASSES_ALL, 0, 2, rows, &n_rows, &more), OK);
	assert_int_equal(n_rows, 2);
	assert_true(more);
	assert_true(uuid_equal(rows[0].row.revision, first) && rows[0].head);
	assert_true(uuid_equal(rows[1].row.revision, second) && !rows[1].head);
	assert_int_equal(vault_db_history(r->db, r->vault, asset, CLASSES_ALL, 2, 2, rows, &n_rows, &more), OK);
	assert_int_equal(n_rows, 1);
	assert_false(more);
	assert_true(uuid_equal(rows[0].row.revision, third));
	assert_int_equal(vault_db_history(r->db, r->vault, asset, CLASSES_ALL, 3, 2, rows, &n_rows, &more), OK);
	assert_int_equal(n_rows, 0);
	assert_false(more);
}

static void
a_page_shows_the_first_head_that_is_no_tombstone(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);
	struct asset_page_row row;
	size_t n_rows;
	bool more;

	assert_int_equal(rig_publish(r, &n), OK);
	n = rig_revision(r, asset, second);
	rig_add_parent(&n, first);
	rig_tombstone(&n);
	assert_int_equal(rig_publish(r, &n), OK);
	n = rig_revision(r, asset, third);
	rig_add_parent(&n, first);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 0, 1, &row, &n_rows, &more), OK);
	assert_int_equal(n_rows, 1);
	assert_int_equal(row.asset.n_heads, 2);
	assert_false(row.asset.deleted);
	assert_true(uuid_equal(row.asset.heads[0], second));
	assert_true(uuid_equal(row.first_head.row.revision, third));
}

static void
chunks_of_published_revisions_are_read_and_no_others(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);
	struct span chunk;

	n.row.bytes = CHUNK_LEN + 1;
	assert_int_equal(vault_db_stage_chunk(r->db, first, 0, rig_sealed(0xc0, SEALED_CHUNK_MAX)), OK);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 1, rig_sealed(0xc1, 41)), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_chunk(r->db, first, 0, &chunk), ERR_NOT_FOUND);
	assert_int_equal(vault_db_publish(r->db, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_chunk(r->db, first, 0, &chunk), OK);
	assert_int_equal(chunk.len, SEALED_CHUNK_MAX);
	assert_int_equal(chunk.p[SEALED_CHUNK_MAX - 1], 0xc0);
	assert_int_equal(vault_db_chunk(r->db, first, 1, &chunk), OK);
	assert_int_equal(chunk.len, 41);
	assert_int_equal(chunk.p[0], 0xc1);
	assert_int_equal(vault_db_chunk(r->db, first, 2, &chunk), ERR_NOT_FOUND);
	assert_int_equal(vault_db_chunk(r->db, second, 0, &chunk), ERR_NOT_FOUND);
}

/* Puts a record behind the database's back. */
static void
smear(struct rig *r, size_t db, struct span key, struct span value)
{
	static const char *const names[] = { "vault", "asset", "directory", "revision", "history", "staging", "chunk" };
	struct env *e;

	vault_db_close(&r->db);
	assert_int_equal(env_open(rig_path(r), names, 7, &e), OK);
	assert_int_equal(env_begin(e), OK);
	assert_int_equal(env_put(e, db, key, value, NULL), OK);
	assert_int_equal(env_commit(e), OK);
	env_close(&e);
	rig_reopen(r);
}

static void
a_damaged_record_is_corrupt(void **state)
{
	struct rig *r = *state;
	uint8_t key[2 * UUID_LEN], junk[40];
	struct asset_page_row row;
	struct revision_record got;
	struct asset_row a;
	size_t n;
	bool more;

	memset(junk, 0xff, sizeof junk);
	rig_make_asset(r, asset, first);
	assert_int_equal(vault_db_commit(r->db), OK);
	smear(r, 3, (struct span){ first.b, UUID_LEN }, (struct span){ junk, sizeof junk });
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, first, CLASSES_ALL, &got), ERR_STORAGE_CORRUPT);
	assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 0, 1, &row, &n, &more), ERR_STORAGE_CORRUPT);
	assert_int_equal(vault_db_history(r->db, r->vault, asset, CLASSES_ALL, 0, 1, &got, &n, &more), ERR_STORAGE_CORRUPT);
	memcpy(key, r->vault.b, UUID_LEN);
	memcpy(key + UUID_LEN, asset.b, UUID_LEN);
	smear(r, 1, (struct span){ key, sizeof key }, (struct span){ junk, 1 });
	assert_int_equal(vault_db_asset(r->db, r->vault, asset, CLASSES_ALL, &a), ERR_STORAGE_CORRUPT);
}

static void
a_directory_that_disagrees_is_corrupt(void **state)
{
	static const uint8_t none_live[] = { 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0 }, no_block[] = { 9, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0 },
	    too_many_of_old[] = { 1, 0, 3, 0, 3 };
	struct rig *r = *state;
	uint8_t key[2 * UUID_LEN] = { 0 };
	struct asset_page_row rows[4];
	size_t n;
	bool more;

	rig_make_asset(r, asset, first);
	assert_int_equal(vault_db_commit(r->db), OK);
	memcpy(key, r->vault.b, UUID_LEN);
	smear(r, 2, (struct span){ key, sizeof key }, (struct span){ none_live, sizeof none_live });
	assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 0, 4, rows, &n, &more), ERR_STORAGE_CORRUPT);
	smear(r, 2, (struct span){ key, sizeof key }, (struct span){ no_block, sizeof no_block });
	assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 0, 4, rows, &n, &more), ERR_STORAGE_CORRUPT);
	smear(r, 2, (struct span){ key, sizeof key }, (struct span){ too_many_of_old, sizeof too_many_of_old });
	assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 0, 4, rows, &n, &more), ERR_STORAGE_CORRUPT);
}

static void
a_directory_of_an_earlier_build_is_counted_anew(void **state)
{
	static const uint8_t old[] = { 1, 0, 3, 0, 2 };
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, id_of(0x20, 2), second);
	uint8_t key[2 * UUID_LEN] = { 0 };
	struct asset_page_row rows[4];
	size_t n_rows;
	bool more;

	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), OK);
	rig_make_asset(r, asset, first);
	n = rig_revision(r, id_of(0x20, 3), third);
	rig_tombstone(&n);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	memcpy(key, r->vault.b, UUID_LEN);
	smear(r, 2, (struct span){ key, sizeof key }, (struct span){ old, sizeof old });
	for (int again = 0; again < 2; again++, rig_reopen(r)) {
		assert_int_equal(vault_db_list_assets(r->db, r->vault, 1u << CLASS_PRIVATE, 0, 4, rows, &n_rows, &more), OK);
		assert_int_equal(n_rows, 1);
		assert_true(uuid_equal(rows[0].asset.asset, id_of(0x20, 2)));
		assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 1, 4, rows, &n_rows, &more), OK);
		assert_int_equal(n_rows, 1);
	}
}

static void
what_is_of_another_class_was_never_there(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, id_of(0x20, 2), second);
	const unsigned ordinary = 1u << CLASS_ORDINARY;
	struct revision_record got;
	struct asset_row a;
	size_t n_rows;
	bool more;

	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), OK);
	rig_make_asset(r, asset, first);
	assert_int_equal(vault_db_asset(r->db, r->vault, id_of(0x20, 2), ordinary, &a), ERR_NOT_FOUND);
	assert_int_equal(vault_db_asset(r->db, r->vault, asset, ordinary, &a), OK);
	assert_int_equal(vault_db_history(r->db, r->vault, id_of(0x20, 2), ordinary, 0, 1, &got, &n_rows, &more), ERR_NOT_FOUND);
	assert_int_equal(vault_db_history(r->db, r->vault, asset, ordinary, 0, 1, &got, &n_rows, &more), OK);
	assert_int_equal(vault_db_revision(r->db, r->vault, id_of(0x20, 2), second, ordinary, &got), ERR_NOT_FOUND);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, second, ordinary, &got), ERR_NOT_FOUND);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, second, CLASSES_ALL, &got), ERR_REVISION_MISMATCH);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, first, ordinary, &got), OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_revision_comes_back_as_it_was_published),
		RIG_TEST(the_longest_revision_record_can_be_kept),
		RIG_TEST(a_revision_of_another_asset_or_vault_is_a_mismatch),
		RIG_TEST(an_asset_is_not_found_in_another_vault),
		RIG_TEST(a_history_is_paged_in_the_order_of_ids),
		RIG_TEST(a_page_shows_the_first_head_that_is_no_tombstone),
		RIG_TEST(chunks_of_published_revisions_are_read_and_no_others),
		RIG_TEST(a_damaged_record_is_corrupt),
		RIG_TEST(a_directory_that_disagrees_is_corrupt),
		RIG_TEST(a_directory_of_an_earlier_build_is_counted_anew),
		RIG_TEST(what_is_of_another_class_was_never_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
