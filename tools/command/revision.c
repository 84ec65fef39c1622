#include <string.h>

#include "escrow/deposit.h"
#include "tools/command/revision.h"

enum err
revision_find(struct invocation *in, struct client *c, struct uuid vault, struct uuid asset, struct uuid revision,
    struct revision *out)
{
	struct client_want want = { .op = OP_DETAILS, .surface = SURFACE_OWNER, .limit = 1, .vault = vault,
		.asset = asset, .revision = revision };
	struct revision r = { .meta = NULL };
	enum err e;

	if ((e = owner_ask(in, c, &want, &r.details)) != OK)
		return e;
	for (size_t i = 0; i < r.details->n_items; i++) {
		if (r.details->items[i].ref.part == PART_TITLE)
			r.title = &r.details->items[i];
		if (r.details->items[i].ref.part == PART_META)
			r.meta = &r.details->items[i];
	}
	if (r.title == NULL) {
		client_answer_free(&r.details);
		return ERR_STORAGE_CORRUPT;
	}
	r.row = r.title->row;
	*out = r;
	return OK;
}

void
revision_free(struct revision *r)
{
	client_answer_free(&r->details);
	*r = (struct revision){ .meta = NULL };
}

struct client_want
revision_want(const struct revision *r)
{
	return (struct client_want){ .op = r->row.kind == KIND_CREDENTIAL ? OP_CREDENTIAL_BYTES : OP_READ,
		.surface = SURFACE_OWNER, .vault = r->row.vault, .asset = r->row.asset, .revision = r->row.revision,
		.limit = CHUNK_LEN };
}

enum err
revision_content(struct client *c, const struct revision *r, struct secret **out)
{
	struct client_want want = revision_want(r);
	struct client_bytes b = { .data = NULL };
	struct secret *all;
	enum err e;

	if ((e = secret_new((size_t)r->row.bytes, &all)) != OK)
		return e;
	for (bool at_end = false; !at_end && e == OK; client_bytes_free(&b)) {
		if ((e = client_read(c, &want, &b)) != OK)
			break;
		at_end = b.at_end;
		if (b.data == NULL)
			continue;
		if (secret_len(b.data) > r->row.bytes - want.offset) {
			e = ERR_STORAGE_CORRUPT;
			continue;
		}
		memcpy(secret_bytes(all) + want.offset, secret_view(b.data), secret_len(b.data));
		want.offset += secret_len(b.data);
	}
	if (e != OK)
		secret_free(&all);
	else
		*out = all;
	return e;
}

enum err
revision_heads(struct invocation *in, struct client *c, struct uuid vault, struct uuid asset, struct heads *out)
{
	struct client_want want = { .op = OP_HISTORY, .surface = SURFACE_OWNER, .limit = 100, .vault = vault, .asset = asset };
	struct client_answer *a = NULL;
	struct heads h = { .n = 0 };
	bool more = true;
	enum err e;

	while (more) {
		if ((e = owner_ask(in, c, &want, &a)) != OK)
			return e;
		for (size_t i = 0; i < a->n_items; i++)
			if (a->items[i].flags & ITEM_HEAD && h.n < REVISION_PARENTS_MAX)
				h.rows[h.n++] = a->items[i].row;
		more = a->more;
		want.offset += a->n_items;
		client_answer_free(&a);
	}
	*out = h;
	return OK;
}

bool
heads_have(const struct heads *h, struct uuid revision)
{
	for (size_t i = 0; i < h->n; i++)
		if (uuid_equal(h->rows[i].revision, revision))
			return true;
	return false;
}
