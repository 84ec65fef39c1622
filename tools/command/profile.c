/* What the commands of the profile ask, and what they take from the answers. */
#include <string.h>

#include "escrow/terminal.h"
#include "gateway/json_raw.h"
#include "tools/command/profile.h"

#define PAGE 50 /* rows that the profile gives at a time, at most */

const struct uuid profile_nothing;

void
profile_request(struct json_writer *w, const char *what)
{
	json_write_object(w);
	json_member_text(w, "do", what);
}

enum err
profile_ask(struct invocation *in, struct client *c, const struct client_profile_want *want,
    struct json_writer *request, struct profile_answer *out)
{
	struct client_profile_want whole = *want;
	uint64_t index;
	enum err e;

	*out = (struct profile_answer){ .text = NULL };
	if ((e = json_write_done(request, &whole.request)) == OK &&
	    (e = client_profile(c, &whole, &out->text, &index)) != OK && client_detail(c)[0] != '\0')
		explain(in, client_detail(c));
	json_write_free(request);
	if (e == OK && json_parse(secret_span(out->text), &out->root) != OK)
		e = ERR_PROTOCOL;
	if (e != OK)
		profile_answer_free(out);
	return e;
}

void
profile_answer_free(struct profile_answer *a)
{
	json_free(&a->root);
	secret_free(&a->text);
}

static enum err
print_member(const struct json *root, const char *name)
{
	const struct json *v = json_member(root, name);
	struct span text;
	uint64_t n;

	if (v != NULL && json_as_string(v, &text)) {
		print_safe(text);
		return print_line("\n");
	}
	return v != NULL && json_as_u64(v, &n) ? print_line("%llu\n", (unsigned long long)n) : OK;
}

static enum err
change_on(struct invocation *in, struct client *c, const struct client_profile_want *about,
    struct json_writer *request, const char *for_people)
{
	struct client_profile_want want = { .op = OP_PROFILE_CHANGE, .connection = about->connection, .fact = about->fact };
	struct profile_answer a;
	struct json_writer w = { 0 };
	enum err e;

	if ((e = profile_ask(in, c, &want, request, &a)) != OK)
		return e;
	if (in->json) {
		json_write_raw(&w, secret_span(a.text));
		e = print_json(&w);
	} else if (for_people != NULL) {
		e = print_member(a.root, for_people);
	}
	profile_answer_free(&a);
	return e;
}

enum err
profile_change(struct invocation *in, const struct client_profile_want *about, struct json_writer *request,
    const char *for_people)
{
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = change_on(in, c, about, request, for_people);
	json_write_free(request);
	client_close(&c);
	return e;
}

static void
write_list(struct json_writer *w, const struct profile_list *l, uint64_t offset, uint64_t limit)
{
	profile_request(w, l->rows);
	json_member_u64(w, "offset", offset);
	json_member_u64(w, "limit", limit);
	if (l->has_category)
		json_member_text(w, "category", category_name(l->category));
	if (l->archived)
		json_member_bool(w, "archived", true);
	json_write_end(w);
}

static enum err
take_page(const struct profile_answer *a, const struct profile_list *l,
    enum err (*take)(void *arg, struct span raw, const struct json *row), void *arg, uint64_t *n)
{
	const struct json *rows, *row;
	struct span rest, raw;
	enum err e = OK;

	if (json_array(a->root, l->rows, &rows) != JSON_GOT || !json_raw_member(secret_span(a->text), l->rows, &rest))
		return ERR_PROTOCOL;
	for (row = json_first(rows); e == OK && row != NULL && json_raw_element(&rest, &raw); row = json_next(row)) {
		e = take(arg, raw, row);
		++*n;
	}
	return e;
}

enum err
profile_walk(struct invocation *in, struct client *c, struct profile_list *l,
    enum err (*take)(void *arg, struct span raw, const struct json *row), void *arg)
{
	struct client_profile_want want = { .op = OP_PROFILE_LIST };
	uint64_t at = l->offset, n = 0;
	bool more = true;
	enum err e = OK;

