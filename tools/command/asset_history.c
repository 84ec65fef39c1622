/* asset history: the revisions of an asset, and what each changed. */
#include <string.h>

#include "escrow/deposit.h"
#include "gateway/draft_text.h"
#include "gateway/unattended.h"
#include "tools/command/diff.h"
#include "tools/command/page.h"
#include "tools/command/revision.h"

/* The text of a revision, kept, for mostly it is the parent of the next one. */
struct texts {
	struct invocation *in;
	struct client     *client;
	struct uuid        kept;
	struct secret     *text; /* owned */
};

/* Nothing for no revision, and for a tombstone. Borrowed until the next call; *own for one that is not kept. */
static enum err
text_of(struct texts *t, struct uuid vault, struct uuid asset, struct uuid revision, bool keep, struct secret **own)
{
	struct revision r = { .meta = NULL };
	struct secret *content = NULL;
	enum err e;

	if (!uuid_is_zero(t->kept) && uuid_equal(t->kept, revision)) {
		*own = NULL;
		return OK;
	}
	if (uuid_is_zero(revision))
		return secret_new(0, own);
	if ((e = revision_find(t->in, t->client, vault, asset, revision, &r)) != OK)
		return e;
	if (r.row.deleted)
		e = secret_new(0, own);
	else if ((e = revision_content(t->client, &r, &content)) == OK)
		e = draft_text_of(r.row.kind, "", secret_span(content), own);
	secret_free(&content);
	revision_free(&r);
	if (e == OK && keep) {
		secret_free(&t->text);
		t->text = *own;
		t->kept = revision;
		*own = NULL;
	}
	return e;
}

static enum err
diff_against(struct texts *t, const struct revision_row *row, struct uuid parent, struct secret **out)
{
	static const struct uuid none;
	struct secret *old = NULL, *new = NULL;
	char old_label[UUID_TEXT_LEN + 1] = "/dev/null", new_label[UUID_TEXT_LEN + 1];
	struct span old_text;
	enum err e;

	if (!uuid_equal(parent, none))
		uuid_text(parent, old_label);
	uuid_text(row->revision, new_label);
	if ((e = text_of(t, row->vault, row->asset, parent, false, &old)) != OK)
		return e;
	if (old == NULL) {
		/* It is what is kept, which the other will replace. */
		old = t->text;
		t->text = NULL;
		t->kept = none;
	}
	old_text = secret_span(old);
	if ((e = text_of(t, row->vault, row->asset, row->revision, true, &new)) == OK)
		e = diff_texts((struct diff_side){ old_text, old_label }, (struct diff_side){ secret_span(t->text), new_label }, out);
	secret_free(&old);
	if (e == ERR_UNSUPPORTED)
		explain(t->in, "the program `diff`, which must be in PATH");
	return e;
}

/* Controls are shown, not obeyed; lines and tabs are what a diff is made of. */
static void
print_diff(struct span diff)
{
	while (diff.len > 0) {
		size_t len = 0;

		while (len < diff.len && diff.p[len] != '\n' && diff.p[len] != '\t')
			len++;
		print_safe((struct span){ diff.p, len });
		if (len < diff.len)
			print_bytes((struct span){ diff.p + len++, 1 });
		diff.p += len;
		diff.len -= len;
	}
}

static void
print_revision(const struct client_item *item)
{
	char revision[UUID_TEXT_LEN + 1], time[CLOCK_TEXT_LEN + 1];

	uuid_text(item->row.revision, revision);
	clock_text(item->row.created, time);
	print_line("%s  %s  %12llu%s%s%s%s\n", revision, time, (unsigned long long)item->row.bytes,
	    item->flags & ITEM_HEAD ? "  head" : "", item->row.deleted ? "  deleted" : "",
	    item->flags & ITEM_QUARANTINED ? "  quarantined" : "", item->row.n_parents > 1 ? "  merge" : "");
}

