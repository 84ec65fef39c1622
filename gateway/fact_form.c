#include <stdio.h>
#include <string.h>

#include "gateway/fact_form.h"
#include "gateway/span.h"
#include "mailbox/utf8.h"

/* A text that grows in memory that is wiped. */
struct text {
	uint8_t p[4096];
	struct wire_out o;
};

static void
put(struct text *t, struct span s)
{
	wire_put_bytes(&t->o, s.p, s.len);
}

static void
put_text(struct text *t, const char *s)
{
	put(t, span_of(s));
}

static void
put_line(struct text *t, const char *name, struct span value)
{
	put_text(t, name);
	put_text(t, ": ");
	put(t, value);
	put_text(t, "\n");
}

static void
put_note(struct text *t, const char *note)
{
	for (const char *end; *note != '\0'; note = *end != '\0' ? end + 1 : end) {
		end = strchrnul(note, '\n');
		put_text(t, "# ");
		put(t, (struct span){ (const uint8_t *)note, (size_t)(end - note) });
		put_text(t, "\n");
	}
}

enum err
fact_form_text(const char *note, const struct fact_form *f, struct secret **out)
{
	struct text t;
	enum err e;

	t.o = wire_out(t.p, sizeof t.p);
	put_note(&t, note);
	if (f->has_category)
		put_line(&t, "category", span_of(category_name(f->category)));
	if (f->label.p != NULL)
		put_line(&t, "label", f->label);
	if (f->evidence.p != NULL)
		put_line(&t, "evidence", f->evidence);
	if (f->has_uncertain)
		put_line(&t, "uncertain", span_of(f->uncertain ? "yes" : "no"));
	put_text(&t, "\n");
	if (f->value.p != NULL)
		put(&t, f->value);
	put_text(&t, "\n");
	if (t.o.failed) {
		e = ERR_TOO_LARGE;
	} else if ((e = secret_new(t.o.len, out)) == OK) {
		memcpy(secret_bytes(*out), t.p, t.o.len);
	}
	wipe(t.p, t.o.len);
	return e;
}

static bool
blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span
trimmed(struct span s)
{
	while (s.len > 0 && blank(s.p[s.len - 1]))
		s.len--;
	while (s.len > 0 && blank(s.p[0])) {
		s.p++;
		s.len--;
	}
	return s;
}

/* The next line without its end; false at the end. */
static bool
take_line(struct span *rest, struct span *line)
{
	const uint8_t *end;

	if (rest->len == 0)
		return false;
	end = memchr(rest->p, '\n', rest->len);
	*line = (struct span){ rest->p, end != NULL ? (size_t)(end - rest->p) : rest->len };
	rest->p += line->len + (end != NULL);
	rest->len -= line->len + (end != NULL);
	return true;
}

static bool
named(struct span line, const char *name, struct span *value)
{
	size_t len = strlen(name);

	if (line.len <= len || memcmp(line.p, name, len) != 0 || line.p[len] != ':')
		return false;
	*value = trimmed((struct span){ line.p + len + 1, line.len - len - 1 });
	return true;
}

static bool
is(struct span s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.p, word, s.len) == 0;
}

bool
fact_form_category(struct span name, enum category *out, char reason[DRAFT_REASON_MAX])
{
	int n;

	if (category_of_name((const char *)name.p, name.len, out))
		return true;
	n = snprintf(reason, DRAFT_REASON_MAX, "a category is one of");
	for (unsigned c = 0; c < CATEGORY__COUNT && n > 0 && n < DRAFT_REASON_MAX; c++)
		n += snprintf(reason + n, DRAFT_REASON_MAX - (size_t)n, "%s %s", c > 0 ? "," : "", category_name((enum category)c));
	return false;
}

static bool
refuse(char reason[DRAFT_REASON_MAX], const char *sentence)
{
	snprintf(reason, DRAFT_REASON_MAX, "%s", sentence);
	return false;
}

/* One line of the header. */
static bool
take_header(struct span line, struct fact_form *f, char reason[DRAFT_REASON_MAX])
{
	struct span value;

	if (named(line, "category", &value)) {
		f->has_category = true;
		return fact_form_category(value, &f->category, reason);
	}
	if (named(line, "label", &f->label) || named(line, "evidence", &f->evidence))
		return true;
	if (!named(line, "uncertain", &value))
		return refuse(reason, "above the empty line stand category, label, evidence and uncertain, each with a colon");
	if (!is(value, "yes") && !is(value, "no"))
		return refuse(reason, "uncertain is yes or no");
	f->has_uncertain = true;
	f->uncertain = is(value, "yes");
	return true;
}

enum err
fact_form_take(struct span text, struct fact_form *out, char reason[DRAFT_REASON_MAX])
{
	struct fact_form f = { .has_category = false };
	struct span rest = text, line;

	while (take_line(&rest, &line)) {
		if (line.len > 0 && line.p[0] == '#')
			continue;
		if (trimmed(line).len == 0)
			break;
		if (!take_header(line, &f, reason))
			return ERR_INVALID_CONTENT;
	}
	f.value = trimmed(rest);
	if (!fact_form_good(&f, reason))
		return ERR_INVALID_CONTENT;
	*out = f;
	return OK;
}

/* How many characters; SIZE_MAX when one of them ends a line, is a control, or no UTF-8. */
static size_t
characters(struct span s)
{
	size_t n = 0, len;
	uint32_t point;

	for (size_t i = 0; i < s.len; i += len, n++) {
		len = utf8_take(s.p + i, s.len - i, &point);
		if (len == 0 || point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x2028 || point == 0x2029)
			return SIZE_MAX;
	}
	return n;
}

bool
fact_form_good(const struct fact_form *f, char reason[DRAFT_REASON_MAX])
{
	const struct {
		const char *name;
		struct span text;
		size_t      max;
		bool        may_be_empty;
	} parts[] = {
		{ "the label", f->label, FACT_LABEL_MAX, false },
		{ "the value", f->value, FACT_VALUE_MAX, false },
		{ "the evidence", f->evidence, FACT_EVIDENCE_MAX, true },
	};

	for (size_t i = 0; i < 3; i++) {
		size_t n = characters(parts[i].text);

		if (parts[i].text.p == NULL || (n > 0 && n <= parts[i].max) || (n == 0 && parts[i].may_be_empty))
			continue;
		snprintf(reason, DRAFT_REASON_MAX, n == 0 ? "%s is empty"
		    : n == SIZE_MAX ? "%s is not one line of UTF-8 without control characters"
		    : "%s is longer than %zu characters", parts[i].name, parts[i].max);
		return false;
	}
	return true;
}

void
fact_form_put(struct json_writer *w, const struct fact_form *f)
{
	if (f->has_category)
		json_member_text(w, "category", category_name(f->category));
	if (f->label.p != NULL)
		json_member_string(w, "label", f->label);
	if (f->value.p != NULL)
		json_member_string(w, "value", f->value);
	if (f->evidence.p != NULL)
		json_member_string(w, "evidence", f->evidence);
	if (f->has_uncertain)
		json_member_bool(w, "uncertain", f->uncertain);
}
