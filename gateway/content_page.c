#include <stdlib.h>

#include "gateway/content_page.h"
#include "gateway/json.h"

/* More than any string takes around it, with all that closes a page. */
#define AROUND 64

enum role {
	TITLE,
	TAG,
	TEXT,
	NAME,
	VALUE,
};

/* One string of a content. */
struct string {
	enum role   role;
	struct span text;
	bool        protected; /* of a field */
};

struct strings {
	struct string *p; /* owned */
	size_t       n;
};

static size_t
count(const struct json *container)
{
	size_t n = 0;

	for (const struct json *v = container != NULL ? json_first(container) : NULL; v != NULL; v = json_next(v))
		n++;
	return n;
}

static enum err
take_fields(const struct json *fields, struct strings *out)
{
	for (const struct json *f = json_first(fields); f != NULL; f = json_next(f)) {
		struct string name = { .role = NAME }, value = { .role = VALUE };

		if (json_string(f, "name", &name.text) != JSON_GOT || json_string(f, "value", &value.text) != JSON_GOT ||
		    json_bool(f, "protected", &name.protected) == JSON_WRONG_TYPE)
			return ERR_INVALID_CONTENT;
		value.protected = name.protected;
		out->p[out->n++] = name;
		out->p[out->n++] = value;
	}
	return OK;
}

/* The strings of a content in their order; they point into it. */
static enum err
take_parts(const struct json *content, enum kind kind, struct strings *out)
{
	const struct json *tags, *fields = NULL;
	struct string title = { .role = TITLE }, text = { .role = TEXT }, tag = { .role = TAG };

	if (json_string(content, "title", &title.text) != JSON_GOT || json_array(content, "tags", &tags) != JSON_GOT)
		return ERR_INVALID_CONTENT;
	if (kind == KIND_MEMORY ? json_string(content, "body", &text.text) != JSON_GOT
	    : json_array(content, "fields", &fields) != JSON_GOT)
		return ERR_INVALID_CONTENT;
	if ((out->p = calloc(2 + count(tags) + 2 * count(fields), sizeof *out->p)) == NULL)
		return ERR_NO_MEMORY;
	out->p[out->n++] = title;
	for (const struct json *t = json_first(tags); t != NULL; t = json_next(t)) {
		if (!json_as_string(t, &tag.text))
			return ERR_INVALID_CONTENT;
		out->p[out->n++] = tag;
	}
	if (kind == KIND_CARD)
		return take_fields(fields, out);
	out->p[out->n++] = text;
	return OK;
}

/* What is open while strings are written one after the other. */
struct page {
	struct json_writer *w;
	size_t              limit;    /* the writer's length is to stay below */
	bool                in_tags, in_fields, in_field;
};

static void
close_field(struct page *p)
{
	if (p->in_field)
		json_write_end(p->w);
	p->in_field = false;
}

static void
close_all(struct page *p)
{
	close_field(p);
	if (p->in_tags || p->in_fields)
		json_write_end(p->w);
	p->in_tags = p->in_fields = false;
}

static void
open_array(struct page *p, const char *name, bool *open)
{
	if (*open)
		return;
	close_all(p);
	json_write_key(p->w, name);
	json_write_array(p->w);
	*open = true;
}

static void
write_part(struct page *p, const struct string *part, struct span text)
{
	switch (part->role) {
	case TITLE:
		json_member_string(p->w, "title", text);
		break;
	case TAG:
		open_array(p, "tags", &p->in_tags);
		json_write_string(p->w, text);
		break;
	case TEXT:
		close_all(p);
		json_member_string(p->w, "text", text);
		break;
	case NAME:
		close_field(p);
		open_array(p, "fields", &p->in_fields);
		json_write_object(p->w);
		p->in_field = true;
		json_member_bool(p->w, "protected", part->protected);
		json_member_string(p->w, "name", text);
		break;
	case VALUE:
		open_array(p, "fields", &p->in_fields);
		if (!p->in_field) {
			json_write_object(p->w);
			p->in_field = true;
			json_member_bool(p->w, "protected", part->protected);
		}
		json_member_string(p->w, "value", text);
		break;
	}
}

/* Writes strings from place on until one does not fit whole; place is where that one goes on. */
static bool
fill(struct page *p, const struct strings *parts, struct content_place *place)
{
	for (; place->part < parts->n; *place = (struct content_place){ .part = place->part + 1 }) {
		const struct string *part = &parts->p[place->part];
		struct span rest = { part->text.p + place->offset, part->text.len - (size_t)place->offset };
		size_t used = p->w->len + AROUND, fits;

		if (used + 2 > p->limit)
			return true;
		fits = json_string_fit(rest, p->limit - used);
		if (fits == 0 && rest.len > 0)
			return true;
		write_part(p, part, (struct span){ rest.p, fits });
		if (fits < rest.len) {
			place->offset += fits;
			return true;
		}
	}
	return false;
}

static bool
is_place(const struct strings *parts, const struct content_place *place)
{
	const struct span *s;

	if (place->part >= parts->n)
		return false;
	s = &parts->p[place->part].text;
	/* Never inside a character. */
	return place->offset <= s->len && (place->offset == s->len || (s->p[place->offset] & 0xc0) != 0x80);
}

enum err
content_page(struct span content, enum kind kind, size_t room, struct json_writer *w,
    struct content_place *place, bool *more)
{
	struct page p = { .w = w, .limit = w->len + room };
	struct strings parts = { .p = NULL };
	struct json *root = NULL;
	enum err e;

	if ((e = json_parse(content, &root)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_INVALID_CONTENT;
	if ((e = take_parts(root, kind, &parts)) == OK && !is_place(&parts, place))
		e = ERR_INVALID_ARGUMENT;
	if (e == OK) {
		*more = fill(&p, &parts, place);
		close_all(&p);
	}
	free(parts.p);
	json_free(&root);
	return e;
}
