/*
 * log_place: files that appear whole in a directory that others may read and
 * fill too. What lies there under another's content is never overwritten.
 */
#ifndef STORE_LOG_PLACE_H
#define STORE_LOG_PLACE_H

#include <sys/types.h>

#include "mailbox/err.h"
#include "mailbox/wire.h"

struct log_place {
	int      dir_fd;
	bool     ours;   /* nobody else's: other content is replaced */
	mode_t   mode;   /* of files; directories get x where it has r */
	uint64_t n_new;  /* files that were not there before */
};

/*
 * Opens a directory, makes it if it is missing, and keeps others who place
 * files there out until it is closed. *p: ours and mode set by the caller.
 *
 * dir_fd  that path is relative to; or AT_FDCWD
 *
 * ERR_BUSY: another process does. ERR_FILE_UNWRITABLE, ERR_STORAGE_FULL,
 * ERR_STORAGE_FAILED.
 */
enum err log_place_open(struct log_place *p, int dir_fd, const char *path);
void     log_place_close(struct log_place *p);

/*
 * Makes a file and the directories on its way. One that is there with the same
 * bytes stays; one that is a beginning of them was cut by a crash and is
 * replaced. Not durable before log_place_sync.
 *
 * ERR_EXPORT_FOREIGN: something else has the name. Otherwise as log_place_open,
 * and ERR_NO_MEMORY.
 */
enum err log_place_put(struct log_place *p, const char *path, struct span bytes);

/* Replaces the file if there is one, unless it has these bytes; durable on OK. The same errors. */
enum err log_place_replace(struct log_place *p, const char *path, struct span bytes);

/* Everything that was put is durable on OK. ERR_STORAGE_FAILED. */
enum err log_place_sync(const struct log_place *p);

#endif
