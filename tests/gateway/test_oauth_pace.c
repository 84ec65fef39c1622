#include <stdio.h>
#include <string.h>

#include "gateway/oauth_pace.h"
#include "gateway/span.h"
#include "tests/support/check.h"

static struct oauth_pace pace;
static struct mono_ms now;

static int
reset(void **state)
{
	(void)state;
	memset(&pace, 0, sizeof pace);
	now.ms = 7000000;
	return 0;
}

/* How many of n registrations are let in. */
static unsigned
take(const char *peer, unsigned n)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < n; i++)
		taken += oauth_pace_take(&pace, span_of(peer), now);
	return taken;
}

static void
an_address_has_twenty_and_then_one_a_second(void **state)
{
	(void)state;
	assert_int_equal(take("a", 1000), 20);
	now.ms += 999;
	assert_int_equal(take("a", 1), 0);
	now.ms += 1;
	assert_int_equal(take("a", 2), 1);
	now.ms += 3000;
	assert_int_equal(take("a", 9), 3);
	now.ms += 3600000;
	assert_int_equal(take("a", 1000), 20);
}

static void
who_registers_all_day_keeps_nobody_out(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++, now.ms += 100)
		take("stranger", 10);
	take("stranger", 10);
	assert_int_equal(take("stranger", 1), 0);
	assert_int_equal(take("owner", 1), 1);
}

static void
all_together_have_a_pace(void **state)
{
	char peer[20];
	unsigned taken = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(peer, sizeof peer, "%u", i);
		taken += take(peer, 1);
	}
	assert_int_equal(taken, 200);
	now.ms += 50;
	assert_int_equal(take("a", 2), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_address_has_twenty_and_then_one_a_second, reset),
		cmocka_unit_test_setup(who_registers_all_day_keeps_nobody_out, reset),
		cmocka_unit_test_setup(all_together_have_a_pace, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
