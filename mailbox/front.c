#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>

#include "mailbox/edge_listen.h"
#include "mailbox/edge_peer.h"
#include "mailbox/front.h"
#include "mailbox/log_line.h"

/* nng's limit counts the request id. */
#define RECEIVE_MAX (4u + MESSAGE_MAX)

/* An asker that takes no bytes for so long is dropped. nng's own timeouts would wake a thread each time. */
#define SEND_WITHIN_MS 10000

/* A fault of the gate's must not use up the door: its own deadlines are far shorter. */
#define ANSWER_WITHIN_MS 60000

/* Peers' process ids are kept by connection: asking nng each time costs more than the rest. */
#define PEERS_KEPT 1024

enum slot_state { SLOT_RECEIVES, SLOT_ASKED, SLOT_SENDS };

struct slot {
	struct front   *front;
	nng_ctx         context;
	nng_aio        *aio;      /* receives, then sends the answer, and so on */
	enum slot_state state;
	uint64_t        ask_id;
	struct mono_ms  since;    /* it was asked, or its answer was sent */
	uint32_t        pipe;
};

struct peer {
	uint32_t pipe;
	uint32_t pid;
};

/*
 * The lock guards slots and peers. nng is asked to send and to receive without
 * it: a slot belongs to whoever changed its state under it.
 */
struct front {
	nng_socket          socket;
	const char         *path;
	struct front_events events;
	struct edge_listen  door;    /* the main thread's alone */
	atomic_bool         is_closing;
	uint32_t            uid;
	pthread_mutex_t     lock;
	struct mono_ms      now;     /* as of the last tick: near enough for a minute */
	struct peer         peers[PEERS_KEPT];
	uint64_t            last_id;
	size_t              n_slots;
	struct slot         slots[];
};

/* Counts up, and says by its remainder which slot it is. Under the lock. */
static uint64_t
make_id(struct front *f, const struct slot *s)
{
	f->last_id += f->n_slots;
	return f->last_id + (uint64_t)(s - f->slots);
}

/*
 * Ids start where no earlier process of this home can have been, since other
 * actors may still hold its asks: it would have had to take sixteen million
 * asks a second.
 */
static uint64_t
first_id(size_t n_slots)
{
	return (clock_wall().ms << 14) * n_slots;
}

static uint32_t
pid_of(struct front *f, nng_pipe pipe)
{
	uint32_t id = (uint32_t)nng_pipe_id(pipe);
	struct peer *p = &f->peers[id % PEERS_KEPT];

	if (p->pipe != id) {
		if (!edge_peer_is_ours(pipe, &p->pid))
			p->pid = 0;
		p->pipe = id;
	}
	return p->pid;
}

static void
receive_next(struct slot *s)
{
	pthread_mutex_lock(&s->front->lock);
	s->state = SLOT_RECEIVES;
	pthread_mutex_unlock(&s->front->lock);
	nng_ctx_recv(s->context, s->aio);
}

static void
take_ask(struct slot *s)
{
	struct front *f = s->front;
	nng_msg *m = nng_aio_get_msg(s->aio);
	nng_pipe pipe = nng_msg_get_pipe(m);
	struct front_ask ask = { .arrival = (struct edge_arrival *)m, .peer_uid = f->uid };
	enum err e;

	nng_aio_set_msg(s->aio, NULL);
	pthread_mutex_lock(&f->lock);
	ask.ask_id = make_id(f, s);
	ask.peer_pid = pid_of(f, pipe);
	s->ask_id = ask.ask_id;
	s->since = f->now;
	s->pipe = (uint32_t)nng_pipe_id(pipe);
	s->state = SLOT_ASKED;
	pthread_mutex_unlock(&f->lock);
	if ((e = f->events.take(f->events.arg, &ask)) == OK) {
		f->events.run(f->events.arg);
		return;
	}
	nng_msg_free(m);
	front_refuse(f, ask.ask_id, e);
}

static void
end_send(struct slot *s, int result)
{
	if (result == 0)
		return;
	nng_msg_free(nng_aio_get_msg(s->aio));
	nng_aio_set_msg(s->aio, NULL);
}

static void
on_done(void *arg)
{
	struct slot *s = arg;
	int result = nng_aio_result(s->aio);
	bool was_receiving;

	pthread_mutex_lock(&s->front->lock);
	was_receiving = s->state == SLOT_RECEIVES;
	pthread_mutex_unlock(&s->front->lock);
	if (!was_receiving)
		end_send(s, result);
	if (s->front->is_closing) {
		if (was_receiving && result == 0)
			nng_msg_free(nng_aio_get_msg(s->aio));
		return;
	}
	if (was_receiving && result == 0)
		take_ask(s);
	else
		receive_next(s);
}

/* Strangers are shown out before they can say anything. */
static void
on_pipe_before(nng_pipe pipe, nng_pipe_ev ev, void *arg)
{
	struct front *f = arg;
	uint32_t pid;

	(void)ev;
	edge_listen_came(&f->door);
	if (!edge_peer_is_ours(pipe, &pid))
		nng_pipe_close(pipe);
}

static void
on_pipe_removed(nng_pipe pipe, nng_pipe_ev ev, void *arg)
{
	struct front *f = arg;

	(void)pipe;
	(void)ev;
	edge_listen_buried(&f->door);
}

