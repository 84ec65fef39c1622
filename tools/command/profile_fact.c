/* profile fact add, edit, archive; profile share, unshare. */
#include <stdio.h>
#include <string.h>

#include "gateway/sensitive.h"
#include "tools/command/profile.h"

static const char add_note[] =
    "A fact of yours. Save and leave the editor to store it; an empty file drops it.\n"
    "Category: basic, preference, habit, goal, work_study; or, never shared, health, relationship, uncategorized.\n"
    "The value stands below the empty line. Lines with # up here are not kept.";

static const char edit_note[] =
    "Save and leave the editor to store this; unchanged, it changes nothing.\n"
    "Whoever it is shared with sees it again only once you share it anew. Lines with # up here are not kept.";

/* For people, once it is stored: what is found to be sensitive is never shared. */
static void
say_what_it_looks_like(const struct invocation *in, const struct fact_form *f)
{
	enum sensitive k = f->value.p != NULL ? sensitive_fact(f->label, f->value) : SENSITIVE_NONE;

	if (!in->json && k != SENSITIVE_NONE)
		fprintf(stderr, "memories: it looks like %s, so it is never shared\n", sensitive_name(k));
}

static enum err
add(struct invocation *in, const struct fact_form *f)
{
	struct json_writer w = { 0 };
	enum err e;

	if (!f->has_category || f->label.p == NULL)
		return invalid(in, "a fact needs --category and --label");
	if ((e = profile_form_check(in, f)) != OK)
		return e;
	profile_request(&w, "fact_add");
	fact_form_put(&w, f);
	json_write_end(&w);
	if ((e = profile_change(in, &(struct client_profile_want){ .op = OP_PROFILE_CHANGE }, &w, "fact")) == OK)
		say_what_it_looks_like(in, f);
	return e;
}

static enum err
add_edited(void *arg, const struct fact_form *f)
{
	return add(arg, f);
}

/* Refused before an editor is opened, where it would be refused afterwards. */
static enum err
check_open(struct invocation *in)
{
	struct client *c = NULL;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = profile_check_open(in, c);
	client_close(&c);
	return e;
}

enum err
run_profile_fact_add(struct invocation *in)
{
	struct fact_form f = { .has_category = false };
	struct secret *text = NULL;
	enum err e;

	if ((e = profile_form_options(in, &f)) != OK)
		return e;
	if (in->n_positionals > 0) {
		if ((e = profile_form_source(in, in->positionals[0], &f, &text)) == OK)
			e = add(in, &f);
		secret_free(&text);
		return e;
	}
	if (!f.has_category)
		f.category = CATEGORY_UNCATEGORIZED;
	f.has_category = f.has_uncertain = true;
	f.label = f.label.p != NULL ? f.label : (struct span){ (const uint8_t *)"", 0 };
	f.evidence = f.evidence.p != NULL ? f.evidence : (struct span){ (const uint8_t *)"", 0 };
	return (e = check_open(in)) != OK ? e : profile_form_edit(in, add_note, &f, add_edited, in);
}

static void
write_edit(struct json_writer *w, struct uuid fact, uint64_t version, const struct fact_form *f)
{
	profile_request(w, "fact_edit");
	json_member_id(w, "id", fact);
	if (version > 0)
		json_member_u64(w, "version", version);
	fact_form_put(w, f);
	json_write_end(w);
}

/* Without an editor: what is not given stays. */
static enum err
edit_given(struct invocation *in, struct uuid fact, struct fact_form *f)
{
	struct secret *text = NULL;
	struct json_writer w = { 0 };
	uint64_t version;
	enum err e;

	if ((e = option_u64(in, "--base", 1, UINT64_MAX, 0, &version)) != OK ||
	    (in->n_positionals > 1 && (e = profile_form_source(in, in->positionals[1], f, &text)) != OK))
		return e;
	if ((e = profile_form_check(in, f)) == OK) {
		write_edit(&w, fact, version, f);
		if ((e = profile_change(in, &(struct client_profile_want){ .op = OP_PROFILE_CHANGE }, &w, "version")) == OK)
			say_what_it_looks_like(in, f);
		if (e == ERR_CONFLICT)
			explain(in, "the fact was changed since, or is archived");
	}
	secret_free(&text);
	return e;
}

