/*
 * draft_file: a private folder in memory (a tmpfs) in which an editor works on
 * files. What a program leaves there is wiped with it: each file is overwritten
 * and unlinked. What an editor keeps elsewhere (its registers, its undo or swap
 * files in the home), and the pages of files that it has itself removed before,
 * are out of reach; so is what the kernel swaps out.
 */
#ifndef TOOLS_COMMAND_DRAFT_FILE_H
#define TOOLS_COMMAND_DRAFT_FILE_H

#include "escrow/secret.h"

struct draft_folder {
	int   fd;     /* owned; -1: there is none */
	char *path;   /* owned, absolute */
};

/*
 * Makes one of mode 0700 in $XDG_RUNTIME_DIR, if that is a tmpfs that no other
 * user can enter, or else in /dev/shm.
 * ERR_NO_TMPFS: neither will do. ERR_STORAGE_FULL, ERR_FILE_UNWRITABLE, ERR_NO_MEMORY.
 */
enum err draft_folder_make(struct draft_folder *out);

/* Writes a file of mode 0600 there, in place of one of that name. */
enum err draft_file_write(const struct draft_folder *d, const char *name, struct span text);

/* Its bytes, at most max. New. ERR_NOT_FOUND, ERR_TOO_LARGE, ERR_FILE_UNREADABLE: also no regular file. */
enum err draft_file_read(const struct draft_folder *d, const char *name, size_t max, struct secret **out);

/* Whether two that were read are the same bytes; b may be NULL, which nothing is the same as. */
bool draft_is_same(const struct secret *a, const struct secret *b);

/* Nothing but blanks and line ends is left in it: as with git, that gives it up. */
bool draft_is_blank(const struct secret *text);

/* Overwrites and removes all that is in the folder, and the folder. */
void draft_folder_wipe(struct draft_folder *d);

/* The same, but for the file of that name and the folder that it is in. */
void draft_folder_leave(struct draft_folder *d, const char *kept);

/* Overwrites and removes a file that was left so, and its folder. A file in any other folder is not ours, and stays. */
void draft_left_wipe(const char *path);

/* A memory without a name, holding that text; to be closed by memory_file_close, which overwrites it. */
enum err memory_file_make(struct span text, int *fd);
void     memory_file_close(int *fd);

/* What stands in it, at most max bytes. New. */
enum err memory_file_read(int fd, size_t max, struct secret **out);

#endif
