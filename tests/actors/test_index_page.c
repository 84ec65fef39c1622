/* What search reads of the vault: ordinary memories and cards, whole, each once, and nothing else. */
#include "actors/index_page.h"
#include "tests/actors/content_rig.h"
#include "tests/support/temp_dir.h"

static struct {
	void              *dir;
	struct vault_db   *db;
	struct index_page *p;
} t;

enum { MEMORY = 1, SECRET, PHOTO, CONFLICT, DELETED, PRIVATE, LONG };

static const struct content contents[] = {
	{ .asset = MEMORY, .revision = 1, .kind = KIND_MEMORY, .bytes = 100 },
	{ .asset = MEMORY, .revision = 2, .kind = KIND_MEMORY, .bytes = 120, .parents = { 1 } },
	{ .asset = SECRET, .revision = 3, .kind = KIND_CREDENTIAL, .key_class = CLASS_CREDENTIAL, .bytes = 9 },
	{ .asset = PHOTO, .revision = 4, .kind = KIND_FILE, .key_class = CLASS_FILE, .bytes = 20 },
	{ .asset = CONFLICT, .revision = 5, .kind = KIND_CARD, .bytes = 50 },
	{ .asset = CONFLICT, .revision = 6, .kind = KIND_CARD, .bytes = 51, .parents = { 5 } },
	{ .asset = CONFLICT, .revision = 7, .kind = KIND_CARD, .bytes = 52, .parents = { 5 } },
	{ .asset = DELETED, .revision = 8, .kind = KIND_MEMORY, .bytes = 10 },
	{ .asset = DELETED, .revision = 9, .kind = KIND_MEMORY, .parents = { 8 }, .deleted = true },
	{ .asset = PRIVATE, .revision = 11, .kind = KIND_MEMORY, .key_class = CLASS_PRIVATE, .bytes = 7 },
};

static int
setup(void **state)
{
	(void)state;
	if (temp_dir_setup(&t.dir) != 0 || vault_db_open(((struct temp_dir *)t.dir)->path, &t.db) != OK ||
	    index_page_new(&t.p) != OK)
		return -1;
	content_make_vault(t.db, content_vault, true);
	for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
		content_publish(t.db, &contents[i]);
	return vault_db_commit(t.db) != OK;
}

static int
teardown(void **state)
{
	(void)state;
	index_page_free(&t.p);
	vault_db_close(&t.db);
	return temp_dir_teardown(&t.dir);
}

static struct index_page_body
page(struct index_page_wanted_body w)
{
	w.vault = content_vault;
	return index_page_make(t.p, t.db, &w);
}

/* The last bytes of the revisions of a page's heads. */
static size_t
heads(const struct index_page_body *b, uint8_t *out)
{
	struct wire_in in = wire_in(b->items.p, b->items.len);
	struct item_body item;
	size_t n = 0;

	for (size_t i = 0; i < b->n_items; i++) {
		item_body_take(&in, &item);
		assert_int_equal(item.ref.key_class, CLASS_ORDINARY);
		if (item.ref.part == PART_HEAD)
			out[n++] = item.ref.revision.b[15];
		else
			assert_int_equal(item.ref.part, PART_CONTENT);
	}
	assert_true(wire_done(&in));
	return n;
}

static void
a_page_holds_the_heads_of_ordinary_assets_and_no_others(void **state)
{
	struct index_page_body b = page((struct index_page_wanted_body){ .only = 0 });
	uint8_t got[8];

	(void)state;
	assert_int_equal(b.error, OK);
	assert_false(b.more);
	assert_int_equal(heads(&b, got), 2);
	assert_int_equal(got[0], 2);
	assert_int_equal(got[1], 6); /* of two heads the first */
	assert_int_equal(b.n_items, 4);
}

static void
one_asset_is_there_or_it_is_not(void **state)
{
	static const struct { uint8_t asset; uint16_t n_items; } wanted[] = {
		{ MEMORY, 2 }, { SECRET, 0 }, { PHOTO, 0 }, { CONFLICT, 2 }, { DELETED, 0 }, { PRIVATE, 0 }, { 99, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct index_page_body b = page((struct index_page_wanted_body){ .asset = content_id(0x20, wanted[i].asset), .only = 1 });

		assert_int_equal(b.error, OK);
		assert_int_equal(b.n_items, wanted[i].n_items);
		assert_false(b.more);
	}
}

/* Chunks as long as they get, two to a page. */
static void
publish_long(void)
{
	static uint8_t chunk[SEALED_CHUNK_MAX];
	struct new_revision n = { .row = { .vault = content_vault, .asset = content_id(0x20, LONG), .revision = content_id(0x30, 60),
		.kind = KIND_MEMORY, .bytes = 4 * CHUNK_LEN + 1, .created = { 1 }, .asset_created = { 1 } }, .mode = PUBLISH_BESIDE };
	uint8_t head[48], title[80], meta[100];

	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(vault_db_stage_chunk(t.db, n.row.revision, i, (struct span){ chunk, sizeof chunk }), OK);
	n.sealed_head = content_sealed(head, 1, sizeof head);
	n.sealed_title = content_sealed(title, 1, sizeof title);
	n.sealed_meta = content_sealed(meta, 1, sizeof meta);
	assert_int_equal(vault_db_publish(t.db, &n), OK);
	assert_int_equal(vault_db_commit(t.db), OK);
}

static void
a_long_asset_goes_over_several_pages_and_every_chunk_comes_once(void **state)
{
	struct index_page_wanted_body w = { .only = 0 };
	uint32_t next_chunk = 0;
	size_t n_pages = 0, n_heads = 0;
	struct index_page_body b;

	(void)state;
	publish_long();
	do {
		struct wire_in in;
		struct item_body item;

		b = page(w);
		assert_int_equal(b.error, OK);
		in = wire_in(b.items.p, b.items.len);
		for (size_t i = 0; i < b.n_items; i++) {
			item_body_take(&in, &item);
			n_heads += item.ref.part == PART_HEAD;
			if (item.ref.part == PART_CONTENT && item.ref.asset.b[15] == LONG)
				assert_int_equal(item.ref.index, next_chunk++);
		}
		w = (struct index_page_wanted_body){ .asset = b.next_asset, .revision = b.next_revision, .first_chunk = b.next_chunk };
		n_pages++;
	} while (b.more && n_pages < 10);
	assert_int_equal(next_chunk, 5);
	assert_int_equal(n_heads, 3);
	assert_true(n_pages >= 3);
}

static void
a_vault_that_is_not_there_or_was_removed_has_no_page(void **state)
{
	struct index_page_wanted_body w = { .vault = content_id(0x10, 9), .only = 1 };

	(void)state;
	assert_int_equal(index_page_make(t.p, t.db, &w).error, ERR_NOT_FOUND);
	assert_int_equal(page((struct index_page_wanted_body){ .only = 1 }).error, OK);
	assert_int_equal(vault_db_remove_vault(t.db, content_vault), OK);
	assert_int_equal(vault_db_commit(t.db), OK);
	assert_int_equal(page((struct index_page_wanted_body){ .only = 0 }).error, ERR_VAULT_NOT_ACTIVE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_page_holds_the_heads_of_ordinary_assets_and_no_others),
		TEST(one_asset_is_there_or_it_is_not),
		TEST(a_long_asset_goes_over_several_pages_and_every_chunk_comes_once),
		TEST(a_vault_that_is_not_there_or_was_removed_has_no_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
