/* A process that is asked to stop: an actor may say something before, and has a bounded time for it. */
#include <stdlib.h>
#include <unistd.h>

#include "mailbox/clock.h"
#include "mailbox/host.h"
#include "tests/support/check.h"

static struct {
	bool asked;    /* it was told that the process is to stop */
	bool finishes; /* and has nothing to say */
	bool stopped;
} seen;

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
	seen.stopped = true;
}

static void
on_leave(void *self, struct outbox *out)
{
	(void)self;
	(void)out;
	seen.asked = true;
	if (seen.finishes)
		host_stop();
}

static const struct actor_spec leaver = { .id = ACTOR_VAULT, .start = start, .stop = stop, .on_leave = on_leave };
static const struct actor_spec plain = { .id = ACTOR_VAULT, .start = start, .stop = stop };

/* The host's life, asked to stop before it begins; how long it took. */
static uint64_t
life_of(const struct actor_spec *spec, bool finishes)
{
	struct host_config config = { .actors = &spec, .n_actors = 1, .run_dir = "run", .trace_fd = -1 };
	uint64_t began = clock_mono().ms;
	int ends[2];

	seen.asked = seen.stopped = false;
	seen.finishes = finishes;
	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	config.control_fd = ends[0];
	assert_int_equal(host_run(&config), OK);
	close(ends[0]);
	assert_true(seen.stopped);
	return clock_mono().ms - began;
}

static void
an_actor_that_has_nothing_to_say_ends_it_at_once(void **state)
{
	(void)state;
	assert_true(life_of(&leaver, true) < HOST_LEAVE_MS);
	assert_true(seen.asked);
}

static void
an_actor_that_waits_for_an_answer_is_given_time_and_no_more(void **state)
{
	(void)state;
	assert_true(life_of(&leaver, false) >= HOST_LEAVE_MS);
	assert_true(seen.asked);
}

static void
a_process_without_one_does_not_wait(void **state)
{
	(void)state;
	assert_true(life_of(&plain, false) < HOST_LEAVE_MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_actor_that_has_nothing_to_say_ends_it_at_once),
		cmocka_unit_test(an_actor_that_waits_for_an_answer_is_given_time_and_no_more),
		cmocka_unit_test(a_process_without_one_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
