#include "tests/store/search_rig.h"

static const struct {
	const char *key, *title, *body;
} memories[] = {
#define MEMORY(key, title, body) { key, title, body },
#include "tests/relevance/memories.tbl.h"
#undef MEMORY
};

static const struct {
	const char *query, *key;
} asked[] = {
#define ASKED(query, key) { query, key },
#include "tests/relevance/queries.tbl.h"
#undef ASKED
};

#define N_MEMORIES (sizeof memories / sizeof *memories)
#define N_ASKED    (sizeof asked / sizeof *asked)

static void
what_is_meant_comes_first(void **state)
{
	struct search_rig r;
	unsigned n_wrong = 0;

	(void)state;
	assert_true(N_MEMORIES >= 150 && N_ASKED >= 60);
	search_rig_open(&r);
	for (uint32_t i = 0; i < N_MEMORIES; i++)
		search_rig_add(&r, i, memories[i].title, memories[i].body);
	for (unsigned i = 0; i < N_ASKED; i++) {
		const char *first = search_rig_ask(&r, asked[i].query) == 0 ? "nothing" : memories[search_rig_hit(&r, 0)].key;

		if (strcmp(first, asked[i].key) == 0)
			continue;
		print_error("%s: %s, not %s, of %u%s\n", asked[i].query, first, asked[i].key, (unsigned)r.found.total,
		    r.found.relaxed ? " relaxed" : "");
		n_wrong++;
	}
	search_rig_close(&r);
	assert_int_equal(n_wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_meant_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
