#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escrow/terminal.h"
#include "tools/command/change.h"
#include "tools/command/draft_file.h"
#include "tools/command/edit_session.h"
#include "tools/command/editor.h"

#define DRAFT_MAX ((size_t)4 << 20)

static const char note[] =
    "Save and leave the editor to store this; unchanged, it changes nothing.\n"
    "Lines with # up here are not kept.";

struct session {
	struct edit        *edit;
	struct draft_folder folder;
	struct editor       editor;
	const char         *name;      /* of the draft, in the folder */
	char               *path;      /* owned */
	struct secret      *written;   /* owned; the draft as it was given to the editor last */
	struct secret      *text;      /* owned; as it came back */
	struct secret      *refused;   /* owned; as it came back last in a wrong form */
	bool                has_edits; /* what is written there is stored nowhere else */
};

/* In a row: whoever writes a wrong text more often is no person but a script. */
#define REFUSALS_MAX 20

/* Of all that could be wrong with a further head, the one thing that its owner can mend. */
static void
explain_heads(struct edit *e)
{
	struct heads h;

	if (revision_heads(e->in, e->client, e->vault, e->asset, &h) == OK && h.n == REVISION_PARENTS_MAX)
		explain(e->in, "the asset has as many heads as it can; `memories asset resolve` ends the conflict");
}

enum err
edit_store(struct edit *e, const struct edited *ed, const struct source *s)
{
	struct edited_base base = { &e->base, e->content };
	struct change ch = { .like = &e->base.row, .mode = e->beside ? PUBLISH_BESIDE : PUBLISH_ON_HEADS, .n_parents = 1,
		.parents = { e->base.row.revision }, .title = ed->title };
	enum err err;

	if ((e->same = edited_is_same(ed, &base))) {
		e->made = e->base.row.revision;
		return OK;
	}
	if ((err = json_write_done(&ed->meta, &ch.meta)) != OK)
		return err;
	if (e->content != NULL)
		err = json_write_done(&ed->content, &ch.content);
	else if (ed->raw != NULL)
		ch.content = secret_span(ed->raw);
	else if (s != NULL)
		ch.source = s;
	else
		ch.copied = &e->base;
	if (err == OK && (err = change_publish(e->in, e->client, &ch, &e->made)) == ERR_INVALID_ARGUMENT && e->beside)
		explain_heads(e);
	return err;
}

static enum err
put_draft(struct session *s, struct secret **text)
{
	enum err e = draft_file_write(&s->folder, s->name, secret_span(*text));

	if (e == OK) {
		secret_free(&s->written);
		s->written = *text;
		*text = NULL;
	}
	return e;
}

/* The draft once more, with what is wrong with it as its first line. */
static enum err
put_remark(struct session *s, const char *remark, const char *what)
{
	char line[1400];
	struct secret *text = NULL;
	enum err e;

	snprintf(line, sizeof line, "%s%s", remark, what);
	if ((e = draft_text_remark(secret_span(s->text), line, &text)) == OK)
		e = put_draft(s, &text);
	secret_free(&text);
	return e;
}

static enum err
begin(struct session *s)
{
	struct secret *text = NULL;
	enum err e;

	s->name = s->edit->base.row.kind == KIND_CARD ? "card.json" : "memory.md";
	if ((e = draft_text_of(s->edit->base.row.kind, note, secret_span(s->edit->content), &text)) != OK)
		return e;
	if ((e = draft_folder_make(&s->folder)) == OK && asprintf(&s->path, "%s/%s", s->folder.path, s->name) < 0) {
		s->path = NULL;
		e = ERR_NO_MEMORY;
	}
	if (e == OK)
		e = put_draft(s, &text);
	secret_free(&text);
	return e;
}

