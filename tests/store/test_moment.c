/* The clock that only goes forward. */
#include "store/moment.h"
#include "tests/support/check.h"

static const struct uuid boot = { { 1 } }, other = { { 2 } };

static struct moment
at(uint64_t now, uint64_t mono)
{
	return (struct moment){ .now = { now }, .boot = boot, .mono = { mono } };
}

static uint64_t
after(struct moment last, uint64_t wall, uint64_t mono)
{
	return moment_after(last, (struct wall_ms){ wall }, (struct mono_ms){ mono }).now.ms;
}

static void
it_follows_the_wall_clock_forward_and_never_back(void **state)
{
	(void)state;
	assert_int_equal(after(at(1000, 10), 1500, 510), 1500);
	assert_int_equal(after(at(1000, 10), 9000, 20), 9000);
	assert_int_equal(after(at(1000, 10), 5, 20), 1010);
	assert_int_equal(after(at(1000, 10), 1005, 20), 1010);
	/* Not even when both stand before. */
	assert_int_equal(after(at(1000, 10), 5, 5), 1000);
}

static void
it_does_not_go_by_the_same_time_twice(void **state)
{
	struct moment m = moment_after(at(1000, 10), (struct wall_ms){ 5 }, (struct mono_ms){ 20 });

	(void)state;
	m = moment_after(m, (struct wall_ms){ 5 }, (struct mono_ms){ 20 });
	m = moment_after(m, (struct wall_ms){ 5 }, (struct mono_ms){ 15 });
	m = moment_after(m, (struct wall_ms){ 5 }, (struct mono_ms){ 25 });
	assert_int_equal(m.now.ms, 1015);
}

static uint64_t
from(struct moment kept, struct uuid now_boot, uint64_t wall, uint64_t mono)
{
	struct moment m = moment_from(kept, (struct wall_ms){ wall }, (struct mono_ms){ mono }, now_boot);

	assert_true(uuid_equal(m.boot, now_boot));
	assert_int_equal(m.mono.ms, mono);
	return m.now.ms;
}

static void
a_restart_in_the_same_boot_counts_what_went_by(void **state)
{
	struct moment unknown = { .now = { 1000 }, .mono = { 10 } };

	(void)state;
	assert_int_equal(from(at(1000, 10), boot, 5, 110), 1100);
	assert_int_equal(from(at(1000, 10), other, 5, 110), 1000);
	assert_int_equal(from(at(1000, 10), other, 2000, 3), 2000);
	assert_int_equal(from(unknown, (struct uuid){ { 0 } }, 5, 110), 1000);
	assert_int_equal(from((struct moment){ .now = { 0 } }, boot, 77, 110), 77);
}

static void
what_is_left_ends_at_nothing(void **state)
{
	struct moment m = at(1000, 0);

	(void)state;
	assert_int_equal(moment_left(&m, (struct forward_ms){ 1001 }), 1);
	assert_int_equal(moment_left(&m, (struct forward_ms){ 1000 }), 0);
	assert_int_equal(moment_left(&m, (struct forward_ms){ 0 }), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_follows_the_wall_clock_forward_and_never_back),
		cmocka_unit_test(it_does_not_go_by_the_same_time_twice),
		cmocka_unit_test(a_restart_in_the_same_boot_counts_what_went_by),
		cmocka_unit_test(what_is_left_ends_at_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
