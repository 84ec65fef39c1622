#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/content.h"
#include "gateway/draft_text.h"
#include "tools/command/draft_file.h"
#include "tools/command/editor.h"
#include "tools/command/proposal.h"

#define DRAFT_MAX ((size_t)4 << 20)

static const char note[] =
    "What was proposed. Save and leave the editor to go on; you are asked before anything is stored.\n"
    "Lines with # up here are not kept.";

enum err
proposal_take_text(enum kind kind, struct span text, char reason[DRAFT_REASON_MAX], struct secret **out)
{
	struct content_labels none = { .n_tags = 0 };
	struct json_writer w = { 0 };
	struct draft draft = { .n_quoted = 0 };
	struct secret *title = NULL, *made = NULL;
	struct span content;
	enum err e;

	if (kind == KIND_CARD) {
		if ((e = content_card(&none, draft_text_card(text), &w, &title)) == ERR_INVALID_CONTENT)
			snprintf(reason, DRAFT_REASON_MAX, "it is not a card");
	} else if ((e = draft_text_take(text, &draft, reason)) == OK &&
	    (e = content_memory(&draft.labels, draft.body, &w)) == ERR_INVALID_CONTENT) {
		snprintf(reason, DRAFT_REASON_MAX, "the title or a tag is too long, or a tag is empty");
	}
	if (e == OK && (e = json_write_done(&w, &content)) == OK && (e = secret_new(content.len, &made)) == OK) {
		memcpy(secret_bytes(made), content.p, content.len);
		*out = made;
	}
	json_write_free(&w);
	secret_free(&title);
	draft_free(&draft);
	return e;
}

struct session {
	struct editor       editor;
	struct draft_folder folder;
	const char         *name;
	char               *path; /* owned */
};

/* The editor again, with what is wrong as the first line, until the form is right or nothing was changed. */
static enum err
edit_until_right(struct invocation *in, struct session *s, enum kind kind, struct secret **content)
{
	char reason[DRAFT_REASON_MAX], line[DRAFT_REASON_MAX + 32];
	struct secret *text = NULL, *again = NULL, *refused = NULL;
	enum err e;

	while ((e = editor_run(&s->editor, s->path)) == OK &&
	    (e = draft_file_read(&s->folder, s->name, DRAFT_MAX, &text)) == OK) {
		reason[0] = '\0';
		if (draft_is_blank(text))
			e = ERR_NOT_CONFIRMED;
		else if (refused != NULL && (draft_is_same(text, again) || draft_is_same(text, refused)))
			e = ERR_INVALID_CONTENT;
		else if ((e = proposal_take_text(kind, secret_span(text), reason, content)) == ERR_INVALID_CONTENT) {
			explain(in, reason);
			snprintf(line, sizeof line, "Not taken: %s", reason);
			secret_free(&again);
			if ((e = draft_text_remark(secret_span(text), line, &again)) == OK &&
			    (e = draft_file_write(&s->folder, s->name, secret_span(again))) == OK) {
				secret_free(&refused);
				refused = text;
				text = NULL;
				continue;
			}
		}
		break;
	}
	secret_free(&text);
	secret_free(&again);
	secret_free(&refused);
	return e == ERR_NOT_FOUND ? ERR_EDITOR_FAILED : e;
}

static enum err
begin(struct session *s, const struct proposal_held *p)
{
	struct secret *text = NULL;
	enum err e;

	s->name = p->row.kind == KIND_CARD ? "card.json" : "memory.md";
	if ((e = draft_text_of(p->row.kind, note, secret_span(p->content), &text)) != OK)
		return e;
	if ((e = draft_folder_make(&s->folder)) == OK &&
	    (e = draft_file_write(&s->folder, s->name, secret_span(text))) == OK &&
	    asprintf(&s->path, "%s/%s", s->folder.path, s->name) < 0) {
		s->path = NULL;
		e = ERR_NO_MEMORY;
	}
	secret_free(&text);
	return e;
}

enum err
proposal_edit(struct invocation *in, struct proposal_held *p)
{
	struct session s = { .folder = { .fd = -1 } };
	struct secret *content = NULL;
	enum err e;

	if (p->content == NULL)
		return invalid(in, "a removal has no content to edit");
	if ((e = editor_begin(&s.editor)) != OK)
		return e;
	if ((e = begin(&s, p)) == OK)
		e = edit_until_right(in, &s, p->row.kind, &content);
	draft_folder_wipe(&s.folder);
	editor_end(&s.editor);
	free(s.path);
	if (e != OK)
		return e;
	in->detail[0] = '\0';
	secret_free(&p->content);
	p->content = content;
	return OK;
}
