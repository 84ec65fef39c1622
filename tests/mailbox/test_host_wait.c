/* An actor that waits for more than messages: what happens outside and what it hears are never handled at once. */
#include "tests/support/check.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mailbox/host.h"
#include "tests/support/chain.h"
#include "tests/support/rig_dir.h"

#define EVENTS 3000

/* The actor, and what the test's own thread sees of it. */
static struct {
	int             event_fd, wake_fd;
	atomic_int      inside;   /* how many of its functions run now */
	atomic_int      overlaps;
	atomic_bool     ticks_often;
	atomic_bool     stopped;
	atomic_bool     entered_late; /* something of it ran after its stop */

	pthread_mutex_t lock;     /* guards what follows */
	pthread_cond_t  changed;
	unsigned        said, heard, ticks, waits;
	unsigned        out_of_order;
	bool            is_up;
} seen = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void
enter(void)
{
	if (atomic_fetch_add(&seen.inside, 1) != 0)
		atomic_fetch_add(&seen.overlaps, 1);
	if (atomic_load(&seen.stopped))
		atomic_store(&seen.entered_late, true);
	sched_yield();
}

/* Of one of the counts above. */
static void
leave(unsigned *count)
{
	atomic_fetch_sub(&seen.inside, 1);
	pthread_mutex_lock(&seen.lock);
	(*count)++;
	pthread_cond_broadcast(&seen.changed);
	pthread_mutex_unlock(&seen.lock);
}

static void
until(const unsigned *count, unsigned at_least)
{
	pthread_mutex_lock(&seen.lock);
	while (*count < at_least)
		pthread_cond_wait(&seen.changed, &seen.lock);
	pthread_mutex_unlock(&seen.lock);
}

static unsigned
now(const unsigned *count)
{
	unsigned n;

	pthread_mutex_lock(&seen.lock);
	n = *count;
	pthread_mutex_unlock(&seen.lock);
	return n;
}

static enum err
start(const struct actor_context *context, void **self)
{
	(void)context;
	*self = &seen;
	return OK;
}

static void
stop(void *self)
{
	(void)self;
	enter();
	atomic_store(&seen.stopped, true);
	atomic_fetch_sub(&seen.inside, 1);
}

static void
wait_for_more(void *self, struct outbox *out)
{
	struct pollfd fds[2] = { { .fd = seen.event_fd, .events = POLLIN }, { .fd = seen.wake_fd, .events = POLLIN } };
	struct http_listens_body body = { 0 };
	uint64_t n;

	(void)self;
	enter();
	(void)poll(fds, 2, -1);
	if (fds[1].revents != 0)
		assert_int_equal(read(seen.wake_fd, &n, sizeof n), sizeof n);
	if (fds[0].revents != 0) {
		assert_int_equal(read(seen.event_fd, &n, sizeof n), sizeof n);
		body.error = (uint16_t)seen.said++;
		assert_int_equal(outbox_put(out, MSG_HTTP_LISTENS, 0, &body), OK);
	}
	leave(&seen.waits);
}

static void
wake(void *self)
{
	uint64_t one = 1;

	(void)self;
	assert_int_equal(write(seen.wake_fd, &one, sizeof one), sizeof one);
}

static enum err
on_state(void *self, const struct inbound *in, struct outbox *out)
{
	(void)self;
	(void)out;
	enter();
	if (in->body->http_state.phase != (uint8_t)seen.heard)
		seen.out_of_order++;
	leave(&seen.heard);
	return OK;
}

static struct mono_ms
on_tick(void *self, struct mono_ms at, struct outbox *out)
{
	(void)self;
	(void)out;
	enter();
	at.ms = atomic_load(&seen.ticks_often) ? at.ms + 1 : 0;
	leave(&seen.ticks);
	return at;
}

static void
on_edge(void *self, enum actor other, bool up, struct outbox *out)
{
	(void)self;
	(void)other;
	(void)out;
	enter();
	pthread_mutex_lock(&seen.lock);
	seen.is_up = up;
	pthread_cond_broadcast(&seen.changed);
	pthread_mutex_unlock(&seen.lock);
	atomic_fetch_sub(&seen.inside, 1);
}

static const struct handler waiter_handlers[] = { { MSG_HTTP_STATE, on_state } };

static const struct actor_spec waiter = { .id = ACTOR_HTTP, .start = start, .stop = stop, .handlers = waiter_handlers,
	.n_handlers = 1, .on_edge = on_edge, .on_tick = on_tick, .wait = wait_for_more, .wake = wake };

/* The other: it answers each word with one. */
static enum err
start_other(const struct actor_context *context, void **self)
{
	(void)context;
	*self = NULL;
	return OK;
}

