#include <string.h>
#include <strings.h>

#include "gateway/hex.h"
#include "gateway/reference.h"
#include "mailbox/utf8.h"

static const char scheme[] = "secret://";

#define SCHEME_LEN (sizeof scheme - 1)

static bool
is_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool
one_of(uint8_t c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* What ends a name that is not percent-encoded. */
static bool
ends_name(uint32_t point)
{
	if (point < 0x80)
		return point <= 0x20 || point == 0x7f || one_of((uint8_t)point, "/\"'`<>()[]{}\\^|?#");
	return point < 0xa1 || (point >= 0x2000 && point <= 0x206f) || (point >= 0x3000 && point <= 0x303f) ||
	    (point >= 0xff00 && point <= 0xff0f) || (point >= 0xff1a && point <= 0xff20) ||
	    (point >= 0xff3b && point <= 0xff40) || (point >= 0xff5b && point <= 0xff65);
}

/* The byte that %XX at the start of s stands for; -1 for none, and for a NUL. */
static int
decoded(struct span s)
{
	int high, low;

	if (s.len < 3 || (high = hex_digit(s.p[1])) < 0 || (low = hex_digit(s.p[2])) < 0 || high + low == 0)
		return -1;
	return high << 4 | low;
}

/* The vault's name at the start of s, decoded, and how much of s it takes; false when it is none. */
static bool
take_name(struct span s, char name[REFERENCE_NAME_MAX + 1], size_t *len)
{
	size_t n = 0, i = 0, step;
	uint32_t point;
	int byte;

	for (; i < s.len && s.p[i] != '/'; i += step) {
		if (s.p[i] == '%') {
			if ((byte = decoded((struct span){ s.p + i, s.len - i })) < 0 || n == REFERENCE_NAME_MAX)
				return false;
			name[n++] = (char)byte;
			step = 3;
			continue;
		}
		if ((step = utf8_take(s.p + i, s.len - i, &point)) == 0 || ends_name(point) || n + step > REFERENCE_NAME_MAX)
			return false;
		memcpy(name + n, s.p + i, step);
		n += step;
	}
	name[n] = '\0';
	*len = i;
	return n > 0 && utf8_valid((struct span){ (const uint8_t *)name, n });
}

static bool
take_id(struct span s, struct uuid *out)
{
	char text[UUID_TEXT_LEN + 1];

	if (s.len < UUID_TEXT_LEN)
		return false;
	memcpy(text, s.p, UUID_TEXT_LEN);
	text[UUID_TEXT_LEN] = '\0';
	return uuid_parse(text, out) == OK && !uuid_is_zero(*out);
}

/* A reference whose scheme begins at that place. */
static bool
take(struct span text, size_t at, struct reference *out)
{
	struct span rest = { text.p + at + SCHEME_LEN, text.len - at - SCHEME_LEN };
	struct reference r = { .at = at };
	size_t len;

	if (at > 0 && (is_word(text.p[at - 1]) || one_of(text.p[at - 1], "+-.")))
		return false;
	if (!take_name(rest, r.name, &len) || rest.len - len < 1 + UUID_TEXT_LEN)
		return false;
	rest = (struct span){ rest.p + len + 1, rest.len - len - 1 };
	if (!take_id(rest, &r.credential))
		return false;
	if (rest.len > UUID_TEXT_LEN && (is_word(rest.p[UUID_TEXT_LEN]) || one_of(rest.p[UUID_TEXT_LEN], "_-/%")))
		return false;
	if (uuid_parse(r.name, &r.vault) == OK && !uuid_is_zero(r.vault))
		r.name[0] = '\0';
	else
		r.vault = (struct uuid){ { 0 } };
	r.len = SCHEME_LEN + len + 1 + UUID_TEXT_LEN;
	*out = r;
	return true;
}

bool
reference_find(struct span text, size_t from, struct reference *out)
{
	for (size_t i = from; i < text.len && text.len - i > SCHEME_LEN; i++)
		if ((text.p[i] | 0x20) == 's' && strncasecmp((const char *)text.p + i, scheme, SCHEME_LEN) == 0 &&
		    take(text, i, out))
			return true;
	return false;
}

bool
reference_is(struct span text, struct reference *out)
{
	struct reference r;

	if (!reference_find(text, 0, &r) || r.at != 0 || r.len != text.len)
		return false;
	*out = r;
	return true;
}
