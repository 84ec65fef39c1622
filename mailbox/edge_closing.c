#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "mailbox/edge_closing.h"

/* Two have it, the thread and whoever waits; the last one frees it. */
struct edge_closing {
	nng_listener listener; /* one of the two; the other's id is 0 */
	nng_dialer   dialer;
	atomic_bool  one_has_left;
};

static void
leave(struct edge_closing *c)
{
	if (atomic_exchange(&c->one_has_left, true))
		free(c);
}

static void
close_now(nng_listener listener, nng_dialer dialer)
{
	if (listener.id != 0)
		nng_listener_close(listener);
	if (dialer.id != 0)
		nng_dialer_close(dialer);
}

static void *
closing_thread(void *arg)
{
	struct edge_closing *c = arg;

	close_now(c->listener, c->dialer);
	leave(c);
	return NULL;
}

static struct edge_closing *
begin(nng_listener listener, nng_dialer dialer)
{
	struct edge_closing *c = calloc(1, sizeof *c);
	pthread_t thread;

	if (c != NULL) {
		c->listener = listener;
		c->dialer = dialer;
		if (pthread_create(&thread, NULL, closing_thread, c) == 0) {
			pthread_detach(thread);
			return c;
		}
	}
	free(c);
	close_now(listener, dialer);
	return NULL;
}

struct edge_closing *
edge_closing_listener(nng_listener listener)
{
	return begin(listener, (nng_dialer){ 0 });
}

struct edge_closing *
edge_closing_dialer(nng_dialer dialer)
{
	return begin((nng_listener){ 0 }, dialer);
}

bool
edge_closing_done(struct edge_closing **c)
{
	if (*c == NULL)
		return true;
	if (!(*c)->one_has_left)
		return false;
	free(*c);
	*c = NULL;
	return true;
}

void
edge_closing_leave(struct edge_closing **c)
{
	if (*c != NULL)
		leave(*c);
	*c = NULL;
}
