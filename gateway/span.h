/* span: spans and texts of C side by side. */
#ifndef GATEWAY_SPAN_H
#define GATEWAY_SPAN_H

#include <string.h>

#include "mailbox/wire.h"

/* The text without its NUL; borrowed. */
static inline struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static inline bool
span_same(struct span a, struct span b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool
span_is(struct span a, const char *text)
{
	return span_same(a, span_of(text));
}

static inline bool
span_starts(struct span a, const char *text)
{
	return a.len >= strlen(text) && memcmp(a.p, text, strlen(text)) == 0;
}

/* All but the first n bytes; n <= a.len. */
static inline struct span
span_after(struct span a, size_t n)
{
	return (struct span){ a.p + n, a.len - n };
}

#endif
