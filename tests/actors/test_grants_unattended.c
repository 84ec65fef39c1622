/* Enrolment, grants, the ban, and the start that needs no password. */
#include "tests/actors/grants_rig.h"

static struct owner_ask_body
owner(const struct grants_rig *g)
{
	return (struct owner_ask_body){ .peer = g->peer };
}

static enum err
load_error(struct grants_rig *g)
{
	const union any_body *b;

	assert_int_equal(grants_rig_say(g, MSG_STATE_WANTED, &(struct nothing_body){ 0 }), OK);
	assert_non_null(b = rig_expect(g->r, MSG_STATE));
	return (enum err)b->state.unattended_error;
}

/* An enrolled library whose daemon starts now: nothing has been heard yet. */
static void
start_enrolled(struct grants_rig *g)
{
	grants_rig_init(g);
	grants_rig_enrol(g);
	grants_rig_restart(g);
}

static void
come_up(struct grants_rig *g)
{
	struct keyring_state_body s = { 0 };

	rig_edge(g->r, ACTOR_AUDIT, true);
	assert_non_null(rig_expect(g->r, MSG_GRANTS_ANCHOR));
	assert_non_null(rig_expect(g->r, MSG_LIBRARY));
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	rig_edge(g->r, ACTOR_KEYRING, true);
	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &s), OK);
}

static void
custody_says(struct grants_rig *g, enum err e)
{
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_REFUSED, ACTOR_CUSTODY, rig_ask_id(g->r),
	    &(struct custody_result_body){ .error = (uint16_t)e }), OK);
}

static void
keyring_says(struct grants_rig *g, enum err e)
{
	struct keyring_state_body s = { .loaded = e == OK };

	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &s), OK);
	assert_int_equal(rig_deliver(g->r, MSG_KEY_LOADED, ACTOR_KEYRING, rig_ask_id(g->r),
	    &(struct custody_result_body){ .error = (uint16_t)e }), OK);
}

static void
tick_at(struct grants_rig *g, uint64_t after_ms)
{
	fake_clock_advance(after_ms);
	rig_tick(g->r, clock_mono());
}

static void
a_start_asks_custody_once_log_and_keyring_have_spoken(void **state)
{
	struct grants_rig *g = *state;
	const union any_body *b;

	start_enrolled(g);
	assert_true(rig_silent(g->r));
	come_up(g);
	assert_non_null(b = rig_expect(g->r, MSG_MATERIAL_WANTED));
	assert_true(uuid_equal(b->custody_ref.enrolment, grants_rig_id(0x61)));
	assert_true(uuid_equal(b->custody_ref.library, g->library));
	assert_int_equal(b->custody_ref.backend.len, 10);
	assert_true(rig_silent(g->r));
	tick_at(g, 1000);
	assert_true(rig_silent(g->r));
	keyring_says(g, OK);
	assert_non_null(rig_expect(g->r, MSG_STARTED));
	assert_true(rig_silent(g->r));
	assert_int_equal(load_error(g), OK);
	rig_edge(g->r, ACTOR_GATE, true);
	assert_non_null(rig_expect(g->r, MSG_STARTED));
}

static void
a_locked_or_unavailable_custody_is_asked_again_each_minute(void **state)
{
	static const enum err soft[] = { ERR_CUSTODY_LOCKED, ERR_CUSTODY_UNAVAILABLE };
	struct grants_rig *g = *state;

	start_enrolled(g);
	come_up(g);
	for (int i = 0; i < 5; i++) {
		assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
		custody_says(g, soft[i % 2]);
		if (i == 0)
			assert_non_null(rig_expect(g->r, MSG_STARTED));
		assert_int_equal(load_error(g), soft[i % 2]);
		tick_at(g, 59999);
		assert_true(rig_silent(g->r));
		assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &(struct keyring_state_body){ 0 }), OK);
		assert_true(rig_silent(g->r));
		tick_at(g, 1);
	}
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
	keyring_says(g, OK);
	tick_at(g, 120000);
	assert_true(rig_silent(g->r));
}

