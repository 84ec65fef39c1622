/*
 * remembered: the last checkpoint that this user's clients saw of a library's
 * log, in $XDG_STATE_HOME/memories/LIBRARY.checkpoint. A log that does not
 * extend it is not believed: it was cut, put back or exchanged.
 *
 * Any number of processes share the file. It only grows, is replaced as a
 * whole, and its folder is flocked meanwhile. A place that cannot be written is
 * one warning on stderr; what the process has seen itself still holds then.
 * Source: docs/store-format.md, "Remembered checkpoints".
 */
#ifndef GATEWAY_REMEMBERED_H
#define GATEWAY_REMEMBERED_H

#include "store/log_follow.h"

struct remembered;

/*
 * Reads what is remembered. The log lies in audit/ of the working directory.
 *
 * ERR_AUDIT_DIVERGED: the file is not one of ours, or not the user's alone; see
 * remembered_detail, *out is set then too. ERR_STORAGE_FAILED: it cannot be
 * read. ERR_NO_MEMORY.
 */
enum err remembered_open(struct uuid library, struct remembered **out);
void     remembered_close(struct remembered **r);

/*
 * The log must hold this commit (whose signature the caller has verified) and
 * extend what is remembered, which it then becomes.
 *
 * ERR_AUDIT_DIVERGED: it does not. ERR_AUDIT_UNAVAILABLE: it cannot be read.
 * Otherwise as remembered_open.
 */
enum err remembered_extend(struct remembered *r, const uint8_t commit[LOG_COMMIT_LEN]);

/* Does the log that was verified up to that commit extend what is remembered? Errors as remembered_extend. */
enum err remembered_compare(struct remembered *r, uint64_t size, const uint8_t root[SHA256_LEN]);

/* What is remembered. False: nothing. */
bool remembered_last(const struct remembered *r, struct log_point *out);

/*
 * Remembers the commit of that size in the log from now on, whatever was
 * remembered. ERR_AUDIT_DIVERGED: there is none. ERR_FILE_UNWRITABLE: nothing
 * was changed. Otherwise as remembered_extend.
 */
enum err remembered_accept(struct remembered *r, uint64_t size);

/* For people: which file said so, and what; "" when nothing is to be said. */
const char *remembered_detail(const struct remembered *r);

#endif
