#include <string.h>

#include "gateway/content.h"
#include "gateway/json.h"
#include "gateway/reference.h"
#include "mailbox/utf8.h"

#define TITLE_MAX 1024
#define TEXT_MAX  ((size_t)1 << 20)
#define LABEL_MAX 512

bool
content_text_valid(struct span s, size_t max)
{
	return s.len <= max && utf8_valid(s) && (s.len == 0 || memchr(s.p, '\0', s.len) == NULL);
}

static bool
labels_valid(const struct content_labels *l)
{
	if (!content_text_valid(l->title, TITLE_MAX) || !content_text_valid(l->name, LABEL_MAX) ||
	    !content_text_valid(l->media_type, LABEL_MAX))
		return false;
	for (size_t i = 0; i < l->n_tags; i++)
		if (l->tags[i].len == 0 || !content_text_valid(l->tags[i], CONTENT_TAG_MAX))
			return false;
	return true;
}

static void
write_tags(struct json_writer *w, const struct content_labels *l)
{
	json_write_key(w, "tags");
	json_write_array(w);
	for (size_t i = 0; i < l->n_tags; i++)
		json_write_string(w, l->tags[i]);
	json_write_end(w);
}

enum err
content_memory(const struct content_labels *l, struct span body, struct json_writer *w)
{
	if (body.len > TEXT_MAX)
		return ERR_TOO_LARGE;
	if (!labels_valid(l) || !content_text_valid(body, TEXT_MAX))
		return ERR_INVALID_CONTENT;
	json_write_object(w);
	json_member_string(w, "title", l->title);
	json_member_string(w, "body", body);
	write_tags(w, l);
	json_write_end(w);
	return OK;
}

enum err
content_meta(const struct content_labels *l, struct json_writer *w)
{
	if (!labels_valid(l))
		return ERR_INVALID_CONTENT;
	json_write_object(w);
	if (l->name.len > 0)
		json_member_string(w, "name", l->name);
	if (l->media_type.len > 0)
		json_member_string(w, "media_type", l->media_type);
	for (size_t i = 0; i < l->n_fields; i++)
		json_member_string(w, l->fields[i].name, l->fields[i].value);
	write_tags(w, l);
	json_write_end(w);
	return OK;
}

/* By ids, as names of vaults change; and in its one spelling. */
static bool
is_reference(struct span s)
{
	static const char scheme[] = "secret://";
	struct reference r;

	return reference_is(s, &r) && !uuid_is_zero(r.vault) && memcmp(s.p, scheme, sizeof scheme - 1) == 0;
}

static bool
write_field(struct json_writer *w, const struct json *field)
{
	static const char *const members[] = { "name", "value", "protected" };
	struct span name, value;
	bool protected = false;

	if (json_type(field) != JSON_OBJECT || !json_has_only(field, members, 3) ||
	    json_string(field, "name", &name) != JSON_GOT || json_string(field, "value", &value) != JSON_GOT ||
	    json_bool(field, "protected", &protected) == JSON_WRONG_TYPE || (protected && !is_reference(value)))
		return false;
	json_write_object(w);
	json_member_string(w, "name", name);
	json_member_string(w, "value", value);
	json_member_bool(w, "protected", protected);
	json_write_end(w);
	return true;
}

/* The card's own tags, where none were given beside it. */
static bool
take_tags(const struct json *card, struct content_labels *l)
{
	const struct json *tags;
	enum json_got got = json_array(card, "tags", &tags);

	if (got != JSON_GOT || l->n_tags > 0)
		return got != JSON_WRONG_TYPE;
	for (const struct json *t = json_first(tags); t != NULL; t = json_next(t))
		if (l->n_tags == CONTENT_TAGS_MAX || !json_as_string(t, &l->tags[l->n_tags++]))
			return false;
	return true;
}

static enum err
write_card(const struct json *card, struct content_labels *l, struct json_writer *w)
{
	static const char *const members[] = { "title", "fields", "tags" };
	const struct json *fields;

	if (json_type(card) != JSON_OBJECT || !json_has_only(card, members, 3) ||
	    (l->title.len == 0 && json_string(card, "title", &l->title) != JSON_GOT) ||
	    json_array(card, "fields", &fields) != JSON_GOT || !take_tags(card, l) || !labels_valid(l))
		return ERR_INVALID_CONTENT;
	json_write_object(w);
	json_member_string(w, "title", l->title);
	json_write_key(w, "fields");
	json_write_array(w);
	for (const struct json *f = json_first(fields); f != NULL; f = json_next(f))
		if (!write_field(w, f))
			return ERR_INVALID_CONTENT;
	json_write_end(w);
	write_tags(w, l);
	json_write_end(w);
	return OK;
}

enum err
content_card(const struct content_labels *l, struct span text, struct json_writer *w,
    struct secret **title)
{
	struct content_labels own = *l;
	struct json *card = NULL;
	enum err e;

	if ((e = json_parse(text, &card)) != OK)
		return e == ERR_TOO_LARGE ? ERR_TOO_LARGE : e == ERR_NO_MEMORY ? e : ERR_INVALID_CONTENT;
	if ((e = write_card(card, &own, w)) == OK && (e = secret_new(own.title.len, title)) == OK && own.title.len > 0)
		memcpy(secret_bytes(*title), own.title.p, own.title.len);
	json_free(&card);
	return e;
}

enum err
content_meta_of(struct span content, struct json_writer *w)
{
	struct content_labels l = { .n_tags = 0 };
	struct json *root = NULL;
	enum err e;

	if ((e = json_parse(content, &root)) != OK)
		return e;
	e = take_tags(root, &l) ? content_meta(&l, w) : ERR_INVALID_CONTENT;
	json_free(&root);
	return e;
}
