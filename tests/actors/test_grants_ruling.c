/* Which asks get a ruling: every state against every ask, beside a table written from the contract. */
#include "tests/actors/grants_rig.h"

enum token { TOKEN_UNKNOWN, TOKEN_ALIVE, TOKEN_EXPIRED, TOKEN_REVOKED, TOKEN_NARROW, TOKEN__COUNT };

#define NARROW_CLASSES (1u << CLASS_FILE)

static void
token_bytes(enum token t, uint8_t out[32])
{
	memset(out, 0x70 + (int)t, 32);
}

/* One grant of each sort over the rig's vault. */
static void
make_grants(struct grants_rig *g)
{
	for (unsigned t = TOKEN_ALIVE; t < TOKEN__COUNT; t++) {
		g->grant = grants_rig_id((uint8_t)(0x40 + t));
		token_bytes((enum token)t, g->token_id);
		grants_rig_grant(g, t == TOKEN_EXPIRED ? 1000 : 0, t == TOKEN_NARROW ? NARROW_CLASSES : 0x0f);
	}
	assert_int_equal(grants_db_revoke(grants_rig_self(g)->db, grants_rig_id(0x40 + TOKEN_REVOKED)), OK);
	fake_clock_advance(1000);
	grants_rig_vault(g);
}

static struct ask_body
ask_of(const struct grants_rig *g, enum op op, enum surface surface)
{
	return (struct ask_body){ .peer = g->peer, .op = (uint8_t)op, .surface = (uint8_t)surface, .vault = g->vault, .limit = 1 };
}

/* The refusal's error, or OK and the ruling. */
static enum err
rule(struct grants_rig *g, const struct ask_body *ask, struct ruling_body *ruling, struct refusal_body *refusal)
{
	const union any_body *b;

	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, ask), OK);
	if (rig_next(g->r) == MSG_ASK_DENIED) {
		assert_non_null(b = rig_expect(g->r, MSG_ASK_DENIED));
		assert_int_equal(rig_ask_id(g->r), g->n_asks);
		assert_true(rig_silent(g->r));
		*refusal = b->refusal;
		return (enum err)b->refusal.error;
	}
	assert_non_null(b = rig_expect(g->r, MSG_RECORD_WANTED));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_true(rig_silent(g->r));
	*ruling = b->ruling;
	return OK;
}

struct world {
	bool initialized, center, member, banned, enrolled, loaded;
};

static void
make_world(struct grants *g, const struct world *w)
{
	g->initialized = w->initialized;
	g->library.center_managed = w->center;
	g->library.device_member = w->member;
	g->log_ban = w->banned;
	g->enrolled = w->enrolled;
	g->loaded = w->loaded;
}

static enum err
verdict_of_grant(const struct world *w, enum token t, enum op op, enum surface surface, bool its_vault)
{
	if (!w->initialized)
		return ERR_NOT_INITIALIZED;
	if (surface != SURFACE_CLI && surface != SURFACE_STDIO)
		return ERR_INVALID_ARGUMENT;
	if (op < OP_LIST || op > OP_CREDENTIAL_BYTES)
		return ERR_INVALID_ARGUMENT;
	if (w->center)
		return ERR_CENTER_MANAGED;
	if (!w->member)
		return ERR_DEVICE_REMOVED;
	if (w->banned)
		return ERR_BANNED;
	if (!w->enrolled)
		return ERR_NOT_ENABLED;
	if (!w->loaded)
		return ERR_UNATTENDED_NOT_LOADED;
	if (t != TOKEN_ALIVE && t != TOKEN_NARROW)
		return ERR_INVALID_GRANT;
	return its_vault ? OK : ERR_VAULT_NOT_GRANTED;
}

