#include "gateway/sensitive_inside.h"

/* ISO 13616: how long the IBANs of each country are. */
static const struct {
	char    country[3];
	uint8_t len;
} lengths[] = {
	{ "AD", 24 }, { "AE", 23 }, { "AL", 28 }, { "AT", 20 }, { "AZ", 28 }, { "BA", 20 }, { "BE", 16 }, { "BG", 22 },
	{ "BH", 22 }, { "BR", 29 }, { "BY", 28 }, { "CH", 21 }, { "CR", 22 }, { "CY", 28 }, { "CZ", 24 }, { "DE", 22 },
	{ "DK", 18 }, { "DO", 28 }, { "EE", 20 }, { "EG", 29 }, { "ES", 24 }, { "FI", 18 }, { "FO", 18 }, { "FR", 27 },
	{ "GB", 22 }, { "GE", 22 }, { "GI", 23 }, { "GL", 18 }, { "GR", 27 }, { "GT", 28 }, { "HR", 21 }, { "HU", 28 },
	{ "IE", 22 }, { "IL", 23 }, { "IQ", 23 }, { "IS", 26 }, { "IT", 27 }, { "JO", 30 }, { "KW", 30 }, { "KZ", 20 },
	{ "LB", 28 }, { "LC", 32 }, { "LI", 21 }, { "LT", 20 }, { "LU", 20 }, { "LV", 21 }, { "LY", 25 }, { "MC", 27 },
	{ "MD", 24 }, { "ME", 22 }, { "MK", 19 }, { "MR", 27 }, { "MT", 31 }, { "MU", 30 }, { "NL", 18 }, { "NO", 15 },
	{ "PK", 24 }, { "PL", 28 }, { "PS", 29 }, { "PT", 25 }, { "QA", 29 }, { "RO", 24 }, { "RS", 22 }, { "SA", 24 },
	{ "SC", 31 }, { "SE", 24 }, { "SI", 19 }, { "SK", 24 }, { "SM", 27 }, { "ST", 25 }, { "SV", 28 }, { "TL", 23 },
	{ "TN", 24 }, { "TR", 26 }, { "UA", 29 }, { "VA", 22 }, { "VG", 24 }, { "XK", 20 },
};

static size_t
length_at(struct span t, size_t i)
{
	for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
		if (sensitive_is(t, i, lengths[k].country))
			return lengths[k].len;
	return 0;
}

/* 0 .. 35, as the check of ISO 13616 reads a character. */
static unsigned
worth(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - (unsigned)'0';
	return (c | 0x20u) - (unsigned)'a' + 10;
}

static unsigned
push(unsigned rest, uint8_t c)
{
	unsigned v = worth(c);

	return (rest * (v > 9 ? 100 : 10) + v) % 97;
}

/* The next len characters, single blanks and dashes passed over; false when they are fewer, or go on. */
static bool
gather(struct span t, size_t i, size_t len, uint8_t *out)
{
	for (size_t n = 0; n < len; i++) {
		if (sensitive_alnum(t, i))
			out[n++] = t.p[i];
		else if (i >= t.len || (t.p[i] != ' ' && t.p[i] != '-') || !sensitive_alnum(t, i + 1))
			return false;
	}
	return !sensitive_alnum(t, i);
}

static bool
is_iban(struct span t, size_t i)
{
	uint8_t c[34];
	size_t len = length_at(t, i);
	unsigned rest = 0;

	if (len == 0 || !sensitive_digit(t, i + 2) || !sensitive_digit(t, i + 3))
		return false;
	if (!gather(t, i, len, c))
		return false;
	for (size_t k = 4; k < len; k++)
		rest = push(rest, c[k]);
	for (size_t k = 0; k < 4; k++)
		rest = push(rest, c[k]);
	return rest == 1;
}

enum sensitive
sensitive_iban(struct span t)
{
	for (size_t i = 0; i < t.len; i++)
		if (sensitive_letter(t, i) && !(i > 0 && sensitive_alnum(t, i - 1)) && is_iban(t, i))
			return SENSITIVE_IBAN;
	return SENSITIVE_NONE;
}
