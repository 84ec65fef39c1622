#include <stdlib.h>
#include <string.h>

#include "gateway/json_scan.h"
#include "mailbox/utf8.h"

struct scan {
	const uint8_t *p, *end;
	unsigned       depth;
	unsigned       n_tokens;
	struct span   *keys; /* of the objects that are open, innermost last */
	size_t         n_keys, cap;
};

static enum err scan_value(struct scan *s);

static void
skip_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool
take(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != (uint8_t)c)
		return false;
	s->p++;
	return true;
}

/* The next byte that is no blank, 0 at the end. */
static uint8_t
peek(struct scan *s)
{
	skip_blanks(s);
	return s->p == s->end ? 0 : *s->p;
}

static int
hex_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

/* Four hexadecimal digits after \u; false when they are not there. */
static bool
take_hex(const uint8_t **p, const uint8_t *end, uint32_t *out)
{
	int digit;

	*out = 0;
	if (end - *p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		if ((digit = hex_value(*(*p)++)) < 0)
			return false;
		*out = *out << 4 | (uint32_t)digit;
	}
	return true;
}

/* What stands after a backslash, as a code point. */
static bool
take_escape(const uint8_t **p, const uint8_t *end, uint32_t *point)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *at;
	uint32_t low;

	if (*p == end || **p == 0)
		return false;
	if ((at = strchr(letters, *(*p)++)) != NULL) {
		*point = (uint8_t)meant[at - letters];
		return true;
	}
	if ((*p)[-1] != 'u' || !take_hex(p, end, point) || *point == 0)
		return false;
	if (*point < 0xd800 || *point > 0xdfff)
		return true;
	if (*point > 0xdbff || end - *p < 2 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return false;
	*p += 2;
	if (!take_hex(p, end, &low) || low < 0xdc00 || low > 0xdfff)
		return false;
	*point = 0x10000 + ((*point - 0xd800) << 10 | (low - 0xdc00));
	return true;
}

/* One character of a string, escaped or not. */
static bool
take_point(const uint8_t **p, const uint8_t *end, uint32_t *point)
{
	size_t len;

	if (**p == '\\') {
		++*p;
		return take_escape(p, end, point);
	}
	if (**p < 0x20 || (len = utf8_take(*p, (size_t)(end - *p), point)) == 0)
		return false;
	*p += len;
	return true;
}

/* A string from its opening quote; *inner is what stands between the quotes. */
static enum err
scan_string(struct scan *s, struct span *inner)
{
	const uint8_t *start;
	uint32_t point;

	if (!take(s, '"'))
		return ERR_INVALID_CONTENT;
	start = s->p;
	while (s->p < s->end && *s->p != '"')
		if (!take_point(&s->p, s->end, &point))
			return ERR_INVALID_CONTENT;
	*inner = (struct span){ start, (size_t)(s->p - start) };
	return take(s, '"') ? OK : ERR_INVALID_CONTENT;
}

/* One or more digits. */
static bool
take_digits(struct scan *s)
{
	const uint8_t *start = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > start;
}

static enum err
scan_number(struct scan *s)
{
	const uint8_t *start = s->p;

	(void)take(s, '-');
	if (!take(s, '0') && !take_digits(s))
		return ERR_INVALID_CONTENT;
	if (take(s, '.') && !take_digits(s))
		return ERR_INVALID_CONTENT;
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '+'))
			(void)take(s, '-');
		if (!take_digits(s))
			return ERR_INVALID_CONTENT;
	}
	return s->p - start <= JSON_NUMBER_MAX ? OK : ERR_TOO_LARGE;
}

static enum err
scan_word(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0)
		return ERR_INVALID_CONTENT;
	s->p += len;
	return OK;
}

int
json_scan_compare(struct span a, struct span b)
{
	const uint8_t *p = a.p, *q = b.p, *p_end = a.p + a.len, *q_end = b.p + b.len;
	uint32_t x = 0, y = 0;

	while (p < p_end && q < q_end) {
		if (!take_point(&p, p_end, &x) || !take_point(&q, q_end, &y))
			return -1;
		if (x != y)
			return x < y ? -1 : 1;
	}
	return (p < p_end) - (q < q_end);
}

static int
compare_keys(const void *a, const void *b)
{
	return json_scan_compare(*(const struct span *)a, *(const struct span *)b);
}

static enum err
remember_key(struct scan *s, struct span key)
{
	struct span *more;
	size_t cap = s->cap == 0 ? 16 : 2 * s->cap;

	if (s->n_keys == s->cap) {
		if ((more = realloc(s->keys, cap * sizeof *more)) == NULL)
			return ERR_NO_MEMORY;
		s->keys = more;
		s->cap = cap;
	}
	s->keys[s->n_keys++] = key;
	return OK;
}

/* Forgets the keys of the innermost object, which start at first. Sorting keeps thousands of them cheap. */
static enum err
close_object(struct scan *s, size_t first)
{
	size_t n = s->n_keys - first;

	s->n_keys = first;
	if (n < 2)
		return OK;
	qsort(s->keys + first, n, sizeof *s->keys, compare_keys);
	for (size_t i = first + 1; i < first + n; i++)
		if (json_scan_compare(s->keys[i - 1], s->keys[i]) == 0)
			return ERR_INVALID_CONTENT;
	return OK;
}

static enum err
scan_member(struct scan *s)
{
	struct span key;
	enum err e;

	skip_blanks(s);
	if (++s->n_tokens > JSON_TOKENS_MAX)
		return ERR_TOO_LARGE;
	if ((e = scan_string(s, &key)) != OK || (e = remember_key(s, key)) != OK)
		return e;
	skip_blanks(s);
	return take(s, ':') ? scan_value(s) : ERR_INVALID_CONTENT;
}

static enum err
scan_object(struct scan *s)
{
	size_t first = s->n_keys;
	enum err e;

	s->p++;
	if (peek(s) == '}') {
		s->p++;
		return OK;
	}
	do {
		if ((e = scan_member(s)) != OK)
			return e;
		skip_blanks(s);
	} while (take(s, ','));
	return take(s, '}') ? close_object(s, first) : ERR_INVALID_CONTENT;
}

static enum err
scan_array(struct scan *s)
{
	enum err e;

	s->p++;
	if (peek(s) == ']') {
		s->p++;
		return OK;
	}
	do {
		if ((e = scan_value(s)) != OK)
			return e;
		skip_blanks(s);
	} while (take(s, ','));
	return take(s, ']') ? OK : ERR_INVALID_CONTENT;
}

static enum err
scan_nested(struct scan *s)
{
	enum err e;

	if (s->depth == JSON_DEPTH_MAX)
		return ERR_TOO_LARGE;
	s->depth++;
	e = *s->p == '{' ? scan_object(s) : scan_array(s);
	s->depth--;
	return e;
}

static enum err
scan_value(struct scan *s)
{
	struct span inner;

	if (++s->n_tokens > JSON_TOKENS_MAX)
		return ERR_TOO_LARGE;
	switch (peek(s)) {
	case '{':
	case '[':
		return scan_nested(s);
	case '"':
		return scan_string(s, &inner);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	default:
		return scan_number(s);
	}
}

enum err
json_scan(struct span text)
{
	struct scan s = { .p = text.p, .end = text.p + text.len };
	enum err e;

	if (text.len == 0)
		return ERR_INVALID_CONTENT;
	if (text.len > JSON_TEXT_MAX)
		return ERR_TOO_LARGE;
	e = scan_value(&s);
	free(s.keys);
	skip_blanks(&s);
	return e == OK && s.p != s.end ? ERR_INVALID_CONTENT : e;
}
