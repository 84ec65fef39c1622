#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "store/log_io.h"

static const struct log_io of_system = {
	.pread = pread, .pwrite = pwrite, .fdatasync = fdatasync, .fsync = fsync, .fallocate = fallocate,
};
static const struct log_io *replaced;

const struct log_io *
log_io(void)
{
	return replaced != NULL ? replaced : &of_system;
}

void
log_io_replace(const struct log_io *io)
{
	replaced = io;
}

bool
log_io_write(int fd, const void *p, size_t len, off_t at)
{
	ssize_t n = log_io()->pwrite(fd, p, len, at);

	if (n >= 0 && (size_t)n < len)
		errno = ENOSPC;
	return n >= 0 && (size_t)n == len;
}

enum err
log_io_failure(void)
{
	return errno == ENOSPC || errno == EDQUOT ? ERR_AUDIT_FULL : ERR_AUDIT_UNAVAILABLE;
}

DIR *
log_io_entries(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (entries == NULL && fd >= 0)
		close(fd);
	return entries;
}
