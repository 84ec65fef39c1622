/* Only two file systems need no name. */
#include <string.h>

#include "store/file_system.h"
#include "tests/support/check.h"

static void
what_is_no_disk_is_named(void **state)
{
	(void)state;
	assert_string_equal(file_system_unpromised("/proc"), "another file system");
	assert_string_equal(file_system_unpromised("/nonexistent"), "another file system");
	if (strcmp(file_system_unpromised("/dev/shm"), "another file system") != 0)
		assert_string_equal(file_system_unpromised("/dev/shm"), "tmpfs");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_disk_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
