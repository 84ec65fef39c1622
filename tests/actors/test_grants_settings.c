/* The owner's settings: password, Center, devices; when each takes effect, and what it takes away. */
#include "tests/actors/grants_rig.h"

static const struct uuid none;

static void
ready(struct grants_rig *g)
{
	grants_rig_ready(g);
	grants_rig_sudo(g);
}

static void
set(struct grants_rig *g, enum log_config what, struct uuid id)
{
	struct setting_ask_body b = { .peer = g->peer, .what = (uint8_t)what, .id = id };

	assert_int_equal(grants_rig_say(g, MSG_SETTING_WANTED, &b), OK);
}

/* The record that is told to audit now. */
static struct event_body
expect_record(struct grants_rig *g, enum log_config what)
{
	const union any_body *b = rig_expect(g->r, MSG_EVENT_KEEP);

	assert_non_null(b);
	assert_int_equal(b->event.type, LOG_CONFIG);
	assert_int_equal(b->event.config, what);
	return b->event;
}

static void
recorded(struct grants_rig *g, uint64_t ask, enum err e)
{
	assert_int_equal(rig_deliver(g->r, MSG_EVENT_KEPT, ACTOR_AUDIT, ask, &(struct result_body){ .error = (uint16_t)e }), OK);
}

static void
expect_unattended_drop(struct grants_rig *g)
{
	const union any_body *b = rig_expect(g->r, MSG_KEYS_DROP);

	assert_non_null(b);
	assert_int_equal(b->keys_drop.password, 0);
	assert_int_equal(b->keys_drop.unattended, 1);
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_DROPPED, ACTOR_KEYRING, g->n_asks, &(struct nothing_body){ 0 }), OK);
}

static struct library_record
on_disk(const struct grants_rig *g)
{
	struct library_record r;

	assert_int_equal(grants_db_library(grants_rig_self(g)->db, &r), OK);
	return r;
}

static void
a_center_ends_unattended_use_at_once(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = { .op = OP_READ, .surface = SURFACE_CLI, .vault = g->vault, .grant_type = GRANT_UNATTENDED };
	const union any_body *b;

	ready(g);
	memcpy(ask.token_id, g->token_id, sizeof ask.token_id);
	set(g, CONFIG_CENTER, none);
	(void)expect_record(g, CONFIG_CENTER);
	expect_unattended_drop(g);
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(on_disk(g).center_managed);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	b = rig_expect(g->r, MSG_ASK_DENIED);
	assert_int_equal(b->refusal.error, ERR_CENTER_MANAGED);
}

static void
a_center_goes_when_that_is_recorded_and_the_key_is_loaded_again(void **state)
{
	struct grants_rig *g = *state;
	uint64_t ask;

	ready(g);
	grants_rig_self(g)->library.center_managed = true;
	grants_rig_self(g)->loaded = false;
	set(g, CONFIG_NO_CENTER, none);
	(void)expect_record(g, CONFIG_NO_CENTER);
	ask = rig_ask_id(g->r);
	assert_true(rig_silent(g->r));
	assert_true(grants_rig_self(g)->library.center_managed);
	recorded(g, ask, OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_false(on_disk(g).center_managed);
	assert_non_null(rig_expect(g->r, MSG_MATERIAL_WANTED));
}

static void
without_a_log_nothing_is_widened_and_everything_is_narrowed(void **state)
{
	struct grants_rig *g = *state;

	ready(g);
	rig_edge(g->r, ACTOR_AUDIT, false);
	rig_forget(g->r);
	set(g, CONFIG_CENTER, none);
	expect_unattended_drop(g);
	assert_int_equal(grants_rig_end(g), OK);
	set(g, CONFIG_NO_CENTER, none);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_UNAVAILABLE);
	assert_true(on_disk(g).center_managed);
}

static void
a_record_that_the_log_refuses_changes_nothing(void **state)
{
	struct grants_rig *g = *state;
	uint64_t ask;

	ready(g);
	grants_rig_self(g)->library.center_managed = true;
	set(g, CONFIG_NO_CENTER, none);
	(void)expect_record(g, CONFIG_NO_CENTER);
	ask = rig_ask_id(g->r);
	recorded(g, ask, ERR_AUDIT_FULL);
	assert_int_equal(grants_rig_end(g), ERR_AUDIT_FULL);
	assert_true(grants_rig_self(g)->library.center_managed);
}

static void
what_is_so_already_is_done_without_a_record(void **state)
{
	struct grants_rig *g = *state;

	ready(g);
	set(g, CONFIG_NO_CENTER, none);
	assert_int_equal(grants_rig_end(g), OK);
	set(g, CONFIG_DEVICE_ADDED, grants_rig_id(0x52));
	assert_int_equal(grants_rig_end(g), OK);
	assert_true(rig_silent(g->r));
}

