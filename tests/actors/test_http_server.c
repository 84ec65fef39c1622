/* The server on a real socket of loopback: what it takes, what it turns away, and how long it waits. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/http_server.h"
#include "tests/support/check.h"
#include "tests/support/fake_clock.h"

#define CONNECTIONS_MAX 40

struct rig {
	struct http_config   *config;
	struct http_server   *server;
	struct http_exchange *held[8]; /* what was not answered at once */
	size_t                n_held;
	bool                  holds;
	unsigned              n_requests;
	char                  heard[65536];
	size_t                heard_len;
	bool                  ended;
};

/* Says back what it was asked. */
static void
answer(struct http_exchange *x)
{
	const struct http_request *q = http_exchange_request(x);
	struct http_response r;

	http_response_start(&r, 200);
	http_response_header_span(&r, "X-Path", q->path);
	http_response_body(&r, "text/plain", q->body.len > 0 ? q->body : q->path);
	http_exchange_answer(x, &r);
}

static void
on_request(void *arg, struct http_exchange *x)
{
	struct rig *r = arg;

	r->n_requests++;
	if (r->holds)
		r->held[r->n_held++] = x;
	else
		answer(x);
}

static int
start(void **state)
{
	struct rig *r = calloc(1, sizeof *r);
	struct http_server_config c = { .connections_max = CONNECTIONS_MAX, .on_request = on_request, .arg = r };

	signal(SIGPIPE, SIG_IGN);
	assert_non_null(r);
	assert_int_equal(secret_init(true), OK);
	fake_clock_set(1796000000000, 1000000);
	assert_int_equal(http_config_default(&r->config), OK);
	r->config->port = 0;
	c.http = r->config;
	assert_int_equal(http_server_new(&c, &r->server), OK);
	assert_int_equal(http_server_listen(r->server), OK);
	*state = r;
	return 0;
}

static int
stop(void **state)
{
	struct rig *r = *state;

	http_server_free(&r->server);
	http_config_free(&r->config);
	fake_clock_off();
	free(r);
	return 0;
}

static int
dial(struct rig *r)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)http_server_port(r->server)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	return fd;
}

static void
turn(struct rig *r)
{
	http_server_wake(r->server);
	http_server_wait(r->server);
}

static void
say_bytes(struct rig *r, int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN)
			return;
		turn(r);
	}
}

static void
say(struct rig *r, int fd, const char *text)
{
	say_bytes(r, fd, text, strlen(text));
}

/* All that comes until nothing does for some turns. */
static const char *
hear(struct rig *r, int fd)
{
	r->heard_len = 0;
	r->ended = false;
	for (int quiet = 0; quiet < 5 && !r->ended;) {
		ssize_t n;

		turn(r);
		n = recv(fd, r->heard + r->heard_len, sizeof r->heard - 1 - r->heard_len, MSG_DONTWAIT);
		if (n > 0)
			r->heard_len += (size_t)n;
		else if (n == 0 || errno != EAGAIN)
			r->ended = true;
		quiet = n > 0 ? 0 : quiet + 1;
	}
	r->heard[r->heard_len] = '\0';
	return r->heard;
}

static void
expect(struct rig *r, int fd, const char *begins)
{
	const char *got = hear(r, fd);

	if (strncmp(got, begins, strlen(begins)) != 0)
		fail_msg("wanted %s, got %.200s", begins, got);
}

static unsigned
count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what)) != NULL) {
		text += strlen(what);
		n++;
	}
	return n;
}

