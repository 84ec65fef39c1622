#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/random.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* Later than any time of a test before it: ids of one process never go back. */
static uint64_t
fresh_ms(void)
{
	static uint64_t ms = 1764496800000;

	return ms += 1000000;
}

static uint64_t
time_of(struct uuid id)
{
	uint64_t ms = 0;

	for (size_t i = 0; i < 6; i++)
		ms = ms << 8 | id.b[i];
	return ms;
}

static void
an_id_is_version_7_and_begins_with_its_time(void **state)
{
	uint64_t ms = fresh_ms();

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct uuid id = uuid_make((struct wall_ms){ ms + (uint64_t)i });

		assert_int_equal(time_of(id), ms + (uint64_t)i);
		assert_int_equal(id.b[6] >> 4, 7);
		assert_int_equal(id.b[8] >> 6, 2);
	}
}

static void
ids_rise_within_a_millisecond_past_the_counters_end(void **state)
{
	struct wall_ms now = { fresh_ms() };
	struct uuid last = uuid_make(now);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct uuid next = uuid_make(now);

		assert_true(uuid_compare(last, next) < 0);
		last = next;
	}
}

static void
ids_rise_when_the_clock_goes_back(void **state)
{
	uint64_t ms = fresh_ms();
	struct uuid last = uuid_make((struct wall_ms){ ms });

	(void)state;
	for (uint64_t back = 1; back < 100000; back *= 3) {
		struct uuid next = uuid_make((struct wall_ms){ ms - back });

		assert_true(uuid_compare(last, next) < 0);
		last = next;
	}
	assert_true(uuid_compare(last, uuid_make((struct wall_ms){ 0 })) < 0);
}

#define PER_THREAD 3000

static void *
make_many(void *arg)
{
	struct uuid *ids = arg;

	for (size_t i = 0; i < PER_THREAD; i++)
		ids[i] = uuid_make(clock_wall());
	return NULL;
}

static int
compare(const void *a, const void *b)
{
	return memcmp(a, b, UUID_LEN);
}

static void
no_two_threads_get_one_id(void **state)
{
	static struct uuid ids[3 * PER_THREAD];
	pthread_t threads[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_many, &ids[i * PER_THREAD]), 0);
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	qsort(ids, 3 * PER_THREAD, sizeof *ids, compare);
	for (size_t i = 1; i < 3 * PER_THREAD; i++)
		assert_true(uuid_compare(ids[i - 1], ids[i]) < 0);
}

static void
random_keys_differ_and_come_from_the_slab(void **state)
{
	struct key *a = NULL, *b = NULL;
	size_t left = keys_left();

	(void)state;
	assert_int_equal(key_random(&a), OK);
	assert_int_equal(key_random(&b), OK);
	assert_memory_not_equal(a->b, b->b, KEY_LEN);
	assert_int_equal(keys_left(), left - 2);
	key_free(&a);
	key_free(&b);
	assert_int_equal(keys_left(), left);
}

static void
random_bytes_fill_every_place(void **state)
{
	uint8_t seen[67] = { 0 }, buf[67];

	(void)state;
	for (int i = 0; i < 40; i++) {
		random_bytes(buf, sizeof buf);
		for (size_t k = 0; k < sizeof buf; k++)
			seen[k] |= buf[k];
	}
	for (size_t k = 0; k < sizeof buf; k++)
		assert_int_not_equal(seen[k], 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_is_version_7_and_begins_with_its_time),
		cmocka_unit_test(ids_rise_within_a_millisecond_past_the_counters_end),
		cmocka_unit_test(ids_rise_when_the_clock_goes_back),
		cmocka_unit_test(no_two_threads_get_one_id),
		cmocka_unit_test(random_keys_differ_and_come_from_the_slab),
		cmocka_unit_test(random_bytes_fill_every_place),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
