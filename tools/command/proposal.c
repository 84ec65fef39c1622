/* proposal list, show, confirm, edit, dismiss: the owner's word on what an assistant proposes. */
#include <string.h>

#include "escrow/terminal.h"
#include "gateway/answer.h"
#include "gateway/content.h"
#include "gateway/writer.h"
#include "tools/command/page.h"
#include "tools/command/proposal.h"

/* One page of a list. */
struct list {
	const struct invocation *in;
	struct json_writer       w;
	uint64_t                 offset, at;
	uint32_t                 limit, n;
	bool                     more;
};

static void
write_row(struct json_writer *w, const struct client_item *title, struct span reason)
{
	const struct revision_row *r = &title->row;
	enum proposed what = proposal_what(r);

	json_write_object(w);
	json_member_id(w, "proposal", r->revision);
	json_member_text(w, "op", proposal_word(what));
	json_member_id(w, "vault", r->vault);
	json_write_key(w, "asset");
	if (what == PROPOSED_ADD)
		json_write_null(w);
	else
		json_write_id(w, r->asset);
	json_member_text(w, "kind", kind_name(r->kind));
	json_member_string(w, "title", secret_span(title->plain));
	json_member_string(w, "reason", reason);
	json_write_key(w, "grant");
	if (title->n_heads > 0)
		json_write_id(w, title->heads[0]);
	else
		json_write_null(w);
	json_member_time(w, "created_at", proposal_time(r));
	json_member_u64(w, "bytes", r->bytes);
	json_write_end(w);
}

static void
print_row(const struct client_item *title)
{
	char id[UUID_TEXT_LEN + 1], asset[UUID_TEXT_LEN + 1] = "", time[CLOCK_TEXT_LEN + 1];
	enum proposed what = proposal_what(&title->row);

	uuid_text(title->row.revision, id);
	clock_text(proposal_time(&title->row), time);
	if (what != PROPOSED_ADD)
		uuid_text(title->row.asset, asset);
	print_line("%s  %s  %-6s  %-6s  ", id, time, proposal_word(what), kind_name(title->row.kind));
	print_safe(secret_span(title->plain));
	print_line("%s%s\n", asset[0] != '\0' && secret_len(title->plain) > 0 ? "  " : "", asset);
}

static bool
take_row(void *arg, const struct client_item *title, const struct client_item *meta)
{
	struct list *l = arg;
	struct json *parsed = NULL;

	if (l->at++ < l->offset)
		return true;
	if (l->n == l->limit) {
		l->more = true;
		return false;
	}
	l->n++;
	if (l->in->json)
		write_row(&l->w, title, proposal_reason(meta, &parsed));
	else
		print_row(title);
	json_free(&parsed);
	return true;
}

static enum err
list(struct invocation *in, struct client *c, struct list *l)
{
	const char *name = option_value(in, "--vault");
	struct uuid vault;
	enum err e;

	if (name != NULL && (e = owner_vault(in, c, name, &vault)) != OK)
		return e;
	return proposal_walk(in, c, name != NULL ? &vault : NULL, take_row, l);
}

enum err
run_proposal_list(struct invocation *in)
{
	struct list l = { .in = in };
	struct client *c = NULL;
	enum err e;

	if ((e = page_options_take(in, &l.offset, &l.limit)) != OK)
		return e;
	json_write_object(&l.w);
	json_write_key(&l.w, "proposals");
	json_write_array(&l.w);
	if ((e = owner_open(in, &c)) == OK)
		e = list(in, c, &l);
	client_close(&c);
	json_write_end(&l.w);
	page_json_end(&l.w, l.offset, l.n, l.more);
	if (e == OK && in->json)
		return print_json(&l.w);
	json_write_free(&l.w);
	return e;
}

/* To stdout; to the terminal where stdout takes one JSON value. */
static enum err
show(const struct invocation *in, const struct proposal_held *p)
{
	struct shown text = { .p = NULL };
	enum err e;

	if ((e = proposal_show(p, &text)) == OK)
		e = in->json ? shown_on_terminal(&text) : shown_print(&text);
	shown_free(&text);
	return e;
}

