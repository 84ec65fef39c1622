#include "tests/support/check.h"

#include "tests/support/fake_clock.h"

static void
a_source_that_is_put_in_is_asked(void **state)
{
	(void)state;
	fake_clock_set(1000, 5);
	assert_int_equal(clock_wall().ms, 1000);
	assert_int_equal(clock_mono().ms, 5);
	fake_clock_advance(7);
	assert_int_equal(clock_wall().ms, 1007);
	assert_int_equal(clock_mono().ms, 12);
	fake_clock_off();
	assert_true(clock_wall().ms > UINT64_C(1700000000000));
}

static void
monotonic_time_does_not_go_back(void **state)
{
	struct mono_ms last = clock_mono();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct mono_ms now = clock_mono();

		assert_true(now.ms >= last.ms);
		last = now;
	}
}

static void
text_is_rfc_3339_in_utc(void **state)
{
	char out[CLOCK_TEXT_LEN + 1];

	(void)state;
	clock_text((struct wall_ms){ 0 }, out);
	assert_string_equal(out, "1970-01-01T00:00:00Z");
	clock_text((struct wall_ms){ UINT64_C(1796032800999) }, out);
	assert_string_equal(out, "2026-11-30T10:00:00Z");
	clock_text((struct wall_ms){ UINT64_C(951782399000) }, out);
	assert_string_equal(out, "2000-02-28T23:59:59Z");
}

static void
a_time_that_no_text_has_room_for_is_the_latest(void **state)
{
	static const uint64_t late[] = { UINT64_C(253402300800000), UINT64_MAX, UINT64_MAX / 1000, INT64_MAX };
	char out[CLOCK_TEXT_LEN + 1];

	(void)state;
	clock_text((struct wall_ms){ UINT64_C(253402300799999) }, out);
	assert_string_equal(out, "9999-12-31T23:59:59Z");
	for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
		clock_text((struct wall_ms){ late[i] }, out);
		assert_string_equal(out, "9999-12-31T23:59:59Z");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_that_is_put_in_is_asked),
		cmocka_unit_test(monotonic_time_does_not_go_back),
		cmocka_unit_test(text_is_rfc_3339_in_utc),
		cmocka_unit_test(a_time_that_no_text_has_room_for_is_the_latest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
