#include <string.h>

#include "gateway/answer.h"
#include "gateway/draft_text.h"
#include "gateway/visible.h"
#include "tools/command/diff.h"
#include "tools/command/proposal.h"

/* A content as its owner would edit it; empty where there is none. New. */
static enum err
text_of(enum kind kind, const struct secret *content, struct secret **out)
{
	if (content == NULL)
		return secret_new(0, out);
	return draft_text_of(kind, "", secret_span(content), out);
}

static void
show_head(struct shown *out, const struct proposal_held *p)
{
	char id[UUID_TEXT_LEN + 1], asset[UUID_TEXT_LEN + 1], vault[UUID_TEXT_LEN + 1], grant[UUID_TEXT_LEN + 1];
	char time[CLOCK_TEXT_LEN + 1];
	enum proposed what = proposal_what(&p->row);

	uuid_text(p->row.revision, id);
	uuid_text(p->row.vault, vault);
	uuid_text(p->row.asset, asset);
	uuid_text(p->grant, grant);
	clock_text(proposal_time(&p->row), time);
	shown_line(out, "proposal %s: %s a %s\n", id, proposal_word(what), kind_name(p->row.kind));
	shown_line(out, "in vault %s%s%s, by grant %s, %s\n", vault, what == PROPOSED_ADD ? "" : ", asset ",
	    what == PROPOSED_ADD ? "" : asset, grant, time);
	if (p->reason.len > 0)
		shown_safe_lines(out, "reason: ", p->reason);
	if (proposal_is_stale(p))
		shown_line(out, "The asset %s since this was proposed; it is shown as it is now.\n",
		    p->is_there ? "was changed" : p->heads.n > 1 ? "came into conflict" : "was deleted");
}

/* Both whole, where there is no diff. */
static void
show_both(struct shown *out, struct span old, struct span new)
{
	if (old.len > 0)
		shown_safe_lines(out, "- ", old);
	if (new.len > 0)
		shown_safe_lines(out, "+ ", new);
}

static enum err
show_change(struct shown *out, struct span old, struct span new)
{
	struct secret *diff = NULL;
	enum err e = OK;

	if (old.len > 0 && new.len > 0)
		e = diff_texts((struct diff_side){ old, "stored" }, (struct diff_side){ new, "proposed" }, &diff);
	if (e == ERR_NO_MEMORY)
		return e;
	if (diff != NULL && secret_len(diff) > 0)
		shown_safe_lines(out, "", secret_span(diff));
	else if (diff != NULL)
		shown_line(out, "Nothing would change.\n");
	else
		show_both(out, old, new);
	secret_free(&diff);
	return OK;
}

enum err
proposal_show(const struct proposal_held *p, struct shown *out)
{
	struct secret *old = NULL, *new = NULL;
	size_t n_hidden;
	enum err e;

	show_head(out, p);
	if ((e = text_of(p->row.kind, p->old_content, &old)) == OK && (e = text_of(p->row.kind, p->content, &new)) == OK &&
	    (e = show_change(out, secret_span(old), secret_span(new))) == OK &&
	    (n_hidden = visible_count_hidden(secret_span(new)) + visible_count_hidden(p->reason)) > 0)
		shown_line(out, "%zu characters that hide, have no width or turn others around are shown as their numbers.\n", n_hidden);
	secret_free(&old);
	secret_free(&new);
	return e;
}

static void
write_content(struct json_writer *w, const char *name, const struct secret *content)
{
	json_write_key(w, name);
	if (content != NULL)
		json_write_raw(w, secret_span(content));
	else
		json_write_null(w);
}

enum err
proposal_show_json(const struct proposal_held *p)
{
	struct json_writer w = { 0 };
	enum proposed what = proposal_what(&p->row);
	struct span content = { NULL, 0 };

	if (p->content != NULL)
		content = secret_span(p->content);
	json_write_object(&w);
	json_member_id(&w, "proposal", p->row.revision);
	json_member_text(&w, "op", proposal_word(what));
	json_member_id(&w, "vault", p->row.vault);
	json_write_key(&w, "asset");
	if (what == PROPOSED_ADD)
		json_write_null(&w);
	else
		json_write_id(&w, p->row.asset);
	json_member_text(&w, "kind", kind_name(p->row.kind));
	json_member_id(&w, "grant", p->grant);
	json_member_time(&w, "created_at", proposal_time(&p->row));
	json_member_string(&w, "reason", p->reason);
	json_member_bool(&w, "stale", proposal_is_stale(p));
	json_member_u64(&w, "hidden_characters", visible_count_hidden(content) + visible_count_hidden(p->reason));
	write_content(&w, "old", p->old_content);
	write_content(&w, "new", p->content);
	json_write_end(&w);
	return print_json(&w);
}
