/*
 * log_dir: the directory of a log as its owner holds it: locked, with its
 * subdirectories open.
 * Source: docs/store-format.md, "The log's files".
 */
#ifndef STORE_LOG_DIR_H
#define STORE_LOG_DIR_H

#include "mailbox/err.h"
#include "mailbox/wire.h"

struct log_dir {
	char *path; /* owned; as it was opened */
	int fd;
	int lock_fd;
	int seg_fd;
	int quarantine_fd;
	int seal_fd;
};

#define LOG_DIR_NONE ((struct log_dir){ NULL, -1, -1, -1, -1, -1 })

/*
 * Opens dir, waits up to 2 s for its lock, makes seg/, quarantine/ and
 * seal/ where they are missing, and removes what was left half-made in them.
 *
 * ERR_AUDIT_TAMPERED: dir is not a directory that only we can use, or something
 * in it, a folder or the lock, is not what we make there.
 * ERR_BUSY: another process holds it. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE.
 * On an error nothing stays open.
 */
enum err log_dir_open(const char *dir, struct log_dir *out);
void     log_dir_close(struct log_dir *d);

/* ERR_AUDIT_TAMPERED unless it and its seg/ are still what stands under their names, and ours alone. */
enum err log_dir_intact(const struct log_dir *d);

/* True when the file is there. */
bool log_dir_has(int dir_fd, const char *name);

/* A new file that appears whole and durable, or not at all. ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE. */
enum err log_dir_publish(int dir_fd, const char *name, struct span bytes);

/* The same in three steps, for what is longer than memory. *fd is written by the caller. */
enum err log_dir_begin(int dir_fd, const char *name, int *fd);
enum err log_dir_finish(int dir_fd, const char *name, int *fd);
void     log_dir_abandon(int dir_fd, const char *name, int *fd);

#endif
