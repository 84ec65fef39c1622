/* What the profile may be asked, form by form, and everything beside the forms. */
#include <stdio.h>
#include <string.h>

#include "escrow/secret.h"
#include "gateway/profile_request.h"
#include "tests/support/check.h"

#define ID   "01234567-89ab-7def-8123-456789abcdef"
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static enum err
parse(enum op op, const char *text, struct profile_request *r)
{
	return profile_request_parse(op, (struct span){ (const uint8_t *)text, strlen(text) }, r);
}

static enum err
try(enum op op, const char *text)
{
	struct profile_request r;
	enum err e = parse(op, text, &r);

	profile_request_free(&r);
	return e;
}

struct ask {
	enum op     op;
	const char *text;
};

static const struct ask good[] = {
	{ OP_PROFILE_READ, "{\"do\":\"context\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":0,\"version\":\"" HASH "\"}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"\xe5\x92\x96\xe5\x95\xa1\",\"offset\":10000,\"limit\":10}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\",\"evidence\":\"e\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"update\",\"target_fact_id\":\"" ID "\",\"label\":\"l\",\"value\":\"v\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"archive\",\"target_fact_id\":\"" ID "\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"archive\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\",\"target_fact_id\":\"" ID "\"}" },
	{ OP_PROFILE_LIST, "{\"do\":\"facts\",\"offset\":0,\"limit\":50}" },
	{ OP_PROFILE_LIST, "{\"do\":\"facts\",\"offset\":0,\"limit\":1,\"category\":\"health\",\"archived\":true,\"id\":\"" ID "\"}" },
	{ OP_PROFILE_LIST, "{\"do\":\"proposals\",\"offset\":9,\"limit\":50,\"id\":\"" ID "\"}" },
	{ OP_PROFILE_LIST, "{\"do\":\"labels\",\"refs\":[{\"fact\":\"" ID "\",\"revision\":\"" ID "\"}]}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"fact_add\",\"category\":\"health\",\"label\":\"l\",\"value\":\"v\",\"uncertain\":true}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"fact_edit\",\"id\":\"" ID "\",\"version\":3,\"value\":\"v\",\"evidence\":\"\",\"uncertain\":false}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"fact_archive\",\"id\":\"" ID "\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"share\",\"fact\":\"" ID "\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"unshare\",\"fact\":\"" ID "\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"proposal_confirm\",\"id\":\"" ID "\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"proposal_edit\",\"id\":\"" ID "\",\"value\":\"v\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"proposal_dismiss\",\"id\":\"" ID "\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"passwd\",\"verifier\":\"$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA\"}" },
};

static const struct ask bad[] = {
	{ OP_PROFILE_READ, "" },
	{ OP_PROFILE_READ, "[]" },
	{ OP_PROFILE_READ, "{}" },
	{ OP_PROFILE_READ, "{\"do\":7}" },
	{ OP_PROFILE_READ, "{\"do\":\"all\"}" },
	/* One member too many, one twice, one of another form, one that is null. */
	{ OP_PROFILE_READ, "{\"do\":\"context\",\"x\":1}" },
	{ OP_PROFILE_READ, "{\"do\":\"context\",\"do\":\"context\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"context\",\"offset\":0}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\",\"target_fact_id\":null}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":0}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":-1,\"version\":\"" HASH "\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":0.5,\"version\":\"" HASH "\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":\"0\",\"version\":\"" HASH "\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":0,\"version\":\"0123\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"page\",\"offset\":0,\"version\":\"X123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"\",\"offset\":0,\"limit\":1}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"  \",\"offset\":0,\"limit\":1}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"q\",\"offset\":10001,\"limit\":1}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"q\",\"offset\":0,\"limit\":0}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"q\",\"offset\":0,\"limit\":11}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"q\",\"offset\":0}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"hobby\",\"label\":\"l\",\"value\":\"v\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"merge\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\",\"evidence\":\"a\\nb\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"a\\u0085b\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"a\\u2028b\",\"value\":\"v\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"\\u3000\",\"value\":\"v\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\",\"target_fact_id\":\"" ID "\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"update\",\"target_fact_id\":\"" ID "\",\"label\":\"l\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"update\",\"label\":\"l\",\"value\":\"v\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"archive\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"archive\",\"target_fact_id\":\"1\"}" },
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"archive\",\"target_fact_id\":\"00000000-0000-0000-0000-000000000000\"}" },
	/* The right form of the wrong op. */
	{ OP_PROFILE_CORRECT, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\"}" },
	{ OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"archive\",\"target_fact_id\":\"" ID "\"}" },
	{ OP_PROFILE_SEARCH, "{\"do\":\"context\"}" },
	{ OP_PROFILE_READ, "{\"do\":\"facts\",\"offset\":0,\"limit\":50}" },
	{ OP_PROFILE_READ, "{\"do\":\"share\",\"fact\":\"" ID "\"}" },
	{ OP_PROFILE_LIST, "{\"do\":\"fact_archive\",\"id\":\"" ID "\"}" },
	{ OP_PROFILE_LIST, "{\"do\":\"facts\",\"offset\":0,\"limit\":51}" },
	{ OP_PROFILE_LIST, "{\"do\":\"labels\",\"refs\":[]}" },
	{ OP_PROFILE_LIST, "{\"do\":\"labels\",\"refs\":[1]}" },
	{ OP_PROFILE_LIST, "{\"do\":\"labels\",\"refs\":[{\"fact\":\"" ID "\",\"revision\":\"" ID "\",\"x\":1}]}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\",\"uncertain\":1}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"fact_edit\",\"value\":\"v\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"passwd\",\"verifier\":\"secret\"}" },
	{ OP_PROFILE_CHANGE, "{\"do\":\"passwd\",\"verifier\":\"$argon2i$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA\"}" },
};

