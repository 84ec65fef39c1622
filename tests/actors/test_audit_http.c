/* What is asked over HTTP: recorded before its key is passed on, and to HTTP alone. */
#include "tests/actors/audit_rig.h"

static struct intent_body
an_http_intent(uint8_t n)
{
	struct intent_body i = an_intent(n);

	i.surface = SURFACE_HTTP;
	i.subject_kind = LOG_CONNECTION_ID;
	i.subject = id(0x61);
	i.op = OP_PROFILE_READ;
	i.vault = i.asset = i.revision = (struct uuid){ { 0 } };
	return i;
}

static enum err
intend_http(uint64_t ask_id)
{
	struct intent_body i = an_http_intent((uint8_t)ask_id);

	return rig_deliver(a.r, MSG_HTTP_INTENT, ACTOR_KEYRING, ask_id, &i);
}

static enum err
refused_http(enum msg row, const struct intent_body *i)
{
	const union any_body *b;

	assert_int_equal(rig_deliver(a.r, row, ACTOR_KEYRING, 9, i), OK);
	b = rig_expect(a.r, row == MSG_HTTP_INTENT ? MSG_HTTP_INTENT_REFUSED : MSG_INTENT_REFUSED);
	assert_non_null(b);
	assert_true(rig_silent(a.r));
	return (enum err)b->refusal.error;
}

static void
a_key_is_passed_on_after_the_sync_and_to_http(void **state)
{
	const union any_body *b;
	int before;

	(void)state;
	open_and_certify();
	before = world.n_syncs;
	assert_int_equal(intend_http(41), OK);
	assert_int_equal(intend(42), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(rig_batch(a.r), OK);
	assert_int_equal(world.n_syncs, before + 1);
	assert_non_null(b = rig_expect(a.r, MSG_HTTP_ACK));
	assert_int_equal(rig_ask_id(a.r), 41);
	assert_int_equal(b->ack.ticket.p[0], 41);
	assert_true(uuid_equal(b->ack.subject, id(0x61)));
	assert_non_null(b = rig_expect(a.r, MSG_AUDIT_ACK));
	assert_int_equal(rig_ask_id(a.r), 42);
	assert_int_equal(b->ack.index + 1, records_on_disk());
	assert_true(rig_silent(a.r));
}

static void
a_failed_sync_gives_http_no_key(void **state)
{
	(void)state;
	open_and_certify();
	assert_int_equal(intend_http(41), OK);
	world.sync_errno = EIO;
	assert_int_equal(rig_batch(a.r), ERR_AUDIT_UNAVAILABLE);
	assert_true(rig_silent(a.r));
	assert_int_not_equal(world.failed_with, OK);
}

/* Who comes by one door is never answered at the other. */
static void
a_record_comes_by_the_door_that_it_names(void **state)
{
	struct intent_body i = an_http_intent(7);

	(void)state;
	open_and_certify();
	assert_int_equal(refused_http(MSG_AUDIT_INTENT, &i), ERR_INTERNAL);
	i.surface = SURFACE_OWNER;
	assert_int_equal(refused_http(MSG_AUDIT_INTENT, &i), ERR_INTERNAL);
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_INTERNAL);
	i = an_http_intent(7);
	i.subject_kind = LOG_GRANT_ID;
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_INTERNAL);
	i = an_http_intent(7);
	i.type = LOG_WRITE;
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_INTERNAL);
	i = an_intent(7);
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_INTERNAL);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
}

static void
without_a_log_http_is_refused(void **state)
{
	struct intent_body i = an_http_intent(7);

	(void)state;
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_NOT_INITIALIZED);
	open_log();
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_AUDIT_UNAVAILABLE);
}

