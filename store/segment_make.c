#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/log_io.h"
#include "store/segment.h"

#define STEP  ((uint64_t)4 << 20)
#define PIECE ((uint64_t)64 << 10)

static void
temporary_name(uint64_t number, char out[SEGMENT_NAME_LEN + 1])
{
	segment_name(number, out);
	memcpy(out + SEGMENT_NAME_LEN - 4, ".tmp", 4);
}

void
segment_make_stop(struct segment_maker *m, int seg_fd)
{
	char name[SEGMENT_NAME_LEN + 1];

	if (m->fd < 0)
		return;
	temporary_name(m->number, name);
	close(m->fd);
	(void)unlinkat(seg_fd, name, 0);
	*m = SEGMENT_MAKER_NONE;
}

/* Room is asked for first, so that a full disk is found before it is filled. */
static bool
claim_room(int fd, uint64_t bytes)
{
	return log_io()->fallocate(fd, 0, 0, (off_t)bytes) == 0 || errno == EOPNOTSUPP;
}

enum err
segment_make(int seg_fd, uint64_t number, uint64_t bytes, struct segment_maker *m)
{
	struct segment_maker made = { .number = number, .bytes = bytes };
	char name[SEGMENT_NAME_LEN + 1];
	enum err e;

	temporary_name(number, name);
	(void)unlinkat(seg_fd, name, 0);
	made.fd = openat(seg_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (made.fd < 0)
		return log_io_failure();
	if (fchmod(made.fd, 0600) != 0 || !claim_room(made.fd, bytes)) {
		e = log_io_failure();
		segment_make_stop(&made, seg_fd);
		return e;
	}
	*m = made;
	return OK;
}

static bool
fill(struct segment_maker *m)
{
	static const uint8_t zeros[PIECE];
	uint64_t stop = m->bytes - m->done < STEP ? m->bytes : m->done + STEP;

	while (m->done < stop) {
		uint64_t n = stop - m->done < PIECE ? stop - m->done : PIECE;

		if (!log_io_write(m->fd, zeros, (size_t)n, (off_t)m->done))
			return false;
		m->done += n;
	}
	return log_io()->fsync(m->fd) == 0;
}

static bool
publish(const struct segment_maker *m, int seg_fd)
{
	char from[SEGMENT_NAME_LEN + 1], to[SEGMENT_NAME_LEN + 1];

	temporary_name(m->number, from);
	segment_name(m->number, to);
	return renameat2(seg_fd, from, seg_fd, to, RENAME_NOREPLACE) == 0 && log_io()->fsync(seg_fd) == 0;
}

enum err
segment_make_more(struct segment_maker *m, int seg_fd, struct segment *out, bool *finished)
{
	bool full;
	enum err e;

	if (!fill(m) || (m->done == m->bytes && !publish(m, seg_fd))) {
		e = log_io_failure();
		segment_make_stop(m, seg_fd);
		return e;
	}
	full = m->done == m->bytes;
	if (full) {
		*out = (struct segment){ .fd = m->fd, .number = m->number, .bytes = m->bytes };
		*m = SEGMENT_MAKER_NONE;
	}
	*finished = full;
	return OK;
}