static bool
set_up(struct front *f)
{
	size_t max = 0;

	if (nng_rep0_open(&f->socket) != 0 ||
	    nng_socket_set_size(f->socket, NNG_OPT_RECVMAXSZ, RECEIVE_MAX) != 0 ||
	    nng_socket_get_size(f->socket, NNG_OPT_RECVMAXSZ, &max) != 0 || max != RECEIVE_MAX ||
	    nng_pipe_notify(f->socket, NNG_PIPE_EV_ADD_PRE, on_pipe_before, f) != 0 ||
	    nng_pipe_notify(f->socket, NNG_PIPE_EV_REM_POST, on_pipe_removed, f) != 0)
		return false;
	for (size_t i = 0; i < f->n_slots; i++) {
		struct slot *s = &f->slots[i];

		s->front = f;
		if (nng_ctx_open(&s->context, f->socket) != 0 || nng_aio_alloc(&s->aio, on_done, s) != 0)
			return false;
	}
	for (size_t i = 0; i < f->n_slots; i++)
		receive_next(&f->slots[i]);
	return true;
}

enum err
front_new(const char *path, size_t n_asks, const struct front_events *events, struct front **out)
{
	struct front *f;

	if ((f = calloc(1, sizeof *f + n_asks * sizeof f->slots[0])) == NULL)
		return ERR_NO_MEMORY;
	f->events = *events;
	f->n_slots = n_asks;
	f->last_id = first_id(n_asks);
	f->now = clock_mono();
	f->uid = (uint32_t)getuid();
	f->door.knock_fd = -1;
	pthread_mutex_init(&f->lock, NULL);
	f->path = path;
	if (!set_up(f)) {
		front_close(f);
		front_free(&f);
		return ERR_UNSUPPORTED;
	}
	*out = f;
	return OK;
}

enum err
front_listen(struct front *f)
{
	return edge_listen_open(&f->door, f->socket, f->path);
}

void
front_close(struct front *f)
{
	f->is_closing = true;
	edge_listen_close(&f->door);
	nng_close(f->socket);
	for (size_t i = 0; i < f->n_slots; i++)
		if (f->slots[i].aio != NULL)
			nng_aio_stop(f->slots[i].aio);
}

void
front_free(struct front **f)
{
	if (*f == NULL)
		return;
	for (size_t i = 0; i < (*f)->n_slots; i++)
		nng_aio_free((*f)->slots[i].aio);
	pthread_mutex_destroy(&(*f)->lock);
	free(*f);
	*f = NULL;
}

/* Makes the slot of that ask the caller's, to answer; NULL when it is answered. */
static struct slot *
claim(struct front *f, uint64_t ask_id)
{
	struct slot *s = &f->slots[ask_id % f->n_slots];
	bool open;

	pthread_mutex_lock(&f->lock);
	open = s->state == SLOT_ASKED && s->ask_id == ask_id;
	if (open) {
		s->state = SLOT_SENDS;
		s->since = f->now;
	}
	pthread_mutex_unlock(&f->lock);
	return open ? s : NULL;
}

enum err
front_answer(struct front *f, uint64_t ask_id, struct span message)
{
	struct slot *s;
	nng_msg *m;

	if (nng_msg_alloc(&m, message.len) != 0)
		return ERR_NO_MEMORY;
	if ((s = claim(f, ask_id)) == NULL) {
		nng_msg_free(m);
		return ERR_INTERNAL;
	}
	memcpy(nng_msg_body(m), message.p, message.len);
	nng_aio_set_msg(s->aio, m);
	nng_ctx_send(s->context, s->aio);
	return OK;
}

enum err
front_refuse(struct front *f, uint64_t ask_id, enum err error)
{
	struct refusal_body body = { .error = (uint16_t)error };
	uint8_t bytes[128];
	struct wire_out w = wire_out(bytes, sizeof bytes);

	message_put(&w, MSG_REFUSED, ask_id, &body);
	return front_answer(f, ask_id, wire_written(&w));
}

/* What is to be done about a slot: its asker waits too long, or takes no bytes. */
static void
look_after(struct front *f, struct slot *s, struct mono_ms now)
{
	nng_pipe pipe = { 0 };
	uint64_t overdue = 0;

	pthread_mutex_lock(&f->lock);
	if (s->state == SLOT_ASKED && now.ms >= s->since.ms + ANSWER_WITHIN_MS)
		overdue = s->ask_id;
	if (s->state == SLOT_SENDS && now.ms >= s->since.ms + SEND_WITHIN_MS)
		pipe.id = s->pipe;
	pthread_mutex_unlock(&f->lock);
	if (overdue != 0) {
		log_error(ACTOR_GATE, ERR_TIMEOUT, overdue);
		front_refuse(f, overdue, ERR_TIMEOUT);
	}
	if (pipe.id != 0)
		nng_pipe_close(pipe);
}

struct mono_ms
front_tick(struct front *f, struct mono_ms now)
{
	pthread_mutex_lock(&f->lock);
	f->now = now;
	pthread_mutex_unlock(&f->lock);
	for (size_t i = 0; i < f->n_slots; i++)
		look_after(f, &f->slots[i], now);
	return edge_listen_tick(&f->door, now, EDGE_LISTEN_STEADY);
}

int
front_fd(const struct front *f)
{
	return f->door.knock_fd;
}
