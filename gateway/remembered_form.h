/*
 * remembered_form: the text of a remembered checkpoint: the body of a C2SP
 * checkpoint with one extension line that says where its group lies.
 * Source: docs/store-format.md, "Remembered checkpoints".
 */
#ifndef GATEWAY_REMEMBERED_FORM_H
#define GATEWAY_REMEMBERED_FORM_H

#include "store/log_follow.h"

#define REMEMBERED_TEXT_MAX 255

/* Its length; the text ends with a NUL. */
size_t remembered_form_put(struct uuid library, const struct log_point *place, char out[REMEMBERED_TEXT_MAX + 1]);

/* Takes exactly what the other writes. ERR_INVALID_CONTENT. */
enum err remembered_form_take(struct span text, struct uuid library, struct log_point *out);

#endif
