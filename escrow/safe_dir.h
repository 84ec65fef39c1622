/*
 * safe_dir: directories that no other user can change or swap. The way to one
 * is walked component by component from the root, so what was checked is what
 * is held open at the end.
 *
 * Every directory on the way must belong to root or the caller (effective
 * user) and be writable by its owner alone, unless root owns it and it is
 * sticky. A symbolic link on the way is followed, as a system may keep its
 * homes behind one (/home -> /usr/home), if it belongs to root or the caller;
 * whoever else could replace it could also write the directory that it stands
 * in, which was checked already. What it points at is walked in the same way.
 * At most 40 links.
 */
#ifndef ESCROW_SAFE_DIR_H
#define ESCROW_SAFE_DIR_H

#include "mailbox/err.h"

/* Longest path, as given and in canonical form, without its NUL. PATH_MAX is no bound here. */
#define SAFE_PATH_MAX 16384

enum safe_dir_kind {
	SAFE_DIR_STEADY,  /* no other user can change what is in it */
	SAFE_DIR_PRIVATE, /* the caller's own, mode & 077 == 0: no other user can enter it */
};

struct safe_dir_want {
	const char        *path;    /* absolute */
	enum safe_dir_kind kind;    /* of the last component */
	unsigned           n_make;  /* so many of the last components are made, mode 0700, if missing */
	enum err           refusal; /* the error that says "not safe" */
};

/*
 * *fd         open for reading (so that it can be synced), close-on-exec; caller closes
 * *canonical  the path without links, dots and double slashes; caller frees. May be NULL
 *
 * The refusal: a component is unsafe or no directory, or the path is relative
 * or too long. ERR_NOT_FOUND: a component is missing that may not be made.
 * ERR_FILE_UNWRITABLE, ERR_STORAGE_FULL, ERR_STORAGE_FAILED: a component could
 * not be made; those before it were. ERR_NO_MEMORY: no memory or descriptors.
 */
enum err safe_dir_open(const struct safe_dir_want *want, int *fd, char **canonical);

/* What a failed system call means: the disk, the memory, a missing name, or else the refusal. */
enum err safe_dir_err(int error, enum err refusal);

#endif
