/* The profile when it is as full as it may be. */

#include "actors/profile_state.h"
#include "tests/actors/profile_rig.h"

static bool
never(const struct profile_fact *f)
{
	(void)f;
	return false;
}

static struct uuid
fact_id(unsigned n)
{
	return (struct uuid){ { 0x01, [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };
}

/* So many facts, past the actor, in one change; then they are shared in another. */
static void
fill(unsigned n, bool archived, uint8_t shared_with)
{
	struct profile_db *db = NULL;
	char value[64];

	drop();
	assert_int_equal(profile_db_open("profile", t.profile_key, never, &db), OK);
	for (unsigned i = 0; i < n; i++) {
		struct profile_fact f = { .fact = fact_id(i), .revision = fact_id(i), .version = 1, .category = CATEGORY_HABIT,
			.archived = archived, .created = { NOW }, .updated = { NOW - 100000 + i }, .label = { (const uint8_t *)"drink", 5 } };

		snprintf(value, sizeof value, "cup number %u of tea", i);
		f.value = (struct span){ (const uint8_t *)value, strlen(value) };
		profile_db_put_fact(db, &f);
	}
	assert_int_equal(profile_db_commit(db), OK);
	for (unsigned i = 0; i < n && shared_with != 0; i++) {
		struct profile_share s = { .connection = id(shared_with), .fact = fact_id(i), .revision = fact_id(i) };

		profile_db_put_share(db, &s);
	}
	assert_int_equal(profile_db_commit(db), OK);
	profile_db_close(&db);
	assert_int_equal(give_key(t.profile_key), OK);
}

static enum err
try_add(void)
{
	return CHANGE("{\"do\":\"fact_add\",\"category\":\"habit\",\"label\":\"l\",\"value\":\"v\"}");
}

static void
one_more_fact_than_it_may_hold_is_refused(void **state)
{
	(void)state;
	fill(PROFILE_FACTS_MAX, false, 0);
	assert_int_equal(try_add(), ERR_PROFILE_FULL);
	assert_int_equal(ask_as(0x31, OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"goal\",\"label\":\"l\",\"value\":\"v\"}"), OK);
	assert_int_equal(CHANGE("{\"do\":\"proposal_confirm\",\"id\":\"%s\"}", hex_of(id_in(t.root, "id"))), ERR_PROFILE_FULL);
	/* Nothing of it has happened. */
	assert_int_equal(LIST("{\"do\":\"proposals\",\"offset\":0,\"limit\":50}"), OK);
	assert_int_equal(n_of("proposals"), 1);
	assert_int_equal(CHANGE("{\"do\":\"fact_archive\",\"id\":\"%s\"}", hex_of(fact_id(7))), OK);
	assert_int_equal(try_add(), OK);
}

static void
of_archived_ones_the_oldest_makes_room(void **state)
{
	struct uuid fact;

	(void)state;
	fill(PROFILE_FACTS_MAX - 1, true, 0);
	fact = add_fact("habit", "tea", "white");
	assert_int_equal(CHANGE("{\"do\":\"fact_archive\",\"id\":\"%s\"}", hex_of(fact)), OK);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":1,\"id\":\"%s\"}", hex_of(fact_id(0))), OK);
	fact = add_fact("habit", "tea", "green");
	assert_int_equal(CHANGE("{\"do\":\"fact_archive\",\"id\":\"%s\"}", hex_of(fact)), OK);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":1,\"archived\":true}"), OK);
	assert_int_equal(number_of(t.root, "total"), PROFILE_FACTS_MAX);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":1,\"id\":\"%s\"}", hex_of(fact_id(0))), ERR_NOT_FOUND);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":1,\"id\":\"%s\"}", hex_of(fact_id(1))), OK);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":1,\"id\":\"%s\"}", hex_of(fact)), OK);
}

static void
all_that_is_shared_is_read_page_by_page(void **state)
{
	char ask[300], version[65];
	size_t seen = 0;

	(void)state;
	fill(PROFILE_FACTS_MAX, false, 0x31);
	assert_int_equal(READ(0x31), OK);
	snprintf(version, sizeof version, "%.64s", text_of(t.root, "version"));
	for (;;) {
		seen += n_of("facts");
		assert_true(t.plain_len <= PROFILE_CONNECTION_RESULT_MAX);
		if (!flag_of(t.root, "has_more"))
			break;
		snprintf(ask, sizeof ask, "{\"do\":\"page\",\"offset\":%u,\"version\":\"%s\"}", (unsigned)number_of(t.root, "next_offset"), version);
		assert_int_equal(ask_as(0x31, OP_PROFILE_READ, ask), OK);
	}
	assert_int_equal(seen, PROFILE_FACTS_MAX);
	assert_int_equal(ask_as(0x31, OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"tea\",\"offset\":4995,\"limit\":10}"), OK);
	assert_int_equal(n_of("facts"), 5);
	assert_int_equal(ask_as(0x31, OP_PROFILE_SEARCH, "{\"do\":\"search\",\"query\":\"number 4711\",\"offset\":0,\"limit\":10}"), OK);
	assert_int_equal(n_of("facts"), 1);
	/* A connection with as much as this can be taken away in one change. */
	assert_int_equal(rig_deliver(t.r, MSG_CONNECTION_GONE, ACTOR_GRANTS, 0, &(struct one_id_body){ .id = id(0x31) }), OK);
	assert_int_equal(n_seen_by(0x31), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(one_more_fact_than_it_may_hold_is_refused),
		WITH(of_archived_ones_the_oldest_makes_room),
		WITH(all_that_is_shared_is_read_page_by_page),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
