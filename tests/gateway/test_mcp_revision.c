#include <string.h>

#include "gateway/mcp_revision.h"
#include "tests/support/check.h"

static enum mcp_revision
of(const char *name)
{
	return mcp_revision_of((struct span){ (const uint8_t *)name, strlen(name) });
}

static void
every_revision_has_its_name_and_they_rise(void **state)
{
	(void)state;
	for (enum mcp_revision r = MCP_2024_11_05; r < MCP_REVISION__COUNT; r++) {
		assert_int_equal(of(mcp_revision_name(r)), r);
		if (r > MCP_2024_11_05)
			assert_true(strcmp(mcp_revision_name(r - 1), mcp_revision_name(r)) < 0);
	}
	assert_int_equal(of(""), MCP_REVISION_NONE);
	assert_int_equal(of("2025-11-2"), MCP_REVISION_NONE);
	assert_int_equal(of("2025-11-255"), MCP_REVISION_NONE);
	assert_int_equal(of("?"), MCP_REVISION_NONE);
}

static void
each_revision_knows_what_its_text_says(void **state)
{
	(void)state;
	assert_false(mcp_revision_annotates(MCP_2024_11_05));
	assert_true(mcp_revision_annotates(MCP_2025_03_26));
	assert_false(mcp_revision_structures(MCP_2025_03_26));
	assert_true(mcp_revision_structures(MCP_2025_06_18));
	assert_false(mcp_revision_is_modern(MCP_2025_11_25));
	assert_true(mcp_revision_is_modern(MCP_2026_07_28));
	for (enum mcp_revision r = MCP_REVISION_NONE; r < MCP_REVISION__COUNT; r++)
		assert_int_equal(mcp_revision_batches(r), r == MCP_2025_03_26);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_revision_has_its_name_and_they_rise),
		cmocka_unit_test(each_revision_knows_what_its_text_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
