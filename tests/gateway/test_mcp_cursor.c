#include <string.h>

#include "gateway/mcp_cursor.h"
#include "tests/support/check.h"

static const struct mcp_cursor somewhere = {
	.id = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } }, .offset = UINT64_MAX, .part = 7,
};

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static struct key *
key_of_byte(uint8_t b)
{
	uint8_t bytes[KEY_LEN];
	struct key *key = NULL;

	memset(bytes, b, sizeof bytes);
	assert_int_equal(key_of(bytes, &key), OK);
	return key;
}

static void
a_cursor_comes_back_as_it_was(void **state)
{
	struct key *key = key_of_byte(1);
	char text[MCP_CURSOR_TEXT_MAX + 1];
	struct mcp_cursor found;

	(void)state;
	mcp_cursor_write(key, span_of("list"), &somewhere, text);
	assert_int_equal(strlen(text), MCP_CURSOR_TEXT_MAX);
	assert_int_equal(mcp_cursor_read(key, span_of("list"), span_of(text), &found), OK);
	assert_memory_equal(&found.id, &somewhere.id, sizeof found.id);
	assert_true(found.offset == somewhere.offset && found.part == 7);
	key_free(&key);
}

static void
a_cursor_of_another_key_or_context_is_refused(void **state)
{
	struct key *key = key_of_byte(1), *other = key_of_byte(2);
	char text[MCP_CURSOR_TEXT_MAX + 1];
	struct mcp_cursor found;

	(void)state;
	mcp_cursor_write(key, span_of("list"), &somewhere, text);
	assert_int_equal(mcp_cursor_read(other, span_of("list"), span_of(text), &found), ERR_INVALID_ARGUMENT);
	assert_int_equal(mcp_cursor_read(key, span_of("read"), span_of(text), &found), ERR_INVALID_ARGUMENT);
	assert_int_equal(mcp_cursor_read(key, span_of(""), span_of(text), &found), ERR_INVALID_ARGUMENT);
	key_free(&key);
	key_free(&other);
}

static void
a_cursor_with_any_character_changed_is_refused(void **state)
{
	struct key *key = key_of_byte(1);
	char text[MCP_CURSOR_TEXT_MAX + 1], bad[MCP_CURSOR_TEXT_MAX + 2];
	struct mcp_cursor found;

	(void)state;
	mcp_cursor_write(key, span_of("list"), &somewhere, text);
	for (size_t i = 0; i < MCP_CURSOR_TEXT_MAX; i++) {
		memcpy(bad, text, sizeof text);
		bad[i] = bad[i] == 'A' ? 'B' : 'A';
		assert_int_equal(mcp_cursor_read(key, span_of("list"), span_of(bad), &found), ERR_INVALID_ARGUMENT);
	}
	for (size_t len = 0; len < MCP_CURSOR_TEXT_MAX; len++)
		assert_int_equal(mcp_cursor_read(key, span_of("list"), (struct span){ (const uint8_t *)text, len }, &found),
		    ERR_INVALID_ARGUMENT);
	memcpy(bad, text, MCP_CURSOR_TEXT_MAX);
	memcpy(bad + MCP_CURSOR_TEXT_MAX, "A", 2);
	assert_int_equal(mcp_cursor_read(key, span_of("list"), span_of(bad), &found), ERR_INVALID_ARGUMENT);
	key_free(&key);
}

static int
ready(void **state)
{
	(void)state;
	return secret_init(true) != OK;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cursor_comes_back_as_it_was),
		cmocka_unit_test(a_cursor_of_another_key_or_context_is_refused),
		cmocka_unit_test(a_cursor_with_any_character_changed_is_refused),
	};

	return cmocka_run_group_tests(tests, ready, NULL) != 0;
}