static void
a_request_is_answered_and_the_connection_goes_on(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	for (int i = 0; i < 3; i++) {
		say(r, fd, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
		expect(r, fd, "HTTP/1.1 200 OK\r\n");
		assert_non_null(strstr(r->heard, "\r\nX-Path: /a\r\n"));
		assert_non_null(strstr(r->heard, "\r\nContent-Length: 2\r\n"));
		assert_non_null(strstr(r->heard, "\r\n\r\n/a"));
		assert_null(strstr(r->heard, "Server:"));
		assert_false(r->ended);
	}
	close(fd);
	turn(r);
	turn(r);
	assert_int_equal(http_server_figures(r->server).connections, 0);
}

static void
bytes_may_come_one_at_a_time(void **state)
{
	static const char text[] = "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
	struct rig *r = *state;
	int fd = dial(r);

	for (size_t i = 0; i + 1 < sizeof text; i++)
		say_bytes(r, fd, text + i, 1);
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	assert_non_null(strstr(r->heard, "\r\n\r\nabcde"));
	close(fd);
}

static void
pipelined_requests_wait_for_the_one_before(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	r->holds = true;
	say(r, fd, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, fd);
	assert_int_equal(r->heard_len, 0);
	assert_int_equal(r->n_requests, 1);
	answer(r->held[0]);
	hear(r, fd);
	assert_int_equal(count(r->heard, "200 OK"), 1);
	assert_int_equal(r->n_requests, 2);
	r->holds = false;
	answer(r->held[1]);
	hear(r, fd);
	assert_int_equal(count(r->heard, "200 OK"), 2);
	assert_non_null(strstr(r->heard, "X-Path: /3"));
	close(fd);
}

static void
many_pipelined_requests_are_answered_in_order(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);
	char all[200 * 40], *at = all;

	for (int i = 0; i < 200; i++)
		at += sprintf(at, "GET /%03d HTTP/1.1\r\nHost: x\r\n\r\n", i);
	say(r, fd, all);
	hear(r, fd);
	assert_int_equal(count(r->heard, "200 OK"), 200);
	at = r->heard;
	for (int i = 0; i < 200; i++) {
		char wanted[24];

		sprintf(wanted, "X-Path: /%03d\r\n", i);
		assert_non_null(at = strstr(at, wanted));
	}
	close(fd);
}