static void
every_form_is_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (try(good[i].op, good[i].text) != OK)
			fail_msg("refused: %s", good[i].text);
}

static void
nothing_else_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (try(bad[i].op, bad[i].text) != ERR_INVALID_ARGUMENT)
			fail_msg("taken: %s", bad[i].text);
}

/* Every form under every other op is refused: grants has decided about the op, and about nothing else. */
static void
a_form_belongs_to_one_op(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		for (unsigned op = OP_NONE; op < OP__COUNT; op++)
			assert_int_equal(try((enum op)op, good[i].text), op == good[i].op ? OK : ERR_INVALID_ARGUMENT);
}

static void
lengths_count_characters(void **state)
{
	char text[6000], label[400] = "", value[1300] = "";

	(void)state;
	for (int i = 0; i < 40; i++)
		memcpy(label + 3 * i, "\xe5\x90\x8d", 4);
	for (int i = 0; i < 300; i++)
		memcpy(value + 4 * i, "\xf0\x9f\x98\x80", 5);
	snprintf(text, sizeof text, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"%s\",\"value\":\"%s\",\"evidence\":\"%s\"}", label, value,
	    value);
	assert_int_equal(try(OP_PROFILE_CHANGE, text), OK);
	snprintf(text, sizeof text, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"%sx\",\"value\":\"v\"}", label);
	assert_int_equal(try(OP_PROFILE_CHANGE, text), ERR_INVALID_ARGUMENT);
	snprintf(text, sizeof text, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"%sx\"}", value);
	assert_int_equal(try(OP_PROFILE_CHANGE, text), ERR_INVALID_ARGUMENT);
	snprintf(text, sizeof text, "{\"do\":\"fact_add\",\"category\":\"basic\",\"label\":\"l\",\"value\":\"v\",\"evidence\":\"%sx\"}", value);
	assert_int_equal(try(OP_PROFILE_CHANGE, text), ERR_INVALID_ARGUMENT);
	value[4 * 200] = '\0';
	snprintf(text, sizeof text, "{\"do\":\"search\",\"query\":\"%s\",\"offset\":0,\"limit\":1}", value);
	assert_int_equal(try(OP_PROFILE_SEARCH, text), OK);
	snprintf(text, sizeof text, "{\"do\":\"search\",\"query\":\"%sx\",\"offset\":0,\"limit\":1}", value);
	assert_int_equal(try(OP_PROFILE_SEARCH, text), ERR_INVALID_ARGUMENT);
}

static void
what_was_asked_comes_out(void **state)
{
	struct profile_request r;

	(void)state;
	assert_int_equal(parse(OP_PROFILE_READ, good[1].text, &r), OK);
	assert_int_equal(r.what, PROFILE_PAGE);
	assert_int_equal(r.hash[0], 0x01);
	assert_int_equal(r.hash[31], 0xef);
	profile_request_free(&r);
	assert_int_equal(parse(OP_PROFILE_CHANGE, good[13].text, &r), OK);
	assert_int_equal(r.has, PROFILE_HAS_ID | PROFILE_HAS_VERSION | PROFILE_HAS_VALUE | PROFILE_HAS_EVIDENCE | PROFILE_HAS_UNCERTAIN);
	assert_int_equal(r.version, 3);
	assert_int_equal(r.id.b[0], 0x01);
	assert_int_equal(r.value.len, 1);
	profile_request_free(&r);
}

static void
a_long_one_is_not_looked_at(void **state)
{
	static uint8_t text[PROFILE_REQUEST_MAX + 1];
	struct profile_request r;

	(void)state;
	memset(text, ' ', sizeof text);
	assert_int_equal(profile_request_parse(OP_PROFILE_READ, (struct span){ text, sizeof text }, &r), ERR_TOO_LARGE);
	profile_request_free(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_taken),
		cmocka_unit_test(nothing_else_is),
		cmocka_unit_test(a_form_belongs_to_one_op),
		cmocka_unit_test(lengths_count_characters),
		cmocka_unit_test(what_was_asked_comes_out),
		cmocka_unit_test(a_long_one_is_not_looked_at),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
