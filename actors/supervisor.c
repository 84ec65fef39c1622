#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/process.h"
#include "actors/roster.h"
#include "actors/sandbox.h"
#include "actors/sleep_keeper.h"
#include "actors/supervisor.h"
#include "escrow/home_lock.h"
#include "escrow/random.h"
#include "mailbox/clock.h"
#include "mailbox/log_line.h"

#define FRONT_DOOR  "service.sock"
#define SEARCH_DOOR "run/keyring-search" /* its process cannot remove it itself */
#define STOP_MS     3000 /* what a process gets to end by itself */
#define STEADY_MS   5000 /* a process that lived so long starts at once when it dies */
#define BACKOFF_MS  100
#define BACKOFF_MAX_MS 1000

struct supervisor;

struct child {
	struct supervisor *supervisor;
	size_t        index;
	pid_t         pid;        /* 0: not running */
	int           control_fd; /* our end; -1 when closed */
	struct event *readable;
	struct event *restart;
	struct mono_ms started;
	uint64_t      backoff_ms;
	bool          connected;  /* its edges have been up */
	enum err      said;       /* why it ends, in its own word */
};

struct supervisor {
	const struct supervisor_config *config;
	const struct roster *roster;
	struct event_base   *base;
	struct event        *signals[3];
	struct event        *deadline; /* of the child being stopped */
	struct sleep_keeper *sleep;
	struct host_edge     edges[ROSTER_EDGES_MAX];
	size_t               n_edges;
	struct child         children[ROSTER_PROCESSES_MAX];
	bool                 started; /* the first try at a key-only start has ended */
	bool                 ready, stopping;
	enum err             failure;
};

static void start_child(struct child *c);