/* *same: the file is as it was given to the editor. */
static enum err
run_editor(struct session *s, bool *same)
{
	struct secret *text = NULL;
	enum err e;

	if ((e = editor_run(&s->editor, s->path)) != OK)
		return e;
	if ((e = draft_file_read(&s->folder, s->name, DRAFT_MAX, &text)) == ERR_NOT_FOUND)
		return ERR_EDITOR_FAILED;
	if (e != OK) {
		s->has_edits = true;
		return e;
	}
	secret_free(&s->text);
	s->text = text;
	*same = draft_is_same(text, s->written);
	s->has_edits = s->has_edits || !*same;
	return OK;
}

static enum err
take(struct session *s, char reason[DRAFT_REASON_MAX], struct edited *out)
{
	struct edited_base base = { &s->edit->base, s->edit->content };

	return edited_from_draft(&base, secret_span(s->text), reason, out);
}

/* A first line was put there or replaced, so the lines are counted again. */
static enum err
refuse_form(struct session *s)
{
	char reason[DRAFT_REASON_MAX] = "";
	struct edited ed = { .raw = NULL };
	enum err e;

	if ((e = put_remark(s, "Not stored.", "")) != OK)
		return e;
	secret_free(&s->refused);
	s->refused = s->text;
	s->text = NULL;
	if ((e = draft_file_read(&s->folder, s->name, DRAFT_MAX, &s->text)) != OK)
		return e;
	(void)take(s, reason, &ed);
	edited_free(&ed);
	explain(s->edit->in, reason);
	return put_remark(s, "Not stored: ", reason[0] != '\0' ? reason : "it is too large");
}

