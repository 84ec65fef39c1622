/* The shim before what gives memory and before what only passes bytes on; both count, and can go wrong. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/shim_calls.h"
#include "tests/faults/shim_plan.h"

static uintptr_t program_from, program_to;

/* The program's own text: what its libraries allocate is theirs to handle. */
static __attribute__((constructor)) void
find_program(void)
{
	/* The first lines of the map are the program's. */
	static char map[4096];
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), n;
	char *at = map;

	if (fd < 0)
		return;
	n = syscall(SYS_read, fd, map, sizeof map - 1);
	syscall(SYS_close, fd);
	if (n <= 0)
		return;
	map[n] = '\0';
	program_from = strtoul(at, &at, 16);
	program_to = program_from + (16u << 20);
}

static bool
by_program(const void *caller)
{
	return (uintptr_t)caller >= program_from && (uintptr_t)caller < program_to;
}

static bool
no_memory(const void *caller)
{
	enum shim_action action;
	int error;

	if (!by_program(caller) || !shim_plan_hits(SHIM_MALLOC, &action, &error))
		return false;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t size)
{
	return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

void *
mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	enum shim_action action;
	int error;

	if (shim_plan_hits(SHIM_MMAP, &action, &error)) {
		errno = error;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
}

void *
mmap64(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	return mmap(at, len, protection, flags, fd, offset);
}

/* Counted so that a process can be killed at each of them; errors of sockets are not this shim's. */
static void
count(enum shim_call call)
{
	enum shim_action action;
	int error;

	(void)shim_plan_hits(call, &action, &error);
}

ssize_t
sendmsg(int fd, const struct msghdr *m, int flags)
{
	count(SHIM_SEND);
	return syscall(SYS_sendmsg, fd, m, flags);
}

ssize_t
recvmsg(int fd, struct msghdr *m, int flags)
{
	count(SHIM_RECEIVE);
	return syscall(SYS_recvmsg, fd, m, flags);
}

ssize_t
readv(int fd, const struct iovec *parts, int n)
{
	count(SHIM_RECEIVE);
	return syscall(SYS_readv, fd, parts, n);
}
