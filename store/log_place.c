#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/safe_dir.h"
#include "store/log_io.h"
#include "store/log_place.h"

#define BEING_MADE ".memories.new"
#define PATH_LEN_MAX 255

static enum err
failure(void)
{
	return errno == ENOENT ? ERR_FILE_UNWRITABLE : safe_dir_err(errno, ERR_FILE_UNWRITABLE);
}

/* With mode as it is, whatever the umask. */
static enum err
make_dir(const struct log_place *p, int dir_fd, const char *path)
{
	mode_t mode = p->mode | (p->mode & 0444) >> 2;

	if (mkdirat(dir_fd, path, 0700) != 0)
		return errno == EEXIST ? OK : failure();
	return fchmodat(dir_fd, path, mode, 0) == 0 ? OK : failure();
}

enum err
log_place_open(struct log_place *p, int dir_fd, const char *path)
{
	enum err e = make_dir(p, dir_fd, path);
	int fd;

	if (e != OK)
		return e;
	if ((fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return failure();
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return ERR_BUSY;
	}
	p->dir_fd = fd;
	return OK;
}

void
log_place_close(struct log_place *p)
{
	if (p->dir_fd >= 0)
		close(p->dir_fd);
	p->dir_fd = -1;
}

/* How a file that has the name already compares. */
enum found { SAME, LACKING, OTHER };

static enum found
compare(int fd, struct span bytes)
{
	uint8_t buf[16 << 10];
	struct stat st;
	ssize_t n;
	size_t at = 0;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return OTHER;
	while ((n = log_io()->pread(fd, buf, sizeof buf, (off_t)at)) > 0) {
		if ((size_t)n > bytes.len - at || memcmp(buf, bytes.p + at, (size_t)n) != 0)
			return OTHER;
		at += (size_t)n;
	}
	return n < 0 ? OTHER : at == bytes.len ? SAME : LACKING;
}

static enum found
look_at(const struct log_place *p, const char *path, struct span bytes)
{
	int fd = openat(p->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	enum found found;

	if (fd < 0)
		return errno == ENOENT ? LACKING : OTHER;
	found = compare(fd, bytes);
	close(fd);
	return found;
}

static enum err
make_dirs(const struct log_place *p, const char *path)
{
	char above[PATH_LEN_MAX + 1];
	enum err e = OK;

	for (const char *slash = strchr(path, '/'); slash != NULL && e == OK; slash = strchr(slash + 1, '/')) {
		snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
		e = make_dir(p, p->dir_fd, above);
	}
	return e;
}

static enum err
fill(const struct log_place *p, int fd, struct span bytes, bool durable)
{
	size_t at = 0;
	ssize_t n;

	for (; at < bytes.len; at += (size_t)n)
		if ((n = log_io()->pwrite(fd, bytes.p + at, bytes.len - at, (off_t)at)) <= 0)
			return failure();
	if (fchmod(fd, p->mode) != 0)
		return failure();
	return !durable || log_io()->fdatasync(fd) == 0 ? OK : ERR_STORAGE_FAILED;
}

static enum err
make(struct log_place *p, const char *path, struct span bytes, bool durable)
{
	int fd = openat(p->dir_fd, BEING_MADE, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	enum err e;

	if (fd < 0)
		return failure();
	e = fill(p, fd, bytes, durable);
	close(fd);
	if (e == OK && renameat(p->dir_fd, BEING_MADE, p->dir_fd, path) != 0) {
		e = errno == ENOENT ? make_dirs(p, path) : failure();
		if (e == OK && renameat(p->dir_fd, BEING_MADE, p->dir_fd, path) != 0)
			e = failure();
	}
	if (e != OK)
		unlinkat(p->dir_fd, BEING_MADE, 0);
	p->n_new += e == OK;
	return e;
}

enum err
log_place_put(struct log_place *p, const char *path, struct span bytes)
{
	switch (look_at(p, path, bytes)) {
	case SAME:
		return OK;
	case LACKING:
		break;
	case OTHER:
		if (!p->ours)
			return ERR_EXPORT_FOREIGN;
		break;
	}
	return make(p, path, bytes, false);
}

enum err
log_place_replace(struct log_place *p, const char *path, struct span bytes)
{
	enum err e = look_at(p, path, bytes) == SAME ? OK : make(p, path, bytes, true);

	return e != OK || log_io()->fsync(p->dir_fd) == 0 ? e : ERR_STORAGE_FAILED;
}

enum err
log_place_sync(const struct log_place *p)
{
	return syncfs(p->dir_fd) == 0 ? OK : ERR_STORAGE_FAILED;
}
