#include <stdlib.h>
#include <string.h>

#include "mailbox/edge_frame.h"
#include "mailbox/host_actor.h"
#include "mailbox/log_line.h"
#include "mailbox/trace.h"

#define TICK_MS 1000

/* A batch ends early when so much is to be posted, lest memory grow with the load. */
#define BATCH_MAX (1024u * 1024)

/* Messages that are posted to one edge by one call. */
#define POSTED_AT_ONCE 64

static void
report(const struct host_actor *a, enum err e, uint64_t ask_id)
{
	log_line_error(a->spec->id, e, ask_id);
}

/* Calls the handler. What it put is dropped if it fails. */
static enum err
handle(struct host_actor *a, const struct inbound *in)
{
	const struct handler *h = a->handlers[in->type];
	size_t before = outbox_count(a->out);
	enum err e;

	e = h != NULL ? h->on(a->self, in, a->out) : ERR_INTERNAL;
	if (e == OK)
		return OK;
	outbox_cut(a->out, before);
	report(a, e, in->ask_id);
	return e;
}

/* Our own actor's frame: what breaks the table ends the connection, not the process. */
static void
handle_frame(struct host_actor *a, const struct inbox_entry *entry)
{
	struct span frame = edge_arrival_frame(entry->ask.arrival);
	struct wire_in in = wire_in(frame.p + 1, frame.len - 1);
	union any_body body;
	struct inbound inbound = { .from = entry->from, .body = &body };
	struct span message;

	while (edge_frame_next(&in, &message)) {
		struct wire_in one = wire_in(message.p, message.len);

		message_take(&one, entry->from, a->spec->id, &inbound.type, &inbound.ask_id, &body);
		if (one.failed) {
			in.failed = true;
			break;
		}
		handle(a, &inbound);
	}
	if (in.failed) {
		report(a, ERR_PROTOCOL, 0);
		edge_drop(a->edges[entry->from]);
	}
}

/* A stranger's message: it gets an answer, whatever it is. */
static void
handle_ask(struct host_actor *a, const struct inbox_entry *entry)
{
	struct span message = edge_arrival_frame(entry->ask.arrival);
	struct wire_in in = wire_in(message.p, message.len);
	union any_body body;
	struct inbound inbound = { .from = ACTOR_CLIENT, .body = &body,
		.peer_uid = entry->ask.peer_uid, .peer_pid = entry->ask.peer_pid,
		.peer_since = entry->ask.peer_since };
	uint64_t asker_id;
	enum err e = ERR_PROTOCOL;

	message_take(&in, ACTOR_CLIENT, a->spec->id, &inbound.type, &asker_id, &body);
	inbound.ask_id = entry->ask.ask_id;
	if (!in.failed) {
		trace_message(ACTOR_CLIENT, a->spec->id, inbound.type, inbound.ask_id, message.len);
		e = handle(a, &inbound);
	}
	if (e != OK)
		front_refuse(a->front, entry->ask.ask_id, e);
}

static void
handle_entry(struct host_actor *a, const struct inbox_entry *entry)
{
	switch (entry->kind) {
	case INBOX_FRAME:
		handle_frame(a, entry);
		break;
	case INBOX_ASK:
		handle_ask(a, entry);
		break;
	case INBOX_EDGE_UP:
	case INBOX_EDGE_DOWN:
		if (a->spec->on_edge != NULL)
			a->spec->on_edge(a->self, entry->from, entry->kind == INBOX_EDGE_UP, a->out);
		break;
	case INBOX_LEAVE:
		a->spec->on_leave(a->self, a->out);
		break;
	}
}

static void
answer(struct host_actor *a, const struct outbox_view *v)
{
	enum err e = ERR_INTERNAL;

	trace_message(a->spec->id, ACTOR_CLIENT, v->type, v->ask_id, v->message.len);
	if (a->front == NULL || (e = front_answer(a->front, v->ask_id, v->message)) != OK)
		report(a, e, v->ask_id);
}

