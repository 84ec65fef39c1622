#include <string.h>

#include "actors/sudo.h"
#include "tests/support/check.h"

static const struct peer_body here = { .uid = 1000, .pid = 50, .session = 40, .terminal = 0x8801, .leader_start = 777 };
static const struct mono_ms start = { 1000 };

static void
a_ticket_lasts_five_minutes_and_no_longer(void **state)
{
	struct sudo s = { .tickets = { { .until = { 0 } } } };

	(void)state;
	assert_false(sudo_has(&s, &here, start));
	assert_int_equal(sudo_give(&s, &here, start), OK);
	assert_true(sudo_has(&s, &here, start));
	assert_true(sudo_has(&s, &here, (struct mono_ms){ start.ms + SUDO_MS - 1 }));
	assert_false(sudo_has(&s, &here, (struct mono_ms){ start.ms + SUDO_MS }));
}

static void
only_the_same_terminal_has_it_and_any_program_in_it(void **state)
{
	struct sudo s = { .tickets = { { .until = { 0 } } } };
	struct peer_body other[4] = { here, here, here, here }, sibling = here;

	(void)state;
	other[0].uid++;
	other[1].session++;
	other[2].terminal++;
	other[3].leader_start++;
	sibling.pid++;
	assert_int_equal(sudo_give(&s, &here, start), OK);
	for (size_t i = 0; i < 4; i++)
		assert_false(sudo_has(&s, &other[i], start));
	assert_true(sudo_has(&s, &sibling, start));
}

static void
a_peer_without_a_terminal_or_session_gets_none(void **state)
{
	struct sudo s = { .tickets = { { .until = { 0 } } } };
	struct peer_body no_terminal = here, no_session = here, nobody = { 0 };

	(void)state;
	no_terminal.terminal = 0;
	no_session.session = 0;
	assert_int_equal(sudo_give(&s, &no_terminal, start), ERR_TERMINAL_REQUIRED);
	assert_int_equal(sudo_give(&s, &no_session, start), ERR_TERMINAL_REQUIRED);
	assert_false(sudo_has(&s, &no_terminal, start));
	assert_false(sudo_has(&s, &no_session, start));
	assert_false(sudo_has(&s, &nobody, start));
}

static void
ending_ends_this_terminals_and_ending_all_every_ones(void **state)
{
	struct sudo s = { .tickets = { { .until = { 0 } } } };
	struct peer_body there = here;

	(void)state;
	there.session++;
	assert_int_equal(sudo_give(&s, &here, start), OK);
	assert_int_equal(sudo_give(&s, &there, start), OK);
	sudo_end(&s, &here);
	assert_false(sudo_has(&s, &here, start));
	assert_true(sudo_has(&s, &there, start));
	sudo_end_all(&s);
	assert_false(sudo_has(&s, &there, start));
}

static void
one_terminal_never_takes_two_places_and_the_oldest_gives_way(void **state)
{
	struct sudo s = { .tickets = { { .until = { 0 } } } };
	struct peer_body p = here;

	(void)state;
	for (uint32_t i = 0; i < SUDO_TICKETS_MAX; i++) {
		p.session = i + 1;
		assert_int_equal(sudo_give(&s, &p, (struct mono_ms){ start.ms + i }), OK);
		assert_int_equal(sudo_give(&s, &p, (struct mono_ms){ start.ms + i }), OK);
	}
	p.session = SUDO_TICKETS_MAX + 1;
	assert_int_equal(sudo_give(&s, &p, (struct mono_ms){ start.ms + 100 }), OK);
	for (uint32_t i = 1; i <= SUDO_TICKETS_MAX + 1; i++) {
		p.session = i;
		assert_int_equal(sudo_has(&s, &p, (struct mono_ms){ start.ms + 100 }), i != 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ticket_lasts_five_minutes_and_no_longer),
		cmocka_unit_test(only_the_same_terminal_has_it_and_any_program_in_it),
		cmocka_unit_test(a_peer_without_a_terminal_or_session_gets_none),
		cmocka_unit_test(ending_ends_this_terminals_and_ending_all_every_ones),
		cmocka_unit_test(one_terminal_never_takes_two_places_and_the_oldest_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
