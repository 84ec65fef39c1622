#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/command/editor.h"

#define END_MS 2000

extern char **environ;

static void
ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
}

enum err
editor_begin(struct editor *ed)
{
	sigset_t set;

	ed->signal = 0;
	ending_signals(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 || (ed->stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
		return ERR_NO_MEMORY;
	return OK;
}

void
editor_end(struct editor *ed)
{
	sigset_t set;

	close(ed->stop_fd);
	ed->stop_fd = -1;
	if (ed->signal != 0)
		raise(ed->signal);
	ending_signals(&set);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Ctrl-C and Ctrl-\ go to the whole foreground group, so to the editor too; a signal that somebody sent is for us. */
static bool
asked_to_end(struct editor *ed)
{
	struct signalfd_siginfo s;

	while (read(ed->stop_fd, &s, sizeof s) == sizeof s)
		if (s.ssi_code != SI_KERNEL || s.ssi_signo == SIGHUP || s.ssi_signo == SIGTERM)
			ed->signal = (int)s.ssi_signo;
	return ed->signal != 0;
}

void
editor_note_stop(struct editor *ed)
{
	struct signalfd_siginfo s;

	if (read(ed->stop_fd, &s, sizeof s) == sizeof s)
		ed->signal = (int)s.ssi_signo;
}

/* pidfd: -1 of one that was killed at once, because it could not be watched. */
static enum err
wait_for(struct editor *ed, pid_t pid, int pidfd, int *status)
{
	struct pollfd fds[2] = { { .fd = pidfd, .events = POLLIN }, { .fd = ed->stop_fd, .events = POLLIN } };
	bool stopped = false;
	int n;

	while (pidfd >= 0) {
		n = poll(fds, stopped ? 1 : 2, stopped ? END_MS : -1);
		if (n < 0 && errno == EINTR)
			continue;
		if (fds[0].revents != 0 || n < 0)
			break;
		if (n == 0) {
			kill(pid, SIGKILL);
			break;
		}
		if (asked_to_end(ed)) {
			stopped = true;
			kill(pid, SIGTERM);
		}
	}
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	/* A Ctrl-C that the editor has had is over; what came for us in its last moment is not. */
	return stopped || asked_to_end(ed) ? ERR_INTERRUPTED : OK;
}

/* Answers go to stdout, so an editor never has it unless it is the terminal. */
static void
give_terminal(posix_spawn_file_actions_t *files, int tty_fd)
{
	int fd = tty_fd >= 0 ? tty_fd : isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;

	posix_spawn_file_actions_adddup2(files, fd, STDOUT_FILENO);
	if (tty_fd >= 0)
		posix_spawn_file_actions_adddup2(files, tty_fd, STDIN_FILENO);
}

static int
start(const char *const argv[], int tty_fd, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	int error;

	sigemptyset(&none);
	ending_signals(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	give_terminal(&files, tty_fd);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/*
 * What the variable holds is a piece of shell, by custom. Where it is one command the shell becomes it, so that
 * signals find the editor and not the shell above it.
 */
static enum err
start_chosen(const char *chosen, const char *path, int tty_fd, pid_t *pid)
{
	bool one_command = strpbrk(chosen, "|&;<>()$`=\n") == NULL;
	char *script = NULL;
	enum err e = ERR_EDITOR_FAILED;

	if (asprintf(&script, "%s%s \"$@\"", one_command ? "exec " : "", chosen) < 0)
		return ERR_NO_MEMORY;
	if (start((const char *[]){ "/bin/sh", "-c", script, chosen, path, NULL }, tty_fd, pid) == 0)
		e = OK;
	free(script);
	return e;
}

static enum err
start_usual(const char *path, int tty_fd, pid_t *pid)
{
	if (tty_fd < 0)
		return ERR_TERMINAL_REQUIRED;
	if (start((const char *[]){ "editor", path, NULL }, tty_fd, pid) == 0 ||
	    start((const char *[]){ "vi", path, NULL }, tty_fd, pid) == 0)
		return OK;
	return ERR_EDITOR_FAILED;
}

static const char *
chosen_editor(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	if (visual != NULL && visual[0] != '\0')
		return visual;
	return editor != NULL && editor[0] != '\0' ? editor : NULL;
}

enum err
editor_run(struct editor *ed, const char *path)
{
	const char *chosen = chosen_editor();
	int tty_fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC), pidfd, status = 0;
	enum err e;
	pid_t pid;

	e = chosen != NULL ? start_chosen(chosen, path, tty_fd, &pid) : start_usual(path, tty_fd, &pid);
	if (tty_fd >= 0)
		close(tty_fd);
	if (e != OK)
		return e;
	if ((pidfd = pidfd_open(pid, 0)) < 0)
		kill(pid, SIGKILL);
	e = wait_for(ed, pid, pidfd, &status);
	if (pidfd >= 0)
		close(pidfd);
	if (e == OK && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		e = ERR_EDITOR_FAILED;
	return e;
}
