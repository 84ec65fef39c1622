#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "mailbox/host_actor.h"
#include "mailbox/log_line.h"
#include "mailbox/trace.h"

/* Asks of processes outside that can be under way at once. */
#define ASKS_MAX 1024

/* A process that stops waits so long for nng. */
#define CLOSE_WITHIN_S 2

#define ENDS_MAX   (ACTOR__COUNT * ACTOR__COUNT)
#define POLLED_MAX (ENDS_MAX + 3)

/* One end of an edge, and whose it is. */
struct end {
	struct host       *host;
	struct host_actor *actor;
	enum actor         other;
	struct edge       *edge;
	atomic_bool        was_up;
};

struct host {
	const struct host_config *config;
	struct host_actor         actors[ACTOR__COUNT]; /* without a spec: not here, or not started */
	struct end                ends[ENDS_MAX];
	size_t                    n_ends;
	struct front             *front;
	int                       wake_fd;
	atomic_bool               is_over;
	bool                      told_connected;
	struct mono_ms            leave_by; /* it is asked to stop, and does so by then; 0: it is not */
	enum err                  result;  /* under running_lock */
};

/* The one of this process, for host_fail and host_stop. */
static struct host *running;
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;

static void
wake(void *arg)
{
	struct host *h = arg;
	uint64_t one = 1;
	ssize_t n = write(h->wake_fd, &one, sizeof one);

	(void)n;
}

void
host_fail(enum err e)
{
	pthread_mutex_lock(&running_lock);
	if (running != NULL) {
		if (running->result == OK)
			running->result = e;
		running->is_over = true;
		wake(running);
	}
	pthread_mutex_unlock(&running_lock);
}

void
host_stop(void)
{
	host_fail(OK);
}

static bool
on_arrival(void *arg, struct edge_arrival *arrival)
{
	struct end *end = arg;
	struct inbox_entry entry = { .kind = INBOX_FRAME, .from = end->other, .ask.arrival = arrival };

	if (host_actor_add(end->actor, &entry) != OK) {
		edge_arrival_free(arrival);
		host_fail(ERR_NO_MEMORY);
	}
	return !host_actor_is_full(end->actor);
}

static void
on_edge_changed(void *arg, bool up)
{
	struct end *end = arg;
	struct inbox_entry entry = { .kind = up ? INBOX_EDGE_UP : INBOX_EDGE_DOWN, .from = end->other };

	/* An actor that missed this would wait for ever. */
	if (host_actor_add(end->actor, &entry) != OK)
		host_fail(ERR_NO_MEMORY);
	if (up && !atomic_exchange(&end->was_up, true))
		wake(end->host);
}

static void
on_edge_run(void *arg)
{
	struct end *end = arg;

	host_actor_run(end->actor);
}

static void
on_edge_wake(void *arg)
{
	struct end *end = arg;

	host_actor_soon(end->actor);
	/* Its listener may wait to be mended. */
	wake(end->host);
}

static enum err
on_ask(void *arg, const struct front_ask *ask)
{
	struct host *h = arg;
	struct host_actor *gate = &h->actors[ACTOR_GATE];
	struct inbox_entry entry = { .kind = INBOX_ASK, .from = ACTOR_CLIENT, .ask = *ask };

	for (int other = 0; other < ACTOR__COUNT; other++)
		if (gate->edges[other] != NULL && edge_pressed(gate->edges[other]))
			return ERR_BUSY;
	return host_actor_is_full(gate) ? ERR_BUSY : host_actor_add(gate, &entry);
}

static void
on_ask_run(void *arg)
{
	struct host *h = arg;

	host_actor_run(&h->actors[ACTOR_GATE]);
}

/* The context's host is the actor's own entry. */
static const uint8_t *
pair_key(const void *host, enum actor other)
{
	const struct host_actor *a = host;
	const struct host_config *c = a->config;

	for (size_t i = 0; i < c->n_edges; i++)
		if ((c->edges[i].a == a->context.id && c->edges[i].b == other) ||
		    (c->edges[i].b == a->context.id && c->edges[i].a == other))
			return c->edges[i].key;
	return NULL;
}

