#include "actors/usage.h"
#include "tests/support/check.h"

static struct usage *usage;

static int
setup(void **state)
{
	(void)state;
	return usage_new(&usage) != OK;
}

static int
teardown(void **state)
{
	(void)state;
	usage_free(&usage);
	return usage != NULL;
}

/* Ids that all want the same place. */
static struct uuid
crowded(uint32_t n)
{
	return (struct uuid){ { (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n, 1, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9 } };
}

static void
note(enum log_type type, enum log_subject kind, struct uuid subject, uint64_t wall_ms)
{
	struct log_record r = { .type = type, .subject_kind = kind, .subject = subject, .wall = { wall_ms } };

	assert_int_equal(usage_note(usage, &r), OK);
}

static void
a_grants_intents_are_counted_and_the_last_one_dated(void **state)
{
	(void)state;
	note(LOG_INTENT, LOG_GRANT_ID, crowded(1), 100);
	note(LOG_INTENT, LOG_GRANT_ID, crowded(1), 300);
	note(LOG_INTENT, LOG_GRANT_ID, crowded(2), 200);
	assert_int_equal(usage_find(usage, crowded(1)).reads, 2);
	assert_int_equal(usage_find(usage, crowded(1)).last_used.ms, 300);
	assert_int_equal(usage_find(usage, crowded(2)).reads, 1);
}

static void
a_revoked_grant_stays_so_and_no_other(void **state)
{
	(void)state;
	note(LOG_INTENT, LOG_GRANT_ID, crowded(1), 100);
	note(LOG_GRANT, LOG_GRANT_ID, crowded(2), 100);
	assert_false(usage_find(usage, crowded(1)).revoked);
	note(LOG_REVOKE, LOG_GRANT_ID, crowded(1), 200);
	note(LOG_REVOKE, LOG_GRANT_ID, crowded(3), 200);
	assert_true(usage_find(usage, crowded(1)).revoked);
	assert_false(usage_find(usage, crowded(2)).revoked);
	assert_true(usage_find(usage, crowded(3)).revoked);
	assert_int_equal(usage_find(usage, crowded(1)).reads, 1);
}

static void
a_disable_revokes_the_grants_that_there_are_and_none_that_comes_later(void **state)
{
	(void)state;
	note(LOG_GRANT, LOG_GRANT_ID, crowded(1), 100);
	note(LOG_DISABLE, LOG_TERMINAL, crowded(9), 200);
	note(LOG_GRANT, LOG_GRANT_ID, crowded(2), 300);
	assert_true(usage_find(usage, crowded(1)).revoked);
	assert_false(usage_find(usage, crowded(2)).revoked);
}

static void
a_disable_is_not_about_ordinary_grants(void **state)
{
	static const uint8_t ordinary = GRANT_ORDINARY;
	struct log_record r = { .type = LOG_GRANT, .subject_kind = LOG_GRANT_ID, .subject = crowded(1), .extra = { &ordinary, 1 } };

	(void)state;
	assert_int_equal(usage_note(usage, &r), OK);
	note(LOG_DISABLE, LOG_TERMINAL, crowded(9), 200);
	assert_false(usage_find(usage, crowded(1)).revoked);
	note(LOG_REVOKE, LOG_GRANT_ID, crowded(1), 300);
	assert_true(usage_find(usage, crowded(1)).revoked);
}

static void
what_a_grant_writes_is_a_use_and_no_read(void **state)
{
	(void)state;
	note(LOG_WRITE, LOG_GRANT_ID, crowded(1), 100);
	assert_int_equal(usage_find(usage, crowded(1)).reads, 0);
	assert_int_equal(usage_find(usage, crowded(1)).last_used.ms, 100);
}

static void
what_was_refused_revokes_nothing(void **state)
{
	struct log_record r = { .type = LOG_REVOKE, .outcome = LOG_REFUSED, .subject_kind = LOG_GRANT_ID, .subject = crowded(1) };

	(void)state;
	note(LOG_GRANT, LOG_GRANT_ID, crowded(1), 100);
	assert_int_equal(usage_note(usage, &r), OK);
	r.type = LOG_DISABLE;
	assert_int_equal(usage_note(usage, &r), OK);
	assert_false(usage_find(usage, crowded(1)).revoked);
}

static void
nothing_else_is_counted(void **state)
{
	(void)state;
	for (unsigned t = LOG_WRITE + 1; t < LOG__COUNT; t++)
		note((enum log_type)t, LOG_GRANT_ID, crowded(1), 1);
	note(LOG_INTENT, LOG_TERMINAL, crowded(1), 1);
	note(LOG_INTENT, LOG_GRANT_ID, (struct uuid){ { 0 } }, 1);
	assert_int_equal(usage_find(usage, crowded(1)).reads, 0);
	assert_int_equal(usage_find(usage, crowded(1)).last_used.ms, 0);
	assert_int_equal(usage_find(usage, (struct uuid){ { 0 } }).reads, 0);
}

static void
many_grants_that_want_one_place_keep_their_own_counts(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 700; i++)
		for (uint32_t k = 0; k <= i % 3; k++)
			note(LOG_INTENT, LOG_GRANT_ID, crowded(i), i + 1);
	for (uint32_t i = 0; i < 700; i++) {
		assert_int_equal(usage_find(usage, crowded(i)).reads, 1 + i % 3);
		assert_int_equal(usage_find(usage, crowded(i)).last_used.ms, i + 1);
	}
	assert_int_equal(usage_find(usage, crowded(700)).reads, 0);
}