static void
stop_other(void *self)
{
	(void)self;
}

static enum err
on_listens(void *self, const struct inbound *in, struct outbox *out)
{
	struct http_state_body body = { .phase = (uint8_t)in->body->http_listens.error };

	(void)self;
	return outbox_put(out, MSG_HTTP_STATE, 0, &body);
}

static const struct handler other_handlers[] = { { MSG_HTTP_LISTENS, on_listens } };

static const struct actor_spec other = { .id = ACTOR_GRANTS, .start = start_other, .stop = stop_other,
	.handlers = other_handlers, .n_handlers = 1 };

static void *
host_here(void *arg)
{
	const struct actor_spec *actors[] = { &other, &waiter };
	struct host_edge edge = { .a = ACTOR_GRANTS, .b = ACTOR_HTTP, .here = { true, true } };
	struct host_config config = { .actors = actors, .n_actors = 2, .edges = &edge, .n_edges = 1, .tag = chain_tag,
		.run_dir = "run", .control_fd = -1, .trace_fd = -1 };

	_Static_assert(ACTOR_GRANTS < ACTOR_HTTP, "the order of an edge's ends");
	chain_key(ACTOR_GRANTS, ACTOR_HTTP, edge.key);
	*(enum err *)arg = host_run(&config);
	return NULL;
}

struct life {
	pthread_t thread;
	enum err  e;
};

static int
begin(void **state)
{
	static struct life life;

	rig_dir_make();
	if (mkdir("run", 0700) != 0)
		return -1;
	seen.said = seen.heard = seen.ticks = seen.waits = seen.out_of_order = 0;
	seen.is_up = false;
	atomic_store(&seen.ticks_often, false);
	atomic_store(&seen.overlaps, 0);
	atomic_store(&seen.stopped, false);
	atomic_store(&seen.entered_late, false);
	seen.event_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	seen.wake_fd = eventfd(0, EFD_CLOEXEC);
	life.e = ERR_INTERNAL;
	*state = &life;
	if (pthread_create(&life.thread, NULL, host_here, &life.e) != 0)
		return -1;
	pthread_mutex_lock(&seen.lock);
	while (!seen.is_up)
		pthread_cond_wait(&seen.changed, &seen.lock);
	pthread_mutex_unlock(&seen.lock);
	return 0;
}

/* Stopped while it waits, or whatever it does. */
static int
end(void **state)
{
	struct life *life = *state;

	host_stop();
	pthread_join(life->thread, NULL);
	close(seen.event_fd);
	close(seen.wake_fd);
	rig_dir_remove();
	return life->e == OK && atomic_load(&seen.stopped) && !atomic_load(&seen.entered_late) &&
	    atomic_load(&seen.overlaps) == 0 ? 0 : -1;
}

static void
happen(uint64_t n)
{
	assert_int_equal(write(seen.event_fd, &n, sizeof n), sizeof n);
}

static void *
wake_often(void *arg)
{
	while (!atomic_load((atomic_bool *)arg)) {
		wake(&seen);
		sched_yield();
	}
	return NULL;
}

static void
events_messages_and_ticks_are_handled_one_after_the_other(void **state)
{
	atomic_bool over = false;
	pthread_t thread;

	(void)state;
	atomic_store(&seen.ticks_often, true);
	assert_int_equal(pthread_create(&thread, NULL, wake_often, &over), 0);
	for (unsigned i = 0; i < EVENTS / 10; i++)
		happen(10);
	until(&seen.heard, EVENTS);
	until(&seen.ticks, 1);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&seen.overlaps), 0);
	assert_int_equal(now(&seen.heard), EVENTS);
	assert_int_equal(now(&seen.out_of_order), 0);
}

static void
what_it_says_when_something_happened_is_posted_at_once(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 300; i++) {
		happen(1);
		until(&seen.heard, i);
	}
	/* What waits for the next tick, once a second, would need as many. */
	assert_true(now(&seen.ticks) < 150);
}

static void
no_wake_from_another_thread_is_lost(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned waits = now(&seen.waits);

		wake(&seen);
		until(&seen.waits, waits + 1);
	}
}

static void
it_is_stopped_while_it_waits(void **state)
{
	(void)state;
}

static void
it_is_stopped_while_much_happens(void **state)
{
	(void)state;
	happen(EVENTS);
	until(&seen.heard, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(events_messages_and_ticks_are_handled_one_after_the_other),
		CASE(what_it_says_when_something_happened_is_posted_at_once),
		CASE(no_wake_from_another_thread_is_lost),
		CASE(it_is_stopped_while_it_waits),
		CASE(it_is_stopped_while_much_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
