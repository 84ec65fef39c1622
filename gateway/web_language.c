#include <strings.h>

#include "gateway/span.h"
#include "gateway/web_language.h"

const char *
web_language_name(enum web_language l)
{
	return l == WEB_ZH ? "zh" : "en";
}

/* The weight of a range, in thousandths: "zh-CN;q=0.8" has 800. */
static unsigned
weight(struct span range)
{
	size_t at = 0;
	unsigned w = 0, unit = 1000;

	while (at + 2 < range.len && !(range.p[at] == ';' && memchr(range.p + at, '=', range.len - at) != NULL))
		at++;
	if (at + 2 >= range.len)
		return 1000;
	at = (size_t)((const uint8_t *)memchr(range.p + at, '=', range.len - at) - range.p) + 1;
	for (; at < range.len && unit > 0; at++) {
		if (range.p[at] == '.')
			continue;
		if (range.p[at] < '0' || range.p[at] > '9')
			break;
		w += (unsigned)(range.p[at] - '0') * unit;
		unit /= 10;
	}
	return w > 1000 ? 1000 : w;
}

static bool
is_of(struct span range, const char *primary)
{
	return range.len >= 2 && strncasecmp((const char *)range.p, primary, 2) == 0 &&
	    (range.len == 2 || range.p[2] == '-' || range.p[2] == ';' || range.p[2] == ' ');
}

enum web_language
web_language_of(struct span accept)
{
	enum web_language best = WEB_EN;
	unsigned best_weight = 0;

	for (size_t at = 0, end; at < accept.len; at = end + 1) {
		struct span range;

		for (end = at; end < accept.len && accept.p[end] != ','; end++)
			;
		range = (struct span){ accept.p + at, end - at };
		while (range.len > 0 && range.p[0] == ' ')
			range = span_after(range, 1);
		for (unsigned l = 0; l < WEB_LANGUAGES; l++)
			if (is_of(range, web_language_name((enum web_language)l)) && weight(range) > best_weight) {
				best = (enum web_language)l;
				best_weight = weight(range);
			}
	}
	return best;
}
