/* What a grant's holder suggests: it waits beside the vault's content, and the owner's word ends it. */
#include "tests/store/vault_rig.h"

static const struct uuid asset = { { 0x20, 1 } }, first = { { 0x70, 1 } }, second = { { 0x70, 2 } }, grant = { { 0x40, 1 } };

static struct proposal
proposal_of(const struct rig *r, struct uuid for_asset, struct uuid id)
{
	struct new_revision n = rig_revision(r, for_asset, id);

	return (struct proposal){ .grant = grant, .row = n.row, .sealed_head = n.sealed_head,
		.sealed_title = n.sealed_title, .sealed_meta = n.sealed_meta };
}

static struct proposal
edit_of(const struct rig *r, struct uuid id, struct uuid base)
{
	struct proposal p = proposal_of(r, asset, id);

	p.row.parents[p.row.n_parents++] = base;
	return p;
}

static enum err
file(struct rig *r, const struct proposal *p)
{
	uint32_t n = p->row.deleted ? 0 : revision_n_chunks(p->row.bytes);

	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(vault_db_stage_chunk(r->db, p->row.revision, i, rig_sealed((uint8_t)i, 64)), OK);
	return vault_db_put_proposal(r->db, p);
}

static void
a_proposal_comes_back_with_its_chunks_and_is_in_no_asset(void **state)
{
	struct rig *r = *state;
	struct proposal p = edit_of(r, second, first), got;
	struct revision_record rev;
	struct asset_page_row rows[4];
	struct asset_row a;
	struct span chunk;
	size_t n;
	bool more;

	rig_make_asset(r, asset, first);
	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	rig_reopen(r);
	assert_int_equal(vault_db_proposal(r->db, r->vault, second, &got), OK);
	assert_true(uuid_equal(got.grant, grant));
	assert_true(uuid_equal(got.row.parents[0], first));
	assert_int_equal(got.row.created.ms, 2000);
	assert_int_equal(got.sealed_meta.len, 90);
	assert_int_equal(got.sealed_meta.p[0], 0x33);
	assert_int_equal(vault_db_chunk(r->db, second, 0, &chunk), OK);
	assert_int_equal(chunk.len, 64);
	assert_int_equal(vault_db_proposal(r->db, id_of(0x10, 2), second, &got), ERR_NOT_FOUND);
	assert_int_equal(vault_db_proposal(r->db, r->vault, first, &got), ERR_NOT_FOUND);
	assert_int_equal(vault_db_asset(r->db, r->vault, asset, CLASSES_ALL, &a), OK);
	assert_int_equal(a.n_heads, 1);
	assert_int_equal(vault_db_revision(r->db, r->vault, asset, second, CLASSES_ALL, &rev), ERR_NOT_FOUND);
	assert_int_equal(vault_db_history(r->db, r->vault, asset, CLASSES_ALL, 0, 1, &rev, &n, &more), OK);
	assert_false(more);
	p = proposal_of(r, id_of(0x20, 2), id_of(0x70, 3));
	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_list_assets(r->db, r->vault, CLASSES_ALL, 0, 4, rows, &n, &more), OK);
	assert_int_equal(n, 1);
}

static void
a_proposal_stands_on_heads_of_an_ordinary_asset_or_on_none(void **state)
{
	struct rig *r = *state;
	struct new_revision n;
	struct proposal p;

	rig_make_asset(r, asset, first);
	n = rig_revision(r, asset, second);
	rig_add_parent(&n, first);
	assert_int_equal(rig_publish(r, &n), OK);
	n = rig_revision(r, id_of(0x20, 2), id_of(0x70, 9));
	n.row.key_class = CLASS_PRIVATE;
	assert_int_equal(rig_publish(r, &n), OK);
	p = edit_of(r, id_of(0x70, 3), first);
	assert_int_equal(file(r, &p), ERR_STALE_BASE);
	p = edit_of(r, id_of(0x70, 3), id_of(0x70, 9));
	assert_int_equal(file(r, &p), ERR_STALE_BASE);
	p.row.asset = id_of(0x20, 2);
	assert_int_equal(file(r, &p), ERR_NOT_FOUND);
	p.row.asset = id_of(0x20, 7);
	assert_int_equal(file(r, &p), ERR_NOT_FOUND);
	p = proposal_of(r, asset, id_of(0x70, 3));
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p = edit_of(r, id_of(0x70, 3), second);
	p.row.parents[p.row.n_parents++] = second;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p.row.n_parents = 1;
	p.row.kind = KIND_CARD;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p.row.kind = KIND_MEMORY;
	assert_int_equal(file(r, &p), OK);
	p = edit_of(r, id_of(0x70, 4), second);
	p.row.deleted = true;
	p.row.bytes = 0;
	assert_int_equal(file(r, &p), OK);
	p = proposal_of(r, id_of(0x20, 8), id_of(0x70, 5));
	p.row.deleted = true;
	p.row.bytes = 0;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
}

