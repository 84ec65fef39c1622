#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/log_dir.h"
#include "store/log_io.h"

#define LOCK_TRIES    100
#define LOCK_PAUSE_NS 20000000

#define TEMPORARY ".tmp"

static void
temporary_name(const char *name, char out[64])
{
	snprintf(out, 64, "%s" TEMPORARY, name);
}

static enum err
take_lock(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return OK;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return ERR_AUDIT_UNAVAILABLE;
		nanosleep(&pause, NULL);
	}
	return ERR_BUSY;
}

static bool
ours_alone(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    (st.st_mode & 0077) == 0;
}

static enum err
open_below(int dir_fd, const char *name, int *fd)
{
	if (mkdirat(dir_fd, name, 0700) != 0 && errno != EEXIST)
		return log_io_failure();
	*fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? ERR_AUDIT_TAMPERED : ERR_AUDIT_UNAVAILABLE;
	return ours_alone(*fd) ? OK : ERR_AUDIT_TAMPERED;
}

/* What a crash left half-made was never part of the log. */
static enum err
remove_temporary(int dir_fd)
{
	DIR *dir = log_io_entries(dir_fd);
	struct dirent *entry;

	if (dir == NULL)
		return ERR_AUDIT_UNAVAILABLE;
	while ((entry = readdir(dir)) != NULL) {
		size_t len = strlen(entry->d_name), end = sizeof TEMPORARY - 1;

		if (len > end && strcmp(entry->d_name + len - end, TEMPORARY) == 0)
			(void)unlinkat(dir_fd, entry->d_name, 0);
	}
	closedir(dir);
	return OK;
}

/* A process that was killed can have left names that no sync made durable yet; what they name will be written to. */
static enum err
sync_names(const struct log_dir *d)
{
	const int fds[] = { d->seg_fd, d->quarantine_fd, d->seal_fd, d->fd };

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (log_io()->fsync(fds[i]) != 0)
			return log_io_failure();
	return OK;
}

static enum err
open_inside(struct log_dir *d)
{
	enum err e;

	d->lock_fd = openat(d->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (d->lock_fd < 0)
		return errno == EISDIR || errno == ELOOP || errno == ENXIO ? ERR_AUDIT_TAMPERED : log_io_failure();
	if ((e = take_lock(d->lock_fd)) != OK ||
	    (e = open_below(d->fd, "seg", &d->seg_fd)) != OK ||
	    (e = open_below(d->fd, "quarantine", &d->quarantine_fd)) != OK ||
	    (e = remove_temporary(d->fd)) != OK || (e = remove_temporary(d->seg_fd)) != OK ||
	    (e = open_below(d->fd, "seal", &d->seal_fd)) != OK ||
	    (e = remove_temporary(d->quarantine_fd)) != OK || (e = remove_temporary(d->seal_fd)) != OK)
		return e;
	return sync_names(d);
}

enum err
log_dir_open(const char *dir, struct log_dir *out)
{
	struct log_dir d = LOG_DIR_NONE;
	enum err e;

	d.fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d.fd < 0)
		return ERR_AUDIT_UNAVAILABLE;
	e = (d.path = strdup(dir)) == NULL ? ERR_NO_MEMORY : ours_alone(d.fd) ? open_inside(&d) : ERR_AUDIT_TAMPERED;
	if (e != OK) {
		log_dir_close(&d);
		return e;
	}
	*out = d;
	return OK;
}

void
log_dir_close(struct log_dir *d)
{
	int fds[] = { d->seal_fd, d->quarantine_fd, d->seg_fd, d->lock_fd, d->fd };

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(d->path);
	*d = LOG_DIR_NONE;
}

static bool
same_place(int at_fd, const char *name, int fd)
{
	struct stat named, opened;

	return fstatat(at_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &opened) == 0 &&
	    named.st_dev == opened.st_dev && named.st_ino == opened.st_ino && ours_alone(fd);
}

enum err
log_dir_intact(const struct log_dir *d)
{
	return same_place(AT_FDCWD, d->path, d->fd) && same_place(d->fd, "seg", d->seg_fd) ? OK : ERR_AUDIT_TAMPERED;
}

bool
log_dir_has(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

enum err
log_dir_begin(int dir_fd, const char *name, int *fd)
{
	char temporary[64];
	int opened;

	temporary_name(name, temporary);
	opened = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (opened < 0)
		return log_io_failure();
	*fd = opened;
	return OK;
}

enum err
log_dir_finish(int dir_fd, const char *name, int *fd)
{
	char temporary[64];
	enum err e = OK;

	temporary_name(name, temporary);
	if (log_io()->fsync(*fd) != 0 || renameat(dir_fd, temporary, dir_fd, name) != 0 ||
	    log_io()->fsync(dir_fd) != 0)
		e = log_io_failure();
	close(*fd);
	*fd = -1;
	return e;
}

void
log_dir_abandon(int dir_fd, const char *name, int *fd)
{
	char temporary[64];

	temporary_name(name, temporary);
	close(*fd);
	*fd = -1;
	(void)unlinkat(dir_fd, temporary, 0);
}

enum err
log_dir_publish(int dir_fd, const char *name, struct span bytes)
{
	enum err e;
	int fd = -1;

	if ((e = log_dir_begin(dir_fd, name, &fd)) != OK)
		return e;
	if (!log_io_write(fd, bytes.p, bytes.len, 0)) {
		e = log_io_failure();
		log_dir_abandon(dir_fd, name, &fd);
		return e;
	}
	return log_dir_finish(dir_fd, name, &fd);
}
