#include <stdio.h>
#include <string.h>

#include "gateway/span.h"
#include "gateway/web_throttle.h"
#include "tests/support/check.h"

static struct web_throttle t;
static struct mono_ms now;

static int
reset(void **state)
{
	(void)state;
	memset(&t, 0, sizeof t);
	now.ms = 10000000;
	return 0;
}

static void
try_times(const char *peer, unsigned n)
{
	struct web_who who = { .peer = span_of(peer) };

	for (unsigned i = 0; i < n; i++)
		web_throttle_tried(&t, &who, now);
}

static uint64_t
wait_of(const char *peer)
{
	struct web_who who = { .peer = span_of(peer) };

	return web_throttle_wait(&t, &who, now);
}

/* A browser that has logged in before, at that address. */
static struct web_who
known(const char *peer, unsigned browser)
{
	return (struct web_who){ .peer = span_of(peer), .is_known = true, .known = { (uint8_t)browser } };
}

static uint64_t
wait_of_known(const char *peer, unsigned browser)
{
	struct web_who who = known(peer, browser);

	return web_throttle_wait(&t, &who, now);
}

static void
five_tries_are_free_and_then_it_doubles(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(wait_of("a"), 0);
		try_times("a", 1);
	}
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(wait_of("a"), 1000u << i);
		now.ms += 1000u << i;
		assert_int_equal(wait_of("a"), 0);
		try_times("a", 1);
	}
	assert_int_equal(wait_of("b"), 0);
}

static void
no_delay_is_longer_than_a_quarter_of_an_hour(void **state)
{
	(void)state;
	try_times("a", 5000);
	assert_int_equal(wait_of("a"), 900000);
	now.ms += 900000;
	assert_int_equal(wait_of("a"), 0);
}

static void
many_addresses_wait_together_but_not_for_long(void **state)
{
	char peer[20];

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(peer, sizeof peer, "10.0.%u.%u", i / 256, i % 256);
		try_times(peer, 1);
	}
	assert_int_equal(wait_of("owner"), 60000);
	assert_int_equal(wait_of_known("owner", 1), 0);
	now.ms += 60000;
	assert_int_equal(wait_of("owner"), 0);
}

/* All the world comes from one address behind a tunnel, and so does a hostile program on this machine. */
static void
a_known_browser_waits_for_nobody_else(void **state)
{
	struct web_who mine = known("a", 1);

	(void)state;
	try_times("a", 5000);
	assert_int_equal(wait_of("a"), 900000);
	assert_int_equal(wait_of_known("a", 1), 0);
	for (unsigned i = 0; i < 6; i++)
		web_throttle_tried(&t, &mine, now);
	assert_int_equal(wait_of_known("a", 1), 2000);
	assert_int_equal(wait_of_known("b", 1), 2000);
	assert_int_equal(wait_of_known("a", 2), 0);
	/* Nor does anybody wait for it. */
	assert_int_equal(wait_of("b"), 60000);
	web_throttle_passed(&t, &mine);
	assert_int_equal(wait_of_known("a", 1), 0);
	assert_int_equal(wait_of("a"), 900000);
}

static void
the_password_ends_it(void **state)
{
	(void)state;
	try_times("a", 9);
	assert_int_equal(wait_of("a"), 16000);
	web_throttle_passed(&t, &(struct web_who){ .peer = span_of("a") });
	assert_int_equal(wait_of("a"), 0);
	try_times("a", 1);
	assert_int_equal(wait_of("a"), 0);
}

static void
an_hour_forgets(void **state)
{
	(void)state;
	try_times("a", 30);
	now.ms += 3600000;
	assert_int_equal(wait_of("a"), 0);
	try_times("a", 1);
	assert_int_equal(wait_of("a"), 0);
	assert_int_equal(wait_of("b"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(five_tries_are_free_and_then_it_doubles, reset),
		cmocka_unit_test_setup(no_delay_is_longer_than_a_quarter_of_an_hour, reset),
		cmocka_unit_test_setup(many_addresses_wait_together_but_not_for_long, reset),
		cmocka_unit_test_setup(a_known_browser_waits_for_nobody_else, reset),
		cmocka_unit_test_setup(the_password_ends_it, reset),
		cmocka_unit_test_setup(an_hour_forgets, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