static void
try_grant(struct grants_rig *g, const struct world *w, enum token t, enum op op, enum surface surface, bool its_vault)
{
	struct ask_body ask = ask_of(g, op, surface);
	enum err want = verdict_of_grant(w, t, op, surface, its_vault), got;
	struct refusal_body refusal;
	struct ruling_body ruling;

	token_bytes(t, ask.token_id);
	if (!its_vault)
		ask.vault = grants_rig_id(0x12);
	if ((got = rule(g, &ask, &ruling, &refusal)) != want)
		fail_msg("token %d, %s, %s: %s instead of %s", t, op_name(op), surface_name(surface), err_code(got), err_code(want));
	if (got == OK)
		assert_true(uuid_equal(ruling.grant, grants_rig_id((uint8_t)(0x40 + t))));
	else
		assert_int_equal(refusal.authenticated, got == ERR_VAULT_NOT_GRANTED);
}

static void
a_grants_ask_is_ruled_as_the_contract_says_in_every_state(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_init(g);
	make_grants(g);
	for (unsigned bits = 0; bits < 64; bits++) {
		struct world w = { bits & 1, bits & 2, bits & 4, bits & 8, bits & 16, bits & 32 };

		make_world(grants_rig_self(g), &w);
		for (unsigned t = 0; t < TOKEN__COUNT; t++)
			for (unsigned op = OP_NONE; op <= OP__COUNT; op++)
				try_grant(g, &w, (enum token)t, (enum op)op, (op + bits) % 2 ? SURFACE_CLI : SURFACE_STDIO, bits % 3 != 1);
	}
}

static void
a_grants_ask_comes_from_cli_or_stdio_alone(void **state)
{
	static const struct world open = { true, false, true, false, true, true };
	struct grants_rig *g = *state;

	grants_rig_init(g);
	make_grants(g);
	make_world(grants_rig_self(g), &open);
	for (unsigned surface = SURFACE_NONE; surface <= SURFACE__COUNT; surface++)
		for (int its_vault = 0; its_vault < 2; its_vault++)
			try_grant(g, &open, TOKEN_ALIVE, OP_READ, (enum surface)surface, its_vault);
}

static enum err
verdict_of_owner(bool initialized, bool unlocked, bool sudo, enum op op, enum surface surface, bool vault_known)
{
	if (surface != SURFACE_OWNER || op <= OP_NONE || op >= OP__COUNT)
		return ERR_INVALID_ARGUMENT;
	if (!initialized)
		return ERR_NOT_INITIALIZED;
	if (!unlocked)
		return ERR_LOCKED;
	if (op == OP_CREDENTIAL_BYTES && !sudo)
		return ERR_SUDO_REQUIRED;
	return op == OP_VAULT_LIST || vault_known ? OK : ERR_NOT_FOUND;
}

static void
try_owner(struct grants_rig *g, unsigned bits, enum op op)
{
	struct grants *self = grants_rig_self(g);
	enum surface surface = bits & 8 ? SURFACE_CLI : SURFACE_OWNER;
	struct ask_body ask = ask_of(g, op, surface);
	struct refusal_body refusal;
	struct ruling_body ruling;
	enum err want = verdict_of_owner(bits & 1, bits & 2, bits & 4, op, surface, bits & 16), got;

	self->initialized = bits & 1;
	self->unlocked = bits & 2;
	sudo_end_all(&self->sudo);
	if (bits & 4)
		grants_rig_sudo(g);
	if (!(bits & 16))
		ask.vault = grants_rig_id(0x12);
	if ((got = rule(g, &ask, &ruling, &refusal)) != want)
		fail_msg("%x, %s: %s instead of %s", bits, op_name(op), err_code(got), err_code(want));
	if (got != OK)
		return;
	assert_true(uuid_is_zero(ruling.grant));
	assert_int_equal(ruling.subject_kind, LOG_TERMINAL);
	assert_int_equal(ruling.classes, op == OP_VAULT_LIST || op == OP_WRITE_NAME ? 0 : 0x0f);
}

static void
an_owners_ask_is_ruled_as_the_contract_says_in_every_state(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_init(g);
	grants_rig_vault(g);
	for (unsigned bits = 0; bits < 32; bits++)
		for (unsigned op = OP_NONE; op <= OP__COUNT; op++)
			try_owner(g, bits, (enum op)op);
}

