#include "actors/roster.h"
#include "tests/support/check.h"

static const struct roster *const rosters[] = { &roster_default, &roster_one_process };

static void
each_actor_lives_in_exactly_one_process(void **state)
{
	(void)state;
	for (size_t r = 0; r < 2; r++)
		for (unsigned a = ACTOR_GATE; a < ACTOR__COUNT; a++) {
			size_t n = 0;

			for (size_t p = 0; p < rosters[r]->n_processes; p++)
				for (size_t i = 0; rosters[r]->processes[p].actors[i] != NULL; i++)
					n += rosters[r]->processes[p].actors[i]->id == (enum actor)a;
			assert_int_equal(n, 1);
			assert_true(roster_process_of(rosters[r], (enum actor)a) < rosters[r]->n_processes);
		}
}

static void
nobody_is_found_in_no_process(void **state)
{
	(void)state;
	assert_int_equal(roster_process_of(&roster_default, ACTOR_CLIENT), roster_default.n_processes);
}

static void
keyring_and_audit_are_alone_and_sandboxed(void **state)
{
	const struct roster_process *keyring = &roster_default.processes[roster_process_of(&roster_default, ACTOR_KEYRING)];
	const struct roster_process *audit = &roster_default.processes[roster_process_of(&roster_default, ACTOR_AUDIT)];

	(void)state;
	assert_int_equal(keyring->sandbox, SANDBOX_KEYRING);
	assert_null(keyring->actors[1]);
	assert_int_equal(audit->sandbox, SANDBOX_AUDIT);
	assert_null(audit->actors[1]);
}

/* The last checkpoint is signed by keyring when audit stops. */
static void
audit_is_stopped_before_keyring_and_after_core(void **state)
{
	size_t audit = roster_process_of(&roster_default, ACTOR_AUDIT);

	(void)state;
	assert_true(roster_process_of(&roster_default, ACTOR_KEYRING) < audit);
	assert_true(roster_process_of(&roster_default, ACTOR_GATE) > audit);
}

static void
edges_are_the_joined_pairs_each_once(void **state)
{
	bool seen[ACTOR__COUNT][ACTOR__COUNT] = { { false } };
	enum actor a, b;
	size_t n = 0;

	(void)state;
	for (; roster_edge(n, &a, &b); n++) {
		assert_true(a < b);
		assert_true(a >= ACTOR_GATE);
		assert_false(seen[a][b]);
		seen[a][b] = true;
	}
	for (unsigned x = ACTOR_GATE; x < ACTOR__COUNT; x++)
		for (unsigned y = x + 1; y < ACTOR__COUNT; y++)
			assert_int_equal(seen[x][y], actors_joined((enum actor)x, (enum actor)y));
	assert_false(roster_edge(n, &a, &b));
	assert_false(roster_edge(1000, &a, &b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_actor_lives_in_exactly_one_process),
		cmocka_unit_test(nobody_is_found_in_no_process),
		cmocka_unit_test(keyring_and_audit_are_alone_and_sandboxed),
		cmocka_unit_test(audit_is_stopped_before_keyring_and_after_core),
		cmocka_unit_test(edges_are_the_joined_pairs_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