static enum err
start_actors(struct host *h)
{
	const struct host_config *c = h->config;
	enum err e = OK;

	for (size_t i = 0; i < c->n_actors && e == OK; i++) {
		struct host_actor *a = &h->actors[c->actors[i]->id];

		a->config = c;
		a->context = (struct actor_context){ c->actors[i]->id, c->settings, pair_key, a };
		a->tick_moved = wake;
		a->tick_moved_arg = h;
		e = host_actor_start(a, c->actors[i]);
	}
	return e;
}

static enum err
add_end(struct host *h, const struct host_edge *edge, size_t which)
{
	const struct host_config *c = h->config;
	struct end *end = &h->ends[h->n_ends];
	enum actor self = which == 0 ? edge->a : edge->b;
	enum actor other = which == 0 ? edge->b : edge->a;
	struct edge_config config = { .self = self, .other = other, .inproc = edge->here[0] && edge->here[1],
		.run_dir = c->run_dir, .key = edge->key, .tag = c->tag, .supervisor_pid = c->supervisor_pid,
		.events = { on_arrival, on_edge_changed, on_edge_run, on_edge_wake, end } };
	enum err e;

	if (h->n_ends == ENDS_MAX || h->actors[self].spec == NULL)
		return ERR_INTERNAL;
	end->host = h;
	end->actor = &h->actors[self];
	end->other = other;
	if ((e = edge_new(&config, &end->edge)) != OK)
		return e;
	h->actors[self].edges[other] = end->edge;
	h->n_ends++;
	return OK;
}

/* All doors are open before anybody knocks. */
static enum err
open_edges(struct host *h)
{
	const struct host_config *c = h->config;
	struct front_events events = { on_ask, on_ask_run, h };
	enum err e = OK;

	for (size_t i = 0; i < c->n_edges && e == OK; i++)
		for (size_t which = 0; which < 2 && e == OK; which++)
			if (c->edges[i].here[which])
				e = add_end(h, &c->edges[i], which);
	if (e == OK && c->front_door != NULL)
		e = front_new(c->front_door, ASKS_MAX, &events, &h->front);
	h->actors[ACTOR_GATE].front = h->front;
	for (size_t i = 0; i < h->n_ends && e == OK; i++)
		e = edge_listen(h->ends[i].edge);
	if (e == OK && h->front != NULL)
		e = front_listen(h->front);
	for (size_t i = 0; i < h->n_ends && e == OK; i++)
		e = edge_dial(h->ends[i].edge);
	return e;
}

static void
sooner(struct mono_ms *next, struct mono_ms t)
{
	if (t.ms < next->ms)
		*next = t;
}

/* All that has its time. Returns when there is something to do again. */
static struct mono_ms
tick_all(struct host *h, struct mono_ms now)
{
	struct mono_ms next = { now.ms + 1000 };

	for (size_t i = 0; i < h->n_ends; i++)
		sooner(&next, edge_tick(h->ends[i].edge, now));
	if (h->front != NULL)
		sooner(&next, front_tick(h->front, now));
	for (int i = 0; i < ACTOR__COUNT; i++)
		if (h->actors[i].spec != NULL)
			sooner(&next, host_actor_tick(&h->actors[i], now));
	return next;
}

static void
tell_connected(struct host *h)
{
	if (h->told_connected || h->config->connected == NULL)
		return;
	for (size_t i = 0; i < h->n_ends; i++)
		if (!h->ends[i].was_up)
			return;
	h->told_connected = true;
	h->config->connected(h->config->connected_arg);
}

/* Edges are still up: an actor that has something to say before the end may do so. */
static void
leave(struct host *h, struct mono_ms now)
{
	struct inbox_entry entry = { .kind = INBOX_LEAVE };
	bool wanted = false;

	h->leave_by.ms = now.ms + HOST_LEAVE_MS;
	for (int i = 0; i < ACTOR__COUNT; i++) {
		struct host_actor *a = &h->actors[i];

		if (a->spec == NULL || a->spec->on_leave == NULL || host_actor_add(a, &entry) != OK)
			continue;
		wanted = true;
		host_actor_soon(a);
	}
	if (!wanted)
		h->is_over = true;
}

