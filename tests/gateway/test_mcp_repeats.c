/* What is blocked when it has failed three times in a row, and what sets it free. */
#include "gateway/mcp_repeats.h"
#include "tests/support/check.h"

static const struct uuid us = { { 1 } }, them = { { 2 } };
static const struct profile_ask page = { .tool = READ_USER_CONTEXT_PAGE, .same = { 7 } };
static const struct profile_ask other_page = { .tool = READ_USER_CONTEXT_PAGE, .same = { 8 } };
static const struct profile_ask proposal = { .tool = PROPOSE_MEMORY, .same = { 7 } };

static int
set_up(void **state)
{
	return mcp_repeats_new((struct mcp_repeats **)state) == OK ? 0 : -1;
}

static int
tear_down(void **state)
{
	mcp_repeats_free((struct mcp_repeats **)state);
	return 0;
}

static void
fails(struct mcp_repeats *r, const struct profile_ask *ask, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		assert_false(mcp_repeats_blocked(r, us, ask));
		mcp_repeats_note(r, us, ask, ERR_CONFLICT);
	}
}

static void
three_failures_in_a_row_block_the_fourth(void **state)
{
	fails(*state, &page, 3);
	assert_true(mcp_repeats_blocked(*state, us, &page));
	assert_true(mcp_repeats_blocked(*state, us, &page));
	assert_false(mcp_repeats_blocked(*state, us, &other_page));
	assert_false(mcp_repeats_blocked(*state, us, &proposal));
	assert_false(mcp_repeats_blocked(*state, them, &page));
}

static void
other_arguments_set_it_free_and_other_tools_do_not(void **state)
{
	fails(*state, &page, 2);
	fails(*state, &proposal, 1);
	mcp_repeats_note(*state, us, &proposal, OK);
	fails(*state, &page, 1);
	assert_true(mcp_repeats_blocked(*state, us, &page));
	mcp_repeats_note(*state, us, &other_page, ERR_TIMEOUT);
	fails(*state, &page, 3);
	assert_true(mcp_repeats_blocked(*state, us, &page));
	mcp_repeats_forget(*state, us);
	assert_false(mcp_repeats_blocked(*state, us, &page));
}

static void
a_success_ends_the_row_and_faults_of_ours_are_not_counted(void **state)
{
	static const enum err ours[] = { ERR_LOCKED, ERR_MAINTENANCE, ERR_TIMEOUT, ERR_BUSY, ERR_AUDIT_UNAVAILABLE, ERR_INTERNAL,
		ERR_INVALID_TOKEN, ERR_INSUFFICIENT_SCOPE, ERR_REPEATED_FAILURE };

	fails(*state, &page, 2);
	mcp_repeats_note(*state, us, &page, OK);
	fails(*state, &page, 2);
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		mcp_repeats_note(*state, us, &page, ours[i]);
	assert_false(mcp_repeats_blocked(*state, us, &page));
	fails(*state, &page, 1);
	assert_true(mcp_repeats_blocked(*state, us, &page));
}

static void
the_connection_that_was_quiet_longest_makes_room(void **state)
{
	struct uuid c = { { 9 } };

	fails(*state, &page, 3);
	for (unsigned i = 0; i < MCP_REPEATS_MAX - 1; i++) {
		c.b[14] = (uint8_t)(i >> 8);
		c.b[15] = (uint8_t)i;
		mcp_repeats_note(*state, c, &page, ERR_CONFLICT);
	}
	assert_true(mcp_repeats_blocked(*state, us, &page));
	mcp_repeats_note(*state, them, &page, ERR_CONFLICT);
	assert_false(mcp_repeats_blocked(*state, us, &page));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(three_failures_in_a_row_block_the_fourth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_arguments_set_it_free_and_other_tools_do_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_success_ends_the_row_and_faults_of_ours_are_not_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_connection_that_was_quiet_longest_makes_room, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
