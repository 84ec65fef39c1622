/* The remote profile: enabled by its record, open while there is a key, gone at a lock, and HTTP is told of each change. */
#include <unistd.h>

#include "actors/process.h"
#include "tests/actors/grants_rig.h"

/* The keyring, unlocked or not, as it says itself. */
static void
keyring_says(struct grants_rig *g, bool unlocked, bool profile_loaded)
{
	struct keyring_state_body s = { .unlocked = unlocked, .profile_loaded = profile_loaded };

	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &s), OK);
}

static void
phase_is(struct grants_rig *g, enum http_phase phase)
{
	const union any_body *b = rig_expect(g->r, MSG_HTTP_STATE);

	assert_non_null(b);
	assert_int_equal(b->http_state.phase, phase);
}

/* A library that is unlocked, with the profile's process and the door to it. */
static void
begin(struct grants_rig *g)
{
	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	grants_rig_sudo(g);
	rig_edge(g->r, ACTOR_PROFILE, true);
	assert_true(rig_silent(g->r));
	rig_edge(g->r, ACTOR_HTTP, true);
	phase_is(g, HTTP_NEVER);
	assert_true(rig_silent(g->r));
}

static struct enable_ask_body
enable_ask(const struct grants_rig *g)
{
	return (struct enable_ask_body){ .peer = g->peer };
}

/* The profile says that it has its key, or why not; the ask by which it got it. */
static uint64_t
opens(struct grants_rig *g)
{
	const union any_body *b = rig_expect(g->r, MSG_PROFILE_OPEN);

	assert_non_null(b);
	assert_int_equal(b->profile_open.sealed[0], 0x5a);
	assert_true(uuid_equal(b->profile_open.library, g->library));
	return rig_ask_id(g->r);
}

static void
opened(struct grants_rig *g, uint64_t ask, enum err e)
{
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_OPENED, ACTOR_PROFILE, ask, &(struct result_body){ .error = (uint16_t)e }), OK);
}

static void
enable(struct grants_rig *g)
{
	struct enable_ask_body ask = enable_ask(g);
	struct profile_key_body made;
	const union any_body *b;
	uint64_t open;

	memset(made.sealed, 0x5a, sizeof made.sealed);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_KEY_MAKE));
	assert_true(uuid_equal(b->library.library, g->library));
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_KEY_MADE, ACTOR_KEYRING, g->n_asks, &made), OK);
	assert_true(uuid_equal(grants_rig_keep(g, LOG_CONFIG), terminal_tag(&g->peer)));
	assert_true(rig_silent(g->r));
	/* Nothing opens before its record is durable. */
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_NEVER);
	grants_rig_kept(g, OK);
	open = opens(g);
	phase_is(g, HTTP_LOCKED);
	assert_true(rig_silent(g->r));
	opened(g, open, OK);
	assert_int_equal(grants_rig_end(g), OK);
	phase_is(g, HTTP_SERVES);
	assert_true(rig_silent(g->r));
}

static void
it_is_enabled_when_that_is_recorded_and_serves_when_its_process_has_the_key(void **state)
{
	struct grants_rig *g = *state;

	begin(g);
	enable(g);
	/* And so it is after a start. */
	grants_rig_restart(g);
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_LOCKED);
}

static void
enabling_needs_sudo_the_log_and_its_record(void **state)
{
	struct grants_rig *g = *state;
	struct enable_ask_body ask = enable_ask(g);
	struct profile_key_body made = { { 0 } };

	begin(g);
	sudo_end_all(&grants_rig_self(g)->sudo);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
	grants_rig_sudo(g);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_KEY_MAKE));
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_KEY_MADE, ACTOR_KEYRING, g->n_asks, &made), OK);
	(void)grants_rig_keep(g, LOG_CONFIG);
	grants_rig_kept(g, ERR_AUDIT_FULL);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_FULL);
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_NEVER);
	rig_edge(g->r, ACTOR_AUDIT, false);
	rig_forget(g->r);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_UNAVAILABLE);
}

/* Both of its keys are gone without a lock that would have told it: it is told then, and opened anew by the next. */
static void
what_loses_its_keys_by_no_lock_is_closed(void **state)
{
	struct grants_rig *g = *state;

	begin(g);
	enable(g);
	keyring_says(g, false, false);
	phase_is(g, HTTP_LOCKED);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_DROPPED, ACTOR_PROFILE, rig_ask_id(g->r), &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	keyring_says(g, true, false);
	opened(g, opens(g), OK);
	phase_is(g, HTTP_SERVES);
}

