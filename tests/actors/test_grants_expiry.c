/* How long grants last, whatever the clocks do. */
#include "tests/actors/grants_rig.h"

#define HOUR 3600000u

/* An hour from 10:00, made 100 s after the boot b0. */
static const struct grant_life hour = { .created = { 1000000000 }, .expires = { 1000000000 + HOUR },
	.boot = { { 0xb0 } }, .minted = { 100000 } };

static enum grant_lasts
lasts(uint64_t wall_after, uint64_t mono_after, uint8_t boot, uint64_t *left)
{
	return grants_lasts(&hour, (struct wall_ms){ hour.created.ms + wall_after },
	    (struct mono_ms){ hour.minted.ms + mono_after }, (struct uuid){ { boot } }, left);
}

static void
in_its_boot_a_grant_is_over_by_whichever_clock_is_first(void **state)
{
	uint64_t left;

	(void)state;
	assert_int_equal(lasts(0, 0, 0xb0, &left), GRANT_LASTS);
	assert_int_equal(left, HOUR);
	assert_int_equal(lasts(HOUR - 1, HOUR - 1, 0xb0, &left), GRANT_LASTS);
	assert_int_equal(left, 1);
	assert_int_equal(lasts(HOUR, HOUR - 1, 0xb0, &left), GRANT_OVER);
	assert_int_equal(lasts(HOUR - 1, HOUR, 0xb0, &left), GRANT_OVER);
	/* The clock was set back, by more than there ever was; and forward. */
	assert_int_equal(lasts((uint64_t)-5000000, HOUR / 2, 0xb0, &left), GRANT_LASTS);
	assert_int_equal(left, HOUR / 2);
	assert_int_equal(lasts((uint64_t)-5000000, HOUR, 0xb0, &left), GRANT_OVER);
	assert_int_equal(lasts(HOUR - 10, 5, 0xb0, &left), GRANT_LASTS);
	assert_int_equal(left, 10);
}

static void
in_another_boot_the_clock_counts_unless_it_is_plainly_wrong(void **state)
{
	uint64_t left;

	(void)state;
	for (int known = 0; known < 2; known++) {
		uint8_t boot = known ? 0xb1 : 0;

		assert_int_equal(lasts(HOUR / 4, 50 * HOUR, boot, &left), GRANT_LASTS);
		assert_int_equal(left, HOUR - HOUR / 4);
		assert_int_equal(lasts(HOUR, 0, boot, &left), GRANT_OVER);
		assert_int_equal(lasts((uint64_t)-1, 0, boot, &left), GRANT_DOUBTFUL);
	}
}

static void
what_is_marked_is_over_and_what_has_no_end_lasts(void **state)
{
	struct grant_life marked = hour, endless = hour, upside_down = hour;
	uint64_t left;

	(void)state;
	marked.expired = true;
	assert_int_equal(grants_lasts(&marked, hour.created, hour.minted, hour.boot, &left), GRANT_OVER);
	endless.expires.ms = 0;
	assert_int_equal(grants_lasts(&endless, (struct wall_ms){ UINT64_MAX }, (struct mono_ms){ UINT64_MAX }, hour.boot, &left), GRANT_LASTS);
	assert_int_equal(left, UINT64_MAX);
	upside_down.expires.ms = hour.created.ms;
	assert_int_equal(grants_lasts(&upside_down, (struct wall_ms){ 5 }, hour.minted, hour.boot, &left), GRANT_OVER);
}

/* An unattended read by the rig's grant. */
static enum err
read_as_grant(struct grants_rig *g, struct ruling_body *ruling)
{
	struct ask_body ask = { .peer = g->peer, .op = OP_READ, .surface = SURFACE_CLI, .vault = g->vault, .limit = 1,
		.grant_type = GRANT_UNATTENDED };
	const union any_body *b;

	memcpy(ask.token_id, g->token_id, sizeof ask.token_id);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	while (rig_next(g->r) == MSG_EVENT_KEEP || rig_next(g->r) == MSG_GRANT_DROP)
		(void)rig_expect(g->r, rig_next(g->r));
	if (rig_next(g->r) == MSG_ASK_DENIED)
		return (enum err)rig_expect(g->r, MSG_ASK_DENIED)->refusal.error;
	assert_non_null(b = rig_expect(g->r, MSG_RECORD_WANTED));
	*ruling = b->ruling;
	return OK;
}

/* Ready, with the rig's grant for an hour in place of the one for ever. */
static void
ready_for_an_hour(struct grants_rig *g)
{
	grants_rig_init(g);
	grants_rig_enrol(g);
	grants_rig_vault(g);
	grants_rig_grant(g, HOUR, 0x0f);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, true);
	grants_rig_sudo(g);
}

static void
expect_over_for_good(struct grants_rig *g)
{
	static struct grant_record r;
	struct ruling_body ruling;
	struct grants_db *db = grants_rig_self(g)->db;

	assert_int_equal(grants_db_grant(db, g->grant, &r), OK);
	assert_true(r.life.expired);
	assert_false(r.revoked);
	assert_int_equal(r.n_vaults, 1);
	assert_int_equal(r.vaults[0].classes, 0);
	fake_clock_set(r.life.created.ms, r.life.minted.ms);
	assert_int_equal(read_as_grant(g, &ruling), ERR_INVALID_GRANT);
}

