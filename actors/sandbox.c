#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "actors/sandbox.h"

/* What nng, glibc and libsodium need in any process that talks over Unix sockets. */
static const int common_calls[] = {
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev),
	SCMP_SYS(recvmsg), SCMP_SYS(recvfrom),
	SCMP_SYS(shutdown), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(close), SCMP_SYS(fcntl),
	SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
	SCMP_SYS(eventfd2), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address),
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(mlock), SCMP_SYS(munlock), SCMP_SYS(brk),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
	SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
	SCMP_SYS(tgkill), SCMP_SYS(restart_syscall), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_setaffinity), SCMP_SYS(sysinfo), SCMP_SYS(exit), SCMP_SYS(exit_group),
};

/* What reaches others: over Unix sockets, of all but one. */
static const int reaching_calls[] = { SCMP_SYS(connect), SCMP_SYS(sendmsg), SCMP_SYS(sendto) };

/* What the log's owner needs besides: files under its directory, and listening for keyring. */
static const int file_calls[] = {
	SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(newfstatat), SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat),
	SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2),
	SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(ftruncate), SCMP_SYS(fallocate),
	SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(fadvise64), SCMP_SYS(flock), SCMP_SYS(getdents64),
	SCMP_SYS(mkdirat), SCMP_SYS(mkdir), SCMP_SYS(unlinkat), SCMP_SYS(unlink), SCMP_SYS(renameat), SCMP_SYS(renameat2),
	SCMP_SYS(linkat), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chmod), SCMP_SYS(umask),
	SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(dup), SCMP_SYS(dup3),
	SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4),
};

enum err
sandbox_guard(bool on)
{
	struct rlimit none = { 0, 0 };

	if (on && setrlimit(RLIMIT_CORE, &none) != 0)
		return ERR_UNSUPPORTED;
	return prctl(PR_SET_DUMPABLE, !on, 0, 0, 0) == 0 ? OK : ERR_UNSUPPORTED;
}

static int
allow_all(scmp_filter_ctx f, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(f, SCMP_ACT_ALLOW, calls[i], 0) != 0)
			return -1;
	return 0;
}

static struct scmp_arg_cmp
argument_is(unsigned argument, uint64_t value)
{
	return (struct scmp_arg_cmp){ .arg = argument, .op = SCMP_CMP_EQ, .datum_a = value };
}

static struct scmp_arg_cmp
argument_masked(unsigned argument, uint64_t mask, uint64_t value)
{
	return (struct scmp_arg_cmp){ .arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value };
}

/* A socket's type is that of a stream, whichever flags stand beside it: a datagram would go to an address without connecting. */
static struct scmp_arg_cmp
type_is_stream(void)
{
	return argument_masked(1, ~(uint64_t)(SOCK_NONBLOCK | SOCK_CLOEXEC) & 0xffffffff, SOCK_STREAM);
}

/* Unix sockets only; memory never executable; threads but no processes. */
static int
allow_some(scmp_filter_ctx f)
{
	static const unsigned long ioctls[] = { FIONREAD, FIONBIO };

	if (seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2, argument_is(0, AF_UNIX), type_is_stream()) != 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 2, argument_is(0, AF_UNIX), type_is_stream()) != 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
	    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) != 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
	    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) != 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
	    SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) != 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, argument_is(0, PR_SET_NAME)) != 0)
		return -1;
	/* Standard error may be the owner's terminal, into which an ioctl can type. */
	for (size_t i = 0; i < sizeof ioctls / sizeof *ioctls; i++)
		if (seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, argument_is(1, ioctls[i])) != 0)
			return -1;
	/* Its arguments lie in memory that a filter cannot see: glibc then takes clone. */
	return seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

static int
refuse_all(scmp_filter_ctx f, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(f, SCMP_ACT_ERRNO(EACCES), calls[i], 0) != 0)
			return -1;
	return 0;
}

/* glibc looks for files of its own now and then, and goes on without them. */
static int
refuse_files(scmp_filter_ctx f)
{
	static const int calls[] = { SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(newfstatat), SCMP_SYS(fstat),
		SCMP_SYS(stat), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(readlink) };

	return refuse_all(f, calls, sizeof calls / sizeof *calls);
}

