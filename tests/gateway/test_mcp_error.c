#include <string.h>

#include "gateway/mcp_error.h"
#include "tests/support/check.h"

/* The code table of the protocol's digest, as far as tools and resources go; 0: cannot happen. */
static const struct {
	enum mcp_error kind;
	int            legacy, modern;
} rows[] = {
	{ MCP_NOT_JSON, -32700, -32700 },
	{ MCP_OVER_LIMITS, -32600, -32600 },
	{ MCP_NOT_A_REQUEST, -32600, -32600 },
	{ MCP_BATCH_REFUSED, -32600, -32600 },
	{ MCP_UNKNOWN_METHOD, -32601, -32601 },
	{ MCP_NOT_INITIALIZED, -32602, 0 },
	{ MCP_ENVELOPE_MISSING, -32602, -32602 },
	{ MCP_HEADER_MISMATCH, -32020, -32020 },
	{ MCP_VERSION_UNSUPPORTED, -32600, -32022 },
	{ MCP_BAD_PARAMS, -32602, -32602 },
	{ MCP_BAD_CURSOR, -32602, -32602 },
	{ MCP_UNKNOWN_TOOL, -32602, -32602 },
	{ MCP_UNKNOWN_RESOURCE, -32002, -32602 },
	{ MCP_REFUSED, -31000, -31000 },
	{ MCP_OUR_FAULT, -32603, -32603 },
};

static void
each_kind_has_its_code_in_each_era(void **state)
{
	(void)state;
	assert_int_equal(sizeof rows / sizeof *rows, MCP_ERROR__COUNT - 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (enum mcp_revision r = MCP_REVISION_NONE; r <= MCP_NEWEST_LEGACY; r++)
			assert_int_equal(mcp_error_code(rows[i].kind, r), rows[i].legacy);
		assert_int_equal(mcp_error_code(rows[i].kind, MCP_2026_07_28), rows[i].modern);
	}
}

static void
no_code_is_in_the_band_that_history_has_used(void **state)
{
	(void)state;
	for (enum mcp_error kind = MCP_OK + 1; kind < MCP_ERROR__COUNT; kind++) {
		int code = mcp_error_code(kind, MCP_2026_07_28);

		assert_false(code <= -32000 && code >= -32019);
	}
}

static bool
holds(const struct json_writer *w, const char *text)
{
	return memmem(w->p, w->len, text, strlen(text)) != NULL;
}

static void
each_kind_carries_its_own_data_or_none(void **state)
{
	struct json_writer w = { 0 };
	struct mcp_refusal refusal = {
		.revision = MCP_2026_07_28,
		.id = { (const uint8_t *)"5", 1 },
		.requested = { (const uint8_t *)"a\"b", 3 },
		.uri = { (const uint8_t *)"u:\"", 3 },
		.why = ERR_LOCKED,
	};

	(void)state;
	for (enum mcp_error kind = MCP_OK + 1; kind < MCP_ERROR__COUNT; kind++) {
		refusal.kind = kind;
		json_write_clear(&w);
		mcp_error_write(&w, &refusal);
		assert_memory_equal(w.p, "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":", 39);
		assert_int_equal(holds(&w, "\"data\":{\"supported\":["), kind == MCP_VERSION_UNSUPPORTED);
		assert_int_equal(holds(&w, "\"data\":{\"uri\":\"u:\\\"\"}}}"), kind == MCP_UNKNOWN_RESOURCE);
		assert_int_equal(holds(&w, "\"data\":{\"code\":\"locked\"}}}"), kind == MCP_REFUSED);
		assert_int_equal(holds(&w, "\"requested\":\"a\\\"b\"}"), kind == MCP_VERSION_UNSUPPORTED);
	}
	json_write_free(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_code_in_each_era),
		cmocka_unit_test(no_code_is_in_the_band_that_history_has_used),
		cmocka_unit_test(each_kind_carries_its_own_data_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
