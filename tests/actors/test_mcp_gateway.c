/* The front door: pairs deposit and ack, knows who asks, and ends every ask once. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actors/mcp_gateway.h"
#include "actors/process.h"
#include "actors/settings.h"
#include "escrow/peer.h"
#include "store/log.h"
#include "store/log_record.h"
#include "store/revision.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

static struct settings settings;
static struct rig *r;

static void
everybody_is_up(void)
{
	struct boot_body boot = { .boot = { { 7 } } };

	rig_edge(r, ACTOR_KEYRING, true);
	rig_edge(r, ACTOR_AUDIT, true);
	rig_edge(r, ACTOR_GRANTS, true);
	rig_edge(r, ACTOR_VAULT, true);
	rig_edge(r, ACTOR_PROFILE, true);
	assert_int_equal(rig_deliver(r, MSG_BOOT, ACTOR_KEYRING, 0, &boot), OK);
	assert_true(rig_silent(r));
}

static int
setup(void **state)
{
	(void)state;
	fake_clock_set(1764496800000, 1000000);
	settings = (struct settings){ .ready_fd = -1, .weakened = "one,two" };
	if (rig_open(&mcp_gateway_actor, &settings, &r) != OK)
		return -1;
	everybody_is_up();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rig_close(&r);
	fake_clock_off();
	return 0;
}

static struct ask_body
an_ask(enum op op, enum surface surface)
{
	return (struct ask_body){ .op = (uint8_t)op, .surface = (uint8_t)surface, .client_ask = 3, .vault = { { 1 } },
		.asset = { { 2 } }, .revision = { { 3 } },
		.peer = { .uid = 4242, .pid = 4242, .session = 4242, .terminal = 4242, .leader_start = 4242 } };
}

static void
ask(uint64_t id, enum op op)
{
	struct ask_body a = an_ask(op, SURFACE_CLI);

	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, id, &a), OK);
	assert_non_null(rig_expect(r, MSG_RULING_WANTED));
	assert_int_equal(rig_ask_id(r), id);
}

static enum err
deposit(uint64_t id, uint8_t mark)
{
	uint8_t items[3] = { mark, mark, mark };
	struct deposit_body d = { .more = 1, .n_items = 2, .items = { items, sizeof items } };

	return rig_deliver(r, MSG_DEPOSIT, ACTOR_VAULT, id, &d);
}

static enum err
ack(uint64_t id, uint8_t mark)
{
	uint8_t ticket[40];
	struct ack_body a = { .index = 5, .ticket = { ticket, sizeof ticket } };

	memset(ticket, mark, sizeof ticket);
	memset(a.commit, mark, sizeof a.commit);
	return rig_deliver(r, MSG_AUDIT_ACK, ACTOR_AUDIT, id, &a);
}

static enum err
refuse(uint64_t id, enum msg type, enum err why, bool authenticated)
{
	struct refusal_body b = { .error = (uint16_t)why, .authenticated = authenticated, .subject_kind = LOG_GRANT_ID,
		.subject = { { 9 } }, .detail = { (const uint8_t *)"detail", 6 } };

	return rig_deliver(r, type, msg_row(type)->from, id, &b);
}

static enum err
refused(uint64_t id)
{
	const union any_body *b = rig_expect(r, MSG_REFUSED);

	if (b == NULL)
		fail_msg("%s came instead of a refusal", msg_name(rig_next(r)));
	assert_int_equal(rig_ask_id(r), id);
	return (enum err)b->refusal.error;
}

static void
deposit_and_ack_make_an_answer_in_either_order(void **state)
{
	const union any_body *b;

	(void)state;
	for (uint64_t id = 1; id <= 2; id++) {
		ask(id, OP_READ);
		assert_int_equal(id == 1 ? deposit(id, 0x61) : ack(id, 0x62), OK);
		assert_true(rig_silent(r));
		assert_int_equal(id == 1 ? ack(id, 0x62) : deposit(id, 0x61), OK);
		assert_non_null(b = rig_expect(r, MSG_ANSWER));
		assert_int_equal(rig_ask_id(r), id);
		assert_int_equal(b->answer.ack.index, 5);
		assert_int_equal(b->answer.ack.commit[206], 0x62);
		assert_int_equal(b->answer.ack.ticket.len, 40);
		assert_int_equal(b->answer.ack.ticket.p[39], 0x62);
		assert_int_equal(b->answer.deposit.more, 1);
		assert_int_equal(b->answer.deposit.n_items, 2);
		assert_int_equal(b->answer.deposit.items.len, 3);
		assert_int_equal(b->answer.deposit.items.p[2], 0x61);
		assert_true(rig_silent(r));
	}
}

static void
the_largest_deposit_and_ack_fit_an_answer(void **state)
{
	static uint8_t items[221184], ticket[3304];
	struct deposit_body d = { .n_items = 3, .items = { items, sizeof items } };
	struct ack_body a = { .ticket = { ticket, sizeof ticket } };
	const union any_body *b;

	(void)state;
	ask(1, OP_LIST);
	assert_int_equal(rig_deliver(r, MSG_DEPOSIT, ACTOR_VAULT, 1, &d), OK);
	assert_int_equal(rig_deliver(r, MSG_AUDIT_ACK, ACTOR_AUDIT, 1, &a), OK);
	assert_non_null(b = rig_expect(r, MSG_ANSWER));
	assert_int_equal(b->answer.deposit.items.len, sizeof items);
}

static void
a_writes_ack_is_its_answer(void **state)
{
	(void)state;
	ask(1, OP_WRITE_ASSET);
	ask(2, OP_WRITE_NAME);
	for (uint64_t id = 1; id <= 2; id++) {
		assert_int_equal(ack(id, 1), OK);
		assert_non_null(rig_expect(r, MSG_ANSWER));
		assert_int_equal(rig_ask_id(r), id);
	}
}

static void
halves_of_different_asks_make_no_answer(void **state)
{
	(void)state;
	ask(1, OP_READ);
	ask(2, OP_READ);
	assert_int_equal(deposit(1, 1), OK);
	assert_int_equal(ack(2, 1), OK);
	assert_int_equal(ack(77, 1), OK);
	assert_int_equal(deposit(78, 1), OK);
	assert_true(rig_silent(r));
}

static void
an_ack_after_the_deadline_is_dropped(void **state)
{
	(void)state;
	ask(1, OP_READ);
	assert_int_equal(deposit(1, 1), OK);
	fake_clock_advance(1999);
	rig_tick(r, clock_mono());
	assert_true(rig_silent(r));
	fake_clock_advance(1);
	rig_tick(r, clock_mono());
	assert_int_equal(refused(1), ERR_AUDIT_TIMEOUT);
	assert_int_equal(ack(1, 1), OK);
	assert_int_equal(deposit(1, 1), OK);
	assert_true(rig_silent(r));
}

static void
a_replayed_ack_or_deposit_changes_nothing(void **state)
{
	const union any_body *b;

	(void)state;
	ask(1, OP_READ);
	assert_int_equal(ack(1, 0x11), OK);
	assert_int_equal(ack(1, 0x22), ERR_INTERNAL);
	assert_int_equal(deposit(1, 0x33), OK);
	assert_non_null(b = rig_expect(r, MSG_ANSWER));
	assert_int_equal(b->answer.ack.ticket.p[0], 0x11);
	assert_int_equal(ack(1, 0x11), OK);
	assert_int_equal(deposit(1, 0x33), OK);
	assert_true(rig_silent(r));
}

static void
a_lost_audit_ends_reads_at_once_and_refuses_the_next(void **state)
{
	struct ask_body a = an_ask(OP_READ, SURFACE_CLI);

	(void)state;
	ask(1, OP_READ);
	assert_int_equal(deposit(1, 1), OK);
	rig_edge(r, ACTOR_AUDIT, false);
	assert_int_equal(refused(1), ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(ack(1, 1), OK);
	assert_true(rig_silent(r));
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 2, &a), OK);
	assert_int_equal(refused(2), ERR_AUDIT_UNAVAILABLE);
	rig_edge(r, ACTOR_AUDIT, true);
	ask(3, OP_READ);
}

/* What grants passes on to audit would not be answered: nobody is to wait for it. */
static void
what_audit_answers_is_refused_while_it_is_away(void **state)
{
	static const enum msg types[] = { MSG_GRANTS_ASK, MSG_CONNECTIONS_ASK, MSG_REPAIR_ASK, MSG_CHECKPOINT_ASK };
	const union any_body body = { .owner_ask = { .peer = { 0 } } };

	(void)state;
	for (uint64_t i = 0; i < sizeof types / sizeof *types; i++) {
		assert_int_equal(rig_deliver(r, types[i], ACTOR_CLIENT, 10 + i, &body), OK);
		assert_false(rig_silent(r));
		rig_forget(r);
		rig_edge(r, ACTOR_AUDIT, false);
		assert_int_equal(refused(10 + i), ERR_AUDIT_UNAVAILABLE);
		assert_int_equal(rig_deliver(r, types[i], ACTOR_CLIENT, 20 + i, &body), OK);
		assert_int_equal(refused(20 + i), ERR_AUDIT_UNAVAILABLE);
		assert_true(rig_silent(r));
		rig_edge(r, ACTOR_AUDIT, true);
	}
	rig_close(&r);
	assert_int_equal(rig_open(&mcp_gateway_actor, &settings, &r), OK);
	rig_edge(r, ACTOR_GRANTS, true);
	rig_edge(r, ACTOR_VAULT, true);
	assert_int_equal(rig_deliver(r, MSG_CONNECTIONS_ASK, ACTOR_CLIENT, 1, &body), OK);
	assert_int_equal(refused(1), ERR_INTERRUPTED);
}

