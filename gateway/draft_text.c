#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/draft_text.h"
#include "mailbox/utf8.h"

/* Text that grows, wiped when it moves. */
struct text {
	uint8_t *p;
	size_t   len, cap;
	bool     failed;
};

static void
put(struct text *t, const void *p, size_t len)
{
	if (t->failed || len > t->cap - t->len) {
		t->failed = true;
		return;
	}
	if (len > 0)
		memcpy(t->p + t->len, p, len);
	t->len += len;
}

static void
put_word(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

static void
put_json(struct text *t, struct span s)
{
	struct json_writer w = { 0 };
	struct span quoted;

	json_write_string(&w, s);
	if (json_write_done(&w, &quoted) == OK)
		put(t, quoted.p, quoted.len);
	else
		t->failed = true;
	json_write_free(&w);
}

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* True when a line gives the value back as it is. */
static bool
fits_a_line(struct span s)
{
	if (s.len == 0)
		return true;
	if (s.p[0] == '"' || is_blank(s.p[0]) || is_blank(s.p[s.len - 1]))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < 0x20)
			return false;
	return true;
}

static void
put_line(struct text *t, const char *name, struct span value)
{
	put_word(t, name);
	if (fits_a_line(value))
		put(t, value.p, value.len);
	else
		put_json(t, value);
	put_word(t, "\n");
}

static void
put_note(struct text *t, const char *note)
{
	while (*note != '\0') {
		size_t len = strcspn(note, "\n");

		put_word(t, "# ");
		put(t, note, len);
		put_word(t, "\n");
		note += len + (note[len] == '\n');
	}
}

static enum err
put_memory(struct text *t, const struct json *content)
{
	const struct json *tags;
	struct span title, body, tag;

	if (json_string(content, "title", &title) != JSON_GOT || json_string(content, "body", &body) != JSON_GOT ||
	    json_array(content, "tags", &tags) != JSON_GOT)
		return ERR_STORAGE_CORRUPT;
	put_line(t, "title: ", title);
	for (const struct json *one = json_first(tags); one != NULL; one = json_next(one)) {
		if (!json_as_string(one, &tag))
			return ERR_STORAGE_CORRUPT;
		put_line(t, "tag: ", tag);
	}
	put_word(t, "\n");
	put(t, body.p, body.len);
	put_word(t, "\n");
	return OK;
}

static enum err
put_field(struct text *t, const struct json *field)
{
	struct span name, value;
	bool protected = false;

	if (json_string(field, "name", &name) != JSON_GOT || json_string(field, "value", &value) != JSON_GOT ||
	    json_bool(field, "protected", &protected) == JSON_WRONG_TYPE)
		return ERR_STORAGE_CORRUPT;
	put_word(t, "    {\"name\": ");
	put_json(t, name);
	put_word(t, ", \"value\": ");
	put_json(t, value);
	put_word(t, protected ? ", \"protected\": true}" : ", \"protected\": false}");
	return OK;
}

static enum err
put_card(struct text *t, const struct json *content)
{
	const struct json *fields, *tags, *one;
	struct span title, tag;
	enum err e;

	if (json_string(content, "title", &title) != JSON_GOT || json_array(content, "fields", &fields) != JSON_GOT ||
	    json_array(content, "tags", &tags) != JSON_GOT)
		return ERR_STORAGE_CORRUPT;
	put_word(t, "{\n  \"title\": ");
	put_json(t, title);
	put_word(t, ",\n  \"fields\": [");
	for (one = json_first(fields); one != NULL; one = json_next(one)) {
		put_word(t, one == json_first(fields) ? "\n" : ",\n");
		if ((e = put_field(t, one)) != OK)
			return e;
	}
	put_word(t, json_first(fields) != NULL ? "\n  ],\n  \"tags\": [" : "],\n  \"tags\": [");
	for (one = json_first(tags); one != NULL; one = json_next(one)) {
		if (!json_as_string(one, &tag))
			return ERR_STORAGE_CORRUPT;
		put_word(t, one == json_first(tags) ? "" : ", ");
		put_json(t, tag);
	}
	put_word(t, "]\n}\n");
	return OK;
}

/* Layout adds 60 bytes a field, whose own JSON is no shorter; escapes are those of the content. */
static size_t
room_for(const char *note, struct span content)
{
	return 1024 + 3 * strlen(note) + 2 * content.len;
}

enum err
draft_text_of(enum kind kind, const char *note, struct span content, struct secret **out)
{
	struct secret *s = NULL;
	struct json *root = NULL;
	struct text t = { 0 };
	enum err e;

	if ((e = json_parse(content, &root)) != OK)
		return e == ERR_INVALID_CONTENT ? ERR_STORAGE_CORRUPT : e;
	t.cap = room_for(note, content);
	if ((e = secret_new(t.cap, &s)) == OK) {
		t.p = secret_bytes(s);
		put_note(&t, note);
		e = kind == KIND_CARD ? put_card(&t, root) : put_memory(&t, root);
		if (e == OK && t.failed)
			e = ERR_TOO_LARGE;
	}
	json_free(&root);
	if (e != OK) {
		secret_free(&s);
		return e;
	}
	secret_cut(s, t.len);
	*out = s;
	return OK;
}

