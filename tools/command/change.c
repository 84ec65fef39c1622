#include "tools/command/change.h"
#include "tools/command/progress.h"

void
change_stands_on(struct change *ch, const struct heads *heads)
{
	ch->mode = PUBLISH_ON_HEADS;
	ch->n_parents = heads->n;
	for (size_t i = 0; i < heads->n; i++)
		ch->parents[i] = heads->rows[i].revision;
}

/* Range by range: each is a recorded read. */
static enum err
copy_ranges(struct client *reader, const struct revision *r, struct writer *w)
{
	struct progress p = progress_start(r->row.kind == KIND_FILE, r->row.bytes);
	struct client_want want = revision_want(r);
	struct client_bytes b = { .data = NULL };
	enum err e = OK;

	for (bool at_end = false; !at_end && e == OK; client_bytes_free(&b)) {
		if ((e = client_read(reader, &want, &b)) != OK)
			break;
		at_end = b.at_end;
		if (b.data == NULL)
			continue;
		e = writer_add(w, secret_view(b.data), secret_len(b.data));
		want.offset += secret_len(b.data);
		progress_at(&p, want.offset);
	}
	progress_end(&p);
	return e;
}

/* The writer has chunks on their way on its own connection, whose answers no read may take. */
static enum err
copy_revision(struct invocation *in, const struct revision *r, struct writer *w)
{
	struct client *reader = NULL;
	enum err e;

	if ((e = owner_open(in, &reader)) == OK)
		e = copy_ranges(reader, r, w);
	client_close(&reader);
	return e;
}

static enum err
write_content(struct invocation *in, const struct change *ch, struct writer *w)
{
	if (ch->deleted)
		return OK;
	if (ch->copied != NULL)
		return copy_revision(in, ch->copied, w);
	if (ch->source != NULL)
		return source_copy(ch->source, w);
	return writer_add(w, ch->content.p, ch->content.len);
}

enum err
change_publish(struct invocation *in, struct client *c, const struct change *ch, struct uuid *revision)
{
	struct writer_want want = { .vault = ch->like->vault, .asset = ch->like->asset,
		.asset_created = ch->like->asset_created, .kind = ch->like->kind,
		.is_private = ch->like->key_class == CLASS_PRIVATE, .deleted = ch->deleted,
		.mode = ch->mode, .n_parents = ch->n_parents };
	struct writer *w = NULL;
	struct uuid asset;
	enum err e;

	for (size_t i = 0; i < ch->n_parents; i++)
		want.parents[i] = ch->parents[i];
	if ((e = writer_open(c, &want, &w)) == OK && (e = write_content(in, ch, w)) == OK)
		e = writer_publish(w, ch->title, ch->meta, &asset, revision);
	writer_close(&w);
	if (e != OK && client_detail(c)[0] != '\0')
		explain(in, client_detail(c));
	return e;
}

enum err
change_print(const struct invocation *in, struct uuid vault, struct uuid asset, struct uuid revision, struct uuid for_people)
{
	struct json_writer w = { 0 };
	char text[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(for_people, text);
		return print_line("%s\n", text);
	}
	json_write_object(&w);
	json_member_id(&w, "vault", vault);
	json_member_id(&w, "asset", asset);
	json_member_id(&w, "revision", revision);
	json_write_end(&w);
	return print_json(&w);
}
