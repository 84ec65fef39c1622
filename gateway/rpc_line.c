#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "escrow/secret.h"
#include "gateway/rpc_line.h"

#define FIRST_CAP 8192
#define CAP_MAX   (RPC_LINE_MAX + 2) /* a longest line and its \r\n */

struct rpc_reader {
	int      fd;
	uint8_t *p;
	size_t   cap;
	size_t   start;   /* of the line being read */
	size_t   scanned; /* no \n before this, from start on */
	size_t   len;
	bool     skipping; /* inside a line that is too long */
	bool     ended;
};

enum err
rpc_line_open(int fd, struct rpc_reader **out)
{
	struct rpc_reader *r = calloc(1, sizeof *r);

	if (r == NULL || (r->p = malloc(FIRST_CAP)) == NULL) {
		free(r);
		return ERR_NO_MEMORY;
	}
	r->fd = fd;
	r->cap = FIRST_CAP;
	*out = r;
	return OK;
}

void
rpc_line_close(struct rpc_reader **r)
{
	if (*r == NULL)
		return;
	wipe((*r)->p, (*r)->cap);
	free((*r)->p);
	free(*r);
	*r = NULL;
}

/* Room for at least one more byte; false when memory is out. */
static bool
make_room(struct rpc_reader *r)
{
	size_t cap = 2 * r->cap < CAP_MAX ? 2 * r->cap : CAP_MAX;
	uint8_t *p;

	if (r->start > 0) {
		memmove(r->p, r->p + r->start, r->len - r->start);
		r->len -= r->start;
		r->scanned -= r->start;
		r->start = 0;
	}
	if (r->len < r->cap)
		return true;
	if ((p = malloc(cap)) == NULL)
		return false;
	memcpy(p, r->p, r->len);
	wipe(r->p, r->cap);
	free(r->p);
	r->p = p;
	r->cap = cap;
	return true;
}

enum rpc_line
rpc_line_fill(struct rpc_reader *r)
{
	ssize_t n;

	if (!make_room(r))
		return RPC_LINE_FAILED;
	n = read(r->fd, r->p + r->len, r->cap - r->len);
	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return RPC_LINE_WAIT;
	if (n < 0)
		return RPC_LINE_FAILED;
	r->ended = n == 0;
	r->len += (size_t)n;
	return RPC_LINE;
}

/* The line from start to end, blank or not; start moves past it. */
static struct span
cut_line(struct rpc_reader *r, size_t end, size_t next)
{
	struct span line = { r->p + r->start, end - r->start };

	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	r->start = r->scanned = next;
	return line;
}

static bool
is_blank(struct span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	return true;
}

/* A line, blank or not. */
static enum rpc_line
next_line(struct rpc_reader *r, struct span *line)
{
	const uint8_t *at = memchr(r->p + r->scanned, '\n', r->len - r->scanned);
	bool skipping = r->skipping;

	if (at == NULL && !r->ended) {
		r->scanned = r->len;
		if (r->len - r->start == CAP_MAX)
			r->skipping = true;
		if (r->skipping)
			r->start = r->scanned = r->len = 0;
		return RPC_LINE_WAIT;
	}
	if (at == NULL && r->start == r->len && !skipping)
		return RPC_LINE_END;
	r->skipping = false;
	if (at != NULL)
		*line = cut_line(r, (size_t)(at - r->p), (size_t)(at - r->p) + 1);
	else
		*line = cut_line(r, r->len, r->len);
	return skipping || line->len > RPC_LINE_MAX ? RPC_LINE_TOO_LONG : RPC_LINE;
}

enum rpc_line
rpc_line_next(struct rpc_reader *r, struct span *line)
{
	struct span found;
	enum rpc_line outcome;

	do
		outcome = next_line(r, &found);
	while (outcome == RPC_LINE && is_blank(found));
	if (outcome == RPC_LINE)
		*line = found;
	return outcome;
}

static enum rpc_line
wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) < 0 && errno != EINTR ? RPC_LINE_FAILED : RPC_LINE;
}

/* The line from there on, and its end. */
static ssize_t
write_from(int fd, struct span line, size_t done)
{
	static const char newline = '\n';
	struct iovec parts[2];

	if (done >= line.len)
		return write(fd, &newline, 1);
	parts[0] = (struct iovec){ (void *)(uintptr_t)(line.p + done), line.len - done };
	parts[1] = (struct iovec){ (void *)(uintptr_t)&newline, 1 };
	return writev(fd, parts, 2);
}

enum rpc_line
rpc_line_write(int fd, struct span line)
{
	size_t done = 0;

	while (done < line.len + 1) {
		ssize_t n = write_from(fd, line, done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EPIPE || errno == ECONNRESET)
			return RPC_LINE_END;
		else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
			return RPC_LINE_FAILED;
		else if (errno != EINTR && wait_writable(fd) != RPC_LINE)
			return RPC_LINE_FAILED;
	}
	return RPC_LINE;
}