enum err
run_proposal_show(struct invocation *in)
{
	struct proposal_held p = { .is_there = false };
	struct client *c = NULL;
	struct uuid id;
	enum err e;

	if ((e = positional_id(in, 0, "PROPOSAL", &id)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK && (e = proposal_read(in, c, id, &p)) == OK)
		e = in->json ? proposal_show_json(&p) : show(in, &p);
	client_close(&c);
	proposal_free(&p);
	return e;
}

/* The title in a Content JSON; it points into *root, which is new. */
static enum err
title_of(const struct secret *content, struct json **root, struct span *out)
{
	enum err e = json_parse(secret_span(content), root);

	if (e != OK)
		return e;
	return json_string(*root, "title", out) == JSON_GOT ? OK : ERR_INVALID_CONTENT;
}

/* The owner's own revision, on what was shown; the proposal ends with it. */
static enum err
publish(struct client *c, const struct proposal_held *p, struct uuid *asset, struct uuid *revision)
{
	struct writer_want want = { .vault = p->row.vault, .kind = p->row.kind, .deleted = p->row.deleted,
		.mode = PUBLISH_ON_HEADS, .proposal = p->row.revision };
	struct json_writer meta = { 0 };
	struct json *root = NULL;
	struct span title = { NULL, 0 }, meta_text = { NULL, 0 };
	struct writer *w = NULL;
	enum err e = OK;

	if (p->is_there) {
		want.asset = p->row.asset;
		want.asset_created = p->old.row.asset_created;
		want.n_parents = p->heads.n;
		for (size_t i = 0; i < p->heads.n; i++)
			want.parents[i] = p->heads.rows[i].revision;
	}
	if (p->content != NULL && (e = title_of(p->content, &root, &title)) == OK &&
	    (e = content_meta_of(secret_span(p->content), &meta)) == OK)
		e = json_write_done(&meta, &meta_text);
	if (e == OK && (e = writer_open(c, &want, &w)) == OK &&
	    (p->content == NULL || (e = writer_add(w, secret_view(p->content), secret_len(p->content))) == OK))
		e = writer_publish(w, title, meta_text, asset, revision);
	writer_close(&w);
	json_write_free(&meta);
	json_free(&root);
	return e;
}

static enum err
stale(struct invocation *in, const char *what_to_do)
{
	explain(in, what_to_do);
	return ERR_STALE_BASE;
}

static enum err
ask_for_word(struct invocation *in, const struct proposal_held *p)
{
	char line[TERMINAL_LINE_MAX + 1];
	enum err e;

	if (!p->is_there && proposal_what(&p->row) != PROPOSED_ADD)
		return stale(in, "the asset is deleted; dismiss the proposal, or restore the asset first");
	if (option_given(in, "--yes"))
		return !proposal_is_stale(p) ? OK
		    : stale(in, "the asset changed since this was proposed; without --yes you are shown how, and asked");
	if ((e = terminal_line("Confirm? [y/N] ", line)) != OK)
		return e;
	return strcmp(line, "y") == 0 || strcmp(line, "Y") == 0 || strcmp(line, "yes") == 0 ? OK : ERR_NOT_CONFIRMED;
}

static enum err
print_confirmed(const struct invocation *in, const struct proposal_held *p, struct uuid asset, struct uuid revision)
{
	struct json_writer w = { 0 };
	char a[UUID_TEXT_LEN + 1], r[UUID_TEXT_LEN + 1];

	if (!in->json) {
		uuid_text(asset, a);
		uuid_text(revision, r);
		return print_line("asset %s\nrevision %s\n", a, r);
	}
	json_write_object(&w);
	json_member_id(&w, "proposal", p->row.revision);
	json_member_id(&w, "vault", p->row.vault);
	json_member_id(&w, "asset", asset);
	json_member_id(&w, "revision", revision);
	json_write_end(&w);
	return print_json(&w);
}

/* With --json and --yes nobody is asked, so nothing is shown. */
static enum err
decide(struct invocation *in, struct client *c, struct proposal_held *p)
{
	struct uuid asset, revision;
	enum err e;

	if ((!in->json || !option_given(in, "--yes")) && (e = show(in, p)) != OK)
		return e;
	if ((e = ask_for_word(in, p)) != OK)
		return e;
	if ((e = publish(c, p, &asset, &revision)) != OK) {
		if (e == ERR_STALE_BASE)
			return stale(in, "the asset changed while you looked; nothing was stored, look again");
		if (client_detail(c)[0] != '\0')
			explain(in, client_detail(c));
		return e;
	}
	return print_confirmed(in, p, asset, revision);
}

static enum err
confirm(struct invocation *in, bool edits)
{
	struct proposal_held p = { .is_there = false };
	struct client *c = NULL;
	struct uuid id;
	enum err e;

	if ((e = positional_id(in, 0, "PROPOSAL", &id)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK && (e = proposal_read(in, c, id, &p)) == OK && edits &&
	    (e = proposal_edit(in, &p)) == OK) {
		/* The editor may have been open for hours. */
		client_close(&c);
		e = owner_open(in, &c);
	}
	if (e == OK)
		e = decide(in, c, &p);
	client_close(&c);
	proposal_free(&p);
	return e;
}

enum err
run_proposal_confirm(struct invocation *in)
{
	return confirm(in, false);
}

enum err
run_proposal_edit(struct invocation *in)
{
	return confirm(in, true);
}

enum err
run_proposal_dismiss(struct invocation *in)
{
	struct owner_id_ask_body ask = { .id = { { 0 } } };
	struct json_writer w = { 0 };
	struct client *c = NULL;
	union any_body answer;
	enum err e;

	if ((e = positional_id(in, 0, "PROPOSAL", &ask.id)) != OK)
		return e;
	if ((e = owner_open(in, &c)) == OK)
		e = owner_call(in, c, MSG_PROPOSAL_DROP_ASK, &ask, MSG_DONE, &answer);
	client_close(&c);
	if (e != OK || !in->json)
		return e;
	json_write_object(&w);
	json_member_id(&w, "proposal", ask.id);
	json_write_end(&w);
	return print_json(&w);
}
