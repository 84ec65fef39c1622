/* vault_rig: a vault database in a folder of its own, and short ways to fill it. */
#ifndef TESTS_STORE_VAULT_RIG_H
#define TESTS_STORE_VAULT_RIG_H

#include <string.h>

#include "store/vault_db.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

struct rig {
	void            *dir; /* struct temp_dir */
	struct vault_db *db;
	struct uuid      vault;
};

static inline const char *
rig_path(const struct rig *r)
{
	return ((const struct temp_dir *)r->dir)->path;
}

static inline struct uuid
id_of(uint8_t what, uint64_t n)
{
	struct uuid id = { { what } };

	for (size_t i = 0; i < 8; i++)
		id.b[15 - i] = (uint8_t)(n >> 8 * i);
	return id;
}

/* Numbers that are the same in each run. */
static inline uint64_t
rig_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL;
}

static inline struct vault_row
rig_vault_row(struct uuid vault)
{
	struct vault_row v = { .vault = vault, .active = true, .created = { 1000 },
		.name_revision = id_of(0x7e, 1), .name_len = 50 };

	memset(v.sealed_name, 0x5a, v.name_len);
	return v;
}

static inline void
rig_reopen(struct rig *r)
{
	vault_db_close(&r->db);
	assert_int_equal(vault_db_open(rig_path(r), &r->db), OK);
}

static inline int
rig_setup(void **state)
{
	static struct rig r;
	struct vault_row v;

	r = (struct rig){ .vault = id_of(0x10, 1) };
	if (temp_dir_setup(&r.dir) != 0 || vault_db_open(rig_path(&r), &r.db) != OK)
		return -1;
	v = rig_vault_row(r.vault);
	if (vault_db_put_vault(r.db, &v) != OK || vault_db_commit(r.db) != OK)
		return -1;
	*state = &r;
	return 0;
}

static inline int
rig_teardown(void **state)
{
	struct rig *r = *state;

	vault_db_close(&r->db);
	return temp_dir_teardown(&r->dir);
}

static inline struct span
rig_sealed(uint8_t fill, size_t len)
{
	static uint8_t buf[SEALED_CHUNK_MAX + 1];

	memset(buf, fill, len);
	return (struct span){ buf, len };
}

/* A memory of 24 bytes by default; the test changes what it is about. */
static inline struct new_revision
rig_revision(const struct rig *r, struct uuid asset, struct uuid revision)
{
	static const uint8_t head[SEALED_HEAD_LEN] = { 0x11 }, title[60] = { 0x22 }, meta[90] = { 0x33 };

	return (struct new_revision){
		.row = { .vault = r->vault, .asset = asset, .revision = revision, .kind = KIND_MEMORY,
		    .bytes = 24, .created = { 2000 }, .asset_created = { 1500 } },
		.mode = PUBLISH_BESIDE,
		.sealed_head = { head, sizeof head },
		.sealed_title = { title, sizeof title },
		.sealed_meta = { meta, sizeof meta },
	};
}

static inline void
rig_add_parent(struct new_revision *n, struct uuid parent)
{
	n->row.parents[n->row.n_parents++] = parent;
}

static inline void
rig_tombstone(struct new_revision *n)
{
	n->row.deleted = true;
	n->row.bytes = 0;
}

/* Stages the chunks that the row wants, and publishes. */
static inline enum err
rig_publish(struct rig *r, const struct new_revision *n)
{
	uint32_t n_chunks = n->row.deleted ? 0 : revision_n_chunks(n->row.bytes);
	enum err e;

	for (uint32_t i = 0; i < n_chunks; i++)
		if ((e = vault_db_stage_chunk(r->db, n->row.revision, i, rig_sealed((uint8_t)i, 64))) != OK)
			return e;
	return vault_db_publish(r->db, n);
}

/* A one-chunk memory without parents. */
static inline void
rig_make_asset(struct rig *r, struct uuid asset, struct uuid revision)
{
	struct new_revision n = rig_revision(r, asset, revision);

	assert_int_equal(rig_publish(r, &n), OK);
}

#define RIG_TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)

#endif