static void
any_other_word_of_custody_ends_the_tries(void **state)
{
	static const enum err hard[] = { ERR_CUSTODY_MISSING, ERR_CUSTODY_UNSAFE, ERR_CUSTODY_INVALID, ERR_CUSTODY_BINDING,
		ERR_CUSTODY_UNSUPPORTED };
	struct grants_rig *g = *state;

	start_enrolled(g);
	for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
		grants_rig_restart(g);
		come_up(g);
		assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
		custody_says(g, hard[i]);
		assert_non_null(rig_expect(g->r, MSG_STARTED));
		tick_at(g, 60000);
		tick_at(g, 60000);
		assert_true(rig_silent(g->r));
		assert_int_equal(load_error(g), hard[i]);
	}
}

/* Each of these states ends the start at once, and custody is never asked. */
static void
a_ban_or_a_center_or_a_removed_device_asks_custody_nothing(void **state)
{
	static const enum err why[] = { ERR_BANNED, ERR_BANNED, ERR_CENTER_MANAGED, ERR_DEVICE_REMOVED, ERR_NOT_ENABLED };
	struct grants_rig *g = *state;

	start_enrolled(g);
	for (int i = 0; i < 5; i++) {
		struct grants *self;

		grants_rig_restart(g);
		self = grants_rig_self(g);
		assert_int_equal(ban_set(self->ban, (struct ban_state){ i == 0, i == 1 }), OK);
		self->library.center_managed = i == 2;
		self->library.device_member = i != 3;
		self->enrolled = i != 4;
		come_up(g);
		assert_non_null(rig_expect(g->r, MSG_STARTED));
		tick_at(g, 60000);
		tick_at(g, 60000);
		assert_true(rig_silent(g->r));
		assert_int_equal(load_error(g), why[i]);
	}
}

static void
a_lock_that_only_the_log_knows_of_bans_the_start(void **state)
{
	struct grants_rig *g = *state;

	start_enrolled(g);
	rig_edge(g->r, ACTOR_KEYRING, true);
	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &(struct keyring_state_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
	rig_edge(g->r, ACTOR_AUDIT, true);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ .manual_lock = 1 }), OK);
	assert_non_null(rig_expect(g->r, MSG_STARTED));
	assert_true(rig_silent(g->r));
	assert_int_equal(load_error(g), ERR_BANNED);
}

static void
a_start_waits_three_seconds_for_a_log_that_does_not_come(void **state)
{
	struct grants_rig *g = *state;

	start_enrolled(g);
	rig_edge(g->r, ACTOR_KEYRING, true);
	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &(struct keyring_state_body){ 0 }), OK);
	tick_at(g, 2999);
	assert_true(rig_silent(g->r));
	tick_at(g, 1);
	assert_non_null(rig_expect(g->r, MSG_STARTED));
	assert_int_equal(load_error(g), ERR_AUDIT_UNAVAILABLE);
	grants_rig_self(g)->log_known = true;
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
}

static void
a_new_keyring_means_a_new_key_only_start(void **state)
{
	struct grants_rig *g = *state;

	start_enrolled(g);
	come_up(g);
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
	keyring_says(g, OK);
	rig_forget(g->r);
	rig_edge(g->r, ACTOR_KEYRING, false);
	rig_edge(g->r, ACTOR_KEYRING, true);
	assert_int_equal(rig_deliver(g->r, MSG_KEYRING_STATE, ACTOR_KEYRING, 0, &(struct keyring_state_body){ 0 }), OK);
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
}

/* The material goes another way than the lock's word to the keyring. */
static void
a_key_that_arrives_after_a_lock_is_dropped_again(void **state)
{
	struct grants_rig *g = *state;
	struct owner_ask_body ask = owner(g);
	const union any_body *b;
	uint64_t load;

	start_enrolled(g);
	come_up(g);
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
	load = rig_ask_id(g->r);
	assert_int_equal(grants_rig_say(g, MSG_LOCK_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_EVENT_KEEP));
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(rig_deliver(g->r, MSG_KEY_LOADED, ACTOR_KEYRING, load, &(struct custody_result_body){ .error = OK }), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.unattended, 1);
	assert_int_equal(b->keys_drop.password, 0);
	load = rig_ask_id(g->r);
	assert_non_null(rig_expect(g->r, MSG_STARTED));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, load, &(struct nothing_body){ 0 }), OK);
	assert_true(rig_silent(g->r));
}

static enum err
enable(struct grants_rig *g, const char *backend)
{
	struct enable_ask_body ask = { .peer = g->peer, .backend = { (const uint8_t *)backend, strlen(backend) } };

	assert_int_equal(grants_rig_say(g, MSG_ENABLE_WANTED, &ask), OK);
	return rig_next(g->r) == MSG_ENROL ? OK : grants_rig_end(g);
}

