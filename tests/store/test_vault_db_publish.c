#include "tests/store/vault_rig.h"

static const struct uuid asset = { { 0x20, 1 } }, first = { { 0x70, 1 } }, second = { { 0x70, 2 } },
	third = { { 0x70, 3 } };

static struct asset_row
asset_now(struct rig *r)
{
	struct asset_row row;

	assert_int_equal(vault_db_asset(r->db, r->vault, asset, CLASSES_ALL, &row), OK);
	return row;
}

static uint64_t
n_assets(struct rig *r)
{
	struct vault_row v;

	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	return v.n_assets;
}

/* On top of a parent; the test may change it first. */
static struct new_revision
on_top(struct rig *r, struct uuid revision, struct uuid parent)
{
	struct new_revision n = rig_revision(r, asset, revision);

	rig_add_parent(&n, parent);
	return n;
}

static void
the_first_revision_makes_the_asset(void **state)
{
	struct rig *r = *state;
	struct asset_row row;

	rig_make_asset(r, asset, first);
	row = asset_now(r);
	assert_int_equal(row.kind, KIND_MEMORY);
	assert_int_equal(row.key_class, CLASS_ORDINARY);
	assert_int_equal(row.created.ms, 1500);
	assert_false(row.deleted);
	assert_int_equal(row.n_heads, 1);
	assert_true(uuid_equal(row.heads[0], first));
	assert_int_equal(n_assets(r), 1);
}

static void
parents_stop_being_heads_and_others_are_a_conflict(void **state)
{
	struct rig *r = *state;
	struct new_revision n;
	struct asset_row row;

	rig_make_asset(r, asset, second);
	n = on_top(r, third, second);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(asset_now(r).n_heads, 1);
	n = on_top(r, first, second);
	assert_int_equal(rig_publish(r, &n), OK);
	row = asset_now(r);
	assert_int_equal(row.n_heads, 2);
	assert_true(uuid_equal(row.heads[0], first));
	assert_true(uuid_equal(row.heads[1], third));
	n = on_top(r, id_of(0x70, 4), first);
	rig_add_parent(&n, third);
	assert_int_equal(rig_publish(r, &n), OK);
	row = asset_now(r);
	assert_int_equal(row.n_heads, 1);
	assert_true(uuid_equal(row.heads[0], id_of(0x70, 4)));
}

static void
a_tombstone_deletes_and_content_on_top_brings_back(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	rig_tombstone(&n);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_true(asset_now(r).deleted);
	assert_int_equal(n_assets(r), 0);
	n = on_top(r, third, second);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_false(asset_now(r).deleted);
	assert_int_equal(n_assets(r), 1);
}

static void
a_tombstone_beside_a_living_head_deletes_nothing(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	assert_int_equal(rig_publish(r, &n), OK);
	n = on_top(r, third, first);
	rig_tombstone(&n);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_false(asset_now(r).deleted);
	assert_int_equal(asset_now(r).n_heads, 2);
	assert_int_equal(n_assets(r), 1);
}

static void
a_quarantined_revision_is_kept_and_is_no_head(void **state)
{
	struct rig *r = *state;
	struct new_revision n;
	struct revision_record got;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	n.quarantined = true;
	n.sealed_head.len = 0;
	n.mode = PUBLISH_ON_HEADS;
	assert_int_equal(vault_db_publish(r->db, &n), OK);
	assert_int_equal(asset_now(r).n_heads, 1);
	assert_true(uuid_equal(asset_now(r).heads[0], first));
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, second, CLASSES_ALL, &got), OK);
	assert_true(got.quarantined);
	assert_false(got.head);
	n = on_top(r, third, second);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(asset_now(r).n_heads, 2);
}

static void
an_asset_of_quarantined_revisions_alone_is_not_live(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);

	n.quarantined = true;
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(asset_now(r).n_heads, 0);
	assert_false(asset_now(r).deleted);
	assert_int_equal(n_assets(r), 0);
	n = on_top(r, second, first);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(asset_now(r).n_heads, 1);
	assert_int_equal(n_assets(r), 1);
}

static void
a_revision_has_the_class_of_its_asset_for_ever(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n.quarantined = true;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(asset_now(r).key_class, CLASS_ORDINARY);
	n = rig_revision(r, id_of(0x20, 2), second);
	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), OK);
	n = rig_revision(r, id_of(0x20, 2), third);
	rig_add_parent(&n, second);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), OK);
}

static void
a_revision_says_when_its_asset_was_made(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	n.row.asset_created.ms++;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n.row.asset_created.ms--;
	assert_int_equal(rig_publish(r, &n), OK);
	n = on_top(r, third, second);
	n.row.asset_created.ms = 0;
	n.quarantined = true;
	assert_int_equal(rig_publish(r, &n), OK);
}

static void
on_heads_the_parents_are_all_heads_and_nothing_else(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	n.mode = PUBLISH_ON_HEADS;
	assert_int_equal(rig_publish(r, &n), OK);
	n = on_top(r, third, first);
	n.mode = PUBLISH_ON_HEADS;
	assert_int_equal(rig_publish(r, &n), ERR_STALE_BASE);
	rig_add_parent(&n, second);
	assert_int_equal(rig_publish(r, &n), ERR_STALE_BASE);
	assert_int_equal(asset_now(r).n_heads, 1);
	assert_true(uuid_equal(asset_now(r).heads[0], second));
	n.mode = PUBLISH_BESIDE;
	n.row.n_parents = 1;
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(asset_now(r).n_heads, 2);
	n = on_top(r, id_of(0x70, 4), third);
	n.mode = PUBLISH_ON_HEADS;
	assert_int_equal(rig_publish(r, &n), ERR_STALE_BASE);
	rig_add_parent(&n, second);
	rig_tombstone(&n);
	assert_int_equal(vault_db_discard(r->db, n.row.revision), OK);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_true(asset_now(r).deleted);
	n = on_top(r, id_of(0x70, 5), id_of(0x70, 4));
	n.mode = PUBLISH_ON_HEADS;
	assert_int_equal(rig_publish(r, &n), OK);
	assert_false(asset_now(r).deleted);
}

