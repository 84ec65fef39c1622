#include "mailbox/utf8.h"

size_t
utf8_take(const uint8_t *p, size_t n, uint32_t *point)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t v;
	size_t len;

	if (n == 0)
		return 0;
	if (p[0] < 0x80) {
		*point = p[0];
		return 1;
	}
	len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n < len)
		return 0;
	v = p[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3fU);
	}
	if (v < smallest[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*point = v;
	return len;
}

bool
utf8_valid(struct span s)
{
	uint32_t point;
	size_t len;

	while (s.len > 0) {
		if ((len = utf8_take(s.p, s.len, &point)) == 0)
			return false;
		s.p += len;
		s.len -= len;
	}
	return true;
}
