#include <pthread.h>
#include <string.h>

#include "escrow/secret.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"
#include "tests/support/temp_dir.h"

/* The program's own wiping function, so that a wipe of memory that is freed next can be seen. */
void sodium_memzero(void *const p, const size_t len);

static struct {
	const void *p;
	size_t      len;
} wiped;

void
sodium_memzero(void *const p, const size_t len)
{
	volatile uint8_t *b = p;

	for (size_t i = 0; i < len; i++)
		b[i] = 0;
	wiped.p = p;
	wiped.len = len;
}

static bool
is_zero(const void *p, size_t len)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < len; i++)
		if (b[i] != 0)
			return false;
	return true;
}

static void
a_freed_key_leaves_a_zero_slot_and_a_null_pointer(void **state)
{
	struct key *k = NULL;
	const struct key *slot;

	(void)state;
	assert_int_equal(key_new(&k), OK);
	assert_true(is_zero(k, sizeof *k));
	memset(k->b, 0x5a, sizeof k->b);
	slot = k;
	key_free(&k);
	assert_null(k);
	assert_true(is_zero(slot, sizeof *slot));
	key_free(&k);
}

static void
a_key_of_bytes_holds_them_and_zeros(void **state)
{
	uint8_t bytes[KEY_LEN];
	struct key *k = NULL;

	(void)state;
	memset(bytes, 7, sizeof bytes);
	assert_int_equal(key_of(bytes, &k), OK);
	assert_memory_equal(k->b, bytes, sizeof bytes);
	assert_true(is_zero(k->b + KEY_LEN, KEY_LEN));
	key_free(&k);
}

static void
a_full_slab_says_so_and_serves_again_after_a_free(void **state)
{
	static struct key *keys[4096];
	struct key *untouched = (struct key *)keys, *more = untouched;
	size_t n = 0;

	(void)state;
	while (n < 4096 && key_new(&keys[n]) == OK)
		n++;
	assert_in_range(n, 256, 4095);
	for (size_t i = 0; i < n; i++)
		memset(keys[i]->b, (int)(i % 251), sizeof keys[i]->b);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(keys[i]->b[2 * KEY_LEN - 1], i % 251);
	assert_int_equal(key_new(&more), ERR_NO_MEMORY);
	assert_ptr_equal(more, untouched);
	key_free(&keys[n / 2]);
	assert_int_equal(key_new(&keys[n / 2]), OK);
	assert_true(is_zero(keys[n / 2], sizeof **keys));
	for (size_t i = 0; i < n; i++)
		key_free(&keys[i]);
	assert_int_equal(keys_left(), n);
}

static void *
take_and_give(void *arg)
{
	size_t *mixed_up = arg;
	struct key *k;

	for (int i = 0; i < 2000; i++) {
		uint8_t mine = (uint8_t)(1 + i % 255);

		if (key_new(&k) != OK || !is_zero(k, sizeof *k))
			++*mixed_up;
		memset(k->b, mine, sizeof k->b);
		if (k->b[0] != mine || k->b[2 * KEY_LEN - 1] != mine)
			++*mixed_up;
		key_free(&k);
	}
	return NULL;
}

static void
threads_never_share_a_slot(void **state)
{
	pthread_t threads[3];
	size_t mixed_up[3] = { 0 }, left = keys_left();

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &mixed_up[i]), 0);
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(mixed_up[i], 0);
	assert_int_equal(keys_left(), left);
}

static int
key_is_gone(void *arg)
{
	return is_zero(arg, sizeof(struct key)) ? 0 : 1;
}

static void
a_forked_child_finds_no_key(void **state)
{
	struct key *k = NULL;

	(void)state;
	assert_int_equal(key_new(&k), OK);
	memset(k->b, 0x77, sizeof k->b);
	assert_int_equal(run_in_child(key_is_gone, k, false), 0);
	assert_int_equal(k->b[0], 0x77);
	key_free(&k);
}

static void
a_secret_is_wiped_whole_even_after_a_cut(void **state)
{
	struct secret *s = NULL;
	const void *bytes;

	(void)state;
	assert_int_equal(secret_new(1000, &s), OK);
	assert_true(is_zero(secret_view(s), 1000));
	memset(secret_bytes(s), 0x33, 1000);
	secret_cut(s, 10);
	assert_int_equal(secret_len(s), 10);
	assert_int_equal(secret_span(s).len, 10);
	assert_true(is_zero(secret_view(s) + 10, 990));
	assert_int_equal(secret_view(s)[9], 0x33);
	bytes = secret_view(s);
	secret_free(&s);
	assert_null(s);
	assert_ptr_equal(wiped.p, bytes);
	assert_int_equal(wiped.len, 1000);
	secret_free(&s);
}

static void
a_secret_of_nothing_is_one_and_one_too_long_is_none(void **state)
{
	struct secret *s = NULL;

	(void)state;
	assert_int_equal(secret_new(0, &s), OK);
	assert_int_equal(secret_len(s), 0);
	secret_free(&s);
	assert_int_equal(secret_new(((size_t)16 << 20) + 1, &s), ERR_NO_MEMORY);
	assert_null(s);
}

static void
bytes_are_compared_in_full(void **state)
{
	uint8_t a[40], b[40];

	(void)state;
	memset(a, 1, sizeof a);
	for (size_t i = 0; i < sizeof a; i++) {
		memcpy(b, a, sizeof a);
		assert_true(same_bytes(a, b, sizeof a));
		b[i] ^= 0x80;
		assert_false(same_bytes(a, b, sizeof a));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_freed_key_leaves_a_zero_slot_and_a_null_pointer),
		cmocka_unit_test(a_key_of_bytes_holds_them_and_zeros),
		cmocka_unit_test(a_full_slab_says_so_and_serves_again_after_a_free),
		cmocka_unit_test(threads_never_share_a_slot),
		cmocka_unit_test(a_forked_child_finds_no_key),
		cmocka_unit_test(a_secret_is_wiped_whole_even_after_a_cut),
		cmocka_unit_test(a_secret_of_nothing_is_one_and_one_too_long_is_none),
		cmocka_unit_test(bytes_are_compared_in_full),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