static void
any_other_lost_actor_interrupts_what_is_open(void **state)
{
	static const enum actor others[] = { ACTOR_GRANTS, ACTOR_VAULT, ACTOR_KEYRING };

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		ask(10 + i, OP_READ);
		rig_edge(r, others[i], false);
		assert_int_equal(refused(10 + i), ERR_INTERRUPTED);
		assert_true(rig_silent(r));
		everybody_is_up();
	}
}

static void
a_profile_that_is_still_coming_up_is_waited_for(void **state)
{
	struct ask_body a = an_ask(OP_PROFILE_LIST, SURFACE_OWNER);

	(void)state;
	rig_edge(r, ACTOR_PROFILE, false);
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 1, &a), OK);
	assert_int_equal(refused(1), ERR_INTERRUPTED);
	rig_edge(r, ACTOR_PROFILE, true);
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 2, &a), OK);
	assert_non_null(rig_expect(r, MSG_RULING_WANTED));
}

static void
before_the_others_are_up_an_ask_is_worth_another_try(void **state)
{
	struct ask_body a = an_ask(OP_READ, SURFACE_CLI);
	struct hello_body hello = { .fingerprint = protocol_fingerprint() };

	(void)state;
	rig_close(&r);
	assert_int_equal(rig_open(&mcp_gateway_actor, &settings, &r), OK);
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 1, &a), OK);
	assert_int_equal(refused(1), ERR_INTERRUPTED);
	/* A hello, too: what goes to grants now would be lost, and the asker would wait for nothing. */
	assert_int_equal(rig_deliver(r, MSG_HELLO, ACTOR_CLIENT, 2, &hello), OK);
	assert_int_equal(refused(2), ERR_INTERRUPTED);
}

