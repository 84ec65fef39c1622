/*
 * The preloaded shim stands before libc's calls, lets chosen ones go wrong
 * (shim_plan.h), and writes down what they do to the home (shim_record.h).
 * Everything it does itself is a plain system call that the filters of the
 * program allow; its own files are open before they are on. Here: what is done
 * to an open file.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/shim_place.h"
#include "tests/faults/shim_record.h"

/* Nothing cuts a write in place of so few bytes; the log's anchor, cut, would be called changed from outside. */
#define SHORTEST 100

static long
grown_by(int fd, uint64_t end)
{
	struct stat st;
	int was = errno;

	if (syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) != 0 || (uint64_t)st.st_size >= end) {
		errno = was;
		return 0;
	}
	return (long)(end - (uint64_t)st.st_size);
}

static bool
syncs(int fd)
{
	long flags = syscall(SYS_fcntl, fd, F_GETFL);

	return flags >= 0 && (flags & (O_DSYNC | O_SYNC)) != 0;
}

/* A write to a file of the home, at a place. */
static ssize_t
write_file(int fd, const char *place, const void *p, size_t len, off_t at)
{
	struct shim_event e = { .type = EVENT_WRITE, .path = place, .at = (uint64_t)at, .data = p, .data_len = len };
	enum shim_action action = SHIM_ERROR;
	long n;
	int error;

	if (shim_plan_hits(SHIM_WRITE, &action, &error) && (action == SHIM_ERROR || len > SHORTEST)) {
		if (action == SHIM_ERROR) {
			errno = error;
			return -1;
		}
		e.data_len = len /= 2;
	}
	if (shim_plan_no_room(grown_by(fd, (uint64_t)at + len))) {
		errno = ENOSPC;
		return -1;
	}
	shim_record(&e);
	n = syscall(SYS_pwrite64, fd, p, len, at);
	if (n >= 0 && shim_record_on() && syncs(fd)) {
		e.type = EVENT_WRITE_SYNCED;
		e.data_len = 0;
		shim_record(&e);
	}
	return n;
}

ssize_t
pwrite(int fd, const void *p, size_t len, off_t at)
{
	char buf[PATH_MAX];
	const char *place = shim_place_of(fd, buf);

	return place != NULL ? write_file(fd, place, p, len, at) : syscall(SYS_pwrite64, fd, p, len, at);
}

ssize_t
pwrite64(int fd, const void *p, size_t len, off_t at)
{
	return pwrite(fd, p, len, at);
}

ssize_t
pwritev(int fd, const struct iovec *parts, int n, off_t at)
{
	ssize_t all = 0;

	for (int i = 0; i < n; i++) {
		ssize_t one = pwrite(fd, parts[i].iov_base, parts[i].iov_len, at + all);

		if (one < 0)
			return all > 0 ? all : -1;
		all += one;
		if ((size_t)one != parts[i].iov_len)
			break;
	}
	return all;
}

ssize_t
pwritev64(int fd, const struct iovec *parts, int n, off_t at)
{
	return pwritev(fd, parts, n, at);
}

/* At the descriptor's own place, which moves on. */
static ssize_t
write_here(int fd, const char *place, const struct iovec *parts, int n)
{
	off_t from = syscall(SYS_lseek, fd, 0L, SEEK_CUR), at = from;
	ssize_t one = 0;

	if (from < 0)
		return -1;
	for (int i = 0; i < n && one >= 0; i++) {
		if ((one = write_file(fd, place, parts[i].iov_base, parts[i].iov_len, at)) > 0)
			at += one;
		if (one >= 0 && (size_t)one != parts[i].iov_len)
			break;
	}
	if (one < 0 && at == from)
		return -1;
	syscall(SYS_lseek, fd, at, SEEK_SET);
	return at - from;
}