static enum err
give_diff(struct texts *t, const struct revision_row *row, struct uuid parent, struct json_writer *w)
{
	struct secret *diff = NULL;
	char text[UUID_TEXT_LEN + 1];
	enum err e;

	if ((e = diff_against(t, row, parent, &diff)) != OK)
		return e;
	uuid_text(parent, text);
	if (w != NULL) {
		json_write_object(w);
		json_member_id(w, "revision", row->revision);
		json_write_key(w, "parent");
		if (uuid_is_zero(parent))
			json_write_null(w);
		else
			json_write_id(w, parent);
		json_member_string(w, "diff", secret_span(diff));
		json_write_end(w);
	} else {
		if (row->n_parents > 1)
			print_line("against %s, one of its %u parents:\n", text, row->n_parents);
		if (secret_len(diff) == 0)
			print_line("the same%s%s\n", uuid_is_zero(parent) ? "" : " as ", uuid_is_zero(parent) ? "" : text);
		print_diff(secret_span(diff));
	}
	secret_free(&diff);
	return OK;
}

/* One against each of its parents; of the first revision, against nothing. */
static enum err
give_diffs(struct texts *t, const struct client_item *item, struct json_writer *w)
{
	static const struct uuid none;
	const struct revision_row *row = &item->row;
	enum err e = OK;

	if (item->flags & ITEM_QUARANTINED)
		return OK;
	if (row->n_parents == 0)
		return give_diff(t, row, none, w);
	for (size_t i = 0; i < row->n_parents && e == OK; i++)
		e = give_diff(t, row, row->parents[i], w);
	return e;
}

static enum err
print_json_page(struct texts *t, const struct client_want *want, const struct client_answer *a, bool with_diffs)
{
	struct json_writer w = { 0 };
	enum err e = OK;

	json_write_object(&w);
	json_member_id(&w, "vault", want->vault);
	json_member_id(&w, "asset", want->asset);
	json_write_key(&w, "revisions");
	json_write_array(&w);
	for (size_t i = 0; i < a->n_items; i++)
		write_revision_row(&w, &a->items[i]);
	json_write_end(&w);
	if (with_diffs) {
		json_write_key(&w, "diffs");
		json_write_array(&w);
		for (size_t i = 0; i < a->n_items && e == OK; i++)
			e = give_diffs(t, &a->items[i], &w);
		json_write_end(&w);
	}
	page_json_end(&w, want->offset, a->n_items, a->more);
	if (e == OK)
		return print_json(&w);
	json_write_free(&w);
	return e;
}

static enum err
print_text_page(struct texts *t, const struct client_answer *a, bool with_diffs)
{
	enum err e = OK;

	for (size_t i = 0; i < a->n_items && e == OK; i++) {
		print_revision(&a->items[i]);
		if (with_diffs && (e = give_diffs(t, &a->items[i], NULL)) == OK)
			print_line("\n");
	}
	return e;
}

static enum err
check_diff(const struct client_answer *a, bool with_diffs)
{
	if (!with_diffs || a->n_items == 0)
		return OK;
	return a->items[0].row.kind == KIND_MEMORY || a->items[0].row.kind == KIND_CARD ? OK : ERR_WRONG_KIND;
}

enum err
run_asset_history(struct invocation *in)
{
	struct client_want want = { .op = OP_HISTORY, .surface = SURFACE_OWNER };
	bool with_diffs = option_given(in, "--diff");
	struct texts t = { .in = in };
	struct client_answer *a = NULL;
	enum err e;

	if ((e = page_options_take(in, &want.offset, &want.limit)) != OK ||
	    (e = positional_id(in, 1, "ASSET", &want.asset)) != OK)
		return e;
	if ((e = owner_open(in, &t.client)) == OK && (e = owner_vault(in, t.client, in->positionals[0], &want.vault)) == OK &&
	    (e = owner_ask(in, t.client, &want, &a)) == OK && (e = check_diff(a, with_diffs)) == OK)
		e = in->json ? print_json_page(&t, &want, a, with_diffs) : print_text_page(&t, a, with_diffs);
	secret_free(&t.text);
	client_answer_free(&a);
	client_close(&t.client);
	return e;
}