static void
bytes_of_it_say_the_same_and_damaged_ones_are_none(void **state)
{
	uint8_t buf[200 * 40];
	struct wire_out o = wire_out(buf, sizeof buf);
	static const uint8_t ordinary = GRANT_ORDINARY;
	struct log_record r = { .type = LOG_GRANT, .subject_kind = LOG_GRANT_ID, .extra = { &ordinary, 1 } };
	struct usage *again = NULL;
	struct wire_in in;

	(void)state;
	for (uint32_t n = 1; n <= 150; n++)
		note(LOG_INTENT, LOG_GRANT_ID, crowded(n), n);
	note(LOG_REVOKE, LOG_GRANT_ID, crowded(7), 200);
	r.subject = crowded(8);
	assert_int_equal(usage_note(usage, &r), OK);
	usage_put(&o, usage);
	assert_false(o.failed);
	assert_int_equal(o.len, usage_len(usage));
	in = wire_in(buf, o.len);
	assert_int_equal(usage_take(&in, &again), OK);
	for (uint32_t n = 0; n <= 151; n++) {
		assert_int_equal(usage_find(again, crowded(n)).reads, usage_find(usage, crowded(n)).reads);
		assert_int_equal(usage_find(again, crowded(n)).last_used.ms, usage_find(usage, crowded(n)).last_used.ms);
		assert_int_equal(usage_find(again, crowded(n)).revoked, n == 7);
		assert_int_equal(usage_find(again, crowded(n)).ordinary, n == 8);
	}
	usage_free(&again);

	in = wire_in(buf, o.len - 1);
	assert_int_equal(usage_take(&in, &again), ERR_INVALID_CONTENT);
	/* A row that stands twice, and one that says more than there is to say. */
	wire_put_bytes(&o, buf, usage_len(usage) / 150);
	in = wire_in(buf, o.len);
	assert_int_equal(usage_take(&in, &again), ERR_INVALID_CONTENT);
	buf[usage_len(usage) / 150 - 1] = 4;
	in = wire_in(buf, usage_len(usage));
	assert_int_equal(usage_take(&in, &again), ERR_INVALID_CONTENT);
	assert_null(again);
}

#define USAGE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		USAGE_TEST(a_grants_intents_are_counted_and_the_last_one_dated),
		USAGE_TEST(a_revoked_grant_stays_so_and_no_other),
		USAGE_TEST(a_disable_revokes_the_grants_that_there_are_and_none_that_comes_later),
		USAGE_TEST(a_disable_is_not_about_ordinary_grants),
		USAGE_TEST(what_a_grant_writes_is_a_use_and_no_read),
		USAGE_TEST(what_was_refused_revokes_nothing),
		USAGE_TEST(nothing_else_is_counted),
		USAGE_TEST(many_grants_that_want_one_place_keep_their_own_counts),
		USAGE_TEST(bytes_of_it_say_the_same_and_damaged_ones_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
