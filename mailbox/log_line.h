/*
 * log_line: what the daemon says on stderr, one line each. It takes codes,
 * names and numbers; no text that came from outside fits.
 */
#ifndef MAILBOX_LOG_LINE_H
#define MAILBOX_LOG_LINE_H

#include "mailbox/err.h"
#include "mailbox/protocol.h"

/* "memories: audit: audit_unavailable (ask 17)": an error where it stops travelling. */
void log_line_error(enum actor who, enum err e, uint64_t ask_id);

/* "memories: core: restarted 2": a word of ours and a number. */
void log_line_say(const char *who, const char *words, int64_t number);

#endif
