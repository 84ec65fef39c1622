#include "tests/support/check.h"

#include <string.h>

#include "mailbox/words.h"

/* Their numbers lie on disk. */
static void
numbers_never_change(void **state)
{
	(void)state;
	assert_int_equal(KIND_MEMORY, 1);
	assert_int_equal(KIND_CREDENTIAL, 4);
	assert_int_equal(CLASS_ORDINARY, 0);
	assert_int_equal(CLASS_CREDENTIAL, 3);
	assert_int_equal(PART_HEAD, 1);
	assert_int_equal(PART_NAME, 5);
	assert_int_equal(OP_LIST, 1);
	assert_int_equal(OP_DETAILS, 8);
	assert_int_equal(SURFACE_CLI, 1);
	assert_int_equal(SURFACE_OWNER, 4);
}

static void
every_kind_has_a_name_that_leads_back(void **state)
{
	enum kind found;

	(void)state;
	for (unsigned v = 0; v < 300; v++) {
		if (!kind_known(v)) {
			assert_string_equal(kind_name((enum kind)v), "?");
			continue;
		}
		assert_true(kind_of_name(kind_name((enum kind)v), &found));
		assert_int_equal(found, v);
	}
	assert_false(kind_of_name("?", &found));
	assert_false(kind_of_name("", &found));
	assert_false(kind_of_name("Memory", &found));
}

static void
every_operation_and_surface_has_a_name(void **state)
{
	(void)state;
	for (unsigned v = OP_NONE; v < OP__COUNT; v++)
		assert_string_not_equal(op_name((enum op)v), "?");
	for (unsigned v = SURFACE_NONE; v < SURFACE__COUNT; v++)
		assert_string_not_equal(surface_name((enum surface)v), "?");
	assert_string_equal(op_name(OP__COUNT), "?");
	assert_string_equal(surface_name(SURFACE__COUNT), "?");
	assert_false(op_known(OP_NONE));
	assert_true(op_known(OP__COUNT - 1));
	assert_false(op_known(OP__COUNT));
}

static void
only_memories_and_cards_can_be_private(void **state)
{
	(void)state;
	assert_int_equal(class_of(KIND_MEMORY, true), CLASS_PRIVATE);
	assert_int_equal(class_of(KIND_CARD, true), CLASS_PRIVATE);
	assert_int_equal(class_of(KIND_MEMORY, false), CLASS_ORDINARY);
	assert_int_equal(class_of(KIND_CARD, false), CLASS_ORDINARY);
	assert_int_equal(class_of(KIND_FILE, true), CLASS_FILE);
	assert_int_equal(class_of(KIND_CREDENTIAL, true), CLASS_CREDENTIAL);
}

static void
only_writes_and_proposals_make_revisions_and_only_lists_have_rows(void **state)
{
	(void)state;
	for (unsigned op = OP_NONE; op < OP__COUNT; op++) {
		assert_int_equal(op_writes((enum op)op), op == OP_WRITE_ASSET || op == OP_WRITE_NAME || op == OP_PROPOSE);
		assert_int_equal(op_lists((enum op)op), op == OP_LIST || op == OP_LIST_DETAILS || op == OP_HISTORY ||
		    op == OP_VAULT_LIST || op == OP_SEARCH || op == OP_PROPOSAL_LIST ||
		    (op >= OP_PROFILE_READ && op <= OP_PROFILE_CHANGE));
	}
}

static void
every_scope_and_category_has_a_name_that_leads_back(void **state)
{
	enum scope scope;
	enum category category;

	(void)state;
	for (unsigned i = 0; i < SCOPE__COUNT; i++) {
		assert_true(scope_of_name(scope_name((enum scope)i), strlen(scope_name((enum scope)i)), &scope));
		assert_int_equal(scope, i);
	}
	for (unsigned i = 0; i < CATEGORY__COUNT; i++) {
		assert_true(category_of_name(category_name((enum category)i), strlen(category_name((enum category)i)), &category));
		assert_int_equal(category, i);
	}
	assert_false(scope_of_name("profile:read ", 13, &scope));
	assert_false(scope_of_name("profile:rea", 11, &scope));
	assert_false(category_of_name("", 0, &category));
}

static void
a_connection_needs_the_scopes_of_what_it_does_and_the_owner_none(void **state)
{
	(void)state;
	for (unsigned op = 0; op < OP__COUNT; op++) {
		unsigned wanted = op == OP_PROFILE_READ ? 1u << SCOPE_READ
		    : op == OP_PROFILE_SEARCH ? 1u << SCOPE_READ | 1u << SCOPE_SEARCH
		    : op == OP_PROFILE_PROPOSE ? 1u << SCOPE_PROPOSE
		    : op == OP_PROFILE_CORRECT ? 1u << SCOPE_CORRECT : 0;

		assert_int_equal(op_scopes((enum op)op), wanted);
	}
}

static void
a_search_scope_falls_without_the_one_it_goes_with(void **state)
{
	(void)state;
	assert_int_equal(scopes_closed(1u << SCOPE_SEARCH), 0);
	assert_int_equal(scopes_closed(1u << SCOPE_SEARCH | 1u << SCOPE_PROPOSE), 1u << SCOPE_PROPOSE);
	assert_int_equal(scopes_closed(SCOPES_ALL), SCOPES_ALL);
}

static void
only_a_phase_that_serves_is_no_error(void **state)
{
	(void)state;
	assert_int_equal(http_phase_error(HTTP_SERVES), OK);
	assert_int_equal(http_phase_error(HTTP_LOCKED), ERR_LOCKED);
	assert_int_equal(http_phase_error(HTTP_MAINTENANCE), ERR_MAINTENANCE);
	assert_int_equal(http_phase_error(HTTP_OFF), ERR_PROFILE_OFF);
	assert_int_equal(http_phase_error(HTTP_NEVER), ERR_PROFILE_OFF);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_writes_and_proposals_make_revisions_and_only_lists_have_rows),
		cmocka_unit_test(every_scope_and_category_has_a_name_that_leads_back),
		cmocka_unit_test(a_connection_needs_the_scopes_of_what_it_does_and_the_owner_none),
		cmocka_unit_test(a_search_scope_falls_without_the_one_it_goes_with),
		cmocka_unit_test(only_a_phase_that_serves_is_no_error),
		cmocka_unit_test(numbers_never_change),
		cmocka_unit_test(every_kind_has_a_name_that_leads_back),
		cmocka_unit_test(every_operation_and_surface_has_a_name),
		cmocka_unit_test(only_memories_and_cards_can_be_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
