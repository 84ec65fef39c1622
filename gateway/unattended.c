#include <string.h>

#include "escrow/deposit.h"
#include "gateway/answer.h"
#include "gateway/unattended.h"

/* A page's end: where it began, where the next one does, and its place in the log. */
static void
write_page_end(struct json_writer *w, uint64_t offset, const struct client_answer *a)
{
	json_member_u64(w, "offset", offset);
	json_write_key(w, "next");
	if (a->more)
		json_write_u64(w, offset + a->n_items);
	else
		json_write_null(w);
}

void
write_asset_row(struct json_writer *w, const struct client_item *item)
{
	const struct revision_row *r = &item->row;

	json_write_object(w);
	json_member_id(w, "asset", r->asset);
	json_member_text(w, "kind", kind_name(r->kind));
	json_member_bool(w, "private", r->key_class == CLASS_PRIVATE);
	json_member_string(w, "title", secret_span(item->plain));
	answer_head(w, item);
	answer_heads(w, item);
	json_write_end(w);
}

void
write_revision_row(struct json_writer *w, const struct client_item *item)
{
	const struct revision_row *r = &item->row;

	json_write_object(w);
	json_member_id(w, "revision", r->revision);
	json_write_key(w, "parents");
	json_write_array(w);
	for (size_t i = 0; i < r->n_parents; i++)
		json_write_id(w, r->parents[i]);
	json_write_end(w);
	json_member_time(w, "created_at", r->created);
	json_member_u64(w, "bytes", r->bytes);
	json_member_bool(w, "head", item->flags & ITEM_HEAD);
	json_member_bool(w, "deleted", r->deleted);
	json_member_bool(w, "quarantine", item->flags & ITEM_QUARANTINED);
	json_write_end(w);
}

static enum err
answer_page(struct client *c, const struct client_want *want, struct json_writer *w)
{
	struct client_answer *a = NULL;
	bool list = want->op == OP_LIST;
	enum err e = client_ask(c, want, &a);

	if (e != OK)
		return e;
	json_write_object(w);
	json_member_id(w, "vault", want->vault);
	if (!list)
		json_member_id(w, "asset", want->asset);
	json_write_key(w, list ? "assets" : "revisions");
	json_write_array(w);
	for (size_t i = 0; i < a->n_items; i++)
		(list ? write_asset_row : write_revision_row)(w, &a->items[i]);
	json_write_end(w);
	write_page_end(w, want->offset, a);
	answer_audit(w, a->index, client_welcome(c)->library);
	json_write_end(w);
	client_answer_free(&a);
	return OK;
}

static enum err
answer_bytes(struct client *c, const struct client_want *want, struct json_writer *w)
{
	struct client_bytes b = { .data = NULL };
	uint64_t length;
	enum err e = client_read(c, want, &b);

	if (e != OK)
		return e;
	length = b.data != NULL ? secret_len(b.data) : 0;
	json_write_object(w);
	json_write_key(w, "data");
	json_write_base64(w, b.data != NULL ? secret_span(b.data) : (struct span){ NULL, 0 });
	json_member_u64(w, "offset", b.offset);
	json_member_u64(w, "total", b.total);
	json_write_key(w, "next");
	if (b.at_end)
		json_write_null(w);
	else
		json_write_u64(w, b.offset + length);
	json_member_id(w, "revision", b.revision);
	json_member_text(w, "encoding", b.kind == KIND_MEMORY || b.kind == KIND_CARD ? "content_json" : "raw_bytes");
	answer_audit(w, b.index, client_welcome(c)->library);
	json_write_end(w);
	client_bytes_free(&b);
	return OK;
}

enum err
unattended_answer(struct client *c, const struct client_file *file, const struct unattended_ask *ask,
    enum surface surface, struct json_writer *w)
{
	struct client_want want = {
		.op = ask->op, .surface = surface, .vault = ask->vault, .asset = ask->asset,
		.offset = ask->offset, .limit = ask->limit, .token = file->token,
		.grant_type = GRANT_UNATTENDED,
	};

	if (ask->has_revision)
		want.revision = ask->revision;
	if (ask->op == OP_LIST || ask->op == OP_HISTORY)
		return answer_page(c, &want, w);
	return answer_bytes(c, &want, w);
}