static struct material_stored_body
stored(const struct grants_rig *g, uint8_t delegation[DELEGATION_LEN])
{
	memset(delegation, 4, DELEGATION_LEN);
	return (struct material_stored_body){ .ref = { .enrolment = grants_rig_id(0x62), .library = g->library,
		.backend = { (const uint8_t *)"owner-file", 10 }, .delegation = { delegation, DELEGATION_LEN } } };
}

static void
enabling_is_kept_once_custody_has_the_material(void **state)
{
	struct grants_rig *g = *state;
	uint8_t delegation[DELEGATION_LEN];
	struct material_stored_body s = stored(g, delegation);
	struct enrolment_record r;
	const union any_body *b;

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	assert_int_equal(enable(g, "owner-file"), ERR_SUDO_REQUIRED);
	grants_rig_sudo(g);
	assert_int_equal(enable(g, "nothing-of-ours"), ERR_INVALID_ARGUMENT);
	assert_int_equal(enable(g, "windows-dpapi"), ERR_CUSTODY_UNSUPPORTED);
	assert_int_equal(enable(g, "owner-file"), OK);
	assert_non_null(b = rig_expect(g->r, MSG_ENROL));
	assert_true(b->enrol.context.len > 64);
	assert_int_equal(grants_db_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), ERR_NOT_ENABLED);
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_STORED, ACTOR_CUSTODY, g->n_asks, &s), OK);
	(void)grants_rig_keep(g, LOG_ENABLE);
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_db_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), ERR_NOT_ENABLED);
	grants_rig_kept(g, OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(grants_db_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), OK);
	assert_string_equal(r.backend, "owner-file");
	assert_true(uuid_equal(r.enrolment, grants_rig_id(0x62)));
	assert_int_equal(enable(g, "owner-file"), ERR_ALREADY_ENABLED);
}

static void
a_custody_that_cannot_keep_material_leaves_no_enrolment_and_no_key(void **state)
{
	struct grants_rig *g = *state;
	uint8_t delegation[DELEGATION_LEN];
	struct material_stored_body s = stored(g, delegation);
	struct enrolment_record r;
	const union any_body *b;

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	grants_rig_sudo(g);
	assert_int_equal(enable(g, "owner-file"), OK);
	rig_forget(g->r);
	s.error = ERR_CUSTODY_UNSAFE;
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_STORED, ACTOR_CUSTODY, g->n_asks, &s), OK);
	assert_non_null(b = rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(b->keys_drop.unattended, 1);
	assert_int_equal(b->keys_drop.password, 0);
	assert_int_equal(grants_rig_end(g), ERR_CUSTODY_UNSAFE);
	assert_int_equal(grants_db_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), ERR_NOT_ENABLED);
}

static void
enabling_lifts_the_ban_of_disable_and_never_a_locks(void **state)
{
	struct grants_rig *g = *state;
	uint8_t delegation[DELEGATION_LEN];
	struct material_stored_body s = stored(g, delegation);

	grants_rig_init(g);
	grants_rig_audit(g, false);
	grants_rig_keyring(g, true, false);
	grants_rig_sudo(g);
	assert_int_equal(ban_set(grants_rig_self(g)->ban, (struct ban_state){ true, true }), OK);
	assert_int_equal(enable(g, "owner-file"), OK);
	rig_forget(g->r);
	assert_true(grants_rig_ban_on_disk().disabled);
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_STORED, ACTOR_CUSTODY, g->n_asks, &s), OK);
	assert_true(grants_rig_ban_on_disk().disabled);
	grants_rig_kept(g, OK);
	assert_false(grants_rig_ban_on_disk().disabled);
	assert_true(grants_rig_ban_on_disk().manual_lock);
	rig_forget(g->r);
}

