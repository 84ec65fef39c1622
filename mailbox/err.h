/*
 * err: how things end. OK is 0; everything that can fail returns enum err and
 * touches its out-parameters only on OK.
 */
#ifndef MAILBOX_ERR_H
#define MAILBOX_ERR_H

enum err {
	OK,
#define ERR(name, code, exit_code, sentence, remedy) ERR_##name,
#include "mailbox/err.tbl.h"
#undef ERR
	ERR__COUNT
};

/* The stable lower-case word; "ok" for OK, "internal" for a value out of range. */
const char *err_code(enum err e);

/* One sentence for people, without a full stop. */
const char *err_text(enum err e);

/* What a person can do about it. */
const char *err_remedy(enum err e);

/* The exit code of a command that ends so. */
int err_exit(enum err e);

#endif
