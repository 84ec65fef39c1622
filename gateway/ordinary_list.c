#include <stdio.h>

#include "gateway/memory_uri.h"
#include "gateway/ordinary_inside.h"

/* Rows of one ask, and asks of one answer: a filter that finds little still answers soon. */
#define PAGE_MAX 100
#define ASKS_MAX 12

#define ROWS_BY_DEFAULT 50

/* A walk through the assets of some vaults, from a place on. */
struct walk {
	const struct ordinary *o;
	unsigned          kind;  /* only of that kind; 0: both */
	uint32_t          limit; /* rows at most */
	const struct uuid *vaults;
	size_t            n_vaults;
	size_t            at;     /* the vault it is in */
	uint64_t          offset; /* and the row there */
	uint32_t          n_rows;
	uint64_t          index;  /* of the last record */
	bool              asked;
	enum err          skipped; /* why the last vault that could not be listed could not */

	/* Takes a row, or says that it does not fit. */
	bool            (*row)(void *arg, struct uuid vault, const struct client_item *item);
	bool            (*skip)(void *arg, struct uuid vault, enum err e);
	void             *arg;
};

/* One page of one vault. True while there may be more rows to take. */
static bool
take_page(struct walk *k, const struct client_answer *a)
{
	for (size_t i = 0; i < a->n_items; i++, k->offset++) {
		const struct client_item *item = &a->items[i];

		if (!item->has_row || (k->kind != 0 && item->row.kind != k->kind))
			continue;
		if (k->n_rows == k->limit || !k->row(k->arg, k->vaults[k->at], item))
			return false;
		k->n_rows++;
	}
	if (!a->more) {
		k->at++;
		k->offset = 0;
	}
	return true;
}

static enum err
ask_page(struct walk *k, bool *goes_on)
{
	struct client_want want = {
		.op = OP_LIST, .surface = SURFACE_STDIO, .vault = k->vaults[k->at], .offset = k->offset,
		.limit = k->kind != 0 ? PAGE_MAX : k->limit - k->n_rows, .token = k->o->token, .grant_type = GRANT_ORDINARY,
	};
	struct client_answer *a = NULL;
	enum err e = client_ask(k->o->client, &want, &a);

	if (e == OK) {
		k->index = a->index;
		k->asked = true;
		*goes_on = take_page(k, a);
		client_answer_free(&a);
		return OK;
	}
	/* One vault that is gone does not hide the others. */
	if (k->n_vaults == 1 || (e != ERR_VAULT_NOT_ACTIVE && e != ERR_NOT_FOUND && e != ERR_VAULT_NOT_GRANTED))
		return e;
	k->skipped = e;
	*goes_on = k->skip(k->arg, k->vaults[k->at], e);
	if (*goes_on) {
		k->at++;
		k->offset = 0;
	}
	return OK;
}

static enum err
walk(struct walk *k)
{
	bool goes_on = true;
	enum err e = OK;

	for (unsigned n = 0; e == OK && goes_on && n < ASKS_MAX && k->at < k->n_vaults && k->n_rows < k->limit; n++)
		e = ask_page(k, &goes_on);
	if (e == OK && !k->asked)
		e = k->skipped != OK ? k->skipped : ERR_NOT_FOUND;
	return e;
}

/* Where it stands, as a cursor; "" at the end. */
static void
write_cursor(const struct walk *k, struct span context, char out[MCP_CURSOR_TEXT_MAX + 1])
{
	out[0] = '\0';
	if (k->at < k->n_vaults)
		mcp_cursor_write(k->o->cursor_key, context, &(struct mcp_cursor){ .id = k->vaults[k->at], .offset = k->offset }, out);
}

static enum err
start_at(struct walk *k, struct span context, struct span cursor)
{
	struct mcp_cursor from;

	if (mcp_cursor_read(k->o->cursor_key, context, cursor, &from) != OK)
		return ERR_INVALID_ARGUMENT;
	while (k->at < k->n_vaults && !uuid_equal(k->vaults[k->at], from.id))
		k->at++;
	k->offset = from.offset;
	return k->at < k->n_vaults ? OK : ERR_INVALID_ARGUMENT;
}

/* What is collected while walking. */
struct list {
	struct json_writer rows, skipped;
	size_t             room; /* for both */
};

static void
write_row(struct json_writer *w, struct uuid vault, const struct client_item *item, struct span title, bool cut)
{
	const struct revision_row *r = &item->row;
	char uri[MEMORY_URI_MAX + 1];

	memory_uri_write(vault, r->asset, "", uri);
	json_write_object(w);
	json_member_id(w, "vault", vault);
	json_member_id(w, "asset", r->asset);
	json_member_text(w, "kind", kind_name(r->kind));
	json_member_text(w, "uri", uri);
	json_member_string(w, "title", title);
	if (cut)
		json_member_bool(w, "title_cut", true);
	answer_head(w, item);
	if (item->n_heads > 1)
		answer_heads(w, item);
	json_write_end(w);
}

