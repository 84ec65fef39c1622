#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/log_anchor.h"
#include "store/log_io.h"

static const uint8_t magic[4] = { 'A', 'A', 'N', '1' };

void
log_anchor_put(struct wire_out *o, const struct log_anchor *a)
{
	size_t start = o->len;
	uint8_t checksum[SHA256_LEN];

	wire_put_bytes(o, magic, sizeof magic);
	wire_put_u64(o, a->size);
	wire_put_bytes(o, a->root, sizeof a->root);
	wire_put_id(o, a->epoch);
	sha256(o->p + start, o->len - start, checksum);
	wire_put_bytes(o, checksum, sizeof checksum);
}

void
log_anchor_take(struct wire_in *in, struct log_anchor *out)
{
	struct span signed_part = { in->p, LOG_ANCHOR_LEN - SHA256_LEN };
	uint8_t found[sizeof magic], checksum[SHA256_LEN], computed[SHA256_LEN];

	wire_take_bytes(in, found, sizeof found);
	out->size = wire_take_u64(in);
	wire_take_bytes(in, out->root, sizeof out->root);
	out->epoch = wire_take_id(in);
	wire_take_bytes(in, checksum, sizeof checksum);
	if (in->failed)
		return;
	sha256(signed_part.p, signed_part.len, computed);
	if (memcmp(found, magic, sizeof magic) != 0 || memcmp(checksum, computed, sizeof computed) != 0)
		in->failed = true;
}

enum log_anchor_state
log_anchor_look(int dir_fd, struct log_anchor *out)
{
	int fd = openat(dir_fd, "anchor", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint8_t buf[LOG_ANCHOR_LEN + 1];
	struct log_anchor a;
	struct wire_in in;
	ssize_t n;
	int why;

	if (fd < 0)
		return errno == ENOENT ? LOG_ANCHOR_NONE :
		    errno == ELOOP || errno == ENXIO ? LOG_ANCHOR_DAMAGED : LOG_ANCHOR_UNREADABLE;
	n = log_io()->pread(fd, buf, sizeof buf, 0);
	why = errno;
	close(fd);
	if (n < 0)
		return why == EISDIR || why == ESPIPE ? LOG_ANCHOR_DAMAGED : LOG_ANCHOR_UNREADABLE;
	if (n <= LOG_ANCHOR_LEN && wire_is_zero((struct span){ buf, (size_t)n }))
		return LOG_ANCHOR_NONE;
	if (n != LOG_ANCHOR_LEN)
		return LOG_ANCHOR_DAMAGED;
	in = wire_in(buf, LOG_ANCHOR_LEN);
	log_anchor_take(&in, &a);
	if (!wire_done(&in))
		return LOG_ANCHOR_DAMAGED;
	*out = a;
	return LOG_ANCHOR_GOOD;
}

bool
log_anchor_read(int dir_fd, struct log_anchor *out)
{
	return log_anchor_look(dir_fd, out) == LOG_ANCHOR_GOOD;
}

enum err
log_anchor_open(int dir_fd, int *fd)
{
	int opened = openat(dir_fd, "anchor",
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;
	enum err e;

	if (opened < 0)
		return log_io_failure();
	if (fstat(opened, &st) != 0 || (st.st_size > LOG_ANCHOR_LEN && ftruncate(opened, LOG_ANCHOR_LEN) != 0)) {
		e = log_io_failure();
		close(opened);
		return e;
	}
	*fd = opened;
	return OK;
}

static bool
write_in_place(int fd, const struct log_anchor *a)
{
	uint8_t buf[LOG_ANCHOR_LEN];
	struct wire_out o = wire_out(buf, sizeof buf);
	int why;

	log_anchor_put(&o, a);
	if (log_io_write(fd, buf, sizeof buf, 0))
		return true;
	/* Half an anchor would look like somebody else's; an empty file is none. */
	why = errno;
	if (ftruncate(fd, 0) != 0)
		why = errno;
	errno = why;
	return false;
}

void
log_anchor_write(int fd, const struct log_anchor *a)
{
	(void)write_in_place(fd, a);
}

enum err
log_anchor_sync(int fd, const struct log_anchor *a)
{
	if (!write_in_place(fd, a) || log_io()->fdatasync(fd) != 0)
		return log_io_failure();
	return OK;
}
