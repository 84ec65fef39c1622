/*
 * log_io: the calls through which the log touches the disk, so that tests can
 * make each of them fail. Private to store/.
 */
#ifndef STORE_LOG_IO_H
#define STORE_LOG_IO_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

#include "mailbox/err.h"

struct log_io {
	ssize_t (*pread)(int fd, void *p, size_t len, off_t at);
	ssize_t (*pwrite)(int fd, const void *p, size_t len, off_t at);
	int     (*fdatasync)(int fd);
	int     (*fsync)(int fd);
	int     (*fallocate)(int fd, int mode, off_t at, off_t len);
};

const struct log_io *log_io(void);

/* Replaces the calls for the whole process; NULL puts the system's back. For tests. */
void log_io_replace(const struct log_io *io);

/* One pwrite; true when it took everything. errno is set otherwise (ENOSPC for a short count). */
bool log_io_write(int fd, const void *p, size_t len, off_t at);

/* The entries of a directory, from its first; closedir leaves dir_fd open. NULL: it cannot be read. */
DIR *log_io_entries(int dir_fd);

/* ERR_AUDIT_FULL when errno says that there is no room, otherwise ERR_AUDIT_UNAVAILABLE. */
enum err log_io_failure(void);

#endif
