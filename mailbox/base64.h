/*
 * base64 (RFC 4648): base64url without padding (section 5), and the plain
 * alphabet with padding (section 4). Exactly one text of each stands for some
 * bytes: other spellings are refused when decoding.
 */
#ifndef MAILBOX_BASE64_H
#define MAILBOX_BASE64_H

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

/* The same three with the plain alphabet and padding. */
#define BASE64_PADDED_LEN(n_bytes) (((n_bytes) + 2) / 3 * 4)
void base64_encode_padded(struct span bytes, char *out);
enum err base64_decode_padded(struct span text, uint8_t *out, size_t *len);

#endif
