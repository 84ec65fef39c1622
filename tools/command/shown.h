/*
 * shown: a text for people that holds content, made in memory that is wiped,
 * so that it can go to stdout or to the terminal itself.
 */
#ifndef TOOLS_COMMAND_SHOWN_H
#define TOOLS_COMMAND_SHOWN_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

struct shown {
	char  *p;      /* owned; ends with a NUL */
	size_t len, cap;
	bool   failed; /* for want of memory */
};

/* printf, of at most 1024 bytes. */
void shown_line(struct shown *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Content; what hides or turns around (gateway/visible.h) by its number, newlines too. */
void shown_safe(struct shown *s, struct span text);

/* The same with each line of it on a line of its own, after the mark. */
void shown_safe_lines(struct shown *s, const char *mark, struct span text);

/* To stdout, or to the terminal. ERR_NO_MEMORY, ERR_FILE_UNWRITABLE, ERR_TERMINAL_REQUIRED. */
enum err shown_print(const struct shown *s);
enum err shown_on_terminal(const struct shown *s);

void shown_free(struct shown *s);

#endif
