/* search: what the owner's ordinary memories and cards say. */
#include <string.h>
#include <unistd.h>

#include "gateway/client_search.h"
#include "tools/command/command.h"

/* Bold, where somebody looks at it. */
#define MARK_ON  "\033[1m"
#define MARK_OFF "\033[0m"

static struct span
part_of(struct span s, size_t from, size_t to)
{
	to = to < s.len ? to : s.len;
	return from < to ? (struct span){ s.p + from, to - from } : (struct span){ NULL, 0 };
}

/* The excerpt on one line, its match marked; what could move the cursor is shown, not obeyed. */
static void
print_excerpt(const struct found_row *r, bool mark)
{
	size_t from = r->match_offset >= r->excerpt_offset ? r->match_offset - r->excerpt_offset : 0;
	size_t to = from + r->match_len;

	print_line("    ");
	print_safe(part_of(r->excerpt, 0, from));
	if (mark)
		print_line(MARK_ON);
	print_safe(part_of(r->excerpt, from, to));
	if (mark)
		print_line(MARK_OFF);
	print_safe(part_of(r->excerpt, to, r->excerpt.len));
	print_line("\n");
}

static void
print_hit(const struct found_row *r, bool mark)
{
	char vault[UUID_TEXT_LEN + 1], asset[UUID_TEXT_LEN + 1];

	uuid_text(r->vault, vault);
	uuid_text(r->asset, asset);
	print_line("%s %s  %-6s  ", vault, asset, kind_name(r->kind));
	print_safe(r->title);
	print_line("\n");
	if (r->part != SEARCH_TITLE)
		print_excerpt(r, mark);
}

static enum err
print_text(const struct client_search *s)
{
	bool mark = isatty(STDOUT_FILENO) == 1;

	if (s->page.relaxed && s->page.n_rows > 0)
		print_line("nothing has every word; these have some:\n");
	for (size_t i = 0; i < s->page.n_rows; i++)
		print_hit(&s->rows[i], mark);
	if (s->more)
		return print_line("%llu of %llu; go on with --offset %llu\n", (unsigned long long)s->page.n_rows,
		    (unsigned long long)s->page.total, (unsigned long long)(s->page.offset + s->page.n_rows));
	return s->page.n_rows == 0 ? print_line("nothing found\n") : OK;
}

static enum err
print_found(const struct invocation *in, const struct client *c, const struct client_search *s)
{
	struct json_writer w = { 0 };

	if (!in->json)
		return print_text(s);
	client_search_write(&w, s, client_welcome(c)->library);
	return print_json(&w);
}

static enum err
take_options(struct invocation *in, struct client_search_want *want)
{
	const char *kind = option_value(in, "--kind");
	uint64_t limit;
	enum err e;

	if ((e = option_u64(in, "--offset", 0, 1000000, 0, &want->offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, FOUND_ROWS_MAX, 20, &limit)) != OK)
		return e;
	want->limit = (uint32_t)limit;
	if (kind != NULL && (!kind_of_name(kind, &want->kind) || (want->kind != KIND_MEMORY && want->kind != KIND_CARD)))
		return invalid(in, "--kind is memory or card: nothing else is searched");
	return OK;
}

enum err
run_search(struct invocation *in)
{
	const char *query = in->positionals[0], *vault = option_value(in, "--vault");
	struct client_search_want want = { .surface = SURFACE_OWNER, .query = { (const uint8_t *)query, strlen(query) } };
	struct client_search *s = NULL;
	struct client *c = NULL;
	enum err e;

	if ((e = take_options(in, &want)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK && vault != NULL)
		e = owner_vault(in, c, vault, &want.vault);
	if (e == OK && (e = client_search(c, &want, &s)) != OK)
		explain(in, client_detail(c));
	if (e == OK)
		e = print_found(in, c, s);
	client_search_free(&s);
	client_close(&c);
	return e;
}
