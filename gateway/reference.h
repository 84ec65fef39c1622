/*
 * reference: secret://VAULT/CREDENTIAL in text, which stands for a
 * credential's secret.
 *
 * VAULT is an id of 36 characters, or the vault's name, percent-encoded where
 * it holds what could end it (below); CREDENTIAL is an id. In text, it is a
 * reference when
 *
 * - what stands before it is no letter, digit, `+`, `-` or `.`, which would make
 *   it the end of another scheme; capitals in `secret` and in ids count as small;
 * - VAULT has 1 to 256 bytes of UTF-8 once decoded, and holds none of: blanks,
 *   controls, / " ' ` < > ( ) [ ] { } \ ^ | ? #, nor the punctuation of
 *   U+2000-206F, U+3000-303F, U+FF00-FF0F, U+FF1A-FF20, U+FF3B-FF40 and
 *   U+FF5B-FF65;
 * - what follows CREDENTIAL is no letter or digit of ASCII and none of _ - / %:
 *   punctuation and text without blanks between, as Chinese is, end it.
 *
 * Everything else is plain text.
 */
#ifndef GATEWAY_REFERENCE_H
#define GATEWAY_REFERENCE_H

#include "mailbox/uuid.h"
#include "mailbox/wire.h"

#define REFERENCE_NAME_MAX 256 /* bytes of a vault's name */

struct reference {
	size_t      at, len;  /* in the text */
	struct uuid vault;    /* zero: it is named */
	struct uuid credential;
	char        name[REFERENCE_NAME_MAX + 1]; /* the vault's, decoded; "" beside an id */
};

/* The first reference that begins at or behind from; false when there is none. */
bool reference_find(struct span text, size_t from, struct reference *out);

/* True when the whole text is one. */
bool reference_is(struct span text, struct reference *out);

#endif
