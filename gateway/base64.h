/*
 * base64: base64url without padding (RFC 4648, section 5). Exactly one text
 * stands for some bytes: other spellings are refused when decoding.
 */
#ifndef GATEWAY_BASE64_H
#define GATEWAY_BASE64_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

/* How many characters n bytes become; how many bytes n characters become at most. */
size_t base64_len(size_t n_bytes);
size_t base64_decoded_len(size_t n_chars);

/* Writes base64_len(bytes.len) characters and no NUL. */
void base64_encode(struct span bytes, char *out);

/*
 * out   room for base64_decoded_len(text.len) bytes, which *len tells
 *
 * ERR_INVALID_CONTENT: a character outside the alphabet ('=', '+', '/' and
 * blanks too), a length that no bytes have, or unused bits that are not zero.
 * What out holds then is undefined.
 */
enum err base64_decode(struct span text, uint8_t *out, size_t *len);

#endif
