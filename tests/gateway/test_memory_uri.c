#include <string.h>

#include "gateway/memory_uri.h"
#include "tests/support/check.h"

#define VAULT "0192f5a0-0000-7000-8000-000000000001"
#define ASSET "0192f5a0-0000-7000-8000-0000000000aa"

static enum err
read_text(const char *text, struct memory_uri *out)
{
	return memory_uri_read((struct span){ (const uint8_t *)text, strlen(text) }, out);
}

static void
a_uri_comes_back_as_it_was(void **state)
{
	char cursor[MCP_CURSOR_TEXT_MAX + 1], text[MEMORY_URI_MAX + 1];
	struct memory_uri uri = { .continues = true };

	(void)state;
	assert_int_equal(read_text("memory://" VAULT "/" ASSET, &uri), OK);
	assert_int_equal(uri.vault.b[15], 0x01);
	assert_int_equal(uri.asset.b[15], 0xaa);
	assert_false(uri.continues);
	memory_uri_write(uri.vault, uri.asset, "", text);
	assert_string_equal(text, "memory://" VAULT "/" ASSET);
	memset(cursor, 'x', MCP_CURSOR_TEXT_MAX);
	cursor[MCP_CURSOR_TEXT_MAX] = '\0';
	memory_uri_write(uri.vault, uri.asset, cursor, text);
	assert_int_equal(strlen(text), MEMORY_URI_MAX);
	assert_int_equal(read_text(text, &uri), OK);
	assert_true(uri.continues);
	assert_int_equal(uri.cursor.len, MCP_CURSOR_TEXT_MAX);
	assert_memory_equal(uri.cursor.p, cursor, MCP_CURSOR_TEXT_MAX);
}

static void
anything_else_is_none(void **state)
{
	static const char *const bad[] = {
		"", "memory:", "memory://", "memory:///", "memory://" VAULT, "memory://" VAULT "/", "memory://" VAULT ASSET,
		"memory://" VAULT "/" ASSET "/", "memory://" VAULT "/" ASSET "#x", "memory://" VAULT "/" ASSET "?",
		"memory://" VAULT "/" ASSET "?cursor", "memory://" VAULT "/" ASSET "?offset=1",
		"memory://" VAULT "/../" ASSET, "memory:// " VAULT "/" ASSET, "http://" VAULT "/" ASSET,
		"memory://%30192f5a0-0000-7000-8000-000000000001/" ASSET, "secret://" VAULT "/" ASSET,
	};
	struct memory_uri uri = { .cursor = { NULL, 7 } };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(read_text(bad[i], &uri), ERR_NOT_FOUND);
	assert_int_equal(uri.cursor.len, 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_uri_comes_back_as_it_was),
		cmocka_unit_test(anything_else_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
