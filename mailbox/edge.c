#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>

#include "mailbox/edge_traffic.h"

#define TICK_MS 1000
/* Start waits for the last edge, and a process that is away comes back within milliseconds. */
#define REDIAL_MIN_MS 5
#define REDIAL_MAX_MS 20

/* Frames that nng may hold while one is being taken. */
#define RECEIVE_FRAMES 8

static bool
set_up_socket(struct edge *g)
{
	size_t max = 0;

	/* nng takes 0 for no limit: what was set is read back. */
	return nng_socket_set_size(g->socket, NNG_OPT_RECVMAXSZ, EDGE_FRAME_MAX) == 0 &&
	    nng_socket_get_size(g->socket, NNG_OPT_RECVMAXSZ, &max) == 0 && max == EDGE_FRAME_MAX &&
	    nng_socket_set_int(g->socket, NNG_OPT_SENDBUF, 0) == 0 &&
	    nng_socket_set_int(g->socket, NNG_OPT_RECVBUF, RECEIVE_FRAMES) == 0 &&
	    nng_pipe_notify(g->socket, NNG_PIPE_EV_ADD_PRE, edge_traffic_pipe_before, g) == 0 &&
	    nng_pipe_notify(g->socket, NNG_PIPE_EV_ADD_POST, edge_traffic_pipe_added, g) == 0 &&
	    nng_pipe_notify(g->socket, NNG_PIPE_EV_REM_POST, edge_traffic_pipe_removed, g) == 0;
}

/* The keyring opens no listener, and HTTP dials nobody; else the smaller number listens. */
static bool
self_listens(const struct edge_config *c)
{
	if (c->self == ACTOR_KEYRING || c->other == ACTOR_HTTP)
		return false;
	return c->other == ACTOR_KEYRING || c->self == ACTOR_HTTP || c->self < c->other;
}

enum err
edge_new(const struct edge_config *config, struct edge **out)
{
	enum actor a = config->self < config->other ? config->self : config->other;
	enum actor b = config->self < config->other ? config->other : config->self;
	struct edge *g;
	int len;

	if ((g = calloc(1, sizeof *g)) == NULL)
		return ERR_NO_MEMORY;
	g->config = *config;
	g->listens = self_listens(config);
	g->door.knock_fd = -1;
	g->session = (struct edge_session){ .listens = g->listens, .proves = !config->inproc,
		.key = config->key, .tag = config->tag };
	pthread_mutex_init(&g->lock, NULL);
	len = snprintf(g->address, sizeof g->address, "%s/%s-%s", config->run_dir, actor_name(a), actor_name(b));
	if (len <= 0 || (size_t)len >= sizeof g->address || nng_pair0_open(&g->socket) != 0 ||
	    nng_aio_alloc(&g->receiving, edge_traffic_received, g) != 0 ||
	    nng_aio_alloc(&g->sending, edge_traffic_sent, g) != 0 || !set_up_socket(g)) {
		edge_close(g);
		edge_free(&g);
		return ERR_UNSUPPORTED;
	}
	nng_recv_aio(g->socket, g->receiving);
	*out = g;
	return OK;
}

static void
inproc_url(const struct edge *g, char *url, size_t size)
{
	snprintf(url, size, "inproc://%s", g->address);
}

enum err
edge_listen(struct edge *g)
{
	char url[sizeof "inproc://" + EDGE_LISTEN_PATH_MAX];

	if (!g->listens)
		return OK;
	if (g->config.inproc) {
		inproc_url(g, url, sizeof url);
		return nng_listen(g->socket, url, NULL, 0) == 0 ? OK : ERR_UNSUPPORTED;
	}
	g->has_door = true;
	return edge_listen_open(&g->door, g->socket, g->address);
}

enum err
edge_dial(struct edge *g)
{
	char url[sizeof "inproc://" + EDGE_LISTEN_PATH_MAX];

	if (g->listens)
		return OK;
	if (g->config.inproc)
		inproc_url(g, url, sizeof url);
	else
		snprintf(url, sizeof url, "ipc://%s", g->address);
	g->dials = true;
	return edge_dialer_open(&g->dialer, g->socket, url);
}

void
edge_close(struct edge *g)
{
	pthread_mutex_lock(&g->lock);
	g->is_closing = true;
	pthread_mutex_unlock(&g->lock);
	edge_listen_close(&g->door);
	edge_dialer_close(&g->dialer);
	nng_close(g->socket);
	if (g->receiving != NULL)
		nng_aio_stop(g->receiving);
	if (g->sending != NULL)
		nng_aio_stop(g->sending);
}

void
edge_free(struct edge **g)
{
	if (*g == NULL)
		return;
	nng_aio_free((*g)->receiving);
	nng_aio_free((*g)->sending);
	while ((*g)->n_control > 0)
		nng_msg_free((*g)->control[--(*g)->n_control]);
	edge_queue_clear(&(*g)->queue);
	pthread_mutex_destroy(&(*g)->lock);
	free(*g);
	*g = NULL;
}

struct mono_ms
edge_tick(struct edge *g, struct mono_ms now)
{
	struct mono_ms next = { now.ms + TICK_MS };
	struct mono_ms wish = next;
	bool connected;
	bool is_up;
	bool hangs;

	pthread_mutex_lock(&g->lock);
	is_up = g->session.state == EDGE_UP;
	connected = g->pipe != 0;
	hangs = connected && !is_up && now.ms >= g->handshake_ends.ms;
	pthread_mutex_unlock(&g->lock);
	if (hangs)
		edge_drop(g);
	if (g->has_door)
		wish = edge_listen_tick(&g->door, now, is_up ? EDGE_LISTEN_CONTENT : EDGE_LISTEN_EAGER);
	else if (g->dials)
		wish = edge_dialer_tick(&g->dialer, now, connected);
	return wish.ms < next.ms ? wish : next;
}

int
edge_fd(const struct edge *g)
{
	return g->door.knock_fd;
}

struct edge_arrival *
edge_arrival_new(struct span bytes)
{
	nng_msg *m;

	if (nng_msg_alloc(&m, bytes.len) != 0)
		return NULL;
	if (bytes.len > 0)
		memcpy(nng_msg_body(m), bytes.p, bytes.len);
	return (struct edge_arrival *)m;
}

struct span
edge_arrival_frame(const struct edge_arrival *a)
{
	nng_msg *m = (nng_msg *)a;

	return (struct span){ nng_msg_body(m), nng_msg_len(m) };
}

void
edge_arrival_free(struct edge_arrival *a)
{
	nng_msg_free((nng_msg *)a);
}
