#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "mailbox/pending.h"

#define MAX   61
#define IDS   200
#define STEPS 20000

/* What should be in flight, kept the plain way. */
struct model {
	bool     is_open[IDS];
	uint64_t deadline[IDS];
	unsigned n_open;
	unsigned n_ended[IDS]; /* by each() */
	uint64_t last_deadline;
	struct pending *pending;
};

static const struct mono_ms never = { UINT64_MAX };

static uint64_t
random_below(uint64_t *seed, uint64_t bound)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*seed >> 33) % bound;
}

static void
close_one(struct model *m, uint64_t id)
{
	m->is_open[id] = false;
	m->n_open--;
}

static void
count_end(void *arg, uint64_t ask_id, void *value)
{
	struct model *m = arg;

	m->n_ended[ask_id] += m->is_open[ask_id] && *(uint64_t *)value == ask_id + 1 &&
	    pending_find(m->pending, ask_id) == NULL && m->deadline[ask_id] >= m->last_deadline;
	m->last_deadline = m->deadline[ask_id];
	if (m->is_open[ask_id])
		close_one(m, ask_id);
}

static void
expect_agreement(const struct model *m)
{
	uint64_t first = 0;

	assert_int_equal(pending_count(m->pending), m->n_open);
	for (uint64_t id = 0; id < IDS; id++) {
		const uint64_t *value = pending_find(m->pending, id);

		assert_int_equal(value != NULL, m->is_open[id]);
		if (value == NULL)
			continue;
		assert_int_equal(*value, id + 1);
		if (first == 0 || m->deadline[id] < first)
			first = m->deadline[id];
	}
	assert_true(pending_next(m->pending).ms == first);
}

static void
add_one(struct model *m, uint64_t id, uint64_t deadline)
{
	uint64_t *value = NULL;
	enum err e = pending_add(m->pending, id, (struct mono_ms){ deadline }, (void **)&value);

	if (m->is_open[id]) {
		assert_int_equal(e, ERR_INTERNAL);
	} else if (m->n_open == MAX) {
		assert_int_equal(e, ERR_BUSY);
	} else {
		assert_int_equal(e, OK);
		assert_int_equal(*value, 0);
		*value = id + 1;
		m->is_open[id] = true;
		m->deadline[id] = deadline;
		m->n_open++;
	}
}

static void
end_one(struct model *m, uint64_t id)
{
	assert_int_equal(pending_end(m->pending, id), m->is_open[id]);
	if (m->is_open[id])
		close_one(m, id);
}

static void
expire(struct model *m, uint64_t now)
{
	unsigned due = 0;
	unsigned ended = 0;

	memset(m->n_ended, 0, sizeof m->n_ended);
	m->last_deadline = 0;
	for (uint64_t id = 0; id < IDS; id++)
		due += m->is_open[id] && m->deadline[id] <= now;
	pending_expire(m->pending, (struct mono_ms){ now }, count_end, m);
	for (uint64_t id = 0; id < IDS; id++) {
		assert_true(m->n_ended[id] <= 1);
		ended += m->n_ended[id];
		assert_false(m->is_open[id] && m->deadline[id] <= now);
	}
	assert_int_equal(ended, due);
}

static void
every_ask_ends_exactly_once_whatever_happens(void **state)
{
	struct model m = { .n_open = 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		uint64_t random = seed;

		memset(&m, 0, sizeof m);
		assert_int_equal(pending_new(MAX, sizeof(uint64_t), &m.pending), OK);
		for (uint64_t step = 1; step <= STEPS; step++) {
			uint64_t id = random_below(&random, IDS);
			uint64_t what = random_below(&random, 10);

			if (what < 5)
				add_one(&m, id, step + random_below(&random, 200));
			else if (what < 9)
				end_one(&m, id);
			else
				expire(&m, step);
			if (step % 64 == 0)
				expect_agreement(&m);
		}
		pending_free(&m.pending);
	}
}

static void
failing_all_ends_each_once(void **state)
{
	struct model m = { .n_open = 0 };

	(void)state;
	assert_int_equal(pending_new(MAX, sizeof(uint64_t), &m.pending), OK);
	for (uint64_t id = 0; id < MAX; id++)
		add_one(&m, id, 1000 - id);
	pending_fail_all(m.pending, count_end, &m);
	for (uint64_t id = 0; id < IDS; id++)
		assert_int_equal(m.n_ended[id], id < MAX);
	assert_int_equal(pending_count(m.pending), 0);
	assert_int_equal(pending_next(m.pending).ms, 0);
	pending_free(&m.pending);
}

static void
end_the_next(void *arg, uint64_t ask_id, void *value)
{
	struct pending *p = arg;

	(void)value;
	pending_end(p, ask_id + 1);
}

static void
an_end_may_end_others(void **state)
{
	struct pending *p = NULL;
	void *value;

	(void)state;
	assert_int_equal(pending_new(10, 1, &p), OK);
	for (uint64_t id = 0; id < 10; id++)
		assert_int_equal(pending_add(p, id, (struct mono_ms){ 5 + id }, &value), OK);
	pending_expire(p, (struct mono_ms){ 8 }, end_the_next, p);
	assert_int_equal(pending_count(p), 6);
	pending_fail_all(p, end_the_next, p);
	assert_int_equal(pending_count(p), 0);
	pending_free(&p);
	assert_null(p);
}

static void
values_stay_where_they_are(void **state)
{
	struct pending *p = NULL;
	void *first;
	void *value;

	(void)state;
	assert_int_equal(pending_new(100, 24, &p), OK);
	assert_int_equal(pending_add(p, 1, never, &first), OK);
	memset(first, 7, 24);
	for (uint64_t id = 2; id <= 100; id++)
		assert_int_equal(pending_add(p, id * 64, never, &value), OK);
	assert_int_equal(pending_add(p, 7777, never, &value), ERR_BUSY);
	for (uint64_t id = 2; id <= 100; id++)
		assert_true(pending_end(p, id * 64));
	assert_ptr_equal(pending_find(p, 1), first);
	assert_int_equal(((uint8_t *)first)[23], 7);
	assert_false(pending_end(p, 64 * 2));
	pending_free(&p);
}

static void
a_table_of_no_room_is_always_busy(void **state)
{
	struct pending *p = NULL;
	void *value;

	(void)state;
	assert_int_equal(pending_new(0, 8, &p), OK);
	assert_int_equal(pending_add(p, 1, never, &value), ERR_BUSY);
	assert_null(pending_find(p, 1));
	pending_free(&p);
	pending_free(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ask_ends_exactly_once_whatever_happens),
		cmocka_unit_test(failing_all_ends_each_once),
		cmocka_unit_test(an_end_may_end_others),
		cmocka_unit_test(values_stay_where_they_are),
		cmocka_unit_test(a_table_of_no_room_is_always_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
