/* profile connection show: its rights, what it may see, and what it has seen. */
#include <stdio.h>
#include <string.h>

#include "tools/command/profile.h"
#include "tools/command/profile_seen.h"

#define LABELS 50 /* that the profile looks up at a time */

struct show {
	struct invocation        *in;
	struct client            *c;
	struct profile_connection connection;
	struct seen               seen;
	size_t                    n_sees;
	bool                      closed; /* the profile is: nothing has a name */
	bool                      damaged; /* the log ends before its end */
	struct json_writer        w;
};

static bool
is_id(struct span text, struct uuid id)
{
	char wanted[UUID_TEXT_LEN + 1];

	uuid_text(id, wanted);
	return text.len == UUID_TEXT_LEN && memcmp(text.p, wanted, UUID_TEXT_LEN) == 0;
}

/* Shared with it as it is now, neither archived nor uncertain nor sensitive, and of a category that the connection allows. */
static bool
sees(const struct show *s, const struct json *row)
{
	struct span category = profile_text(row, "category");
	const struct json *all;
	enum category k;

	if (s->connection.row.revoked != CONNECTION_LIVES || profile_flag(row, "archived") ||
	    profile_flag(row, "uncertain") || profile_flag(row, "sensitive") ||
	    !category_of_name((const char *)category.p, category.len, &k) || (s->connection.row.categories >> k & 1) == 0 ||
	    (s->connection.row.scopes >> SCOPE_READ & 1) == 0 || json_array(row, "shared_with", &all) != JSON_GOT)
		return false;
	for (const struct json *one = json_first(all); one != NULL; one = json_next(one))
		if (is_id(profile_text(one, "connection"), s->connection.row.connection))
			return profile_flag(one, "confirmed");
	return false;
}

static enum err
show_fact(void *arg, struct span raw, const struct json *row)
{
	struct show *s = arg;

	(void)raw;
	if (!sees(s, row))
		return OK;
	s->n_sees++;
	if (!s->in->json) {
		print_line("  ");
		print_safe(profile_text(row, "id"));
		print_line("  ");
		print_safe(profile_text(row, "category"));
		print_line("  version %llu  ", (unsigned long long)profile_number(row, "version"));
		print_safe(profile_text(row, "label"));
		return print_line("\n");
	}
	json_write_object(&s->w);
	json_member_string(&s->w, "fact", profile_text(row, "id"));
	json_member_string(&s->w, "category", profile_text(row, "category"));
	json_member_string(&s->w, "label", profile_text(row, "label"));
	json_member_u64(&s->w, "version", profile_number(row, "version"));
	json_write_end(&s->w);
	return OK;
}

static enum err
show_facts(struct show *s)
{
	struct profile_list l = { .rows = "facts" };
	enum err e;

	if (!s->in->json)
		print_line("It may see now\n");
	json_write_key(&s->w, "sees");
	if (s->closed) {
		json_write_null(&s->w);
		return s->in->json ? OK : print_line("  (the profile is not open)\n");
	}
	json_write_array(&s->w);
	if ((e = profile_walk(s->in, s->c, &l, show_fact, s)) == OK && s->n_sees == 0 && !s->in->json)
		print_line("  nothing\n");
	return e;
}

static void
name_fact(struct seen_fact *f, const struct json *row)
{
	struct span label = profile_text(row, "label");

	f->there = json_string(row, "label", &label) == JSON_GOT;
	f->current = profile_flag(row, "current");
	f->archived = profile_flag(row, "archived");
	snprintf(f->label, sizeof f->label, "%.*s", (int)label.len, (const char *)label.p);
}

/* The labels of today of some facts from the i-th on. */
static enum err
name_some(struct show *s, size_t from, size_t n)
{
	struct client_profile_want want = { .op = OP_PROFILE_LIST };
	const struct json *all, *row;
	struct json_writer w = { 0 };
	struct profile_answer a;
	enum err e;

	profile_request(&w, "labels");
	json_write_key(&w, "refs");
	json_write_array(&w);
	for (size_t i = from; i < from + n; i++) {
		json_write_object(&w);
		json_member_id(&w, "fact", s->seen.facts[i].fact);
		json_member_id(&w, "revision", s->seen.facts[i].revision);
		json_write_end(&w);
	}
	json_write_end(&w);
	json_write_end(&w);
	if ((e = profile_ask(s->in, s->c, &want, &w, &a)) != OK)
		return e;
	if (json_array(a.root, "labels", &all) == JSON_GOT) {
		row = json_first(all);
		for (size_t i = from; i < from + n && row != NULL; i++, row = json_next(row))
			name_fact(&s->seen.facts[i], row);
	}
	profile_answer_free(&a);
	return OK;
}

static enum err
name_all(struct show *s)
{
	enum err e = OK;

	for (size_t i = 0; i < s->seen.n_facts && e == OK && !s->closed; i += LABELS)
		e = name_some(s, i, s->seen.n_facts - i < LABELS ? s->seen.n_facts - i : LABELS);
	return e;
}