/* Also when grants has forgotten it, as a database that was put back does. */
static void
a_connection_that_the_log_knows_as_revoked_reads_nothing(void **state)
{
	struct event_body revoke = { .type = LOG_REVOKE, .surface = SURFACE_OWNER, .outcome = LOG_DONE,
		.subject_kind = LOG_CONNECTION_ID, .subject = id(0x61) };
	struct event_body disable = { .type = LOG_DISABLE, .surface = SURFACE_OWNER, .outcome = LOG_DONE, .subject_kind = LOG_TERMINAL };
	struct intent_body i = an_http_intent(7);
	const union any_body *b;

	(void)state;
	open_and_certify();
	assert_int_equal(intend_http(41), OK);
	assert_int_equal(tell(42, &disable), OK);
	assert_int_equal(rig_batch(a.r), OK);
	rig_forget(a.r);
	/* A disable of unattended access is not about it. */
	assert_int_equal(intend_http(43), OK);
	assert_int_equal(tell(44, &revoke), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_non_null(rig_expect(a.r, MSG_HTTP_ACK));
	rig_forget(a.r);
	assert_int_equal(rig_deliver(a.r, MSG_HTTP_INTENT, ACTOR_KEYRING, 9, &i), OK);
	assert_non_null(b = rig_expect(a.r, MSG_HTTP_INTENT_REFUSED));
	assert_int_equal(b->refusal.error, ERR_INVALID_TOKEN);
	assert_int_equal(b->refusal.authenticated, 1);
	assert_true(uuid_equal(b->refusal.subject, id(0x61)));
	restart();
	open_and_certify();
	assert_int_equal(refused_http(MSG_HTTP_INTENT, &i), ERR_INVALID_TOKEN);
}

static struct connection_body
usage_of_connection(struct uuid connection)
{
	struct connection_body row = { .connection = connection, .name = { (const uint8_t *)"who", 3 } };
	struct connections_page_body page = { .n_rows = 1, .more = 1 };
	const union any_body *b;
	uint8_t buf[512];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct wire_in in;

	connection_body_put(&o, &row);
	page.rows = wire_written(&o);
	assert_int_equal(rig_deliver(a.r, MSG_CONNECTIONS_USAGE_WANTED, ACTOR_GRANTS, 2, &page), OK);
	assert_non_null(b = rig_expect(a.r, MSG_CONNECTIONS_USAGE));
	assert_int_equal(b->connections_page.more, 1);
	in = wire_in(b->connections_page.rows.p, b->connections_page.rows.len);
	connection_body_take(&in, &row);
	assert_true(wire_done(&in));
	assert_int_equal(row.name.len, 3);
	return row;
}

static void
a_connections_reads_are_counted_from_the_log_also_after_a_restart(void **state)
{
	(void)state;
	open_and_certify();
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(intend_http(50 + i), OK);
	assert_int_equal(rig_batch(a.r), OK);
	rig_forget(a.r);
	assert_int_equal(usage_of_connection(id(0x61)).reads, 3);
	assert_true(usage_of_connection(id(0x61)).last_used_wall_ms > 1000000000000);
	assert_int_equal(usage_of_connection(id(0x62)).reads, 0);
	restart();
	open_log();
	assert_int_equal(usage_of_connection(id(0x61)).reads, 3);
}

static void
a_page_of_connections_with_a_broken_row_says_nothing(void **state)
{
	struct connections_page_body page = { .n_rows = 2, .rows = { (const uint8_t *)"123", 3 } };

	(void)state;
	open_log();
	assert_int_equal(rig_deliver(a.r, MSG_CONNECTIONS_USAGE_WANTED, ACTOR_GRANTS, 2, &page), ERR_INTERNAL);
	assert_true(rig_silent(a.r));
}

static void
a_refusal_that_http_notes_is_recorded(void **state)
{
	struct noted_body noted = { .error = ERR_INSUFFICIENT_SCOPE, .surface = SURFACE_HTTP, .subject_kind = LOG_CONNECTION_ID,
		.subject = id(0x61), .op = OP_PROFILE_SEARCH, .count = 1 };
	uint64_t before;

	(void)state;
	open_and_certify();
	before = records_on_disk();
	assert_int_equal(rig_deliver(a.r, MSG_HTTP_REFUSAL_NOTED, ACTOR_HTTP, 0, &noted), OK);
	assert_int_equal(rig_batch(a.r), OK);
	assert_true(rig_silent(a.r));
	assert_int_equal(records_on_disk(), before + 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AUDIT_TEST(a_key_is_passed_on_after_the_sync_and_to_http),
		AUDIT_TEST(a_failed_sync_gives_http_no_key),
		AUDIT_TEST(a_record_comes_by_the_door_that_it_names),
		AUDIT_TEST(without_a_log_http_is_refused),
		AUDIT_TEST(a_connection_that_the_log_knows_as_revoked_reads_nothing),
		AUDIT_TEST(a_connections_reads_are_counted_from_the_log_also_after_a_restart),
		AUDIT_TEST(a_page_of_connections_with_a_broken_row_says_nothing),
		AUDIT_TEST(a_refusal_that_http_notes_is_recorded),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
