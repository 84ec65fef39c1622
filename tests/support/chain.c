#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mailbox/dial.h"
#include "tests/support/chain.h"
#include "tests/support/chain_actors.h"

#define CHILD_WORD    "chain-child"
#define N_PROCESSES   3
#define STARTS_WITHIN_MS 30000

/* A hosting child, from outside. */
struct child {
	pid_t pid; /* 0: none */
	int   control_fd;
};

static struct child children[N_PROCESSES];
static enum chain_placement placed;

#ifdef MEMORIES_SANITIZED
/* nng 1.5.2 loses messages to clients that leave while they are sent (nanomsg/nng#1713), and
 * listeners that were closed dead; its own blocks are not ours to find. */
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libnng.so\n";
}
#endif

static enum chain_process
process_of(enum actor a, enum chain_placement placement)
{
	if (placement == CHAIN_ONE)
		return CHAIN_CORE;
	if (a == ACTOR_KEYRING)
		return CHAIN_KEYRING;
	return a == ACTOR_AUDIT ? CHAIN_AUDIT : CHAIN_CORE;
}

void
chain_key(enum actor a, enum actor b, uint8_t key[PAIR_KEY_LEN])
{
	memset(key, (int)((a < b ? a : b) * 16 + (a < b ? b : a)), PAIR_KEY_LEN);
}

/* Not a MAC: the layer of real ones is above. */
void
chain_tag(const uint8_t key[PAIR_KEY_LEN], const void *p, size_t len, uint8_t out[32])
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < PAIR_KEY_LEN; i++)
		h = (h ^ key[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const uint8_t *)p)[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < 32; i++)
		out[i] = (uint8_t)(h >> (i % 8 * 8));
}

static size_t
edges_of(enum chain_placement placement, enum chain_process process, struct host_edge *edges)
{
	size_t n = 0;

	for (int a = ACTOR_GATE; a < ACTOR_CUSTODY; a++)
		for (int b = a + 1; b < ACTOR_CUSTODY; b++) {
			struct host_edge e = { .a = (enum actor)a, .b = (enum actor)b, .here = {
				process_of((enum actor)a, placement) == process,
				process_of((enum actor)b, placement) == process } };

			if (!actors_joined(e.a, e.b) || (!e.here[0] && !e.here[1]))
				continue;
			chain_key(e.a, e.b, e.key);
			edges[n++] = e;
		}
	return n;
}

static enum err
host(enum chain_placement placement, enum chain_process process, struct host_config *config)
{
	const struct actor_spec *actors[CHAIN_N_ACTORS];
	struct host_edge edges[ACTOR__COUNT * ACTOR__COUNT];
	size_t n = 0;

	for (size_t i = 0; i < CHAIN_N_ACTORS; i++)
		if (process_of(chain_actors[i]->id, placement) == process)
			actors[n++] = chain_actors[i];
	config->actors = actors;
	config->n_actors = n;
	config->edges = edges;
	config->n_edges = edges_of(placement, process, edges);
	config->tag = chain_tag;
	config->run_dir = "run";
	config->front_door = process == CHAIN_CORE ? "service.sock" : NULL;
	config->pin = true;
	return host_run(config);
}

void
chain_be_child(int argc, char **argv)
{
	struct host_config config = { .supervisor_pid = (int)getppid() };

	if (argc != 6 || strcmp(argv[1], CHILD_WORD) != 0)
		return;
	config.control_fd = atoi(argv[4]);
	config.trace_fd = atoi(argv[5]);
	exit(err_exit(host((enum chain_placement)atoi(argv[2]), (enum chain_process)atoi(argv[3]), &config)));
}

enum err
chain_host_here(enum err (*ready)(void *arg))
{
	struct host_config config = { .control_fd = -1, .trace_fd = -1, .ready = ready };

	return host(CHAIN_ONE, CHAIN_CORE, &config);
}

static void
exec_child(enum chain_process which, int control_fd)
{
	char words[4][16];
	char self[4096];
	/* Read, not run by that name, which valgrind keeps for itself. */
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	int trace_fd = open("trace", O_WRONLY | O_CREAT | O_APPEND, 0600);
	int values[4] = { (int)placed, (int)which, control_fd, trace_fd };

	for (size_t i = 0; i < 4; i++)
		snprintf(words[i], sizeof words[i], "%d", values[i]);
	if (len <= 0)
		_exit(126);
	self[len] = '\0';
	execl(self, self, CHILD_WORD, words[0], words[1], words[2], words[3], (char *)NULL);
	_exit(127);
}

bool
chain_restart(enum chain_process which)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0)
		return false;
	if ((pid = fork()) == 0)
		exec_child(which, ends[0]);
	close(ends[0]);
	children[which] = (struct child){ pid, ends[1] };
	return pid > 0;
}

static enum err
pass_one(struct dial *d)
{
	struct ask_body ask = { .op = CHAIN_PASS, .offset = 7 };
	uint32_t request;
	enum msg type;
	union any_body body;
	enum err e;

	if ((e = dial_send(d, MSG_ASK, &ask, &request)) != OK ||
	    (e = dial_receive(d, 200, &request, &type, &body)) != OK)
		return e;
	return type == MSG_ANSWER && body.answer.ack.index == 7 ? OK : ERR_NOT_FOUND;
}

bool
chain_passes_within(unsigned ms)
{
	uint64_t ends = clock_mono().ms + ms;

	while (clock_mono().ms < ends) {
		struct dial *d = NULL;
		enum err e = dial_open("service.sock", (unsigned)(ends - clock_mono().ms), &d);

		if (e == OK)
			e = pass_one(d);
		dial_close(&d);
		if (e == OK)
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

bool
chain_start(enum chain_placement placement)
{
	placed = placement;
	umask(077);
	if (mkdir("run", 0700) != 0)
		return false;
	for (int i = 0; i < (placement == CHAIN_ONE ? 1 : N_PROCESSES); i++)
		if (!chain_restart((enum chain_process)i))
			return false;
	return chain_passes_within(STARTS_WITHIN_MS);
}

int
chain_wait(enum chain_process which)
{
	struct child *c = &children[which];
	int status = -1;

	if (c->pid <= 0)
		return -1;
	waitpid(c->pid, &status, 0);
	if (c->control_fd >= 0)
		close(c->control_fd);
	*c = (struct child){ 0, -1 };
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void
chain_kill(enum chain_process which)
{
	if (children[which].pid > 0)
		kill(children[which].pid, SIGKILL);
	chain_wait(which);
}

bool
chain_stop(void)
{
	bool well = true;

	for (int i = 0; i < N_PROCESSES; i++) {
		struct child *c = &children[i];

		if (c->pid <= 0)
			continue;
		close(c->control_fd);
		c->control_fd = -1;
		well = chain_wait((enum chain_process)i) == 0 && well;
	}
	return well;
}
