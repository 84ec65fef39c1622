#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <nng/nng.h>

#include "mailbox/edge_call.h"

struct edge_call {
	nng_aio    *aio;
	atomic_bool is_asked;
	void      (*function)(void *arg);
	void       *arg;
};

static bool
pin_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	return sched_setaffinity(0, sizeof one, &one) == 0;
}

void
edge_call_start(bool pin)
{
	cpu_set_t before;
	nng_aio *first;
	int cpu = 0;
	bool pinned;

	/* nng's threads inherit the affinity of the thread that calls it first. */
	pinned = pin && sched_getaffinity(0, sizeof before, &before) == 0;
	if (pinned) {
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &before))
			cpu++;
		pinned = pin_to(cpu);
	}
	if (nng_aio_alloc(&first, NULL, NULL) == 0)
		nng_aio_free(first);
	if (pinned)
		sched_setaffinity(0, sizeof before, &before);
}

static void
on_called(void *arg)
{
	struct edge_call *c = arg;

	if (nng_aio_result(c->aio) == NNG_ECANCELED || nng_aio_result(c->aio) == NNG_ECLOSED)
		return;
	c->is_asked = false;
	c->function(c->arg);
}

enum err
edge_call_new(void (*function)(void *arg), void *arg, struct edge_call **out)
{
	struct edge_call *c;

	if ((c = calloc(1, sizeof *c)) == NULL)
		return ERR_NO_MEMORY;
	c->function = function;
	c->arg = arg;
	if (nng_aio_alloc(&c->aio, on_called, c) != 0) {
		free(c);
		return ERR_NO_MEMORY;
	}
	*out = c;
	return OK;
}

void
edge_call_soon(struct edge_call *c)
{
	if (!atomic_exchange(&c->is_asked, true))
		nng_sleep_aio(0, c->aio);
}

void
edge_call_free(struct edge_call **c)
{
	if (*c == NULL)
		return;
	nng_aio_stop((*c)->aio);
	nng_aio_free((*c)->aio);
	free(*c);
	*c = NULL;
}
