/* The whole vault database against a model of plain arrays. */
#include <stdlib.h>

#include "store/db_records.h"
#include "store/env.h"
#include "tests/store/vault_rig.h"

#define MODEL_REVISIONS_MAX 6

struct model_revision {
	struct uuid id;
	bool        deleted, quarantined, head;
};

struct model_asset {
	struct uuid           id;
	enum key_class        key_class;
	size_t                n_revisions;
	struct model_revision revisions[MODEL_REVISIONS_MAX];
};

struct model {
	size_t             n;
	struct model_asset assets[8192]; /* in the order of ids */
	uint64_t           seed, n_ids;
};

static struct model model, saved;

static bool
model_live(const struct model_asset *a)
{
	for (size_t i = 0; i < a->n_revisions; i++)
		if (a->revisions[i].head && !a->revisions[i].deleted)
			return true;
	return false;
}

static int
by_id(const void *a, const void *b)
{
	return uuid_compare(((const struct model_asset *)a)->id, ((const struct model_asset *)b)->id);
}

static struct model_asset *
model_insert(struct uuid id)
{
	size_t at = 0;

	while (at < model.n && uuid_compare(model.assets[at].id, id) < 0)
		at++;
	memmove(&model.assets[at + 1], &model.assets[at], (model.n - at) * sizeof model.assets[0]);
	model.n++;
	model.assets[at] = (struct model_asset){ .id = id };
	return &model.assets[at];
}

static void
random_new_asset(struct rig *r, struct uuid id)
{
	struct new_revision n = rig_revision(r, id, id_of(0x70, ++model.n_ids));
	struct model_asset *a = model_insert(id);
	uint64_t roll = rig_random(&model.seed) % 10;

	/* Rare classes leave blocks without any. */
	a->key_class = rig_random(&model.seed) % 300 == 0 ? CLASS_PRIVATE : CLASS_ORDINARY;
	n.row.key_class = a->key_class;
	if (roll == 0)
		rig_tombstone(&n);
	n.quarantined = roll == 1;
	assert_int_equal(rig_publish(r, &n), OK);
	a->revisions[a->n_revisions++] = (struct model_revision){ n.row.revision, n.row.deleted,
		n.quarantined, !n.quarantined };
}

/* On top of some of the revisions, heads or not. */
static void
random_edit(struct rig *r, struct model_asset *a)
{
	struct new_revision n = rig_revision(r, a->id, id_of(0x70, ++model.n_ids));
	uint64_t roll = rig_random(&model.seed);

	if (a->n_revisions == MODEL_REVISIONS_MAX)
		return;
	n.row.key_class = a->key_class;
	n.quarantined = roll % 7 == 0;
	if (roll / 7 % 2 == 0)
		rig_tombstone(&n);
	for (size_t i = 0; i < a->n_revisions; i++)
		if (i + 1 == a->n_revisions || rig_random(&model.seed) % 2 == 0)
			rig_add_parent(&n, a->revisions[i].id);
	assert_int_equal(rig_publish(r, &n), OK);
	for (size_t i = 0; i < a->n_revisions; i++)
		for (size_t j = 0; j < n.row.n_parents && !n.quarantined; j++)
			if (uuid_equal(a->revisions[i].id, n.row.parents[j]))
				a->revisions[i].head = false;
	a->revisions[a->n_revisions++] = (struct model_revision){ n.row.revision, n.row.deleted,
		n.quarantined, !n.quarantined };
}

static void
check_heads(const struct model_asset *a, const struct asset_row *row)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_revisions; i++)
		if (a->revisions[i].head)
			assert_true(n < row->n_heads && uuid_equal(row->heads[n++], a->revisions[i].id));
	assert_int_equal(n, row->n_heads);
	assert_int_equal(row->deleted, n > 0 && !model_live(a));
}

static void
check_page_of(struct rig *r, unsigned classes, uint64_t offset, size_t limit)
{
	static struct asset_page_row rows[128];
	uint64_t place = 0;
	size_t n, got = 0;
	bool more, expect_more = false;

	assert_int_equal(vault_db_list_assets(r->db, r->vault, classes, offset, limit, rows, &n, &more), OK);
	for (size_t i = 0; i < model.n; i++) {
		if (!model_live(&model.assets[i]) || (classes & 1u << model.assets[i].key_class) == 0 || place++ < offset)
			continue;
		if (got == limit) {
			expect_more = true;
			break;
		}
		assert_true(got < n);
		assert_true(uuid_equal(rows[got].asset.asset, model.assets[i].id));
		check_heads(&model.assets[i], &rows[got].asset);
		assert_true(rows[got].first_head.head && !rows[got].first_head.row.deleted);
		got++;
	}
	assert_int_equal(got, n);
	assert_int_equal(more, expect_more);
}