/* What opening a Unix socket needs; unlink removes the one that a predecessor left. */
static const int listen_calls[] = { SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(chmod), SCMP_SYS(unlink) };
static const size_t n_listen_calls = sizeof listen_calls / sizeof *listen_calls;

static int
fill_search(scmp_filter_ctx f)
{
	static const int calls[] = { SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(seccomp) };

	if (allow_all(f, calls, sizeof calls / sizeof *calls) != 0 || allow_all(f, listen_calls, n_listen_calls) != 0)
		return -1;
	return refuse_files(f);
}

/* LMDB's own, besides files. */
static int
fill_profile(scmp_filter_ctx f)
{
	static const int calls[] = { SCMP_SYS(pwritev), SCMP_SYS(preadv), SCMP_SYS(msync), SCMP_SYS(uname), SCMP_SYS(prlimit64) };

	return allow_all(f, calls, sizeof calls / sizeof *calls) != 0 ? -1
	    : allow_all(f, file_calls, sizeof file_calls / sizeof *file_calls);
}

/* TCP's socket, and none that could send to an address without connecting: SCTP's streams can. */
static int
allow_tcp(scmp_filter_ctx f)
{
	static const unsigned families[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(socket), 3, argument_is(0, families[i]),
		    type_is_stream(), argument_is(2, 0)) != 0)
			return -1;
	if (seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, argument_masked(3, MSG_FASTOPEN, 0)) != 0)
		return -1;
	return seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1, argument_masked(2, MSG_FASTOPEN, 0));
}

/* It is the door to strangers: they come in, and nothing goes out but on what they opened. */
static int
fill_http(scmp_filter_ctx f)
{
	static const int calls[] = { SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_settime) };

	if (allow_tcp(f) != 0 || allow_all(f, calls, sizeof calls / sizeof *calls) != 0 || allow_all(f, listen_calls, n_listen_calls) != 0 ||
	    seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(connect), 0) != 0)
		return -1;
	return refuse_files(f);
}

static int
fill(scmp_filter_ctx f, enum sandbox which)
{
	if (seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1) != 0 ||
	    allow_all(f, common_calls, sizeof common_calls / sizeof *common_calls) != 0 || allow_some(f) != 0)
		return -1;
	if (which != SANDBOX_HTTP && allow_all(f, reaching_calls, sizeof reaching_calls / sizeof *reaching_calls) != 0)
		return -1;
	switch (which) {
	case SANDBOX_HTTP:
		return fill_http(f);
	case SANDBOX_PROFILE:
		return fill_profile(f);
	case SANDBOX_AUDIT:
		return allow_all(f, file_calls, sizeof file_calls / sizeof *file_calls);
	case SANDBOX_SEARCH:
		return fill_search(f);
	case SANDBOX_KEYRING:
	case SANDBOX_NONE:
		break;
	}
	return refuse_files(f) == 0 ? refuse_all(f, (const int[]){ SCMP_SYS(unlink) }, 1) : -1;
}

enum err
sandbox_enter(enum sandbox which)
{
	scmp_filter_ctx f;
	enum err e = ERR_UNSUPPORTED;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return ERR_UNSUPPORTED;
	if (which == SANDBOX_NONE)
		return OK;
	if ((f = seccomp_init(SCMP_ACT_KILL_PROCESS)) == NULL)
		return ERR_NO_MEMORY;
	if (fill(f, which) == 0 && seccomp_load(f) == 0)
		e = OK;
	seccomp_release(f);
	return e;
}

enum err
sandbox_settle(void)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	enum err e = ERR_UNSUPPORTED;

	if (f == NULL)
		return ERR_NO_MEMORY;
	/* no_new_privs is set already, and setting it again is not allowed. */
	if (seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1) == 0 && seccomp_attr_set(f, SCMP_FLTATR_CTL_NNP, 0) == 0 &&
	    refuse_all(f, listen_calls, n_listen_calls) == 0 && seccomp_load(f) == 0)
		e = OK;
	seccomp_release(f);
	return e;
}
