#include <string.h>

#include "mailbox/edge_peer.h"
#include "mailbox/edge_traffic.h"
#include "mailbox/log_line.h"

/* Past the first, new work is refused; past the second, the other end is given up. */
#define QUEUE_PRESSED (8u * 1024 * 1024)
#define QUEUE_MAX     (64u * 1024 * 1024)

#define HANDSHAKE_MS 2000

#define CONTROL_LEN 64

static nng_msg *
message_of(const void *p, size_t len)
{
	nng_msg *m;

	if (nng_msg_alloc(&m, len) != 0)
		return NULL;
	memcpy(nng_msg_body(m), p, len);
	return m;
}

static void
send_frame(struct edge *g, nng_msg *m)
{
	g->is_sending = true;
	nng_aio_set_msg(g->sending, m);
	nng_send_aio(g->socket, g->sending);
}

/* Sends the next frame, if none is in flight. Under the lock. */
static void
pump(struct edge *g)
{
	nng_msg *m = NULL;

	if (g->is_sending || g->is_closing || g->pipe == 0)
		return;
	if (g->n_control > 0) {
		m = g->control[0];
		g->control[0] = g->control[1];
		g->n_control--;
	} else if (g->session.state == EDGE_UP) {
		m = edge_queue_take(&g->queue);
		g->is_pressed = edge_queue_len(&g->queue) > QUEUE_PRESSED;
	}
	if (m != NULL)
		send_frame(g, m);
}

void
edge_traffic_sent(void *arg)
{
	struct edge *g = arg;

	pthread_mutex_lock(&g->lock);
	if (nng_aio_result(g->sending) != 0) {
		nng_msg_free(nng_aio_get_msg(g->sending));
		nng_aio_set_msg(g->sending, NULL);
	}
	g->is_sending = false;
	pump(g);
	pthread_mutex_unlock(&g->lock);
}

static void
say_control(struct edge *g, const struct wire_out *w)
{
	nng_msg *m;

	if (w->len == 0 || g->n_control == EDGE_CONTROL_MAX || (m = message_of(w->p, w->len)) == NULL)
		return;
	g->control[g->n_control++] = m;
	pump(g);
}

/* Forgets the connection and all that was to go over it. Under the lock. */
static void
lose(struct edge *g)
{
	bool was_up = g->session.state == EDGE_UP;

	edge_session_end(&g->session);
	g->lost_pipe = g->pipe;
	g->pipe = 0;
	while (g->n_control > 0)
		nng_msg_free(g->control[--g->n_control]);
	edge_queue_clear(&g->queue);
	g->is_pressed = false;
	if (g->is_sending)
		nng_aio_abort(g->sending, NNG_ECANCELED);
	if (was_up)
		g->config.events.changed(g->config.events.arg, false);
}

static void
begin(struct edge *g, uint32_t pipe)
{
	uint8_t hello[CONTROL_LEN];
	struct wire_out w = wire_out(hello, sizeof hello);

	if (g->pipe != 0)
		lose(g);
	g->pipe = pipe;
	g->handshake_ends.ms = clock_mono().ms + HANDSHAKE_MS;
	if (edge_session_start(&g->session, &w) == OK)
		say_control(g, &w);
}

static enum err
take_control(struct edge *g, enum edge_frame kind, struct wire_in *in)
{
	uint8_t reply[CONTROL_LEN];
	struct wire_out w = wire_out(reply, sizeof reply);
	enum err e;

	if ((e = edge_session_take(&g->session, kind, in, &w)) != OK)
		return e;
	say_control(g, &w);
	if (g->session.state == EDGE_UP) {
		g->config.events.changed(g->config.events.arg, true);
		pump(g);
	}
	return OK;
}

/* Takes the frame; frees it unless it was handed on. Under the lock. */
static enum err
take_frame(struct edge *g, uint32_t pipe, nng_msg *m)
{
	struct wire_in in = wire_in(nng_msg_body(m), nng_msg_len(m));
	enum edge_frame kind;
	enum err e;

	if (g->is_closing || pipe == g->lost_pipe) {
		nng_msg_free(m);
		return OK;
	}
	/* The other end's hello can overtake the news that it is there. */
	if (pipe != g->pipe)
		begin(g, pipe);
	kind = edge_frame_kind(&in);
	if (kind == EDGE_FRAME_MESSAGES && g->session.state == EDGE_UP) {
		g->is_paused = !g->config.events.take(g->config.events.arg, (struct edge_arrival *)m);
		return OK;
	}
	e = kind == EDGE_FRAME_HELLO || kind == EDGE_FRAME_PROOF ? take_control(g, kind, &in) : ERR_PROTOCOL;
	if (e != OK)
		lose(g);
	nng_msg_free(m);
	return e;
}