static void
a_proposal_is_small_ordinary_and_whole(void **state)
{
	struct rig *r = *state;
	struct proposal p = proposal_of(r, asset, first);

	p.row.key_class = CLASS_PRIVATE;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p.row.kind = KIND_FILE;
	p.row.key_class = CLASS_FILE;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p = proposal_of(r, asset, first);
	p.row.bytes = PROPOSAL_LEN_MAX + 1;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_discard(r->db, first), OK);
	p.row.bytes = 24;
	p.sealed_head.len = 0;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p = proposal_of(r, asset, first);
	p.sealed_title.len = SEALED_TITLE_MAX + 1;
	assert_int_equal(file(r, &p), ERR_INVALID_ARGUMENT);
	p = proposal_of(r, asset, first);
	assert_int_equal(vault_db_discard(r->db, first), OK);
	assert_int_equal(vault_db_put_proposal(r->db, &p), ERR_INVALID_ARGUMENT);
	p.row.vault = id_of(0x10, 2);
	assert_int_equal(file(r, &p), ERR_NOT_FOUND);
	p.row.vault = r->vault;
	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_remove_vault(r->db, r->vault), OK);
	p.row.revision = second;
	assert_int_equal(file(r, &p), ERR_VAULT_NOT_ACTIVE);
}

static void
what_the_owner_will_see_cannot_be_written_again(void **state)
{
	struct rig *r = *state;
	struct proposal p = proposal_of(r, asset, first);
	struct new_revision n = rig_revision(r, asset, first);

	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_put_proposal(r->db, &p), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_stage_chunk(r->db, first, 0, rig_sealed(9, 64)), ERR_INVALID_ARGUMENT);
	n.row.bytes = 0;
	assert_int_equal(vault_db_publish(r->db, &n), ERR_INVALID_ARGUMENT);
	n = rig_revision(r, asset, second);
	assert_int_equal(rig_publish(r, &n), OK);
	p = edit_of(r, second, second);
	assert_int_equal(vault_db_put_proposal(r->db, &p), ERR_INVALID_ARGUMENT);
}

static void
a_revision_settles_a_proposal_in_the_same_commit_and_once(void **state)
{
	struct rig *r = *state;
	struct proposal p = edit_of(r, second, first), got;
	struct new_revision n;
	struct asset_row a;
	struct span chunk;

	rig_make_asset(r, asset, first);
	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	n = rig_revision(r, asset, id_of(0x70, 3));
	n.mode = PUBLISH_ON_HEADS;
	n.settles = second;
	assert_int_equal(rig_publish(r, &n), ERR_INVALID_ARGUMENT);
	assert_int_equal(vault_db_proposal(r->db, r->vault, second, &got), OK);
	rig_add_parent(&n, first);
	assert_int_equal(rig_publish(r, &n), OK);
	vault_db_abort(r->db);
	assert_int_equal(vault_db_proposal(r->db, r->vault, second, &got), OK);
	assert_int_equal(rig_publish(r, &n), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_proposal(r->db, r->vault, second, &got), ERR_NOT_FOUND);
	assert_int_equal(vault_db_chunk(r->db, second, 0, &chunk), ERR_NOT_FOUND);
	n = rig_revision(r, asset, id_of(0x70, 4));
	rig_add_parent(&n, id_of(0x70, 3));
	n.settles = second;
	assert_int_equal(rig_publish(r, &n), ERR_NOT_FOUND);
	assert_int_equal(vault_db_asset(r->db, r->vault, asset, CLASSES_ALL, &a), OK);
	assert_true(a.n_heads == 1 && uuid_equal(a.heads[0], id_of(0x70, 3)));
}

static void
a_proposal_for_another_vault_is_not_settled_here(void **state)
{
	struct rig *r = *state;
	struct proposal p = proposal_of(r, asset, first);
	struct vault_row v = rig_vault_row(id_of(0x10, 2));
	struct new_revision n = rig_revision(r, asset, second);

	assert_int_equal(vault_db_put_vault(r->db, &v), OK);
	assert_int_equal(file(r, &p), OK);
	n.row.vault = v.vault;
	n.settles = first;
	assert_int_equal(rig_publish(r, &n), ERR_NOT_FOUND);
}