static void
removing_this_device_stops_its_next_read_and_any_other_is_unknown(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = { .op = OP_READ, .surface = SURFACE_STDIO, .vault = g->vault, .grant_type = GRANT_UNATTENDED };
	struct event_body record;
	const union any_body *b;

	ready(g);
	memcpy(ask.token_id, g->token_id, sizeof ask.token_id);
	set(g, CONFIG_DEVICE_REMOVED, grants_rig_id(0x53));
	assert_int_equal(grants_rig_end(g), ERR_NOT_FOUND);
	set(g, CONFIG_DEVICE_REMOVED, grants_rig_id(0x52));
	record = expect_record(g, CONFIG_DEVICE_REMOVED);
	assert_true(uuid_equal(record.about, grants_rig_id(0x52)));
	expect_unattended_drop(g);
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	b = rig_expect(g->r, MSG_ASK_DENIED);
	assert_int_equal(b->refusal.error, ERR_DEVICE_REMOVED);
}

static void
devices_and_passwords_need_sudo_and_settings_an_unlocked_library(void **state)
{
	struct grants_rig *g = *state;
	struct passwd_offer_body offer = { .peer = g->peer };
	struct owner_ask_body ask = { .peer = g->peer };

	grants_rig_ready(g);
	sudo_end_all(&grants_rig_self(g)->sudo);
	set(g, CONFIG_DEVICE_REMOVED, grants_rig_id(0x52));
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
	assert_int_equal(grants_rig_say(g, MSG_PASSWD_WANTED, &offer), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
	assert_int_equal(grants_rig_say(g, MSG_DEVICE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_SUDO_REQUIRED);
	grants_rig_keyring(g, false, true);
	set(g, CONFIG_CENTER, none);
	assert_int_equal(grants_rig_end(g), ERR_LOCKED);
	for (unsigned what = 0; what <= CONFIG__COUNT; what++)
		if (what != CONFIG_CENTER && what != CONFIG_NO_CENTER && what != CONFIG_DEVICE_REMOVED && what != CONFIG_DEVICE_ADDED) {
			set(g, (enum log_config)what, none);
			assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
		}
}

static void
a_new_password_is_kept_when_it_is_recorded_and_ends_every_sudo(void **state)
{
	struct grants_rig *g = *state;
	struct passwd_offer_body offer = { .peer = g->peer, .kdf = { .passes = 4, .memory_kib = 8192 } };
	struct rewrapped_body made;
	uint64_t ask;

	ready(g);
	memset(offer.kdf.salt, 7, sizeof offer.kdf.salt);
	memset(made.sealed_root, 0x77, sizeof made.sealed_root);
	assert_int_equal(grants_rig_say(g, MSG_PASSWD_WANTED, &offer), OK);
	assert_non_null(rig_expect(g->r, MSG_REWRAP));
	assert_int_equal(rig_deliver(g->r, MSG_REWRAPPED, ACTOR_KEYRING, g->n_asks, &made), OK);
	(void)expect_record(g, CONFIG_PASSWORD);
	ask = rig_ask_id(g->r);
	assert_int_not_equal(on_disk(g).envelope.passes, 4);
	recorded(g, ask, OK);
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(on_disk(g).envelope.passes, 4);
	assert_int_equal(on_disk(g).envelope.memory_kib, 8192);
	assert_memory_equal(on_disk(g).envelope.salt, offer.kdf.salt, sizeof offer.kdf.salt);
	assert_memory_equal(on_disk(g).envelope.sealed_root, made.sealed_root, sizeof made.sealed_root);
	assert_false(sudo_has(&grants_rig_self(g)->sudo, &g->peer, clock_mono()));
}

static void
a_password_that_the_keyring_refuses_changes_nothing(void **state)
{
	struct grants_rig *g = *state;
	struct passwd_offer_body offer = { .peer = g->peer };

	ready(g);
	assert_int_equal(grants_rig_say(g, MSG_PASSWD_WANTED, &offer), OK);
	assert_non_null(rig_expect(g->r, MSG_REWRAP));
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_NOT_MADE, ACTOR_KEYRING, g->n_asks,
	    &(struct result_body){ .error = ERR_KDF_TOO_WEAK }), OK);
	assert_int_equal(grants_rig_end(g), ERR_KDF_TOO_WEAK);
	assert_int_equal(on_disk(g).envelope.passes, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(a_center_ends_unattended_use_at_once),
		GRANTS_TEST(a_center_goes_when_that_is_recorded_and_the_key_is_loaded_again),
		GRANTS_TEST(without_a_log_nothing_is_widened_and_everything_is_narrowed),
		GRANTS_TEST(a_record_that_the_log_refuses_changes_nothing),
		GRANTS_TEST(what_is_so_already_is_done_without_a_record),
		GRANTS_TEST(removing_this_device_stops_its_next_read_and_any_other_is_unknown),
		GRANTS_TEST(devices_and_passwords_need_sudo_and_settings_an_unlocked_library),
		GRANTS_TEST(a_new_password_is_kept_when_it_is_recorded_and_ends_every_sudo),
		GRANTS_TEST(a_password_that_the_keyring_refuses_changes_nothing),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
