#include "tests/support/check.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mailbox/dial.h"
#include "mailbox/front.h"
#include "tests/support/rig_dir.h"

#define SLOTS 128
#define SOCK  "service.sock"

/* What the door's thread handed on; answered at once if wanted. */
struct door {
	struct front   *front;
	pthread_mutex_t lock;
	pthread_cond_t  more;
	bool            answers;
	enum err        refuses_with;
	uint64_t        ids[1024];
	uint32_t        pid;
	size_t          n, n_run;
};

static enum err
take(void *arg, const struct front_ask *ask)
{
	struct door *d = arg;

	if (d->refuses_with != OK)
		return d->refuses_with;
	pthread_mutex_lock(&d->lock);
	d->ids[d->n++ % 1024] = ask->ask_id;
	d->pid = ask->peer_pid;
	pthread_cond_signal(&d->more);
	pthread_mutex_unlock(&d->lock);
	edge_arrival_free(ask->arrival);
	return OK;
}

static enum err
answer(struct door *d, uint64_t ask_id)
{
	static const struct made_body nothing_made;
	uint8_t bytes[64];
	struct wire_out o = wire_out(bytes, sizeof bytes);

	message_put(&o, MSG_DONE, 0, &nothing_made);
	return front_answer(d->front, ask_id, wire_written(&o));
}

static void
run(void *arg)
{
	struct door *d = arg;

	pthread_mutex_lock(&d->lock);
	d->n_run++;
	while (d->answers && d->n > 0) {
		uint64_t id = d->ids[--d->n];

		pthread_mutex_unlock(&d->lock);
		(void)answer(d, id);
		pthread_mutex_lock(&d->lock);
	}
	pthread_mutex_unlock(&d->lock);
}

static int
setup(void **state)
{
	static struct door d;

	memset(&d, 0, sizeof d);
	pthread_mutex_init(&d.lock, NULL);
	pthread_cond_init(&d.more, NULL);
	d.answers = true;
	*state = &d;
	rig_dir_make();
	return front_new(SOCK, SLOTS, &(struct front_events){ take, run, &d }, &d.front) == OK &&
	    front_listen(d.front) == OK ? 0 : -1;
}

static int
teardown(void **state)
{
	struct door *d = *state;

	front_close(d->front);
	front_free(&d->front);
	rig_dir_remove();
	return 0;
}

static enum err
ask(struct dial *dial)
{
	union any_body body;
	uint32_t request, answered;
	enum msg type;
	enum err e;

	if ((e = dial_send(dial, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request)) != OK ||
	    (e = dial_receive(dial, 5000, &answered, &type, &body)) != OK)
		return e;
	assert_int_equal(answered, request);
	return type == MSG_REFUSED ? (enum err)body.refusal.error : type == MSG_DONE ? OK : ERR_PROTOCOL;
}

/* The next ask that came, while the door does not answer by itself. */
static uint64_t
next_id(struct door *d)
{
	uint64_t id;

	pthread_mutex_lock(&d->lock);
	while (d->n == 0)
		pthread_cond_wait(&d->more, &d->lock);
	id = d->ids[--d->n];
	pthread_mutex_unlock(&d->lock);
	return id;
}

static void
an_ask_is_answered_to_who_asked(void **state)
{
	struct door *d = *state;
	struct dial *dial = NULL;

	assert_int_equal(dial_open(SOCK, 0, &dial), OK);
	assert_int_equal(ask(dial), OK);
	assert_int_equal(d->pid, getpid());
	dial_close(&dial);
}