static void
check_page(struct rig *r, uint64_t offset, size_t limit)
{
	check_page_of(r, CLASSES_ALL, offset, limit);
	check_page_of(r, 1u << CLASS_ORDINARY, offset, limit);
	check_page_of(r, 1u << CLASS_PRIVATE | 1u << CLASS_FILE, offset / 300, limit);
	check_page_of(r, 0, offset, limit);
}

static void
check_history(struct rig *r, const struct model_asset *a)
{
	struct revision_record rows[MODEL_REVISIONS_MAX];
	struct asset_row row;
	size_t n;
	bool more;

	assert_int_equal(vault_db_asset(r->db, r->vault, a->id, CLASSES_ALL, &row), OK);
	check_heads(a, &row);
	assert_int_equal(vault_db_history(r->db, r->vault, a->id, CLASSES_ALL, 0, MODEL_REVISIONS_MAX, rows, &n, &more), OK);
	assert_int_equal(n, a->n_revisions);
	assert_false(more);
	for (size_t i = 0; i < n; i++) {
		assert_true(uuid_equal(rows[i].row.revision, a->revisions[i].id));
		assert_int_equal(rows[i].head, a->revisions[i].head);
		assert_int_equal(rows[i].row.deleted, a->revisions[i].deleted);
		assert_int_equal(rows[i].quarantined, a->revisions[i].quarantined);
	}
}

static void
check_all(struct rig *r)
{
	struct vault_row v;
	uint64_t n_live = 0;

	for (size_t i = 0; i < model.n; i++)
		n_live += model_live(&model.assets[i]);
	assert_int_equal(vault_db_vault(r->db, r->vault, &v), OK);
	assert_int_equal(v.n_assets, n_live);
	for (int i = 0; i < 20; i++)
		check_page(r, rig_random(&model.seed) % (n_live + 10), rig_random(&model.seed) % 100 + 1);
	check_page(r, 0, 100);
	check_page(r, n_live, 100);
	check_page(r, n_live == 0 ? 0 : n_live - 1, 100);
	for (int i = 0; i < 20 && model.n > 0; i++)
		check_history(r, &model.assets[rig_random(&model.seed) % model.n]);
}

/* Runs of ids that rise, that fall and that are anywhere, mixed. */
static struct uuid
random_asset_id(unsigned round, unsigned i)
{
	struct uuid id = { { 0x20 } };
	uint64_t spread = rig_random(&model.seed);

	if (round % 3 == 0)
		return id_of(0x30, (uint64_t)round << 32 | i);
	if (round % 3 == 1)
		return id_of(0x28, ((uint64_t)(1000 - round) << 32) - i);
	memcpy(id.b + 1, &spread, sizeof spread);
	return id;
}

static void
one_group(struct rig *r, unsigned round)
{
	for (unsigned i = 0; i < 120; i++)
		random_new_asset(r, random_asset_id(round, i));
	for (unsigned i = 0; i < 60; i++)
		random_edit(r, &model.assets[rig_random(&model.seed) % model.n]);
}

static void
pages_counts_heads_and_histories_are_those_of_a_naive_model(void **state)
{
	struct rig *r = *state;

	model = (struct model){ .seed = 42 };
	for (unsigned round = 0; round < 40; round++) {
		saved = model;
		one_group(r, round);
		if (round % 10 == 3)
			check_all(r);
		if (round % 5 == 4) {
			vault_db_abort(r->db);
			model = saved;
		} else {
			assert_int_equal(vault_db_commit(r->db), OK);
		}
		if (round % 10 == 4)
			check_all(r);
	}
	assert_true(model.n > 6 * DB_BLOCK_MAX);
	rig_reopen(r);
	check_all(r);
	qsort(model.assets, model.n, sizeof model.assets[0], by_id);
	for (uint64_t offset = 0; offset < model.n; offset += 100)
		check_page(r, offset, 100);
}

