/* Proposals: who may make which, when two are the same, what the owner's word does, and when their time is over. */

#include "tests/actors/profile_rig.h"

#define DAY_MS ((uint64_t)24 * 3600 * 1000)

static enum err
propose(uint8_t connection, const char *category, const char *label, const char *value)
{
	char text[2000];

	snprintf(text, sizeof text, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"%s\",\"label\":\"%s\",\"value\":\"%s\",\"evidence\":\"said so\"}",
	    category, label, value);
	return ask_as(connection, OP_PROFILE_PROPOSE, text);
}

static enum err
correct(uint8_t connection, const char *op, struct uuid target, const char *more)
{
	char text[2000];

	snprintf(text, sizeof text, "{\"do\":\"propose\",\"op\":\"%s\",\"target_fact_id\":\"%s\"%s}", op, hex_of(target), more);
	return ask_as(connection, OP_PROFILE_CORRECT, text);
}

static struct uuid
proposed(uint8_t connection, const char *value)
{
	assert_int_equal(propose(connection, "goal", "sport", value), OK);
	assert_string_equal(text_of(t.root, "status"), "pending");
	return id_in(t.root, "id");
}

static enum err
decide(const char *what, struct uuid proposal, const char *more)
{
	return CHANGE("{\"do\":\"proposal_%s\",\"id\":\"%s\"%s}", what, hex_of(proposal), more);
}

static size_t
n_pending(void)
{
	assert_int_equal(LIST("{\"do\":\"proposals\",\"offset\":0,\"limit\":50}"), OK);
	assert_int_equal(t.n_shown, n_of("proposals"));
	return n_of("proposals");
}

static void
a_proposal_is_no_fact_until_it_is_confirmed(void **state)
{
	struct uuid run = proposed(0x31, "run a marathon"), fact;

	(void)state;
	/* Nothing that one could read is in the answer, so nothing is named. */
	assert_int_equal(t.n_shown, 0);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50}"), OK);
	assert_int_equal(n_of("facts"), 0);
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(n_pending(), 1);
	assert_string_equal(text_of(first_of("proposals"), "evidence"), "said so");
	assert_string_equal(text_of(first_of("proposals"), "created_at"), "2025-11-30T10:00:00Z");
	assert_string_equal(text_of(first_of("proposals"), "expires_at"), "2025-12-30T10:00:00Z");
	assert_int_equal(decide("confirm", run, ""), OK);
	fact = id_in(t.root, "fact");
	assert_int_equal(t.n_shown, 1);
	assert_true(uuid_equal(t.shown[0].fact, fact));
	assert_int_equal(n_pending(), 0);
	/* And it is not shared by that, not even with who proposed it. */
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(share_fact(0x31, fact), OK);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "value"), "run a marathon");
}

static void
the_same_again_is_the_same(void **state)
{
	struct uuid first = proposed(0x31, "run");

	(void)state;
	assert_true(uuid_equal(proposed(0x31, "run"), first));
	assert_int_equal(ask_as(0x31, OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"goal\",\"label\":\"sport\",\"value\":\"run\"}"), OK);
	assert_true(uuid_equal(id_in(t.root, "id"), first));
	assert_false(uuid_equal(proposed(0x31, "Run"), first));
	/* Another connection's is another. */
	assert_false(uuid_equal(proposed(0x32, "run"), first));
	assert_int_equal(n_pending(), 3);
}

static void
what_was_decided_is_not_proposed_again(void **state)
{
	struct uuid run = proposed(0x31, "run"), swim = proposed(0x31, "swim");

	(void)state;
	assert_int_equal(decide("confirm", run, ""), OK);
	assert_int_equal(decide("dismiss", swim, ""), OK);
	assert_int_equal(json_type(json_member(t.root, "fact")), JSON_NULL);
	assert_int_equal(propose(0x31, "goal", "sport", "run"), ERR_CONFLICT);
	assert_int_equal(propose(0x31, "goal", "sport", "swim"), ERR_CONFLICT);
	assert_int_equal(propose(0x32, "goal", "sport", "swim"), OK);
	assert_int_equal(decide("confirm", run, ""), ERR_CONFLICT);
	assert_int_equal(decide("dismiss", swim, ""), ERR_CONFLICT);
	assert_int_equal(decide("dismiss", id(0x55), ""), ERR_NOT_FOUND);
	/* Also after a restart. */
	drop();
	assert_int_equal(give_key(t.profile_key), OK);
	assert_int_equal(propose(0x31, "goal", "sport", "swim"), ERR_CONFLICT);
}

static void
after_thirty_days_it_is_over(void **state)
{
	struct uuid run;

	(void)state;
	run = proposed(0x31, "run");
	fake_clock_set(NOW + 30 * DAY_MS - 1, 200000);
	assert_int_equal(n_pending(), 1);
	fake_clock_set(NOW + 30 * DAY_MS, 200000);
	assert_int_equal(decide("confirm", run, ""), ERR_CONFLICT);
	assert_int_equal(n_pending(), 0);
	assert_int_equal(propose(0x31, "goal", "sport", "run"), ERR_CONFLICT);
}

