#include <stdio.h>
#include <string.h>

#include "gateway/json_raw.h"
#include "gateway/visible.h"
#include "tools/command/profile_proposal.h"

static bool
is(struct span s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.p, word, s.len) == 0;
}

void
profile_proposal_who(struct invocation *in, struct client *c, const struct json *row, char out[PROPOSER_MAX])
{
	struct span id = profile_text(row, "connection");
	struct profile_connection found;
	char text[UUID_TEXT_LEN + 1];
	struct uuid connection;

	out[0] = '\0';
	snprintf(text, sizeof text, "%.*s", (int)id.len, (const char *)id.p);
	if (uuid_parse(text, &connection) == OK && profile_connection_find(in, c, connection, &found) == OK)
		snprintf(out, PROPOSER_MAX, "%.*s", (int)found.row.name.len, (const char *)found.row.name.p);
	in->detail[0] = '\0';
}

static void
show_field(struct shown *out, const char *name, struct span text)
{
	shown_line(out, "%s", name);
	shown_safe(out, text);
	shown_line(out, "\n");
}

/* One line where nothing changes, else the old above the new. */
static void
show_change(struct shown *out, const char *name, bool has_old, struct span old, struct span new)
{
	if (has_old && old.len == new.len && memcmp(old.p, new.p, old.len) == 0) {
		shown_line(out, "  %-8s   ", name);
		shown_safe(out, old);
		shown_line(out, "\n");
		return;
	}
	if (has_old) {
		shown_line(out, "- %-8s   ", name);
		shown_safe(out, old);
		shown_line(out, "\n");
	}
	shown_line(out, "+ %-8s   ", name);
	shown_safe(out, new);
	shown_line(out, "\n");
}

static void
show_head(struct shown *out, const struct json *row, const char *who)
{
	struct span op = profile_text(row, "op"), target = profile_text(row, "target_fact_id");

	shown_line(out, "proposal ");
	shown_safe(out, profile_text(row, "id"));
	shown_line(out, ": %s", is(op, "archive") ? "archive fact " : is(op, "update") ? "update fact " : "add a fact");
	shown_safe(out, target);
	shown_line(out, "\nby connection ");
	shown_safe(out, profile_text(row, "connection"));
	if (who[0] != '\0') {
		shown_line(out, ", which calls itself \"");
		shown_safe(out, (struct span){ (const uint8_t *)who, strlen(who) });
		shown_line(out, "\"");
	}
	shown_line(out, ", ");
	shown_safe(out, profile_text(row, "created_at"));
	shown_line(out, ", until ");
	shown_safe(out, profile_text(row, "expires_at"));
	shown_line(out, "\n");
	if (profile_text(row, "evidence").len > 0)
		show_field(out, "evidence: ", profile_text(row, "evidence"));
}

static struct span
name_of(enum category c)
{
	return (struct span){ (const uint8_t *)category_name(c), strlen(category_name(c)) };
}

static size_t
hidden(const struct json *row, const struct fact_form *f)
{
	return visible_count_hidden(f != NULL && f->label.p != NULL ? f->label : profile_text(row, "label")) +
	    visible_count_hidden(f != NULL && f->value.p != NULL ? f->value : profile_text(row, "value")) +
	    visible_count_hidden(profile_text(row, "evidence"));
}

/* What is left out of an update stays as it is. */
static struct span
new_of(struct span given, const struct json *row, const struct json *now, const char *name)
{
	if (given.p != NULL)
		return given;
	return now != NULL && profile_text(row, name).len == 0 ? profile_text(now, name) : profile_text(row, name);
}

static void
show_fields(struct shown *out, const struct json *row, const struct json *now, const struct fact_form *f)
{
	static const struct fact_form nothing;
	const struct fact_form *g = f != NULL ? f : &nothing;
	struct span category = g->has_category ? name_of(g->category) : (struct span){ NULL, 0 };

	show_change(out, "category", now != NULL, profile_text(now, "category"), new_of(category, row, now, "category"));
	show_change(out, "label", now != NULL, profile_text(now, "label"), new_of(g->label, row, now, "label"));
	show_change(out, "value", now != NULL, profile_text(now, "value"), new_of(g->value, row, now, "value"));
}

void
profile_proposal_show(const struct json *row, const char *who, const struct fact_form *f, struct shown *out)
{
	const struct json *now = NULL;
	size_t n_hidden = hidden(row, f);

	show_head(out, row, who);
	if (json_object(row, "now", &now) != JSON_GOT)
		now = NULL;
	if (!is(profile_text(row, "op"), "archive")) {
		show_fields(out, row, now, f);
	} else if (now != NULL) {
		show_field(out, "- category   ", profile_text(now, "category"));
		show_field(out, "- label      ", profile_text(now, "label"));
		show_field(out, "- value      ", profile_text(now, "value"));
	}
	if (profile_flag(row, "sensitive"))
		shown_line(out, "It looks like a secret, or the number of a card or a person; a fact of it is never shared.\n");
	if (profile_flag(row, "conflict"))
		shown_line(out, "The fact %s since this was proposed, so it cannot be confirmed.\n",
		    now != NULL ? "was changed" : "went away");
	if (n_hidden > 0)
		shown_line(out, "%zu characters that hide, have no width or turn others around are shown as their numbers.\n",
		    n_hidden);
}

/* Its members as they came. */
static void
copy_members(struct json_writer *w, struct span raw, const struct json *row)
{
	struct span value;

	for (const struct json *m = json_first(row); m != NULL; m = json_next(m))
		if (json_raw_member(raw, json_name(m), &value)) {
			json_write_key(w, json_name(m));
			json_write_raw(w, value);
		}
}

void
profile_proposal_json(struct json_writer *w, struct span raw, const struct json *row, const char *who)
{
	json_write_object(w);
	copy_members(w, raw, row);
	json_write_key(w, "client");
	if (who[0] != '\0')
		json_write_text(w, who);
	else
		json_write_null(w);
	json_member_u64(w, "hidden_characters", hidden(row, NULL));
	json_write_end(w);
}