static void
a_dropped_proposal_leaves_nothing(void **state)
{
	struct rig *r = *state;
	struct proposal p = proposal_of(r, asset, first), got;
	struct span chunk;

	p.row.bytes = PROPOSAL_LEN_MAX;
	assert_int_equal(file(r, &p), OK);
	p = proposal_of(r, id_of(0x20, 2), second);
	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_drop_proposal(r->db, first), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_drop_proposal(r->db, first), ERR_NOT_FOUND);
	assert_int_equal(vault_db_proposal(r->db, r->vault, first, &got), ERR_NOT_FOUND);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(vault_db_chunk(r->db, first, i, &chunk), ERR_NOT_FOUND);
	assert_int_equal(vault_db_chunk(r->db, second, 0, &chunk), OK);
}

static void
a_grant_has_so_many_and_each_that_goes_makes_room(void **state)
{
	struct rig *r = *state;
	struct proposal p;

	for (unsigned i = 0; i < PROPOSALS_MAX; i++) {
		p = proposal_of(r, id_of(0x20, i), id_of(0x71, i));
		assert_int_equal(vault_db_proposals_room(r->db, grant), OK);
		assert_int_equal(file(r, &p), OK);
	}
	assert_int_equal(vault_db_commit(r->db), OK);
	assert_int_equal(vault_db_proposals_room(r->db, grant), ERR_TOO_MANY_PROPOSALS);
	assert_int_equal(vault_db_proposals_room(r->db, id_of(0x40, 9)), OK);
	p = proposal_of(r, id_of(0x20, 999), id_of(0x71, 999));
	assert_int_equal(file(r, &p), ERR_TOO_MANY_PROPOSALS);
	p.grant = id_of(0x40, 9);
	assert_int_equal(vault_db_put_proposal(r->db, &p), OK);
	p = proposal_of(r, id_of(0x20, 998), id_of(0x71, 998));
	assert_int_equal(vault_db_drop_proposal(r->db, id_of(0x71, 7)), OK);
	assert_int_equal(file(r, &p), OK);
}

static void
proposals_are_listed_for_one_vault_in_pages(void **state)
{
	struct rig *r = *state;
	struct rig other = *r;
	struct vault_row v;
	struct proposal p, rows[4];
	size_t n;
	bool more;

	other.vault = id_of(0x10, 2);
	v = rig_vault_row(other.vault);
	assert_int_equal(vault_db_put_vault(r->db, &v), OK);
	for (unsigned i = 0; i < 10; i++) {
		p = proposal_of(i % 2 == 0 ? r : &other, id_of(0x20, i), id_of(0x71, i));
		assert_int_equal(file(r, &p), OK);
	}
	assert_int_equal(vault_db_list_proposals(r->db, r->vault, 0, 4, rows, &n, &more), OK);
	assert_int_equal(n, 4);
	assert_true(more);
	for (unsigned i = 0; i < 4; i++)
		assert_true(uuid_equal(rows[i].row.revision, id_of(0x71, 2 * i)));
	assert_int_equal(vault_db_list_proposals(r->db, other.vault, 1, 4, rows, &n, &more), OK);
	assert_int_equal(n, 4);
	assert_false(more);
	assert_true(uuid_equal(rows[3].row.revision, id_of(0x71, 9)));
	assert_int_equal(vault_db_list_proposals(r->db, id_of(0x10, 3), 0, 4, rows, &n, &more), OK);
	assert_int_equal(n, 0);
}

static void
what_was_staged_and_never_filed_is_swept_and_what_was_filed_stays(void **state)
{
	struct rig *r = *state;
	struct proposal p = proposal_of(r, asset, first), got;
	struct span chunk;

	assert_int_equal(vault_db_stage_chunk(r->db, second, 0, rig_sealed(1, 64)), OK);
	assert_int_equal(file(r, &p), OK);
	assert_int_equal(vault_db_commit(r->db), OK);
	rig_reopen(r);
	assert_int_equal(vault_db_proposal(r->db, r->vault, first, &got), OK);
	assert_int_equal(vault_db_chunk(r->db, first, 0, &chunk), OK);
	p = proposal_of(r, id_of(0x20, 2), second);
	assert_int_equal(vault_db_put_proposal(r->db, &p), ERR_INVALID_ARGUMENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_proposal_comes_back_with_its_chunks_and_is_in_no_asset),
		RIG_TEST(a_proposal_stands_on_heads_of_an_ordinary_asset_or_on_none),
		RIG_TEST(a_proposal_is_small_ordinary_and_whole),
		RIG_TEST(what_the_owner_will_see_cannot_be_written_again),
		RIG_TEST(a_revision_settles_a_proposal_in_the_same_commit_and_once),
		RIG_TEST(a_proposal_for_another_vault_is_not_settled_here),
		RIG_TEST(a_dropped_proposal_leaves_nothing),
		RIG_TEST(a_grant_has_so_many_and_each_that_goes_makes_room),
		RIG_TEST(proposals_are_listed_for_one_vault_in_pages),
		RIG_TEST(what_was_staged_and_never_filed_is_swept_and_what_was_filed_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