static size_t
polled(const struct host *h, struct pollfd *fds)
{
	size_t n = 0;

	fds[n++] = (struct pollfd){ .fd = h->wake_fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = h->leave_by.ms == 0 ? h->config->control_fd : -1, .events = POLLIN };
	for (size_t i = 0; i < h->n_ends; i++)
		fds[n++] = (struct pollfd){ .fd = edge_fd(h->ends[i].edge), .events = POLLIN };
	return n;
}

static void
loop(struct host *h)
{
	struct pollfd fds[POLLED_MAX];
	struct mono_ms next;
	struct mono_ms now;
	uint64_t wakes;
	ssize_t n;

	while (!h->is_over) {
		tell_connected(h);
		next = tick_all(h, clock_mono());
		now = clock_mono();
		if (h->leave_by.ms != 0) {
			sooner(&next, h->leave_by);
			h->is_over = h->is_over || now.ms >= h->leave_by.ms;
		}
		poll(fds, polled(h, fds), next.ms > now.ms ? (int)(next.ms - now.ms) : 0);
		if (fds[0].revents != 0) {
			n = read(h->wake_fd, &wakes, sizeof wakes);
			(void)n;
		}
		if (fds[1].revents != 0)
			leave(h, clock_mono());
	}
}

/* Most of what is freed is overwritten, since nng frees messages unwiped; they hold nothing
 * readable in any case. And memory is kept: giving it back to the kernel after each large
 * message costs half of all time. */
static void
set_malloc(void)
{
	mallopt(M_PERTURB, 0x5a);
	mallopt(M_ARENA_MAX, 2);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 22);
	mallopt(M_TOP_PAD, 1 << 18);
}

static void
set_running(struct host *h)
{
	pthread_mutex_lock(&running_lock);
	running = h;
	pthread_mutex_unlock(&running_lock);
}

static void *
close_sockets(void *arg)
{
	struct host *h = arg;

	if (h->front != NULL)
		front_close(h->front);
	for (size_t i = 0; i < h->n_ends; i++)
		edge_close(h->ends[i].edge);
	return NULL;
}

/*
 * True when no callback runs any more. Closing can wait for ever in nng 1.5.2
 * (nanomsg/nng#1813), and must not keep a process from ending.
 */
static bool
sockets_closed(struct host *h)
{
	struct timespec until;
	pthread_t closer;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CLOSE_WITHIN_S;
	if (pthread_create(&closer, NULL, close_sockets, h) != 0)
		return false;
	if (pthread_timedjoin_np(closer, NULL, &until) == 0)
		return true;
	pthread_detach(closer);
	log_line_say("host", "sockets that nng did not close", (int64_t)h->n_ends);
	return false;
}

/* Actors first: what they have to keep is kept, however nng ends. */
static void
stop_actors(struct host *h)
{
	for (int i = 0; i < ACTOR__COUNT; i++)
		if (h->actors[i].spec != NULL)
			host_actor_stop(&h->actors[i]);
	for (int i = ACTOR__COUNT - 1; i >= 0; i--)
		if (h->actors[i].spec != NULL)
			h->actors[i].spec->stop(h->actors[i].self);
}

static void
free_all(struct host *h)
{
	for (int i = 0; i < ACTOR__COUNT; i++)
		if (h->actors[i].spec != NULL)
			host_actor_free(&h->actors[i]);
	front_free(&h->front);
	for (size_t i = 0; i < h->n_ends; i++)
		edge_free(&h->ends[i].edge);
	close(h->wake_fd);
	free(h);
}

enum err
host_run(const struct host_config *config)
{
	struct host *h;
	enum err e;

	set_malloc();
	trace_to(config->trace_fd);
	edge_call_start(config->pin);
	if ((h = calloc(1, sizeof *h)) == NULL)
		return ERR_NO_MEMORY;
	h->config = config;
	if ((h->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) < 0) {
		free(h);
		return ERR_UNSUPPORTED;
	}
	set_running(h);
	if ((e = start_actors(h)) == OK && (e = open_edges(h)) == OK &&
	    (config->ready == NULL || (e = config->ready(config->ready_arg)) == OK))
		loop(h);
	set_running(NULL);
	if (e == OK)
		e = h->result;
	stop_actors(h);
	if (sockets_closed(h))
		free_all(h);
	return e;
}
