#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "actors/http_login.h"
#include "escrow/password.h"
#include "gateway/span.h"
#include "tests/support/check.h"

static char verifier[PASSWORD_VERIFIER_MAX];
static atomic_uint n_woken;

static void
count(void *arg)
{
	(void)arg;
	n_woken++;
}

static struct secret *
secret_of(const char *text)
{
	struct secret *s;

	assert_int_equal(secret_new(strlen(text), &s), OK);
	memcpy(secret_bytes(s), text, strlen(text));
	return s;
}

static enum err
result_of(struct http_login *l, void *what)
{
	void *said = NULL;
	enum err result = OK;

	for (unsigned i = 0; i < 10000 && !http_login_result(l, &said, &result); i++)
		usleep(1000);
	assert_ptr_equal(said, what);
	return result;
}

static unsigned n_dropped;

static void
drop(void *what)
{
	assert_non_null(what);
	n_dropped++;
}

static void
passwords_are_tried_in_their_order(void **state)
{
	struct http_login *l;
	int a, b;

	(void)state;
	assert_int_equal(http_login_new(count, NULL, &l), OK);
	assert_int_equal(http_login_try(l, secret_of("right"), span_of(verifier), &a), OK);
	assert_int_equal(http_login_try(l, secret_of("wrong"), span_of(verifier), &b), OK);
	assert_int_equal(result_of(l, &a), OK);
	assert_int_equal(result_of(l, &b), ERR_WRONG_PASSWORD);
	assert_true(n_woken >= 1);
	assert_int_equal(http_login_try(l, secret_of("right"), span_of("$argon2id$v=19$m=999999999,t=2,p=1$x$y"), &a), OK);
	assert_int_equal(result_of(l, &a), ERR_INVALID_CONTENT);
	http_login_free(&l, drop);
	assert_null(l);
	assert_int_equal(n_dropped, 0);
}

static void
few_wait(void **state)
{
	struct http_login *l;
	struct secret *s;
	int what;

	(void)state;
	assert_int_equal(http_login_new(NULL, NULL, &l), OK);
	/* Results that nobody takes count as well, so this cannot depend on how fast they are made. */
	for (unsigned i = 0; i < HTTP_LOGIN_QUEUE; i++)
		assert_int_equal(http_login_try(l, secret_of("wrong"), span_of(verifier), &what), OK);
	s = secret_of("right");
	assert_int_equal(http_login_try(l, s, span_of(verifier), &what), ERR_BUSY);
	secret_free(&s);
	n_dropped = 0;
	http_login_free(&l, drop);
	assert_int_equal(n_dropped, HTTP_LOGIN_QUEUE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passwords_are_tried_in_their_order),
		cmocka_unit_test(few_wait),
	};
	struct secret *right;

	if (secret_init(true) != OK)
		return 1;
	right = secret_of("right");
	if (password_verifier(right, true, verifier) != OK)
		return 1;
	secret_free(&right);
	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
