/* The shim before what is done to names: open, rename, link, unlink, mkdir. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/faults/shim_calls.h"
#include "tests/faults/shim_place.h"
#include "tests/faults/shim_record.h"

static bool
is_there(int dir_fd, const char *name)
{
	struct stat st;
	int was = errno;
	bool there = syscall(SYS_newfstatat, dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	errno = was;
	return there;
}

static int
open_file(int dir_fd, const char *name, int flags, mode_t mode)
{
	char buf[PATH_MAX];
	const char *place = shim_place_at(dir_fd, name, buf);
	bool creates = place != NULL && (flags & O_CREAT) != 0 && !is_there(dir_fd, name);
	long fd;

	if (place != NULL && shim_place_wrong(SHIM_OPEN, &fd))
		return -1;
	fd = syscall(SYS_openat, dir_fd, name, flags, mode);
	if (fd >= 0 && creates)
		shim_record(&(struct shim_event){ .type = EVENT_CREATE, .path = place });
	if (fd >= 0 && place != NULL && (flags & O_TRUNC) != 0)
		shim_record(&(struct shim_event){ .type = EVENT_TRUNCATE, .path = place });
	return (int)fd;
}

#define TAKE_MODE(mode, last) \
	do { \
		va_list args; \
		va_start(args, last); \
		mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0; \
		va_end(args); \
	} while (0)

int
open(const char *name, int flags, ...)
{
	mode_t mode;

	TAKE_MODE(mode, flags);
	return open_file(AT_FDCWD, name, flags, mode);
}

int
openat(int dir_fd, const char *name, int flags, ...)
{
	mode_t mode;

	TAKE_MODE(mode, flags);
	return open_file(dir_fd, name, flags, mode);
}

int
open64(const char *name, int flags, ...)
{
	mode_t mode;

	TAKE_MODE(mode, flags);
	return open_file(AT_FDCWD, name, flags, mode);
}

int
openat64(int dir_fd, const char *name, int flags, ...)
{
	mode_t mode;

	TAKE_MODE(mode, flags);
	return open_file(dir_fd, name, flags, mode);
}

int __open_2(const char *name, int flags)                   { return open_file(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags)                 { return open_file(AT_FDCWD, name, flags, 0); }
int __openat_2(int dir_fd, const char *name, int flags)     { return open_file(dir_fd, name, flags, 0); }
int __openat64_2(int dir_fd, const char *name, int flags)   { return open_file(dir_fd, name, flags, 0); }

int
renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	char buf[PATH_MAX], buf2[PATH_MAX];
	const char *place = shim_place_at(from_fd, from, buf), *place2 = shim_place_at(to_fd, to, buf2);
	long result;

	if (place != NULL && shim_place_wrong(SHIM_RENAME, &result))
		return -1;
	result = syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
	if (result == 0 && place != NULL)
		shim_record(&(struct shim_event){ .type = EVENT_RENAME, .path = place, .path2 = place2 });
	return (int)result;
}

int
renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return renameat2(from_fd, from, to_fd, to, 0);
}

int
rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int
linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	char buf[PATH_MAX], buf2[PATH_MAX];
	const char *place = shim_place_at(from_fd, from, buf), *place2 = shim_place_at(to_fd, to, buf2);
	long result;

	if (place2 != NULL && shim_place_wrong(SHIM_RENAME, &result))
		return -1;
	result = syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
	if (result == 0 && place != NULL)
		shim_record(&(struct shim_event){ .type = EVENT_LINK, .path = place, .path2 = place2 });
	return (int)result;
}

int
link(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* By the call that the program made: the filter of a process may allow no other. */
static int
remove_name(int dir_fd, const char *name, int flags, bool plain)
{
	char buf[PATH_MAX];
	const char *place = shim_place_at(dir_fd, name, buf);
	long result;

	if (place != NULL && shim_place_wrong(SHIM_UNLINK, &result))
		return -1;
	result = plain ? syscall(SYS_unlink, name) : syscall(SYS_unlinkat, dir_fd, name, flags);
	if (result == 0 && place != NULL)
		shim_record(&(struct shim_event){ .type = EVENT_UNLINK, .path = place, .at = (flags & AT_REMOVEDIR) != 0 });
	return (int)result;
}

int
unlinkat(int dir_fd, const char *name, int flags)
{
	return remove_name(dir_fd, name, flags, false);
}

int
unlink(const char *name)
{
	return remove_name(AT_FDCWD, name, 0, true);
}

int
rmdir(const char *name)
{
	return remove_name(AT_FDCWD, name, AT_REMOVEDIR, false);
}

int
mkdirat(int dir_fd, const char *name, mode_t mode)
{
	char buf[PATH_MAX];
	const char *place = shim_place_at(dir_fd, name, buf);
	long result;

	if (place != NULL && shim_place_wrong(SHIM_MKDIR, &result))
		return -1;
	result = syscall(SYS_mkdirat, dir_fd, name, mode);
	if (result == 0 && place != NULL)
		shim_record(&(struct shim_event){ .type = EVENT_CREATE, .path = place, .at = 1 });
	return (int)result;
}

int
mkdir(const char *name, mode_t mode)
{
	return mkdirat(AT_FDCWD, name, mode);
}