/* In turn the log refuses the record, is lost, and was never there. */
static void
enabling_without_a_record_leaves_no_enrolment_and_no_key(void **state)
{
	struct grants_rig *g = *state;
	uint8_t delegation[DELEGATION_LEN];
	struct material_stored_body s = stored(g, delegation);
	struct enrolment_record r;

	grants_rig_init(g);
	grants_rig_keyring(g, true, false);
	grants_rig_sudo(g);
	for (int lost = 0; lost < 2; lost++) {
		grants_rig_audit(g, false);
		assert_int_equal(enable(g, "owner-file"), OK);
		rig_forget(g->r);
		assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_STORED, ACTOR_CUSTODY, g->n_asks, &s), OK);
		(void)grants_rig_keep(g, LOG_ENABLE);
		if (lost)
			rig_edge(g->r, ACTOR_AUDIT, false);
		else
			grants_rig_kept(g, ERR_AUDIT_FULL);
		assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
		assert_int_equal(grants_rig_end(g), lost ? ERR_AUDIT_UNAVAILABLE : ERR_AUDIT_FULL);
		assert_int_equal(grants_db_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), ERR_NOT_ENABLED);
	}
	assert_int_equal(enable(g, "owner-file"), ERR_AUDIT_UNAVAILABLE);
}

static struct mint_ask_body
a_mint(const struct grants_rig *g, const uint8_t *vaults, size_t n)
{
	struct mint_ask_body ask = { .peer = g->peer, .client_ask = 3, .vaults = { vaults, n * UUID_LEN },
		.grant_type = GRANT_UNATTENDED, .classes = 0x0f };

	memset(ask.token_id, 0x5c, sizeof ask.token_id);
	return ask;
}

static enum err
mint(struct grants_rig *g, const struct mint_ask_body *ask)
{
	assert_int_equal(grants_rig_say(g, MSG_MINT_WANTED, ask), OK);
	return rig_next(g->r) == MSG_GRANT_KEYS_WANTED ? OK : grants_rig_end(g);
}

static void
a_mint_needs_sudo_enrolment_a_loaded_key_and_known_vaults_each_once(void **state)
{
	struct grants_rig *g = *state;
	struct grants *self;
	uint8_t vaults[3 * UUID_LEN];
	struct mint_ask_body ask;

	grants_rig_ready(g);
	self = grants_rig_self(g);
	memcpy(vaults, g->vault.b, UUID_LEN);
	memset(vaults + UUID_LEN, 0x19, UUID_LEN);
	memcpy(vaults + 2 * UUID_LEN, g->vault.b, UUID_LEN);
	ask = a_mint(g, vaults, 0);
	assert_int_equal(mint(g, &ask), ERR_INVALID_ARGUMENT);
	ask.vaults.len = UUID_LEN - 1;
	assert_int_equal(mint(g, &ask), ERR_INVALID_ARGUMENT);
	ask.vaults.len = 2 * UUID_LEN;
	assert_int_equal(mint(g, &ask), ERR_NOT_FOUND);
	ask.vaults.len = 3 * UUID_LEN;
	assert_int_equal(mint(g, &ask), ERR_INVALID_ARGUMENT);
	ask.vaults.len = UUID_LEN;
	self->loaded = false;
	assert_int_equal(mint(g, &ask), ERR_UNATTENDED_NOT_LOADED);
	self->enrolled = false;
	assert_int_equal(mint(g, &ask), ERR_NOT_ENABLED);
	self->library.center_managed = true;
	assert_int_equal(mint(g, &ask), ERR_CENTER_MANAGED);
	ask.peer.session++;
	assert_int_equal(mint(g, &ask), ERR_SUDO_REQUIRED);
}

/* The keyring's wraps for a mint of one vault. */
static struct grant_keys_made_body
wrapped(const struct grants_rig *g, uint8_t *buf, size_t cap)
{
	struct vault_keys_made_body v = { .vault = g->vault };
	struct wire_out o = wire_out(buf, cap);

	memset(v.sealed, 0x66, sizeof v.sealed);
	vault_keys_made_body_put(&o, &v);
	return (struct grant_keys_made_body){ .wraps = wire_written(&o) };
}