static void
a_ban_stops_no_owner_and_a_lock_of_the_library_no_grant(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;

	grants_rig_ready(g);
	grants_rig_self(g)->log_ban = true;
	ask = ask_of(g, OP_READ, SURFACE_OWNER);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
	grants_rig_self(g)->log_ban = false;
	grants_rig_self(g)->unlocked = false;
	ask = ask_of(g, OP_READ, SURFACE_CLI);
	memcpy(ask.token_id, g->token_id, 32);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
}

static void
a_ruling_holds_for_two_seconds_and_only_the_keyring_can_check_it(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;
	struct key *pair = NULL, *k = NULL;
	uint8_t mac[32];

	grants_rig_ready(g);
	ask = ask_of(g, OP_READ, SURFACE_CLI);
	memcpy(ask.token_id, g->token_id, 32);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
	assert_int_equal(ruling.deadline_boot_ms, clock_mono().ms + 2000);
	assert_int_equal(ruling.grant_revision, 1);
	assert_int_equal(ruling.subject_kind, LOG_GRANT_ID);
	assert_true(uuid_equal(ruling.subject, g->grant));
	assert_int_equal(key_of(rig_pair_key(ACTOR_GRANTS, ACTOR_KEYRING), &pair), OK);
	assert_int_equal(key_new(&k), OK);
	derive(pair, "memories/ruling-key/v1", (struct span){ NULL, 0 }, k);
	ruling_mac(k, &ruling, mac);
	assert_memory_equal(mac, ruling.mac, sizeof mac);
	key_free(&pair);
	key_free(&k);
}

static void
a_narrowed_grant_brings_its_own_wraps_only(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;
	struct wrap_body wrap;
	struct wire_in in;

	grants_rig_init(g);
	make_grants(g);
	make_world(grants_rig_self(g), &(struct world){ true, false, true, false, true, true });
	ask = ask_of(g, OP_LIST, SURFACE_CLI);
	token_bytes(TOKEN_NARROW, ask.token_id);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
	assert_int_equal(ruling.classes, NARROW_CLASSES);
	in = wire_in(ruling.wraps.p, ruling.wraps.len);
	wrap_body_take(&in, &wrap);
	assert_true(wire_done(&in));
	assert_int_equal(wrap.key_class, CLASS_FILE);
	assert_int_equal(wrap.sealed[0], 0x44);
}

static void
an_expired_grant_over_another_vault_says_only_that_it_is_invalid(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;

	grants_rig_init(g);
	make_grants(g);
	make_world(grants_rig_self(g), &(struct world){ true, false, true, false, true, true });
	ask = ask_of(g, OP_LIST, SURFACE_CLI);
	ask.vault = grants_rig_id(0x12);
	token_bytes(TOKEN_EXPIRED, ask.token_id);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), ERR_INVALID_GRANT);
	assert_int_equal(refusal.authenticated, 0);
}

static void
a_ban_file_that_says_either_ban_stops_grants(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;

	grants_rig_ready(g);
	ask = ask_of(g, OP_READ, SURFACE_CLI);
	memcpy(ask.token_id, g->token_id, 32);
	for (unsigned bits = 0; bits < 4; bits++) {
		struct ban_state ban = { bits & 1, bits & 2 };

		assert_int_equal(ban_set(grants_rig_self(g)->ban, ban), OK);
		assert_int_equal(rule(g, &ask, &ruling, &refusal), bits == 0 ? OK : ERR_BANNED);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(a_grants_ask_is_ruled_as_the_contract_says_in_every_state),
		GRANTS_TEST(a_grants_ask_comes_from_cli_or_stdio_alone),
		GRANTS_TEST(an_owners_ask_is_ruled_as_the_contract_says_in_every_state),
		GRANTS_TEST(a_ban_stops_no_owner_and_a_lock_of_the_library_no_grant),
		GRANTS_TEST(a_ruling_holds_for_two_seconds_and_only_the_keyring_can_check_it),
		GRANTS_TEST(a_narrowed_grant_brings_its_own_wraps_only),
		GRANTS_TEST(an_expired_grant_over_another_vault_says_only_that_it_is_invalid),
		GRANTS_TEST(a_ban_file_that_says_either_ban_stops_grants),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
