#include <stdlib.h>

#include "actors/index_page.h"

/* A page ends after so many assets, looked at or put, or when this room is used. */
#define ASSETS_MAX 48
#define LOOKED_MAX 256
#define BYTES_MAX  (2 * (SEALED_CHUNK_MAX + 700))

struct index_page {
	uint8_t         items[BYTES_MAX];
	struct wire_out out;
	struct index_page_body body;
};

enum err
index_page_new(struct index_page **out)
{
	struct index_page *p = calloc(1, sizeof *p);

	if (p == NULL)
		return ERR_NO_MEMORY;
	*out = p;
	return OK;
}

void
index_page_free(struct index_page **p)
{
	free(*p);
	*p = NULL;
}

/* False when it has no room for it; then nothing was put. */
static bool
put(struct index_page *p, const struct item_body *item)
{
	struct wire_out before = p->out;

	item_body_put(&p->out, item);
	if (p->out.failed) {
		p->out = before;
		return false;
	}
	p->body.n_items++;
	return true;
}

static struct item_body
item_of(const struct revision_row *r, enum part part, uint32_t index, struct span sealed)
{
	return (struct item_body){ .ref = { .key_class = (uint8_t)r->key_class, .asset = r->asset, .revision = r->revision,
		.part = (uint8_t)part, .index = index }, .sealed = sealed };
}

static bool
put_head(struct index_page *p, const struct revision_record *r)
{
	struct item_body item = item_of(&r->row, PART_HEAD, 0, r->sealed_head);
	uint8_t row[REVISION_ROW_MAX];
	struct wire_out o = wire_out(row, sizeof row);

	revision_row_put(&o, &r->row);
	item.row = wire_written(&o);
	return put(p, &item);
}

/* Where the next page goes on. */
static void
stop_at(struct index_page *p, const struct revision_row *r, uint32_t chunk)
{
	p->body.more = 1;
	p->body.next_asset = r->asset;
	p->body.next_revision = chunk > 0 ? r->revision : (struct uuid){ { 0 } };
	p->body.next_chunk = chunk;
}

/* The chunks from that one on, as far as there is room. Who misses one of them says so. */
static enum err
put_chunks(struct index_page *p, struct vault_db *db, const struct revision_row *r, uint32_t from)
{
	struct span sealed;
	struct item_body item;
	enum err e;

	for (uint32_t i = from; i < revision_n_chunks(r->bytes); i++) {
		if ((e = vault_db_chunk(db, r->revision, i, &sealed)) != OK)
			return e == ERR_NOT_FOUND ? OK : e;
		item = item_of(r, PART_CONTENT, i, sealed);
		if (!put(p, &item)) {
			stop_at(p, r, i);
			return OK;
		}
	}
	return OK;
}

/* A head goes out with its first chunk, or not yet. */
static enum err
put_asset(struct index_page *p, struct vault_db *db, const struct revision_record *r)
{
	struct revision_row row = r->row;
	struct wire_out before = p->out;
	uint16_t n_items = p->body.n_items;
	enum err e;

	if (!put_head(p, r)) {
		stop_at(p, &row, 0);
		return OK;
	}
	if ((e = put_chunks(p, db, &row, 0)) != OK || !p->body.more || p->body.next_chunk > 0)
		return e;
	p->out = before;
	p->body.n_items = n_items;
	return OK;
}

static struct uuid
after(struct uuid id)
{
	for (size_t i = UUID_LEN; i-- > 0 && ++id.b[i] == 0;)
		;
	return id;
}

static bool
is_searched(const struct revision_row *r)
{
	return r->key_class == CLASS_ORDINARY && (r->kind == KIND_MEMORY || r->kind == KIND_CARD);
}

/* The rest of a revision whose head was in a page before; it may be a head no more. */
static enum err
go_on(struct index_page *p, struct vault_db *db, const struct index_page_wanted_body *w)
{
	struct revision_record r;
	enum err e = vault_db_revision(db, w->vault, w->asset, w->revision, 1u << CLASS_ORDINARY, &r);

	if (e != OK || !is_searched(&r.row) || r.quarantined)
		return e == ERR_NOT_FOUND || e == ERR_REVISION_MISMATCH ? OK : e;
	return put_chunks(p, db, &r.row, w->first_chunk);
}

static enum err
walk(struct index_page *p, struct vault_db *db, const struct index_page_wanted_body *w, struct uuid from)
{
	struct asset_page_row row;
	size_t n_assets = 0;
	enum err e;

	for (size_t i = 0; !p->body.more; i++) {
		if ((e = vault_db_next_asset(db, w->vault, from, &row)) != OK)
			return e == ERR_NOT_FOUND ? OK : e;
		if (w->only && !uuid_equal(row.asset.asset, w->asset))
			return OK;
		if (i == LOOKED_MAX || n_assets == ASSETS_MAX) {
			stop_at(p, &row.first_head.row, 0);
			return OK;
		}
		if (is_searched(&row.first_head.row)) {
			if ((e = put_asset(p, db, &row.first_head)) != OK)
				return e;
			n_assets++;
		}
		if (w->only)
			return OK;
		from = after(row.asset.asset);
	}
	return OK;
}

static enum err
fill(struct index_page *p, struct vault_db *db, const struct index_page_wanted_body *w)
{
	struct uuid from = w->asset;
	enum err e;

	if ((e = vault_db_check_active(db, w->vault)) != OK || (w->only && uuid_is_zero(w->asset)))
		return e;
	if (!uuid_is_zero(w->revision)) {
		if ((e = go_on(p, db, w)) != OK || p->body.more || w->only)
			return e;
		from = after(w->asset);
	}
	return walk(p, db, w, from);
}

struct index_page_body
index_page_make(struct index_page *p, struct vault_db *db, const struct index_page_wanted_body *wanted)
{
	enum err e;

	p->body = (struct index_page_body){ .more = 0 };
	p->out = wire_out(p->items, sizeof p->items);
	if ((e = fill(p, db, wanted)) != OK)
		return (struct index_page_body){ .error = (uint16_t)e };
	p->body.items = wire_written(&p->out);
	return p->body;
}
