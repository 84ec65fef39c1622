#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "escrow/random.h"
#include "escrow/safe_dir.h"
#include "tools/command/draft_file.h"

#define FOLDER_PREFIX "memories-edit-"

/* Below that, what an editor left is given up: no editor nests its files. */
#define DEPTH_MAX 8

static bool
is_in_memory(int fd)
{
	struct statfs s;

	return fstatfs(fd, &s) == 0 && (s.f_type == TMPFS_MAGIC || s.f_type == RAMFS_MAGIC);
}

static enum err
open_place(const char *path, enum safe_dir_kind kind, int *fd, char **canonical)
{
	struct safe_dir_want want = { .path = path, .kind = kind, .refusal = ERR_NO_TMPFS };
	enum err e;

	if (path == NULL || path[0] != '/')
		return ERR_NO_TMPFS;
	if ((e = safe_dir_open(&want, fd, canonical)) != OK)
		return e == ERR_NO_MEMORY ? e : ERR_NO_TMPFS;
	if (is_in_memory(*fd))
		return OK;
	close(*fd);
	free(*canonical);
	return ERR_NO_TMPFS;
}

static enum err
make_in(int place, const char *where, struct draft_folder *out)
{
	uint8_t number[8];
	char name[64];
	size_t at;
	int fd;

	random_bytes(number, sizeof number);
	at = (size_t)snprintf(name, sizeof name, FOLDER_PREFIX);
	for (size_t i = 0; i < sizeof number; i++)
		at += (size_t)snprintf(name + at, sizeof name - at, "%02x", number[i]);
	if (mkdirat(place, name, 0700) != 0)
		return safe_dir_err(errno, ERR_FILE_UNWRITABLE);
	fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || asprintf(&out->path, "%s/%s", where, name) < 0) {
		if (fd >= 0)
			close(fd);
		unlinkat(place, name, AT_REMOVEDIR);
		return ERR_NO_MEMORY;
	}
	out->fd = fd;
	return OK;
}

enum err
draft_folder_make(struct draft_folder *out)
{
	char *where = NULL;
	int place;
	enum err e;

	if ((e = open_place(getenv("XDG_RUNTIME_DIR"), SAFE_DIR_PRIVATE, &place, &where)) == ERR_NO_TMPFS)
		e = open_place("/dev/shm", SAFE_DIR_STEADY, &place, &where);
	if (e != OK)
		return e;
	e = make_in(place, where, out);
	close(place);
	free(where);
	return e;
}

static enum err
write_all(int fd, struct span text)
{
	while (text.len > 0) {
		ssize_t n = write(fd, text.p, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return safe_dir_err(errno, ERR_FILE_UNWRITABLE);
		text.p += n;
		text.len -= (size_t)n;
	}
	return OK;
}

/* Where bytes cannot be overwritten they are cut off all the same. */
static void
overwrite(int fd)
{
	static const uint8_t zeros[65536];
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	for (off_t at = 0; at < st.st_size;) {
		size_t len = st.st_size - at < (off_t)sizeof zeros ? (size_t)(st.st_size - at) : sizeof zeros;
		ssize_t n = pwrite(fd, zeros, len, at);

		if (n <= 0 && errno != EINTR)
			break;
		at += n > 0 ? n : 0;
	}
	(void)!ftruncate(fd, 0);
}

static void
wipe_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0) {
		overwrite(fd);
		close(fd);
	}
	unlinkat(dir, name, 0);
}

/* kept: the name of what is not touched there, or NULL. */
static void
wipe_all_in(int dir, const char *kept, unsigned depth)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), inner;
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (kept != NULL && strcmp(entry->d_name, kept) == 0))
			continue;
		inner = openat(dir, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner < 0) {
			wipe_file(dir, entry->d_name);
			continue;
		}
		if (depth < DEPTH_MAX)
			wipe_all_in(inner, NULL, depth + 1);
		close(inner);
		unlinkat(dir, entry->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

enum err
draft_file_write(const struct draft_folder *d, const char *name, struct span text)
{
	enum err e;
	int fd;

	wipe_file(d->fd, name);
	fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return safe_dir_err(errno, ERR_FILE_UNWRITABLE);
	e = write_all(fd, text);
	close(fd);
	return e;
}

static enum err
read_all(int fd, size_t max, struct secret **out)
{
	struct secret *s = NULL;
	struct stat st;
	size_t at = 0;
	ssize_t n = 1;
	enum err e;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return ERR_FILE_UNREADABLE;
	if ((uint64_t)st.st_size > max)
		return ERR_TOO_LARGE;
	if ((e = secret_new((size_t)st.st_size, &s)) != OK)
		return e;
	while (n > 0 && at < secret_len(s))
		if ((n = pread(fd, secret_bytes(s) + at, secret_len(s) - at, (off_t)at)) > 0)
			at += (size_t)n;
	if (n < 0) {
		secret_free(&s);
		return ERR_FILE_UNREADABLE;
	}
	secret_cut(s, at);
	*out = s;
	return OK;
}

enum err
draft_file_read(const struct draft_folder *d, const char *name, size_t max, struct secret **out)
{
	int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	enum err e;

	if (fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_FILE_UNREADABLE;
	e = read_all(fd, max, out);
	close(fd);
	return e;
}

bool
draft_is_same(const struct secret *a, const struct secret *b)
{
	return b != NULL && secret_len(a) == secret_len(b) && memcmp(secret_view(a), secret_view(b), secret_len(a)) == 0;
}

bool
draft_is_blank(const struct secret *text)
{
	struct span s = secret_span(text);

	while (s.len > 0 && memchr(" \t\r\n", s.p[s.len - 1], 4) != NULL)
		s.len--;
	return s.len == 0;
}

static void
forget(struct draft_folder *d)
{
	if (d->fd >= 0)
		close(d->fd);
	free(d->path);
	*d = (struct draft_folder){ .fd = -1 };
}

void
draft_folder_leave(struct draft_folder *d, const char *kept)
{
	if (d->fd >= 0)
		wipe_all_in(d->fd, kept, 0);
	forget(d);
}

void
draft_folder_wipe(struct draft_folder *d)
{
	if (d->fd >= 0) {
		wipe_all_in(d->fd, NULL, 0);
		(void)rmdir(d->path);
	}
	forget(d);
}

/* By its last name alone: an owner may have moved it. */
static bool
is_draft_folder(const char *folder)
{
	const char *slash = strrchr(folder, '/');
	const char *name = slash != NULL ? slash + 1 : folder;

	return strncmp(name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) == 0;
}

void
draft_left_wipe(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash != NULL ? strndup(path, (size_t)(slash - path)) : NULL;

	if (folder != NULL && is_draft_folder(folder)) {
		wipe_file(AT_FDCWD, path);
		(void)rmdir(folder);
	}
	free(folder);
}

enum err
memory_file_make(struct span text, int *fd)
{
	int made = memfd_create("memories", MFD_CLOEXEC);
	enum err e;

	if (made < 0)
		return ERR_NO_MEMORY;
	if ((e = write_all(made, text)) != OK) {
		memory_file_close(&made);
		return e;
	}
	*fd = made;
	return OK;
}

void
memory_file_close(int *fd)
{
	if (*fd < 0)
		return;
	overwrite(*fd);
	close(*fd);
	*fd = -1;
}

enum err
memory_file_read(int fd, size_t max, struct secret **out)
{
	return read_all(fd, max, out);
}
