#include <stdlib.h>
#include <string.h>

#include "gateway/json.h"
#include "store/search_fold.h"
#include "tools/command/asset_rows.h"

#define PAGE_MAX         100
#define DETAILS_PAGE_MAX 32

static enum err
take_kinds(struct invocation *in, struct asset_filter *f)
{
	const char *word;
	enum kind kind;

	for (size_t i = 0; (word = option_nth(in, "--kind", i)) != NULL; i++) {
		if (!kind_of_name(word, &kind))
			return invalid(in, "--kind is memory, card, file or credential");
		f->kinds |= 1u << kind;
	}
	if (option_given(in, "--private"))
		f->classes |= 1u << CLASS_PRIVATE;
	if (option_given(in, "--ordinary"))
		f->classes |= 1u << CLASS_ORDINARY;
	return OK;
}

static enum err
take_sort(struct invocation *in, struct asset_filter *f)
{
	static const char *const words[] = { "id", "title", "created", "updated" };
	const char *word = option_value(in, "--sort");

	f->reverse = option_given(in, "--reverse");
	if (word == NULL)
		return OK;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0) {
			f->sort = (enum asset_sort)i;
			return OK;
		}
	return invalid(in, "--sort is id, title, created or updated");
}

static enum err
take_texts(struct invocation *in, struct asset_filter *f)
{
	const char *title = option_value(in, "--title"), *tag;

	for (size_t i = 0; (tag = option_nth(in, "--tag", i)) != NULL; i++) {
		if (i == CONTENT_TAGS_MAX)
			return invalid(in, "too many tags");
		f->tags[f->n_tags++] = tag;
	}
	if (title == NULL)
		return OK;
	return search_fold((struct span){ (const uint8_t *)title, strlen(title) }, &f->title);
}

enum err
asset_filter_take(struct invocation *in, struct asset_filter *out)
{
	struct asset_filter f = { .sort = SORT_ID };
	enum err e;

	if ((e = take_kinds(in, &f)) != OK || (e = take_sort(in, &f)) != OK || (e = take_texts(in, &f)) != OK)
		return e;
	*out = f;
	return OK;
}

void
asset_filter_free(struct asset_filter *f)
{
	secret_free(&f->title);
}

bool
asset_filter_narrows(const struct asset_filter *f)
{
	return f->kinds != 0 || f->classes != 0 || f->n_tags > 0 || f->title != NULL || f->sort != SORT_ID || f->reverse;
}

static bool
has_tag(const struct json *meta, const char *wanted)
{
	const struct json *tags;
	struct span tag;

	if (json_array(meta, "tags", &tags) != JSON_GOT)
		return false;
	for (const struct json *t = json_first(tags); t != NULL; t = json_next(t))
		if (json_as_string(t, &tag) && tag.len == strlen(wanted) && memcmp(tag.p, wanted, tag.len) == 0)
			return true;
	return false;
}

