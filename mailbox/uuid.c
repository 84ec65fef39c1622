#include <stddef.h>
#include <string.h>

#include "mailbox/uuid.h"

/* Where the dashes stand in 8-4-4-4-12. */
static bool
is_dash_place(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void
uuid_text(struct uuid id, char out[UUID_TEXT_LEN + 1])
{
	static const char digits[] = "0123456789abcdef";
	size_t nibble = 0;

	for (size_t i = 0; i < UUID_TEXT_LEN; i++) {
		if (is_dash_place(i)) {
			out[i] = '-';
			continue;
		}
		out[i] = digits[(id.b[nibble / 2] >> (nibble % 2 ? 0 : 4)) & 0xf];
		nibble++;
	}
	out[UUID_TEXT_LEN] = '\0';
}

enum err
uuid_parse(const char *text, struct uuid *out)
{
	struct uuid id = { { 0 } };
	size_t nibble = 0;

	if (strnlen(text, UUID_TEXT_LEN + 1) != UUID_TEXT_LEN)
		return ERR_INVALID_ARGUMENT;
	for (size_t i = 0; i < UUID_TEXT_LEN; i++) {
		int v;

		if (is_dash_place(i)) {
			if (text[i] != '-')
				return ERR_INVALID_ARGUMENT;
			continue;
		}
		if ((v = hex_value(text[i])) < 0)
			return ERR_INVALID_ARGUMENT;
		id.b[nibble / 2] = (uint8_t)(id.b[nibble / 2] << 4 | v);
		nibble++;
	}
	*out = id;
	return OK;
}

bool
uuid_is_zero(struct uuid id)
{
	static const struct uuid zero;

	return uuid_equal(id, zero);
}

bool
uuid_equal(struct uuid a, struct uuid b)
{
	return memcmp(a.b, b.b, UUID_LEN) == 0;
}

int
uuid_compare(struct uuid a, struct uuid b)
{
	return memcmp(a.b, b.b, UUID_LEN);
}

uint64_t
uuid_ms(struct uuid id)
{
	uint64_t ms = 0;

	for (size_t i = 0; i < 6; i++)
		ms = ms << 8 | id.b[i];
	return ms;
}
