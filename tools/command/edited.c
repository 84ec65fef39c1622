#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/edited.h"

static struct span
text_span(const char *s)
{
	return (struct span){ (const uint8_t *)s, s != NULL ? strlen(s) : 0 };
}

bool
edited_has_labels(const struct invocation *in)
{
	return option_given(in, "--title") || option_given(in, "--tag") || option_given(in, "--media-type") ||
	    credential_has_options(in);
}

void
edited_free(struct edited *ed)
{
	secret_free(&ed->raw);
	credential_free(&ed->fields);
	json_free(&ed->old);
	draft_free(&ed->draft);
	secret_free(&ed->card_title);
	json_write_free(&ed->content);
	json_write_free(&ed->meta);
	*ed = (struct edited){ .raw = NULL };
}

static enum err
take_old_tags(const struct json *from, struct content_labels *l)
{
	const struct json *tags;

	l->n_tags = 0;
	if (json_array(from, "tags", &tags) != JSON_GOT)
		return OK;
	for (const struct json *t = json_first(tags); t != NULL; t = json_next(t))
		if (l->n_tags == CONTENT_TAGS_MAX || !json_as_string(t, &l->tags[l->n_tags++]))
			return ERR_STORAGE_CORRUPT;
	return OK;
}

/* The tags that are given; one that is empty says that there shall be none. *given: false without any. */
static enum err
take_given_tags(struct invocation *in, struct content_labels *l, bool *given)
{
	const char *tag = option_value(in, "--tag");

	*given = tag != NULL;
	l->n_tags = 0;
	if (tag != NULL && tag[0] == '\0' && option_nth(in, "--tag", 1) == NULL)
		return OK;
	for (size_t i = 0; (tag = option_nth(in, "--tag", i)) != NULL; i++) {
		if (i == CONTENT_TAGS_MAX)
			return invalid(in, "too many tags");
		l->tags[l->n_tags++] = text_span(tag);
	}
	return OK;
}

static enum err
parse_stored(struct span text, struct json **out)
{
	enum err e = json_parse(text, out);

	return e == ERR_INVALID_CONTENT ? ERR_STORAGE_CORRUPT : e;
}

static enum err
meta_of_content(struct edited *ed)
{
	struct span content;
	enum err e = json_write_done(&ed->content, &content);

	return e == OK ? content_meta_of(content, &ed->meta) : e;
}

static enum err
make_memory(struct invocation *in, struct edited *ed, const struct edited_base *base, bool with_body)
{
	struct content_labels l = { .n_tags = 0 };
	struct span body = { NULL, 0 };
	bool tags_given;
	enum err e;

	if ((e = parse_stored(secret_span(base->content), &ed->old)) != OK)
		return e;
	if ((e = take_given_tags(in, &l, &tags_given)) != OK || (!tags_given && (e = take_old_tags(ed->old, &l)) != OK))
		return e;
	if (option_given(in, "--title"))
		l.title = text_span(option_value(in, "--title"));
	else if (json_string(ed->old, "title", &l.title) != JSON_GOT)
		return ERR_STORAGE_CORRUPT;
	if (with_body)
		body = secret_span(ed->raw);
	else if (json_string(ed->old, "body", &body) != JSON_GOT)
		return ERR_STORAGE_CORRUPT;
	ed->title = l.title;
	if ((e = content_memory(&l, body, &ed->content)) != OK)
		return e;
	return meta_of_content(ed);
}

static enum err
make_card(struct invocation *in, struct edited *ed, struct span text)
{
	struct content_labels l = { .title = text_span(option_value(in, "--title")) };
	bool tags_given;
	enum err e;

	if ((e = take_given_tags(in, &l, &tags_given)) != OK)
		return e;
	if (tags_given && l.n_tags == 0)
		return invalid(in, "a card loses its tags in its JSON only");
	if ((e = content_card(&l, text, &ed->content, &ed->card_title)) != OK)
		return e;
	ed->title = secret_span(ed->card_title);
	return meta_of_content(ed);
}

static void
write_labels(struct json_writer *w, const struct content_labels *l)
{
	json_write_key(w, "tags");
	json_write_array(w);
	for (size_t i = 0; i < l->n_tags; i++)
		json_write_string(w, l->tags[i]);
	json_write_end(w);
}

/* One member as it was, unless what is given replaces it. */
static enum err
copy_member(struct json_writer *w, const struct json *m, const char *name, struct span given)
{
	struct span value;

	if (strcmp(json_name(m), name) == 0 && given.len > 0)
		return OK;
	if (!json_as_string(m, &value))
		return ERR_STORAGE_CORRUPT;
	json_member_string(w, json_name(m), value);
	return OK;
}

/* The old meta, members that only others know included, with what is given in place of what was. */
static enum err
make_meta(struct invocation *in, struct edited *ed, const struct content_labels *given, bool tags_given)
{
	struct content_labels l = *given;
	enum err e;

	if (!tags_given && (e = take_old_tags(ed->old, &l)) != OK)
		return e;
	for (size_t i = 0; i < l.n_tags; i++)
		if (l.tags[i].len == 0 || !content_text_valid(l.tags[i], CONTENT_TAG_MAX))
			return invalid(in, "a tag is 1 to 128 bytes of UTF-8");
	json_write_object(&ed->meta);
	if (l.name.len > 0)
		json_member_string(&ed->meta, "name", l.name);
	if (l.media_type.len > 0)
		json_member_string(&ed->meta, "media_type", l.media_type);
	for (const struct json *m = json_first(ed->old); m != NULL; m = json_next(m)) {
		if (strcmp(json_name(m), "tags") == 0 || (strcmp(json_name(m), "name") == 0 && l.name.len > 0) ||
		    credential_replaces(&ed->fields, json_name(m)))
			continue;
		if ((e = copy_member(&ed->meta, m, "media_type", l.media_type)) != OK)
			return e;
	}
	credential_write(&ed->fields, &ed->meta);
	write_labels(&ed->meta, &l);
	json_write_end(&ed->meta);
	return credential_check_meta(in, &ed->meta);
}

