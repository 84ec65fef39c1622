/* The owner's commands: library, password, sudo, lock, vaults. */
#include "tests/actors/grants_rig.h"

static struct owner_ask_body
owner(const struct grants_rig *g)
{
	return (struct owner_ask_body){ .peer = g->peer };
}

static enum err
state_error(struct grants_rig *g, struct state_body *s)
{
	const union any_body *b;

	assert_int_equal(grants_rig_say(g, MSG_STATE_WANTED, &(struct nothing_body){ 0 }), OK);
	assert_non_null(b = rig_expect(g->r, MSG_STATE));
	*s = b->state;
	return (enum err)s->unattended_error;
}

static void
a_library_is_made_once_and_audit_hears_of_it(void **state)
{
	struct grants_rig *g = *state;
	struct library_init_body b = { .library = g->library, .device = grants_rig_id(0x52), .log_public = { 3 },
		.kdf = { .passes = 3, .memory_kib = 4096, .salt = { 8 } } };
	const union any_body *said;

	rig_edge(g->r, ACTOR_AUDIT, true);
	assert_non_null(said = rig_expect(g->r, MSG_GRANTS_ANCHOR));
	assert_int_equal(said->head.size, 0);
	assert_true(rig_silent(g->r));
	grants_rig_keyring(g, false, false);
	assert_int_equal(grants_rig_say(g, MSG_ENVELOPE_WANTED, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_INITIALIZED);
	assert_int_equal(grants_rig_say(g, MSG_INIT_WANTED, &b), OK);
	assert_non_null(said = rig_expect(g->r, MSG_LIBRARY));
	assert_true(uuid_equal(said->library.library, g->library));
	assert_int_equal(said->library.log_public[0], 3);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
	assert_non_null(said = rig_expect(g->r, MSG_COMMAND_DONE));
	assert_true(uuid_equal(said->made.id, g->library));
	assert_int_equal(grants_rig_say(g, MSG_INIT_WANTED, &b), OK);
	assert_int_equal(grants_rig_end(g), ERR_ALREADY_INITIALIZED);
	grants_rig_restart(g);
	assert_int_equal(grants_rig_say(g, MSG_ENVELOPE_WANTED, &(struct nothing_body){ 0 }), OK);
	assert_non_null(said = rig_expect(g->r, MSG_ENVELOPE_FOUND));
	assert_int_equal(said->kdf.memory_kib, 4096);
	assert_int_equal(said->kdf.salt[0], 8);
}

static void
an_unlock_is_tried_by_the_keyring_and_recorded(void **state)
{
	static const enum err tries[] = { OK, ERR_WRONG_PASSWORD, ERR_THROTTLED };
	struct grants_rig *g = *state;
	struct kek_offer_body offer = { .peer = g->peer, .client_ask = 4, .opener = { 5 }, .boxed_kek = { 6 } };
	const union any_body *b;
	uint64_t id;

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, false, false);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(grants_rig_say(g, MSG_UNLOCK_WANTED, &offer), OK);
		assert_non_null(b = rig_expect(g->r, MSG_KEK_TRY));
		assert_int_equal(b->kek_try.load, 1);
		assert_int_equal(b->kek_try.client_ask, 4);
		assert_int_equal(b->kek_try.kdf.memory_kib, 4096);
		assert_true(uuid_equal(b->kek_try.library, g->library));
		assert_true(rig_silent(g->r));
		assert_int_equal(rig_deliver(g->r, MSG_KEK_TRIED, ACTOR_KEYRING, g->n_asks,
		    &(struct result_body){ .error = (uint16_t)tries[i] }), OK);
		assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
		assert_int_equal(b->event.type, LOG_UNLOCK);
		assert_int_equal(b->event.outcome, tries[i] == OK ? LOG_DONE : LOG_REFUSED);
		id = rig_ask_id(g->r);
		assert_int_equal(grants_rig_end(g), tries[i]);
		assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, id, &(struct result_body){ .error = OK }), OK);
		assert_true(rig_silent(g->r));
	}
}

