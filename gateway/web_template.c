#include "gateway/span.h"
#include "gateway/web_template.h"

#define DEPTH_MAX 4

/* The scopes that are open, the innermost last. */
struct scopes {
	const struct web_scope *at[DEPTH_MAX];
	size_t                  n;
};

static bool write_all(struct span t, const struct scopes *scopes, struct wire_out *out);

static void
put(struct wire_out *out, const char *text)
{
	wire_put_bytes(out, text, strlen(text));
}

static void
put_escaped(struct wire_out *out, struct span text)
{
	for (size_t i = 0; i < text.len; i++)
		switch (text.p[i]) {
		case '&':
			put(out, "&amp;");
			break;
		case '<':
			put(out, "&lt;");
			break;
		case '>':
			put(out, "&gt;");
			break;
		case '"':
			put(out, "&quot;");
			break;
		case '\'':
			put(out, "&#39;");
			break;
		default:
			wire_put_u8(out, text.p[i]);
		}
}

/* Where a text begins in another; its length when it does not. */
static size_t
find(struct span t, const char *text)
{
	size_t len = strlen(text), i = 0;

	while (i + len <= t.len && memcmp(t.p + i, text, len) != 0)
		i++;
	return i + len <= t.len ? i : t.len;
}

static bool
write_value(struct span name, const struct scopes *scopes, struct wire_out *out)
{
	for (size_t s = scopes->n; s-- > 0;)
		for (size_t i = 0; i < scopes->at[s]->n_values; i++)
			if (span_is(name, scopes->at[s]->values[i].name)) {
				put_escaped(out, scopes->at[s]->values[i].text);
				return true;
			}
	return false;
}

static const struct web_part *
find_part(struct span name, const struct scopes *scopes)
{
	for (size_t s = scopes->n; s-- > 0;)
		for (size_t i = 0; i < scopes->at[s]->n_parts; i++)
			if (span_is(name, scopes->at[s]->parts[i].name))
				return &scopes->at[s]->parts[i];
	return NULL;
}

static bool
write_part(struct span name, struct span inner, const struct scopes *scopes, struct wire_out *out)
{
	const struct web_part *part = find_part(name, scopes);
	struct scopes deeper = *scopes;

	if (part == NULL || scopes->n == DEPTH_MAX)
		return false;
	deeper.n++;
	for (size_t i = 0; i < part->n; i++) {
		deeper.at[scopes->n] = &part->each[i];
		if (!write_all(inner, &deeper, out))
			return false;
	}
	return true;
}

/* The end of the part that was opened: where its closing mark begins. */
static size_t
find_close(struct span t, struct span name, size_t *after)
{
	size_t i = 0;

	while ((i += find(span_after(t, i), "{{/")) < t.len) {
		struct span rest = span_after(t, i + 3);

		if (rest.len >= name.len + 2 && memcmp(rest.p, name.p, name.len) == 0 &&
		    memcmp(rest.p + name.len, "}}", 2) == 0) {
			*after = i + 3 + name.len + 2;
			return i;
		}
		i += 3;
	}
	return t.len;
}

/* What stands between the braces at the start of *t, which then goes on behind it. */
static bool
write_mark(struct span *t, const struct scopes *scopes, struct wire_out *out)
{
	size_t end = find(*t, "}}"), close, after = 0;
	struct span name = { t->p + 2, end - 2 };

	if (end == t->len)
		return false;
	*t = span_after(*t, end + 2);
	if (!span_starts(name, "#"))
		return write_value(name, scopes, out);
	name = span_after(name, 1);
	close = find_close(*t, name, &after);
	if (close == t->len || !write_part(name, (struct span){ t->p, close }, scopes, out))
		return false;
	*t = span_after(*t, after);
	return true;
}

static bool
write_all(struct span t, const struct scopes *scopes, struct wire_out *out)
{
	while (t.len > 0) {
		size_t n = find(t, "{{");

		wire_put_bytes(out, t.p, n);
		t = span_after(t, n);
		if (t.len > 0 && !write_mark(&t, scopes, out))
			return false;
	}
	return !out->failed;
}

bool
web_template_write(struct span template, const struct web_scope *scope, struct wire_out *out)
{
	struct scopes scopes = { { scope }, 1 };

	return write_all(template, &scopes, out);
}