/* A clock that is set back gives no proposal more time, in one run and over a restart. */
static void
a_clock_set_back_changes_nothing(void **state)
{
	(void)state;
	(void)proposed(0x31, "run");
	fake_clock_set(NOW + 29 * DAY_MS, 200000);
	rig_tick(t.r, clock_mono());
	drop();
	fake_clock_set(NOW - DAY_MS, 300000);
	assert_int_equal(give_key(t.profile_key), OK);
	assert_int_equal(n_pending(), 1);
	(void)proposed(0x31, "swim");
	fake_clock_set(NOW + 30 * DAY_MS, 300000);
	rig_tick(t.r, clock_mono());
	fake_clock_set(NOW, 300000);
	assert_int_equal(n_pending(), 1);
	assert_string_equal(text_of(first_of("proposals"), "value"), "swim");
}

static void
a_target_has_to_be_seen(void **state)
{
	static const char words[] = ",\"label\":\"tea\",\"value\":\"black\"";
	struct uuid tea = add_shared(0x31, "habit", "tea", "green"), hidden = add_fact("habit", "coffee", "none"),
	    others = add_shared(0x32, "habit", "milk", "oats");

	(void)state;
	assert_int_equal(correct(0x31, "update", hidden, words), ERR_NOT_FOUND);
	assert_int_equal(correct(0x31, "update", others, words), ERR_NOT_FOUND);
	assert_int_equal(correct(0x31, "archive", hidden, ""), ERR_NOT_FOUND);
	assert_int_equal(correct(0x31, "update", id(0x55), words), ERR_NOT_FOUND);
	assert_int_equal(correct(0x31, "update", tea, words), OK);
	assert_int_equal(correct(0x31, "archive", tea, ""), OK);
	t.categories = 1u << CATEGORY_BASIC;
	assert_int_equal(correct(0x31, "update", tea, ",\"label\":\"tea\",\"value\":\"white\""), ERR_NOT_FOUND);
	t.categories = CATEGORIES_SHAREABLE;
	assert_int_equal(correct(0x31, "update", tea, ",\"label\":\"tea\",\"value\":\"white\""), OK);
	/* An edit hides it until it is shared again. */
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"red\"}", hex_of(tea)), OK);
	assert_int_equal(correct(0x31, "update", tea, ",\"label\":\"tea\",\"value\":\"blue\""), ERR_NOT_FOUND);
}

static void
a_category_has_to_be_allowed(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green");

	(void)state;
	assert_int_equal(propose(0x31, "health", "allergy", "pollen"), ERR_NOT_SHAREABLE);
	assert_int_equal(correct(0x31, "update", tea, ",\"category\":\"health\",\"label\":\"tea\",\"value\":\"black\""), ERR_NOT_SHAREABLE);
	t.categories = 1u << CATEGORY_HABIT;
	assert_int_equal(propose(0x31, "goal", "sport", "run"), ERR_NOT_SHAREABLE);
	assert_int_equal(propose(0x31, "habit", "sport", "run"), OK);
}

static void
secrets_are_refused(void **state)
{
	(void)state;
	assert_int_equal(propose(0x31, "basic", "wifi", "the password is hunter2hunter2"), ERR_SENSITIVE_CONTENT);
	assert_int_equal(propose(0x31, "basic", "\xe9\xaa\x8c\xe8\xaf\x81\xe7\xa0\x81", "493021"), ERR_SENSITIVE_CONTENT);
	assert_int_equal(propose(0x31, "basic", "card", "4111 1111 1111 1111"), ERR_SENSITIVE_CONTENT);
	assert_int_equal(ask_as(0x31, OP_PROFILE_PROPOSE, "{\"do\":\"propose\",\"op\":\"add\",\"category\":\"goal\",\"label\":\"l\",\"value\":\"v\","
	    "\"evidence\":\"he said that his password is hunter2hunter2\"}"), ERR_SENSITIVE_CONTENT);
	assert_int_equal(n_pending(), 0);
}

static void
a_confirmed_update_is_a_new_version_that_is_shared_with_nobody(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green"), black;

	(void)state;
	assert_int_equal(correct(0x31, "update", tea, ",\"label\":\"tea\",\"value\":\"black\""), OK);
	black = id_in(t.root, "id");
	assert_int_equal(n_pending(), 1);
	assert_string_equal(text_of(json_member(first_of("proposals"), "now"), "value"), "green");
	assert_false(flag_of(first_of("proposals"), "conflict"));
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "value"), "green");
	assert_int_equal(decide("confirm", black, ""), OK);
	assert_true(uuid_equal(id_in(t.root, "fact"), tea));
	assert_int_equal(n_seen_by(0x31), 0);
	assert_int_equal(share_fact(0x31, tea), OK);
	assert_int_equal(n_seen_by(0x31), 1);
	assert_string_equal(text_of(first_of("facts"), "value"), "black");
	assert_int_equal(number_of(first_of("facts"), "version"), 2);
}

