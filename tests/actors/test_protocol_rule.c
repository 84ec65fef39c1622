/* The rule of the daemon as it stands in the protocol's table, and the actors' tables beside it. */
#include "actors/roster.h"
#include "tests/support/check.h"

static const struct actor_spec *
spec_of(enum actor a)
{
	const struct roster_process *p = &roster_one_process.processes[0];

	for (size_t i = 0; p->actors[i] != NULL; i++)
		if (p->actors[i]->id == a)
			return p->actors[i];
	return NULL;
}

static size_t
n_handlers_of(const struct actor_spec *spec, enum msg type)
{
	size_t n = 0;

	for (size_t i = 0; i < spec->n_handlers; i++)
		n += spec->handlers[i].type == type;
	return n;
}

static void
a_ticket_comes_into_the_gate_from_audit_only(void **state)
{
	size_t n = 0;

	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->carries != CARRIES_TICKET || row->to != ACTOR_GATE)
			continue;
		assert_int_equal(row->from, ACTOR_AUDIT);
		n++;
	}
	assert_int_equal(n, 1);
}

/* The class key that an index is built with: from audit as well, and to search alone. */
static void
a_ticket_comes_into_search_from_audit_only(void **state)
{
	size_t n = 0;

	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->carries != CARRIES_TICKET || row->to != ACTOR_SEARCH)
			continue;
		assert_int_equal(row->from, ACTOR_AUDIT);
		n++;
	}
	assert_int_equal(n, 1);
}

/* What a remote assistant asked for: from audit as well. */
static void
a_ticket_comes_into_http_from_audit_only(void **state)
{
	size_t n = 0;

	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->carries != CARRIES_TICKET || row->to != ACTOR_HTTP)
			continue;
		assert_int_equal(row->from, ACTOR_AUDIT);
		n++;
	}
	assert_int_equal(n, 1);
}

/* HTTP has no way to a vault, to custody or to a client; what reaches it of the profile is sealed or boxed. */
static void
http_meets_no_vault(void **state)
{
	(void)state;
	assert_false(actors_joined(ACTOR_HTTP, ACTOR_VAULT));
	assert_false(actors_joined(ACTOR_HTTP, ACTOR_CUSTODY));
	assert_false(actors_joined(ACTOR_HTTP, ACTOR_SEARCH));
	assert_false(actors_joined(ACTOR_HTTP, ACTOR_GATE));
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->from == ACTOR_PROFILE && (row->to == ACTOR_HTTP || row->to == ACTOR_GATE))
			assert_true(row->carries == CARRIES_NOTHING || t == MSG_PROFILE_FOUND || t == MSG_HTTP_FOUND ||
			    t == MSG_WEB_KEYS);
	}
}

static void
a_ticket_has_one_way_from_the_keyring_to_who_asked(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->carries == CARRIES_TICKET)
			assert_true((row->from == ACTOR_KEYRING && row->to == ACTOR_AUDIT) ||
			    (row->from == ACTOR_AUDIT && (row->to == ACTOR_GATE || row->to == ACTOR_SEARCH ||
			    row->to == ACTOR_HTTP)) ||
			    (row->from == ACTOR_GATE && row->to == ACTOR_CLIENT));
	}
}

/* Whatever holds a ticket's bytes must say so in its row. */
static void
bodies_with_a_ticket_stand_in_ticket_rows_only(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);
		bool holds = row->body == BODY_intent || row->body == BODY_ack || row->body == BODY_answer;

		assert_int_equal(holds, row->carries == CARRIES_TICKET);
	}
}

static void
sealed_content_comes_from_the_vault_and_never_meets_the_keyring(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->body != BODY_deposit)
			continue;
		assert_int_equal(row->from, ACTOR_VAULT);
		assert_int_equal(row->to, ACTOR_GATE);
	}
}

/* Pages for the index go where no asker hears them; search says nothing to a client but what is sealed. */
static void
pages_for_the_index_go_from_the_vault_to_search(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->body == BODY_index_page)
			assert_true(row->from == ACTOR_VAULT && row->to == ACTOR_SEARCH);
		if (row->from == ACTOR_SEARCH && row->to == ACTOR_GATE)
			assert_true(row->carries == CARRIES_NOTHING || t == MSG_FOUND);
	}
}

static void
audit_hears_no_key_and_no_box(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->to == ACTOR_AUDIT)
			assert_true(row->carries == CARRIES_NOTHING || t == MSG_AUDIT_INTENT || t == MSG_INDEX_INTENT ||
			    t == MSG_HTTP_INTENT);
	}
}

static void
nobody_but_the_gate_meets_a_client(void **state)
{
	(void)state;
	for (unsigned a = ACTOR_CLIENT; a < ACTOR__COUNT; a++)
		assert_int_equal(actors_joined((enum actor)a, ACTOR_CLIENT), a == ACTOR_GATE);
}

static void
every_row_has_one_handler_where_it_goes(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->to == ACTOR_CLIENT)
			continue;
		assert_non_null(spec_of(row->to));
		if (n_handlers_of(spec_of(row->to), (enum msg)t) != 1)
			fail_msg("%s has no handler, or two, in %s", row->name, actor_name(row->to));
	}
}

static void
no_actor_handles_what_no_row_brings_it(void **state)
{
	(void)state;
	for (unsigned a = ACTOR_GATE; a < ACTOR__COUNT; a++) {
		const struct actor_spec *spec = spec_of((enum actor)a);

		assert_non_null(spec);
		assert_int_equal(spec->id, a);
		for (size_t i = 0; i < spec->n_handlers; i++) {
			assert_non_null(msg_row(spec->handlers[i].type));
			assert_int_equal(msg_row(spec->handlers[i].type)->to, a);
			assert_non_null(spec->handlers[i].on);
		}
	}
}

static void
an_ask_that_opens_can_end_at_its_opener(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);
		bool ends = false;

		for (unsigned u = MSG_NONE + 1; u < MSG__COUNT; u++)
			ends |= msg_row(u)->effect == ASK_ENDS && msg_row(u)->to == row->from;
		if (row->effect == ASK_OPENS)
			assert_true(ends);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ticket_comes_into_the_gate_from_audit_only),
		cmocka_unit_test(a_ticket_comes_into_search_from_audit_only),
		cmocka_unit_test(a_ticket_comes_into_http_from_audit_only),
		cmocka_unit_test(http_meets_no_vault),
		cmocka_unit_test(a_ticket_has_one_way_from_the_keyring_to_who_asked),
		cmocka_unit_test(bodies_with_a_ticket_stand_in_ticket_rows_only),
		cmocka_unit_test(sealed_content_comes_from_the_vault_and_never_meets_the_keyring),
		cmocka_unit_test(pages_for_the_index_go_from_the_vault_to_search),
		cmocka_unit_test(audit_hears_no_key_and_no_box),
		cmocka_unit_test(nobody_but_the_gate_meets_a_client),
		cmocka_unit_test(every_row_has_one_handler_where_it_goes),
		cmocka_unit_test(no_actor_handles_what_no_row_brings_it),
		cmocka_unit_test(an_ask_that_opens_can_end_at_its_opener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
