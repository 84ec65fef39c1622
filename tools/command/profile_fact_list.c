/* profile fact list. */
#include <string.h>

#include "tools/command/profile.h"

static void
print_words(const struct json *row)
{
	if (profile_flag(row, "archived"))
		print_line("  archived");
	if (profile_flag(row, "uncertain"))
		print_line("  uncertain");
	if (profile_flag(row, "sensitive"))
		print_line("  sensitive, never shared");
}

static void
print_labelled(const char *label, struct span text)
{
	if (text.len == 0)
		return;
	print_line("  %s", label);
	print_safe(text);
	print_line("\n");
}

static void
print_sharing(const struct json *row)
{
	const struct json *all, *one;

	if (json_array(row, "shared_with", &all) != JSON_GOT)
		return;
	for (one = json_first(all); one != NULL; one = json_next(one)) {
		print_line("  shared with ");
		print_safe(profile_text(one, "connection"));
		print_line("%s\n", profile_flag(one, "confirmed") ? "" : " before it was changed: share it again to confirm");
	}
}

/* A fact of several lines; the first has what a program would look for. */
static void
print_fact(const struct json *row)
{
	print_safe(profile_text(row, "id"));
	print_line("  ");
	print_safe(profile_text(row, "category"));
	print_line("  version %llu  ", (unsigned long long)profile_number(row, "version"));
	print_safe(profile_text(row, "updated_at"));
	print_words(row);
	print_line("\n  ");
	print_safe(profile_text(row, "label"));
	print_line(": ");
	print_safe(profile_text(row, "value"));
	print_line("\n");
	print_labelled("evidence: ", profile_text(row, "evidence"));
	print_sharing(row);
}

static enum err
take_options(struct invocation *in, struct profile_list *p)
{
	const char *category = option_value(in, "--category");
	char reason[DRAFT_REASON_MAX];
	enum err e;

	if ((e = option_u64(in, "--offset", 0, UINT32_MAX, 0, &p->offset)) != OK ||
	    (e = option_u64(in, "--limit", 1, 100, 100, &p->limit)) != OK)
		return e;
	p->archived = option_given(in, "--archived");
	if (category == NULL)
		return OK;
	p->has_category = fact_form_category((struct span){ (const uint8_t *)category, strlen(category) }, &p->category,
	    reason);
	return p->has_category ? OK : invalid(in, reason);
}

enum err
run_profile_fact_list(struct invocation *in)
{
	struct profile_list p = { .rows = "facts" };
	enum err e = take_options(in, &p);

	return e == OK ? profile_print_list(in, &p, print_fact) : e;
}