/* The owner has changed it meanwhile: that is never written over, and the proposal stays until the owner ends it. */
static void
a_conflict_overwrites_nothing(void **state)
{
	struct uuid tea = add_shared(0x31, "habit", "tea", "green"), update, archive;

	(void)state;
	assert_int_equal(correct(0x31, "update", tea, ",\"label\":\"tea\",\"value\":\"black\""), OK);
	update = id_in(t.root, "id");
	assert_int_equal(correct(0x31, "archive", tea, ""), OK);
	archive = id_in(t.root, "id");
	assert_int_equal(CHANGE("{\"do\":\"fact_edit\",\"id\":\"%s\",\"value\":\"white\"}", hex_of(tea)), OK);
	assert_int_equal(decide("confirm", update, ""), ERR_CONFLICT);
	assert_int_equal(decide("edit", update, ",\"value\":\"red\""), ERR_CONFLICT);
	assert_int_equal(decide("confirm", archive, ""), ERR_CONFLICT);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"id\":\"%s\"}", hex_of(tea)), OK);
	assert_string_equal(text_of(first_of("facts"), "value"), "white");
	assert_int_equal(n_pending(), 2);
	assert_true(flag_of(first_of("proposals"), "conflict"));
	assert_int_equal(decide("dismiss", update, ""), OK);
	assert_int_equal(n_pending(), 1);
}

static void
the_owner_may_change_its_words(void **state)
{
	struct uuid run = proposed(0x31, "run"), tea = add_shared(0x31, "habit", "tea", "green"), archive;

	(void)state;
	assert_int_equal(decide("edit", run, ",\"value\":\"walk\",\"category\":\"habit\""), OK);
	assert_int_equal(LIST("{\"do\":\"facts\",\"offset\":0,\"limit\":50,\"id\":\"%s\"}", hex_of(id_in(t.root, "fact"))), OK);
	assert_string_equal(text_of(first_of("facts"), "value"), "walk");
	assert_string_equal(text_of(first_of("facts"), "label"), "sport");
	assert_string_equal(text_of(first_of("facts"), "category"), "habit");
	assert_string_equal(text_of(first_of("facts"), "evidence"), "said so");
	/* What was proposed counts as decided, whatever came of it. */
	assert_int_equal(propose(0x31, "goal", "sport", "run"), ERR_CONFLICT);
	assert_int_equal(correct(0x31, "archive", tea, ""), OK);
	archive = id_in(t.root, "id");
	assert_int_equal(decide("edit", archive, ",\"value\":\"x\""), ERR_INVALID_ARGUMENT);
	assert_int_equal(decide("confirm", archive, ""), OK);
	assert_int_equal(n_seen_by(0x31), 0);
}

static void
there_is_room_for_so_many(void **state)
{
	char value[32];

	(void)state;
	for (int i = 0; i < PROFILE_PENDING_OF_ONE_MAX; i++) {
		snprintf(value, sizeof value, "sport %d", i);
		(void)proposed(0x31, value);
	}
	assert_int_equal(propose(0x31, "goal", "sport", "one more"), ERR_PROFILE_FULL);
	/* The same again needs no room. */
	(void)proposed(0x31, "sport 3");
	(void)proposed(0x32, "another's");
	assert_int_equal(LIST("{\"do\":\"proposals\",\"offset\":0,\"limit\":1}"), OK);
	assert_int_equal(decide("dismiss", id_in(first_of("proposals"), "id"), ""), OK);
	(void)proposed(0x31, "one more");
}

static void
all_of_them_have_a_limit_too(void **state)
{
	char value[32];
	int n = 0;

	(void)state;
	for (uint8_t c = 1; n < PROFILE_PENDING_MAX; c++)
		for (int i = 0; i < PROFILE_PENDING_OF_ONE_MAX && n < PROFILE_PENDING_MAX; i++, n++) {
			snprintf(value, sizeof value, "sport %d", i);
			(void)proposed(c, value);
		}
	assert_int_equal(propose(0xf1, "goal", "sport", "one more"), ERR_PROFILE_FULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(a_proposal_is_no_fact_until_it_is_confirmed),
		WITH(the_same_again_is_the_same),
		WITH(what_was_decided_is_not_proposed_again),
		WITH(after_thirty_days_it_is_over),
		WITH(a_clock_set_back_changes_nothing),
		WITH(a_target_has_to_be_seen),
		WITH(a_category_has_to_be_allowed),
		WITH(secrets_are_refused),
		WITH(a_confirmed_update_is_a_new_version_that_is_shared_with_nobody),
		WITH(a_conflict_overwrites_nothing),
		WITH(the_owner_may_change_its_words),
		WITH(there_is_room_for_so_many),
		WITH(all_of_them_have_a_limit_too),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
