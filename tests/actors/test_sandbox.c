/* Each filter, from inside: what it must stop, and what the actors cannot live without. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actors/sandbox.h"
#include "tests/support/check.h"
#include "tests/support/rig_dir.h"

enum { WORKS = 0, FAILS = 1, KILLED = 1000, CANNOT_ENTER = 77 };

/* Each returns 0 when it worked, or errno. */
static int
outcome(long rc)
{
	return rc >= 0 ? 0 : errno;
}

static int
opens_a_file(void)
{
	return outcome(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
}

static int
makes_a_file_and_syncs_it(void)
{
	int fd = openat(AT_FDCWD, "made", O_RDWR | O_CREAT, 0600);

	return fd < 0 || pwrite(fd, "x", 1, 0) != 1 || fdatasync(fd) != 0 ? errno : outcome(renameat(AT_FDCWD, "made", AT_FDCWD, "moved"));
}

static int
runs_a_program(void)
{
	char *argv[] = { (char *)(uintptr_t)"/bin/true", NULL };

	return outcome(execve(argv[0], argv, argv + 1));
}

static int
makes_a_tcp_socket(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

static int
makes_a_udp_socket(void)
{
	return outcome(socket(AF_INET6, SOCK_DGRAM, 0));
}

/* To a socket of another program of the machine's, without connecting. */
static int
makes_a_unix_datagram_socket(void)
{
	return outcome(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static int
makes_a_pair_of_datagram_sockets(void)
{
	int ends[2];

	return outcome(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
}

/* SCTP's stream connects as it sends. */
static int
makes_another_stream_socket(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
}

/* Nobody listens there: what is let through is refused by the machine. */
static struct sockaddr_in
nowhere(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(1) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static int
connects_over_tcp(void)
{
	struct sockaddr_in to = nowhere();

	return outcome(connect(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&to, sizeof to));
}

/* Sending can connect, too: TCP fast open. */
static int
sends_to_an_address(void)
{
	struct sockaddr_in to = nowhere();

	return outcome(sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, MSG_FASTOPEN, (struct sockaddr *)&to, sizeof to));
}

static int
listens_over_tcp(void)
{
	struct sockaddr_in any = nowhere();
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	any.sin_port = 0;
	return bind(fd, (struct sockaddr *)&any, sizeof any) != 0 ? errno : outcome(listen(fd, 1));
}

static int
makes_a_netlink_socket(void)
{
	return outcome(socket(AF_NETLINK, SOCK_RAW, 0));
}

static int
makes_a_unix_socket(void)
{
	return outcome(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int
listens_on_a_unix_socket(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "sock" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)unlink("sock");
	return bind(fd, (struct sockaddr *)&a, sizeof a) != 0 ? errno : outcome(listen(fd, 1));
}

static int
traces_its_parent(void)
{
	return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}

static int
reads_anothers_memory(void)
{
	return outcome(syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
}

static int
signals_its_parent(void)
{
	return outcome(kill(getppid(), 0));
}

static int
forks(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return outcome(pid);
}

static int
maps_executable_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}

static int
makes_memory_executable(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return outcome(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int
becomes_dumpable(void)
{
	return outcome(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static int
changes_the_directory(void)
{
	return outcome(chdir("/"));
}

static int
takes_memory_time_and_randomness(void)
{
	struct timespec t;
	char *p = malloc(3 << 20);
	uint8_t b[32];

	if (p == NULL || clock_gettime(CLOCK_BOOTTIME, &t) != 0 || syscall(SYS_getrandom, b, sizeof b, 0) != sizeof b)
		return FAILS;
	memset(p, 1, 3 << 20);
	free(p);
	return 0;
}

static int
locks_memory(void)
{
	static char page[4096];

	return outcome(mlock(page, sizeof page));
}

static void *
nothing(void *arg)
{
	return arg;
}

static int
starts_a_thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, nothing, NULL) != 0 ? FAILS : pthread_join(t, NULL);
}

static pthread_barrier_t entered;

static void *
runs_a_program_later(void *arg)
{
	pthread_barrier_wait(&entered);
	(void)runs_a_program();
	return arg;
}

/* What the function gave in a child behind that filter; KILLED when the filter ended it. */
static int
behind(enum sandbox which, int (*try)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (sandbox_enter(which) != OK || (which == SANDBOX_SEARCH && sandbox_settle() != OK))
			_exit(CANNOT_ENTER);
		_exit(try());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGSYS);
		return KILLED;
	}
	assert_int_not_equal(WEXITSTATUS(status), CANNOT_ENTER);
	return WEXITSTATUS(status);
}

/* A filter would bind a sanitizer or valgrind too, which need calls of their own. */
static bool
filters_can_be_tried(void)
{
	const char *preload = getenv("LD_PRELOAD");

#ifdef MEMORIES_SANITIZED
	return false;
#endif
	return preload == NULL || strstr(preload, "vgpreload") == NULL;
}

static const struct {
	const char *name;
	int (*try)(void);
	int keyring, audit, search, profile, http;
} calls[] = {
	{ "open a file", opens_a_file, EACCES, WORKS, EACCES, WORKS, EACCES },
	{ "make a file and sync it", makes_a_file_and_syncs_it, EACCES, WORKS, EACCES, WORKS, EACCES },
	{ "run a program", runs_a_program, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make a TCP socket", makes_a_tcp_socket, KILLED, KILLED, KILLED, KILLED, WORKS },
	{ "make a UDP socket", makes_a_udp_socket, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make a Unix datagram socket", makes_a_unix_datagram_socket, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make a pair of them", makes_a_pair_of_datagram_sockets, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make another stream socket", makes_another_stream_socket, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "listen over TCP", listens_over_tcp, KILLED, KILLED, KILLED, KILLED, WORKS },
	{ "connect over TCP", connects_over_tcp, KILLED, KILLED, KILLED, KILLED, EPERM },
	{ "send to an address", sends_to_an_address, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make a netlink socket", makes_a_netlink_socket, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make a Unix socket", makes_a_unix_socket, WORKS, WORKS, WORKS, WORKS, WORKS },
	{ "listen on a Unix socket", listens_on_a_unix_socket, KILLED, WORKS, EACCES, WORKS, WORKS },
	{ "trace its parent", traces_its_parent, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "read another's memory", reads_anothers_memory, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "signal its parent", signals_its_parent, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "fork", forks, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "map executable memory", maps_executable_memory, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "make memory executable", makes_memory_executable, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "become dumpable", becomes_dumpable, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "change the directory", changes_the_directory, KILLED, KILLED, KILLED, KILLED, KILLED },
	{ "take memory, time and randomness", takes_memory_time_and_randomness, WORKS, WORKS, WORKS, WORKS, WORKS },
	{ "lock memory", locks_memory, WORKS, WORKS, WORKS, WORKS, WORKS },
	{ "start a thread", starts_a_thread, WORKS, WORKS, WORKS, WORKS, WORKS },
};

static void
each_filter_stops_and_lets_through_what_it_says(void **state)
{
	(void)state;
	if (!filters_can_be_tried())
		skip();
	rig_dir_make();
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int keyring = behind(SANDBOX_KEYRING, calls[i].try), audit = behind(SANDBOX_AUDIT, calls[i].try);
		int search = behind(SANDBOX_SEARCH, calls[i].try), profile = behind(SANDBOX_PROFILE, calls[i].try);
		int http = behind(SANDBOX_HTTP, calls[i].try);

		if (keyring != calls[i].keyring || audit != calls[i].audit || search != calls[i].search ||
		    profile != calls[i].profile || http != calls[i].http)
			fail_msg("%s: keyring %d, audit %d, search %d, profile %d, http %d", calls[i].name, keyring, audit, search, profile,
			    http);
	}
	rig_dir_remove();
}

/* It opens its one socket before, and removes none of the home's files afterwards. */
static int
listens_and_settles(void)
{
	struct sockaddr_un other = { .sun_family = AF_UNIX, .sun_path = "other" };

	if (sandbox_enter(SANDBOX_SEARCH) != OK || listens_on_a_unix_socket() != 0 || sandbox_settle() != OK)
		return CANNOT_ENTER;
	if (unlink("sock") == 0 || chmod("sock", 0700) == 0 || errno != EACCES)
		return FAILS;
	return bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&other, sizeof other) != 0 && errno == EACCES ? WORKS : FAILS;
}

static void
search_listens_once_and_never_again(void **state)
{
	(void)state;
	if (!filters_can_be_tried())
		skip();
	rig_dir_make();
	assert_int_equal(behind(SANDBOX_NONE, listens_and_settles), WORKS);
	rig_dir_remove();
}

static void
without_a_filter_only_new_privileges_are_gone(void **state)
{
	(void)state;
	assert_int_equal(behind(SANDBOX_NONE, opens_a_file), WORKS);
	assert_int_equal(behind(SANDBOX_NONE, forks), WORKS);
}

static int
has_no_new_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? WORKS : FAILS;
}

static void
no_process_gains_privileges_whatever_its_filter(void **state)
{
	(void)state;
	assert_int_equal(behind(SANDBOX_NONE, has_no_new_privileges), WORKS);
}

static int
starts_a_thread_and_enters(void)
{
	pthread_t t;

	pthread_barrier_init(&entered, NULL, 2);
	if (pthread_create(&t, NULL, runs_a_program_later, NULL) != 0 || sandbox_enter(SANDBOX_AUDIT) != OK)
		return FAILS;
	pthread_barrier_wait(&entered);
	pthread_join(t, NULL);
	return WORKS;
}

static void
a_thread_that_was_there_before_is_bound_too(void **state)
{
	(void)state;
	if (!filters_can_be_tried())
		skip();
	assert_int_equal(behind(SANDBOX_NONE, starts_a_thread_and_enters), KILLED);
}

static int
is_guarded(void)
{
	struct rlimit core;

	if (sandbox_guard(true) != OK || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0 || getrlimit(RLIMIT_CORE, &core) != 0 ||
	    core.rlim_cur != 0 || core.rlim_max != 0)
		return FAILS;
	return sandbox_guard(false) == OK && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1 ? WORKS : FAILS;
}

static void
a_guarded_process_leaves_no_core_and_cannot_be_looked_into(void **state)
{
	(void)state;
	assert_int_equal(behind(SANDBOX_NONE, is_guarded), WORKS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_filter_stops_and_lets_through_what_it_says),
		cmocka_unit_test(search_listens_once_and_never_again),
		cmocka_unit_test(without_a_filter_only_new_privileges_are_gone),
		cmocka_unit_test(no_process_gains_privileges_whatever_its_filter),
		cmocka_unit_test(a_thread_that_was_there_before_is_bound_too),
		cmocka_unit_test(a_guarded_process_leaves_no_core_and_cannot_be_looked_into),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
