#include <stdlib.h>
#include <string.h>

#include "escrow/deposit.h"
#include "store/vault_db.h"
#include "tools/bench_fill.h"

#define NOTE_LEN  256u
#define SMALL_LEN 1024u
#define GROUP     500 /* publishes in a commit */

/* Milliseconds since 1970 that the ids begin with; each group has its own range of them. */
#define FIRST_MS UINT64_C(0x019000000000)
#define GROUP_MS (UINT64_C(1) << 34)

static struct uuid
id_of(enum bench_group g, uint64_t i, uint8_t tail)
{
	uint64_t ms = FIRST_MS + (uint64_t)g * GROUP_MS + i;
	struct uuid id = { { 0 } };

	for (size_t b = 0; b < 6; b++)
		id.b[b] = (uint8_t)(ms >> (40 - 8 * b));
	id.b[6] = 0x70;
	id.b[8] = 0x80;
	id.b[15] = tail;
	return id;
}

struct uuid
bench_asset(enum bench_group g, uint64_t i)
{
	return id_of(g, i, 1);
}

uint64_t
bench_group_size(enum bench_group g, const struct bench_want *want)
{
	switch (g) {
	case BENCH_NOTES:
		return want->n_notes;
	case BENCH_SMALL:
	case BENCH_LARGE:
		return BENCH_N_EACH;
	case BENCH_FILE:
		return want->file_mib > 0;
	case BENCH_GROUP__COUNT:
		break;
	}
	return 0;
}

uint64_t
bench_asset_bytes(enum bench_group g, const struct bench_want *want)
{
	switch (g) {
	case BENCH_NOTES:
		return NOTE_LEN;
	case BENCH_SMALL:
		return SMALL_LEN;
	case BENCH_LARGE:
		return CHUNK_LEN;
	case BENCH_FILE:
		return (uint64_t)want->file_mib << 20;
	case BENCH_GROUP__COUNT:
		break;
	}
	return 0;
}

struct filler {
	const struct bench_home *home;
	struct vault_db         *db;
	struct key              *revision; /* of the one in hand */
	struct key              *piece;
	uint8_t                  plain[CHUNK_LEN];
	uint8_t                  sealed[CHUNK_LEN + SEAL_OVERHEAD];
};

static struct span
seal_piece(struct filler *f, const struct revision_row *r, enum part part, uint32_t index, bool last,
    struct span row, struct span plain, uint8_t *out)
{
	uint8_t buf[PIECE_BINDING_MAX];

	chunk_key(f->revision, part, index, f->piece);
	seal(f->piece->b, piece_binding(part, r->asset, r->revision, index, last, row, buf), plain, out);
	return (struct span){ out, plain.len + SEAL_OVERHEAD };
}

static void
stage(struct filler *f, const struct revision_row *r, uint32_t index, bool last, size_t len)
{
	struct span sealed = seal_piece(f, r, PART_CONTENT, index, last, (struct span){ NULL, 0 },
	    (struct span){ f->plain, len }, f->sealed);
	enum err e = vault_db_stage_chunk(f->db, r->revision, index, sealed);

	if (e == ERR_BUSY) {
		bench_must(vault_db_commit(f->db), "commit");
		e = vault_db_stage_chunk(f->db, r->revision, index, sealed);
	}
	bench_must(e, "chunk");
}

static void
publish(struct filler *f, const struct revision_row *r)
{
	static const char title[] = "an entry of the benchmark";
	uint8_t row[REVISION_ROW_MAX], total[8];
	uint8_t head[SEALED_HEAD_LEN], sealed_title[SEALED_TITLE_MAX], meta[SEAL_OVERHEAD + 2];
	struct wire_out row_out = wire_out(row, sizeof row), total_out = wire_out(total, sizeof total);
	struct new_revision fresh = { .row = *r };
	struct span bound;

	revision_row_put(&row_out, r);
	wire_put_u64(&total_out, r->bytes);
	bound = wire_written(&row_out);
	fresh.sealed_head = seal_piece(f, r, PART_HEAD, 0, false, bound, wire_written(&total_out), head);
	fresh.sealed_title = seal_piece(f, r, PART_TITLE, 0, false, bound,
	    (struct span){ (const uint8_t *)title, sizeof title - 1 }, sealed_title);
	fresh.sealed_meta = seal_piece(f, r, PART_META, 0, false, bound, (struct span){ (const uint8_t *)"{}", 2 }, meta);
	bench_must(vault_db_publish(f->db, &fresh), "publish");
}

static void
add_asset(struct filler *f, enum bench_group g, uint64_t i)
{
	const struct bench_home *h = f->home;
	enum kind kind = g == BENCH_LARGE || g == BENCH_FILE ? KIND_FILE : KIND_MEMORY;
	struct revision_row r = {
		.vault = h->vault, .asset = bench_asset(g, i), .revision = id_of(g, i, 2), .kind = kind,
		.key_class = class_of(kind, false), .bytes = bench_asset_bytes(g, &h->want),
		.created = clock_wall(), .asset_created = clock_wall(),
	};
	uint32_t n = revision_n_chunks(r.bytes);

	revision_key(h->classes[r.key_class], r.asset, r.revision, f->revision);
	for (uint32_t c = 0; c < n; c++) {
		uint64_t left = r.bytes - (uint64_t)c * CHUNK_LEN;

		stage(f, &r, c, c + 1 == n, left < CHUNK_LEN ? (size_t)left : CHUNK_LEN);
	}
	publish(f, &r);
}

static void
put_vault(struct filler *f)
{
	static const char name[] = "bench";
	struct vault_row v = { .vault = f->home->vault, .active = true, .created = clock_wall(),
		.name_revision = id_of(BENCH_GROUP__COUNT, 0, 2) };
	struct revision_row r = { .asset = v.vault, .revision = v.name_revision };
	struct key *names = NULL;
	struct span sealed;

	bench_must(key_new(&names), "key");
	names_key(f->home->root, names);
	revision_key(names, r.asset, r.revision, f->revision);
	sealed = seal_piece(f, &r, PART_NAME, 0, false, (struct span){ NULL, 0 },
	    (struct span){ (const uint8_t *)name, sizeof name - 1 }, v.sealed_name);
	v.name_len = (uint16_t)sealed.len;
	bench_must(vault_db_put_vault(f->db, &v), "vault");
	key_free(&names);
}

void
bench_fill(const struct bench_home *h)
{
	struct filler *f = calloc(1, sizeof *f);
	unsigned in_group = 0;

	if (f == NULL)
		bench_must(ERR_NO_MEMORY, "fill");
	f->home = h;
	memset(f->plain, 'm', sizeof f->plain);
	bench_must(key_new(&f->revision), "key");
	bench_must(key_new(&f->piece), "key");
	bench_must(vault_db_open("vault", &f->db), "vault");
	put_vault(f);
	for (enum bench_group g = BENCH_NOTES; g < BENCH_GROUP__COUNT; g++)
		for (uint64_t i = 0; i < bench_group_size(g, &h->want); i++) {
			add_asset(f, g, i);
			if (++in_group % (g == BENCH_LARGE ? 64 : GROUP) == 0)
				bench_must(vault_db_commit(f->db), "commit");
		}
	bench_must(vault_db_commit(f->db), "commit");
	vault_db_close(&f->db);
	key_free(&f->revision);
	key_free(&f->piece);
	free(f);
}