/* The title is cut only where the row would be the first of its page and fit no page otherwise. */
static bool
take_row(void *arg, struct uuid vault, const struct client_item *item)
{
	struct list *l = arg;
	struct json_writer one = { 0 };
	struct span title = secret_span(item->plain), text = { NULL, 0 };
	size_t used = l->rows.len + l->skipped.len + 1;
	bool first = l->rows.len == 1, fits;

	write_row(&one, vault, item, title, false);
	fits = used + one.len <= l->room;
	if (!fits && first) {
		title.len = json_string_fit(title, l->room / 4);
		json_write_clear(&one);
		write_row(&one, vault, item, title, true);
		fits = true;
	}
	if (fits && json_write_done(&one, &text) == OK)
		json_write_raw(&l->rows, text);
	json_write_free(&one);
	return fits;
}

static bool
take_skipped(void *arg, struct uuid vault, enum err e)
{
	struct list *l = arg;

	if (l->rows.len + l->skipped.len + 128 > l->room)
		return false;
	json_write_object(&l->skipped);
	json_member_id(&l->skipped, "vault", vault);
	json_member_text(&l->skipped, "code", err_code(e));
	json_write_end(&l->skipped);
	return true;
}

static void
write_list(struct json_writer *w, struct list *l, const struct walk *k, const char *next)
{
	struct span rows, skipped;

	json_write_end(&l->rows);
	json_write_end(&l->skipped);
	if (json_write_done(&l->rows, &rows) != OK || json_write_done(&l->skipped, &skipped) != OK) {
		w->failed = true;
		return;
	}
	json_write_object(w);
	json_write_key(w, "assets");
	json_write_raw(w, rows);
	json_write_key(w, "skipped");
	json_write_raw(w, skipped);
	ordinary_write_next(w, next);
	answer_audit(w, k->index, client_welcome(k->o->client)->library);
	json_write_end(w);
}

enum err
ordinary_list(const struct ordinary *o, const struct ordinary_ask *ask, struct json_writer *w,
    char message[MCP_MESSAGE_MAX])
{
	struct list l = { .room = o->max_bytes - ORDINARY_AROUND };
	struct walk k = { .o = o, .kind = ask->kind, .limit = ask->limit, .vaults = o->vaults, .n_vaults = o->n_vaults,
		.row = take_row, .skip = take_skipped, .arg = &l };
	uint8_t buf[ORDINARY_CONTEXT_MAX];
	struct span context = ordinary_context(o, ask, "memory_list", buf);
	char next[MCP_CURSOR_TEXT_MAX + 1];
	enum err e;

	if (ask->has_vault) {
		k.vaults = &ask->vault;
		k.n_vaults = 1;
	}
	if (ask->has_cursor && start_at(&k, context, ask->cursor) != OK)
		return ordinary_bad_cursor(message);
	json_write_array(&l.rows);
	json_write_array(&l.skipped);
	if ((e = walk(&k)) == OK) {
		write_cursor(&k, context, next);
		write_list(w, &l, &k, next);
	}
	json_write_free(&l.rows);
	json_write_free(&l.skipped);
	return e;
}

/* Resources of one page. */
struct resources {
	struct mcp_listing *listing;
	size_t              room;
};

static bool
take_resource(void *arg, struct uuid vault, const struct client_item *item)
{
	struct resources *r = arg;
	struct json_writer one = { 0 };
	struct span text = { NULL, 0 };
	char uri[MEMORY_URI_MAX + 1];
	struct mcp_resource resource = { .name = secret_span(item->plain),
		.mime_type = ordinary_mime_type(item->row.kind), .size = item->row.bytes };
	bool first = r->listing->rows->len == 1, fits;

	memory_uri_write(vault, item->row.asset, "", uri);
	resource.uri = (struct span){ (const uint8_t *)uri, UUID_TEXT_LEN * 2 + sizeof "memory:///" - 1 };
	/* It is written twice: as a name and as a title. */
	resource.name.len = json_string_fit(resource.name, r->room / 8);
	mcp_resource_write(&one, &resource, r->listing->revision);
	fits = r->listing->rows->len + 1 + one.len <= r->room || first;
	if (fits && json_write_done(&one, &text) == OK)
		json_write_raw(r->listing->rows, text);
	json_write_free(&one);
	return fits;
}

static bool
pass_over(void *arg, struct uuid vault, enum err e)
{
	(void)arg;
	(void)vault;
	(void)e;
	return true;
}

enum err
ordinary_list_resources(const struct ordinary *o, struct mcp_listing *listing)
{
	struct resources r = { .listing = listing, .room = o->max_bytes - ORDINARY_AROUND };
	struct walk k = { .o = o, .limit = ROWS_BY_DEFAULT, .vaults = o->vaults, .n_vaults = o->n_vaults,
		.row = take_resource, .skip = pass_over, .arg = &r };
	struct ordinary_ask none = { .tool = MEMORY_LIST };
	uint8_t buf[ORDINARY_CONTEXT_MAX];
	struct span context = ordinary_context(o, &none, "resources/list", buf);
	enum err e;

	if (listing->continues && start_at(&k, context, listing->cursor) != OK)
		return ERR_INVALID_ARGUMENT;
	if ((e = walk(&k)) == OK)
		write_cursor(&k, context, listing->next);
	return e;
}
