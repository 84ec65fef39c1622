/* asset show --field: one value, and nothing else. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/show.h"

static enum err
copy(struct span s, struct secret **out)
{
	enum err e = secret_new(s.len, out);

	if (e == OK && s.len > 0)
		memcpy(secret_bytes(*out), s.p, s.len);
	return e;
}

/* ERR_NOT_FOUND: there is no such member. */
static enum err
copy_member(const struct json *object, const char *name, struct secret **out)
{
	struct span value;

	return json_string(object, name, &value) == JSON_GOT ? copy(value, out) : ERR_NOT_FOUND;
}

/* A line each. */
static enum err
copy_tags(struct shown *s, struct secret **out)
{
	const struct json *meta, *tags = NULL;
	struct secret *all;
	struct wire_out o;
	struct span tag;
	enum err e;

	if ((e = show_meta(s, &meta)) != OK)
		return e;
	if (json_array(meta, "tags", &tags) != JSON_GOT || json_first(tags) == NULL)
		return ERR_NOT_FOUND;
	if ((e = secret_new(secret_len(s->revision.meta->plain), &all)) != OK)
		return e;
	o = wire_out(secret_bytes(all), secret_len(all));
	for (const struct json *t = json_first(tags); t != NULL; t = json_next(t))
		if (json_as_string(t, &tag)) {
			if (t != json_first(tags))
				wire_put_u8(&o, '\n');
			wire_put_bytes(&o, tag.p, tag.len);
		}
	secret_cut(all, wire_written(&o).len);
	*out = all;
	return OK;
}

static enum err
unknown(struct invocation *in, const char *names)
{
	snprintf(in->detail, sizeof in->detail, "--field is one of %s here", names);
	return ERR_INVALID_ARGUMENT;
}

static bool
is(const char *name, const char *word)
{
	return strcmp(name, word) == 0;
}

static enum err
of_meta(struct shown *s, const char *name, struct secret **out)
{
	const struct json *meta;
	enum err e = show_meta(s, &meta);

	return e == OK ? copy_member(meta, name, out) : e;
}

static enum err
of_credential(struct invocation *in, struct client *c, struct shown *s, const char *name, struct secret **out)
{
	if (is(name, "secret"))
		return revision_content(c, &s->revision, out);
	if (is(name, "otp"))
		return show_otp_code(in, c, s, out);
	if (is(name, "username") || is(name, "url") || is(name, "notes"))
		return of_meta(s, name, out);
	return unknown(in, "title, tags, username, url, notes, secret and otp");
}

/* A card's field by its name; its own, or none. */
static enum err
of_card(struct invocation *in, const struct json *card, const char *name, struct secret **out)
{
	const struct json *fields, *found = NULL;
	struct span text;

	if (json_array(card, "fields", &fields) != JSON_GOT)
		return ERR_STORAGE_CORRUPT;
	for (const struct json *f = json_first(fields); f != NULL; f = json_next(f)) {
		if (json_string(f, "name", &text) != JSON_GOT || text.len != strlen(name) || memcmp(text.p, name, text.len) != 0)
			continue;
		if (found != NULL)
			return invalid(in, "several fields of the card have that name");
		found = f;
	}
	return found != NULL ? copy_member(found, "value", out) : ERR_NOT_FOUND;
}

static enum err
of_content(struct invocation *in, struct client *c, struct shown *s, const char *name, struct secret **out)
{
	bool card = s->revision.row.kind == KIND_CARD;
	struct secret *content = NULL;
	struct json *root = NULL;
	enum err e;

	if (!card && !is(name, "body"))
		return unknown(in, "title, tags and body");
	if ((e = show_content(in, c, s, &content)) == OK && (e = json_parse(secret_span(content), &root)) == OK)
		e = card ? of_card(in, root, name, out) : copy_member(root, "body", out);
	json_free(&root);
	secret_free(&content);
	return e;
}

static enum err
of_file(struct invocation *in, struct shown *s, const char *name, struct secret **out)
{
	if (is(name, "name") || is(name, "media_type"))
		return of_meta(s, name, out);
	return unknown(in, "title, tags, name and media_type");
}

static enum err
find(struct invocation *in, struct client *c, struct shown *s, const char *name, struct secret **out)
{
	enum kind kind = s->revision.row.kind;
	enum err e = ERR_NOT_FOUND;

	/* A card may have fields of any name, these too. */
	if (kind == KIND_CARD && (e = of_content(in, c, s, name, out)) != ERR_NOT_FOUND)
		return e;
	if (is(name, "title"))
		return copy(secret_span(s->revision.title->plain), out);
	if (is(name, "tags"))
		return copy_tags(s, out);
	if (kind == KIND_CREDENTIAL)
		return of_credential(in, c, s, name, out);
	if (kind == KIND_FILE)
		return of_file(in, s, name, out);
	return kind == KIND_MEMORY ? of_content(in, c, s, name, out) : e;
}

static enum err
print_value(const struct invocation *in, const char *name, const struct secret *value)
{
	struct json_writer w = { 0 };

	if (in->json) {
		json_write_object(&w);
		json_member_text(&w, "field", name);
		json_member_string(&w, "value", secret_span(value));
		json_write_end(&w);
		return print_json(&w);
	}
	if (!isatty(STDOUT_FILENO))
		return print_bytes(secret_span(value));
	show_lines(secret_span(value), "");
	return print_line("\n");
}

enum err
show_field(struct invocation *in, struct client *c, struct shown *s, const char *name)
{
	struct secret *value = NULL;
	enum err e = find(in, c, s, name, &value);

	if (e == ERR_NOT_FOUND && in->detail[0] == '\0')
		explain(in, "the asset has no such field");
	if (e == OK)
		e = print_value(in, name, value);
	secret_free(&value);
	return e;
}