static void
head_has_no_body(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	say(r, fd, "HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	assert_non_null(strstr(r->heard, "\r\nContent-Length: 4\r\n"));
	assert_string_equal(r->heard + r->heard_len - 4, "\r\n\r\n");
	say(r, fd, "GET /d HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	close(fd);
}

static void
what_is_no_request_is_refused_and_ends_the_connection(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fd, "HTTP/1.1 400 Bad Request\r\n");
	assert_non_null(strstr(r->heard, "\r\nConnection: close\r\n"));
	assert_int_equal(count(r->heard, "HTTP/1.1"), 1);
	assert_true(r->ended);
	assert_int_equal(r->n_requests, 0);
	close(fd);
}

/* What the client still sends must not take the answer from it. */
static void
a_body_that_is_too_long_is_refused_and_the_answer_arrives(void **state)
{
	struct rig *r = *state;
	char *much = calloc(1, 200000);
	int fd = dial(r);

	assert_non_null(much);
	memset(much, 'x', 199999);
	say(r, fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 199999\r\n\r\n");
	say_bytes(r, fd, much, 199999);
	expect(r, fd, "HTTP/1.1 413 ");
	assert_true(r->ended);
	free(much);
	close(fd);
}

static void
who_expects_100_is_told_to_go_on(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	say(r, fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
	hear(r, fd);
	assert_string_equal(r->heard, "HTTP/1.1 100 Continue\r\n\r\n");
	say(r, fd, "ab");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	assert_non_null(strstr(r->heard, "\r\n\r\nab"));
	close(fd);
}

static void
the_old_version_is_answered_once(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	say(r, fd, "GET /old HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	assert_non_null(strstr(r->heard, "\r\nConnection: close\r\n"));
	assert_true(r->ended);
	close(fd);
}

static void
an_exchange_outlives_its_client(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	r->holds = true;
	say(r, fd, "GET /gone HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, fd);
	assert_true(http_exchange_is_wanted(r->held[0]));
	close(fd);
	turn(r);
	turn(r);
	assert_false(http_exchange_is_wanted(r->held[0]));
	assert_memory_equal(http_exchange_request(r->held[0])->path.p, "/gone", 5);
	answer(r->held[0]);
	turn(r);
	assert_int_equal(http_server_figures(r->server).connections, 0);
}

static void
an_exchange_outlives_the_server(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	r->holds = true;
	say(r, fd, "GET /gone HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, fd);
	http_server_free(&r->server);
	assert_false(http_exchange_is_wanted(r->held[0]));
	answer(r->held[0]);
	close(fd);
}

static void
who_says_that_it_ends_is_still_answered(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	r->holds = true;
	say(r, fd, "GET /last HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, fd);
	shutdown(fd, SHUT_WR);
	turn(r);
	answer(r->held[0]);
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	assert_true(r->ended);
	close(fd);
}

static void
pass(struct rig *r, uint64_t ms)
{
	fake_clock_advance(ms);
	http_server_tick(r->server, clock_mono());
}

static void
a_silent_client_is_left_after_10_s(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	turn(r);
	pass(r, HTTP_HEAD_MS - 1);
	hear(r, fd);
	assert_false(r->ended);
	pass(r, 1);
	hear(r, fd);
	assert_true(r->ended);
	assert_int_equal(r->heard_len, 0);
	close(fd);
}

/* A byte a second behind a beginning: the time is counted from that, and not one second is gained. */
static void
expect_no_time_gained(struct rig *r, const char *beginning, int seconds)
{
	int fd = dial(r);

	say(r, fd, beginning);
	for (int i = 0; i < seconds - 1; i++) {
		say(r, fd, "a");
		pass(r, 1000);
	}
	hear(r, fd);
	assert_false(r->ended);
	say(r, fd, "a");
	pass(r, 1000);
	expect(r, fd, "HTTP/1.1 408 ");
	assert_true(r->ended);
	close(fd);
}

static void
a_slow_head_does_not_gain_time(void **state)
{
	expect_no_time_gained(*state, "GET / HTTP/1.1\r\n", HTTP_HEAD_MS / 1000);
}

static void
a_slow_body_does_not_gain_time(void **state)
{
	expect_no_time_gained(*state, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", HTTP_BODY_MS / 1000);
}

static void
an_idle_connection_is_left_after_5_min(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	pass(r, HTTP_IDLE_MS - 1);
	hear(r, fd);
	assert_false(r->ended);
	pass(r, 1);
	hear(r, fd);
	assert_true(r->ended);
	close(fd);
}

/* We take our time; the client does not lose the connection for it. */
static void
a_client_that_waits_for_us_is_not_left(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	r->holds = true;
	say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, fd);
	pass(r, 10 * HTTP_IDLE_MS);
	hear(r, fd);
	assert_false(r->ended);
	answer(r->held[0]);
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	close(fd);
}

static void
who_does_not_read_is_left(void **state)
{
	struct rig *r = *state;
	struct http_response much;
	struct secret *body = NULL;
	int fd = dial(r);

	r->holds = true;
	say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	while (r->n_held == 0)
		turn(r);
	assert_int_equal(secret_new((size_t)12 << 20, &body), OK);
	http_response_start(&much, 200);
	http_response_body(&much, "text/plain", secret_span(body));
	secret_free(&body);
	http_exchange_answer(r->held[0], &much);
	for (int i = 0; i < 20; i++)
		turn(r);
	assert_int_equal(http_server_figures(r->server).connections, 1);
	pass(r, HTTP_WRITE_MS);
	turn(r);
	assert_int_equal(http_server_figures(r->server).connections, 0);
	close(fd);
}

static void
slow_readers_are_left_when_all_they_do_not_read_is_too_much(void **state)
{
	const size_t len = (size_t)12 << 20, fit = HTTP_OUTPUT_MAX / len;
	struct rig *r = *state;
	struct http_response much;
	struct secret *body = NULL;
	int fds[8], other;

	assert_int_equal(secret_new(len, &body), OK);
	r->holds = true;
	for (size_t i = 0; i < 8; i++) {
		fds[i] = dial(r);
		say(r, fds[i], "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		while (r->n_held == i)
			turn(r);
		http_response_start(&much, 200);
		http_response_body(&much, "text/plain", secret_span(body));
		http_exchange_answer(r->held[i], &much);
		assert_int_equal(http_server_figures(r->server).connections, i < fit ? i + 1 : fit);
		assert_in_range(http_server_figures(r->server).output, 0, HTTP_OUTPUT_MAX);
	}
	secret_free(&body);
	/* The first have gone, and who reads is served. */
	hear(r, fds[0]);
	r->holds = false;
	other = dial(r);
	say(r, other, "GET /other HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, other, "HTTP/1.1 200 OK\r\n");
	close(other);
	for (size_t i = 0; i < 8; i++)
		close(fds[i]);
	for (int i = 0; i < 20; i++)
		turn(r);
	assert_int_equal(http_server_figures(r->server).output, 0);
}

static void
the_listener_pauses_at_the_limit_and_goes_on(void **state)
{
	struct rig *r = *state;
	int fds[CONNECTIONS_MAX], late;

	for (int i = 0; i < CONNECTIONS_MAX; i++)
		fds[i] = dial(r);
	turn(r);
	assert_int_equal(http_server_figures(r->server).connections, CONNECTIONS_MAX);
	late = dial(r);
	say(r, late, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, late);
	assert_int_equal(r->heard_len, 0);
	assert_false(r->ended);
	close(fds[0]);
	expect(r, late, "HTTP/1.1 200 OK\r\n");
	for (int i = 1; i < CONNECTIONS_MAX; i++)
		close(fds[i]);
	close(late);
}

/* Without a descriptor left the one that waits is sent away, and the loop does not spin on it. */
static void
at_the_limit_the_longest_idle_is_left_for_another(void **state)
{
	struct rig *r = *state;
	int fds[CONNECTIONS_MAX], late;

	for (int i = 0; i < CONNECTIONS_MAX; i++) {
		fds[i] = dial(r);
		say(r, fds[i], "GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
		expect(r, fds[i], "HTTP/1.1 200 OK\r\n");
	}
	/* The first has asked again since: the second is quiet for longest. */
	say(r, fds[0], "GET /again HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fds[0], "HTTP/1.1 200 OK\r\n");
	late = dial(r);
	say(r, late, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, late, "HTTP/1.1 200 OK\r\n");
	assert_int_equal(http_server_figures(r->server).connections, CONNECTIONS_MAX);
	hear(r, fds[1]);
	assert_true(r->ended);
	hear(r, fds[0]);
	assert_false(r->ended);
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		close(fds[i]);
	close(late);
}

/* Nobody was idle when the listener paused; then somebody is. */
static void
a_paused_listener_goes_on_when_somebody_is_idle(void **state)
{
	struct rig *r = *state;
	int fds[CONNECTIONS_MAX], late;

	for (int i = 0; i < CONNECTIONS_MAX; i++)
		fds[i] = dial(r);
	late = dial(r);
	say(r, late, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
	hear(r, late);
	assert_int_equal(r->heard_len, 0);
	say(r, fds[7], "GET /seventh HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fds[7], "HTTP/1.1 200 OK\r\n");
	expect(r, late, "HTTP/1.1 200 OK\r\n");
	for (int i = 0; i < CONNECTIONS_MAX; i++)
		close(fds[i]);
	close(late);
}

static void
without_descriptors_it_goes_on(void **state)
{
	struct rig *r = *state;
	struct rlimit was, now;
	int early = dial(r), fd = dial(r), last;

	say(r, early, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, early, "HTTP/1.1 200 OK\r\n");
	say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	close(fd);
	turn(r);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	fd = dial(r);
	last = dup(fd);
	close(last);
	now = was;
	now.rlim_cur = (rlim_t)last;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	hear(r, fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_true(r->ended);
	assert_int_equal(http_server_figures(r->server).turned_away, 1);
	say(r, early, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, early, "HTTP/1.1 200 OK\r\n");
	close(early);
	close(fd);
	usleep(120 * 1000);
	fd = dial(r);
	say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(r, fd, "HTTP/1.1 200 OK\r\n");
	close(fd);
}

static void
a_connection_takes_a_thousand_requests(void **state)
{
	struct rig *r = *state;
	int fd = dial(r);

	for (int i = 0; i < HTTP_REQUESTS_MAX; i++) {
		say(r, fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		while (recv(fd, r->heard, sizeof r->heard, MSG_DONTWAIT) <= 0)
			turn(r);
	}
	assert_int_equal(r->n_requests, HTTP_REQUESTS_MAX);
	assert_non_null(strstr(r->heard, "\r\nConnection: close\r\n"));
	hear(r, fd);
	assert_true(r->ended);
	close(fd);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		CASE(a_request_is_answered_and_the_connection_goes_on),
		CASE(bytes_may_come_one_at_a_time),
		CASE(pipelined_requests_wait_for_the_one_before),
		CASE(many_pipelined_requests_are_answered_in_order),
		CASE(head_has_no_body),
		CASE(what_is_no_request_is_refused_and_ends_the_connection),
		CASE(a_body_that_is_too_long_is_refused_and_the_answer_arrives),
		CASE(who_expects_100_is_told_to_go_on),
		CASE(the_old_version_is_answered_once),
		CASE(an_exchange_outlives_its_client),
		CASE(an_exchange_outlives_the_server),
		CASE(who_says_that_it_ends_is_still_answered),
		CASE(a_silent_client_is_left_after_10_s),
		CASE(a_slow_head_does_not_gain_time),
		CASE(a_slow_body_does_not_gain_time),
		CASE(an_idle_connection_is_left_after_5_min),
		CASE(a_client_that_waits_for_us_is_not_left),
		CASE(who_does_not_read_is_left),
		CASE(slow_readers_are_left_when_all_they_do_not_read_is_too_much),
		CASE(the_listener_pauses_at_the_limit_and_goes_on),
		CASE(at_the_limit_the_longest_idle_is_left_for_another),
		CASE(a_paused_listener_goes_on_when_somebody_is_idle),
		CASE(without_descriptors_it_goes_on),
		CASE(a_connection_takes_a_thousand_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
