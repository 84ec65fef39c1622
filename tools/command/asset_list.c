/* asset list: all of a vault, or what is asked for, as a table or as JSON. */
#include "gateway/unattended.h"
#include "tools/command/asset_rows.h"
#include "tools/command/page.h"

/* Rows are shown from first to last of those that there are. */
struct shown_rows {
	struct asset_rows all;
	size_t            first, last;
	uint64_t          offset;
	bool              more;
};

static enum err
print_rows_json(struct uuid vault, const struct shown_rows *s)
{
	struct json_writer w = { 0 };

	json_write_object(&w);
	json_member_id(&w, "vault", vault);
	json_write_key(&w, "assets");
	json_write_array(&w);
	for (size_t i = s->first; i < s->last; i++)
		write_asset_row(&w, s->all.rows[i]);
	json_write_end(&w);
	page_json_end(&w, s->offset, s->last - s->first, s->more);
	return print_json(&w);
}

static void
print_row(const struct client_item *item, size_t title_columns)
{
	const struct revision_row *r = &item->row;
	char asset[UUID_TEXT_LEN + 1], time[CLOCK_TEXT_LEN + 1];
	const char *state = item->n_heads > 1 ? "conflict" : "";
	bool is_private = r->key_class == CLASS_PRIVATE;

	uuid_text(r->asset, asset);
	clock_text(r->created, time);
	print_line("%s  %-10s  %s  %12llu  ", asset, kind_name(r->kind), time, (unsigned long long)r->bytes);
	print_safe(secret_span(item->plain));
	if (is_private || item->n_heads > 1) {
		for (size_t i = print_safe_columns(secret_span(item->plain)); i < title_columns; i++)
			print_line(" ");
		print_line("  %s%s%s", is_private ? "private" : "", is_private && item->n_heads > 1 ? ", " : "", state);
	}
	print_line("\n");
}

static void
print_rows_text(const struct shown_rows *s)
{
	size_t widest = 5;

	if (s->first == s->last)
		return;
	for (size_t i = s->first; i < s->last; i++) {
		size_t n = print_safe_columns(secret_span(s->all.rows[i]->plain));

		widest = n > widest ? n : widest;
	}
	print_line("%-36s  %-10s  %-20s  %12s  %-*s  %s\n", "ASSET", "KIND", "UPDATED", "BYTES", (int)widest, "TITLE", "STATE");
	for (size_t i = s->first; i < s->last; i++)
		print_row(s->all.rows[i], widest);
	if (s->more)
		print_line("more follow: --offset %llu\n", (unsigned long long)(s->offset + (s->last - s->first)));
}

static enum err
find_rows(struct invocation *in, struct client *c, struct uuid vault, const struct asset_filter *f,
    uint32_t limit, struct shown_rows *s)
{
	enum err e;

	if (!asset_filter_narrows(f)) {
		e = asset_rows_page(in, c, vault, s->offset, limit, &s->all, &s->more);
		s->last = s->all.n;
		return e;
	}
	if ((e = asset_rows_all(in, c, vault, f, &s->all)) != OK)
		return e;
	s->first = s->offset < s->all.n ? (size_t)s->offset : s->all.n;
	s->last = s->all.n - s->first < limit ? s->all.n : s->first + limit;
	s->more = s->last < s->all.n;
	return OK;
}

enum err
run_asset_list(struct invocation *in)
{
	struct asset_filter filter = { .kinds = 0 };
	struct shown_rows s = { .first = 0 };
	struct client *c = NULL;
	struct uuid vault;
	uint32_t limit;
	enum err e;

	if ((e = page_options_take(in, &s.offset, &limit)) != OK || (e = asset_filter_take(in, &filter)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK && (e = owner_vault(in, c, in->positionals[0], &vault)) == OK &&
	    (e = find_rows(in, c, vault, &filter, limit, &s)) == OK) {
		if (in->json)
			e = print_rows_json(vault, &s);
		else
			print_rows_text(&s);
	}
	asset_rows_free(&s.all);
	asset_filter_free(&filter);
	client_close(&c);
	return e;
}
