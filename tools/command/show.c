/* asset show: an asset's content, or one value of it. */
#include <string.h>
#include <unistd.h>

#include "tools/command/progress.h"
#include "tools/command/show.h"

#define READ_MAX 65536u

enum err
show_find(struct invocation *in, struct client *c, struct uuid revision, struct shown *out)
{
	struct client_want want = { .op = OP_DETAILS, .surface = SURFACE_OWNER, .limit = 1, .revision = revision };
	struct shown s = { .details = NULL };
	const struct revision_row *row;
	enum err e;

	if ((e = positional_id(in, 1, "ASSET", &want.asset)) != OK ||
	    (e = owner_vault(in, c, in->positionals[0], &want.vault)) != OK ||
	    (e = owner_ask(in, c, &want, &s.details)) != OK)
		return e;
	if (s.details->n_items != 2) {
		show_free(&s);
		return ERR_STORAGE_CORRUPT;
	}
	row = show_row(&s);
	s.total = row->bytes;
	s.want = want;
	s.want.op = row->kind == KIND_CREDENTIAL ? OP_CREDENTIAL_BYTES : OP_READ;
	s.want.revision = row->revision;
	s.want.limit = READ_MAX;
	*out = s;
	return OK;
}

void
show_free(struct shown *s)
{
	json_free(&s->meta);
	client_answer_free(&s->details);
}

const struct revision_row *
show_row(const struct shown *s)
{
	return &s->details->items[0].row;
}

const struct secret *
show_title(const struct shown *s)
{
	return s->details->items[0].plain;
}

enum err
show_meta(struct shown *s, const struct json **out)
{
	enum err e;

	if (s->meta == NULL && (e = json_parse(secret_span(s->details->items[1].plain), &s->meta)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_STORAGE_CORRUPT;
	if (json_type(s->meta) != JSON_OBJECT)
		return ERR_STORAGE_CORRUPT;
	*out = s->meta;
	return OK;
}

enum err
show_stream(struct client *c, struct shown *s)
{
	struct progress p = progress_start(show_row(s)->kind == KIND_FILE, s->total);
	struct client_bytes b = { .data = NULL };
	enum err e = OK;

	for (bool at_end = false; !at_end && e == OK; client_bytes_free(&b)) {
		if ((e = client_read(c, &s->want, &b)) != OK)
			break;
		if (b.data != NULL) {
			e = print_bytes(secret_span(b.data));
			s->want.offset += secret_len(b.data);
		}
		at_end = b.at_end;
		progress_at(&p, s->want.offset);
	}
	progress_end(&p);
	return e;
}

enum err
show_whole(struct client *c, struct shown *s, struct secret **out)
{
	struct client_bytes b = { .data = NULL };
	struct secret *all;
	enum err e;

	if ((e = secret_new((size_t)s->total, &all)) != OK)
		return e;
	for (bool at_end = false; !at_end && e == OK; client_bytes_free(&b)) {
		if ((e = client_read(c, &s->want, &b)) != OK)
			break;
		if (b.data != NULL) {
			if (secret_len(b.data) > s->total - s->want.offset) {
				e = ERR_STORAGE_CORRUPT;
				continue;
			}
			memcpy(secret_bytes(all) + s->want.offset, secret_view(b.data), secret_len(b.data));
			s->want.offset += secret_len(b.data);
		}
		at_end = b.at_end;
	}
	if (e != OK)
		secret_free(&all);
	else
		*out = all;
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
	enum err e = show_whole(c, s, &content);

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
	switch (show_row(s)->kind) {
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

static enum err
print_json_of(struct invocation *in, struct client *c, struct shown *s)
{
	const struct revision_row *row = show_row(s);
	struct secret *content = NULL;
	struct json_writer w = { 0 };
	enum err e = OK;

	/* A file's bytes are for stdout or for nobody: they may be larger than any JSON. */
	if (row->kind != KIND_FILE && (e = show_content(in, c, s, &content)) != OK)
		return e;
	json_write_object(&w);
	json_member_id(&w, "vault", row->vault);
	json_member_id(&w, "asset", row->asset);
	json_member_id(&w, "revision", row->revision);
	json_member_text(&w, "kind", kind_name(row->kind));
	json_member_bool(&w, "private", row->key_class == CLASS_PRIVATE);
	json_member_string(&w, "title", secret_span(show_title(s)));
	json_member_u64(&w, "bytes", row->bytes);
	json_write_key(&w, "meta");
	json_write_raw(&w, secret_span(s->details->items[1].plain));
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
		if (json_string(root, "body", &text) == JSON_GOT && (e = print_bytes(text)) == OK &&
		    (text.len == 0 || text.p[text.len - 1] != '\n'))
			print_line("\n");
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
	bool text = show_row(s)->kind == KIND_MEMORY || show_row(s)->kind == KIND_CARD;

	if (wants_resolved(in) && !text)
		return invalid(in, "--resolve is for memories and cards");
	if (option_given(in, "--field"))
		return show_field(in, c, s, option_value(in, "--field"));
	if (in->json)
		return print_json_of(in, c, s);
	if (text)
		return print_content_text(in, c, s);
	return show_row(s)->kind == KIND_CREDENTIAL ? show_credential_text(c, s) : show_stream(c, s);
}

enum err
run_asset_show(struct invocation *in)
{
	struct shown s = { .details = NULL };
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