/* All that goes to one actor, in order, in as few frames as there can be. */
static void
post_to(struct host_actor *a, enum actor to)
{
	struct span messages[POSTED_AT_ONCE];
	size_t n = 0;

	for (size_t i = 0; i < outbox_count(a->out); i++) {
		struct outbox_view v = outbox_at(a->out, i);

		if (v.to != to)
			continue;
		trace_message(a->spec->id, to, v.type, v.ask_id, v.message.len);
		messages[n++] = v.message;
		if (n == POSTED_AT_ONCE) {
			edge_post(a->edges[to], messages, n);
			n = 0;
		}
	}
	if (n > 0)
		edge_post(a->edges[to], messages, n);
}

static void
post(struct host_actor *a)
{
	bool wanted[ACTOR__COUNT] = { false };

	for (size_t i = 0; i < outbox_count(a->out); i++) {
		struct outbox_view v = outbox_at(a->out, i);

		if (v.to == ACTOR_CLIENT)
			answer(a, &v);
		else
			wanted[v.to] = true;
	}
	for (int to = 0; to < ACTOR__COUNT; to++)
		if (wanted[to] && a->edges[to] != NULL)
			post_to(a, (enum actor)to);
	outbox_cut(a->out, 0);
}

static void
run_tick(struct host_actor *a)
{
	struct mono_ms now = clock_mono();
	struct mono_ms at = { now.ms + TICK_MS };
	struct mono_ms wish = { 0 };

	if (a->spec->on_tick != NULL)
		wish = a->spec->on_tick(a->self, now, a->out);
	/* A wish for the past is a wish for soon: not for now, again and again. */
	if (wish.ms != 0 && wish.ms < at.ms)
		at.ms = wish.ms > now.ms ? wish.ms : now.ms + 1;
	pthread_mutex_lock(&a->lock);
	a->tick_at = at;
	pthread_mutex_unlock(&a->lock);
	a->tick_moved(a->tick_moved_arg);
}

static void
end_batch(struct host_actor *a)
{
	enum err e;

	if (a->spec->on_batch != NULL && (e = a->spec->on_batch(a->self, a->out)) != OK) {
		outbox_cut(a->out, 0);
		report(a, e, 0);
	}
	post(a);
}

/* Handles all that was taken, then posts. */
static void
run_batch(struct host_actor *a, bool tick_due)
{
	for (size_t i = 0; i < a->taken.n; i++) {
		struct inbox_entry *entry = &a->taken.entries[i];

		handle_entry(a, entry);
		if (entry->ask.arrival != NULL)
			edge_arrival_free(entry->ask.arrival);
		if (outbox_len(a->out) > BATCH_MAX)
			end_batch(a);
	}
	a->taken.n = 0;
	a->taken.len = 0;
	if (tick_due)
		run_tick(a);
	end_batch(a);
}

static void
resume_edges(struct host_actor *a)
{
	for (int other = 0; other < ACTOR__COUNT; other++)
		if (a->edges[other] != NULL)
			edge_resume(a->edges[other]);
}

static bool
has_work(const struct host_actor *a)
{
	return !a->is_stopping && (a->inbox.n > 0 || a->tick_due);
}

/* Under the lock, which is given up while the actor works. */
static void
work(struct host_actor *a)
{
	while (has_work(a)) {
		struct inbox taken = a->inbox;
		bool tick_due = a->tick_due;
		bool was_full = a->is_full;

		a->inbox = a->taken;
		a->taken = taken;
		a->tick_due = false;
		a->is_full = false;
		a->is_running = true;
		pthread_mutex_unlock(&a->lock);
		run_batch(a, tick_due);
		if (was_full)
			resume_edges(a);
		pthread_mutex_lock(&a->lock);
		a->is_running = false;
	}
}

/* Under the lock, which is given up: until something comes, or what the actor itself waits for. */
static void
await(struct host_actor *a)
{
	if (a->spec->wait == NULL) {
		pthread_cond_wait(&a->woken, &a->lock);
		return;
	}
	a->is_running = true;
	pthread_mutex_unlock(&a->lock);
	a->spec->wait(a->self, a->out);
	end_batch(a);
	pthread_mutex_lock(&a->lock);
	a->is_running = false;
}

