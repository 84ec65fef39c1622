/* asset show. */
#include <string.h>
#include <unistd.h>

#include "gateway/json.h"
#include "tools/command/command.h"
#include "tools/command/progress.h"

#define READ_MAX 65536u

/* What one revision is, before any of its content is asked for. */
struct shown {
	struct client_answer *details; /* title, then meta */
	struct client_want    want;    /* for its bytes, pinned to the revision */
	uint64_t              total;
};

static enum err
find_shown(struct invocation *in, struct client *c, struct shown *s)
{
	struct client_want want = { .op = OP_DETAILS, .surface = SURFACE_OWNER, .limit = 1 };
	const struct revision_row *row;
	bool given;
	enum err e;

	if ((e = positional_id(in, 1, "ASSET", &want.asset)) != OK ||
	    (e = option_id(in, "--revision", &want.revision, &given)) != OK ||
	    (e = owner_vault(in, c, in->positionals[0], &want.vault)) != OK ||
	    (e = owner_ask(in, c, &want, &s->details)) != OK)
		return e;
	if (s->details->n_items != 2)
		return ERR_STORAGE_CORRUPT;
	row = &s->details->items[0].row;
	s->total = row->bytes;
	s->want = want;
	s->want.op = row->kind == KIND_CREDENTIAL ? OP_CREDENTIAL_BYTES : OP_READ;
	s->want.revision = row->revision;
	s->want.limit = READ_MAX;
	return OK;
}

/* Each range as it comes: a file of any size passes through in constant memory. */
static enum err
stream_bytes(struct invocation *in, struct client *c, struct shown *s)
{
	struct progress p = progress_start(s->details->items[0].row.kind == KIND_FILE, s->total);
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
	(void)in;
	return e;
}

/* Memories, cards and credentials are small enough to be held. */
static enum err
whole(struct client *c, struct shown *s, struct secret **out)
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

static void
write_content(struct json_writer *w, enum kind kind, const struct secret *content)
{
	switch (kind) {
	case KIND_MEMORY:
	case KIND_CARD:
		json_write_key(w, "content");
		json_write_raw(w, secret_span(content));
		break;
	case KIND_CREDENTIAL:
		json_member_string(w, "secret", secret_span(content));
		break;
	case KIND_FILE:
		break;
	}
}

static enum err
print_shown_json(struct client *c, struct shown *s)
{
	const struct client_item *title = &s->details->items[0], *meta = &s->details->items[1];
	struct secret *content = NULL;
	struct json_writer w = { 0 };
	enum err e;

	/* A file's bytes are for stdout or for nobody: they may be larger than any JSON. */
	if (title->row.kind != KIND_FILE && (e = whole(c, s, &content)) != OK)
		return e;
	json_write_object(&w);
	json_member_id(&w, "vault", title->row.vault);
	json_member_id(&w, "asset", title->row.asset);
	json_member_id(&w, "revision", title->row.revision);
	json_member_text(&w, "kind", kind_name(title->row.kind));
	json_member_bool(&w, "private", title->row.key_class == CLASS_PRIVATE);
	json_member_string(&w, "title", secret_span(title->plain));
	json_member_u64(&w, "bytes", title->row.bytes);
	json_write_key(&w, "meta");
	json_write_raw(&w, secret_span(meta->plain));
	if (content != NULL)
		write_content(&w, title->row.kind, content);
	json_write_end(&w);
	secret_free(&content);
	return print_json(&w);
}

/* A memory's body or a card's fields, for people. */
static enum err
print_content_text(struct client *c, struct shown *s)
{
	const struct json *fields = NULL;
	struct secret *content = NULL;
	struct json *root = NULL;
	struct span text, name;
	enum err e;

	if ((e = whole(c, s, &content)) != OK)
		return e;
	if ((e = json_parse(secret_span(content), &root)) == OK) {
		if (json_string(root, "body", &text) == JSON_GOT && (e = print_bytes(text)) == OK &&
		    (text.len == 0 || text.p[text.len - 1] != '\n'))
			print_line("\n");
		if (json_array(root, "fields", &fields) == JSON_GOT)
			for (const struct json *f = json_first(fields); f != NULL; f = json_next(f)) {
				if (json_string(f, "name", &name) == JSON_GOT)
					print_safe(name);
				print_line(": ");
				if (json_string(f, "value", &text) == JSON_GOT)
					print_safe(text);
				print_line("\n");
			}
	}
	json_free(&root);
	secret_free(&content);
	return e;
}

enum err
run_asset_show(struct invocation *in)
{
	struct shown s = { .details = NULL };
	struct client *c = NULL;
	enum kind kind;
	enum err e;

	if ((e = owner_open(in, &c)) == OK && (e = find_shown(in, c, &s)) == OK) {
		kind = s.details->items[0].row.kind;
		if (in->json)
			e = print_shown_json(c, &s);
		else if (kind == KIND_MEMORY || kind == KIND_CARD)
			e = print_content_text(c, &s);
		else
			e = stream_bytes(in, c, &s);
		if (e == OK && !in->json && kind == KIND_CREDENTIAL && isatty(STDOUT_FILENO))
			print_line("\n");
	}
	client_answer_free(&s.details);
	client_close(&c);
	return e;
}