static enum err
make_directories(void)
{
	static const char *const names[] = { "audit", "vault", "grants", "custody", "profile", "run" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (mkdir(names[i], 0700) != 0 && errno != EEXIST)
			return errno == ENOSPC ? ERR_STORAGE_FULL : ERR_STORAGE_FAILED;
	return OK;
}

static void
make_edges(struct supervisor *s)
{
	enum actor a, b;

	for (s->n_edges = 0; roster_edge(s->n_edges, &a, &b); s->n_edges++) {
		struct host_edge *e = &s->edges[s->n_edges];

		*e = (struct host_edge){ .a = a, .b = b };
		random_bytes(e->key, sizeof e->key);
	}
}

/* The edges that end in that process, each with its key. */
static void
edges_of(const struct supervisor *s, size_t process, struct process_config *c)
{
	for (size_t i = 0; i < s->n_edges; i++) {
		struct host_edge e = s->edges[i];

		e.here[0] = roster_process_of(s->roster, e.a) == process;
		e.here[1] = roster_process_of(s->roster, e.b) == process;
		if (e.here[0] || e.here[1])
			c->edges[c->n_edges++] = e;
	}
}

static enum err
send_config(const struct supervisor *s, const struct child *child)
{
	const struct supervisor_config *from = s->config;
	struct process_config *c = calloc(1, sizeof *c);
	enum err e;

	if (c == NULL)
		return ERR_NO_MEMORY;
	c->one_process = from->one_process;
	c->process = (uint8_t)child->index;
	c->sandbox = from->sandbox;
	c->guard = from->guard;
	c->trace = from->trace;
	c->pin = from->pin;
	c->supervisor_pid = (uint32_t)getpid();
	c->kdf_memory_kib_min = from->kdf_memory_kib_min;
	c->log_first_segment = from->log_first_segment;
	c->log_segment = from->log_segment;
	c->log_epoch_records = from->log_epoch_records;
	c->idle_lock_ms = from->idle_lock_ms;
	snprintf(c->home, sizeof c->home, "%s", from->home);
	snprintf(c->weakened, sizeof c->weakened, "%s", from->weakened);
	edges_of(s, child->index, c);
	e = process_config_send(child->control_fd, c);
	wipe(c, sizeof *c);
	free(c);
	return e;
}

/* A fresh address space, with stdin from /dev/null and nothing inherited but its socket. */
static void
exec_child(const char *name, int fd)
{
	char title[64];
	char *argv[] = { title, (char *)"daemon-process", NULL };
	int null_fd = open("/dev/null", O_RDWR);

	snprintf(title, sizeof title, "memories-%s", name);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(1);
	/* dup2 onto itself would leave close-on-exec set. */
	if (fd == PROCESS_FD ? fcntl(fd, F_SETFD, 0) != 0 : dup2(fd, PROCESS_FD) < 0)
		_exit(1);
	close_range(PROCESS_FD + 1, ~0u, 0);
	execv("/proc/self/exe", argv);
	_exit(1);
}

static void
tell_systemd(const char *what)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path != NULL ? strlen(path) : 0;
	int fd;

	if (len < 2 || len >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
		return;
	(void)sendto(fd, what, strlen(what), MSG_NOSIGNAL, (const struct sockaddr *)&to,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

/* The daemon serves once its processes have met and the first key-only start has ended. */
static void
tell_ready(struct supervisor *s)
{
	bool all = s->started;

	for (size_t i = 0; i < s->roster->n_processes; i++)
		all = all && s->children[i].connected;
	if (!all || s->ready || s->stopping)
		return;
	s->ready = true;
	printf("ready\n");
	fflush(stdout);
	tell_systemd("READY=1");
	sleep_keeper_start(s->sleep);
}

static void
end_process(const struct supervisor *s, const char *name)
{
	for (size_t i = 0; i < s->roster->n_processes; i++)
		if (strcmp(s->roster->processes[i].name, name) == 0 && s->children[i].pid > 0)
			kill(s->children[i].pid, SIGKILL);
}

/* False at the end of what the child said. */
static bool
take_word(struct child *c)
{
	uint8_t word;

	if (read(c->control_fd, &word, 1) != 1)
		return false;
	if (word == PROCESS_CONNECTED)
		c->connected = true;
	else if (word == PROCESS_READY)
		c->supervisor->started = true;
	else if (word == PROCESS_END_SEARCH)
		end_process(c->supervisor, "search");
	else if (word == PROCESS_END_PROFILE)
		end_process(c->supervisor, "profile");
	else if (word < ERR__COUNT)
		c->said = (enum err)word;
	tell_ready(c->supervisor);
	return true;
}

static void
on_control(evutil_socket_t fd, short what, void *arg)
{
	struct child *c = arg;

	(void)fd;
	(void)what;
	if (!take_word(c))
		event_del(c->readable);
}

static void
close_control(struct child *c)
{
	if (c->readable != NULL)
		event_free(c->readable);
	c->readable = NULL;
	if (c->control_fd >= 0)
		close(c->control_fd);
	c->control_fd = -1;
}

/* Stops the running child that was started last; leaves the loop when none is left. */
static void
stop_next(struct supervisor *s)
{
	struct timeval wait = { STOP_MS / 1000, 0 };

	for (size_t i = s->roster->n_processes; i-- > 0;)
		if (s->children[i].pid != 0) {
			close_control(&s->children[i]);
			event_add(s->deadline, &wait);
			return;
		}
	event_base_loopbreak(s->base);
}

static void
stop(struct supervisor *s, enum err why)
{
	if (s->stopping)
		return;
	s->stopping = true;
	s->failure = why;
	tell_systemd("STOPPING=1");
	sleep_keeper_stop(s->sleep);
	for (size_t i = 0; i < s->roster->n_processes; i++)
		if (s->children[i].restart != NULL)
			event_del(s->children[i].restart);
	stop_next(s);
}

static void
on_stop_signal(evutil_socket_t number, short what, void *arg)
{
	(void)number;
	(void)what;
	stop(arg, OK);
}

/* The child that is being stopped did not end by itself. */
static void
on_deadline(evutil_socket_t fd, short what, void *arg)
{
	struct supervisor *s = arg;

	(void)fd;
	(void)what;
	for (size_t i = s->roster->n_processes; i-- > 0;)
		if (s->children[i].pid != 0) {
			kill(s->children[i].pid, SIGKILL);
			return;
		}
}

static void
on_restart(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	start_child(arg);
}

static void
schedule_restart(struct child *c)
{
	struct timeval wait = { 0, 0 };

	if (clock_mono().ms - c->started.ms >= STEADY_MS)
		c->backoff_ms = 0;
	wait.tv_sec = (time_t)(c->backoff_ms / 1000);
	wait.tv_usec = (suseconds_t)(c->backoff_ms % 1000 * 1000);
	c->backoff_ms = c->backoff_ms == 0 ? BACKOFF_MS : 2 * c->backoff_ms;
	if (c->backoff_ms > BACKOFF_MAX_MS)
		c->backoff_ms = BACKOFF_MAX_MS;
	event_add(c->restart, &wait);
}

static void
child_ended(struct child *c, int status)
{
	struct supervisor *s = c->supervisor;
	const char *name = s->roster->processes[c->index].name;

	c->pid = 0;
	while (c->control_fd >= 0 && take_word(c))
		;
	close_control(c);
	if (s->stopping) {
		event_del(s->deadline);
		stop_next(s);
		return;
	}
	if (WIFSIGNALED(status))
		log_line_say(name, "ended by signal", WTERMSIG(status));
	else
		log_line_say(name, "ended with", WEXITSTATUS(status));
	/* One that cannot even begin would only begin again. */
	if (!s->ready && WIFEXITED(status))
		stop(s, c->said != OK ? c->said : ERR_INTERNAL);
	else
		schedule_restart(c);
}

static void
on_child_signal(evutil_socket_t number, short what, void *arg)
{
	struct supervisor *s = arg;
	pid_t pid;
	int status;

	(void)number;
	(void)what;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (sleep_keeper_ended(s->sleep, pid, status))
			continue;
		for (size_t i = 0; i < s->roster->n_processes; i++)
			if (s->children[i].pid == pid)
				child_ended(&s->children[i], status);
	}
}

static void
start_child(struct child *c)
{
	struct supervisor *s = c->supervisor;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		stop(s, ERR_INTERNAL);
		return;
	}
	c->started = clock_mono();
	if ((c->pid = fork()) == 0)
		exec_child(s->roster->processes[c->index].name, pair[1]);
	close(pair[1]);
	c->control_fd = pair[0];
	if (c->pid < 0) {
		c->pid = 0;
		close_control(c);
		stop(s, ERR_NO_MEMORY);
		return;
	}
	c->readable = event_new(s->base, c->control_fd, EV_READ | EV_PERSIST, on_control, c);
	if (c->readable == NULL || event_add(c->readable, NULL) != 0) {
		stop(s, ERR_NO_MEMORY);
		return;
	}
	/* Without it the child would wait for ever; one that died already is heard of by its signal. */
	if (send_config(s, c) != OK)
		kill(c->pid, SIGKILL);
}

static enum err
watch(struct supervisor *s)
{
	if ((s->base = event_base_new()) == NULL)
		return ERR_NO_MEMORY;
	s->signals[0] = evsignal_new(s->base, SIGTERM, on_stop_signal, s);
	s->signals[1] = evsignal_new(s->base, SIGINT, on_stop_signal, s);
	s->signals[2] = evsignal_new(s->base, SIGCHLD, on_child_signal, s);
	s->deadline = evtimer_new(s->base, on_deadline, s);
	for (size_t i = 0; i < 3; i++)
		if (s->signals[i] == NULL || event_add(s->signals[i], NULL) != 0)
			return ERR_NO_MEMORY;
	for (size_t i = 0; i < s->roster->n_processes; i++) {
		s->children[i] = (struct child){ .supervisor = s, .index = i, .control_fd = -1 };
		if ((s->children[i].restart = evtimer_new(s->base, on_restart, &s->children[i])) == NULL)
			return ERR_NO_MEMORY;
	}
	return s->deadline == NULL ? ERR_NO_MEMORY : sleep_keeper_new(s->base, &s->sleep);
}

static void
unwatch(struct supervisor *s)
{
	for (size_t i = 0; i < s->roster->n_processes; i++)
		if (s->children[i].restart != NULL)
			event_free(s->children[i].restart);
	for (size_t i = 0; i < 3; i++)
		if (s->signals[i] != NULL)
			event_free(s->signals[i]);
	sleep_keeper_free(&s->sleep);
	if (s->deadline != NULL)
		event_free(s->deadline);
	if (s->base != NULL)
		event_base_free(s->base);
	wipe(s->edges, sizeof s->edges);
}

enum err
supervisor_run(const struct supervisor_config *config)
{
	struct supervisor s = { .config = config };
	int lock_fd;
	enum err e;

	s.roster = config->one_process ? &roster_one_process : &roster_default;
	/* It holds every edge's key. */
	if (config->guard && (e = sandbox_guard(true)) != OK)
		return e;
	if ((e = home_lock_take(&lock_fd)) != OK)
		return e;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if ((e = make_directories()) == OK && (e = watch(&s)) == OK) {
		make_edges(&s);
		for (size_t i = 0; i < s.roster->n_processes && !s.stopping; i++)
			start_child(&s.children[i]);
		event_base_dispatch(s.base);
		e = s.failure;
	}
	unwatch(&s);
	(void)unlink(FRONT_DOOR);
	(void)unlink(SEARCH_DOOR);
	close(lock_fd);
	return e;
}