static void
who_asks_is_what_the_kernel_says_never_the_asker(void **state)
{
	struct peer_facts facts = { .uid = 0 };
	const union any_body *b;

	(void)state;
	assert_int_equal(peer_facts(getpid(), &facts), OK);
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		union any_body body = { .owner_ask = { .peer = { 4242, 4242, 4242, 4242, 4242 } } };
		const struct msg_row *row = msg_row(t);
		bool has_peer = row->body == BODY_owner_ask || row->body == BODY_owner_id_ask || row->body == BODY_library_init ||
		    row->body == BODY_kek_offer || row->body == BODY_enable_ask || row->body == BODY_mint_ask ||
		    row->body == BODY_grants_ask || row->body == BODY_revoke_ask || row->body == BODY_ask;

		if (row->from != ACTOR_CLIENT || !has_peer)
			continue;
		if (t == MSG_ASK)
			body.ask.surface = SURFACE_OWNER;
		assert_int_equal(rig_deliver(r, (enum msg)t, ACTOR_CLIENT, 100 + t, &body), OK);
		assert_non_null(b = rig_expect(r, rig_next(r)));
		assert_int_equal(rig_ask_id(r), 100 + t);
		assert_int_equal(b->owner_ask.peer.uid, getuid());
		assert_int_equal(b->owner_ask.peer.pid, getpid());
		assert_int_equal(b->owner_ask.peer.leader_start, facts.leader_start_ticks);
		assert_int_equal(b->owner_ask.peer.session, facts.leader_start_ticks != 0 ? facts.own.session : 0);
		assert_int_equal(b->owner_ask.peer.terminal, facts.leader_start_ticks != 0 ? facts.own.tty : 0);
	}
}

