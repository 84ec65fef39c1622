#include <event2/event.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/sleep_keeper.h"
#include "actors/sleep_process.h"
#include "escrow/sleep.h"
#include "mailbox/log_line.h"

#define AGAIN_MS     1000
#define AGAIN_MS_MAX 60000

struct sleep_keeper {
	struct event *again;
	pid_t    pid;      /* 0: not running */
	bool     stopped;
	unsigned wait_ms;  /* before the next start */
};

static int
spawn_with(posix_spawn_file_actions_t *actions, pid_t *pid)
{
	char name[] = SLEEP_PROCESS_NAME, word[] = SLEEP_PROCESS_WORD, parent[24];
	char *argv[] = { name, word, parent, NULL };
	extern char **environ;

	snprintf(parent, sizeof parent, "%ld", (long)getpid());
	if (posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", 2 /* O_RDWR */, 0) != 0 ||
	    posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO) != 0 ||
	    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1) != 0)
		return -1;
	return posix_spawn(pid, "/proc/self/exe", actions, NULL, argv, environ);
}

static void
start_again_later(struct sleep_keeper *k)
{
	struct timeval wait = { k->wait_ms / 1000, 0 };

	k->wait_ms = 2 * k->wait_ms < AGAIN_MS_MAX ? 2 * k->wait_ms : AGAIN_MS_MAX;
	(void)event_add(k->again, &wait);
}

static void
start(struct sleep_keeper *k)
{
	posix_spawn_file_actions_t actions;
	int failed = posix_spawn_file_actions_init(&actions);

	if (failed == 0) {
		failed = spawn_with(&actions, &k->pid);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (failed == 0)
		return;
	k->pid = 0;
	start_again_later(k);
}

static void
on_again(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	start(arg);
}

enum err
sleep_keeper_new(struct event_base *base, struct sleep_keeper **out)
{
	struct sleep_keeper *k = calloc(1, sizeof *k);

	if (k == NULL || (k->again = evtimer_new(base, on_again, k)) == NULL) {
		free(k);
		return ERR_NO_MEMORY;
	}
	k->wait_ms = AGAIN_MS;
	*out = k;
	return OK;
}

void
sleep_keeper_free(struct sleep_keeper **k)
{
	if (*k == NULL)
		return;
	sleep_keeper_stop(*k);
	event_free((*k)->again);
	free(*k);
	*k = NULL;
}

void
sleep_keeper_start(struct sleep_keeper *k)
{
	if (!k->stopped && k->pid == 0 && sleep_bus_expected())
		start(k);
}

bool
sleep_keeper_ended(struct sleep_keeper *k, pid_t pid, int status)
{
	if (pid != k->pid || pid == 0)
		return false;
	k->pid = 0;
	/* With 0 it says that there is nothing to watch. */
	if (!k->stopped && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
		log_line_say("sleep", "ended with", status);
		start_again_later(k);
	}
	return true;
}

void
sleep_keeper_stop(struct sleep_keeper *k)
{
	k->stopped = true;
	(void)event_del(k->again);
	if (k->pid != 0)
		(void)kill(k->pid, SIGKILL);
}
