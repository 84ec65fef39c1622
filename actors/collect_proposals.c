/* Proposals: the owner's lists and reads of them, and whether a grant may file another. */
#include "actors/collect_inside.h"

/* A proposal's pieces are those of the revision that it would be. */
static struct revision_record
record_of(const struct proposal *p)
{
	return (struct revision_record){ .row = p->row, .sealed_head = p->sealed_head, .sealed_title = p->sealed_title,
		.sealed_meta = p->sealed_meta };
}

/* In the place of an asset's heads stands the grant whose proposal it is. */
enum err
collect_proposals_list(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct proposal *rows = ((struct collection_room *)c)->page.proposals;
	size_t n;
	bool more;
	enum err e = vault_db_list_proposals(db, ask->vault, ask->offset, ask->limit, rows, &n, &more);

	if (e != OK)
		return e;
	for (size_t i = 0; i < n; i++) {
		struct revision_record r = record_of(&rows[i]);

		collect_add_part(c, &r, PART_TITLE, (struct span){ rows[i].grant.b, UUID_LEN }, r.sealed_title);
		collect_add_part(c, &r, PART_META, (struct span){ NULL, 0 }, r.sealed_meta);
	}
	c->deposit.more = more;
	c->wanted.length = n;
	return OK;
}

enum err
collect_proposals_read(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct revision_record r;
	struct proposal p;
	enum err e = vault_db_proposal(db, ask->vault, ask->revision, &p);

	if (e != OK)
		return e;
	if (!uuid_equal(p.row.asset, ask->asset))
		return ERR_REVISION_MISMATCH;
	if (ask->offset > p.row.bytes)
		return ERR_OFFSET_OUT_OF_RANGE;
	r = record_of(&p);
	c->wanted.revision = p.row.revision;
	collect_add_part(c, &r, PART_HEAD, (struct span){ NULL, 0 }, r.sealed_head);
	return collect_add_chunks(db, &p.row, ask, c);
}

enum err
collect_proposals_check(struct vault_db *db, const struct ask_body *ask, const struct collection *c)
{
	const struct ruling_body *r = &c->wanted.ruling;
	struct asset_row asset;
	enum err e;

	if ((ask->kind != KIND_MEMORY && ask->kind != KIND_CARD) || ask->is_private)
		return ERR_INVALID_ARGUMENT;
	if ((e = vault_db_proposals_room(db, r->grant)) != OK || uuid_is_zero(ask->asset))
		return e;
	if ((e = vault_db_asset(db, ask->vault, ask->asset, r->classes & 1u << CLASS_ORDINARY, &asset)) != OK)
		return e;
	if (asset.deleted)
		return ERR_ASSET_DELETED;
	return asset.kind == (enum kind)ask->kind ? OK : ERR_WRONG_KIND;
}