static void
a_client_that_is_gone_has_no_session_and_no_terminal(void **state)
{
	struct owner_ask_body body = { .peer = { 1, 2, 3, 4, 5 } };
	const union any_body *b;

	(void)state;
	assert_int_equal(rig_deliver_as(r, MSG_LOCK_ASK, 1, &body, 0x3ffffffe), OK);
	assert_non_null(b = rig_expect(r, MSG_LOCK_WANTED));
	assert_int_equal(b->owner_ask.peer.session, 0);
	assert_int_equal(b->owner_ask.peer.terminal, 0);
	assert_int_equal(b->owner_ask.peer.leader_start, 0);
}

static void
a_grants_asker_is_known_by_process_alone(void **state)
{
	struct ask_body a = an_ask(OP_READ, SURFACE_CLI);
	const union any_body *b;

	(void)state;
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 1, &a), OK);
	assert_non_null(b = rig_expect(r, MSG_RULING_WANTED));
	assert_int_equal(b->ask.peer.uid, getuid());
	assert_int_equal(b->ask.peer.session, 0);
	assert_int_equal(b->ask.peer.terminal, 0);
}

static bool
is_write_half(unsigned t)
{
	return t == MSG_CHUNK_PUT || t == MSG_REVISION_PUT || t == MSG_PROPOSAL_PUT || t == MSG_NAME_PUT || t == MSG_DISCARD_PUT;
}

static void
the_second_half_of_a_write_needs_the_first_ones_ack(void **state)
{
	struct ask_body a = an_ask(OP_WRITE_ASSET, SURFACE_OWNER);
	struct ack_body ack = { .asset = { { 1 } }, .revision = { { 2 } } };
	struct chunk_put_body chunk = { .revision = ack.revision };
	const union any_body *b;

	(void)state;
	assert_int_equal(rig_deliver(r, MSG_CHUNK_PUT, ACTOR_CLIENT, 1, &chunk), OK);
	assert_non_null(b = rig_expect(r, MSG_REFUSED));
	assert_int_equal(b->refusal.error, ERR_NOT_FOUND);
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 2, &a), OK);
	assert_non_null(rig_expect(r, MSG_RULING_WANTED));
	assert_int_equal(rig_deliver(r, MSG_AUDIT_ACK, ACTOR_AUDIT, 2, &ack), OK);
	assert_non_null(rig_expect(r, MSG_ANSWER));
	assert_int_equal(rig_deliver(r, MSG_CHUNK_PUT, ACTOR_CLIENT, 3, &chunk), OK);
	assert_non_null(rig_expect(r, MSG_CHUNK_WANTED));
	/* A lock ends what was begun. */
	assert_int_equal(rig_deliver(r, MSG_LOCK_ASK, ACTOR_CLIENT, 4, &(struct owner_ask_body){ { 0 } }), OK);
	assert_non_null(rig_expect(r, MSG_LOCK_WANTED));
	assert_int_equal(rig_deliver(r, MSG_CHUNK_PUT, ACTOR_CLIENT, 5, &chunk), OK);
	assert_non_null(b = rig_expect(r, MSG_REFUSED));
	assert_int_equal(b->refusal.error, ERR_NOT_FOUND);
}

static void
a_proposal_is_passed_on_as_that_of_the_grant_which_the_log_names(void **state)
{
	struct ask_body a = an_ask(OP_PROPOSE, SURFACE_STDIO);
	struct ack_body ack = { .asset = { { 5 } }, .revision = { { 6 } }, .subject = { { 7 } } };
	struct revision_row row = { .vault = { { 1 } }, .asset = ack.asset, .revision = ack.revision, .kind = KIND_MEMORY };
	struct proposal_put_body put = { .grant = { { 9 } } };
	uint8_t buf[REVISION_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);
	const union any_body *b;

	(void)state;
	revision_row_put(&o, &row);
	put.row = wire_written(&o);
	a.kind = KIND_MEMORY;
	assert_int_equal(rig_deliver(r, MSG_PROPOSAL_PUT, ACTOR_CLIENT, 1, &put), OK);
	assert_int_equal(refused(1), ERR_NOT_FOUND);
	assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, 2, &a), OK);
	assert_non_null(rig_expect(r, MSG_RULING_WANTED));
	assert_int_equal(rig_deliver(r, MSG_AUDIT_ACK, ACTOR_AUDIT, 2, &ack), OK);
	assert_non_null(rig_expect(r, MSG_ANSWER));
	assert_int_equal(rig_deliver(r, MSG_PROPOSAL_PUT, ACTOR_CLIENT, 3, &put), OK);
	assert_non_null(b = rig_expect(r, MSG_PROPOSAL_WANTED));
	assert_true(uuid_equal(b->proposal_put.grant, ack.subject));
	assert_int_equal(rig_deliver(r, MSG_KEPT, ACTOR_VAULT, 3, &(struct nothing_body){ 0 }), OK);
	assert_non_null(rig_expect(r, MSG_DONE));
}

