#include <string.h>

#include "escrow/secret.h"
#include "gateway/sensitive_inside.h"
#include "gateway/visible.h"
#include "mailbox/utf8.h"

/* Decimal digits that stand in a row of ten from here. */
static const uint32_t zeros[] = {
	0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0, 0x0f20,
};

static uint32_t
plain_digit(uint32_t c)
{
	if (c >= 0x1d7ce && c <= 0x1d7ff) /* mathematical, five rows */
		return '0' + (c - 0x1d7ce) % 10;
	for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
		if (c >= zeros[i] && c <= zeros[i] + 9)
			return '0' + c - zeros[i];
	return c;
}

static uint32_t
plain(uint32_t c)
{
	if (c >= 0xff01 && c <= 0xff5e)
		return c - 0xff01 + '!';
	if (c == '\t' || c == 0xa0 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000)
		return ' ';
	if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212 || c == 0xfe63)
		return '-';
	if ((c >= 0x2018 && c <= 0x201f) || (c >= 0x3008 && c <= 0x3011))
		return '"';
	if (c == 0x3002 || c == 0xff61)
		return '.';
	return c == 0x3001 ? ',' : c == 0x2192 ? '=' : plain_digit(c);
}

size_t
sensitive_fold(struct span text, uint8_t *out)
{
	size_t n = 0, len;
	uint32_t point = 0, c;

	for (size_t i = 0; i < text.len; i += len) {
		if ((len = utf8_take(text.p + i, text.len - i, &point)) == 0) {
			len = 1;
			out[n++] = ' ';
			continue;
		}
		c = plain(point);
		if (c < 0x80 && (c == '\n' || !visible_hidden(c))) {
			out[n++] = (uint8_t)c;
		} else if (!visible_hidden(c)) {
			memcpy(out + n, text.p + i, len);
			n += len;
		}
	}
	return n;
}

bool
sensitive_digit(struct span t, size_t i)
{
	return i < t.len && t.p[i] >= '0' && t.p[i] <= '9';
}

bool
sensitive_letter(struct span t, size_t i)
{
	return i < t.len && ((t.p[i] >= 'a' && t.p[i] <= 'z') || (t.p[i] >= 'A' && t.p[i] <= 'Z'));
}

bool
sensitive_alnum(struct span t, size_t i)
{
	return sensitive_digit(t, i) || sensitive_letter(t, i);
}

static uint8_t
small(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

bool
sensitive_is(struct span t, size_t i, const char *words)
{
	for (; *words != '\0'; words++, i++)
		if (i >= t.len || small(t.p[i]) != small((uint8_t)*words))
			return false;
	return true;
}

bool
sensitive_word(struct span t, size_t i, const char *words)
{
	size_t end = i + strlen(words);

	return sensitive_is(t, i, words) && !(i > 0 && sensitive_letter(t, i) && sensitive_alnum(t, i - 1)) &&
	    !(sensitive_letter(t, end - 1) && sensitive_letter(t, end));
}

static enum sensitive
look(struct span t)
{
	static enum sensitive (*const parts[])(struct span) = {
		sensitive_token, sensitive_named, sensitive_numbers, sensitive_iban, sensitive_seed,
	};
	enum sensitive k;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if ((k = parts[i](t)) != SENSITIVE_NONE)
			return k;
	return SENSITIVE_NONE;
}

enum sensitive
sensitive_kind(struct span utf8)
{
	uint8_t folded[SENSITIVE_TEXT_MAX];
	enum sensitive k;
	size_t n;

	if (utf8.len > sizeof folded)
		return SENSITIVE_TOO_LONG;
	n = sensitive_fold(utf8, folded);
	k = look((struct span){ folded, n });
	wipe(folded, n);
	return k;
}

enum sensitive
sensitive_fact(struct span label, struct span value)
{
	uint8_t joined[SENSITIVE_TEXT_MAX];
	struct wire_out o = wire_out(joined, sizeof joined);
	enum sensitive k = sensitive_kind(value);

	if (k != SENSITIVE_NONE || (k = sensitive_kind(label)) != SENSITIVE_NONE)
		return k;
	wire_put_bytes(&o, label.p, label.len);
	wire_put_bytes(&o, ": ", 2);
	wire_put_bytes(&o, value.p, value.len);
	k = o.failed ? SENSITIVE_TOO_LONG : sensitive_kind(wire_written(&o));
	wipe(joined, o.len);
	return k;
}

bool
sensitive_text(struct span utf8)
{
	return sensitive_kind(utf8) != SENSITIVE_NONE;
}

const char *
sensitive_name(enum sensitive kind)
{
	static const char *const names[SENSITIVE__COUNT] = {
		[SENSITIVE_NONE] = "nothing", [SENSITIVE_PASSWORD] = "a password", [SENSITIVE_TOKEN] = "a key or token",
		[SENSITIVE_CODE] = "a one-time code", [SENSITIVE_PRIVATE_KEY] = "a private key", [SENSITIVE_SEED] = "a seed phrase",
		[SENSITIVE_CARD] = "a card's number", [SENSITIVE_RESIDENT_ID] = "a resident id",
		[SENSITIVE_SSN] = "a social security number", [SENSITIVE_IBAN] = "a bank account",
		[SENSITIVE_PASSPORT] = "a passport's number", [SENSITIVE_TOO_LONG] = "too long to be looked at",
	};

	return (unsigned)kind < SENSITIVE__COUNT ? names[kind] : "?";
}
