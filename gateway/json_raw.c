#include <string.h>

#include "gateway/json_raw.h"
#include "gateway/json_scan.h"

static void
skip(struct span *s, size_t n)
{
	if (n > s->len)
		n = s->len;
	s->p += n;
	s->len -= n;
}

static void
skip_blanks(struct span *s)
{
	while (s->len > 0 && strchr(" \t\n\r", *s->p) != NULL && *s->p != 0)
		skip(s, 1);
}

static bool
take(struct span *s, char c)
{
	skip_blanks(s);
	if (s->len == 0 || *s->p != (uint8_t)c)
		return false;
	skip(s, 1);
	return true;
}

static void
skip_string(struct span *s)
{
	skip(s, 1);
	while (s->len > 0 && *s->p != '"')
		skip(s, *s->p == '\\' ? 2 : 1);
	skip(s, 1);
}

/* An object or an array: to the bracket that closes it. The scan has paired them. */
static void
skip_nested(struct span *s)
{
	unsigned depth = 0;

	do {
		if (*s->p == '"') {
			skip_string(s);
			continue;
		}
		if (*s->p == '{' || *s->p == '[')
			depth++;
		else if (*s->p == '}' || *s->p == ']')
			depth--;
		skip(s, 1);
	} while (depth > 0 && s->len > 0);
}

static struct span
take_value(struct span *s)
{
	const uint8_t *start;

	skip_blanks(s);
	start = s->p;
	if (s->len > 0 && *s->p == '"')
		skip_string(s);
	else if (s->len > 0 && (*s->p == '{' || *s->p == '['))
		skip_nested(s);
	else
		while (s->len > 0 && strchr(",]} \t\n\r", *s->p) == NULL)
			skip(s, 1);
	return (struct span){ start, (size_t)(s->p - start) };
}

bool
json_raw_member(struct span object, const char *name, struct span *value)
{
	struct span wanted = { (const uint8_t *)name, strlen(name) }, key, found;

	if (!take(&object, '{'))
		return false;
	do {
		key = take_value(&object);
		if (key.len < 2 || !take(&object, ':'))
			return false;
		found = take_value(&object);
		key = (struct span){ key.p + 1, key.len - 2 };
		if (json_scan_compare(key, wanted) == 0) {
			*value = found;
			return true;
		}
	} while (take(&object, ','));
	return false;
}

bool
json_raw_element(struct span *rest, struct span *element)
{
	struct span value;

	if (!take(rest, '[') && !take(rest, ','))
		return false;
	value = take_value(rest);
	if (value.len == 0)
		return false;
	*element = value;
	return true;
}
