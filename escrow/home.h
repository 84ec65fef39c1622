/*
 * home: the one directory of a library. It is found, checked and entered;
 * from then on the program names everything in it relative to the working
 * directory, so that its path may be longer than a socket address.
 */
#ifndef ESCROW_HOME_H
#define ESCROW_HOME_H

#include <stdbool.h>

#include "mailbox/err.h"

/* What lies in it and is looked up by more than its owner: the folder of the log, and the log's public key. */
#define HOME_LOG     "audit"
#define HOME_LOG_KEY HOME_LOG "/key.pub"

/* Where the home is said to be. */
struct home_place {
	char    *path;   /* absolute; owned */
	unsigned n_make; /* so many of its last components may be made */
};

/*
 * The flag's value if there is one (NULL: none), then $MEMORIES_HOME, then
 * $XDG_DATA_HOME/memories, then ~/.local/share/memories, where ~ is $HOME or
 * else the user database's. Empty variables count as unset; so does a relative
 * XDG_DATA_HOME or HOME (XDG Base Directory Specification). Only the directory
 * itself may be made where the owner named it; where it is the default, those
 * below the data folder or ~ too. Touches nothing.
 *
 * ERR_HOME_NOT_PRIVATE: the flag or $MEMORIES_HOME is no absolute path, or no
 * home directory is known. ERR_NO_MEMORY.
 */
enum err home_find(const char *flag, struct home_place *out);

/*
 * Where a user's programs remember what is worth less than data:
 * $XDG_STATE_HOME/memories, then ~/.local/state/memories. As home_find
 * otherwise. Touches nothing.
 */
enum err home_find_state(struct home_place *out);
void     home_place_free(struct home_place *p);

struct home {
	int   fd;     /* the home, open for reading */
	int   cwd_fd; /* the working directory before, O_PATH, for paths that the user gave; -1: gone */
	char *cwd;    /* its path; NULL: unknown */
	char *path;   /* the home's canonical path, to which custody and client files are bound */
};

/*
 * Checks the place (mode 0700, the caller's own, a way that no other user can
 * change: safe_dir.h) and makes it the working directory of the process. With
 * make it is made, mode 0700, if it is missing.
 *
 * *out  new; home_close frees it and leaves the working directory as it is
 *
 * On every error the working directory is the old one. ERR_HOME_NOT_PRIVATE:
 * it is not private, or what should hold it is missing. ERR_NOT_INITIALIZED:
 * it is missing and make is false. ERR_FILE_UNWRITABLE, ERR_STORAGE_FULL,
 * ERR_STORAGE_FAILED: it could not be made. ERR_NO_MEMORY.
 */
enum err home_open(const struct home_place *place, bool make, struct home **out);
void     home_close(struct home **h);

/*
 * The absolute form of a path that the user gave, as seen from the working
 * directory before; not canonical. Caller frees. ERR_FILE_UNREADABLE: it is
 * relative and that directory's path is unknown. ERR_NO_MEMORY.
 */
enum err home_absolute(const struct home *h, const char *given, char **out);

#endif