/* Every message of a client that is no hello, status or ask goes to one actor and ends with its word. */
static void
each_command_is_passed_on_and_ended_once(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		static const union any_body body;
		const struct msg_row *row = msg_row(t);
		enum msg passed;

		if (row->from != ACTOR_CLIENT || t == MSG_HELLO || t == MSG_STATUS_ASK || t == MSG_ASK || is_write_half(t))
			continue;
		assert_int_equal(rig_deliver(r, (enum msg)t, ACTOR_CLIENT, 100 + t, &body), OK);
		passed = rig_next(r);
		assert_non_null(rig_expect(r, passed));
		assert_int_equal(msg_row(passed)->body, row->body);
		if (msg_row(passed)->to == ACTOR_VAULT)
			assert_int_equal(rig_deliver(r, MSG_KEPT, ACTOR_VAULT, 100 + t, &(struct nothing_body){ 0 }), OK);
		else
			assert_int_equal(rig_deliver(r, MSG_COMMAND_DONE, ACTOR_GRANTS, 100 + t, &(struct made_body){ { { 8 } } }), OK);
		assert_non_null(rig_expect(r, MSG_DONE));
		assert_int_equal(rig_ask_id(r), 100 + t);
		assert_int_equal(rig_deliver(r, MSG_COMMAND_DONE, ACTOR_GRANTS, 100 + t, &(struct made_body){ { { 8 } } }), OK);
		assert_true(rig_silent(r));
	}
}

static void
a_refusal_of_somebody_known_is_recorded_and_passed_on(void **state)
{
	static const enum msg ways[] = { MSG_ASK_DENIED, MSG_RECORD_REFUSED, MSG_KEYS_REFUSED, MSG_INTENT_REFUSED };
	const union any_body *b;

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		ask(i + 1, OP_READ);
		assert_int_equal(refuse(i + 1, ways[i], ERR_NOT_FOUND, true), OK);
		assert_non_null(b = rig_expect(r, MSG_REFUSAL_NOTED));
		assert_int_equal(b->noted.error, ERR_NOT_FOUND);
		assert_int_equal(b->noted.count, 1);
		assert_int_equal(b->noted.op, OP_READ);
		assert_int_equal(b->noted.surface, SURFACE_CLI);
		assert_int_equal(b->noted.subject.b[0], 9);
		assert_int_equal(b->noted.vault.b[0], 1);
		assert_int_equal(b->noted.asset.b[0], 2);
		assert_int_equal(b->noted.revision.b[0], 3);
		assert_non_null(b = rig_expect(r, MSG_REFUSED));
		assert_int_equal(b->refusal.error, ERR_NOT_FOUND);
		assert_int_equal(b->refusal.detail.len, 6);
		assert_true(rig_silent(r));
		assert_int_equal(refuse(i + 1, ways[i], ERR_NOT_FOUND, true), OK);
		assert_true(rig_silent(r));
	}
}

static void
strangers_are_counted_and_noted_once_a_minute(void **state)
{
	const union any_body *b;

	(void)state;
	for (int minute = 0; minute < 2; minute++) {
		for (uint64_t i = 0; i < 30; i++) {
			ask(i + 1, OP_READ);
			assert_int_equal(refuse(i + 1, MSG_ASK_DENIED, ERR_INVALID_GRANT, false), OK);
			assert_int_equal(refused(i + 1), ERR_INVALID_GRANT);
			fake_clock_advance(1000);
			rig_tick(r, clock_mono());
			assert_true(rig_silent(r));
		}
		fake_clock_advance(29999);
		rig_tick(r, clock_mono());
		assert_true(rig_silent(r));
		fake_clock_advance(1);
		rig_tick(r, clock_mono());
		assert_non_null(b = rig_expect(r, MSG_REFUSAL_NOTED));
		assert_int_equal(b->noted.count, 30);
		assert_int_equal(b->noted.error, ERR_INVALID_GRANT);
		assert_int_equal(b->noted.subject_kind, LOG_NOBODY);
		fake_clock_advance(60000);
		rig_tick(r, clock_mono());
		assert_true(rig_silent(r));
	}
}