static bool
may_ask(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The asset as it is now becomes the base; its text lies beside the draft. */
static enum err
take_newest(struct session *s)
{
	static const struct uuid head;
	const char *name = s->edit->base.row.kind == KIND_CARD ? "newest.json" : "newest.md";
	struct revision now = { .meta = NULL };
	struct secret *content = NULL, *text = NULL;
	enum err e;

	if ((e = revision_find(s->edit->in, s->edit->client, s->edit->vault, s->edit->asset, head, &now)) != OK)
		return e;
	if ((e = revision_content(s->edit->client, &now, &content)) == OK &&
	    (e = draft_text_of(now.row.kind, "What is stored now.", secret_span(content), &text)) == OK &&
	    (e = draft_file_write(&s->folder, name, secret_span(text))) == OK &&
	    (e = put_remark(s, "The asset was changed meanwhile; what is stored now: ", name)) == OK) {
		revision_free(&s->edit->base);
		secret_free(&s->edit->content);
		s->edit->base = now;
		s->edit->content = content;
		s->edit->beside = false;
		now.details = NULL;
		content = NULL;
	}
	secret_free(&content);
	secret_free(&text);
	client_answer_free(&now.details);
	return e;
}

enum choice { CHOICE_STORE, CHOICE_EDIT, CHOICE_LEAVE, CHOICE_DROP };

static enum err
ask(struct session *s, enum err why, enum choice *choice)
{
	char line[TERMINAL_LINE_MAX + 1], text[1400];
	bool stale = why == ERR_STALE_BASE;
	enum err e;

	snprintf(text, sizeof text, "Not stored: %s (%s).\n", err_text(why), err_code(why));
	if ((e = terminal_warn(text)) != OK)
		return e;
	for (;;) {
		e = terminal_line_until(stale ? "Keep both, edit again, leave the draft, or drop it? [k/e/l/d] "
		    : "Try again, edit again, leave the draft, or drop it? [t/e/l/d] ", s->editor.stop_fd, line);
		if (e == ERR_INTERRUPTED)
			editor_note_stop(&s->editor);
		if (e != OK)
			return e;
		if (strcmp(line, stale ? "k" : "t") == 0)
			*choice = CHOICE_STORE;
		else if (strcmp(line, "e") == 0)
			*choice = CHOICE_EDIT;
		else if (strcmp(line, "l") == 0)
			*choice = CHOICE_LEAVE;
		else if (strcmp(line, "d") == 0)
			*choice = CHOICE_DROP;
		else
			continue;
		return OK;
	}
}

/* The editor may have been open for hours: what was connected may be gone. */
static enum err
store(struct session *s, const struct edited *ed)
{
	enum err e;

	client_close(&s->edit->client);
	s->edit->in->detail[0] = '\0';
	if ((e = owner_open(s->edit->in, &s->edit->client)) != OK)
		return e;
	return edit_store(s->edit, ed, NULL);
}

/* *again: back into the editor. Otherwise what is returned is how it ended; ERR_NOT_CONFIRMED: dropped. */
static enum err
store_or_ask(struct session *s, const struct edited *ed, bool *again)
{
	enum choice choice;
	enum err e, asked;

	while ((e = store(s, ed)) != OK) {
		if (!may_ask())
			return e;
		if ((asked = ask(s, e, &choice)) != OK)
			return asked == ERR_TERMINAL_REQUIRED ? e : asked;
		if (choice == CHOICE_LEAVE)
			return e;
		if (choice == CHOICE_DROP) {
			s->has_edits = false;
			return ERR_NOT_CONFIRMED;
		}
		if (choice == CHOICE_EDIT) {
			*again = true;
			/* Where there is no one newest revision, both can be kept, and that only. */
			return e == ERR_STALE_BASE && take_newest(s) == OK ? OK : put_remark(s, "Not stored yet.", "");
		}
		s->edit->beside = s->edit->beside || e == ERR_STALE_BASE;
	}
	s->has_edits = false;
	return OK;
}

static enum err
edit_until_stored(struct session *s)
{
	char reason[DRAFT_REASON_MAX];
	struct edited ed = { .raw = NULL };
	bool same, again = true;
	unsigned n_refused = 0;
	enum err e = OK, refused = OK;

	while (e == OK && again) {
		if ((e = run_editor(s, &same)) != OK)
			return e;
		if (same && !s->has_edits) {
			s->edit->same = true;
			s->edit->made = s->edit->base.row.revision;
			return OK;
		}
		if (refused != OK && (same || draft_is_same(s->text, s->refused) || n_refused == REFUSALS_MAX))
			return refused;
		if (draft_is_blank(s->text)) {
			s->has_edits = false;
			return ERR_NOT_CONFIRMED;
		}
		if ((e = take(s, reason, &ed)) == ERR_INVALID_CONTENT || e == ERR_TOO_LARGE) {
			refused = e;
			n_refused++;
			e = refuse_form(s);
			continue;
		}
		refused = OK;
		again = false;
		if (e == OK)
			e = store_or_ask(s, &ed, &again);
		edited_free(&ed);
	}
	return e;
}

/* Says where the text is that could not be stored. */
static void
explain_left(struct session *s, enum err e)
{
	char detail[sizeof s->edit->in->detail];

	snprintf(detail, sizeof detail, "%.400s%syour text is in %.400s; `memories asset edit … --draft` takes it from there%s",
	    s->edit->in->detail, s->edit->in->detail[0] != '\0' ? "; " : "", s->path,
	    e == ERR_STALE_BASE ? ", with --keep-both as a conflict" : "");
	explain(s->edit->in, detail);
}

static bool
wiped_after(const struct session *s, enum err e)
{
	return e == OK || !s->has_edits || e == ERR_INTERRUPTED;
}

enum err
edit_session_run(struct edit *edit)
{
	struct session s = { .edit = edit, .folder = { .fd = -1 } };
	enum err e;

	if ((e = editor_begin(&s.editor)) != OK)
		return e;
	if ((e = begin(&s)) == OK) {
		client_close(&edit->client);
		e = edit_until_stored(&s);
	}
	if (wiped_after(&s, e)) {
		draft_folder_wipe(&s.folder);
	} else {
		explain_left(&s, e);
		draft_folder_leave(&s.folder, s.name);
	}
	secret_free(&s.written);
	secret_free(&s.text);
	secret_free(&s.refused);
	free(s.path);
	editor_end(&s.editor);
	return e;
}
