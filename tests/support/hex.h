/* hex: test vectors as text, line breaks and spaces allowed. */
#ifndef TESTS_SUPPORT_HEX_H
#define TESTS_SUPPORT_HEX_H

#include <stddef.h>

#include "escrow/secret.h"

/* Fills out with exactly len bytes; fails the test when the text holds more or less. */
void hex_bytes(const char *text, void *out, size_t len);

/* Bytes of any number up to cap; how many. */
size_t hex_take(const char *text, void *out, size_t cap);

/* A key of the slab with these 32 bytes. */
struct key *hex_key(const char *text);

/* Fails the test unless the bytes are those. */
void hex_expect(const void *p, size_t len, const char *text);

/* How many keys the slab has left. */
size_t keys_left(void);

#endif
