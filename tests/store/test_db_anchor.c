/* The log's anchor in the vault's and grants' environments: it goes with their commits. */
#include <stdio.h>
#include <sys/stat.h>

#include "store/grants_db.h"
#include "tests/store/vault_rig.h"

static struct log_head
head(uint32_t repairs, uint64_t size)
{
	struct log_head h = { .repairs = repairs, .size = size };

	memset(h.root, (int)size, sizeof h.root);
	return h;
}

static void
expect_anchor(const struct rig *r, uint32_t repairs, uint64_t size)
{
	struct log_head kept = vault_db_anchor(r->db), wanted = head(repairs, size);

	assert_int_equal(kept.repairs, repairs);
	assert_int_equal(kept.size, size);
	assert_true(size == 0 || memcmp(kept.root, wanted.root, sizeof kept.root) == 0);
}

static void
note(struct rig *r, uint32_t repairs, uint64_t size)
{
	struct log_head h = head(repairs, size);

	vault_db_note_head(r->db, &h);
}

static void
write_something(struct rig *r)
{
	struct vault_row row = rig_vault_row(id_of(0x11, 9));

	assert_int_equal(vault_db_put_vault(r->db, &row), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
}

static void
a_new_environment_has_no_anchor(void **state)
{
	expect_anchor(*state, 0, 0);
}

static void
a_noted_head_goes_with_the_next_commit_and_outlives_it(void **state)
{
	struct rig *r = *state;

	note(r, 0, 40);
	expect_anchor(r, 0, 40);
	write_something(r);
	rig_reopen(r);
	expect_anchor(r, 0, 40);
}

static void
a_noted_head_without_a_commit_is_forgotten(void **state)
{
	struct rig *r = *state;

	note(r, 0, 40);
	rig_reopen(r);
	expect_anchor(r, 0, 0);
}

static void
an_aborted_group_keeps_no_anchor_and_the_next_one_does(void **state)
{
	struct rig *r = *state;
	struct vault_row row = rig_vault_row(id_of(0x11, 9));

	note(r, 0, 40);
	assert_int_equal(vault_db_put_vault(r->db, &row), OK);
	vault_db_abort(r->db);
	rig_reopen(r);
	expect_anchor(r, 0, 0);
	note(r, 0, 40);
	write_something(r);
	expect_anchor(r, 0, 40);
}

static void
an_older_head_replaces_nothing_and_one_after_a_repair_does(void **state)
{
	struct rig *r = *state;

	note(r, 0, 40);
	write_something(r);
	note(r, 0, 39);
	write_something(r);
	expect_anchor(r, 0, 40);
	note(r, 1, 7);
	write_something(r);
	rig_reopen(r);
	expect_anchor(r, 1, 7);
}

static void
an_anchor_can_be_kept_without_other_writes(void **state)
{
	struct rig *r = *state;

	assert_int_equal(vault_db_keep_anchor(r->db), OK);
	note(r, 0, 40);
	assert_int_equal(vault_db_keep_anchor(r->db), OK);
	rig_reopen(r);
	expect_anchor(r, 0, 40);
}

static void
grants_keep_one_too(void **state)
{
	struct rig *r = *state;
	struct vault_keys keys = { .vault = id_of(0x11, 1) };
	struct log_head h = head(0, 40);
	struct grants_db *db = NULL;
	char dir[600];

	snprintf(dir, sizeof dir, "%s/grants", rig_path(r));
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(grants_db_open(dir, &db), OK);
	assert_int_equal(grants_db_anchor(db).size, 0);
	grants_db_note_head(db, &h);
	assert_int_equal(grants_db_put_vault_keys(db, &keys), OK);
	h = head(0, 41);
	grants_db_note_head(db, &h);
	assert_int_equal(grants_db_keep_anchor(db), OK);
	grants_db_close(&db);
	assert_int_equal(grants_db_open(dir, &db), OK);
	assert_int_equal(grants_db_anchor(db).size, 41);
	grants_db_close(&db);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_new_environment_has_no_anchor),
		RIG_TEST(a_noted_head_goes_with_the_next_commit_and_outlives_it),
		RIG_TEST(a_noted_head_without_a_commit_is_forgotten),
		RIG_TEST(an_aborted_group_keeps_no_anchor_and_the_next_one_does),
		RIG_TEST(an_older_head_replaces_nothing_and_one_after_a_repair_does),
		RIG_TEST(an_anchor_can_be_kept_without_other_writes),
		RIG_TEST(grants_keep_one_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
