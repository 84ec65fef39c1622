#include "gateway/client_search.h"
#include "gateway/memory_uri.h"
#include "gateway/ordinary_inside.h"

/* A text at its length, or at what of it fits. */
static void
write_cut(struct json_writer *w, const char *name, const char *cut_name, struct span text, size_t room)
{
	size_t fits = json_string_fit(text, room);

	json_member_string(w, name, (struct span){ text.p, fits });
	if (fits < text.len)
		json_member_bool(w, cut_name, true);
}

static void
write_row(struct json_writer *w, const struct found_row *r, size_t room)
{
	char uri[MEMORY_URI_MAX + 1];

	memory_uri_write(r->vault, r->asset, "", uri);
	json_write_object(w);
	json_member_id(w, "vault", r->vault);
	json_member_id(w, "asset", r->asset);
	json_member_text(w, "kind", kind_name(r->kind));
	json_member_text(w, "uri", uri);
	json_member_id(w, "revision", r->revision);
	write_cut(w, "title", "title_cut", r->title, room);
	json_member_time(w, "updated_at", r->updated);
	json_member_u64(w, "score", r->score);
	json_member_text(w, "part", found_part_name(r->part));
	json_member_u64(w, "number", r->number);
	json_member_u64(w, "match_offset", r->match_offset);
	json_member_u64(w, "match_length", r->match_len);
	write_cut(w, "excerpt", "excerpt_cut", r->excerpt, room);
	json_member_u64(w, "excerpt_offset", r->excerpt_offset);
	json_write_end(w);
}

/* Adds rows until one does not fit; how many were added. The first always fits, its texts cut where they must be. */
static size_t
write_rows(struct json_writer *w, const struct client_search *s, size_t limit)
{
	struct json_writer one = { 0 };
	struct span text;
	size_t n = 0;
	bool fits = true;

	for (; n < s->page.n_rows && fits; n += fits) {
		json_write_clear(&one);
		write_row(&one, &s->rows[n], SIZE_MAX);
		fits = w->len + 1 + one.len <= limit;
		if (!fits && n == 0) {
			json_write_clear(&one);
			write_row(&one, &s->rows[n], limit / 4);
			fits = true;
		}
		if (fits && json_write_done(&one, &text) == OK)
			json_write_raw(w, text);
	}
	json_write_free(&one);
	return n;
}

static void
write_found(const struct ordinary *o, const struct client_search *s, uint64_t offset, struct span context,
    struct json_writer *w)
{
	char next[MCP_CURSOR_TEXT_MAX + 1] = "";
	size_t n;

	json_write_object(w);
	json_write_key(w, "results");
	json_write_array(w);
	n = write_rows(w, s, o->max_bytes - ORDINARY_AROUND);
	json_write_end(w);
	json_member_u64(w, "total", s->page.total);
	json_member_bool(w, "relaxed", s->page.relaxed);
	if (n < s->page.n_rows || s->more)
		mcp_cursor_write(o->cursor_key, context, &(struct mcp_cursor){ .offset = offset + n }, next);
	ordinary_write_next(w, next);
	answer_audit(w, s->index, client_welcome(o->client)->library);
	json_write_end(w);
}

enum err
ordinary_search(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX])
{
	struct client_search_want want = {
		.surface = SURFACE_STDIO, .vault = ask->vault, .kind = (enum kind)ask->kind, .limit = ask->limit,
		.query = ask->query, .token = o->token, .grant_type = GRANT_ORDINARY,
	};
	uint8_t buf[ORDINARY_CONTEXT_MAX];
	struct span context = ordinary_context(o, ask, "memory_search", buf);
	struct mcp_cursor from = { .offset = 0 };
	struct client_search *s = NULL;
	enum err e;

	if (ask->query.len > QUERY_TEXT_MAX)
		return ERR_QUERY_TOO_LONG;
	if (ask->has_cursor && mcp_cursor_read(o->cursor_key, context, ask->cursor, &from) != OK)
		return ordinary_bad_cursor(message);
	want.offset = from.offset;
	if ((e = client_search(o->client, &want, &s)) != OK)
		return e;
	write_found(o, s, from.offset, context, w);
	client_search_free(&s);
	return OK;
}
