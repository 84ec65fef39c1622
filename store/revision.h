/*
 * revision: the clear fields of a revision, as the vault keeps them, as a
 * deposit carries them and as the seals over its parts bind them: they are
 * associated data, so a changed flag, size or parent opens nothing.
 * Source: docs/store-format.md, "Revisions".
 */
#ifndef STORE_REVISION_H
#define STORE_REVISION_H

#include "mailbox/clock.h"
#include "mailbox/wire.h"
#include "mailbox/words.h"

#define REVISION_PARENTS_MAX 16
#define CHUNK_LEN            65536u
#define FILE_LEN_MAX         ((uint64_t)16 << 30)

/* What a new revision's parents must be. */
enum publish_mode {
	PUBLISH_ON_HEADS, /* exactly the heads that its asset has by then */
	PUBLISH_BESIDE,   /* any revisions of it: heads that are left make a conflict */
};

struct revision_row {
	struct uuid    vault;
	struct uuid    asset;
	struct uuid    revision;
	enum kind      kind;
	enum key_class key_class;
	bool           deleted;       /* a tombstone: no content */
	uint64_t       bytes;         /* length of the content */
	struct wall_ms created;
	struct wall_ms asset_created; /* of the asset's first revision */
	uint16_t       n_parents;
	struct uuid    parents[REVISION_PARENTS_MAX];
};

#define REVISION_ROW_MAX (1 + 3 * UUID_LEN + 3 + 3 * 8 + 2 + REVISION_PARENTS_MAX * UUID_LEN)

/* At most REVISION_ROW_MAX bytes. More parents than fit fail the writer. */
void revision_row_put(struct wire_out *o, const struct revision_row *r);

/*
 * Takes one row; what follows it is left. Fails the reader, and leaves *out, on
 * any byte that no row has: a kind or class that is none, a class of another
 * kind, too many parents, content in a tombstone or over FILE_LEN_MAX.
 */
void revision_row_take(struct wire_in *in, struct revision_row *out);

/* True when a revision of that kind can be of that class. */
bool revision_class_fits(enum kind kind, enum key_class key_class);

/* How many chunks that many bytes make: at least 1, the last one may be short or empty. */
uint32_t revision_n_chunks(uint64_t bytes);

#endif
