#include "tests/store/vault_rig.h"

static void
a_vault_comes_back_as_it_was_put(void **state)
{
	struct rig *r = *state;
	struct vault_row v;

	rig_reopen(r);
	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	assert_true(uuid_equal(v.vault, r->vault));
	assert_true(v.active);
	assert_int_equal(v.created.ms, 1000);
	assert_true(uuid_equal(v.name_revision, id_of(0x7e, 1)));
	assert_int_equal(v.name_len, 50);
	assert_int_equal(v.sealed_name[49], 0x5a);
	assert_int_equal(v.n_assets, 0);
}

static void
a_vault_that_nobody_made_is_not_found(void **state)
{
	struct rig *r = *state;
	struct vault_row v = { .name_len = 9 };
	struct asset_page_row row;
	size_t n = 5;
	bool more;

	assert_int_equal(vault_db_vault(r->db, id_of(0x10, 2), &v), ERR_NOT_FOUND);
	assert_int_equal(v.name_len, 9);
	assert_int_equal(vault_db_list_assets(r->db, id_of(0x10, 2), CLASSES_ALL, 0, 1, &row, &n, &more), ERR_NOT_FOUND);
	assert_int_equal(n, 5);
}

static void
a_new_name_leaves_the_rest_of_a_vault(void **state)
{
	struct rig *r = *state;
	struct vault_row v = rig_vault_row(r->vault);

	rig_make_asset(r, id_of(0x20, 1), id_of(0x70, 1));
	v.name_revision = id_of(0x7e, 2);
	v.name_len = SEALED_NAME_MAX;
	v.n_assets = 1000;
	v.created.ms = 77;
	v.active = false;
	assert_int_equal(vault_db_put_vault(r->db, &v), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	assert_int_equal(v.n_assets, 1);
	assert_int_equal(v.created.ms, 1000);
	assert_true(v.active);
	assert_true(uuid_equal(v.name_revision, id_of(0x7e, 2)));
	assert_int_equal(v.name_len, SEALED_NAME_MAX);
}

static void
a_removed_vault_is_listed_and_never_comes_back(void **state)
{
	struct rig *r = *state;
	struct vault_row v = rig_vault_row(r->vault), rows[2];
	size_t n;
	bool more;

	rig_make_asset(r, id_of(0x20, 1), id_of(0x70, 1));
	assert_int_equal(vault_db_remove_vault(r->db, id_of(0x10, 2)), ERR_NOT_FOUND);
	assert_int_equal(vault_db_remove_vault(r->db, r->vault), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	v.name_revision = id_of(0x7e, 2);
	assert_int_equal(vault_db_put_vault(r->db, &v), ERR_VAULT_NOT_ACTIVE);
	assert_int_equal(vault_db_remove_vault(r->db, r->vault), ERR_VAULT_NOT_ACTIVE);
	assert_int_equal(vault_db_commit(r->db), OK);
	rig_reopen(r);
	assert_int_equal(vault_db_list_vaults(r->db, 0, 2, rows, &n, &more), OK);
	assert_int_equal(n, 1);
	assert_false(rows[0].active);
	assert_int_equal(rows[0].n_assets, 1);
	assert_true(uuid_equal(rows[0].name_revision, id_of(0x7e, 1)));
}

static void
a_name_that_is_too_long_is_refused(void **state)
{
	struct rig *r = *state;
	struct vault_row v = rig_vault_row(id_of(0x10, 2));

	v.name_len = SEALED_NAME_MAX + 1;
	assert_int_equal(vault_db_put_vault(r->db, &v), ERR_INVALID_ARGUMENT);
}

static void
vaults_are_listed_by_id_in_pages(void **state)
{
	struct rig *r = *state;
	struct vault_row v, rows[3];
	size_t n;
	bool more;

	for (unsigned i = 0; i < 4; i++) {
		v = rig_vault_row(id_of(0x0f, 4 - i));
		assert_int_equal(vault_db_put_vault(r->db, &v), OK);
	}
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_list_vaults(r->db, 0, 3, rows, &n, &more), OK);
	assert_int_equal(n, 3);
	assert_true(more);
	assert_true(uuid_equal(rows[0].vault, id_of(0x0f, 1)));
	assert_int_equal(vault_db_list_vaults(r->db, 3, 3, rows, &n, &more), OK);
	assert_int_equal(n, 2);
	assert_false(more);
	assert_true(uuid_equal(rows[1].vault, r->vault));
	assert_int_equal(vault_db_list_vaults(r->db, 2, 3, rows, &n, &more), OK);
	assert_int_equal(n, 3);
	assert_false(more);
	assert_int_equal(vault_db_list_vaults(r->db, 9, 3, rows, &n, &more), OK);
	assert_int_equal(n, 0);
	assert_false(more);
}

static void
a_group_is_seen_from_inside_and_gone_after_abort(void **state)
{
	struct rig *r = *state;
	struct asset_row row;

	rig_make_asset(r, id_of(0x20, 1), id_of(0x70, 1));
	assert_int_equal(vault_db_asset(r->db, r->vault, id_of(0x20, 1), CLASSES_ALL, &row), OK);
	vault_db_abort(r->db);
	assert_int_equal(vault_db_asset(r->db, r->vault, id_of(0x20, 1), CLASSES_ALL, &row), ERR_NOT_FOUND);
	rig_make_asset(r, id_of(0x20, 1), id_of(0x70, 1));
	assert_int_equal(vault_db_commit(r->db), OK);
	rig_reopen(r);
	assert_int_equal(vault_db_asset(r->db, r->vault, id_of(0x20, 1), CLASSES_ALL, &row), OK);
}

static void
the_folder_belongs_to_one_opener(void **state)
{
	struct rig *r = *state;
	struct vault_db *other = NULL;

	assert_int_equal(vault_db_open(rig_path(r), &other), ERR_BUSY);
	assert_null(other);
}

static void
resting_and_releasing_leave_everything_readable(void **state)
{
	struct rig *r = *state;
	struct vault_row v;

	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	vault_db_release(r->db);
	vault_db_release(r->db);
	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	assert_int_equal(vault_db_rest(r->db), OK);
	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	rig_make_asset(r, id_of(0x20, 1), id_of(0x70, 1));
	vault_db_release(r->db);
	assert_int_equal(vault_db_rest(r->db), ERR_BUSY);
	assert_int_equal(vault_db_commit(r->db), OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_vault_comes_back_as_it_was_put),
		RIG_TEST(a_vault_that_nobody_made_is_not_found),
		RIG_TEST(a_new_name_leaves_the_rest_of_a_vault),
		RIG_TEST(a_removed_vault_is_listed_and_never_comes_back),
		RIG_TEST(a_name_that_is_too_long_is_refused),
		RIG_TEST(vaults_are_listed_by_id_in_pages),
		RIG_TEST(a_group_is_seen_from_inside_and_gone_after_abort),
		RIG_TEST(the_folder_belongs_to_one_opener),
		RIG_TEST(resting_and_releasing_leave_everything_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