static void
the_vault_must_be_there_and_active(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);

	n.row.vault = id_of(0x10, 9);
	assert_int_equal(rig_publish(r, &n), ERR_NOT_FOUND);
	assert_int_equal(vault_db_remove_vault(r->db, r->vault), OK);
	n.row.vault = r->vault;
	assert_int_equal(rig_publish(r, &n), ERR_VAULT_NOT_ACTIVE);
}

static void
a_revision_is_published_once(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, id_of(0x20, 2), first);

	rig_make_asset(r, asset, first);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
}

static void
parents_must_be_other_revisions_of_the_asset(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	rig_make_asset(r, id_of(0x20, 2), second);
	n = rig_revision(r, asset, third);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, third, second);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, third, third);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, third, first);
	rig_add_parent(&n, first);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = rig_revision(r, id_of(0x20, 3), third);
	rig_add_parent(&n, first);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, third, first);
	n.row.n_parents = REVISION_PARENTS_MAX + 1;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, third, first);
	assert_int_equal(rig_publish(r, &n), OK);
}

static void
kind_class_and_lengths_must_fit(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = on_top(r, second, first);
	n.row.kind = KIND_CARD;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n.row.kind = (enum kind)77;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, second, first);
	n.row.key_class = CLASS_FILE;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, second, first);
	n.sealed_head.len--;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, second, first);
	n.sealed_title.len = SEALED_TITLE_MAX + 1;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, second, first);
	n.sealed_meta.len = SEALED_META_MAX + 1;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, second, first);
	n.row.deleted = true;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, second, first);
	assert_int_equal(rig_publish(r, &n), OK);
}

static void
every_chunk_must_be_there_and_no_more(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);

	n.row.bytes = 2 * CHUNK_LEN + 1;
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 0, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 1, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 1, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 3, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 2, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	n.row.bytes = 3 * CHUNK_LEN + 1;
	assert_int_equal(vault_db_publish(r->db, &n), OK);
}

static void
a_hole_between_chunks_is_a_missing_chunk(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);

	n.row.bytes = 2 * CHUNK_LEN + 1;
	assert_int_equal(vault_db_stage_chunk(r->db, first, 0, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 2, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
}

static void
an_empty_content_has_one_chunk_and_a_tombstone_none(void **state)
{
	struct rig *r = *state;
	struct new_revision n = rig_revision(r, asset, first);

	n.row.bytes = 0;
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(rig_publish(r, &n), OK);
	n = on_top(r, second, first);
	rig_tombstone(&n);
	assert_int_equal(vault_db_stage_chunk(r->db, second, 0, rig_sealed(0, 41)), OK);
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_discard(r->db, second), OK);
	assert_int_equal(vault_db_publish(r->db, &n), OK);
}

static void
an_asset_has_no_more_than_its_maximum_of_heads(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	for (unsigned i = 0; i < ASSET_HEADS_MAX; i++) {
		n = on_top(r, id_of(0x71, i), first);
		assert_int_equal(rig_publish(r, &n), OK);
	}
	assert_int_equal(asset_now(r).n_heads, ASSET_HEADS_MAX);
	n = on_top(r, id_of(0x71, 99), first);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	n = on_top(r, id_of(0x71, 99), id_of(0x71, 3));
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(asset_now(r).n_heads, ASSET_HEADS_MAX);
}

static void
a_refused_publish_leaves_the_group_as_it_was(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	rig_make_asset(r, asset, first);
	n = rig_revision(r, asset, second);
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(asset_now(r).n_heads, 1);
	assert_int_equal(n_assets(r), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(the_first_revision_makes_the_asset),
		RIG_TEST(parents_stop_being_heads_and_others_are_a_conflict),
		RIG_TEST(a_tombstone_deletes_and_content_on_top_brings_back),
		RIG_TEST(a_tombstone_beside_a_living_head_deletes_nothing),
		RIG_TEST(a_quarantined_revision_is_kept_and_is_no_head),
		RIG_TEST(an_asset_of_quarantined_revisions_alone_is_not_live),
		RIG_TEST(a_revision_has_the_class_of_its_asset_for_ever),
		RIG_TEST(a_revision_says_when_its_asset_was_made),
		RIG_TEST(on_heads_the_parents_are_all_heads_and_nothing_else),
		RIG_TEST(the_vault_must_be_there_and_active),
		RIG_TEST(a_revision_is_published_once),
		RIG_TEST(parents_must_be_other_revisions_of_the_asset),
		RIG_TEST(kind_class_and_lengths_must_fit),
		RIG_TEST(every_chunk_must_be_there_and_no_more),
		RIG_TEST(a_hole_between_chunks_is_a_missing_chunk),
		RIG_TEST(an_empty_content_has_one_chunk_and_a_tombstone_none),
		RIG_TEST(an_asset_has_no_more_than_its_maximum_of_heads),
		RIG_TEST(a_refused_publish_leaves_the_group_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
