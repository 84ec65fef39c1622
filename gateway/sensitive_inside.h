/* What the files of sensitive.c share. Texts here are folded: sensitive_fold. */
#ifndef GATEWAY_SENSITIVE_INSIDE_H
#define GATEWAY_SENSITIVE_INSIDE_H

#include "gateway/sensitive.h"

/*
 * Full-width ASCII to ASCII, decimal digits of other scripts to ASCII, blanks
 * to ' ', dashes to '-', quotation marks and brackets to '"', 。 and 、 to '.'
 * and ','; hidden characters but line ends are left out, a byte that is no UTF-8
 * is a blank. Case stays. out is no shorter than the text; returns what is used.
 */
size_t sensitive_fold(struct span text, uint8_t *out);

/* Of ASCII; false past the end. */
bool sensitive_digit(struct span t, size_t i);
bool sensitive_letter(struct span t, size_t i);
bool sensitive_alnum(struct span t, size_t i);

/* The words of i on are these, in any case. */
bool sensitive_is(struct span t, size_t i, const char *words);

/* And they are no part of a longer word of ASCII letters; a digit may follow. */
bool sensitive_word(struct span t, size_t i, const char *words);

/* How many words such as stand in a list of a seed phrase begin at i, one after the other. */
size_t sensitive_seed_words(struct span t, size_t i);

/*
 * What stands behind a name that ends before i is a secret of that sort. The
 * value is joined to it by a colon, by "is" or 是 and the like, or by nothing.
 */
bool sensitive_password_at(struct span t, size_t i);
bool sensitive_phrase_at(struct span t, size_t i);
bool sensitive_key_at(struct span t, size_t i);
bool sensitive_cvv_at(struct span t, size_t i);
bool sensitive_digits_at(struct span t, size_t i, size_t least);
bool sensitive_passport_at(struct span t, size_t i);

/* The name begins at `name`; a code may stand before it, too. */
bool sensitive_code_at(struct span t, size_t name, size_t i);

/* A part of sensitive_kind each. */
enum sensitive sensitive_named(struct span t);   /* with its name beside it */
enum sensitive sensitive_token(struct span t);   /* by its own looks */
enum sensitive sensitive_numbers(struct span t); /* by their digits */
enum sensitive sensitive_iban(struct span t);
enum sensitive sensitive_seed(struct span t);

#endif
