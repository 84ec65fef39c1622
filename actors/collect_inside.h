/* collect_inside: what the collect*.c files share. */
#ifndef ACTORS_COLLECT_INSIDE_H
#define ACTORS_COLLECT_INSIDE_H

#include "actors/collect.h"

#define COLLECT_PAGE_MAX    100
#define COLLECT_DETAILS_MAX 32 /* rows of a page of titles and metas */
#define COLLECT_ITEMS_MAX   221184
#define COLLECT_REFS_MAX    3800

/* What a page's rows need at most; the vault's borrowed spans are copied out row by row. */
struct collection_room {
	struct collection c;
	uint8_t items[COLLECT_ITEMS_MAX];
	uint8_t refs[COLLECT_REFS_MAX];
	union {
		struct asset_page_row  assets[COLLECT_PAGE_MAX];
		struct revision_record revisions[COLLECT_PAGE_MAX];
		struct vault_row       vaults[COLLECT_PAGE_MAX];
		struct proposal        proposals[COLLECT_DETAILS_MAX];
	} page;
};

/* One sealed piece, in the deposit and among the refs. */
void collect_add(struct collection *c, struct key_ref_body ref, uint8_t flags, struct span row, struct span heads,
    struct span sealed);

/* A piece that is bound to its revision's row. */
void collect_add_part(struct collection *c, const struct revision_record *r, enum part part, struct span heads,
    struct span sealed);

struct key_ref_body collect_ref(const struct revision_row *r, enum part part, uint32_t index);

/* The pages: offset and limit are in their range. */
enum err collect_pages_list(struct vault_db *db, const struct ask_body *ask, struct collection *c);
enum err collect_pages_history(struct vault_db *db, const struct ask_body *ask, struct collection *c);
enum err collect_pages_vaults(struct vault_db *db, const struct ask_body *ask, struct collection *c);

/* OP_READ, OP_CREDENTIAL_BYTES, OP_PROPOSAL_READ: the chunks that [offset, offset + limit) touches. */
enum err collect_add_chunks(struct vault_db *db, const struct revision_row *row, const struct ask_body *ask,
    struct collection *c);

/* collect_proposals.c */
enum err collect_proposals_list(struct vault_db *db, const struct ask_body *ask, struct collection *c);
enum err collect_proposals_read(struct vault_db *db, const struct ask_body *ask, struct collection *c);
enum err collect_proposals_check(struct vault_db *db, const struct ask_body *ask, const struct collection *c); /* for a new one */

#endif
