#include <endian.h>
#include <string.h>

#include "mailbox/base64.h"

/* 64 bytes on one cache line: which character was looked up does not show in the cache. */
struct form {
	_Alignas(64) char digits[64];
	uint8_t           values[256]; /* and one; 0 for a character outside the alphabet */
};

#define FORM(plus, slash) { \
	.digits = { \
		'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', \
		'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f', \
		'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', \
		'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', plus, slash, \
	}, \
	.values = { \
		['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
		['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, \
		['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, [plus] = 63, [slash] = 64, \
	}, \
}

static const struct form url = FORM('-', '_'), plain = FORM('+', '/');

size_t
base64_len(size_t n_bytes)
{
	return n_bytes / 3 * 4 + (n_bytes % 3 * 4 + 2) / 3;
}

size_t
base64_decoded_len(size_t n_chars)
{
	return n_chars / 4 * 3 + n_chars % 4 * 3 / 4;
}

static void
encode(const char digits[64], struct span bytes, char *out)
{
	const uint8_t *p = bytes.p;
	size_t n = bytes.len;
	uint64_t v;

	/* Six bytes at a time, out of an eight-byte load. */
	for (; n >= 8; n -= 6, p += 6, out += 8) {
		memcpy(&v, p, sizeof v);
		v = be64toh(v);
		out[0] = digits[v >> 58];
		out[1] = digits[v >> 52 & 63];
		out[2] = digits[v >> 46 & 63];
		out[3] = digits[v >> 40 & 63];
		out[4] = digits[v >> 34 & 63];
		out[5] = digits[v >> 28 & 63];
		out[6] = digits[v >> 22 & 63];
		out[7] = digits[v >> 16 & 63];
	}
	for (; n > 0; p += 3, out += 4) {
		v = (uint64_t)p[0] << 16 | (n > 1 ? (uint64_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0U);
		out[0] = digits[v >> 18];
		out[1] = digits[v >> 12 & 63];
		if (n > 1)
			out[2] = digits[v >> 6 & 63];
		if (n > 2)
			out[3] = digits[v & 63];
		n -= n < 3 ? n : 3;
	}
}

void
base64_encode(struct span bytes, char *out)
{
	encode(url.digits, bytes, out);
}

void
base64_encode_padded(struct span bytes, char *out)
{
	encode(plain.digits, bytes, out);
	for (size_t i = base64_len(bytes.len); i % 4 != 0; i++)
		out[i] = '=';
}

/* 0 .. 63; more for a character outside the alphabet. */
static uint32_t
value_of(const uint8_t values[256], uint8_t c)
{
	return values[c] - 1U;
}

/* The last 2 or 3 characters: their unused bits must be zero, or two texts would stand for the same bytes. */
static enum err
decode_tail(const uint8_t values[256], const uint8_t *p, size_t n, uint8_t *out)
{
	uint32_t a = value_of(values, p[0]), b = value_of(values, p[1]), c = n == 3 ? value_of(values, p[2]) : 0;

	if ((a | b | c) > 63)
		return ERR_INVALID_CONTENT;
	if ((n == 2 && (b & 15) != 0) || (n == 3 && (c & 3) != 0))
		return ERR_INVALID_CONTENT;
	out[0] = (uint8_t)(a << 2 | b >> 4);
	if (n == 3)
		out[1] = (uint8_t)(b << 4 | c >> 2);
	return OK;
}

static enum err
decode(const uint8_t values[256], struct span text, uint8_t *out, size_t *len)
{
	const uint8_t *p = text.p;
	size_t n = text.len;
	uint32_t a, b, c, d;

	if (n % 4 == 1)
		return ERR_INVALID_CONTENT;
	for (; n >= 4; n -= 4, p += 4, out += 3) {
		a = value_of(values, p[0]), b = value_of(values, p[1]), c = value_of(values, p[2]), d = value_of(values, p[3]);
		if ((a | b | c | d) > 63)
			return ERR_INVALID_CONTENT;
		out[0] = (uint8_t)(a << 2 | b >> 4);
		out[1] = (uint8_t)(b << 4 | c >> 2);
		out[2] = (uint8_t)(c << 6 | d);
	}
	if (n > 0 && decode_tail(values, p, n, out) != OK)
		return ERR_INVALID_CONTENT;
	*len = base64_decoded_len(text.len);
	return OK;
}

enum err
base64_decode(struct span text, uint8_t *out, size_t *len)
{
	return decode(url.values, text, out, len);
}

enum err
base64_decode_padded(struct span text, uint8_t *out, size_t *len)
{
	size_t n = text.len;

	if (n % 4 != 0)
		return ERR_INVALID_CONTENT;
	while (n > 0 && text.len - n < 2 && text.p[n - 1] == '=')
		n--;
	return decode(plain.values, (struct span){ text.p, n }, out, len);
}
