/* --preview: what a grant would see, before there is one. */
#include "gateway/unattended.h"
#include "tools/command/grant.h"

#define PAGE 100

static void
print_row(const struct client_item *item)
{
	char asset[UUID_TEXT_LEN + 1];

	uuid_text(item->row.asset, asset);
	print_line("  %s  %-10s  %s%s", asset, kind_name(item->row.kind),
	    item->row.key_class == CLASS_PRIVATE ? "(private) " : "", item->n_heads > 1 ? "(conflict) " : "");
	print_safe(secret_span(item->plain));
	print_line("\n");
}

/* The rows of a page that the grant's own list would have, which knows no class but its own. */
static size_t
put_rows(const struct invocation *in, const struct grant_wish *wish, const struct client_answer *a, struct json_writer *w)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_items; i++) {
		if ((wish->classes & 1u << a->items[i].row.key_class) == 0)
			continue;
		if (in->json)
			write_asset_row(w, &a->items[i]);
		else
			print_row(&a->items[i]);
		n++;
	}
	return n;
}

/* One vault, from its first page to its last. */
static enum err
preview_vault(struct invocation *in, struct client *c, const struct grant_wish *wish, struct uuid vault,
    struct json_writer *w, uint64_t *n)
{
	struct client_want want = { .op = OP_LIST, .surface = SURFACE_OWNER, .vault = vault, .limit = PAGE };
	struct client_answer *a = NULL;
	bool more = true;
	enum err e;

	while (more) {
		if ((e = owner_ask(in, c, &want, &a)) != OK)
			return e;
		*n += put_rows(in, wish, a, w);
		want.offset += a->n_items;
		more = a->more;
		client_answer_free(&a);
	}
	return OK;
}

static enum err
preview_vaults(struct invocation *in, struct client *c, const struct grant_wish *wish, struct json_writer *w, uint64_t *n)
{
	struct wire_in ids = wire_in(wish->vaults.p, wish->vaults.len);
	char text[UUID_TEXT_LEN + 1];
	enum err e = OK;

	while (ids.len > 0 && e == OK) {
		struct uuid vault = wire_take_id(&ids);

		if (in->json) {
			json_write_object(w);
			json_member_id(w, "vault", vault);
			json_write_key(w, "assets");
			json_write_array(w);
		} else {
			uuid_text(vault, text);
			print_line("vault %s\n", text);
		}
		e = preview_vault(in, c, wish, vault, w, n);
		if (in->json) {
			json_write_end(w);
			json_write_end(w);
		}
	}
	return e;
}

enum err
grant_preview(struct invocation *in, struct client *c, const struct grant_wish *wish)
{
	struct json_writer w = { 0 };
	uint64_t n = 0;
	enum err e;

	if (in->json) {
		json_write_object(&w);
		json_member_bool(&w, "preview", true);
		grant_write_classes(&w, wish->classes);
		json_member_bool(&w, "may_propose", wish->may_propose);
		json_member_time(&w, "expires_at", (struct wall_ms){ wish->expires_wall_ms });
		json_write_key(&w, "vaults");
		json_write_array(&w);
	}
	if ((e = preview_vaults(in, c, wish, &w, &n)) == OK && !in->json)
		e = print_line(n == 1 ? "%llu asset; nothing was minted\n" : "%llu assets; nothing was minted\n",
		    (unsigned long long)n);
	if (e == OK && in->json) {
		json_write_end(&w);
		json_member_u64(&w, "assets", n);
		json_write_end(&w);
		return print_json(&w);
	}
	json_write_free(&w);
	return e;
}