	l->next = 0;
	while (more && e == OK && (l->limit == 0 || n < l->limit)) {
		uint64_t limit = l->limit == 0 || l->limit - n > PAGE ? PAGE : l->limit - n, before = n;
		struct json_writer w = { 0 };
		struct profile_answer a;

		write_list(&w, l, at, limit);
		if ((e = profile_ask(in, c, &want, &w, &a)) != OK)
			return e;
		e = take_page(&a, l, take, arg, &n);
		more = json_u64(a.root, "next_offset", &at) == JSON_GOT;
		profile_answer_free(&a);
		if (e == OK && more && n == before)
			e = ERR_PROTOCOL;
	}
	if (more)
		l->next = at;
	return e;
}

enum err
profile_find(struct invocation *in, struct client *c, const char *rows, struct uuid id, struct profile_answer *out,
    const struct json **row)
{
	struct client_profile_want want = { .op = OP_PROFILE_LIST };
	struct json_writer w = { 0 };
	const struct json *all;
	enum err e;

	profile_request(&w, rows);
	json_member_u64(&w, "offset", 0);
	json_member_u64(&w, "limit", 1);
	json_member_id(&w, "id", id);
	json_write_end(&w);
	if ((e = profile_ask(in, c, &want, &w, out)) != OK)
		return e;
	if (json_array(out->root, rows, &all) == JSON_GOT && (*row = json_first(all)) != NULL)
		return OK;
	profile_answer_free(out);
	return ERR_NOT_FOUND;
}

enum err
profile_check_open(struct invocation *in, struct client *c)
{
	struct client_profile_want want = { .op = OP_PROFILE_LIST };
	struct profile_list l = { .rows = "facts" };
	struct json_writer w = { 0 };
	struct profile_answer a;
	enum err e;

	write_list(&w, &l, 0, 1);
	if ((e = profile_ask(in, c, &want, &w, &a)) == OK)
		profile_answer_free(&a);
	return e;
}

struct span
profile_text(const struct json *row, const char *name)
{
	struct span text = { (const uint8_t *)"", 0 };

	json_string(row, name, &text);
	return text;
}

uint64_t
profile_number(const struct json *row, const char *name)
{
	uint64_t n = 0;

	json_u64(row, name, &n);
	return n;
}

bool
profile_flag(const struct json *row, const char *name)
{
	bool is = false;

	json_bool(row, name, &is);
	return is;
}

struct printing {
	bool               json;
	struct json_writer w;
	void             (*print)(const struct json *row);
};

static enum err
print_row(void *arg, struct span raw, const struct json *row)
{
	struct printing *p = arg;

	if (p->json)
		json_write_raw(&p->w, raw);
	else
		p->print(row);
	return OK;
}

/* Where the list began, and where it goes on. */
static void
write_place(struct json_writer *w, const struct profile_list *l)
{
	json_member_u64(w, "offset", l->offset);
	json_write_key(w, "next");
	if (l->next != 0)
		json_write_u64(w, l->next);
	else
		json_write_null(w);
}

enum err
profile_print_list(struct invocation *in, struct profile_list *l, void (*print)(const struct json *row))
{
	struct printing p = { .json = in->json, .print = print };
	struct client *c = NULL;
	enum err e;

	json_write_object(&p.w);
	json_write_key(&p.w, l->rows);
	json_write_array(&p.w);
	if ((e = owner_open(in, &c)) == OK)
		e = profile_walk(in, c, l, print_row, &p);
	client_close(&c);
	json_write_end(&p.w);
	write_place(&p.w, l);
	json_write_end(&p.w);
	if (e == OK && in->json)
		return print_json(&p.w);
	json_write_free(&p.w);
	return e;
}

enum err
profile_confirm(struct invocation *in, const char *prompt)
{
	char line[TERMINAL_LINE_MAX + 1];
	enum err e;

	if (option_given(in, "--yes"))
		return OK;
	if ((e = terminal_line(prompt, line)) != OK)
		return e;
	return strcmp(line, "y") == 0 || strcmp(line, "Y") == 0 || strcmp(line, "yes") == 0 ? OK : ERR_NOT_CONFIRMED;
}