static void
a_minted_grant_is_kept_with_its_hash_and_wraps_before_it_is_said(void **state)
{
	struct grants_rig *g = *state;
	struct mint_ask_body ask;
	struct grant_keys_made_body made;
	uint8_t buf[400], hash[32];
	struct grant_use use;
	struct uuid grant;
	const union any_body *b;
	struct wire_in in;
	struct vault_keys_made_body root;

	grants_rig_ready(g);
	ask = a_mint(g, g->vault.b, 1);
	ask.expires_wall_ms = 1764496900000;
	assert_int_equal(mint(g, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_GRANT_KEYS_WANTED));
	grant = b->grant_keys_wanted.grant;
	in = wire_in(b->grant_keys_wanted.wraps.p, b->grant_keys_wanted.wraps.len);
	vault_keys_made_body_take(&in, &root);
	assert_true(wire_done(&in));
	assert_int_equal(root.sealed[0], 0x33);
	sha256(ask.token_id, 32, hash);
	assert_int_equal(grants_db_use(grants_rig_self(g)->db, hash, g->vault, &use), ERR_NOT_FOUND);
	made = wrapped(g, buf, sizeof buf);
	assert_int_equal(rig_deliver(g->r, MSG_GRANT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
	assert_true(uuid_equal(grants_rig_keep(g, LOG_GRANT), grant));
	assert_true(rig_silent(g->r));
	assert_int_equal(grants_db_use(grants_rig_self(g)->db, hash, g->vault, &use), ERR_NOT_FOUND);
	grants_rig_kept(g, OK);
	assert_non_null(b = rig_expect(g->r, MSG_COMMAND_DONE));
	assert_true(uuid_equal(b->made.id, grant));
	assert_int_equal(grants_db_use(grants_rig_self(g)->db, hash, g->vault, &use), OK);
	assert_true(uuid_equal(use.grant, grant));
	assert_int_equal(use.life.expires.ms, 1764496900000);
	assert_int_equal(use.vault.sealed[3][71], 0x66);
}

static void
keys_that_come_after_the_mints_deadline_make_no_grant(void **state)
{
	struct grants_rig *g = *state;
	struct mint_ask_body ask;
	struct grant_keys_made_body made;
	uint8_t buf[400], hash[32];
	struct grant_use use;

	grants_rig_ready(g);
	ask = a_mint(g, g->vault.b, 1);
	assert_int_equal(mint(g, &ask), OK);
	rig_forget(g->r);
	tick_at(g, 5000);
	assert_int_equal(grants_rig_end(g), ERR_TIMEOUT);
	made = wrapped(g, buf, sizeof buf);
	assert_int_equal(rig_deliver(g->r, MSG_GRANT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
	assert_true(rig_silent(g->r));
	sha256(ask.token_id, 32, hash);
	assert_int_equal(grants_db_use(grants_rig_self(g)->db, hash, g->vault, &use), ERR_NOT_FOUND);
}

static void
a_token_that_is_in_use_mints_nothing(void **state)
{
	struct grants_rig *g = *state;
	struct mint_ask_body ask;
	struct grant_keys_made_body made;
	uint8_t buf[400];
	const union any_body *b;

	grants_rig_ready(g);
	ask = a_mint(g, g->vault.b, 1);
	memcpy(ask.token_id, g->token_id, 32);
	assert_int_equal(mint(g, &ask), OK);
	rig_forget(g->r);
	made = wrapped(g, buf, sizeof buf);
	assert_int_equal(rig_deliver(g->r, MSG_GRANT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
	(void)grants_rig_keep(g, LOG_GRANT);
	grants_rig_kept(g, OK);
	/* The log has claimed a grant that never was. */
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.type, LOG_GRANT);
	assert_int_equal(b->event.outcome, LOG_REFUSED);
	assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
}

/* In turn the log refuses the record, is lost, and says its word after a disable; at the end it is away. */
static void
a_mint_without_a_record_makes_no_grant(void **state)
{
	static const enum err ends[] = { ERR_AUDIT_FULL, ERR_AUDIT_UNAVAILABLE, ERR_NOT_ENABLED };
	struct grants_rig *g = *state;
	struct mint_ask_body ask;
	struct grant_keys_made_body made;
	uint8_t buf[400], hash[32];
	struct grant_use use;

	grants_rig_ready(g);
	ask = a_mint(g, g->vault.b, 1);
	sha256(ask.token_id, 32, hash);
	for (int i = 0; i < 3; i++) {
		grants_rig_audit(g, false);
		assert_int_equal(mint(g, &ask), OK);
		rig_forget(g->r);
		made = wrapped(g, buf, sizeof buf);
		assert_int_equal(rig_deliver(g->r, MSG_GRANT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
		(void)grants_rig_keep(g, LOG_GRANT);
		grants_rig_self(g)->enrolled = i != 2;
		if (i == 1)
			rig_edge(g->r, ACTOR_AUDIT, false);
		else
			grants_rig_kept(g, i == 0 ? ERR_AUDIT_FULL : OK);
		if (i == 2)
			assert_non_null(rig_expect(g->r, MSG_EVENT_KEEP));
		assert_int_equal(grants_rig_end(g), ends[i]);
		assert_int_equal(grants_db_use(grants_rig_self(g)->db, hash, g->vault, &use), ERR_NOT_FOUND);
	}
	grants_rig_self(g)->enrolled = true;
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(mint(g, &ask), ERR_AUDIT_UNAVAILABLE);
}

static void
the_list_goes_on_to_audit_with_what_grants_knows(void **state)
{
	struct grants_rig *g = *state;
	struct grants_ask_body ask = { .peer = g->peer, .grant_type = GRANT_UNATTENDED, .limit = 100 };
	struct grant_row_body row;
	const union any_body *b;
	struct wire_in in;

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_USAGE_WANTED));
	assert_int_equal(b->grants_page.n_rows, 1);
	assert_int_equal(b->grants_page.more, 0);
	assert_int_equal(b->grants_page.state.enrolled, 1);
	in = wire_in(b->grants_page.rows.p, b->grants_page.rows.len);
	grant_row_body_take(&in, &row);
	assert_true(wire_done(&in));
	assert_true(uuid_equal(row.grant, g->grant));
	assert_int_equal(row.vaults.len, UUID_LEN);
	for (uint32_t limit = 0; limit < 200; limit += 101) {
		ask.limit = limit;
		assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &ask), OK);
		assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
	}
	ask.limit = 1;
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_UNAVAILABLE);
	ask.peer.uid++;
	assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
}

static void
a_page_of_the_widest_grants_fits_its_message(void **state)
{
	struct grants_rig *g = *state;
	struct grants_ask_body ask = { .peer = g->peer, .grant_type = GRANT_UNATTENDED, .limit = 100 };
	static struct grant_record r;
	const union any_body *b;

	grants_rig_ready(g);
	for (unsigned n = 0; n < 101; n++) {
		r = (struct grant_record){ .grant = grants_rig_id(0x80), .type = GRANT_UNATTENDED, .revision = 1,
			.classes = 1, .n_vaults = GRANT_VAULTS_MAX };
		memset(r.label, 0x6c, GRANT_LABEL_MAX);
		r.grant.b[15] = r.token_hash[0] = (uint8_t)n;
		for (unsigned v = 0; v < GRANT_VAULTS_MAX; v++) {
			r.vaults[v].vault.b[0] = (uint8_t)(v + 1);
			r.vaults[v].classes = 1;
		}
		assert_int_equal(grants_db_add_grant(grants_rig_self(g)->db, &r), OK);
	}
	ask.offset = 1;
	assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_USAGE_WANTED));
	assert_int_equal(b->grants_page.n_rows, 100);
	assert_int_equal(b->grants_page.more, 1);
}

