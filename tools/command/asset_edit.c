/* asset edit: a further revision, from an editor, from a file, or of title and tags alone. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/command/change.h"
#include "tools/command/draft_file.h"
#include "tools/command/edit_session.h"

/* Where the new content comes from. */
enum way { WAY_EDITOR, WAY_FILE, WAY_DRAFT, WAY_LABELS };

static enum err
choose_way(struct invocation *in, enum way *way)
{
	bool file = in->n_positionals == 3, draft = option_given(in, "--draft"), labels = edited_has_labels(in);

	if (draft && (file || labels))
		return invalid(in, "--draft has title, tags and content in it");
	*way = file ? WAY_FILE : draft ? WAY_DRAFT : labels ? WAY_LABELS : WAY_EDITOR;
	return OK;
}

/* A base that is no head any more is edited beside the heads, if that is wanted. */
static enum err
check_base(struct edit *e, bool given)
{
	bool keep_both = option_given(e->in, "--keep-both");
	struct heads heads;
	enum err err;

	e->beside = keep_both;
	if (e->base.row.deleted)
		return ERR_ASSET_DELETED;
	if (!given)
		return OK;
	if ((err = revision_heads(e->in, e->client, e->vault, e->asset, &heads)) != OK)
		return err;
	if (!heads_have(&heads, e->base.row.revision))
		return keep_both ? OK : ERR_STALE_BASE;
	e->beside = keep_both || heads.n > 1;
	return OK;
}

static enum err
find_base(struct edit *e)
{
	struct uuid base = { { 0 } };
	bool given;
	enum err err;

	if ((err = positional_id(e->in, 1, "ASSET", &e->asset)) != OK ||
	    (err = option_id(e->in, "--base", &base, &given)) != OK ||
	    (err = owner_open(e->in, &e->client)) != OK ||
	    (err = owner_vault(e->in, e->client, e->in->positionals[0], &e->vault)) != OK ||
	    (err = revision_find(e->in, e->client, e->vault, e->asset, base, &e->base)) != OK ||
	    (err = check_base(e, given)) != OK)
		return err;
	if (e->base.row.kind == KIND_FILE || e->base.row.kind == KIND_CREDENTIAL)
		return OK;
	return revision_content(e->client, &e->base, &e->content);
}

static enum err
edit_from_source(struct edit *e)
{
	struct edited_base base = { &e->base, e->content };
	struct edited ed = { .raw = NULL };
	struct source s;
	enum err err;

	if ((err = source_open(e->in, e->in->positionals[2], &s)) != OK)
		return err;
	if ((err = edited_from_source(e->in, &base, &s, &ed)) == OK)
		err = edit_store(e, &ed, &s);
	edited_free(&ed);
	source_close(&s);
	return err;
}

static enum err
edit_labels(struct edit *e)
{
	struct edited_base base = { &e->base, e->content };
	struct edited ed = { .raw = NULL };
	enum err err = edited_relabelled(e->in, &base, &ed);

	if (err == OK)
		err = edit_store(e, &ed, NULL);
	edited_free(&ed);
	return err;
}

static enum err
store_draft(struct edit *e, const struct source *s)
{
	struct edited_base base = { &e->base, e->content };
	char reason[DRAFT_REASON_MAX];
	struct edited ed = { .raw = NULL };
	struct secret *text = NULL;
	enum err err;

	if ((err = source_read(s, 4 * SMALL_MAX, &text)) != OK)
		return err;
	if ((err = edited_from_draft(&base, secret_span(text), reason, &ed)) == OK)
		err = edit_store(e, &ed, NULL);
	else if (err == ERR_INVALID_CONTENT)
		explain(e->in, reason);
	edited_free(&ed);
	secret_free(&text);
	return err;
}

static enum err
edit_from_draft(struct edit *e)
{
	const char *given = option_value(e->in, "--draft");
	char *path = NULL;
	struct source s;
	enum err err;

	if (e->content == NULL)
		return ERR_WRONG_KIND;
	if ((err = given_path(e->in, given, &path)) != OK)
		return err;
	if ((err = source_open(e->in, path, &s)) == OK) {
		err = store_draft(e, &s);
		source_close(&s);
		if (err == OK)
			draft_left_wipe(path);
	}
	free(path);
	return err;
}

static enum err
edit_by(struct edit *e, enum way way)
{
	switch (way) {
	case WAY_FILE:
		return edit_from_source(e);
	case WAY_DRAFT:
		return edit_from_draft(e);
	case WAY_LABELS:
		return edit_labels(e);
	case WAY_EDITOR:
		break;
	}
	if (e->content == NULL)
		return invalid(e->in, "what a file or a credential holds comes from FILE or -");
	return edit_session_run(e);
}

enum err
run_asset_edit(struct invocation *in)
{
	struct edit e = { .in = in };
	enum way way;
	enum err err;

	if ((err = choose_way(in, &way)) == OK && (err = find_base(&e)) == OK && (err = edit_by(&e, way)) == OK) {
		if (e.same)
			fprintf(stderr, "nothing was changed\n");
		err = change_print(in, e.vault, e.asset, e.made, e.made);
	}
	revision_free(&e.base);
	secret_free(&e.content);
	client_close(&e.client);
	return err;
}