static void
strangers_wait_for_an_audit_that_is_away(void **state)
{
	const union any_body *b;

	(void)state;
	ask(1, OP_READ);
	assert_int_equal(refuse(1, MSG_ASK_DENIED, ERR_INVALID_GRANT, false), OK);
	rig_forget(r);
	rig_edge(r, ACTOR_AUDIT, false);
	fake_clock_advance(70000);
	rig_tick(r, clock_mono());
	assert_true(rig_silent(r));
	rig_edge(r, ACTOR_AUDIT, true);
	rig_tick(r, clock_mono());
	assert_non_null(b = rig_expect(r, MSG_REFUSAL_NOTED));
	assert_int_equal(b->noted.count, 1);
}

static void
past_the_bound_an_ask_is_busy_and_one_that_ends_makes_room(void **state)
{
	struct ask_body a = an_ask(OP_READ, SURFACE_CLI);
	uint64_t id = 1;

	(void)state;
	for (; id < 5000; id++) {
		assert_int_equal(rig_deliver(r, MSG_ASK, ACTOR_CLIENT, id, &a), OK);
		if (rig_next(r) == MSG_REFUSED)
			break;
		assert_non_null(rig_expect(r, MSG_RULING_WANTED));
	}
	assert_int_equal(id, 1025);
	assert_int_equal(refused(id), ERR_BUSY);
	assert_int_equal(refuse(1, MSG_ASK_DENIED, ERR_LOCKED, false), OK);
	assert_int_equal(refused(1), ERR_LOCKED);
	ask(9999, OP_READ);
}

static void
a_hello_of_another_build_is_refused(void **state)
{
	struct hello_body hello = { .fingerprint = protocol_fingerprint() + 1 };

	(void)state;
	assert_int_equal(rig_deliver(r, MSG_HELLO, ACTOR_CLIENT, 1, &hello), OK);
	assert_int_equal(refused(1), ERR_PROTOCOL);
}

static void
a_welcome_says_what_grants_and_keyring_said(void **state)
{
	struct hello_body hello = { .fingerprint = protocol_fingerprint() };
	struct boot_body boot = { .boot = { { 7 } }, .certified = 1, .certificate = { (const uint8_t *)"cert", 4 },
		.epoch_certificate = { (const uint8_t *)"epoch-cert", 10 },
		.earlier_certificate = { (const uint8_t *)"earlier-cert", 12 } };
	struct state_body s = { .initialized = 1, .library = { { 5 } }, .log_public = { 6 } };
	const union any_body *b;

	(void)state;
	assert_int_equal(rig_deliver(r, MSG_BOOT, ACTOR_KEYRING, 0, &boot), OK);
	for (int up = 1; up >= 0; up--) {
		assert_int_equal(rig_deliver(r, MSG_HELLO, ACTOR_CLIENT, 1, &hello), OK);
		assert_non_null(rig_expect(r, MSG_STATE_WANTED));
		assert_int_equal(rig_deliver(r, MSG_STATE, ACTOR_GRANTS, 1, &s), OK);
		assert_non_null(b = rig_expect(r, MSG_WELCOME));
		assert_int_equal(b->welcome.initialized, 1);
		assert_int_equal(b->welcome.library.b[0], 5);
		assert_int_equal(b->welcome.log_public[0], 6);
		assert_int_equal(b->welcome.keyring_ready, up);
		if (up) {
			assert_memory_equal(b->welcome.boot.certificate.p, "cert", 4);
			assert_memory_equal(b->welcome.boot.epoch_certificate.p, "epoch-cert", 10);
			assert_memory_equal(b->welcome.boot.earlier_certificate.p, "earlier-cert", 12);
		}
		rig_edge(r, ACTOR_KEYRING, false);
		rig_forget(r);
	}
}