static void
an_ask_has_one_answer(void **state)
{
	struct door *d = *state;
	struct dial *dial = NULL;
	uint32_t request;
	uint64_t id;

	d->answers = false;
	assert_int_equal(dial_open(SOCK, 0, &dial), OK);
	assert_int_equal(dial_send(dial, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	id = next_id(d);
	assert_int_equal(answer(d, id), OK);
	assert_int_equal(answer(d, id), ERR_INTERNAL);
	assert_int_equal(answer(d, id + SLOTS), ERR_INTERNAL);
	dial_close(&dial);
}

static void
an_answer_to_one_who_left_goes_nowhere(void **state)
{
	struct door *d = *state;
	struct dial *first = NULL, *second = NULL;
	uint32_t request;
	uint64_t id;

	d->answers = false;
	assert_int_equal(dial_open(SOCK, 0, &first), OK);
	assert_int_equal(dial_send(first, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	id = next_id(d);
	dial_close(&first);
	assert_int_equal(dial_open(SOCK, 0, &second), OK);
	assert_int_equal(answer(d, id), OK);
	d->answers = true;
	assert_int_equal(ask(second), OK);
	dial_close(&second);
}

static void
a_thousand_who_connect_and_close_harm_nothing(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = SOCK };
	struct dial *dial = NULL;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		assert_true(fd >= 0);
		if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0 && i % 3 == 0)
			(void)send(fd, "\0SP\0\0\x30\0\0", (size_t)(i % 9), MSG_NOSIGNAL);
		close(fd);
	}
	assert_int_equal(dial_open(SOCK, 2000, &dial), OK);
	assert_int_equal(ask(dial), OK);
	dial_close(&dial);
}

static void
one_who_asks_without_end_is_held_back_and_others_are_served(void **state)
{
	struct door *d = *state;
	struct dial *greedy = NULL, *modest = NULL;
	uint32_t request;
	uint64_t id = 0;

	d->answers = false;
	assert_int_equal(dial_open(SOCK, 0, &greedy), OK);
	for (int i = 0; i < 200; i++)
		assert_int_equal(dial_send(greedy, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	assert_int_equal(dial_open(SOCK, 0, &modest), OK);
	assert_int_equal(dial_send(modest, MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	/* 64 of the one and the one of the other: no more were taken before an answer. */
	for (int i = 0; i < 65; i++)
		id = next_id(d);
	pthread_mutex_lock(&d->lock);
	assert_int_equal(d->n, 0);
	pthread_mutex_unlock(&d->lock);
	assert_int_not_equal(id, 0);
	dial_close(&greedy);
	dial_close(&modest);
}

static void
asks_past_the_slots_are_busy(void **state)
{
	struct door *d = *state;
	struct dial *dials[4] = { NULL };
	union any_body body;
	uint32_t request;
	enum msg type;

	d->answers = false;
	for (int k = 0; k < 2; k++) {
		assert_int_equal(dial_open(SOCK, 0, &dials[k]), OK);
		for (int i = 0; i < SLOTS / 2; i++)
			assert_int_equal(dial_send(dials[k], MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	}
	for (int i = 0; i < SLOTS; i++)
		(void)next_id(d);
	assert_int_equal(dial_open(SOCK, 0, &dials[2]), OK);
	assert_int_equal(dial_send(dials[2], MSG_STATUS_ASK, &(struct nothing_body){ 0 }, &request), OK);
	assert_int_equal(dial_receive(dials[2], 5000, &request, &type, &body), OK);
	assert_int_equal(type, MSG_REFUSED);
	assert_int_equal(body.refusal.error, ERR_BUSY);
	for (int k = 0; k < 3; k++)
		dial_close(&dials[k]);
}

static void
an_ask_that_the_gate_cannot_take_is_refused_with_its_word(void **state)
{
	struct door *d = *state;
	struct dial *dial = NULL;

	d->refuses_with = ERR_BUSY;
	assert_int_equal(dial_open(SOCK, 0, &dial), OK);
	assert_int_equal(ask(dial), ERR_BUSY);
	d->refuses_with = OK;
	assert_int_equal(ask(dial), OK);
	dial_close(&dial);
}

static void
the_idle_make_room_for_the_next(void **state)
{
	struct dial *kept[600] = { NULL };
	struct dial *late = NULL;

	(void)state;
	for (size_t i = 0; i < 600; i++)
		if (dial_open(SOCK, 1000, &kept[i]) != OK)
			break;
	assert_int_equal(dial_open(SOCK, 1000, &late), OK);
	assert_int_equal(ask(late), OK);
	for (size_t i = 0; i < 600; i++)
		dial_close(&kept[i]);
	dial_close(&late);
}

static void
one_who_says_no_hello_is_dropped_in_time(void **state)
{
	struct door *d = *state;
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = SOCK };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct dial *dial = NULL;
	uint8_t bytes[64];

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(read(fd, bytes, sizeof bytes), 8);
	front_tick(d->front, clock_mono());
	assert_int_equal(dial_open(SOCK, 0, &dial), OK);
	assert_int_equal(ask(dial), OK);
	front_tick(d->front, (struct mono_ms){ clock_mono().ms + 2001 });
	assert_int_equal(read(fd, bytes, sizeof bytes), 0);
	close(fd);
	assert_int_equal(ask(dial), OK);
	dial_close(&dial);
}

static void
the_socket_is_the_owners_alone_and_a_stale_one_is_replaced(void **state)
{
	struct door *d = *state;
	struct dial *dial = NULL;
	struct stat st;

	front_close(d->front);
	front_free(&d->front);
	close(open(SOCK, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(front_new(SOCK, SLOTS, &(struct front_events){ take, run, d }, &d->front), OK);
	assert_int_equal(front_listen(d->front), OK);
	assert_int_equal(stat(SOCK, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(dial_open(SOCK, 0, &dial), OK);
	assert_int_equal(ask(dial), OK);
	dial_close(&dial);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_ask_is_answered_to_who_asked),
		TEST(an_ask_has_one_answer),
		TEST(an_answer_to_one_who_left_goes_nowhere),
		TEST(a_thousand_who_connect_and_close_harm_nothing),
		TEST(one_who_asks_without_end_is_held_back_and_others_are_served),
		TEST(asks_past_the_slots_are_busy),
		TEST(an_ask_that_the_gate_cannot_take_is_refused_with_its_word),
		TEST(the_idle_make_room_for_the_next),
		TEST(one_who_says_no_hello_is_dropped_in_time),
		TEST(the_socket_is_the_owners_alone_and_a_stale_one_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