/* A lock answers when keys, index and profile are gone; HTTP hears it first of all. */
static void
a_lock_takes_the_key_out_of_the_profile_before_it_answers(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };

	begin(g);
	enable(g);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_EVENT_KEEP));
	phase_is(g, HTTP_LOCKED);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	assert_true(rig_silent(g->r));
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_DROP));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_int_equal(rig_expect(g->r, MSG_KEYS_DROP)->keys_drop.profile, 1);
	assert_true(rig_silent(g->r));
	keyring_says(g, false, false);
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_DROPPED, ACTOR_PROFILE, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
	/* The next unlock opens it again. */
	keyring_says(g, true, false);
	opened(g, opens(g), OK);
	phase_is(g, HTTP_SERVES);
	assert_true(rig_silent(g->r));
}

/* The key may be on its way when the lock comes: what is to forget it comes after it. */
static void
a_key_on_its_way_is_forgotten_after_it_has_come(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	uint64_t open;

	begin(g);
	enable(g);
	rig_edge(g->r, ACTOR_PROFILE, false);
	phase_is(g, HTTP_LOCKED);
	rig_edge(g->r, ACTOR_PROFILE, true);
	open = opens(g);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	rig_forget(g->r);
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_true(rig_silent(g->r));
	opened(g, open, OK);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_DROP));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_LOCKED);
}

static void
a_process_that_does_not_forget_is_ended(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	int ends[2];
	uint8_t word = 0;

	assert_int_equal(pipe(ends), 0);
	begin(g);
	enable(g);
	g->settings.ready_fd = ends[1];
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	grants_rig_checkpoint_over(g, OK);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	fake_clock_advance(1500);
	(void)rig_tick(g->r, clock_mono());
	assert_int_equal(read(ends[0], &word, 1), 1);
	assert_int_equal(word, PROCESS_END_PROFILE);
	/* Not before it is gone. */
	assert_true(rig_silent(g->r));
	rig_edge(g->r, ACTOR_PROFILE, false);
	assert_int_equal(grants_rig_end(g), OK);
	close(ends[0]);
	close(ends[1]);
}

static void
a_profile_or_a_keyring_that_came_anew_is_given_the_key_anew(void **state)
{
	struct grants_rig *g = *state;

	begin(g);
	enable(g);
	rig_edge(g->r, ACTOR_PROFILE, false);
	phase_is(g, HTTP_LOCKED);
	rig_edge(g->r, ACTOR_PROFILE, true);
	opened(g, opens(g), OK);
	phase_is(g, HTTP_SERVES);
	rig_edge(g->r, ACTOR_KEYRING, false);
	phase_is(g, HTTP_LOCKED);
	assert_true(rig_silent(g->r));
	rig_edge(g->r, ACTOR_KEYRING, true);
	keyring_says(g, true, false);
	(void)opens(g);
}

/* A keyring or profile that is only coming up is asked again; what is broken is said to who waits for it. */
static void
what_does_not_open_is_tried_again(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = { .peer = g->peer, .op = OP_PROFILE_LIST, .surface = SURFACE_OWNER };
	const union any_body *b;
	uint64_t open;

	begin(g);
	enable(g);
	rig_edge(g->r, ACTOR_PROFILE, false);
	rig_edge(g->r, ACTOR_PROFILE, true);
	rig_forget(g->r);
	open = grants_rig_self(g)->profile.opening;
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_NOT_OPENED, ACTOR_KEYRING, open,
	    &(struct result_body){ .error = ERR_INTERRUPTED }), OK);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_INTERRUPTED);
	fake_clock_advance(100);
	(void)rig_tick(g->r, clock_mono());
	opened(g, opens(g), ERR_STORAGE_CORRUPT);
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_STORAGE_CORRUPT);
	fake_clock_advance(5000);
	(void)rig_tick(g->r, clock_mono());
	opened(g, opens(g), OK);
	phase_is(g, HTTP_SERVES);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_WANTED));
	assert_int_equal(b->ruling.subject_kind, LOG_TERMINAL);
	assert_int_equal(b->ruling.grant_type, 0);
	assert_int_equal(b->ruling.classes, 0);
}