static void *
thread_of_actor(void *arg)
{
	struct host_actor *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->is_stopping) {
		work(a);
		if (!a->is_stopping)
			await(a);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Under the lock: its thread looks for what has come. */
static void
wake_thread(struct host_actor *a)
{
	pthread_cond_broadcast(&a->woken);
	if (a->spec->wake != NULL)
		a->spec->wake(a->self);
}

static void
run_soon(void *arg)
{
	host_actor_run(arg);
}

enum err
host_actor_start(struct host_actor *a, const struct actor_spec *spec)
{
	enum err e;

	a->spec = spec;
	a->tick_at.ms = clock_mono().ms + TICK_MS;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->woken, NULL);
	for (size_t i = 0; i < spec->n_handlers; i++)
		a->handlers[spec->handlers[i].type] = &spec->handlers[i];
	if ((e = outbox_new(spec->id, &a->out)) != OK || (e = edge_call_new(run_soon, a, &a->call)) != OK ||
	    (e = spec->start(&a->context, &a->self)) != OK)
		return e;
	if (spec->blocks || spec->wait != NULL) {
		if (pthread_create(&a->thread, NULL, thread_of_actor, a) != 0)
			return ERR_UNSUPPORTED;
		a->has_thread = true;
	}
	return OK;
}

void
host_actor_stop(struct host_actor *a)
{
	pthread_mutex_lock(&a->lock);
	a->is_stopping = true;
	if (a->has_thread)
		wake_thread(a);
	pthread_cond_broadcast(&a->woken);
	while (a->is_running && !a->has_thread)
		pthread_cond_wait(&a->woken, &a->lock);
	pthread_mutex_unlock(&a->lock);
	if (a->has_thread)
		pthread_join(a->thread, NULL);
}

void
host_actor_free(struct host_actor *a)
{
	edge_call_free(&a->call);
	outbox_free(&a->out);
	inbox_clear(&a->inbox);
	inbox_clear(&a->taken);
	pthread_cond_destroy(&a->woken);
	pthread_mutex_destroy(&a->lock);
}

enum err
host_actor_add(struct host_actor *a, const struct inbox_entry *entry)
{
	enum err e;

	pthread_mutex_lock(&a->lock);
	e = inbox_add(&a->inbox, entry);
	a->is_full = a->is_full || a->inbox.len > HOST_ACTOR_WAITS_MAX;
	pthread_mutex_unlock(&a->lock);
	return e;
}

bool
host_actor_is_full(struct host_actor *a)
{
	bool is_full;

	pthread_mutex_lock(&a->lock);
	is_full = a->is_full;
	pthread_mutex_unlock(&a->lock);
	return is_full;
}

void
host_actor_run(struct host_actor *a)
{
	pthread_mutex_lock(&a->lock);
	/* Of one that stops there may be nothing left to wake: its edges are closed last. */
	if (a->has_thread && !a->is_stopping)
		wake_thread(a);
	else if (!a->has_thread && !a->is_running)
		work(a);
	if (a->is_stopping)
		pthread_cond_broadcast(&a->woken);
	pthread_mutex_unlock(&a->lock);
}

void
host_actor_soon(struct host_actor *a)
{
	if (a->has_thread)
		host_actor_run(a);
	else
		edge_call_soon(a->call);
}

struct mono_ms
host_actor_tick(struct host_actor *a, struct mono_ms now)
{
	struct mono_ms at;
	bool is_due;

	pthread_mutex_lock(&a->lock);
	is_due = now.ms >= a->tick_at.ms;
	if (is_due) {
		a->tick_due = true;
		a->tick_at.ms = now.ms + TICK_MS;
	}
	pthread_mutex_unlock(&a->lock);
	if (is_due)
		host_actor_soon(a);
	pthread_mutex_lock(&a->lock);
	at = a->tick_at;
	pthread_mutex_unlock(&a->lock);
	return at;
}
