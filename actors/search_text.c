/* What is searched in a memory and in a card. */
#include <stdlib.h>

#include "actors/search_state.h"
#include "gateway/json.h"

/* Fields as far as a document takes them; what they point at is in the JSON. */
struct fields {
	struct search_field *rows;
	size_t               n;
};

static void
add(struct fields *f, enum search_part part, size_t number, struct span text)
{
	if (f->n < SEARCH_FIELDS_MAX && number <= UINT16_MAX)
		f->rows[f->n++] = (struct search_field){ .part = part, .number = (uint16_t)number, .text = text };
}

static void
add_member(struct fields *f, const struct json *object, const char *name, enum search_part part, size_t number)
{
	struct span text;

	if (json_string(object, name, &text) == JSON_GOT)
		add(f, part, number, text);
}

/* A protected field's value is a reference, and is searched as the text that it is. */
static void
add_card(struct fields *f, const struct json *card)
{
	const struct json *fields;
	size_t number = 0;

	if (json_array(card, "fields", &fields) != JSON_GOT)
		return;
	for (const struct json *at = json_first(fields); at != NULL; at = json_next(at), number++) {
		add_member(f, at, "name", SEARCH_FIELD_NAME, number);
		add_member(f, at, "value", SEARCH_FIELD_VALUE, number);
	}
}

static void
add_tags(struct fields *f, const struct json *content)
{
	const struct json *tags;
	struct span text;
	size_t number = 0;

	if (json_array(content, "tags", &tags) != JSON_GOT)
		return;
	for (const struct json *at = json_first(tags); at != NULL; at = json_next(at), number++)
		if (json_as_string(at, &text))
			add(f, SEARCH_TAG, number, text);
}

enum err
search_put_content(struct search_index *ix, const struct revision_row *row, struct span content)
{
	struct search_document d = { .vault = row->vault, .asset = row->asset, .revision = row->revision, .kind = row->kind,
		.created = row->asset_created.ms, .updated = row->created.ms };
	struct fields f = { .n = 0 };
	struct json *root = NULL;
	enum err e;

	if ((e = json_parse(content, &root)) != OK)
		return e;
	if ((f.rows = calloc(SEARCH_FIELDS_MAX, sizeof *f.rows)) == NULL) {
		json_free(&root);
		return ERR_NO_MEMORY;
	}
	add_member(&f, root, "title", SEARCH_TITLE, 0);
	if (row->kind == KIND_CARD)
		add_card(&f, root);
	else
		add_member(&f, root, "body", SEARCH_BODY, 0);
	add_tags(&f, root);
	d.fields = f.rows;
	d.n_fields = f.n;
	e = search_index_put(ix, &d);
	free(f.rows);
	json_free(&root);
	return e;
}