/* Of a file or credential. name: that of the new content, "" for none. */
static enum err
make_labels(struct invocation *in, struct edited *ed, const struct edited_base *base, const char *name)
{
	struct content_labels l = { .name = text_span(name), .media_type = text_span(option_value(in, "--media-type")) };
	bool tags_given;
	enum err e;

	if (base->revision->meta == NULL)
		return ERR_SUDO_REQUIRED;
	if (option_given(in, "--media-type") && base->revision->row.kind != KIND_FILE)
		return invalid(in, "--media-type is for files");
	if ((e = take_given_tags(in, &l, &tags_given)) != OK ||
	    (e = parse_stored(secret_span(base->revision->meta->plain), &ed->old)) != OK)
		return e;
	ed->title = option_given(in, "--title") ? text_span(option_value(in, "--title"))
	    : secret_span(base->revision->title->plain);
	if (!content_text_valid(ed->title, TITLE_LEN_MAX) || !content_text_valid(l.name, 512) || !content_text_valid(l.media_type, 512))
		return ERR_INVALID_CONTENT;
	return make_meta(in, ed, &l, tags_given);
}

static enum err
make_from_source(struct invocation *in, const struct edited_base *base, const struct source *s, struct edited *ed)
{
	enum kind kind = base->revision->row.kind;
	enum err e;

	if ((e = credential_take(in, kind, s->fd == STDIN_FILENO, &ed->fields)) != OK)
		return e;
	switch (kind) {
	case KIND_FILE:
		return make_labels(in, ed, base, s->name);
	case KIND_CREDENTIAL:
		if ((e = credential_secret(in->positionals[2], s->fd, &ed->raw)) != OK)
			return e;
		return make_labels(in, ed, base, "");
	case KIND_MEMORY:
	case KIND_CARD:
		break;
	}
	if (option_given(in, "--media-type"))
		return invalid(in, "--media-type is for files");
	if ((e = source_read(s, SMALL_MAX, &ed->raw)) != OK)
		return e;
	return kind == KIND_MEMORY ? make_memory(in, ed, base, true) : make_card(in, ed, secret_span(ed->raw));
}

enum err
edited_from_source(struct invocation *in, const struct edited_base *base, const struct source *s, struct edited *out)
{
	struct edited ed = { .raw = NULL };
	enum err e = make_from_source(in, base, s, &ed);

	if (e != OK)
		edited_free(&ed);
	else
		*out = ed;
	return e;
}

enum err
edited_relabelled(struct invocation *in, const struct edited_base *base, struct edited *out)
{
	enum kind kind = base->revision->row.kind;
	struct edited ed = { .raw = NULL };
	enum err e;

	if ((e = credential_take(in, kind, false, &ed.fields)) != OK)
		return e;
	if (kind == KIND_FILE || kind == KIND_CREDENTIAL)
		e = make_labels(in, &ed, base, "");
	else if (option_given(in, "--media-type"))
		e = invalid(in, "--media-type is for files");
	else
		e = kind == KIND_MEMORY ? make_memory(in, &ed, base, false) : make_card(in, &ed, secret_span(base->content));
	if (e != OK)
		edited_free(&ed);
	else
		*out = ed;
	return e;
}

static enum err
make_from_draft(enum kind kind, struct span text, char reason[DRAFT_REASON_MAX], struct edited *ed)
{
	struct content_labels none = { .n_tags = 0 };
	enum err e;

	if (kind == KIND_CARD) {
		e = content_card(&none, draft_text_card(text), &ed->content, &ed->card_title);
		if (e == ERR_INVALID_CONTENT)
			snprintf(reason, DRAFT_REASON_MAX, "this is not a card: see `memories asset add --help`");
		if (e == OK)
			ed->title = secret_span(ed->card_title);
	} else if ((e = draft_text_take(text, &ed->draft, reason)) == OK) {
		ed->title = ed->draft.labels.title;
		e = content_memory(&ed->draft.labels, ed->draft.body, &ed->content);
	}
	return e == OK ? meta_of_content(ed) : e;
}

enum err
edited_from_draft(const struct edited_base *base, struct span text, char reason[DRAFT_REASON_MAX], struct edited *out)
{
	struct edited ed = { .raw = NULL };
	enum err e;

	reason[0] = '\0';
	if ((e = make_from_draft(base->revision->row.kind, text, reason, &ed)) != OK)
		edited_free(&ed);
	else
		*out = ed;
	return e;
}

bool
edited_is_same(const struct edited *ed, const struct edited_base *base)
{
	struct span now;

	if (base->content == NULL || json_write_done(&ed->content, &now) != OK)
		return false;
	return now.len == secret_len(base->content) && memcmp(now.p, secret_view(base->content), now.len) == 0;
}
