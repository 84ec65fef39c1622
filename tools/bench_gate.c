#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mailbox/host.h"
#include "tools/bench_bound.h"
#include "tools/bench_gate.h"

struct gate {
	struct bench_bound *bound;
	uint64_t            asks[BENCH_BOUND_MAX];
};

static enum err
gate_start(const struct actor_context *context, void **self)
{
	struct gate *g = calloc(1, sizeof *g);

	if (g == NULL)
		return ERR_NO_MEMORY;
	bench_bound_open(context->settings, &g->bound);
	*self = g;
	return OK;
}

static void
gate_stop(void *self)
{
	struct gate *g = self;

	if (g == NULL)
		return;
	bench_bound_close(&g->bound);
	free(g);
}

static enum err
on_hello(void *self, const struct inbound *in, struct outbox *out)
{
	struct gate *g = self;

	return outbox_put(out, MSG_WELCOME, in->ask_id, bench_bound_welcome(g->bound));
}

static enum err
on_batch(void *self, struct outbox *out)
{
	struct gate *g = self;
	size_t n = bench_bound_waiting(g->bound);
	struct answer_body answer;
	enum err e = OK;

	if (n == 0)
		return OK;
	bench_bound_commit(g->bound);
	for (size_t i = 0; i < n && e == OK; i++) {
		bench_bound_answer(g->bound, i, &answer);
		e = outbox_put(out, MSG_ANSWER, g->asks[i], &answer);
	}
	bench_bound_clear(g->bound);
	return e;
}

static enum err
on_ask(void *self, const struct inbound *in, struct outbox *out)
{
	struct gate *g = self;

	g->asks[bench_bound_ask(g->bound, &in->body->ask)] = in->ask_id;
	return bench_bound_waiting(g->bound) == BENCH_BOUND_MAX ? on_batch(g, out) : OK;
}

static enum err
say_ready(void *arg)
{
	(void)arg;
	return puts("ready") >= 0 && fflush(stdout) == 0 ? OK : ERR_INTERNAL;
}

int
bench_gate_run(const char *place, bool own_thread)
{
	static const struct handler handlers[] = { { MSG_HELLO, on_hello }, { MSG_ASK, on_ask } };
	static struct bench_home home;
	struct actor_spec spec = { .id = ACTOR_GATE, .start = gate_start, .stop = gate_stop, .handlers = handlers,
		.n_handlers = 2, .on_batch = on_batch, .blocks = own_thread };
	const struct actor_spec *actors[] = { &spec };
	struct host_config config = { .actors = actors, .n_actors = 1, .run_dir = "run", .front_door = "service.sock",
		.control_fd = STDIN_FILENO, .settings = &home, .trace_fd = -1, .pin = true, .ready = say_ready };

	bench_home_load(place, &home);
	return err_exit(host_run(&config));
}
