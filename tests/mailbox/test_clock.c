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

static void
a_time_of_rfc_3339_is_read_in_any_of_its_forms(void **state)
{
	static const struct { const char *text; uint64_t ms; } times[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2026-11-30T10:00:00Z", UINT64_C(1796032800000) },
		{ "2026-11-30 10:00:00.25z", UINT64_C(1796032800250) },
		{ "2026-11-30t12:30:00+02:30", UINT64_C(1796032800000) },
		{ "2026-11-30T02:00:00.9999-08:00", UINT64_C(1796032800999) },
		{ "2000-02-29T23:59:59Z", UINT64_C(951868799000) },
	};
	struct wall_ms t;

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		assert_int_equal(clock_parse(times[i].text, &t), OK);
		assert_int_equal(t.ms, times[i].ms);
	}
}

static void
what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "2026-11-30", "2026-11-30T10:00:00", "2026-11-30T10:00Z", "2026-11-30T10:00:00ZZ", "2026-02-30T10:00:00Z",
		"2026-13-01T10:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T10:00:60Z", "2026-11-30T10:00:00.Z",
		"2026-11-30T10:00:00+2:00", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01", "+026-11-30T10:00:00Z",
	};
	struct wall_ms t = { 5 };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(clock_parse(texts[i], &t), ERR_INVALID_ARGUMENT);
	assert_int_equal(t.ms, 5);
}

static void
a_duration_is_a_number_and_a_unit(void **state)
{
	static const struct { const char *text; uint64_t ms; } durations[] = {
		{ "0s", 0 }, { "90s", 90000 }, { "5m", 300000 }, { "2h", 7200000 }, { "7d", 604800000 },
		{ "999999999w", UINT64_C(604799999395200000) },
	};
	static const char *const others[] = { "", "2", "h", "-2h", "2 h", "2h ", "2H", "1h30m", "1.5h", "1000000000w" };
	uint64_t ms = 5;

	(void)state;
	for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
		assert_int_equal(clock_parse_duration(durations[i].text, &ms), OK);
		assert_int_equal(ms, durations[i].ms);
	}
	ms = 5;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(clock_parse_duration(others[i], &ms), ERR_INVALID_ARGUMENT);
	assert_int_equal(ms, 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_that_is_put_in_is_asked),
		cmocka_unit_test(monotonic_time_does_not_go_back),
		cmocka_unit_test(text_is_rfc_3339_in_utc),
		cmocka_unit_test(a_time_that_no_text_has_room_for_is_the_latest),
		cmocka_unit_test(a_time_of_rfc_3339_is_read_in_any_of_its_forms),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(a_duration_is_a_number_and_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
