/* asset show: an asset's content, or one value of it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command/progress.h"
#include "tools/command/show.h"

enum err
show_find(struct invocation *in, struct client *c, struct uuid revision, struct shown *out)
{
	struct shown s = { .meta = NULL };
	struct uuid vault, asset;
	enum err e;

	if ((e = positional_id(in, 1, "ASSET", &asset)) != OK ||
	    (e = owner_vault(in, c, in->positionals[0], &vault)) != OK ||
	    (e = revision_find(in, c, vault, asset, revision, &s.revision)) != OK)
		return e;
	if (s.revision.meta == NULL) {
		show_free(&s);
		return ERR_SUDO_REQUIRED;
	}
	*out = s;
	return OK;
}

void
show_free(struct shown *s)
{
	json_free(&s->meta);
	revision_free(&s->revision);
}

enum err
show_meta(struct shown *s, const struct json **out)
{
	enum err e;

	if (s->meta == NULL && (e = json_parse(secret_span(s->revision.meta->plain), &s->meta)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_STORAGE_CORRUPT;
	if (json_type(s->meta) != JSON_OBJECT)
		return ERR_STORAGE_CORRUPT;
	*out = s->meta;
	return OK;
}

/* Each range as it comes: a file of any size passes through in constant memory. */
static enum err
stream_file(struct client *c, const struct revision *r)
{
	struct progress p = progress_start(true, r->row.bytes);
	struct client_want want = revision_want(r);
	struct client_bytes b = { .data = NULL };
	enum err e = OK;

	for (bool at_end = false; !at_end && e == OK; client_bytes_free(&b)) {
		if ((e = client_read(c, &want, &b)) != OK)
			break;
		if (b.data != NULL) {
			e = print_bytes(secret_span(b.data));
			want.offset += secret_len(b.data);
		}
		at_end = b.at_end;
		progress_at(&p, want.offset);
	}
	progress_end(&p);
	return e;
}

static bool
wants_resolved(const struct invocation *in)
{
	return option_given(in, "--resolve");
}

enum err
show_content(struct invocation *in, struct client *c, struct shown *s, struct secret **out)
{
	struct secret *content = NULL;
	enum err e = revision_content(c, &s->revision, &content);

	if (e == OK && wants_resolved(in))
		e = show_resolve(in, c, &content);
	if (e != OK)
		secret_free(&content);
	else
		*out = content;
	return e;
}

static enum err
write_content(struct json_writer *w, struct shown *s, const struct secret *content)
{
	switch (s->revision.row.kind) {
	case KIND_MEMORY:
	case KIND_CARD:
		json_write_key(w, "content");
		json_write_raw(w, secret_span(content));
		break;
	case KIND_CREDENTIAL:
		json_member_string(w, "secret", secret_span(content));
		return show_credential_otp(s, w);
	case KIND_FILE:
		break;
	}
	return OK;
}

static void
write_row(struct json_writer *w, const struct shown *s)
{
	const struct revision_row *row = &s->revision.row;

	json_member_id(w, "vault", row->vault);
	json_member_id(w, "asset", row->asset);
	json_member_id(w, "revision", row->revision);
	json_member_text(w, "kind", kind_name(row->kind));
	json_member_bool(w, "private", row->key_class == CLASS_PRIVATE);
	json_member_string(w, "title", secret_span(s->revision.title->plain));
	json_member_u64(w, "bytes", row->bytes);
}

/* A tombstone has neither title, details nor content. */
static enum err
show_tombstone(struct invocation *in, const struct shown *s)
{
	struct json_writer w = { 0 };

	if (option_given(in, "--field")) {
		explain(in, "that revision is its tombstone, which has no fields");
		return ERR_ASSET_DELETED;
	}
	if (!in->json) {
		fprintf(stderr, "this revision deleted the asset; it has no content\n");
		return OK;
	}
	json_write_object(&w);
	write_row(&w, s);
	json_member_bool(&w, "deleted", true);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
print_json_of(struct invocation *in, struct client *c, struct shown *s)
{
	struct secret *content = NULL;
	struct json_writer w = { 0 };
	enum err e = OK;

	/* A file's bytes are for stdout or for nobody: they may be larger than any JSON. */
	if (s->revision.row.kind != KIND_FILE && (e = show_content(in, c, s, &content)) != OK)
		return e;
	json_write_object(&w);
	write_row(&w, s);
	json_write_key(&w, "meta");
	json_write_raw(&w, secret_span(s->revision.meta->plain));
	if (content != NULL)
		e = write_content(&w, s, content);
	json_write_end(&w);
	secret_free(&content);
	if (e == OK)
		return print_json(&w);
	json_write_free(&w);
	return e;
}

static void
print_fields(const struct json *fields)
{
	struct span name, value;

	for (const struct json *f = json_first(fields); f != NULL; f = json_next(f)) {
		if (json_string(f, "name", &name) == JSON_GOT)
			print_safe(name);
		print_line(": ");
		if (json_string(f, "value", &value) == JSON_GOT)
			print_safe(value);
		print_line("\n");
	}
}

/* As it is, but that a terminal gets nothing that it would obey: an assistant may have written it. */
static enum err
print_body(struct span text)
{
	enum err e = OK;

	if (isatty(STDOUT_FILENO))
		show_lines(text, "");
	else
		e = print_bytes(text);
	if (e == OK && (text.len == 0 || text.p[text.len - 1] != '\n'))
		e = print_line("\n");
	return e;
}

/* A memory's body or a card's fields, for people. */
static enum err
print_content_text(struct invocation *in, struct client *c, struct shown *s)
{
	const struct json *fields = NULL;
	struct secret *content = NULL;
	struct json *root = NULL;
	struct span text;
	enum err e;

	if ((e = show_content(in, c, s, &content)) != OK)
		return e;
	if ((e = json_parse(secret_span(content), &root)) == OK) {
		if (json_string(root, "body", &text) == JSON_GOT)
			e = print_body(text);
		if (json_array(root, "fields", &fields) == JSON_GOT)
			print_fields(fields);
	}
	json_free(&root);
	secret_free(&content);
	return e;
}

static enum err
show(struct invocation *in, struct client *c, struct shown *s)
{
	bool text = s->revision.row.kind == KIND_MEMORY || s->revision.row.kind == KIND_CARD;

	if (wants_resolved(in) && !text)
		return invalid(in, "--resolve is for memories and cards");
	if (s->revision.row.deleted)
		return show_tombstone(in, s);
	if (option_given(in, "--field"))
		return show_field(in, c, s, option_value(in, "--field"));
	if (in->json)
		return print_json_of(in, c, s);
	if (text)
		return print_content_text(in, c, s);
	return s->revision.row.kind == KIND_CREDENTIAL ? show_credential_text(c, s) : stream_file(c, &s->revision);
}

enum err
run_asset_show(struct invocation *in)
{
	struct shown s = { .meta = NULL };
	struct uuid revision = { { 0 } };
	struct client *c = NULL;
	bool given;
	enum err e;

	if ((e = option_id(in, "--revision", &revision, &given)) == OK && (e = owner_open(in, &c)) == OK &&
	    (e = show_find(in, c, revision, &s)) == OK)
		e = show(in, c, &s);
	show_free(&s);
	client_close(&c);
	return e;
}