/* Where the meta did not come, because it takes sudo, there are no tags to see. */
static enum err
tags_pass(const struct asset_filter *f, const struct client_item *meta, bool *passes)
{
	struct json *root = NULL;
	enum err e;

	*passes = f->n_tags == 0;
	if (*passes || meta == NULL)
		return OK;
	if ((e = json_parse(secret_span(meta->plain), &root)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_STORAGE_CORRUPT;
	*passes = true;
	for (size_t i = 0; i < f->n_tags; i++)
		*passes = *passes && has_tag(root, f->tags[i]);
	json_free(&root);
	return OK;
}

static bool
clear_fields_pass(const struct asset_filter *f, const struct revision_row *r)
{
	return (f->kinds == 0 || (f->kinds & 1u << r->kind) != 0) && (f->classes == 0 || (f->classes & 1u << r->key_class) != 0);
}

static bool
contains(struct span text, struct span part)
{
	return part.len == 0 || (text.len >= part.len && memmem(text.p, text.len, part.p, part.len) != NULL);
}

static enum err
make_room(struct asset_rows *r)
{
	size_t cap = r->cap == 0 ? 128 : 2 * r->cap;
	const struct client_item **rows;
	struct secret **folded;

	if (r->n < r->cap)
		return OK;
	if ((rows = realloc(r->rows, cap * sizeof *rows)) == NULL)
		return ERR_NO_MEMORY;
	r->rows = rows;
	if ((folded = realloc(r->folded, cap * sizeof(struct secret *))) == NULL)
		return ERR_NO_MEMORY;
	r->folded = folded;
	r->cap = cap;
	return OK;
}

/* f NULL: every row is taken. */
static enum err
consider(struct asset_rows *r, const struct asset_filter *f, const struct client_item *title, const struct client_item *meta)
{
	struct secret *folded = NULL;
	bool passes = true;
	enum err e;

	if ((e = make_room(r)) != OK)
		return e;
	if (f != NULL) {
		if (!clear_fields_pass(f, &title->row))
			return OK;
		if ((e = tags_pass(f, meta, &passes)) != OK || !passes)
			return e;
		if ((f->title != NULL || f->sort == SORT_TITLE) && (e = search_fold(secret_span(title->plain), &folded)) != OK)
			return e;
		if (f->title != NULL && !contains(secret_span(folded), secret_span(f->title))) {
			secret_free(&folded);
			return OK;
		}
	}
	r->folded[r->n] = folded;
	r->rows[r->n++] = title;
	return OK;
}

/* The rows of a page: each has its title, and after it perhaps its meta. *n_seen of them. */
static enum err
take_page(struct asset_rows *r, const struct asset_filter *f, struct client_answer *a, uint64_t *n_seen)
{
	struct client_answer **answers = realloc(r->answers, (r->n_answers + 1) * sizeof(struct client_answer *));
	enum err e;

	if (answers == NULL) {
		client_answer_free(&a);
		return ERR_NO_MEMORY;
	}
	r->answers = answers;
	r->answers[r->n_answers++] = a;
	for (size_t i = 0; i < a->n_items; i++) {
		const struct client_item *meta = i + 1 < a->n_items ? &a->items[i + 1] : NULL;

		if (a->items[i].ref.part != PART_TITLE)
			continue;
		if (meta != NULL && (meta->ref.part != PART_META || !uuid_equal(meta->ref.revision, a->items[i].ref.revision)))
			meta = NULL;
		++*n_seen;
		if ((e = consider(r, f, &a->items[i], meta)) != OK)
			return e;
	}
	return OK;
}

enum err
asset_rows_page(struct invocation *in, struct client *c, struct uuid vault, uint64_t offset, uint32_t limit,
    struct asset_rows *out, bool *more)
{
	struct client_want want = { .op = OP_LIST, .surface = SURFACE_OWNER, .vault = vault, .offset = offset, .limit = limit };
	struct client_answer *a = NULL;
	uint64_t n_seen = 0;
	enum err e;

	if ((e = owner_ask(in, c, &want, &a)) != OK)
		return e;
	*more = a->more;
	return take_page(out, NULL, a, &n_seen);
}

struct order {
	const struct client_item *row;
	struct secret            *folded;
	enum asset_sort           sort;
	bool                      reverse;
};

static int
compare_spans(struct span a, struct span b)
{
	int by_bytes = memcmp(a.p, b.p, a.len < b.len ? a.len : b.len);

	return by_bytes != 0 ? by_bytes : a.len < b.len ? -1 : a.len > b.len;
}

static int
compare_times(struct wall_ms a, struct wall_ms b)
{
	return a.ms < b.ms ? -1 : a.ms > b.ms;
}

static int
compare(const void *x, const void *y)
{
	const struct order *a = x, *b = y;
	int order = 0;

	switch (a->sort) {
	case SORT_ID:
		break;
	case SORT_TITLE:
		order = compare_spans(secret_span(a->folded), secret_span(b->folded));
		break;
	case SORT_CREATED:
		order = compare_times(a->row->row.asset_created, b->row->row.asset_created);
		break;
	case SORT_UPDATED:
		order = compare_times(a->row->row.created, b->row->row.created);
		break;
	}
	if (order == 0)
		order = uuid_compare(a->row->row.asset, b->row->row.asset);
	return a->reverse ? -order : order;
}

static enum err
sort(struct asset_rows *r, const struct asset_filter *f)
{
	struct order *orders = calloc(r->n + 1, sizeof *orders);

	if (orders == NULL)
		return ERR_NO_MEMORY;
	for (size_t i = 0; i < r->n; i++)
		orders[i] = (struct order){ r->rows[i], r->folded[i], f->sort, f->reverse };
	qsort(orders, r->n, sizeof *orders, compare);
	for (size_t i = 0; i < r->n; i++) {
		r->rows[i] = orders[i].row;
		r->folded[i] = orders[i].folded;
	}
	free(orders);
	return OK;
}

enum err
asset_rows_all(struct invocation *in, struct client *c, struct uuid vault, const struct asset_filter *f,
    struct asset_rows *out)
{
	struct client_want want = { .op = OP_LIST, .surface = SURFACE_OWNER, .vault = vault, .limit = PAGE_MAX };
	struct client_answer *a;
	bool more = true;
	enum err e;

	if (f->n_tags > 0) {
		want.op = OP_LIST_DETAILS;
		want.limit = DETAILS_PAGE_MAX;
	}
	while (more) {
		a = NULL;
		if ((e = owner_ask(in, c, &want, &a)) != OK)
			return e;
		more = a->more;
		if ((e = take_page(out, f, a, &want.offset)) != OK)
			return e;
	}
	return sort(out, f);
}

void
asset_rows_free(struct asset_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		secret_free(&r->folded[i]);
	for (size_t i = 0; i < r->n_answers; i++)
		client_answer_free(&r->answers[i]);
	free(r->answers);
	free(r->rows);
	free(r->folded);
	*r = (struct asset_rows){ .n = 0 };
}
