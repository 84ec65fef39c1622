#include "tests/support/check.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>

#include "mailbox/edge_listen.h"
#include "tests/support/rig_dir.h"

#define PATH "door"

static nng_socket socket_of_nng;
static struct edge_listen door;
static int deaf = -1; /* listens in the door's place, and shows nobody out */

static int
open_door(void **state)
{
	(void)state;
	rig_dir_make();
	assert_int_equal(nng_pair0_open(&socket_of_nng), 0);
	assert_int_equal(edge_listen_open(&door, socket_of_nng, PATH), OK);
	return 0;
}

static int
close_door(void **state)
{
	(void)state;
	if (deaf >= 0)
		close(deaf);
	deaf = -1;
	edge_listen_close(&door);
	nng_close(socket_of_nng);
	rig_dir_remove();
	return 0;
}

/* What is seen of a listener of nng's that died: whoever comes gets in, and stays. */
static void
die(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = PATH };

	assert_int_equal(unlink(PATH), 0);
	assert_true((deaf = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) >= 0);
	assert_int_equal(bind(deaf, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(deaf, 64), 0);
}

/* Ticks a minute away, at the times that it wishes for, which must not be none. */
static struct mono_ms
minute(struct mono_ms now, enum edge_listen_mood mood)
{
	uint64_t ends_ms = now.ms + 60000;

	while (now.ms < ends_ms) {
		struct mono_ms next = edge_listen_tick(&door, now, mood);

		assert_in_range(next.ms, now.ms + 1, now.ms + 60000);
		now = next;
	}
	return now;
}

/* False once the other end has gone. */
static bool
is_there(int fd)
{
	char bytes[64];
	ssize_t n;

	while ((n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		;
	return n < 0 && errno == EAGAIN;
}

static void
where_mending_must_wait_one_knock_waits_and_no_more_come(void **state)
{
	int knock;

	(void)state;
	die();
	minute(clock_mono(), EDGE_LISTEN_CONTENT);
	assert_true((knock = accept(deaf, NULL, NULL)) >= 0);
	assert_int_equal(accept(deaf, NULL, NULL), -1);
	/* Who leaves a dead listener leaves nng a connection that it polls for ever. */
	assert_true(is_there(knock));
	close(knock);
}

static void
a_door_that_was_left_dead_is_mended_as_soon_as_somebody_is_missed(void **state)
{
	struct mono_ms now = clock_mono();

	(void)state;
	die();
	now = minute(now, EDGE_LISTEN_CONTENT);
	assert_int_equal(unlink(PATH), 0);
	edge_listen_tick(&door, now, EDGE_LISTEN_EAGER);
	while (door.n_mended == 0) {
		now.ms++;
		edge_listen_tick(&door, now, EDGE_LISTEN_EAGER);
		poll(NULL, 0, 1);
	}
	assert_int_equal(access(PATH, F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_door, close_door)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(where_mending_must_wait_one_knock_waits_and_no_more_come),
		TEST(a_door_that_was_left_dead_is_mended_as_soon_as_somebody_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
