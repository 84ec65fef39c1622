/* utf8: well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef MAILBOX_UTF8_H
#define MAILBOX_UTF8_H

#include "mailbox/wire.h"

/*
 * The length, 1 .. 4, of the well-formed sequence at the start of n bytes, and
 * its code point; 0 when there is none.
 */
size_t utf8_take(const uint8_t *p, size_t n, uint32_t *point);

bool utf8_valid(struct span s);

#endif
