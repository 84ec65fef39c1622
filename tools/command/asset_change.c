/* asset remove, restore, resolve: a revision that stands on every head. */
#include <stdio.h>

#include "tools/command/change.h"
#include "tools/command/edited.h"

/* What all three begin with. */
struct whole {
	struct invocation *in;
	struct client     *client; /* owned */
	struct uuid        vault, asset;
	struct heads       heads;
	struct revision    chosen; /* owned */
	struct uuid        made;
};

static enum err
begin(struct whole *w)
{
	enum err e;

	if ((e = positional_id(w->in, 1, "ASSET", &w->asset)) != OK ||
	    (e = owner_open(w->in, &w->client)) != OK ||
	    (e = owner_vault(w->in, w->client, w->in->positionals[0], &w->vault)) != OK ||
	    (e = revision_heads(w->in, w->client, w->vault, w->asset, &w->heads)) != OK)
		return e;
	return w->heads.n > 0 ? OK : ERR_QUARANTINED;
}

static enum err
end(struct whole *w, enum err e)
{
	revision_free(&w->chosen);
	client_close(&w->client);
	return e == OK ? change_print(w->in, w->vault, w->asset, w->made, w->made) : e;
}

/* The newest head that is no tombstone; NULL: the asset is deleted. */
static const struct revision_row *
newest_head(const struct heads *h)
{
	const struct revision_row *newest = NULL;

	for (size_t i = 0; i < h->n; i++)
		if (!h->rows[i].deleted && (newest == NULL || h->rows[i].created.ms >= newest->created.ms))
			newest = &h->rows[i];
	return newest;
}

static enum err
put_tombstone(struct whole *w, const struct revision_row *like)
{
	struct change ch = { .like = like, .deleted = true };

	change_stands_on(&ch, &w->heads);
	return change_publish(w->in, w->client, &ch, &w->made);
}

enum err
run_asset_remove(struct invocation *in)
{
	struct whole w = { .in = in };
	const struct revision_row *head;
	enum err e;

	if ((e = begin(&w)) == OK) {
		head = newest_head(&w.heads);
		e = head != NULL ? put_tombstone(&w, head) : ERR_ASSET_DELETED;
	}
	if (e == OK && !in->json)
		fprintf(stderr, "its past revisions stay: readable by name, and to be restored\n");
	return end(&w, e);
}

/* The chosen revision's content anew, in constant memory. */
static enum err
copy_chosen(struct whole *w)
{
	struct change ch = { .like = &w->chosen.row, .copied = &w->chosen };

	if (w->chosen.meta == NULL)
		return ERR_SUDO_REQUIRED;
	ch.title = secret_span(w->chosen.title->plain);
	ch.meta = secret_span(w->chosen.meta->plain);
	change_stands_on(&ch, &w->heads);
	return change_publish(w->in, w->client, &ch, &w->made);
}

enum err
run_asset_restore(struct invocation *in)
{
	struct whole w = { .in = in };
	struct uuid revision;
	enum err e;

	if ((e = positional_id(in, 2, "REVISION", &revision)) == OK && (e = begin(&w)) == OK &&
	    (e = revision_find(in, w.client, w.vault, w.asset, revision, &w.chosen)) == OK) {
		if (w.chosen.row.deleted)
			e = ERR_ASSET_DELETED;
		else if (w.heads.n == 1 && heads_have(&w.heads, revision))
			w.made = revision;
		else
			e = copy_chosen(&w);
	}
	if (e == OK && uuid_equal(w.made, revision))
		fprintf(stderr, "nothing was changed\n");
	return end(&w, e);
}

static enum err
merge_from(struct whole *w, const struct source *s)
{
	struct change ch = { .like = &w->chosen.row };
	struct edited_base base = { &w->chosen, NULL };
	struct edited ed = { .raw = NULL };
	struct secret *content = NULL;
	bool is_text = w->chosen.row.kind == KIND_MEMORY || w->chosen.row.kind == KIND_CARD;
	enum err e;

	if (is_text && (e = revision_content(w->client, &w->chosen, &content)) != OK)
		return e;
	base.content = content;
	if ((e = edited_from_source(w->in, &base, s, &ed)) == OK && (e = json_write_done(&ed.meta, &ch.meta)) == OK) {
		ch.title = ed.title;
		if (is_text)
			e = json_write_done(&ed.content, &ch.content);
		else if (ed.raw != NULL)
			ch.content = secret_span(ed.raw);
		else
			ch.source = s;
		change_stands_on(&ch, &w->heads);
		if (e == OK)
			e = change_publish(w->in, w->client, &ch, &w->made);
	}
	edited_free(&ed);
	secret_free(&content);
	return e;
}

/* Title and tags that are not given are those of the newest head. */
static enum err
resolve_from(struct whole *w, const char *path)
{
	const struct revision_row *head = newest_head(&w->heads);
	struct source s;
	enum err e;

	if (head == NULL)
		return ERR_ASSET_DELETED;
	if ((e = revision_find(w->in, w->client, w->vault, w->asset, head->revision, &w->chosen)) != OK ||
	    (e = source_open(w->in, path, &s)) != OK)
		return e;
	e = merge_from(w, &s);
	source_close(&s);
	return e;
}

static enum err
resolve_to(struct whole *w, struct uuid pick)
{
	enum err e;

	if (!heads_have(&w->heads, pick))
		return invalid(w->in, "--pick takes a head; `memories asset history` names them");
	if ((e = revision_find(w->in, w->client, w->vault, w->asset, pick, &w->chosen)) != OK)
		return e;
	return w->chosen.row.deleted ? put_tombstone(w, &w->chosen.row) : copy_chosen(w);
}

enum err
run_asset_resolve(struct invocation *in)
{
	struct whole w = { .in = in };
	struct uuid pick;
	bool picked;
	enum err e;

	if ((e = option_id(in, "--pick", &pick, &picked)) != OK)
		return e;
	if (picked == (in->n_positionals == 3) || (picked && edited_has_labels(in)))
		return invalid(in, "either --pick REVISION, or FILE or - with what is merged");
	if ((e = begin(&w)) == OK) {
		if (w.heads.n < 2)
			e = ERR_NO_CONFLICT;
		else
			e = picked ? resolve_to(&w, pick) : resolve_from(&w, in->positionals[2]);
	}
	return end(&w, e);
}