/* A fact in its editor. */
struct editing {
	struct invocation    *in;
	struct uuid           fact;
	uint64_t              version;
	const struct fact_form *before;
};

static bool
same_text(struct span a, struct span b)
{
	return a.p == NULL || (a.len == b.len && memcmp(a.p, b.p, a.len) == 0);
}

static bool
changes_nothing(const struct fact_form *now, const struct fact_form *before)
{
	return (!now->has_category || now->category == before->category) &&
	    (!now->has_uncertain || now->uncertain == before->uncertain) && same_text(now->label, before->label) &&
	    same_text(now->value, before->value) && same_text(now->evidence, before->evidence);
}

static enum err
print_unchanged(const struct editing *ed)
{
	struct json_writer w = { 0 };

	if (!ed->in->json)
		return print_line("%llu\n", (unsigned long long)ed->version);
	json_write_object(&w);
	json_member_id(&w, "fact", ed->fact);
	json_member_u64(&w, "version", ed->version);
	json_write_end(&w);
	return print_json(&w);
}

static enum err
store_edited(void *arg, const struct fact_form *f)
{
	const struct editing *ed = arg;
	struct json_writer w = { 0 };
	enum err e;

	/* What is as it was keeps its version, and with it what it is shared with. */
	if (changes_nothing(f, ed->before))
		return print_unchanged(ed);
	write_edit(&w, ed->fact, ed->version, f);
	if ((e = profile_change(ed->in, &(struct client_profile_want){ .op = OP_PROFILE_CHANGE }, &w, "version")) == OK)
		say_what_it_looks_like(ed->in, f);
	return e;
}

static enum err
edit_in_editor(struct invocation *in, struct uuid fact)
{
	struct editing ed = { .in = in, .fact = fact };
	struct fact_form f = { .has_category = true, .has_uncertain = true };
	struct profile_answer a = { .text = NULL };
	const struct json *row = NULL;
	struct client *c = NULL;
	struct span category;
	enum err e;

	if ((e = owner_open(in, &c)) == OK)
		e = profile_find(in, c, "facts", fact, &a, &row);
	client_close(&c);
	if (e != OK)
		return e;
	category = profile_text(row, "category");
	f.label = profile_text(row, "label");
	f.value = profile_text(row, "value");
	f.evidence = profile_text(row, "evidence");
	f.uncertain = profile_flag(row, "uncertain");
	ed.version = profile_number(row, "version");
	ed.before = &f;
	if (!category_of_name((const char *)category.p, category.len, &f.category))
		e = ERR_PROTOCOL;
	else
		e = profile_form_edit(in, edit_note, &f, store_edited, &ed);
	profile_answer_free(&a);
	return e;
}

enum err
run_profile_fact_edit(struct invocation *in)
{
	struct fact_form f = { .has_category = false };
	struct uuid fact;
	enum err e;

	if ((e = positional_id(in, 0, "FACT", &fact)) != OK || (e = profile_form_options(in, &f)) != OK)
		return e;
	if (in->n_positionals > 1 || profile_has_form_options(in))
		return edit_given(in, fact, &f);
	return edit_in_editor(in, fact);
}

static enum err
change_fact(struct invocation *in, const char *what, const char *member, struct client_profile_want about)
{
	struct json_writer w = { 0 };
	enum err e;

	if ((e = positional_id(in, 0, "FACT", &about.fact)) != OK)
		return e;
	profile_request(&w, what);
	json_member_id(&w, member, about.fact);
	json_write_end(&w);
	if (uuid_is_zero(about.connection))
		about.fact = profile_nothing;
	return profile_change(in, &about, &w, NULL);
}

enum err
run_profile_fact_archive(struct invocation *in)
{
	return change_fact(in, "fact_archive", "id", (struct client_profile_want){ .op = OP_PROFILE_CHANGE });
}

static enum err
change_share(struct invocation *in, const char *what)
{
	struct client_profile_want about = { .op = OP_PROFILE_CHANGE };
	bool given;
	enum err e = option_id(in, "--connection", &about.connection, &given);

	return e != OK ? e : change_fact(in, what, "fact", about);
}

enum err
run_profile_share(struct invocation *in)
{
	return change_share(in, "share");
}

enum err
run_profile_unshare(struct invocation *in)
{
	return change_share(in, "unshare");
}
