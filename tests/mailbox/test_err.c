#include "tests/support/check.h"

#include <ctype.h>
#include <string.h>

#include "mailbox/err.h"

static void
every_code_is_one_word_of_its_own(void **state)
{
	(void)state;
	for (int e = OK; e < ERR__COUNT; e++) {
		const char *code = err_code((enum err)e);

		assert_true(strlen(code) > 0);
		for (const char *c = code; *c != '\0'; c++)
			assert_true(islower((unsigned char)*c) || *c == '_');
		for (int other = OK; other < e; other++)
			assert_string_not_equal(code, err_code((enum err)other));
	}
}

static void
every_error_says_what_and_what_to_do_and_fails_its_command(void **state)
{
	(void)state;
	for (int e = OK + 1; e < ERR__COUNT; e++) {
		const char *text = err_text((enum err)e);

		assert_true(strlen(text) > 0);
		assert_true(text[strlen(text) - 1] != '.');
		assert_true(strlen(err_remedy((enum err)e)) > 0);
		assert_in_range(err_exit((enum err)e), 1, 125);
	}
	assert_int_equal(err_exit(OK), 0);
}

static void
a_value_out_of_range_is_a_fault_of_ours(void **state)
{
	(void)state;
	assert_string_equal(err_code(ERR__COUNT), err_code(ERR_INTERNAL));
	assert_string_equal(err_code((enum err)-1), err_code(ERR_INTERNAL));
	assert_int_equal(err_exit((enum err)60000), err_exit(ERR_INTERNAL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_is_one_word_of_its_own),
		cmocka_unit_test(every_error_says_what_and_what_to_do_and_fails_its_command),
		cmocka_unit_test(a_value_out_of_range_is_a_fault_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
