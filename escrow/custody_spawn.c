/* The daemon's side: starts the process, hears it for its time, and ends it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escrow/custody_process.h"

/* What a client of the session bus needs of the environment. */
static const char *const passed_on[] = { "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR" };
#define N_PASSED_ON (sizeof passed_on / sizeof *passed_on)

static void
free_environment(char **env)
{
	for (size_t i = 0; env[i] != NULL; i++)
		free(env[i]);
}

static enum err
make_environment(char *env[N_PASSED_ON + 1])
{
	size_t n = 0;

	memset(env, 0, (N_PASSED_ON + 1) * sizeof *env);
	for (size_t i = 0; i < N_PASSED_ON; i++) {
		const char *value = getenv(passed_on[i]);

		if (value == NULL)
			continue;
		if (asprintf(&env[n], "%s=%s", passed_on[i], value) < 0) {
			env[n] = NULL;
			free_environment(env);
			return ERR_NO_MEMORY;
		}
		n++;
	}
	return OK;
}

/* Its socket is its standard input; what it might write goes nowhere. */
static int
start_with(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attr, int fd, char **env, pid_t *pid)
{
	char name[] = CUSTODY_PROCESS_NAME, word[] = CUSTODY_PROCESS_WORD;
	char *argv[] = { name, word, NULL };
	sigset_t none;

	sigemptyset(&none);
	if (posix_spawn_file_actions_adddup2(actions, fd, STDIN_FILENO) != 0 ||
	    posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0) != 0 ||
	    posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO) != 0 ||
	    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1) != 0 ||
	    posix_spawnattr_setsigmask(attr, &none) != 0 ||
	    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK) != 0)
		return -1;
	return posix_spawn(pid, "/proc/self/exe", actions, attr, argv, env);
}

static enum err
start(int fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	char *env[N_PASSED_ON + 1];
	enum err e;

	if ((e = make_environment(env)) != OK)
		return e;
	e = ERR_NO_MEMORY;
	if (posix_spawn_file_actions_init(&actions) == 0) {
		if (posix_spawnattr_init(&attr) == 0) {
			if (start_with(&actions, &attr, fd, env, pid) == 0)
				e = OK;
			posix_spawnattr_destroy(&attr);
		}
		posix_spawn_file_actions_destroy(&actions);
	}
	free_environment(env);
	return e;
}

static bool
send_request(int fd, const struct custody_request *r)
{
	uint8_t buf[CUSTODY_REQUEST_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	bool sent;

	custody_request_put(&o, r);
	sent = !o.failed && send(fd, buf, o.len, MSG_NOSIGNAL) == (ssize_t)o.len && shutdown(fd, SHUT_WR) == 0;
	wipe(buf, sizeof buf);
	return sent;
}

/* True when there is something to read, or the end, before that time. */
static bool
wait_readable(int fd, struct mono_ms until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct mono_ms now;
	int n;

	do {
		now = clock_mono();
		n = now.ms >= until.ms ? 0 : poll(&p, 1, (int)(until.ms - now.ms));
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* All that it says, until it ends or its time is over. */
static bool
hear(int fd, struct mono_ms until, struct custody_reply *out)
{
	uint8_t buf[CUSTODY_REPLY_MAX + 1];
	size_t len = 0;
	ssize_t n = 1;
	bool heard;

	while (n != 0 && len < sizeof buf && wait_readable(fd, until)) {
		n = recv(fd, buf + len, sizeof buf - len, 0);
		if (n < 0 && errno != EINTR)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	heard = n == 0 && custody_reply_take((struct span){ buf, len }, out);
	wipe(buf, sizeof buf);
	return heard;
}

/* It has said all that it will: one that has ended is only reaped. */
static void
end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void
custody_process_ask(struct custody_request *r, struct custody_reply *out)
{
	struct mono_ms until = { clock_mono().ms + CUSTODY_PROCESS_MS };
	bool heard = false;
	int pair[2];
	pid_t pid;

	*out = (struct custody_reply){ .e = ERR_CUSTODY_UNAVAILABLE, .why = CUSTODY_NO_ANSWER };
	r->parent_pid = (uint32_t)getpid();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	if (start(pair[1], &pid) == OK) {
		close(pair[1]);
		heard = send_request(pair[0], r) && hear(pair[0], until, out);
		end(pid);
	} else {
		close(pair[1]);
	}
	close(pair[0]);
	if (!heard)
		*out = (struct custody_reply){ .e = ERR_CUSTODY_UNAVAILABLE, .why = CUSTODY_NO_ANSWER };
}