static void
write_seen(struct json_writer *w, const struct seen_fact *f)
{
	json_write_object(w);
	json_member_id(w, "fact", f->fact);
	json_member_id(w, "revision", f->revision);
	json_write_key(w, "label");
	if (f->there)
		json_write_text(w, f->label);
	else
		json_write_null(w);
	json_member_bool(w, "current", f->current);
	json_member_bool(w, "archived", f->archived);
	json_member_time(w, "first_at", f->first);
	json_member_time(w, "last_at", f->last);
	json_member_u64(w, "times", f->times);
	json_write_end(w);
}

static void
print_seen(const struct show *s, const struct seen_fact *f)
{
	char fact[UUID_TEXT_LEN + 1], first[CLOCK_TEXT_LEN + 1], last[CLOCK_TEXT_LEN + 1];

	uuid_text(f->fact, fact);
	clock_text(f->first, first);
	clock_text(f->last, last);
	print_line("  %s  %s  %s  %llu times  ", fact, first, last, (unsigned long long)f->times);
	print_safe((struct span){ (const uint8_t *)f->label, strlen(f->label) });
	print_line("%s\n", s->closed ? "" : !f->there ? "(gone)" : f->archived ? "  archived since"
	    : f->current ? "" : "  changed since");
}

static void
show_seen(struct show *s)
{
	json_write_key(&s->w, "seen");
	json_write_array(&s->w);
	if (!s->in->json)
		print_line(s->seen.n_facts > 0 ? "It has seen, for the first and the last time\n" : "It has seen nothing\n");
	for (size_t i = 0; i < s->seen.n_facts; i++)
		if (s->in->json)
			write_seen(&s->w, &s->seen.facts[i]);
		else
			print_seen(s, &s->seen.facts[i]);
	json_write_end(&s->w);
}

static void
show_reads(struct show *s)
{
	char time[CLOCK_TEXT_LEN + 1];

	json_write_key(&s->w, "records");
	json_write_array(&s->w);
	if (!s->in->json)
		print_line("Records of it, the newest %zu of %llu\n", s->seen.n_reads, (unsigned long long)s->seen.n_all);
	for (size_t i = 0; i < s->seen.n_reads; i++) {
		const struct seen_read *r = seen_read_at(&s->seen, i);

		clock_text(r->time, time);
		if (!s->in->json) {
			print_line("  %8llu  %s  %-16s  %zu facts\n", (unsigned long long)r->index, time, op_name(r->op), r->n_facts);
			continue;
		}
		json_write_object(&s->w);
		json_member_u64(&s->w, "index", r->index);
		json_member_text(&s->w, "time", time);
		json_member_text(&s->w, "operation", op_name(r->op));
		json_member_u64(&s->w, "facts", r->n_facts);
		json_write_end(&s->w);
	}
	json_write_end(&s->w);
}

static enum err
show(struct show *s)
{
	enum err e;

	json_write_object(&s->w);
	profile_connection_json(&s->w, &s->connection.row);
	if (!s->in->json)
		profile_connection_print(&s->connection.row);
	if ((e = show_facts(s)) != OK)
		return e;
	if (!s->closed)
		json_write_end(&s->w);
	show_seen(s);
	show_reads(s);
	json_member_u64(&s->w, "n_records", s->seen.n_all);
	json_write_end(&s->w);
	return s->in->json ? print_json(&s->w) : OK;
}

/* What must be known before anything is shown. */
static enum err
collect(struct show *s, struct uuid id, size_t limit)
{
	enum err e;

	if ((e = profile_connection_find(s->in, s->c, id, &s->connection)) != OK)
		return e;
	e = profile_check_open(s->in, s->c);
	s->closed = e == ERR_PROFILE_OFF;
	if (e != OK && !s->closed)
		return e;
	e = seen_read_log(id, limit, &s->seen);
	s->damaged = e == ERR_AUDIT_TAMPERED;
	if (s->damaged)
		explain(s->in, s->in->json ? "without --json what holds of it is shown" : "what is shown is what holds of it");
	/* JSON is one value, the error. */
	if (s->damaged && s->in->json)
		return e;
	return e == OK || s->damaged ? name_all(s) : e;
}

enum err
run_profile_connection_show(struct invocation *in)
{
	struct show s = { .in = in };
	struct uuid id;
	uint64_t limit;
	enum err e;

	if ((e = positional_id(in, 0, "CONNECTION", &id)) != OK || (e = option_u64(in, "--limit", 1, 1000, 100, &limit)) != OK)
		return e;
	if ((e = owner_open(in, &s.c)) == OK && (e = collect(&s, id, (size_t)limit)) == OK)
		e = show(&s);
	client_close(&s.c);
	json_write_free(&s.w);
	seen_free(&s.seen);
	/* What holds is shown, and then that the rest does not. */
	return e == OK && s.damaged ? ERR_AUDIT_TAMPERED : e;
}
