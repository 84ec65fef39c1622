/*
 * visible: characters that a reader would not see, or that would change how
 * others are seen: controls, marks of writing direction (UAX #9), what has no
 * width, and variation selectors. Whoever is asked to approve a text must see
 * them, so they are shown as ⟨U+202E⟩.
 */
#ifndef GATEWAY_VISIBLE_H
#define GATEWAY_VISIBLE_H

#include "mailbox/wire.h"

/* True for a code point that is to be shown by its number. */
bool visible_hidden(uint32_t point);

/*
 * The next character of a text as it is shown, and how many bytes of the text
 * it is; at most VISIBLE_MAX bytes, no NUL. A byte that is no UTF-8 is shown
 * as ⟨0xff⟩. n >= 1.
 */
#define VISIBLE_MAX 16
size_t visible_next(const uint8_t *p, size_t n, char out[VISIBLE_MAX], size_t *out_len);

/* How many characters of it are shown by their numbers, newlines and tabs aside. */
size_t visible_count_hidden(struct span text);

#endif