static struct span
trimmed(struct span s)
{
	while (s.len > 0 && is_blank(s.p[s.len - 1]))
		s.len--;
	while (s.len > 0 && is_blank(s.p[0])) {
		s.p++;
		s.len--;
	}
	return s;
}

/* The next line without its newline, cut off from what is left. */
static struct span
next_line(struct span *left)
{
	const uint8_t *newline = left->len > 0 ? memchr(left->p, '\n', left->len) : NULL;
	struct span line = { left->p, newline != NULL ? (size_t)(newline - left->p) : left->len };
	size_t taken = line.len + (newline != NULL);

	if (taken > 0)
		left->p += taken;
	left->len -= taken;
	return line;
}

struct span
draft_text_card(struct span text)
{
	while (text.len > 0 && text.p[0] == '#')
		(void)next_line(&text);
	return text;
}

enum err
draft_text_remark(struct span text, const char *line, struct secret **out)
{
	struct secret *s = NULL;
	struct text t = { 0 };
	enum err e;

	if (text.len > 0 && text.p[0] == '#')
		(void)next_line(&text);
	t.cap = strlen(line) + 3 + text.len;
	if ((e = secret_new(t.cap, &s)) != OK)
		return e;
	t.p = secret_bytes(s);
	put_word(&t, "# ");
	put_word(&t, line);
	put_word(&t, "\n");
	put(&t, text.p, text.len);
	*out = s;
	return OK;
}

static enum err
take_value(struct draft *d, struct span value, struct span *out)
{
	struct json *quoted = NULL;
	enum err e;

	if (value.len == 0 || value.p[0] != '"') {
		*out = value;
		return OK;
	}
	if ((e = json_parse(value, &quoted)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_INVALID_CONTENT;
	/* Kept even when it is no string: draft_free frees it. */
	d->quoted[d->n_quoted++] = quoted;
	return json_as_string(quoted, out) ? OK : ERR_INVALID_CONTENT;
}

static bool
starts_with(struct span line, const char *name, struct span *value)
{
	size_t len = strlen(name);

	if (line.len < len || memcmp(line.p, name, len) != 0)
		return false;
	*value = trimmed((struct span){ line.p + len, line.len - len });
	return true;
}

/* *wrong: what is not as it should be, for people. */
static enum err
take_header_line(struct draft *d, struct span line, bool *has_title, const char **wrong)
{
	struct span value, *into;
	size_t max = 1024;
	enum err e;

	*wrong = "a line above the first empty line is `title: …`, `tag: …`, or starts with #";
	if (starts_with(line, "title:", &value)) {
		if (*has_title) {
			*wrong = "there is a title already";
			return ERR_INVALID_CONTENT;
		}
		*has_title = true;
		into = &d->labels.title;
	} else if (starts_with(line, "tag:", &value)) {
		if (d->labels.n_tags == CONTENT_TAGS_MAX) {
			*wrong = "there are too many tags";
			return ERR_INVALID_CONTENT;
		}
		max = CONTENT_TAG_MAX;
		into = &d->labels.tags[d->labels.n_tags++];
	} else {
		return ERR_INVALID_CONTENT;
	}
	*wrong = "a value that starts with a quote is a JSON string";
	if ((e = take_value(d, value, into)) != OK)
		return e;
	*wrong = "a title is at most 1024 bytes of UTF-8; a tag at most 128, and not empty";
	if (!content_text_valid(*into, max) || (into != &d->labels.title && into->len == 0))
		return ERR_INVALID_CONTENT;
	return OK;
}

static enum err
take_header(struct draft *d, struct span *left, char reason[DRAFT_REASON_MAX])
{
	const char *wrong = "";
	bool has_title = false;
	enum err e;

	for (unsigned n = 1; left->len > 0; n++) {
		struct span line = next_line(left);

		if (trimmed(line).len == 0)
			return OK;
		if (line.p[0] == '#')
			continue;
		if ((e = take_header_line(d, line, &has_title, &wrong)) != OK) {
			if (e == ERR_INVALID_CONTENT)
				snprintf(reason, DRAFT_REASON_MAX, "line %u: %s", n, wrong);
			return e;
		}
	}
	return OK;
}

enum err
draft_text_take(struct span text, struct draft *out, char reason[DRAFT_REASON_MAX])
{
	struct draft d = { .n_quoted = 0 };
	enum err e;

	if ((e = take_header(&d, &text, reason)) != OK) {
		draft_free(&d);
		return e;
	}
	if (text.len > 0 && text.p[text.len - 1] == '\n')
		text.len--;
	if (!content_text_valid(text, text.len)) {
		snprintf(reason, DRAFT_REASON_MAX, "the body is not UTF-8, or holds a NUL");
		draft_free(&d);
		return ERR_INVALID_CONTENT;
	}
	d.body = text;
	*out = d;
	return OK;
}

void
draft_free(struct draft *d)
{
	for (size_t i = 0; i < d->n_quoted; i++)
		json_free(&d->quoted[i]);
	*d = (struct draft){ .n_quoted = 0 };
}