static void
disable_is_at_once_and_over_when_nobody_has_the_key(void **state)
{
	struct grants_rig *g = *state;
	struct disable_ask_body ask = { .peer = g->peer };
	const union any_body *b;
	uint64_t kept;

	begin(g);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_DISABLE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_PROFILE_OFF);
	enable(g);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_DISABLE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.config, CONFIG_PROFILE_DISABLED);
	kept = rig_ask_id(g->r);
	phase_is(g, HTTP_OFF);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_DROP));
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.password, 0);
	assert_int_equal(b->keys_drop.unattended, 0);
	assert_int_equal(b->keys_drop.profile, 1);
	keyring_says(g, true, false);
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_DROPPED, ACTOR_PROFILE, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, kept, &(struct result_body){ .error = OK }), OK);
	/* The key is not made a second time. */
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &(struct enable_ask_body){ .peer = g->peer }), OK);
	(void)grants_rig_keep(g, LOG_CONFIG);
	grants_rig_kept(g, OK);
	(void)opens(g);
}

static void
maintenance_is_at_once_and_its_end_waits_for_its_record(void **state)
{
	struct grants_rig *g = *state;
	struct maintenance_ask_body ask = { .peer = g->peer, .on = 1, .message = { (const uint8_t *)"back at 六", 11 } };
	const union any_body *b;

	begin(g);
	enable(g);
	assert_int_equal(grants_rig_say(g, MSG_MAINTENANCE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_HTTP_STATE));
	assert_int_equal(b->http_state.phase, HTTP_MAINTENANCE);
	assert_int_equal(b->http_state.message.len, ask.message.len);
	assert_memory_equal(b->http_state.message.p, ask.message.p, ask.message.len);
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.config, CONFIG_PROFILE_MAINTENANCE);
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, rig_ask_id(g->r), &(struct result_body){ .error = OK }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	ask.message = (struct span){ (const uint8_t *)"two\nlines", 9 };
	assert_int_equal(grants_rig_say(g, MSG_MAINTENANCE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
	ask.on = 0;
	ask.message.len = 0;
	assert_int_equal(grants_rig_say(g, MSG_MAINTENANCE_WANTED, &ask), OK);
	(void)grants_rig_keep(g, LOG_CONFIG);
	assert_true(rig_silent(g->r));
	grants_rig_kept(g, OK);
	phase_is(g, HTTP_SERVES);
	assert_int_equal(grants_rig_end(g), OK);
}

static void
the_state_says_how_it_stands_and_where_it_listens(void **state)
{
	struct grants_rig *g = *state;
	struct http_listens_body listens = { .listening = 1, .address = { (const uint8_t *)"127.0.0.1:8787", 14 },
		.origin = { (const uint8_t *)"http://127.0.0.1:8787", 21 } };
	struct owner_ask_body ask = { .peer = g->peer };
	const union any_body *b;

	assert_int_equal(grants_rig_say(g, MSG_PROFILE_STATE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_INITIALIZED);
	begin(g);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_STATE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_STATE_FOUND));
	assert_int_equal(b->profile_state.phase, HTTP_NEVER);
	enable(g);
	assert_int_equal(rig_deliver(g->r, MSG_HTTP_LISTENS, ACTOR_HTTP, 0, &listens), OK);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_STATE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_STATE_FOUND));
	assert_int_equal(b->profile_state.phase, HTTP_SERVES);
	assert_int_equal(b->profile_state.enabled, 1);
	assert_int_equal(b->profile_state.http.address.len, 14);
	assert_memory_equal(b->profile_state.http.origin.p, "http://127.0.0.1:8787", 21);
	/* What a door that is gone has said is not said on. */
	rig_edge(g->r, ACTOR_HTTP, false);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_STATE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_STATE_FOUND));
	assert_int_equal(b->profile_state.http.listening, 0);
}

static void
the_idle_lock_takes_the_key_too(void **state)
{
	struct grants_rig *g = *state;

	begin(g);
	enable(g);
	assert_int_equal(grants_rig_say(g, MSG_SLEEP_WANTED, &(struct sleep_body){ .peer = g->peer, .word = SLEEP_COMES }), OK);
	phase_is(g, HTTP_LOCKED);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_DROP));
	assert_int_equal(rig_expect(g->r, MSG_KEYS_DROP)->keys_drop.profile, 0);
}