static void
a_status_brings_both_words_together_and_one_when_audit_is_away(void **state)
{
	struct state_body s = { .initialized = 1, .backend = { (const uint8_t *)"owner-file", 10 } };
	struct log_state_body log = { .size = 12, .state = LOG_LOW };
	const union any_body *b;

	(void)state;
	assert_int_equal(rig_deliver(r, MSG_STATUS_ASK, ACTOR_CLIENT, 1, &(struct nothing_body){ 0 }), OK);
	assert_non_null(rig_expect(r, MSG_STATE_WANTED));
	assert_int_equal(rig_deliver(r, MSG_STATE, ACTOR_GRANTS, 1, &s), OK);
	assert_non_null(rig_expect(r, MSG_LOG_STATE_WANTED));
	assert_int_equal(rig_deliver(r, MSG_LOG_STATE, ACTOR_AUDIT, 1, &log), OK);
	assert_non_null(b = rig_expect(r, MSG_STATUS));
	assert_int_equal(b->status.log.size, 12);
	assert_int_equal(b->status.log.state, LOG_LOW);
	assert_memory_equal(b->status.state.backend.p, "owner-file", 10);
	assert_memory_equal(b->status.weakened.p, "one,two", 7);
	rig_edge(r, ACTOR_AUDIT, false);
	assert_int_equal(rig_deliver(r, MSG_STATUS_ASK, ACTOR_CLIENT, 2, &(struct nothing_body){ 0 }), OK);
	assert_non_null(rig_expect(r, MSG_STATE_WANTED));
	assert_int_equal(rig_deliver(r, MSG_STATE, ACTOR_GRANTS, 2, &s), OK);
	assert_non_null(b = rig_expect(r, MSG_STATUS));
	assert_int_equal(b->status.log.state, LOG_FAILED);
	assert_int_equal(b->status.log.failure, ERR_AUDIT_UNAVAILABLE);
}

static void
a_home_without_a_library_has_no_log_that_fails(void **state)
{
	struct state_body s = { .initialized = 0 };
	struct log_state_body log = { .state = LOG_FAILED, .failure = ERR_AUDIT_UNAVAILABLE };
	const union any_body *b;

	(void)state;
	assert_int_equal(rig_deliver(r, MSG_STATUS_ASK, ACTOR_CLIENT, 1, &(struct nothing_body){ 0 }), OK);
	assert_non_null(rig_expect(r, MSG_STATE_WANTED));
	assert_int_equal(rig_deliver(r, MSG_STATE, ACTOR_GRANTS, 1, &s), OK);
	assert_non_null(rig_expect(r, MSG_LOG_STATE_WANTED));
	assert_int_equal(rig_deliver(r, MSG_LOG_STATE, ACTOR_AUDIT, 1, &log), OK);
	assert_non_null(b = rig_expect(r, MSG_STATUS));
	assert_int_equal(b->status.log.state, LOG_OK);
	assert_int_equal(b->status.log.failure, OK);
}

static void
the_word_for_ready_is_written_once(void **state)
{
	uint8_t got[4];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	settings.ready_fd = fds[1];
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_deliver(r, MSG_STARTED, ACTOR_GRANTS, 0, &(struct nothing_body){ 0 }), OK);
	close(fds[1]);
	assert_int_equal(read(fds[0], got, sizeof got), 1);
	assert_int_equal(got[0], PROCESS_READY);
	close(fds[0]);
}

/* A script of random messages in any order, twice, late or never: what is open ends once, what ended stays so. */
#define SCRIPT_ASKS 40

struct script {
	uint64_t seed;
	uint64_t first;
	unsigned opened[SCRIPT_ASKS], ended[SCRIPT_ASKS];
};

static uint64_t
next_random(struct script *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed;
}

static void
note_ends(struct script *s)
{
	while (!rig_silent(r)) {
		enum msg type = rig_next(r);

		assert_non_null(rig_expect(r, type));
		if (msg_row(type)->to == ACTOR_CLIENT) {
			assert_in_range(rig_ask_id(r), s->first, s->first + SCRIPT_ASKS - 1);
			s->ended[rig_ask_id(r) - s->first]++;
		}
	}
}

static void
open_one(struct script *s, uint64_t at)
{
	static const enum msg types[] = { MSG_ASK, MSG_ASK, MSG_ASK, MSG_HELLO, MSG_STATUS_ASK, MSG_LOCK_ASK, MSG_CHUNK_PUT, MSG_ENVELOPE_ASK,
		MSG_GRANTS_ASK, MSG_REPAIR_ASK };
	enum msg type = types[next_random(s) % 10];
	union any_body body;

	if (s->opened[at]++ > 0)
		return; /* the front door never gives an id twice */
	memset(&body, 0, sizeof body);
	if (type == MSG_ASK)
		body.ask = an_ask(next_random(s) % 4 == 0 ? OP_WRITE_ASSET : OP_READ, SURFACE_CLI);
	if (type == MSG_HELLO)
		body.hello.fingerprint = protocol_fingerprint();
	assert_int_equal(rig_deliver(r, type, ACTOR_CLIENT, s->first + at, &body), OK);
}

