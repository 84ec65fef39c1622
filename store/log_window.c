#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_io.h"
#include "store/log_window.h"

#define WINDOW ((size_t)2 << 20)

static enum err
measure(struct log_window *w)
{
	struct stat st;

	if (fstat(w->fd, &st) != 0)
		return ERR_FILE_UNREADABLE;
	if (!S_ISREG(st.st_mode))
		return ERR_INVALID_CONTENT;
	w->bytes = (uint64_t)st.st_size <= SEGMENT_BYTES_MAX ? (uint64_t)st.st_size : SEGMENT_BYTES_MAX + 1;
	return OK;
}

enum err
log_window_open(struct log_window *w, int seg_fd, uint64_t number, bool direct)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	char name[SEGMENT_NAME_LEN + 1];
	enum err e;

	if (w->buf == NULL && (w->buf = aligned_alloc(LOG_WINDOW_BLOCK, WINDOW)) == NULL)
		return ERR_NO_MEMORY;
	segment_name(number, name);
	w->len = 0;
	w->fd = openat(seg_fd, name, direct ? flags | O_DIRECT : flags);
	if (w->fd < 0 && direct && errno == EINVAL)
		w->fd = openat(seg_fd, name, flags);
	if (w->fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND :
		    errno == ELOOP || errno == ENXIO ? ERR_INVALID_CONTENT : ERR_FILE_UNREADABLE;
	if ((e = measure(w)) != OK)
		log_window_close(w);
	return e;
}

void
log_window_close(struct log_window *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

void
log_window_end(struct log_window *w)
{
	log_window_close(w);
	free(w->buf);
	w->buf = NULL;
}

enum err
log_window_renew(struct log_window *w)
{
	w->len = 0;
	return measure(w);
}

static size_t
room(const struct log_window *w)
{
	return w->most == 0 || w->most > WINDOW ? WINDOW : w->most + (LOG_WINDOW_BLOCK - w->most % LOG_WINDOW_BLOCK) % LOG_WINDOW_BLOCK;
}

static ssize_t
read_some(struct log_window *w, size_t done, size_t most)
{
	size_t want = room(w) - done < most ? room(w) - done : most;
	ssize_t n = log_io()->pread(w->fd, w->buf + done, want, (off_t)(w->base + done));

	/* A file system can take O_DIRECT at open and refuse it here. */
	if (n < 0 && errno == EINVAL && fcntl(w->fd, F_SETFL, 0) == 0)
		n = log_io()->pread(w->fd, w->buf + done, want, (off_t)(w->base + done));
	return n;
}

static enum err
fill(struct log_window *w, uint64_t at)
{
	size_t done = 0, most = WINDOW;

	w->base = at - at % LOG_WINDOW_BLOCK;
	w->len = 0;
	while (done < room(w)) {
		ssize_t n = read_some(w, done, most);

		if (n < 0 && errno == EINTR)
			continue;
		/* One block that cannot be read must not hide what stands before it. */
		if (n < 0 && most > LOG_WINDOW_BLOCK) {
			most = LOG_WINDOW_BLOCK;
			continue;
		}
		if (n < 0 && done == 0)
			return ERR_FILE_UNREADABLE;
		if (n < 0)
			break;
		done += (size_t)n;
		if (n == 0 || done % LOG_WINDOW_BLOCK != 0)
			break;
	}
	w->len = done;
	return OK;
}

enum err
log_window_at(struct log_window *w, uint64_t at, size_t want, struct span *out)
{
	uint64_t left = at < w->bytes ? w->bytes - at : 0;
	uint64_t here;
	enum err e;

	if (left < want)
		want = (size_t)left;
	if (want == 0) {
		*out = (struct span){ w->buf, 0 };
		return OK;
	}
	if ((at < w->base || at + want > w->base + w->len) && (e = fill(w, at)) != OK)
		return e;
	if (at + want > w->base + w->len)
		return ERR_FILE_UNREADABLE;
	here = w->base + w->len - at;
	*out = (struct span){ w->buf + (at - w->base), (size_t)(here < left ? here : left) };
	return OK;
}

enum err
log_window_next(struct log_window *w, uint64_t *at, size_t whole, struct span *out)
{
	enum err e;

	if ((e = log_window_at(w, *at, whole, out)) != OK)
		return e;
	*at += out->len;
	if (*at < w->bytes && out->len >= whole)
		*at -= whole - 1;
	return OK;
}

enum err
log_window_header(struct log_window *w, enum segment_header_state *state, struct segment_header *h)
{
	struct span bytes;
	enum err e;

	if ((e = log_window_at(w, 0, SEGMENT_HEADER_LEN, &bytes)) == OK)
		*state = segment_header_take(bytes, h);
	return e;
}

enum err
log_window_before(struct log_window *w, uint64_t from, uint64_t to, struct span *out)
{
	uint64_t behind = room(w) - LOG_WINDOW_BLOCK; /* what of it is left when its start is moved to a block's */
	enum err e;

	if ((from < w->base || to > w->base + w->len) && (e = fill(w, to > behind ? to - behind : 0)) != OK)
		return e;
	if (from < w->base || to > w->base + w->len)
		return ERR_FILE_UNREADABLE;
	*out = (struct span){ w->buf + (from - w->base), (size_t)(to - from) };
	return OK;
}
