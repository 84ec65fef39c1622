/*
 * log_checkpoint: the newest checkpoint that lies beside the log, and whether
 * the log's key stands behind it.
 * Source: docs/store-format.md, "Checkpoints".
 */
#ifndef STORE_LOG_CHECKPOINT_H
#define STORE_LOG_CHECKPOINT_H

#include "store/log_note.h"

struct log_checkpoint {
	struct log_note note;
	uint8_t        *bytes; /* owned: the file and a NUL; the note points into it */
	size_t          len;
	uint8_t         signed_by[SIGN_PUBLIC_LEN]; /* once it is vouched for: the log key, or a delegate */
};

/*
 * Reads one, `checkpoint` mostly. Nobody vouches for it yet.
 *
 * ERR_NOT_FOUND: there is none. ERR_FILE_UNREADABLE, ERR_NO_MEMORY.
 * ERR_INVALID_CONTENT: it does not have its form, or is a link or no file.
 */
enum err log_checkpoint_read_at(int dir_fd, const char *path, struct log_checkpoint *out);

void log_checkpoint_free(struct log_checkpoint *c);

/*
 * OK when its origin is this one and the log key signed it, or a delegate for
 * which the log key vouches in a certificate of an epoch of the log in log_dir.
 *
 * ERR_AUDIT_TAMPERED: none of them did. Otherwise what log_walk answers.
 */
enum err log_checkpoint_vouched(struct log_checkpoint *c, const char *log_dir, const char *origin,
    const uint8_t log_public[SIGN_PUBLIC_LEN]);

/*
 * The newest one of a log, vouched for.
 *
 * key_file    NULL: key.pub in log_dir
 *
 * ERR_NOT_FOUND: no log, or no checkpoint yet. ERR_AUDIT_TAMPERED: it is not
 * signed, or does not have its form. ERR_FILE_UNREADABLE, ERR_NO_MEMORY.
 * ERR_INVALID_CONTENT: the key file is none.
 */
enum err log_checkpoint_newest(const char *log_dir, const char *key_file, struct log_checkpoint *out,
    uint8_t log_public[SIGN_PUBLIC_LEN]);

/*
 * Puts a note in the place of `checkpoint`, whole and durable; and before it
 * `delegate.pub`, the key of the delegate that signed it. NULL: the log key did.
 * A folder that stands there moves to quarantine/.
 *
 * ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE: the older one is still there.
 */
enum err log_checkpoint_publish(const char *log_dir, struct span note, const char *origin,
    const uint8_t *delegate);

#endif
