#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command/progress.h"
#include "tools/command/source.h"

enum err
source_open(struct invocation *in, const char *path, struct source *s)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (strcmp(path, "-") == 0) {
		*s = (struct source){ .fd = STDIN_FILENO, .name = "" };
		return OK;
	}
	s->name = slash != NULL ? slash + 1 : path;
	s->fd = openat(path[0] == '/' || in->home == NULL ? AT_FDCWD : in->home->cwd_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	snprintf(in->detail, sizeof in->detail, "%.1000s", path);
	if (s->fd < 0)
		return ERR_FILE_UNREADABLE;
	if (fstat(s->fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		close(s->fd);
		return ERR_FILE_UNREADABLE;
	}
	s->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (s->total > FILE_LEN_MAX) {
		close(s->fd);
		return ERR_TOO_LARGE;
	}
	in->detail[0] = '\0';
	return OK;
}

void
source_close(struct source *s)
{
	if (s->fd != STDIN_FILENO)
		close(s->fd);
	s->fd = STDIN_FILENO;
}

/* As much as fits; *len 0 at the end. */
static enum err
read_some(int fd, uint8_t *p, size_t cap, size_t *len)
{
	ssize_t n;

	do
		n = read(fd, p, cap);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ERR_FILE_UNREADABLE;
	*len = (size_t)n;
	return OK;
}

enum err
source_read(const struct source *src, size_t max, struct secret **out)
{
	struct secret *s;
	size_t at = 0, n = 1;
	enum err e;

	if ((e = secret_new(max + 1, &s)) != OK)
		return e;
	while (e == OK && n > 0 && at <= max)
		if ((e = read_some(src->fd, secret_bytes(s) + at, max + 1 - at, &n)) == OK)
			at += n;
	if (e == OK && at > max)
		e = ERR_TOO_LARGE;
	if (e != OK) {
		secret_free(&s);
		return e;
	}
	secret_cut(s, at);
	*out = s;
	return OK;
}

enum err
source_copy(const struct source *s, struct writer *w)
{
	struct progress p = progress_start(true, s->total);
	struct secret *buf = NULL;
	uint64_t done = 0;
	size_t n = 1;
	enum err e;

	if ((e = secret_new(CHUNK_LEN, &buf)) != OK)
		return e;
	while (e == OK && n > 0)
		if ((e = read_some(s->fd, secret_bytes(buf), CHUNK_LEN, &n)) == OK && n > 0 &&
		    (e = writer_add(w, secret_view(buf), n)) == OK)
			progress_at(&p, done += n);
	progress_end(&p);
	secret_free(&buf);
	return e;
}