static void
sudo_needs_an_open_library_and_a_terminal_and_gives_that_terminal_a_ticket(void **state)
{
	struct grants_rig *g = *state;
	struct kek_offer_body offer = { .peer = g->peer };
	const union any_body *b;

	grants_rig_init(g);
	grants_rig_keyring(g, false, false);
	assert_int_equal(grants_rig_say(g, MSG_SUDO_WANTED, &offer), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	grants_rig_keyring(g, true, false);
	offer.peer.terminal = 0;
	assert_int_equal(grants_rig_say(g, MSG_SUDO_WANTED, &offer), OK);
	assert_int_equal(grants_rig_end(g), ERR_TERMINAL_REQUIRED);
	offer.peer = g->peer;
	assert_int_equal(grants_rig_say(g, MSG_SUDO_WANTED, &offer), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEK_TRY));
	assert_int_equal(b->kek_try.load, 0);
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), ERR_SUDO_REQUIRED);
	assert_int_equal(rig_deliver(g->r, MSG_KEK_TRIED, ACTOR_KEYRING, g->n_asks, &(struct result_body){ .error = OK }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), OK);
	offer.peer.session++;
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &offer.peer), ERR_SUDO_REQUIRED);
	fake_clock_advance(SUDO_MS);
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), ERR_SUDO_REQUIRED);
}

static void
a_wrong_sudo_password_gives_nothing_and_is_recorded(void **state)
{
	struct grants_rig *g = *state;
	struct kek_offer_body offer = { .peer = g->peer };

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	assert_int_equal(grants_rig_say(g, MSG_SUDO_WANTED, &offer), OK);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_KEK_TRIED, ACTOR_KEYRING, g->n_asks,
	    &(struct result_body){ .error = ERR_WRONG_PASSWORD }), OK);
	assert_non_null(rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(grants_rig_end(g), ERR_WRONG_PASSWORD);
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), ERR_SUDO_REQUIRED);
}

static void
a_late_word_of_the_keyring_gives_no_ticket(void **state)
{
	struct grants_rig *g = *state;
	struct kek_offer_body offer = { .peer = g->peer };

	grants_rig_init(g);
	grants_rig_keyring(g, true, false);
	assert_int_equal(grants_rig_say(g, MSG_SUDO_WANTED, &offer), OK);
	rig_forget(g->r);
	fake_clock_advance(5000);
	rig_tick(g->r, clock_mono());
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_KEK_TRIED, ACTOR_KEYRING, g->n_asks, &(struct result_body){ .error = OK }), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), ERR_SUDO_REQUIRED);
}

static void
ending_sudo_ends_the_ticket(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_SUDO_END_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), ERR_SUDO_REQUIRED);
}

enum audit_is { AUDIT_DOWN, AUDIT_KEEPS, AUDIT_REFUSES, AUDIT_SILENT, AUDIT__COUNT };

/* The other actors' answers to a lock, in either order; silence ends at the deadline. */
static void
answer_lock(struct grants_rig *g, bool keyring, enum audit_is audit, bool audit_first)
{
	struct result_body kept = { .error = audit == AUDIT_KEEPS ? OK : ERR_AUDIT_UNAVAILABLE };

	for (int turn = 0; turn < 2; turn++) {
		if ((turn == 0) == audit_first) {
			if (audit == AUDIT_KEEPS || audit == AUDIT_REFUSES)
				assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, g->n_asks, &kept), OK);
		} else if (keyring) {
			assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
		}
	}
	fake_clock_advance(5000);
	rig_tick(g->r, clock_mono());
}

static void
try_lock(struct grants_rig *g, bool keyring, enum audit_is audit, bool file, bool audit_first)
{
	struct owner_ask_body ask = owner(g);
	bool durable = file || audit == AUDIT_KEEPS;

	grants_rig_ready(g);
	if (!keyring)
		rig_edge(g->r, ACTOR_KEYRING, false);
	if (audit == AUDIT_DOWN)
		rig_edge(g->r, ACTOR_AUDIT, false);
	rig_forget(g->r);
	if (!file)
		disk_limit(0);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	if (audit != AUDIT_DOWN)
		assert_non_null(rig_expect(g->r, MSG_EVENT_KEEP));
	if (keyring && audit != AUDIT_DOWN) {
		assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
		grants_rig_checkpoint_over(g, audit == AUDIT_KEEPS ? OK : ERR_AUDIT_UNAVAILABLE);
	}
	if (keyring)
		assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	answer_lock(g, keyring, audit, audit_first);
	if (!file)
		disk_unlimit();
	if (grants_rig_end(g) != (durable ? OK : ERR_LOCK_NOT_DURABLE))
		fail_msg("keyring %d, audit %d, file %d, audit first %d: the wrong end", keyring, audit, file, audit_first);
	/* What the log did not take it is told again. */
	if (audit == AUDIT_REFUSES)
		assert_int_equal(rig_expect(g->r, MSG_EVENT_KEEP)->event.type, LOG_LOCK);
	assert_true(rig_silent(g->r));
	assert_true(grants_banned(grants_rig_self(g)));
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer) != OK, 1);
	if (file)
		assert_true(grants_rig_ban_on_disk().manual_lock);
}

