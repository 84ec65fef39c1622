/*
 * safe_file: files that are their owner's alone. The directory is one that
 * safe_dir_open gave; a name is one component and stands in it.
 * Source: linkat(2) and open(2) for O_TMPFILE.
 */
#ifndef ESCROW_SAFE_FILE_H
#define ESCROW_SAFE_FILE_H

#include <sys/types.h>

#include "escrow/secret.h"
#include "mailbox/wire.h"

struct safe_file_rule {
	mode_t   forbidden; /* mode bits that may not be set: 077 for secrets, 022 for settings */
	size_t   max_len;   /* bytes; below 16 MiB */
	enum err unsafe;    /* the error that says "not the owner's alone" */
	enum err invalid;   /* the error that says "too long" */
};

/*
 * Reads a whole file: a regular one, the caller's own (effective user), of one
 * link and with no forbidden mode bit. Never follows a link and never waits, a
 * FIFO included.
 *
 * *out  new, the file's bytes, perhaps none; caller frees
 *
 * The rule's errors. ERR_NOT_FOUND: no such name. ERR_NO_MEMORY.
 * ERR_STORAGE_FAILED: reading failed.
 */
enum err safe_file_read(int dir_fd, const char *name, const struct safe_file_rule *rule,
    struct secret **out);

/*
 * Makes a new file of mode 0600: complete and durable on OK, absent on every
 * error. Never overwrites.
 *
 * The exists error: the name is taken. ERR_FILE_UNWRITABLE: the directory
 * takes no new file. ERR_STORAGE_FULL, ERR_STORAGE_FAILED, ERR_NO_MEMORY.
 */
enum err safe_file_publish(int dir_fd, const char *name, struct span bytes, enum err exists);

/*
 * Makes the file, mode 0600, or replaces what has that name: durable on OK,
 * the old one untouched on every error but ERR_STORAGE_FAILED, which may leave
 * either. Goes through NAME.new; one that a crash left is removed first. One
 * writer at a time.
 *
 * The unsafe error: the name is a directory's, or too long. Otherwise as
 * safe_file_publish.
 */
enum err safe_file_replace(int dir_fd, const char *name, struct span bytes, enum err unsafe);

/*
 * Overwrites the file, and NAME.new, with zeros, syncs, unlinks and syncs the
 * directory. What is not a regular file of the caller's of one link is
 * unlinked only: its bytes are somebody else's. OK when nothing is there.
 * Overwriting is no secure erase on disks and file systems that write elsewhere.
 *
 * The unsafe error: the name cannot be unlinked (a directory).
 * ERR_STORAGE_FAILED: it may be there still.
 */
enum err safe_file_remove(int dir_fd, const char *name, enum err unsafe);

#endif