static void
say_one(struct script *s, uint64_t at)
{
	static const enum msg answers[] = { MSG_DEPOSIT, MSG_AUDIT_ACK, MSG_ASK_DENIED, MSG_RECORD_REFUSED, MSG_KEYS_REFUSED,
		MSG_INTENT_REFUSED, MSG_KEPT, MSG_COMMAND_DONE, MSG_ENVELOPE_FOUND, MSG_USAGE, MSG_STATE, MSG_LOG_STATE, MSG_REPAIR_OVER };
	enum msg type = answers[next_random(s) % 13];
	static const union any_body nothing;

	(void)rig_deliver(r, type, msg_row(type)->from, s->first + at, &nothing);
}

static void
step(struct script *s)
{
	static const enum actor others[] = { ACTOR_GRANTS, ACTOR_VAULT, ACTOR_KEYRING, ACTOR_AUDIT };
	uint64_t at = next_random(s) % SCRIPT_ASKS, what = next_random(s) % 100;

	if (what < 30) {
		open_one(s, at);
	} else if (what < 90) {
		say_one(s, at);
	} else if (what < 97) {
		fake_clock_advance(next_random(s) % 800);
		rig_tick(r, clock_mono());
	} else {
		enum actor other = others[next_random(s) % 4];

		rig_edge(r, other, false);
		note_ends(s);
		everybody_is_up();
	}
	note_ends(s);
}

static void
every_ask_of_any_script_ends_exactly_once(void **state)
{
	struct script s = { .seed = 88172645463325252 };

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		s.first = 1 + round * SCRIPT_ASKS;
		memset(s.opened, 0, sizeof s.opened);
		memset(s.ended, 0, sizeof s.ended);
		for (unsigned i = 0; i < 400; i++)
			step(&s);
		/* Longer than the deadline of a repair, which is the longest. */
		fake_clock_advance(700000);
		rig_tick(r, clock_mono());
		note_ends(&s);
		for (unsigned i = 0; i < SCRIPT_ASKS; i++)
			if (s.ended[i] != (s.opened[i] > 0))
				fail_msg("round %u, ask %u: %u ends", round, i, s.ended[i]);
	}
}

#define GATE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GATE_TEST(deposit_and_ack_make_an_answer_in_either_order),
		GATE_TEST(the_largest_deposit_and_ack_fit_an_answer),
		GATE_TEST(a_writes_ack_is_its_answer),
		GATE_TEST(halves_of_different_asks_make_no_answer),
		GATE_TEST(an_ack_after_the_deadline_is_dropped),
		GATE_TEST(a_replayed_ack_or_deposit_changes_nothing),
		GATE_TEST(a_lost_audit_ends_reads_at_once_and_refuses_the_next),
		GATE_TEST(what_audit_answers_is_refused_while_it_is_away),
		GATE_TEST(any_other_lost_actor_interrupts_what_is_open),
		GATE_TEST(a_profile_that_is_still_coming_up_is_waited_for),
		GATE_TEST(before_the_others_are_up_an_ask_is_worth_another_try),
		GATE_TEST(who_asks_is_what_the_kernel_says_never_the_asker),
		GATE_TEST(a_client_that_is_gone_has_no_session_and_no_terminal),
		GATE_TEST(a_grants_asker_is_known_by_process_alone),
		GATE_TEST(the_second_half_of_a_write_needs_the_first_ones_ack),
		GATE_TEST(a_proposal_is_passed_on_as_that_of_the_grant_which_the_log_names),
		GATE_TEST(each_command_is_passed_on_and_ended_once),
		GATE_TEST(a_refusal_of_somebody_known_is_recorded_and_passed_on),
		GATE_TEST(strangers_are_counted_and_noted_once_a_minute),
		GATE_TEST(strangers_wait_for_an_audit_that_is_away),
		GATE_TEST(past_the_bound_an_ask_is_busy_and_one_that_ends_makes_room),
		GATE_TEST(a_hello_of_another_build_is_refused),
		GATE_TEST(a_welcome_says_what_grants_and_keyring_said),
		GATE_TEST(a_status_brings_both_words_together_and_one_when_audit_is_away),
		GATE_TEST(a_home_without_a_library_has_no_log_that_fails),
		GATE_TEST(the_word_for_ready_is_written_once),
		GATE_TEST(every_ask_of_any_script_ends_exactly_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