/* Enables with a custody, until its record is durable; what is enrolled is filled with 0x6b. */
static void
enable_with(struct grants_rig *g, const char *backend)
{
	struct enable_ask_body ask = { .peer = g->peer, .backend = { (const uint8_t *)backend, strlen(backend) } };
	struct profile_key_body made;
	struct material_stored_body stored;
	const union any_body *b;
	uint8_t delegation[DELEGATION_LEN] = { 0 };

	memset(made.sealed, 0x5a, sizeof made.sealed);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_PROFILE_KEY_MAKE));
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_KEY_MADE, ACTOR_KEYRING, g->n_asks, &made), OK);
	assert_non_null(b = rig_expect(g->r, MSG_ENROL));
	assert_int_equal(b->enrol.purpose, CUSTODY_PROFILE);
	assert_int_equal(b->enrol.sealed_profile[7], 0x5a);
	stored = (struct material_stored_body){ .ref = { .purpose = CUSTODY_PROFILE, .enrolment = b->enrol.enrolment,
		.library = g->library, .backend = ask.backend, .delegation = { delegation, sizeof delegation } } };
	memset(stored.ref.sealed_profile, 0x6b, sizeof stored.ref.sealed_profile);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_STORED, ACTOR_CUSTODY, g->n_asks, &stored), OK);
	(void)grants_rig_keep(g, LOG_CONFIG);
	keyring_says(g, true, true);
	grants_rig_kept(g, OK);
	opened(g, opens(g), OK);
	rig_forget(g->r);
}

/* The daemon starts: keyring, log and the others are there, and nothing is unlocked. */
static void
start_locked(struct grants_rig *g)
{
	grants_rig_restart(g);
	rig_edge(g->r, ACTOR_PROFILE, true);
	rig_edge(g->r, ACTOR_HTTP, true);
	rig_edge(g->r, ACTOR_KEYRING, true);
	rig_edge(g->r, ACTOR_AUDIT, true);
	rig_forget(g->r);
	keyring_says(g, false, false);
	assert_true(rig_silent(g->r) || rig_next(g->r) == MSG_STARTED);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ .manual_lock = 0 }), OK);
}

/* Takes messages until one of that type; false: there is none. */
static bool
comes(struct grants_rig *g, enum msg type)
{
	while (rig_next(g->r) != MSG_NONE && rig_next(g->r) != type)
		(void)rig_expect(g->r, rig_next(g->r));
	return rig_next(g->r) == type;
}

static void
custody_opens_it_after_a_start_and_asks_again_while_that_is_locked(void **state)
{
	struct grants_rig *g = *state;
	const union any_body *b;
	uint64_t load;

	begin(g);
	enable_with(g, "owner-file");
	start_locked(g);
	assert_true(comes(g, MSG_MATERIAL_WANTED));
	assert_non_null(b = rig_expect(g->r, MSG_MATERIAL_WANTED));
	assert_int_equal(b->custody_ref.purpose, CUSTODY_PROFILE);
	load = rig_ask_id(g->r);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_REFUSED, ACTOR_CUSTODY, load,
	    &(struct custody_result_body){ .purpose = CUSTODY_PROFILE, .error = ERR_CUSTODY_LOCKED }), OK);
	(void)rig_tick(g->r, clock_mono());
	assert_false(comes(g, MSG_MATERIAL_WANTED));
	fake_clock_advance(60000);
	(void)rig_tick(g->r, clock_mono());
	assert_true(comes(g, MSG_MATERIAL_WANTED));
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
	load = rig_ask_id(g->r);
	keyring_says(g, false, true);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_OPEN));
	assert_int_equal(b->profile_open.sealed_custody[9], 0x6b);
	opened(g, rig_ask_id(g->r), OK);
	phase_is(g, HTTP_SERVES);
	assert_int_equal(rig_deliver(g->r, MSG_KEY_LOADED, ACTOR_KEYRING, load,
	    &(struct custody_result_body){ .purpose = CUSTODY_PROFILE }), OK);
	/* The owner's asks still need the password. */
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED,
	    &(struct ask_body){ .peer = g->peer, .op = OP_PROFILE_LIST, .surface = SURFACE_OWNER }), OK);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
}

