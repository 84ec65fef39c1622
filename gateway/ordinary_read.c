#include <stdio.h>
#include <string.h>

#include "gateway/content_page.h"
#include "gateway/json.h"
#include "gateway/memory_uri.h"
#include "gateway/ordinary_inside.h"

#define RANGE_MAX   65536
#define CONTENT_MAX ((uint64_t)4 << 20)

/* What a resource's name and the sentence that points to its next part take, beside its text. */
#define RESOURCE_AROUND 1536

struct content {
	struct secret *bytes; /* owned */
	struct uuid    revision;
	enum kind      kind;
	uint64_t       index; /* of the last record */
};

/* Reads the rest of what the first range began, of the same revision. */
static enum err
read_rest(const struct ordinary *o, struct client_want *want, const struct client_bytes *first, struct content *out)
{
	struct client_bytes b;
	uint64_t got = first->data != NULL ? secret_len(first->data) : 0;
	enum err e;

	want->revision = first->revision;
	if (first->data != NULL)
		memcpy(secret_bytes(out->bytes), secret_view(first->data), (size_t)got);
	while (got < first->total) {
		want->offset = got;
		b = (struct client_bytes){ .data = NULL };
		if ((e = client_read(o->client, want, &b)) != OK)
			return e;
		if (b.data == NULL || b.total != first->total || secret_len(b.data) > first->total - got) {
			client_bytes_free(&b);
			return ERR_STORAGE_CORRUPT;
		}
		memcpy(secret_bytes(out->bytes) + got, secret_view(b.data), secret_len(b.data));
		got += secret_len(b.data);
		out->index = b.index;
		client_bytes_free(&b);
	}
	return OK;
}

static enum err
read_content(const struct ordinary *o, struct uuid vault, struct uuid asset, struct uuid revision, struct content *out)
{
	struct client_want want = {
		.op = OP_READ, .surface = SURFACE_STDIO, .vault = vault, .asset = asset, .revision = revision,
		.limit = RANGE_MAX, .token = o->token, .grant_type = GRANT_ORDINARY,
	};
	struct client_bytes first = { .data = NULL };
	enum err e;

	if ((e = client_read(o->client, &want, &first)) != OK)
		return e;
	out->revision = first.revision;
	out->kind = first.kind;
	out->index = first.index;
	if (first.total > CONTENT_MAX)
		e = ERR_TOO_LARGE;
	else if ((e = secret_new((size_t)first.total, &out->bytes)) == OK)
		e = read_rest(o, &want, &first, out);
	client_bytes_free(&first);
	return e;
}

static enum err
write_read(const struct ordinary *o, const struct ordinary_ask *ask, const struct content *c, struct span context,
    struct content_place *place, struct json_writer *w)
{
	struct mcp_cursor next = { .id = c->revision };
	char cursor[MCP_CURSOR_TEXT_MAX + 1] = "";
	bool more = false;
	enum err e;

	json_write_object(w);
	json_member_id(w, "vault", ask->vault);
	json_member_id(w, "asset", ask->asset);
	json_member_text(w, "kind", kind_name(c->kind));
	json_member_id(w, "revision", c->revision);
	json_member_u64(w, "bytes", secret_len(c->bytes));
	json_member_bool(w, "continued", place->offset > 0);
	if ((e = content_page(secret_span(c->bytes), c->kind, o->max_bytes - ORDINARY_AROUND - w->len, w, place, &more)) != OK)
		return e;
	if (more) {
		next.part = place->part;
		next.offset = place->offset;
		mcp_cursor_write(o->cursor_key, context, &next, cursor);
	}
	ordinary_write_next(w, cursor);
	answer_audit(w, c->index, client_welcome(o->client)->library);
	json_write_end(w);
	return OK;
}

/* What a cursor pins has been replaced, and then it is no longer a grant's to read. */
static enum err
say_replaced(char message[MCP_MESSAGE_MAX])
{
	snprintf(message, MCP_MESSAGE_MAX, "the asset changed since the part before was read; start again without a cursor");
	return ERR_STALE_BASE;
}

