/* profile proposal list, show, confirm, edit, dismiss: the owner's word on what a connection proposes. */
#include <string.h>

#include "gateway/json_raw.h"
#include "tools/command/profile_proposal.h"

static const char edit_note[] =
    "What was proposed. Save and leave the editor to go on; you are asked before anything is stored.\n"
    "Lines with # up here are not kept.";

static void
print_row(const struct json *row)
{
	print_safe(profile_text(row, "id"));
	print_line("  ");
	print_safe(profile_text(row, "created_at"));
	print_line("  %-7.*s  ", (int)profile_text(row, "op").len, (const char *)profile_text(row, "op").p);
	print_safe(profile_text(row, "category"));
	print_line("  ");
	print_safe(profile_text(row, "label"));
	print_line("%s\n", profile_flag(row, "conflict") ? "  the fact was changed since" : "");
}

enum err
run_profile_proposal_list(struct invocation *in)
{
	struct profile_list p = { .rows = "proposals" };
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT32_MAX, 0, &p.offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, 100, 100, &p.limit)) != OK)
		return e;
	return profile_print_list(in, &p, print_row);
}

/* What one command does with one proposal. */
struct deciding {
	struct invocation    *in;
	struct uuid           id;
	struct profile_answer answer; /* owned; what row points into */
	const struct json    *row;
	char                  who[PROPOSER_MAX]; /* as the connection calls itself */
};

static enum err
find(struct deciding *d)
{
	struct client *c = NULL;
	enum err e;

	if ((e = positional_id(d->in, 0, "PROPOSAL", &d->id)) != OK)
		return e;
	if ((e = owner_open(d->in, &c)) == OK && (e = profile_find(d->in, c, "proposals", d->id, &d->answer, &d->row)) == OK)
		profile_proposal_who(d->in, c, d->row, d->who);
	if (e == ERR_NOT_FOUND)
		explain(d->in, "no proposal waits under that id");
	client_close(&c);
	return e;
}

/* To stdout; to the terminal where stdout takes one JSON value. */
static enum err
show(const struct deciding *d, const struct fact_form *f)
{
	struct shown text = { .p = NULL };
	enum err e;

	profile_proposal_show(d->row, d->who, f, &text);
	e = d->in->json ? shown_on_terminal(&text) : shown_print(&text);
	shown_free(&text);
	return e;
}

static enum err
show_json(const struct deciding *d)
{
	struct json_writer w = { 0 };
	struct span rows, raw;

	if (!json_raw_member(secret_span(d->answer.text), "proposals", &rows) || !json_raw_element(&rows, &raw))
		return ERR_PROTOCOL;
	profile_proposal_json(&w, raw, d->row, d->who);
	return print_json(&w);
}

enum err
run_profile_proposal_show(struct invocation *in)
{
	struct deciding d = { .in = in };
	enum err e;

	if ((e = find(&d)) == OK)
		e = in->json ? show_json(&d) : show(&d, NULL);
	profile_answer_free(&d.answer);
	return e;
}

/* Shown, asked, and done. f: other values than those proposed; NULL: as they are. */
static enum err
decide(struct deciding *d, const struct fact_form *f)
{
	bool yes = option_given(d->in, "--yes");
	struct json_writer w = { 0 };
	enum err e;

	if (profile_flag(d->row, "conflict")) {
		if (!yes && (e = show(d, f)) != OK)
			return e;
		explain(d->in, "the fact was changed since this was proposed; dismiss it, or change the fact yourself");
		return ERR_CONFLICT;
	}
	/* With --json and --yes nobody is asked, so nothing is shown. */
	if ((!d->in->json || !yes) && (e = show(d, f)) != OK)
		return e;
	if ((e = profile_confirm(d->in, "Confirm? [y/N] ")) != OK)
		return e;
	profile_request(&w, f != NULL ? "proposal_edit" : "proposal_confirm");
	json_member_id(&w, "id", d->id);
	if (f != NULL)
		fact_form_put(&w, f);
	json_write_end(&w);
	return profile_change(d->in, &(struct client_profile_want){ .op = OP_PROFILE_CHANGE }, &w, "fact");
}

enum err
run_profile_proposal_confirm(struct invocation *in)
{
	struct deciding d = { .in = in };
	enum err e;

	if ((e = find(&d)) == OK)
		e = decide(&d, NULL);
	profile_answer_free(&d.answer);
	return e;
}

static enum err
decide_edited(void *arg, const struct fact_form *f)
{
	return decide(arg, f);
}

static enum err
edit(struct invocation *in, struct deciding *d)
{
	struct fact_form f = { .has_category = false };
	struct span category = profile_text(d->row, "category"), op = profile_text(d->row, "op");
	struct secret *text = NULL;
	enum err e;

	if (op.len == 7 && memcmp(op.p, "archive", 7) == 0)
		return invalid(in, "what would be archived has nothing to edit");
	if ((e = profile_form_options(in, &f)) != OK)
		return e;
	if (in->n_positionals > 1 || option_given(in, "--category") || option_given(in, "--label")) {
		if (in->n_positionals > 1)
			e = profile_form_source(in, in->positionals[1], &f, &text);
		if (e == OK && (e = profile_form_check(in, &f)) == OK)
			e = decide(d, &f);
		secret_free(&text);
		return e;
	}
	f.has_category = category_of_name((const char *)category.p, category.len, &f.category);
	f.label = profile_text(d->row, "label");
	f.value = profile_text(d->row, "value");
	return profile_form_edit(in, edit_note, &f, decide_edited, d);
}

enum err
run_profile_proposal_edit(struct invocation *in)
{
	struct deciding d = { .in = in };
	enum err e;

	if ((e = find(&d)) == OK)
		e = edit(in, &d);
	profile_answer_free(&d.answer);
	return e;
}

enum err
run_profile_proposal_dismiss(struct invocation *in)
{
	struct json_writer w = { 0 };
	struct uuid id;
	enum err e;

	if ((e = positional_id(in, 0, "PROPOSAL", &id)) != OK)
		return e;
	profile_request(&w, "proposal_dismiss");
	json_member_id(&w, "id", id);
	json_write_end(&w);
	if ((e = profile_change(in, &(struct client_profile_want){ .op = OP_PROFILE_CHANGE }, &w, NULL)) == ERR_CONFLICT)
		explain(in, "it was decided before, or its time is over");
	return e;
}