static void
a_lock_says_not_durable_exactly_when_neither_file_nor_record_is(void **state)
{
	grants_rig_teardown(state);
	for (unsigned audit = 0; audit < AUDIT__COUNT; audit++)
		for (unsigned bits = 0; bits < 8; bits++) {
			grants_rig_setup(state);
			try_lock(*state, bits & 1, (enum audit_is)audit, bits & 2, bits & 4);
			grants_rig_teardown(state);
		}
	grants_rig_setup(state);
}

static void
a_lock_bans_before_it_asks_for_the_keys(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);
	const union any_body *b;

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	assert_true(grants_rig_ban_on_disk().manual_lock);
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.type, LOG_LOCK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.password, 1);
	assert_int_equal(b->keys_drop.unattended, 1);
	assert_true(rig_silent(g->r));
}

static void
a_keyring_that_dies_in_a_lock_has_no_keys_and_the_ban_decides(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	rig_forget(g->r);
	rig_edge(g->r, ACTOR_KEYRING, false);
	assert_int_equal(grants_rig_end(g), OK);
	grants_rig_keyring(g, true, false);
	disk_limit(0);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	disk_unlimit();
	rig_forget(g->r);
	rig_edge(g->r, ACTOR_KEYRING, false);
	assert_int_equal(grants_rig_end(g), ERR_LOCK_NOT_DURABLE);
}

static void
a_lock_of_no_library_is_refused(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);

	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_INITIALIZED);
	assert_false(grants_rig_ban_on_disk().manual_lock);
}

static void
a_lock_outlives_a_restart_and_an_unlock_lifts_nothing(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);
	struct state_body s;

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	rig_forget(g->r);
	grants_rig_restart(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	assert_int_equal(state_error(g, &s), ERR_BANNED);
	assert_int_equal(s.manual_lock, 1);
	assert_int_equal(s.inhibited, 1);
	assert_int_equal(s.unlocked, 1);
}

static void
a_lost_keyring_locks_and_interrupts_what_waits_for_it(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_VAULT_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_VAULT_KEYS_WANTED));
	rig_edge(g->r, ACTOR_KEYRING, false);
	assert_int_equal(grants_rig_end(g), ERR_INTERRUPTED);
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_check_sudo(grants_rig_self(g), &g->peer), ERR_LOCKED);
	assert_int_equal(grants_rig_say(g, MSG_UNLOCK_WANTED, &(struct kek_offer_body){ .client_ask = 1 }), OK);
	assert_int_equal(grants_rig_end(g), ERR_INTERRUPTED);
}