/* A backend that is broken is not asked every minute. */
static void
a_custody_that_is_damaged_is_asked_once(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	const union any_body *b;
	uint64_t load;

	begin(g);
	enable_with(g, "owner-file");
	start_locked(g);
	assert_true(comes(g, MSG_MATERIAL_WANTED));
	(void)rig_expect(g->r, MSG_MATERIAL_WANTED);
	load = rig_ask_id(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_REFUSED, ACTOR_CUSTODY, load,
	    &(struct custody_result_body){ .purpose = CUSTODY_PROFILE, .error = ERR_CUSTODY_INVALID }), OK);
	fake_clock_advance(120000);
	(void)rig_tick(g->r, clock_mono());
	assert_false(comes(g, MSG_MATERIAL_WANTED));
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_STATE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_STATE_FOUND));
	assert_int_equal(b->profile_state.custody_error, ERR_CUSTODY_INVALID);
	assert_int_equal(b->profile_state.backend.len, 10);
}

static void
an_idle_lock_leaves_it_open_by_custody(void **state)
{
	struct grants_rig *g = *state;
	const union any_body *b;

	begin(g);
	enable_with(g, "owner-file");
	assert_int_equal(grants_rig_say(g, MSG_SLEEP_WANTED, &(struct sleep_body){ .peer = g->peer, .word = SLEEP_COMES }), OK);
	assert_non_null(rig_expect(g->r, MSG_CHECKPOINT_DUE));
	assert_true(rig_silent(g->r));
	grants_rig_checkpoint_over(g, OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.profile, 0);
	assert_int_equal(b->keys_drop.closes, 0);
	assert_true(rig_silent(g->r));
	keyring_says(g, false, true);
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_SERVES);
}

/* A manual lock bans it across a start; resume lifts that, also where nothing else is enrolled. */
static void
a_manual_lock_bans_it_until_resume(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	const union any_body *b;

	begin(g);
	enable_with(g, "owner-file");
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	rig_forget(g->r);
	grants_rig_checkpoint_over(g, OK);
	assert_true(comes(g, MSG_KEYS_DROP));
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.profile, 1);
	assert_int_equal(b->keys_drop.closes, 1);
	start_locked(g);
	assert_false(comes(g, MSG_MATERIAL_WANTED));
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_STATE_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_STATE_FOUND));
	assert_int_equal(b->profile_state.banned, 1);
	keyring_says(g, true, false);
	grants_rig_sudo(g);
	rig_forget(g->r);
	assert_int_equal(grants_rig_say(g, MSG_RESUME_WANTED, &ask), OK);
	assert_true(comes(g, MSG_EVENT_KEEP));
	(void)grants_rig_keep(g, LOG_RESUME);
	grants_rig_kept(g, OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(comes(g, MSG_MATERIAL_WANTED));
}

/* The lock's keys-drop went past the material. */
static void
a_key_that_comes_after_a_lock_is_dropped_again(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = { .peer = g->peer };
	const union any_body *b;
	uint64_t load;

	begin(g);
	enable_with(g, "owner-file");
	start_locked(g);
	assert_true(comes(g, MSG_MATERIAL_WANTED));
	(void)rig_expect(g->r, MSG_MATERIAL_WANTED);
	load = rig_ask_id(g->r);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_KEY_LOADED, ACTOR_KEYRING, load,
	    &(struct custody_result_body){ .purpose = CUSTODY_PROFILE }), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.profile, 1);
	assert_int_equal(b->keys_drop.unattended, 0);
}

static void
a_custody_that_does_not_keep_it_leaves_the_profile_as_it_was(void **state)
{
	struct grants_rig *g = *state;
	struct enable_ask_body ask = { .peer = g->peer, .backend = { (const uint8_t *)"owner-file", 10 } };
	struct material_stored_body stored = { .error = ERR_CUSTODY_UNSAFE, .ref = { .purpose = CUSTODY_PROFILE } };
	const union any_body *b;

	begin(g);
	enable(g);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_ENROL));
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_STORED, ACTOR_CUSTODY, g->n_asks, &stored), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.profile, 1);
	assert_int_equal(b->keys_drop.closes, 0);
	assert_int_equal(grants_rig_end(g), ERR_CUSTODY_UNSAFE);
	assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_SERVES);
	assert_false(grants_rig_self(g)->profile.enrolled);
}

