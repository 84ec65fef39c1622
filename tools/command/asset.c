/* asset list, history. */
#include "escrow/deposit.h"
#include "gateway/unattended.h"
#include "tools/command/command.h"

static enum err
page(struct invocation *in, struct client_want *want)
{
	uint64_t limit;
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT64_MAX, 0, &want->offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, 100, 100, &limit)) != OK)
		return e;
	want->limit = (uint32_t)limit;
	return OK;
}

static enum err
print_page_json(const struct client_want *want, const struct client_answer *a)
{
	struct json_writer w = { 0 };
	bool list = want->op == OP_LIST;

	json_write_object(&w);
	json_member_id(&w, "vault", want->vault);
	if (!list)
		json_member_id(&w, "asset", want->asset);
	json_write_key(&w, list ? "assets" : "revisions");
	json_write_array(&w);
	for (size_t i = 0; i < a->n_items; i++)
		(list ? write_asset_row : write_revision_row)(&w, &a->items[i]);
	json_write_end(&w);
	json_member_u64(&w, "offset", want->offset);
	json_write_key(&w, "next");
	if (a->more)
		json_write_u64(&w, want->offset + a->n_items);
	else
		json_write_null(&w);
	json_write_end(&w);
	return print_json(&w);
}

static void
print_asset(const struct client_item *item)
{
	char asset[UUID_TEXT_LEN + 1], time[CLOCK_TEXT_LEN + 1];

	uuid_text(item->row.asset, asset);
	clock_text(item->row.created, time);
	print_line("%s  %-10s  %s  %12llu  %s%s", asset, kind_name(item->row.kind), time,
	    (unsigned long long)item->row.bytes, item->row.key_class == CLASS_PRIVATE ? "(private) " : "",
	    item->n_heads > 1 ? "(conflict) " : "");
	print_safe(secret_span(item->plain));
	print_line("\n");
}

static void
print_revision(const struct client_item *item)
{
	char revision[UUID_TEXT_LEN + 1], time[CLOCK_TEXT_LEN + 1];

	uuid_text(item->row.revision, revision);
	clock_text(item->row.created, time);
	print_line("%s  %s  %12llu%s%s%s\n", revision, time, (unsigned long long)item->row.bytes,
	    item->flags & ITEM_HEAD ? "  head" : "", item->row.deleted ? "  deleted" : "",
	    item->flags & ITEM_QUARANTINED ? "  quarantined" : "");
}

static enum err
run_page(struct invocation *in, struct client_want *want)
{
	struct client_answer *a = NULL;
	struct client *c = NULL;
	enum err e;

	if ((e = page(in, want)) != OK ||
	    (want->op == OP_HISTORY && (e = positional_id(in, 1, "ASSET", &want->asset)) != OK))
		return e;
	if ((e = owner_open(in, &c)) == OK && (e = owner_vault(in, c, in->positionals[0], &want->vault)) == OK &&
	    (e = owner_ask(in, c, want, &a)) == OK) {
		if (in->json)
			e = print_page_json(want, a);
		else
			for (size_t i = 0; i < a->n_items; i++)
				(want->op == OP_LIST ? print_asset : print_revision)(&a->items[i]);
	}
	client_answer_free(&a);
	client_close(&c);
	return e;
}

enum err
run_asset_list(struct invocation *in)
{
	return run_page(in, &(struct client_want){ .op = OP_LIST, .surface = SURFACE_OWNER });
}

enum err
run_asset_history(struct invocation *in)
{
	return run_page(in, &(struct client_want){ .op = OP_HISTORY, .surface = SURFACE_OWNER });
}