static void
a_vaults_keys_are_kept_before_it_is_said_to_be_made(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);
	struct vault_keys_made_body made = { .vault = grants_rig_id(0x13) };
	struct vault_keys keys;
	const union any_body *b;

	grants_rig_init(g);
	assert_int_equal(grants_rig_say(g, MSG_VAULT_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	grants_rig_keyring(g, true, false);
	assert_int_equal(grants_rig_say(g, MSG_VAULT_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_VAULT_KEYS_WANTED));
	memset(made.sealed, 7, sizeof made.sealed);
	assert_int_equal(rig_deliver(g->r, MSG_VAULT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
	assert_non_null(b = rig_expect(g->r, MSG_COMMAND_DONE));
	assert_true(uuid_equal(b->made.id, made.vault));
	assert_int_equal(grants_db_vault_keys(grants_rig_self(g)->db, made.vault, &keys), OK);
	assert_memory_equal(keys.sealed, made.sealed, sizeof keys.sealed);
	made.vault = grants_rig_id(0x14);
	assert_int_equal(rig_deliver(g->r, MSG_VAULT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_db_vault_keys(grants_rig_self(g)->db, made.vault, &keys), ERR_NOT_FOUND);
}

static void
commands_past_the_bound_are_busy_and_each_one_ends_once(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);
	unsigned busy = 0, timeouts = 0;
	const union any_body *b;

	grants_rig_ready(g);
	for (int i = 0; i < 100; i++)
		assert_int_equal(grants_rig_say(g, MSG_VAULT_WANTED, &ask), OK);
	fake_clock_advance(5000);
	rig_tick(g->r, clock_mono());
	rig_tick(g->r, clock_mono());
	while (!rig_silent(g->r)) {
		if (rig_next(g->r) == MSG_VAULT_KEYS_WANTED) {
			(void)rig_expect(g->r, MSG_VAULT_KEYS_WANTED);
			continue;
		}
		assert_non_null(b = rig_expect(g->r, MSG_ASK_DENIED));
		busy += b->refusal.error == ERR_BUSY;
		timeouts += b->refusal.error == ERR_TIMEOUT;
	}
	assert_int_equal(busy + timeouts, 100);
	/* Eight of 64 places are kept for locks. */
	assert_int_equal(timeouts, 56);
}

static void
a_vault_is_removed_by_an_open_library_and_the_log_is_told(void **state)
{
	struct grants_rig *g = *state;
	struct owner_id_ask_body ask = { .peer = g->peer, .id = g->vault };
	const union any_body *b;

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_vault(g);
	grants_rig_keyring(g, false, true);
	assert_int_equal(grants_rig_say(g, MSG_VAULT_REMOVE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	grants_rig_keyring(g, true, false);
	ask.id = grants_rig_id(0x19);
	assert_int_equal(grants_rig_say(g, MSG_VAULT_REMOVE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_FOUND);
	ask.id = g->vault;
	assert_int_equal(grants_rig_say(g, MSG_VAULT_REMOVE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.type, LOG_CONFIG);
	assert_int_equal(b->event.config, CONFIG_VAULT_REMOVED);
	assert_true(uuid_equal(b->event.about, g->vault));
	assert_non_null(b = rig_expect(g->r, MSG_VAULT_REMOVE));
	assert_true(uuid_equal(b->one_id.id, g->vault));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_true(rig_silent(g->r));
}

static void
a_proposal_is_dropped_by_an_open_library_alone(void **state)
{
	struct grants_rig *g = *state;
	struct owner_id_ask_body ask = { .peer = g->peer, .id = grants_rig_id(0x31) };
	const union any_body *b;

	grants_rig_init(g);
	grants_rig_keyring(g, false, true);
	assert_int_equal(grants_rig_say(g, MSG_PROPOSAL_DROP_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	grants_rig_keyring(g, true, false);
	assert_int_equal(grants_rig_say(g, MSG_PROPOSAL_DROP_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROPOSAL_DROP));
	assert_true(uuid_equal(b->one_id.id, ask.id));
	assert_true(rig_silent(g->r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(a_vault_is_removed_by_an_open_library_and_the_log_is_told),
		GRANTS_TEST(a_proposal_is_dropped_by_an_open_library_alone),
		GRANTS_TEST(a_library_is_made_once_and_audit_hears_of_it),
		GRANTS_TEST(an_unlock_is_tried_by_the_keyring_and_recorded),
		GRANTS_TEST(sudo_needs_an_open_library_and_a_terminal_and_gives_that_terminal_a_ticket),
		GRANTS_TEST(a_wrong_sudo_password_gives_nothing_and_is_recorded),
		GRANTS_TEST(a_late_word_of_the_keyring_gives_no_ticket),
		GRANTS_TEST(ending_sudo_ends_the_ticket),
		GRANTS_TEST(a_lock_says_not_durable_exactly_when_neither_file_nor_record_is),
		GRANTS_TEST(a_lock_bans_before_it_asks_for_the_keys),
		GRANTS_TEST(a_keyring_that_dies_in_a_lock_has_no_keys_and_the_ban_decides),
		GRANTS_TEST(a_lock_of_no_library_is_refused),
		GRANTS_TEST(a_lock_outlives_a_restart_and_an_unlock_lifts_nothing),
		GRANTS_TEST(a_lost_keyring_locks_and_interrupts_what_waits_for_it),
		GRANTS_TEST(a_vaults_keys_are_kept_before_it_is_said_to_be_made),
		GRANTS_TEST(commands_past_the_bound_are_busy_and_each_one_ends_once),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