ssize_t
write(int fd, const void *p, size_t len)
{
	struct iovec part = { (void *)(uintptr_t)p, len };
	char buf[PATH_MAX];
	const char *place = shim_place_of(fd, buf);
	long result;

	if (place != NULL)
		return write_here(fd, place, &part, 1);
	if (shim_place_wrong(SHIM_SEND, &result))
		return result;
	if (fd == STDOUT_FILENO && shim_plan_process() == SHIM_CLIENT)
		shim_record(&(struct shim_event){ .type = EVENT_OUT, .data = p, .data_len = len });
	return syscall(SYS_write, fd, p, len);
}

ssize_t
writev(int fd, const struct iovec *parts, int n)
{
	char buf[PATH_MAX];
	const char *place = shim_place_of(fd, buf);
	long result;

	if (place != NULL)
		return write_here(fd, place, parts, n);
	return shim_place_wrong(SHIM_SEND, &result) ? result : syscall(SYS_writev, fd, parts, n);
}

static int
sync_file(int fd, long number)
{
	char buf[PATH_MAX];
	const char *place = shim_place_of(fd, buf);
	enum shim_action action = SHIM_ERROR;
	unsigned us = shim_plan_sync_us();
	int error = 0, result;
	bool wrong;

	if (place == NULL)
		return (int)syscall(number, fd);
	wrong = shim_plan_hits(SHIM_SYNC, &action, &error);
	shim_record(&(struct shim_event){ .type = EVENT_SYNC_BEGIN, .path = place });
	if (us > 0)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
	result = wrong && action == SHIM_ERROR ? -1 : (int)syscall(number, fd);
	if (wrong) {
		errno = error;
		return -1;
	}
	if (result == 0)
		shim_record(&(struct shim_event){ .type = EVENT_SYNC_END, .path = place });
	return result;
}

int
fsync(int fd)
{
	return sync_file(fd, SYS_fsync);
}

int
fdatasync(int fd)
{
	return sync_file(fd, SYS_fdatasync);
}

int
ftruncate(int fd, off_t len)
{
	char buf[PATH_MAX];
	const char *place = shim_place_of(fd, buf);
	long result;

	if (place != NULL && shim_place_wrong(SHIM_TRUNCATE, &result))
		return -1;
	if (place != NULL)
		shim_record(&(struct shim_event){ .type = EVENT_TRUNCATE, .path = place, .at = (uint64_t)len });
	return (int)syscall(SYS_ftruncate, fd, len);
}

int
ftruncate64(int fd, off_t len)
{
	return ftruncate(fd, len);
}

int
fallocate(int fd, int mode, off_t at, off_t len)
{
	char buf[PATH_MAX];
	const char *place = shim_place_of(fd, buf);
	long result;

	if (place != NULL && shim_place_wrong(SHIM_FALLOCATE, &result))
		return -1;
	if (place != NULL && shim_plan_no_room(grown_by(fd, (uint64_t)(at + len)))) {
		errno = ENOSPC;
		return -1;
	}
	if (place != NULL && mode == 0)
		shim_record(&(struct shim_event){ .type = EVENT_GROW, .path = place, .at = (uint64_t)(at + len) });
	return (int)syscall(SYS_fallocate, fd, mode, at, len);
}

int
fallocate64(int fd, int mode, off_t at, off_t len)
{
	return fallocate(fd, mode, at, len);
}

ssize_t
pread(int fd, void *p, size_t len, off_t at)
{
	char buf[PATH_MAX];
	long result;

	if (shim_place_of(fd, buf) != NULL && shim_place_wrong(SHIM_READ, &result))
		return result;
	return syscall(SYS_pread64, fd, p, len, at);
}

ssize_t
pread64(int fd, void *p, size_t len, off_t at)
{
	return pread(fd, p, len, at);
}

ssize_t
read(int fd, void *p, size_t len)
{
	char buf[PATH_MAX];
	long result;

	if (shim_place_wrong(shim_place_of(fd, buf) != NULL ? SHIM_READ : SHIM_RECEIVE, &result))
		return result;
	return syscall(SYS_read, fd, p, len);
}