enum err
ordinary_read(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX])
{
	struct content c = { .bytes = NULL };
	struct content_place place = { 0 };
	struct mcp_cursor from = { .id = ask->revision };
	uint8_t buf[ORDINARY_CONTEXT_MAX];
	struct span context = ordinary_context(o, ask, "memory_read", buf);
	enum err e;

	if (ask->has_cursor && (mcp_cursor_read(o->cursor_key, context, ask->cursor, &from) != OK ||
	    (ask->has_revision && !uuid_equal(from.id, ask->revision))))
		return ordinary_bad_cursor(message);
	place.part = from.part;
	place.offset = from.offset;
	if ((e = read_content(o, ask->vault, ask->asset, from.id, &c)) == OK)
		e = write_read(o, ask, &c, context, &place, w);
	else if (ask->has_cursor && e == ERR_NOT_FOUND)
		e = say_replaced(message);
	secret_free(&c.bytes);
	return e;
}

/* The text of a resource: of a memory its body, of a card its Content JSON. It points into root or the content. */
static enum err
text_of(const struct content *c, struct json **root, struct span *out)
{
	enum err e;

	*out = secret_span(c->bytes);
	if (c->kind == KIND_CARD)
		return OK;
	if ((e = json_parse(*out, root)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_INVALID_CONTENT;
	return json_string(*root, "body", out) == JSON_GOT ? OK : ERR_INVALID_CONTENT;
}

static void
write_part(struct mcp_reading *r, struct span text, const char *mime_type, const char *next)
{
	static const char more[] = "(This is a part. The text goes on at ";
	struct span uri = { (const uint8_t *)next, strlen(next) };
	char notice[MEMORY_URI_MAX + sizeof more + 2];
	int len = snprintf(notice, sizeof notice, "%s%s)", more, next);

	mcp_contents_write(r->contents, &(struct mcp_contents){ .uri = r->uri, .mime_type = mime_type, .text = text,
	    .next = uri }, r->revision);
	if (uri.len > 0)
		mcp_contents_write(r->contents, &(struct mcp_contents){ .uri = uri, .mime_type = "text/plain",
		    .text = { (const uint8_t *)notice, (size_t)len } }, r->revision);
}

static enum err
write_resource(const struct ordinary *o, const struct memory_uri *uri, const struct content *c, struct span context,
    uint64_t offset, struct mcp_reading *r)
{
	char cursor[MCP_CURSOR_TEXT_MAX + 1] = "", next[MEMORY_URI_MAX + 1] = "";
	struct json *root = NULL;
	struct span text;
	enum err e;

	if ((e = text_of(c, &root, &text)) == OK && offset > text.len)
		e = ERR_NOT_FOUND;
	if (e == OK) {
		struct span rest = { text.p + offset, text.len - (size_t)offset };
		size_t fits = json_string_fit(rest, o->max_bytes - RESOURCE_AROUND);

		if (fits < rest.len) {
			mcp_cursor_write(o->cursor_key, context, &(struct mcp_cursor){ .id = c->revision, .offset = offset + fits }, cursor);
			memory_uri_write(uri->vault, uri->asset, cursor, next);
		}
		rest.len = fits;
		write_part(r, rest, ordinary_mime_type(c->kind), next);
	}
	json_free(&root);
	return e;
}

/* To the reader of a URI, what it may not see and what is gone were never there. */
static enum err
hidden(enum err e)
{
	return e == ERR_VAULT_NOT_GRANTED || e == ERR_VAULT_NOT_ACTIVE || e == ERR_ASSET_DELETED || e == ERR_WRONG_KIND ||
	    e == ERR_REVISION_MISMATCH ? ERR_NOT_FOUND : e;
}

enum err
ordinary_read_resource(const struct ordinary *o, struct mcp_reading *reading)
{
	struct ordinary_ask which = { .tool = MEMORY_READ };
	struct content c = { .bytes = NULL };
	struct mcp_cursor from = { .offset = 0 };
	uint8_t buf[ORDINARY_CONTEXT_MAX];
	struct memory_uri uri;
	struct span context;
	enum err e;

	if (memory_uri_read(reading->uri, &uri) != OK)
		return ERR_NOT_FOUND;
	which.vault = uri.vault;
	which.asset = uri.asset;
	context = ordinary_context(o, &which, "resources/read", buf);
	if (uri.continues && mcp_cursor_read(o->cursor_key, context, uri.cursor, &from) != OK)
		return ERR_NOT_FOUND;
	if ((e = read_content(o, uri.vault, uri.asset, from.id, &c)) == OK)
		e = write_resource(o, &uri, &c, context, from.offset, reading);
	secret_free(&c.bytes);
	return hidden(e);
}
