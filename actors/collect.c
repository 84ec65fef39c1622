#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/collect_inside.h"
#include "escrow/deposit.h"

#define BYTES_MAX 65536u

enum err
collection_new(struct collection **out)
{
	struct collection_room *room = calloc(1, sizeof *room);

	if (room == NULL)
		return ERR_NO_MEMORY;
	*out = &room->c;
	return OK;
}

void
collection_free(struct collection **c)
{
	free(*c);
	*c = NULL;
}

void
collect_add(struct collection *c, struct key_ref_body ref, uint8_t flags, struct span row,
    struct span heads, struct span sealed)
{
	struct item_body item = { .ref = ref, .flags = flags, .row = row, .heads = heads, .sealed = sealed };

	item_body_put(&c->items, &item);
	key_ref_body_put(&c->refs, &ref);
	c->deposit.n_items++;
	c->wanted.n_refs++;
}

struct key_ref_body
collect_ref(const struct revision_row *r, enum part part, uint32_t index)
{
	return (struct key_ref_body){ .key_class = (uint8_t)r->key_class, .asset = r->asset,
		.revision = r->revision, .part = (uint8_t)part, .index = index };
}

static uint8_t
flags_of(const struct revision_record *r)
{
	return (uint8_t)((r->head ? ITEM_HEAD : 0) | (r->quarantined ? ITEM_QUARANTINED : 0));
}

static struct span
row_bytes(const struct revision_row *r, uint8_t buf[REVISION_ROW_MAX])
{
	struct wire_out o = wire_out(buf, REVISION_ROW_MAX);

	revision_row_put(&o, r);
	return wire_written(&o);
}

void
collect_add_part(struct collection *c, const struct revision_record *r, enum part part,
    struct span heads, struct span sealed)
{
	uint8_t row[REVISION_ROW_MAX];

	collect_add(c, collect_ref(&r->row, part, 0), flags_of(r), row_bytes(&r->row, row), heads, sealed);
}

static void
name_heads(const struct asset_row *asset, char *detail, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < asset->n_heads && at + UUID_TEXT_LEN + 2 < size; i++) {
		char text[UUID_TEXT_LEN + 1];

		uuid_text(asset->heads[i], text);
		at += (size_t)snprintf(detail + at, size - at, "%s%s", i > 0 ? " " : "", text);
	}
}

/* Which revision an ask means: the one it names, or the single head. An ordinary grant has no past. */
static enum err
resolve(struct vault_db *db, const struct ask_body *ask, struct collection *c, struct revision_record *out)
{
	struct asset_row asset;
	struct uuid revision = ask->revision;
	enum err e;

	if ((e = vault_db_asset(db, ask->vault, ask->asset, c->wanted.ruling.classes, &asset)) != OK)
		return e;
	if (uuid_is_zero(revision)) {
		if (asset.deleted)
			return ERR_ASSET_DELETED;
		if (asset.n_heads == 0)
			return ERR_QUARANTINED;
		if (asset.n_heads > 1) {
			name_heads(&asset, c->detail, sizeof c->detail);
			return ERR_REVISION_REQUIRED;
		}
		revision = asset.heads[0];
	} else if (c->wanted.ruling.grant_type == GRANT_ORDINARY && !vault_db_has_head(&asset, revision)) {
		return ERR_NOT_FOUND;
	}
	if ((e = vault_db_revision(db, ask->vault, ask->asset, revision, c->wanted.ruling.classes, out)) != OK)
		return e;
	return out->quarantined ? ERR_QUARANTINED : OK;
}

/* credential-bytes takes credentials only, read takes everything else. */
static enum err
check_kind(enum op op, enum kind kind)
{
	return (op == OP_CREDENTIAL_BYTES) == (kind == KIND_CREDENTIAL) ? OK : ERR_WRONG_KIND;
}

enum err
collect_add_chunks(struct vault_db *db, const struct revision_row *row, const struct ask_body *ask, struct collection *c)
{
	uint64_t end = row->bytes - ask->offset < ask->limit ? row->bytes : ask->offset + ask->limit;
	uint32_t first = (uint32_t)(ask->offset / CHUNK_LEN), last = (uint32_t)((end - 1) / CHUNK_LEN);

	c->wanted.length = end - ask->offset;
	if (c->wanted.length == 0)
		return OK;
	for (uint32_t i = first; i <= last; i++) {
		struct span sealed;
		enum err e = vault_db_chunk(db, row->revision, i, &sealed);

		if (e != OK)
			return e == ERR_NOT_FOUND ? ERR_STORAGE_CORRUPT : e;
		collect_add(c, collect_ref(row, PART_CONTENT, i), 0, (struct span){ NULL, 0 }, (struct span){ NULL, 0 }, sealed);
	}
	return OK;
}

static enum err
collect_bytes(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct revision_record r;
	enum err e;

	if ((e = resolve(db, ask, c, &r)) != OK || (e = check_kind((enum op)ask->op, r.row.kind)) != OK)
		return e;
	if (ask->offset > r.row.bytes)
		return ERR_OFFSET_OUT_OF_RANGE;
	c->wanted.revision = r.row.revision;
	collect_add_part(c, &r, PART_HEAD, (struct span){ NULL, 0 }, r.sealed_head);
	return collect_add_chunks(db, &r.row, ask, c);
}