void
edge_traffic_received(void *arg)
{
	struct edge *g = arg;
	nng_msg *m;
	nng_pipe pipe;
	enum err e;
	bool more;

	if (nng_aio_result(g->receiving) != 0)
		return;
	m = nng_aio_get_msg(g->receiving);
	nng_aio_set_msg(g->receiving, NULL);
	pipe = nng_msg_get_pipe(m);
	pthread_mutex_lock(&g->lock);
	e = take_frame(g, (uint32_t)nng_pipe_id(pipe), m);
	more = !g->is_paused && !g->is_closing;
	pthread_mutex_unlock(&g->lock);
	if (e != OK) {
		log_line_error(g->config.self, e, 0);
		nng_pipe_close(pipe);
	}
	/* Before the actor runs, so that it can take what comes meanwhile. */
	if (more)
		nng_recv_aio(g->socket, g->receiving);
	g->config.events.run(g->config.events.arg);
}

/* Strangers are shown out before they can say anything. */
void
edge_traffic_pipe_before(nng_pipe pipe, nng_pipe_ev ev, void *arg)
{
	struct edge *g = arg;
	uint32_t pid;

	(void)ev;
	edge_listen_came(&g->door);
	if (g->config.inproc)
		return;
	if (!edge_peer_is_ours(pipe, &pid) ||
	    (g->listens && g->config.supervisor_pid != 0 &&
	    !edge_peer_has_parent(pid, (uint32_t)g->config.supervisor_pid)))
		nng_pipe_close(pipe);
}

void
edge_traffic_pipe_added(nng_pipe pipe, nng_pipe_ev ev, void *arg)
{
	struct edge *g = arg;
	uint32_t id = (uint32_t)nng_pipe_id(pipe);

	(void)ev;
	pthread_mutex_lock(&g->lock);
	if (g->pipe != id && !g->is_closing)
		begin(g, id);
	pthread_mutex_unlock(&g->lock);
}

void
edge_traffic_pipe_removed(nng_pipe pipe, nng_pipe_ev ev, void *arg)
{
	struct edge *g = arg;
	bool was_ours;

	(void)ev;
	edge_listen_buried(&g->door);
	pthread_mutex_lock(&g->lock);
	was_ours = g->pipe != 0 && g->pipe == (uint32_t)nng_pipe_id(pipe);
	if (was_ours)
		lose(g);
	pthread_mutex_unlock(&g->lock);
	if (was_ours)
		g->config.events.wake(g->config.events.arg);
}

/* Under the lock, while up or all but up. */
static bool
post(struct edge *g, const struct span *messages, size_t n)
{
	nng_msg *m = NULL;

	if (g->session.state == EDGE_UP && !g->is_sending && g->n_control == 0 && edge_queue_len(&g->queue) == 0)
		m = edge_queue_frame(messages, n);
	if (m != NULL) {
		send_frame(g, m);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (edge_queue_len(&g->queue) > QUEUE_MAX || edge_queue_add(&g->queue, messages[i]) != OK)
			return false;
	g->is_pressed = edge_queue_len(&g->queue) > QUEUE_PRESSED;
	pump(g);
	return true;
}

bool
edge_post(struct edge *g, const struct span *messages, size_t n)
{
	bool takes;
	bool posted = false;

	pthread_mutex_lock(&g->lock);
	takes = edge_session_is_up_there(&g->session) && !g->is_closing;
	if (takes)
		posted = post(g, messages, n);
	pthread_mutex_unlock(&g->lock);
	/* Half an order of messages is worse than a lost edge. */
	if (takes && !posted)
		edge_drop(g);
	return posted;
}

bool
edge_pressed(const struct edge *g)
{
	return g->is_pressed;
}

void
edge_drop(struct edge *g)
{
	nng_pipe pipe;

	pthread_mutex_lock(&g->lock);
	pipe.id = g->pipe;
	pthread_mutex_unlock(&g->lock);
	if (pipe.id != 0)
		nng_pipe_close(pipe);
}

void
edge_resume(struct edge *g)
{
	bool resumes;

	pthread_mutex_lock(&g->lock);
	resumes = g->is_paused && !g->is_closing;
	g->is_paused = false;
	pthread_mutex_unlock(&g->lock);
	if (resumes)
		nng_recv_aio(g->socket, g->receiving);
}