static void
another_vault_beside_it_is_not_counted(void **state)
{
	struct rig *r = *state;
	struct rig below = *r, above = *r;
	struct vault_row v;

	model = (struct model){ .seed = 7 };
	below.vault = id_of(0x0f, 9);
	above.vault = id_of(0x10, 2);
	for (int i = 0; i < 2; i++) {
		struct rig *other = i == 0 ? &below : &above;

		v = rig_vault_row(other->vault);
		assert_int_equal(vault_db_put_vault(r->db, &v), OK);
		for (unsigned k = 0; k < 3; k++)
			rig_make_asset(other, id_of(0x21, k), id_of(0x71, 10u * (unsigned)i + k));
	}
	check_page(r, 0, 100);
	for (unsigned round = 0; round < 10; round++) {
		one_group(r, round);
		assert_int_equal(vault_db_commit(r->db), OK);
	}
	check_all(r);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vault_db_vault(r->db, i == 0 ? below.vault : above.vault, &v), OK);
		assert_int_equal(v.n_assets, 3);
	}
}

static void
a_vault_of_tombstones_alone_has_an_empty_page(void **state)
{
	struct rig *r = *state;
	struct new_revision n;

	model = (struct model){ .seed = 1 };
	for (unsigned i = 0; i < 3 * DB_BLOCK_MAX / 2; i++) {
		n = rig_revision(r, id_of(0x20, i), id_of(0x70, i));
		rig_tombstone(&n);
		assert_int_equal(rig_publish(r, &n), OK);
		if (i % 500 == 0)
			assert_int_equal(vault_db_commit(r->db), OK);
	}
	check_page(r, 0, 100);
	check_page(r, 5, 1);
}

/* Closes the database. */
static size_t
count_blocks(struct rig *r)
{
	static const char *const names[] = { "directory" };
	static const uint8_t zero;
	struct env_row row;
	struct env *e;
	size_t n = 0;
	enum err rc;

	assert_int_equal(vault_db_commit(r->db), OK);
	vault_db_close(&r->db);
	assert_int_equal(env_open(rig_path(r), names, 1, &e), OK);
	assert_int_equal(env_look(e), OK);
	for (rc = env_seek(e, 0, (struct span){ &zero, 1 }, &row); rc == OK; rc = env_next(e, 0, &row))
		n++;
	env_close(&e);
	return n;
}

static void
ids_that_rise_fill_their_blocks(void **state)
{
	struct rig *r = *state;

	for (unsigned i = 0; i < 3 * DB_BLOCK_MAX; i++) {
		rig_make_asset(r, id_of(0x20, i), id_of(0x70, i));
		if (i % 500 == 0)
			assert_int_equal(vault_db_commit(r->db), OK);
	}
	assert_int_equal(count_blocks(r), 3);
}

static void
ids_that_fall_fill_half_of_their_blocks(void **state)
{
	struct rig *r = *state;

	for (unsigned i = 3 * DB_BLOCK_MAX; i > 0; i--) {
		rig_make_asset(r, id_of(0x20, i), id_of(0x70, i));
		if (i % 500 == 0)
			assert_int_equal(vault_db_commit(r->db), OK);
	}
	assert_in_range(count_blocks(r), 3, 6);
}

static void
a_vault_after_another_begins_its_own_blocks(void **state)
{
	struct rig *r = *state;
	struct rig below = *r;
	struct vault_row v;

	below.vault = id_of(0x0f, 9);
	v = rig_vault_row(below.vault);
	assert_int_equal(vault_db_put_vault(r->db, &v), OK);
	rig_make_asset(&below, id_of(0x20, 1), id_of(0x71, 1));
	for (unsigned i = 0; i < DB_BLOCK_MAX + 1; i++)
		rig_make_asset(r, id_of(0x20, i), id_of(0x70, i));
	assert_int_equal(count_blocks(r), 1 + 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(pages_counts_heads_and_histories_are_those_of_a_naive_model),
		RIG_TEST(another_vault_beside_it_is_not_counted),
		RIG_TEST(ids_that_rise_fill_their_blocks),
		RIG_TEST(ids_that_fall_fill_half_of_their_blocks),
		RIG_TEST(a_vault_after_another_begins_its_own_blocks),
		RIG_TEST(a_vault_of_tombstones_alone_has_an_empty_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