static enum err
collect_details(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	struct revision_record r;
	enum err e;

	if ((e = resolve(db, ask, c, &r)) != OK)
		return e;
	if (r.row.key_class == CLASS_CREDENTIAL && !c->wanted.ruling.sudo)
		return ERR_SUDO_REQUIRED;
	c->wanted.revision = r.row.revision;
	c->wanted.length = r.sealed_title.len + r.sealed_meta.len;
	collect_add_part(c, &r, PART_TITLE, (struct span){ NULL, 0 }, r.sealed_title);
	collect_add_part(c, &r, PART_META, (struct span){ NULL, 0 }, r.sealed_meta);
	return OK;
}

/* A write brings no pieces: only whether it may be. */
static enum err
check_write(struct vault_db *db, const struct ask_body *ask, const struct collection *c)
{
	struct asset_row asset;
	enum err e;

	if (uuid_is_zero(ask->asset))
		return OK;
	if ((e = vault_db_asset(db, ask->vault, ask->asset, c->wanted.ruling.classes, &asset)) != OK)
		return e;
	if (asset.kind != (enum kind)ask->kind)
		return ERR_WRONG_KIND;
	return asset.key_class == class_of(asset.kind, ask->is_private) ? OK : ERR_INVALID_ARGUMENT;
}

/* A vault that nobody put yet gets its first name. */
static enum err
check_name(struct vault_db *db, const struct ask_body *ask)
{
	enum err e = vault_db_check_active(db, ask->vault);

	return e == ERR_NOT_FOUND ? OK : e;
}

static enum err
check_limits(const struct ask_body *ask)
{
	uint32_t max = 0;

	switch ((enum op)ask->op) {
	case OP_LIST:
	case OP_HISTORY:
	case OP_VAULT_LIST:
		max = COLLECT_PAGE_MAX;
		break;
	case OP_LIST_DETAILS:
	case OP_PROPOSAL_LIST:
		max = COLLECT_DETAILS_MAX;
		break;
	case OP_READ:
	case OP_CREDENTIAL_BYTES:
	case OP_PROPOSAL_READ:
		max = BYTES_MAX;
		break;
	case OP_DETAILS:
	case OP_WRITE_ASSET:
	case OP_WRITE_NAME:
	case OP_PROPOSE:
		return OK;
	case OP_NONE:
	case OP_SEARCH:
	case OP_PROFILE_READ:
	case OP_PROFILE_SEARCH:
	case OP_PROFILE_PROPOSE:
	case OP_PROFILE_CORRECT:
	case OP_PROFILE_LIST:
	case OP_PROFILE_CHANGE:
	case OP__COUNT:
		return ERR_INVALID_ARGUMENT;
	}
	return ask->limit >= 1 && ask->limit <= max ? OK : ERR_INVALID_ARGUMENT;
}

static enum err
collect_op(struct vault_db *db, const struct ask_body *ask, struct collection *c)
{
	enum err e;

	if ((e = check_limits(ask)) != OK)
		return e;
	if (ask->op == OP_VAULT_LIST)
		return collect_pages_vaults(db, ask, c);
	if (ask->op == OP_WRITE_NAME)
		return check_name(db, ask);
	if ((e = vault_db_check_active(db, ask->vault)) != OK)
		return e;
	switch ((enum op)ask->op) {
	case OP_LIST:
	case OP_LIST_DETAILS:
		return collect_pages_list(db, ask, c);
	case OP_HISTORY:
		return collect_pages_history(db, ask, c);
	case OP_READ:
	case OP_CREDENTIAL_BYTES:
		return collect_bytes(db, ask, c);
	case OP_DETAILS:
		return collect_details(db, ask, c);
	case OP_WRITE_ASSET:
		return check_write(db, ask, c);
	case OP_PROPOSE:
		return collect_proposals_check(db, ask, c);
	case OP_PROPOSAL_LIST:
		return collect_proposals_list(db, ask, c);
	case OP_PROPOSAL_READ:
		return collect_proposals_read(db, ask, c);
	case OP_NONE:
	case OP_VAULT_LIST:
	case OP_WRITE_NAME:
	case OP_SEARCH:
	case OP_PROFILE_READ:
	case OP_PROFILE_SEARCH:
	case OP_PROFILE_PROPOSE:
	case OP_PROFILE_CORRECT:
	case OP_PROFILE_LIST:
	case OP_PROFILE_CHANGE:
	case OP__COUNT:
		break;
	}
	return ERR_INVALID_ARGUMENT;
}

enum err
collect(struct vault_db *db, const struct ruling_body *ruling, struct collection *c)
{
	struct collection_room *room = (struct collection_room *)c;
	enum err e;

	*c = (struct collection){ .wanted.ruling = *ruling };
	c->items = wire_out(room->items, sizeof room->items);
	c->refs = wire_out(room->refs, sizeof room->refs);
	if ((e = collect_op(db, &ruling->ask, c)) != OK)
		return e;
	if (c->items.failed || c->refs.failed)
		return ERR_INTERNAL;
	c->deposit.items = wire_written(&c->items);
	c->wanted.refs = wire_written(&c->refs);
	return OK;
}
