#include <string.h>
#include <sys/resource.h>

#include "escrow/password.h"
#include "tests/support/check.h"
#include "tests/support/temp_dir.h"

static const char salt[] = "0123456789abcdef";

static struct password_terms
terms_of(uint32_t passes, uint32_t memory_kib)
{
	struct password_terms t = { .passes = passes, .memory_kib = memory_kib };

	memcpy(t.salt, salt, sizeof t.salt);
	return t;
}

static enum err
derive_from(const char *password, struct password_terms terms, struct key *out)
{
	struct secret *s = NULL;
	enum err e;

	assert_int_equal(secret_new(strlen(password) + 1, &s), OK);
	memcpy(secret_bytes(s), password, strlen(password));
	secret_cut(s, strlen(password));
	e = password_kek(s, &terms, out);
	secret_free(&s);
	return e;
}

static void
expect_hex(const struct key *k, const char *hex)
{
	static const char digits[] = "0123456789abcdef";

	assert_int_equal(strlen(hex), 2 * KEY_LEN);
	for (size_t i = 0; i < KEY_LEN; i++) {
		assert_int_equal(digits[k->b[i] >> 4], hex[2 * i]);
		assert_int_equal(digits[k->b[i] & 15], hex[2 * i + 1]);
	}
}

/* The expected values are those of the reference implementation's command, `argon2 -id -v 13 -p 1`. */
static void
the_key_is_argon2ids(void **state)
{
	struct key k = { { 0 } };

	(void)state;
	assert_int_equal(derive_from("correct horse", terms_of(1, 8192), &k), OK);
	expect_hex(&k, "eb8cf0e32ea118d4865b51d32836a373be04224269089f805015c3b29cab1445");
	assert_int_equal(derive_from("correct horse", terms_of(3, 8192), &k), OK);
	expect_hex(&k, "4b84dd36c8ff6962388661996da44d28f5cc65d7909686980aabbb6fd01ed7f3");
}

static void
the_default_terms_give_the_reference_key_too(void **state)
{
	struct key k = { { 0 } };
	struct password_terms t = terms_of(PASSWORD_PASSES_DEFAULT, PASSWORD_MEMORY_KIB_DEFAULT);

	(void)state;
	assert_int_equal(derive_from("p\xc3\xa4ss", t, &k), OK);
	expect_hex(&k, "f9dae0105e0fc384c5b6ee396962df9bfeda0ff0e3d37496c2ea69858bfa07b1");
}

static void
password_and_salt_and_terms_all_matter(void **state)
{
	struct password_terms other_salt = terms_of(1, 8192);
	struct key keys[5];

	(void)state;
	memset(keys, 0, sizeof keys);
	other_salt.salt[15] ^= 1;
	assert_int_equal(derive_from("one", terms_of(1, 8192), &keys[0]), OK);
	assert_int_equal(derive_from("two", terms_of(1, 8192), &keys[1]), OK);
	assert_int_equal(derive_from("one", other_salt, &keys[2]), OK);
	assert_int_equal(derive_from("one", terms_of(2, 8192), &keys[3]), OK);
	assert_int_equal(derive_from("", terms_of(1, 8193), &keys[4]), OK);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(keys[i].b, keys[j].b, KEY_LEN);
}

static void
terms_out_of_bounds_are_refused_at_once(void **state)
{
	static const struct {
		uint32_t passes, memory_kib;
	} bad[] = {
		{ 0, 8192 }, { 11, 8192 }, { UINT32_MAX, 8192 }, { 1, 0 }, { 1, 8191 },
		{ 1, 2097153 }, { 1, UINT32_MAX },
	};
	struct key k = { { 0 } }, zero = { { 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(derive_from("x", terms_of(bad[i].passes, bad[i].memory_kib), &k),
		    ERR_INVALID_ARGUMENT);
	assert_memory_equal(k.b, zero.b, sizeof k.b);
}

static int
derive_in_little_memory(void *argument)
{
	struct rlimit limit = { 64 << 20, 64 << 20 };
	struct key k = { { 0 } };

	(void)argument;
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		return 125;
	return (int)derive_from("x", terms_of(1, PASSWORD_MEMORY_KIB_DEFAULT), &k);
}

static void
memory_that_cannot_be_had_is_told(void **state)
{
	(void)state;
#ifdef MEMORIES_SANITIZED
	skip(); /* sanitizers need more address space than the limit */
#endif
	assert_int_equal(run_in_child(derive_in_little_memory, NULL, false), ERR_NO_MEMORY);
}

static int
ready(void **state)
{
	(void)state;
	return secret_init(true) != OK;
}

static struct secret *
secret_of(const char *text)
{
	struct secret *s = NULL;

	assert_int_equal(secret_new(strlen(text), &s), OK);
	memcpy(secret_bytes(s), text, strlen(text));
	return s;
}

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static void
a_verifier_knows_its_password_and_no_other(void **state)
{
	struct secret *right = secret_of("correct horse 电池"), *wrong = secret_of("correct horse 电汽");
	char strong[PASSWORD_VERIFIER_MAX], weak[PASSWORD_VERIFIER_MAX], again[PASSWORD_VERIFIER_MAX];

	(void)state;
	assert_int_equal(password_verifier(right, false, strong), OK);
	assert_int_equal(password_verifier(right, true, weak), OK);
	assert_int_equal(password_verifier(right, true, again), OK);
	assert_string_not_equal(weak, again);
	assert_memory_equal(strong, "$argon2id$v=19$m=65536,t=2,p=1$", 31);
	assert_memory_equal(weak, "$argon2id$v=19$m=8192,t=1,p=1$", 30);
	assert_int_equal(password_verify(right, span_of(strong)), OK);
	assert_int_equal(password_verify(right, span_of(weak)), OK);
	assert_int_equal(password_verify(wrong, span_of(weak)), ERR_WRONG_PASSWORD);
	assert_true(password_verifier_good(span_of(strong)) && password_verifier_good(span_of(weak)));
	secret_free(&right);
	secret_free(&wrong);
}

static void
what_is_no_verifier_costs_nothing(void **state)
{
	static const char *const none[] = {
		"", "x", "$argon2id$v=19$m=65536,t=2,p=1$", "$argon2i$v=19$m=8192,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
		"$argon2id$v=19$m=4194304,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8192,t=99,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	};
	struct secret *s = secret_of("correct horse");

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_false(password_verifier_good(span_of(none[i])));
		assert_int_equal(password_verify(s, span_of(none[i])), ERR_INVALID_CONTENT);
	}
	secret_free(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_key_is_argon2ids),
		cmocka_unit_test(the_default_terms_give_the_reference_key_too),
		cmocka_unit_test(password_and_salt_and_terms_all_matter),
		cmocka_unit_test(terms_out_of_bounds_are_refused_at_once),
		cmocka_unit_test(memory_that_cannot_be_had_is_told),
		cmocka_unit_test(a_verifier_knows_its_password_and_no_other),
		cmocka_unit_test(what_is_no_verifier_costs_nothing),
	};

	return cmocka_run_group_tests(tests, ready, NULL) != 0;
}