static enum err
resume(struct grants_rig *g)
{
	struct owner_ask_body ask = owner(g);

	assert_int_equal(grants_rig_say(g, MSG_RESUME_WANTED, &ask), OK);
	return rig_next(g->r) == MSG_EVENT_KEEP ? OK : grants_rig_end(g);
}

static void
a_resume_lifts_the_locks_ban_after_its_record_and_loads_nothing(void **state)
{
	struct grants_rig *g = *state;
	const union any_body *b;

	grants_rig_ready(g);
	assert_int_equal(ban_set(grants_rig_self(g)->ban, (struct ban_state){ .manual_lock = true }), OK);
	grants_rig_self(g)->log_ban = true;
	assert_int_equal(resume(g), OK);
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.type, LOG_RESUME);
	assert_true(grants_rig_ban_on_disk().manual_lock);
	assert_true(grants_banned(grants_rig_self(g)));
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, g->n_asks, &(struct result_body){ .error = OK }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
	assert_false(grants_rig_ban_on_disk().manual_lock);
	assert_false(grants_banned(grants_rig_self(g)));
}

static void
a_resume_that_fails_at_either_step_leaves_the_ban(void **state)
{
	struct grants_rig *g = *state;
	struct result_body kept = { .error = ERR_AUDIT_FULL };

	grants_rig_ready(g);
	assert_int_equal(ban_set(grants_rig_self(g)->ban, (struct ban_state){ .manual_lock = true }), OK);
	assert_int_equal(resume(g), OK);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, g->n_asks, &kept), OK);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_FULL);
	assert_true(grants_banned(grants_rig_self(g)));
	assert_int_equal(resume(g), OK);
	rig_forget(g->r);
	kept.error = OK;
	disk_limit(0);
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, g->n_asks, &kept), OK);
	disk_unlimit();
	assert_int_equal(grants_rig_end(g), ERR_STORAGE_FAILED);
	assert_true(grants_rig_ban_on_disk().manual_lock);
	assert_true(grants_banned(grants_rig_self(g)));
}