static void
a_use_too_late_marks_a_grant_and_no_clock_brings_it_back(void **state)
{
	struct grants_rig *g = *state;
	struct ruling_body ruling;

	ready_for_an_hour(g);
	fake_clock_advance(HOUR - 1);
	assert_int_equal(read_as_grant(g, &ruling), OK);
	fake_clock_advance(1);
	assert_int_equal(read_as_grant(g, &ruling), ERR_INVALID_GRANT);
	expect_over_for_good(g);
	grants_rig_restart(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, true);
	expect_over_for_good(g);
}

static void
a_clock_set_back_lengthens_nothing_and_set_forward_ends_for_good(void **state)
{
	struct grants_rig *g = *state;
	struct ruling_body ruling;

	ready_for_an_hour(g);
	fake_clock_set_wall(clock_wall().ms - 1000 * (uint64_t)HOUR);
	assert_int_equal(read_as_grant(g, &ruling), OK);
	fake_clock_advance(HOUR);
	assert_int_equal(read_as_grant(g, &ruling), ERR_INVALID_GRANT);
	expect_over_for_good(g);
}

/* Also one that nobody uses; and the keyring and the log hear of it. */
static void
time_alone_marks_a_grant_and_tells_of_it(void **state)
{
	struct grants_rig *g = *state;
	struct mono_ms next;

	ready_for_an_hour(g);
	next = rig_tick(g->r, clock_mono());
	assert_true(next.ms != 0 && next.ms <= clock_mono().ms + 60000);
	assert_true(rig_silent(g->r));
	fake_clock_advance(HOUR - 5000);
	next = rig_tick(g->r, clock_mono());
	assert_int_equal(next.ms, clock_mono().ms + 5000);
	fake_clock_advance(5000);
	(void)rig_tick(g->r, clock_mono());
	assert_int_equal(rig_expect(g->r, MSG_EVENT_KEEP)->event.type, LOG_REVOKE);
	assert_true(uuid_equal(rig_expect(g->r, MSG_GRANT_DROP)->one_id.id, g->grant));
	expect_over_for_good(g);
}

static void
a_wall_clock_that_jumps_is_seen_within_a_minute(void **state)
{
	struct grants_rig *g = *state;
	static struct grant_record r;

	ready_for_an_hour(g);
	(void)rig_tick(g->r, clock_mono());
	fake_clock_set_wall(clock_wall().ms + HOUR);
	fake_clock_advance(60000);
	(void)rig_tick(g->r, clock_mono());
	/* Back again: it is too late. */
	fake_clock_set_wall(clock_wall().ms - HOUR);
	assert_int_equal(grants_db_grant(grants_rig_self(g)->db, g->grant, &r), OK);
	assert_true(r.life.expired);
}

static void
after_a_reboot_the_clock_counts_and_one_before_the_minting_is_refused(void **state)
{
	struct grants_rig *g = *state;
	struct ruling_body ruling;
	uint64_t made;

	ready_for_an_hour(g);
	made = clock_wall().ms;
	fake_clock_reboot(HOUR / 2);
	grants_rig_restart(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, true);
	assert_int_equal(read_as_grant(g, &ruling), OK);
	/* A machine that woke up in 1970, until it hears what time it is. */
	fake_clock_set_wall(1000);
	assert_int_equal(read_as_grant(g, &ruling), ERR_INVALID_GRANT);
	fake_clock_set_wall(made + HOUR / 2);
	assert_int_equal(read_as_grant(g, &ruling), OK);
	fake_clock_set_wall(made + HOUR);
	assert_int_equal(read_as_grant(g, &ruling), ERR_INVALID_GRANT);
	expect_over_for_good(g);
}

static void
a_ruling_holds_no_longer_than_its_grant(void **state)
{
	struct grants_rig *g = *state;
	struct ruling_body ruling;

	ready_for_an_hour(g);
	fake_clock_advance(HOUR - 700);
	assert_int_equal(read_as_grant(g, &ruling), OK);
	assert_int_equal(ruling.deadline_boot_ms, clock_mono().ms + 700);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_its_boot_a_grant_is_over_by_whichever_clock_is_first),
		cmocka_unit_test(in_another_boot_the_clock_counts_unless_it_is_plainly_wrong),
		cmocka_unit_test(what_is_marked_is_over_and_what_has_no_end_lasts),
		GRANTS_TEST(a_use_too_late_marks_a_grant_and_no_clock_brings_it_back),
		GRANTS_TEST(a_clock_set_back_lengthens_nothing_and_set_forward_ends_for_good),
		GRANTS_TEST(time_alone_marks_a_grant_and_tells_of_it),
		GRANTS_TEST(a_wall_clock_that_jumps_is_seen_within_a_minute),
		GRANTS_TEST(after_a_reboot_the_clock_counts_and_one_before_the_minting_is_refused),
		GRANTS_TEST(a_ruling_holds_no_longer_than_its_grant),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
