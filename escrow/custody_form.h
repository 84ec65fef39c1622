/*
 * custody_form: the bytes of the owner-file custody, and the same as text, for
 * services that keep text.
 * Source: docs/store-format.md, "The owner-file custody", "The Secret Service custody".
 */
#ifndef ESCROW_CUSTODY_FORM_H
#define ESCROW_CUSTODY_FORM_H

#include "escrow/custody.h"

#define CUSTODY_FORM_LEN 146

/* Writes the file's bytes. ERR_INVALID_ARGUMENT: the binding's backend has too long a name. */
enum err custody_form_put(const struct custody_binding *b, const struct key *material,
    uint8_t out[CUSTODY_FORM_LEN]);

/*
 * Takes any bytes. ERR_CUSTODY_INVALID: not of the form, or the checksum is
 * wrong. ERR_CUSTODY_BINDING: of the form, but of another binding.
 * ERR_INVALID_ARGUMENT as above. material is touched only on OK.
 */
enum err custody_form_take(struct span bytes, const struct custody_binding *b,
    struct key *material);

/* The form in base64url without padding, and no NUL. Errors as above. */
#define CUSTODY_TEXT_LEN 195
enum err custody_text_put(const struct custody_binding *b, const struct key *material,
    uint8_t out[CUSTODY_TEXT_LEN]);
enum err custody_text_take(struct span text, const struct custody_binding *b, struct key *material);

#endif