static void
a_resume_lifts_no_ban_of_disable_and_needs_sudo_enrolment_and_audit(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	assert_int_equal(ban_set(grants_rig_self(g)->ban, (struct ban_state){ true, true }), OK);
	assert_int_equal(resume(g), OK);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, g->n_asks, &(struct result_body){ .error = OK }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(grants_rig_ban_on_disk().disabled);
	assert_true(grants_banned(grants_rig_self(g)));
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(resume(g), ERR_AUDIT_UNAVAILABLE);
	grants_rig_self(g)->enrolled = false;
	assert_int_equal(resume(g), ERR_NOT_ENABLED);
	sudo_end_all(&grants_rig_self(g)->sudo);
	assert_int_equal(resume(g), ERR_SUDO_REQUIRED);
}

static void
a_revoke_is_durable_before_it_is_said_and_answers_after_the_keyring(void **state)
{
	struct grants_rig *g = *state;
	struct revoke_ask_body ask = { .peer = g->peer, .grant_type = GRANT_UNATTENDED, .grant = g->grant };
	struct grant_record r;
	struct result_body kept = { .error = OK };

	grants_rig_ready(g);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
		assert_int_equal(grants_db_grant(grants_rig_self(g)->db, g->grant, &r), OK);
		assert_true(r.revoked);
		assert_int_equal(rig_expect(g->r, MSG_EVENT_KEEP)->event.type, LOG_REVOKE);
		assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, rig_ask_id(g->r), &kept), OK);
		assert_non_null(rig_expect(g->r, MSG_GRANT_DROP));
		assert_true(rig_silent(g->r));
		assert_int_equal(rig_deliver(g->r, MSG_GRANT_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
		assert_int_equal(grants_rig_end(g), OK);
	}
	ask.grant = grants_rig_id(0x99);
	assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_FOUND);
	ask.peer.session++;
	assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
}

/* Goes through a disable and stops after so many steps; true when it came to its end. */
static bool
disable_steps(struct grants_rig *g, int steps)
{
	struct disable_ask_body ask = { .peer = g->peer };
	struct result_body kept = { .error = OK };

	assert_int_equal(grants_rig_say(g, MSG_DISABLE_WANTED, &ask), OK);
	assert_int_equal(rig_expect(g->r, MSG_EVENT_KEEP)->event.type, LOG_DISABLE);
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, rig_ask_id(g->r), &kept), OK);
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	if (steps == 1)
		return false;
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_REMOVE));
	if (steps == 2)
		return false;
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_REMOVED, ACTOR_CUSTODY, g->n_asks, &(struct custody_result_body){ .error = OK }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	return true;
}

static void
a_disable_cut_off_after_any_step_stays_banned_and_can_be_repeated(void **state)
{
	struct grants_rig *g = *state;
	static struct grant_record rows[4];
	struct enrolment_record r;
	size_t n;
	bool more;

	grants_rig_ready(g);
	for (int steps = 1; steps <= 3; steps++) {
		bool done = disable_steps(g, steps);

		grants_rig_restart(g);
		assert_true(grants_rig_ban_on_disk().disabled);
		assert_false(grants_rig_ban_on_disk().manual_lock);
		assert_int_equal(grants_db_list(grants_rig_self(g)->db, GRANT_UNATTENDED, 0, 4, rows, &n, &more), OK);
		assert_int_equal(n, 0);
		assert_int_equal(grants_db_enrolment(grants_rig_self(g)->db, CUSTODY_UNATTENDED, &r), done ? ERR_NOT_ENABLED : OK);
		come_up(g);
		assert_non_null(rig_expect(g->r, MSG_STARTED));
		assert_true(rig_silent(g->r)); /* no key-only start under the ban */
		grants_rig_keyring(g, true, false);
		grants_rig_sudo(g);
	}
	assert_int_equal(enable(g, "owner-file"), OK);
}

