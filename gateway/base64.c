#include <endian.h>
#include <string.h>

#include "gateway/base64.h"

/* 64 bytes on one cache line: which character was looked up does not show in the cache. */
static _Alignas(64) const char alphabet[64] = {
	'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P',
	'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f',
	'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',
	'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '_',
};

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

void
base64_encode(struct span bytes, char *out)
{
	const uint8_t *p = bytes.p;
	size_t n = bytes.len;
	uint64_t v;

	/* Six bytes at a time, out of an eight-byte load. */
	for (; n >= 8; n -= 6, p += 6, out += 8) {
		memcpy(&v, p, sizeof v);
		v = be64toh(v);
		out[0] = alphabet[v >> 58];
		out[1] = alphabet[v >> 52 & 63];
		out[2] = alphabet[v >> 46 & 63];
		out[3] = alphabet[v >> 40 & 63];
		out[4] = alphabet[v >> 34 & 63];
		out[5] = alphabet[v >> 28 & 63];
		out[6] = alphabet[v >> 22 & 63];
		out[7] = alphabet[v >> 16 & 63];
	}
	for (; n > 0; p += 3, out += 4) {
		v = (uint64_t)p[0] << 16 | (n > 1 ? (uint64_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0U);
		out[0] = alphabet[v >> 18];
		out[1] = alphabet[v >> 12 & 63];
		if (n > 1)
			out[2] = alphabet[v >> 6 & 63];
		if (n > 2)
			out[3] = alphabet[v & 63];
		n -= n < 3 ? n : 3;
	}
}

/* 0 .. 63, or 64 for a character outside the alphabet. */
static uint32_t
value_of(uint8_t c)
{
	static const uint8_t values[256] = {
#define V(c, v) [c] = (v) + 1
		V('A', 0), V('B', 1), V('C', 2), V('D', 3), V('E', 4), V('F', 5), V('G', 6), V('H', 7),
		V('I', 8), V('J', 9), V('K', 10), V('L', 11), V('M', 12), V('N', 13), V('O', 14), V('P', 15),
		V('Q', 16), V('R', 17), V('S', 18), V('T', 19), V('U', 20), V('V', 21), V('W', 22), V('X', 23),
		V('Y', 24), V('Z', 25), V('a', 26), V('b', 27), V('c', 28), V('d', 29), V('e', 30), V('f', 31),
		V('g', 32), V('h', 33), V('i', 34), V('j', 35), V('k', 36), V('l', 37), V('m', 38), V('n', 39),
		V('o', 40), V('p', 41), V('q', 42), V('r', 43), V('s', 44), V('t', 45), V('u', 46), V('v', 47),
		V('w', 48), V('x', 49), V('y', 50), V('z', 51), V('0', 52), V('1', 53), V('2', 54), V('3', 55),
		V('4', 56), V('5', 57), V('6', 58), V('7', 59), V('8', 60), V('9', 61), V('-', 62), V('_', 63),
#undef V
	};

	return values[c] == 0 ? 64 : values[c] - 1U;
}

/* The last 2 or 3 characters: their unused bits must be zero, or two texts would stand for the same bytes. */
static enum err
decode_tail(const uint8_t *p, size_t n, uint8_t *out)
{
	uint32_t a = value_of(p[0]), b = value_of(p[1]), c = n == 3 ? value_of(p[2]) : 0;

	if ((a | b | c) & 64)
		return ERR_INVALID_CONTENT;
	if ((n == 2 && (b & 15) != 0) || (n == 3 && (c & 3) != 0))
		return ERR_INVALID_CONTENT;
	out[0] = (uint8_t)(a << 2 | b >> 4);
	if (n == 3)
		out[1] = (uint8_t)(b << 4 | c >> 2);
	return OK;
}

enum err
base64_decode(struct span text, uint8_t *out, size_t *len)
{
	const uint8_t *p = text.p;
	size_t n = text.len;
	uint32_t a, b, c, d;

	if (n % 4 == 1)
		return ERR_INVALID_CONTENT;
	for (; n >= 4; n -= 4, p += 4, out += 3) {
		a = value_of(p[0]), b = value_of(p[1]), c = value_of(p[2]), d = value_of(p[3]);
		if ((a | b | c | d) & 64)
			return ERR_INVALID_CONTENT;
		out[0] = (uint8_t)(a << 2 | b >> 4);
		out[1] = (uint8_t)(b << 4 | c >> 2);
		out[2] = (uint8_t)(c << 6 | d);
	}
	if (n > 0 && decode_tail(p, n, out) != OK)
		return ERR_INVALID_CONTENT;
	*len = base64_decoded_len(text.len);
	return OK;
}