static void
disable_takes_the_custodys_part_away_and_says_when_it_cannot(void **state)
{
	struct grants_rig *g = *state;
	struct disable_ask_body ask = { .peer = g->peer };
	struct custody_result_body removed = { .purpose = CUSTODY_PROFILE, .error = ERR_CUSTODY_LOCKED };

	begin(g);
	enable_with(g, "owner-file");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(grants_rig_say(g, MSG_PROFILE_DISABLE_WANTED, &ask), OK);
		rig_forget(g->r);
		keyring_says(g, true, false);
		rig_forget(g->r);
		assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
		assert_int_equal(rig_expect(g->r, MSG_MATERIAL_REMOVE)->custody_ref.purpose, CUSTODY_PROFILE);
		assert_int_equal(rig_deliver(g->r, MSG_PROFILE_DROPPED, ACTOR_PROFILE, g->n_asks, &(struct nothing_body){ 0 }), OK);
		assert_true(rig_silent(g->r));
		assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_REMOVED, ACTOR_CUSTODY, g->n_asks, &removed), OK);
		assert_int_equal(grants_rig_end(g), removed.error);
		assert_int_equal(grants_profile_phase(grants_rig_self(g)), HTTP_OFF);
		removed.error = OK;
	}
	assert_false(grants_rig_self(g)->profile.enrolled);
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_DISABLE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_PROFILE_OFF);
	start_locked(g);
	assert_false(comes(g, MSG_MATERIAL_WANTED));
}

/* One that is gone for good holds up nothing. */
static void
disable_may_leave_the_custodys_part_where_it_is(void **state)
{
	struct grants_rig *g = *state;
	struct disable_ask_body ask = { .peer = g->peer, .leave = 1 };
	static const uint8_t zero[SEALED_KEY_LEN];
	struct profile_record r;

	begin(g);
	enable_with(g, "owner-file");
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_DISABLE_WANTED, &ask), OK);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_PROFILE_DROPPED, ACTOR_PROFILE, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_false(grants_rig_self(g)->profile.enrolled);
	/* What that part opens is not kept either. */
	assert_int_equal(grants_db_profile(grants_rig_self(g)->db, &r), OK);
	assert_memory_equal(r.sealed_custody, zero, sizeof zero);
}

static void
a_second_custody_of_another_kind_is_refused(void **state)
{
	struct grants_rig *g = *state;
	struct enable_ask_body ask = { .peer = g->peer, .backend = { (const uint8_t *)"linux-secret-service", 20 } };

	begin(g);
	enable_with(g, "owner-file");
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_ALREADY_ENABLED);
	ask.backend = (struct span){ (const uint8_t *)"no-such", 7 };
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
	/* The same again is only said again. */
	ask.backend = (struct span){ (const uint8_t *)"owner-file", 10 };
	assert_int_equal(grants_rig_say(g, MSG_PROFILE_ENABLE_WANTED, &ask), OK);
	(void)grants_rig_keep(g, LOG_CONFIG);
	grants_rig_kept(g, OK);
	assert_int_equal(grants_rig_end(g), OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(it_is_enabled_when_that_is_recorded_and_serves_when_its_process_has_the_key),
		GRANTS_TEST(enabling_needs_sudo_the_log_and_its_record),
		GRANTS_TEST(a_lock_takes_the_key_out_of_the_profile_before_it_answers),
		GRANTS_TEST(what_loses_its_keys_by_no_lock_is_closed),
		GRANTS_TEST(a_key_on_its_way_is_forgotten_after_it_has_come),
		GRANTS_TEST(a_process_that_does_not_forget_is_ended),
		GRANTS_TEST(a_profile_or_a_keyring_that_came_anew_is_given_the_key_anew),
		GRANTS_TEST(what_does_not_open_is_tried_again),
		GRANTS_TEST(disable_is_at_once_and_over_when_nobody_has_the_key),
		GRANTS_TEST(maintenance_is_at_once_and_its_end_waits_for_its_record),
		GRANTS_TEST(the_state_says_how_it_stands_and_where_it_listens),
		GRANTS_TEST(the_idle_lock_takes_the_key_too),
		GRANTS_TEST(custody_opens_it_after_a_start_and_asks_again_while_that_is_locked),
		GRANTS_TEST(a_custody_that_is_damaged_is_asked_once),
		GRANTS_TEST(an_idle_lock_leaves_it_open_by_custody),
		GRANTS_TEST(a_manual_lock_bans_it_until_resume),
		GRANTS_TEST(a_key_that_comes_after_a_lock_is_dropped_again),
		GRANTS_TEST(a_custody_that_does_not_keep_it_leaves_the_profile_as_it_was),
		GRANTS_TEST(disable_takes_the_custodys_part_away_and_says_when_it_cannot),
		GRANTS_TEST(disable_may_leave_the_custodys_part_where_it_is),
		GRANTS_TEST(a_second_custody_of_another_kind_is_refused),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
