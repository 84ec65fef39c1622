#include <stdio.h>
#include <string.h>

#include "gateway/visible.h"
#include "mailbox/utf8.h"

/* Cc, Cf, Zl, Zp, variation selectors, fillers and blanks of Unicode 15.1, in order. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x034f, 0x034f }, { 0x0600, 0x0605 },
	{ 0x061c, 0x061c }, { 0x06dd, 0x06dd }, { 0x070f, 0x070f }, { 0x0890, 0x0891 }, { 0x08e2, 0x08e2 },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

bool
visible_hidden(uint32_t point)
{
	size_t low = 0, high = sizeof hidden / sizeof *hidden;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (point < hidden[middle].first)
			high = middle;
		else if (point > hidden[middle].last)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

size_t
visible_next(const uint8_t *p, size_t n, char out[VISIBLE_MAX], size_t *out_len)
{
	uint32_t point;
	size_t len = utf8_take(p, n, &point);
	char text[VISIBLE_MAX + 1];

	if (len > 0 && !visible_hidden(point)) {
		memcpy(out, p, len);
		*out_len = len;
		return len;
	}
	*out_len = (size_t)snprintf(text, sizeof text, len == 0 ? "\xe2\x9f\xa8" "0x%02x\xe2\x9f\xa9" : "\xe2\x9f\xa8U+%04X\xe2\x9f\xa9",
	    len == 0 ? (unsigned)*p : (unsigned)point);
	memcpy(out, text, *out_len);
	return len == 0 ? 1 : len;
}

size_t
visible_count_hidden(struct span text)
{
	size_t n = 0, len;
	uint32_t point;

	for (size_t i = 0; i < text.len; i += len) {
		if ((len = utf8_take(text.p + i, text.len - i, &point)) == 0) {
			len = 1;
			n++;
			continue;
		}
		n += visible_hidden(point) && point != '\n' && point != '\t';
	}
	return n;
}
