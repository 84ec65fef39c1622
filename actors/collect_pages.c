/* Pages: lists of assets, of revisions and of vaults. */
#include "actors/collect_inside.h"
#include "escrow/deposit.h"

static struct collection_room *
room_of(struct collection *c)
{
	return (struct collection_room *)c;
}

enum err
collect_pages_list(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct asset_page_row *rows = room_of(c)->page.assets;
	bool details = ask->op == OP_LIST_DETAILS;
	size_t n;
	bool more;
	enum err e = vault_db_list_assets(db, ask->vault, c->wanted.ruling.classes, ask->offset, ask->limit, rows, &n, &more);

	if (e != OK)
		return e;
	for (size_t i = 0; i < n; i++) {
		struct span heads = { (const uint8_t *)rows[i].asset.heads, rows[i].asset.n_heads * (size_t)UUID_LEN };

		collect_add_part(c, &rows[i].first_head, PART_TITLE, heads, rows[i].first_head.sealed_title);
		/* Of a credential only the title: more needs sudo, which a list of others should not ask for. */
		if (details && (rows[i].first_head.row.key_class != CLASS_CREDENTIAL || c->wanted.ruling.sudo))
			collect_add_part(c, &rows[i].first_head, PART_META, (struct span){ NULL, 0 },
			    rows[i].first_head.sealed_meta);
	}
	c->deposit.more = more;
	c->wanted.length = n;
	return OK;
}

enum err
collect_pages_history(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct revision_record *rows = room_of(c)->page.revisions;
	size_t n;
	bool more;
	enum err e = vault_db_history(db, ask->vault, ask->asset, c->wanted.ruling.classes, ask->offset, ask->limit, rows, &n, &more);

	if (e != OK)
		return e;
	for (size_t i = 0; i < n; i++)
		collect_add_part(c, &rows[i], PART_HEAD, (struct span){ NULL, 0 }, rows[i].sealed_head);
	c->deposit.more = more;
	c->wanted.length = n;
	return OK;
}

enum err
collect_pages_vaults(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct vault_row *rows = room_of(c)->page.vaults;
	size_t n;
	bool more;
	enum err e = vault_db_list_vaults(db, ask->offset, ask->limit, rows, &n, &more);

	if (e != OK)
		return e;
	for (size_t i = 0; i < n; i++) {
		const struct vault_row *v = &rows[i];
		struct key_ref_body ref = { .asset = v->vault, .revision = v->name_revision, .part = PART_NAME };
		uint8_t count[8];
		struct wire_out o = wire_out(count, sizeof count);

		/* A vault has no revision row; its live assets stand in that place. */
		wire_put_u64(&o, v->n_assets);
		collect_add(c, ref, v->active ? 0 : ITEM_INACTIVE, wire_written(&o), (struct span){ NULL, 0 },
		    (struct span){ v->sealed_name, v->name_len });
	}
	c->deposit.more = more;
	c->wanted.length = n;
	return OK;
}
