#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escrow/safe_dir.h"

#define LINKS_MAX 40

struct walk {
	enum err refusal;
	unsigned n_make;
	unsigned n_links;
	int      fd;                         /* the directory reached, O_PATH */
	char     reached[SAFE_PATH_MAX + 1]; /* its canonical path; "" is the root */
	char     rest[SAFE_PATH_MAX + 1];    /* what is still to walk */
};

enum err
safe_dir_err(int error, enum err refusal)
{
	switch (error) {
	case ENOENT:
		return ERR_NOT_FOUND;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return ERR_NO_MEMORY;
	case ENOSPC:
	case EDQUOT:
		return ERR_STORAGE_FULL;
	case EIO:
		return ERR_STORAGE_FAILED;
	}
	return refusal;
}

static bool
trusted_owner(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

static bool
is_steady(const struct stat *st)
{
	if (!S_ISDIR(st->st_mode) || !trusted_owner(st))
		return false;
	return (st->st_mode & 022) == 0 || (st->st_uid == 0 && (st->st_mode & S_ISVTX) != 0);
}

static bool
is_private(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & 077) == 0;
}

/* Cuts the next component off what is left. False at the end; an empty name if it is too long. */
static bool
next_name(struct walk *w, char name[NAME_MAX + 1])
{
	const char *start = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(start, "/");

	name[0] = '\0';
	if (len > 0 && len <= NAME_MAX) {
		memcpy(name, start, len);
		name[len] = '\0';
	}
	memmove(w->rest, start + len, strlen(start + len) + 1);
	return len > 0;
}

static unsigned
n_components(const char *path)
{
	unsigned n = 0;
	size_t len;

	for (path += strspn(path, "/"); *path != '\0'; path += strspn(path, "/")) {
		len = strcspn(path, "/");
		n += len != 1 || *path != '.';
		path += len;
	}
	return n;
}

/* Notes in the canonical path that the walk went into name. False when it grows too long. */
static bool
note_reached(struct walk *w, const char *name)
{
	size_t len = strlen(w->reached), name_len = strlen(name);
	char *slash;

	if (strcmp(name, "..") == 0) {
		if ((slash = strrchr(w->reached, '/')) != NULL)
			*slash = '\0';
		return true;
	}
	if (len + 1 + name_len > SAFE_PATH_MAX)
		return false;
	w->reached[len] = '/';
	memcpy(w->reached + len + 1, name, name_len + 1);
	return true;
}

/* Takes over the descriptor. */
static enum err
enter(struct walk *w, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !is_steady(&st)) {
		close(fd);
		return w->refusal;
	}
	if (w->fd >= 0)
		close(w->fd);
	w->fd = fd;
	return OK;
}

static enum err
enter_root(struct walk *w)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return safe_dir_err(errno, w->refusal);
	w->reached[0] = '\0';
	return enter(w, fd);
}

/* Puts the target of a link before what is left to walk. */
static enum err
follow(struct walk *w, int link_fd, const struct stat *st)
{
	char target[PATH_MAX + 1];
	size_t rest_len = strlen(w->rest);
	unsigned n_left = n_components(w->rest);
	ssize_t len;

	if (!trusted_owner(st) || ++w->n_links > LINKS_MAX)
		return w->refusal;
	len = readlinkat(link_fd, "", target, sizeof target - 1);
	if (len <= 0 || (size_t)len + 1 + rest_len > SAFE_PATH_MAX)
		return w->refusal;
	memmove(w->rest + len + 1, w->rest, rest_len + 1);
	memcpy(w->rest, target, (size_t)len);
	w->rest[len] = '/';

	/* What a dangling link names was not asked for, so it is not made. */
	if (w->n_make > n_left)
		w->n_make = n_left;
	return target[0] == '/' ? enter_root(w) : OK;
}

/* A parent that cannot be read cannot be synced either; it was not ours to make durable. */
static enum err
sync_dir(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e;

	if (fd < 0)
		return errno == EACCES ? OK : safe_dir_err(errno, ERR_STORAGE_FAILED);
	e = fsync(fd) == 0 ? OK : ERR_STORAGE_FAILED;
	close(fd);
	return e;
}

static enum err
make(struct walk *w, const char *name)
{
	if (mkdirat(w->fd, name, 0700) == 0)
		return sync_dir(w->fd);
	return errno == EEXIST ? OK : safe_dir_err(errno, ERR_FILE_UNWRITABLE);
}

static enum err
step(struct walk *w, const char *name)
{
	int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, fd;
	struct stat st;
	enum err e;

	fd = openat(w->fd, name, flags);
	if (fd < 0 && errno == ENOENT && n_components(w->rest) < w->n_make) {
		if ((e = make(w, name)) != OK)
			return e;
		fd = openat(w->fd, name, flags);
	}
	if (fd < 0)
		return safe_dir_err(errno, w->refusal);
	if (fstat(fd, &st) == 0 && S_ISLNK(st.st_mode)) {
		e = follow(w, fd, &st);
		close(fd);
		return e;
	}
	if ((e = enter(w, fd)) != OK)
		return e;
	return note_reached(w, name) ? OK : w->refusal;
}

static enum err
walk(struct walk *w)
{
	char name[NAME_MAX + 1];
	enum err e = enter_root(w);

	while (e == OK && next_name(w, name)) {
		if (name[0] == '\0')
			e = w->refusal;
		else if (strcmp(name, ".") != 0)
			e = step(w, name);
	}
	return e;
}

/* The directory reached is the one asked for: checks it and opens it for reading. */
static enum err
arrive(const struct walk *w, enum safe_dir_kind kind, int *fd, char **canonical)
{
	struct stat st;
	char *path = NULL;
	int opened;

	if (kind == SAFE_DIR_PRIVATE && (fstat(w->fd, &st) != 0 || !is_private(&st)))
		return w->refusal;
	if (canonical != NULL && (path = strdup(w->reached[0] == '\0' ? "/" : w->reached)) == NULL)
		return ERR_NO_MEMORY;
	opened = openat(w->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened < 0) {
		free(path);
		return safe_dir_err(errno, w->refusal);
	}
	if (canonical != NULL)
		*canonical = path;
	*fd = opened;
	return OK;
}

enum err
safe_dir_open(const struct safe_dir_want *want, int *fd, char **canonical)
{
	size_t len = strlen(want->path);
	struct walk *w;
	enum err e;

	if (want->path[0] != '/' || len > SAFE_PATH_MAX)
		return want->refusal;
	if ((w = calloc(1, sizeof *w)) == NULL)
		return ERR_NO_MEMORY;
	w->refusal = want->refusal;
	w->n_make = want->n_make;
	w->fd = -1;
	memcpy(w->rest, want->path, len + 1);
	e = walk(w);
	if (e == OK)
		e = arrive(w, want->kind, fd, canonical);
	if (w->fd >= 0)
		close(w->fd);
	free(w);
	return e;
}
