/* Who may have the log repaired. */
#include "tests/actors/grants_rig.h"

static void
a_repair_wants_an_unlocked_library_sudo_and_a_log_that_is_there(void **state)
{
	struct grants_rig *g = *state;
	struct repair_ask_body ask = { .peer = g->peer, .look = 1 };

	assert_int_equal(grants_rig_say(g, MSG_REPAIR_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_INITIALIZED);
	grants_rig_init(g);
	grants_rig_keyring(g, false, false);
	assert_int_equal(grants_rig_say(g, MSG_REPAIR_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	grants_rig_keyring(g, true, false);
	assert_int_equal(grants_rig_say(g, MSG_REPAIR_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
	assert_int_equal(sudo_give(&grants_rig_self(g)->sudo, &g->peer, clock_mono()), OK);
	assert_int_equal(grants_rig_say(g, MSG_REPAIR_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_UNAVAILABLE);
}

static void
audit_hears_by_which_terminal_a_repair_is_allowed(void **state)
{
	struct grants_rig *g = *state;
	struct repair_ask_body ask = { .peer = g->peer, .look = 0 };
	const union any_body *b;

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	rig_forget(g->r);
	assert_int_equal(sudo_give(&grants_rig_self(g)->sudo, &g->peer, clock_mono()), OK);
	assert_int_equal(grants_rig_say(g, MSG_REPAIR_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_REPAIR_ALLOWED));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_int_equal(b->repair_order.look, 0);
	assert_true(uuid_equal(b->repair_order.subject, terminal_tag(&g->peer)));
	assert_true(rig_silent(g->r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_repair_wants_an_unlocked_library_sudo_and_a_log_that_is_there, grants_rig_setup,
		    grants_rig_teardown),
		cmocka_unit_test_setup_teardown(audit_hears_by_which_terminal_a_repair_is_allowed, grants_rig_setup,
		    grants_rig_teardown),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
