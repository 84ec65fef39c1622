#include <string.h>

#include "store/search_doc.h"

static size_t
size_of(size_t n_fields, size_t text_len)
{
	return offsetof(struct search_doc, fields) + n_fields * sizeof(struct search_piece) + text_len;
}

static uint8_t *
text_of(const struct search_doc *doc)
{
	return (uint8_t *)(uintptr_t)&doc->fields[doc->n_fields];
}

static void
copy_fields(struct search_doc *doc, const struct search_document *d)
{
	uint32_t offset = 0;

	for (size_t i = 0; i < d->n_fields; i++) {
		const struct search_field *f = &d->fields[i];

		doc->fields[i] = (struct search_piece){ .part = f->part, .number = f->number, .offset = offset,
			.len = (uint32_t)f->text.len };
		if (f->text.len > 0)
			memcpy(text_of(doc) + offset, f->text.p, f->text.len);
		offset += (uint32_t)f->text.len;
	}
}

enum err
search_doc_new(struct search_memory *m, const struct search_document *d, struct search_doc **out)
{
	struct search_doc *doc;
	size_t len = 0;

	if (d->n_fields > SEARCH_FIELDS_MAX)
		return ERR_TOO_LARGE;
	for (size_t i = 0; i < d->n_fields; i++) {
		if (d->fields[i].text.len > SEARCH_TEXT_MAX - len)
			return ERR_TOO_LARGE;
		len += d->fields[i].text.len;
	}
	if ((doc = search_memory_take(m, size_of(d->n_fields, len))) == NULL)
		return ERR_NO_MEMORY;
	doc->asset = d->asset;
	doc->revision = d->revision;
	doc->created = d->created;
	doc->updated = d->updated;
	doc->kind = d->kind;
	doc->text_len = (uint32_t)len;
	doc->n_fields = (uint32_t)d->n_fields;
	copy_fields(doc, d);
	*out = doc;
	return OK;
}

void
search_doc_free(struct search_memory *m, struct search_doc *doc)
{
	search_memory_give(m, doc, size_of(doc->n_fields, doc->text_len));
}

struct span
search_doc_text(const struct search_doc *doc, const struct search_piece *field)
{
	return (struct span){ text_of(doc) + field->offset, field->len };
}

struct span
search_doc_title(const struct search_doc *doc)
{
	if (doc->n_fields == 0 || doc->fields[0].part != SEARCH_TITLE)
		return (struct span){ text_of(doc), 0 };
	return search_doc_text(doc, &doc->fields[0]);
}