static void
a_disable_whose_backend_fails_can_be_repeated(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_ready(g);
	assert_false(disable_steps(g, 2));
	assert_int_equal(rig_deliver(g->r, MSG_MATERIAL_REMOVED, ACTOR_CUSTODY, g->n_asks,
	    &(struct custody_result_body){ .error = ERR_CUSTODY_UNSAFE }), OK);
	assert_int_equal(grants_rig_end(g), ERR_CUSTODY_UNSAFE);
	assert_true(grants_rig_self(g)->enrolled);
	assert_true(disable_steps(g, 3));
}

static void
a_disable_that_leaves_the_material_asks_no_backend(void **state)
{
	struct grants_rig *g = *state;
	struct disable_ask_body ask = { .peer = g->peer, .leave = 1 };

	grants_rig_ready(g);
	assert_int_equal(grants_rig_say(g, MSG_DISABLE_WANTED, &ask), OK);
	assert_non_null(rig_expect(g->r, MSG_EVENT_KEEP));
	assert_non_null(rig_expect(g->r, MSG_KEYS_DROP));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
	assert_false(grants_rig_self(g)->enrolled);
	assert_true(grants_rig_ban_on_disk().disabled);
}

static void
a_disable_whose_ban_fails_changes_nothing_else(void **state)
{
	struct grants_rig *g = *state;
	struct disable_ask_body ask = { .peer = g->peer };
	struct grant_record r;

	grants_rig_ready(g);
	disk_limit(0);
	assert_int_equal(grants_rig_say(g, MSG_DISABLE_WANTED, &ask), OK);
	disk_unlimit();
	assert_int_equal(grants_rig_end(g), ERR_STORAGE_FAILED);
	assert_int_equal(grants_db_grant(grants_rig_self(g)->db, g->grant, &r), OK);
	assert_false(r.revoked);
	assert_int_equal(grants_rig_say(g, MSG_DISABLE_WANTED, &(struct disable_ask_body){ .peer = { .uid = 1 } }), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(a_start_asks_custody_once_log_and_keyring_have_spoken),
		GRANTS_TEST(a_locked_or_unavailable_custody_is_asked_again_each_minute),
		GRANTS_TEST(any_other_word_of_custody_ends_the_tries),
		GRANTS_TEST(a_ban_or_a_center_or_a_removed_device_asks_custody_nothing),
		GRANTS_TEST(a_lock_that_only_the_log_knows_of_bans_the_start),
		GRANTS_TEST(a_start_waits_three_seconds_for_a_log_that_does_not_come),
		GRANTS_TEST(a_new_keyring_means_a_new_key_only_start),
		GRANTS_TEST(a_key_that_arrives_after_a_lock_is_dropped_again),
		GRANTS_TEST(enabling_is_kept_once_custody_has_the_material),
		GRANTS_TEST(a_custody_that_cannot_keep_material_leaves_no_enrolment_and_no_key),
		GRANTS_TEST(enabling_without_a_record_leaves_no_enrolment_and_no_key),
		GRANTS_TEST(enabling_lifts_the_ban_of_disable_and_never_a_locks),
		GRANTS_TEST(a_mint_needs_sudo_enrolment_a_loaded_key_and_known_vaults_each_once),
		GRANTS_TEST(a_minted_grant_is_kept_with_its_hash_and_wraps_before_it_is_said),
		GRANTS_TEST(keys_that_come_after_the_mints_deadline_make_no_grant),
		GRANTS_TEST(a_mint_without_a_record_makes_no_grant),
		GRANTS_TEST(a_token_that_is_in_use_mints_nothing),
		GRANTS_TEST(the_list_goes_on_to_audit_with_what_grants_knows),
		GRANTS_TEST(a_page_of_the_widest_grants_fits_its_message),
		GRANTS_TEST(a_resume_lifts_the_locks_ban_after_its_record_and_loads_nothing),
		GRANTS_TEST(a_resume_that_fails_at_either_step_leaves_the_ban),
		GRANTS_TEST(a_resume_lifts_no_ban_of_disable_and_needs_sudo_enrolment_and_audit),
		GRANTS_TEST(a_revoke_is_durable_before_it_is_said_and_answers_after_the_keyring),
		GRANTS_TEST(a_disable_cut_off_after_any_step_stays_banned_and_can_be_repeated),
		GRANTS_TEST(a_disable_whose_backend_fails_can_be_repeated),
		GRANTS_TEST(a_disable_that_leaves_the_material_asks_no_backend),
		GRANTS_TEST(a_disable_whose_ban_fails_changes_nothing_else),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
