/*
 * log_folder: the folder of a log as anybody opens it to read. Its owner holds
 * it by log_dir.
 */
#ifndef STORE_LOG_FOLDER_H
#define STORE_LOG_FOLDER_H

#include "mailbox/err.h"

struct log_folder {
	int fd;
	int seg_fd;
};

#define LOG_FOLDER_NONE ((struct log_folder){ -1, -1 })

/* ERR_NOT_FOUND: dir, or seg/ in it, is missing or no folder. ERR_FILE_UNREADABLE. Nothing stays open then. */
enum err log_folder_open(const char *dir, struct log_folder *out);
void     log_folder_close(struct log_folder *f);

#endif
