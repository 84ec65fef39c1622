/* A fact as the owner writes it: options, a file, an editor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command/draft_file.h"
#include "tools/command/editor.h"
#include "tools/command/profile.h"
#include "tools/command/source.h"

#define DRAFT_MAX ((size_t)64 << 10)
#define DRAFT     "fact.txt"

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, text != NULL ? strlen(text) : 0 };
}

enum err
profile_form_options(struct invocation *in, struct fact_form *f)
{
	const char *category = option_value(in, "--category");
	char reason[DRAFT_REASON_MAX];

	if (option_given(in, "--uncertain") && option_given(in, "--certain"))
		return invalid(in, "a fact is certain or uncertain");
	if (category != NULL && !fact_form_category(span_of(category), &f->category, reason))
		return invalid(in, reason);
	f->has_category = f->has_category || category != NULL;
	if (option_given(in, "--label"))
		f->label = span_of(option_value(in, "--label"));
	if (option_given(in, "--evidence"))
		f->evidence = span_of(option_value(in, "--evidence"));
	if (option_given(in, "--uncertain") || option_given(in, "--certain")) {
		f->has_uncertain = true;
		f->uncertain = option_given(in, "--uncertain");
	}
	return OK;
}

bool
profile_has_form_options(const struct invocation *in)
{
	return option_given(in, "--category") || option_given(in, "--label") || option_given(in, "--evidence") ||
	    option_given(in, "--uncertain") || option_given(in, "--certain");
}

enum err
profile_form_source(struct invocation *in, const char *path, struct fact_form *f, struct secret **text)
{
	struct source s;
	enum err e;

	if ((e = source_open(in, path, &s)) != OK)
		return e;
	e = source_read(&s, DRAFT_MAX, text);
	source_close(&s);
	if (e != OK)
		return e;
	f->value = secret_span(*text);
	if (f->value.len > 0 && f->value.p[f->value.len - 1] == '\n')
		f->value.len--;
	return OK;
}

enum err
profile_form_check(struct invocation *in, const struct fact_form *f)
{
	char reason[DRAFT_REASON_MAX];

	return fact_form_good(f, reason) ? OK : invalid(in, reason);
}

struct session {
	struct editor       editor;
	struct draft_folder folder;
	char               *path; /* owned */
};

static enum err
begin(struct session *s, const char *note, const struct fact_form *f)
{
	struct secret *text = NULL;
	enum err e;

	if ((e = fact_form_text(note, f, &text)) != OK)
		return e;
	if ((e = draft_folder_make(&s->folder)) == OK && (e = draft_file_write(&s->folder, DRAFT, secret_span(text))) == OK &&
	    asprintf(&s->path, "%s/" DRAFT, s->folder.path) < 0) {
		s->path = NULL;
		e = ERR_NO_MEMORY;
	}
	secret_free(&text);
	return e;
}

/* The text once more, with what is wrong with it as its first line. */
static enum err
put_remark(struct session *s, const struct secret *text, const char *reason, struct secret **again)
{
	char line[DRAFT_REASON_MAX + 32];
	enum err e;

	snprintf(line, sizeof line, "Not taken: %s", reason);
	secret_free(again);
	if ((e = draft_text_remark(secret_span(text), line, again)) == OK)
		e = draft_file_write(&s->folder, DRAFT, secret_span(*again));
	return e;
}

/* The editor, and again until the form is right or nothing was changed. */
static enum err
edit_until_right(struct invocation *in, struct session *s, struct fact_form *f, struct secret **text)
{
	char reason[DRAFT_REASON_MAX] = "";
	struct secret *again = NULL;
	enum err e;

	while ((e = editor_run(&s->editor, s->path)) == OK &&
	    (e = draft_file_read(&s->folder, DRAFT, DRAFT_MAX, text)) == OK) {
		if (draft_is_blank(*text))
			e = ERR_NOT_CONFIRMED;
		else if (again != NULL && draft_is_same(*text, again))
			e = invalid(in, reason);
		else if ((e = fact_form_take(secret_span(*text), f, reason)) == ERR_INVALID_CONTENT &&
		    (e = put_remark(s, *text, reason, &again)) == OK) {
			secret_free(text);
			continue;
		}
		break;
	}
	secret_free(&again);
	return e == ERR_NOT_FOUND ? ERR_EDITOR_FAILED : e;
}

/* What was written is stored nowhere else. */
static void
leave(struct invocation *in, struct session *s)
{
	char detail[sizeof in->detail];

	snprintf(detail, sizeof detail, "%.500s%swhat you wrote is in %.500s", in->detail,
	    in->detail[0] != '\0' ? "; " : "", s->path);
	explain(in, detail);
	draft_folder_leave(&s->folder, DRAFT);
}

enum err
profile_form_edit(struct invocation *in, const char *note, const struct fact_form *f,
    enum err (*store)(void *arg, const struct fact_form *f), void *arg)
{
	struct session s = { .folder = { .fd = -1 } };
	struct secret *text = NULL;
	struct fact_form written;
	bool refused = false;
	enum err e;

	if ((e = editor_begin(&s.editor)) != OK)
		return e;
	if ((e = begin(&s, note, f)) == OK && (e = edit_until_right(in, &s, &written, &text)) == OK) {
		e = store(arg, &written);
		refused = e != OK && e != ERR_NOT_CONFIRMED && e != ERR_INTERRUPTED;
	}
	if (refused)
		leave(in, &s);
	else
		draft_folder_wipe(&s.folder);
	editor_end(&s.editor);
	secret_free(&text);
	free(s.path);
	return e;
}
