/* content_rig: assets in a vault database, each in one line, with bytes in place of what would be sealed. */
#ifndef TESTS_ACTORS_CONTENT_RIG_H
#define TESTS_ACTORS_CONTENT_RIG_H

#include <string.h>

#include "store/vault_db.h"
#include "tests/support/check.h"

static inline struct uuid
content_id(uint8_t what, uint8_t n)
{
	struct uuid id = { { what } };

	id.b[15] = n;
	return id;
}

static const struct uuid content_vault = { { 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } };

static inline void
content_make_vault(struct vault_db *db, struct uuid vault, bool active)
{
	struct vault_row row = { .vault = vault, .created = { 5 }, .name_revision = content_id(0x7e, vault.b[15]),
		.name_len = 60 };

	memset(row.sealed_name, vault.b[15], sizeof row.sealed_name);
	assert_int_equal(vault_db_put_vault(db, &row), OK);
	if (!active)
		assert_int_equal(vault_db_remove_vault(db, vault), OK);
}

struct content {
	uint8_t   asset, revision; /* the last bytes of their ids */
	enum kind kind;
	enum key_class key_class;
	uint64_t  bytes;
	uint8_t   parents[3];      /* of revisions; 0 ends */
	bool      deleted, quarantined;
};

/* What stands in for a sealed part: its length says which, its bytes whose. */
static inline struct span
content_sealed(uint8_t *buf, uint8_t fill, size_t len)
{
	memset(buf, fill, len);
	return (struct span){ buf, len };
}

static inline void
content_publish(struct vault_db *db, const struct content *c)
{
	uint8_t head[48], title[80], meta[100], chunk[200];
	struct new_revision n = { .row = { .vault = content_vault, .asset = content_id(0x20, c->asset),
		.revision = content_id(0x30, c->revision), .kind = c->kind, .key_class = c->key_class, .deleted = c->deleted,
		.bytes = c->bytes, .created = { 1000 + c->revision }, .asset_created = { 900 } },
		.mode = PUBLISH_BESIDE, .quarantined = c->quarantined };
	uint32_t n_chunks = c->deleted ? 0 : revision_n_chunks(c->bytes);

	while (n.row.n_parents < 3 && c->parents[n.row.n_parents] != 0) {
		n.row.parents[n.row.n_parents] = content_id(0x30, c->parents[n.row.n_parents]);
		n.row.n_parents++;
	}
	for (uint32_t i = 0; i < n_chunks; i++)
		assert_int_equal(vault_db_stage_chunk(db, n.row.revision, i,
		    content_sealed(chunk, (uint8_t)(c->revision + i), sizeof chunk)), OK);
	n.sealed_head = content_sealed(head, c->revision, sizeof head);
	n.sealed_title = content_sealed(title, c->revision, sizeof title);
	n.sealed_meta = content_sealed(meta, c->revision, sizeof meta);
	assert_int_equal(vault_db_publish(db, &n), OK);
}

#endif
