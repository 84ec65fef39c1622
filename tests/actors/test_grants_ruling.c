/* Which asks get a ruling: every state against every ask, beside a table written from the contract. */
#include "tests/actors/grants_rig.h"

enum token {
	TOKEN_UNKNOWN, TOKEN_ALIVE, TOKEN_EXPIRED, TOKEN_REVOKED, TOKEN_NARROW,
	TOKEN_ORDINARY, TOKEN_PROPOSER, TOKEN_ORDINARY_EXPIRED, TOKEN_ORDINARY_REVOKED, TOKEN__COUNT
};

#define NARROW_CLASSES (1u << CLASS_FILE)

static void
token_bytes(enum token t, uint8_t out[32])
{
	memset(out, 0x70 + (int)t, 32);
}

static enum grant_type
type_of(enum token t)
{
	return t >= TOKEN_ORDINARY ? GRANT_ORDINARY : GRANT_UNATTENDED;
}

static struct grant_record
record_of(const struct grants_rig *g, enum token t)
{
	struct grant_record r = { .grant = grants_rig_id((uint8_t)(0x40 + t)), .type = type_of(t), .revision = 1, .n_vaults = 1,
		.life = { .created = clock_wall(), .boot = clock_boot(), .minted = clock_mono() },
		.may_propose = t == TOKEN_PROPOSER };
	uint8_t id[32];

	token_bytes(t, id);
	sha256(id, sizeof id, r.token_hash);
	r.classes = t == TOKEN_NARROW ? NARROW_CLASSES : r.type == GRANT_ORDINARY ? 1u << CLASS_ORDINARY : 0x0f;
	if (t == TOKEN_EXPIRED || t == TOKEN_ORDINARY_EXPIRED)
		r.life.expires.ms = clock_wall().ms + 1000;
	r.vaults[0].vault = g->vault;
	r.vaults[0].classes = r.classes;
	memset(r.vaults[0].sealed, 0x44, sizeof r.vaults[0].sealed);
	return r;
}

/* One grant of each sort over the rig's vault. */
static void
make_grants(struct grants_rig *g)
{
	static const enum token revoked[] = { TOKEN_REVOKED, TOKEN_ORDINARY_REVOKED };
	struct grants_db *db = grants_rig_self(g)->db;

	for (unsigned t = TOKEN_ALIVE; t < TOKEN__COUNT; t++) {
		struct grant_record r = record_of(g, (enum token)t);

		assert_int_equal(grants_db_add_grant(db, &r), OK);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(grants_db_revoke(db, type_of(revoked[i]), grants_rig_id((uint8_t)(0x40 + revoked[i]))), OK);
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

	((struct grants *)grants_rig_self(g))->search.up = true;
	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, ask), OK);
	/* What was seen to be over is told to the log on the way. */
	while (rig_next(g->r) == MSG_EVENT_KEEP || rig_next(g->r) == MSG_GRANT_DROP)
		(void)rig_expect(g->r, rig_next(g->r));
	if (rig_next(g->r) == MSG_ASK_DENIED) {
		assert_non_null(b = rig_expect(g->r, MSG_ASK_DENIED));
		assert_int_equal(rig_ask_id(g->r), g->n_asks);
		assert_true(rig_silent(g->r));
		*refusal = b->refusal;
		return (enum err)b->refusal.error;
	}
	assert_non_null(b = rig_expect(g->r, ask->op == OP_SEARCH ? MSG_QUERY_WANTED : MSG_RECORD_WANTED));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_true(rig_silent(g->r));
	*ruling = b->ruling;
	return OK;
}

struct world {
	bool initialized, center, member, banned, enrolled, loaded, unlocked;
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
	g->unlocked = w->unlocked;
}

/* What a client of a grant asks. */
struct try {
	enum token      token;
	enum grant_type claim;
	enum op         op;
	enum surface    surface;
	bool            its_vault;
};

static bool
has_op(enum grant_type type, enum op op)
{
	if (op == OP_LIST || op == OP_READ)
		return true;
	return type == GRANT_ORDINARY ? op == OP_SEARCH || op == OP_PROPOSE : op == OP_HISTORY || op == OP_CREDENTIAL_BYTES;
}

static enum err
verdict_of_unattended(const struct world *w, const struct try *t)
{
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
	if (t->token != TOKEN_ALIVE && t->token != TOKEN_NARROW)
		return ERR_INVALID_GRANT;
	return t->its_vault ? OK : ERR_VAULT_NOT_GRANTED;
}

static enum err
verdict_of_ordinary(const struct world *w, const struct try *t)
{
	if (t->token != TOKEN_ORDINARY && t->token != TOKEN_PROPOSER)
		return ERR_INVALID_GRANT;
	if (!w->unlocked)
		return ERR_LOCKED;
	if (!t->its_vault)
		return ERR_VAULT_NOT_GRANTED;
	return t->op == OP_PROPOSE && t->token != TOKEN_PROPOSER ? ERR_PROPOSE_NOT_GRANTED : OK;
}

static enum err
verdict_of_grant(const struct world *w, const struct try *t)
{
	if (!w->initialized)
		return ERR_NOT_INITIALIZED;
	if (t->claim != GRANT_UNATTENDED && t->claim != GRANT_ORDINARY)
		return ERR_INVALID_ARGUMENT;
	if (t->surface != SURFACE_STDIO && (t->surface != SURFACE_CLI || t->claim == GRANT_ORDINARY))
		return ERR_INVALID_ARGUMENT;
	if (!has_op(GRANT_UNATTENDED, t->op) && !has_op(GRANT_ORDINARY, t->op))
		return ERR_INVALID_ARGUMENT;
	if (!has_op(t->claim, t->op))
		return ERR_INVALID_GRANT;
	return t->claim == GRANT_ORDINARY ? verdict_of_ordinary(w, t) : verdict_of_unattended(w, t);
}

static void
try_grant(struct grants_rig *g, const struct world *w, struct try t)
{
	struct ask_body ask = ask_of(g, t.op, t.surface);
	enum err want = verdict_of_grant(w, &t), got;
	struct refusal_body refusal;
	struct ruling_body ruling;
	bool known;

	token_bytes(t.token, ask.token_id);
	ask.grant_type = (uint8_t)t.claim;
	if (!t.its_vault)
		ask.vault = grants_rig_id(0x12);
	if ((got = rule(g, &ask, &ruling, &refusal)) != want)
		fail_msg("token %d as %d, %s, %s: %s instead of %s", t.token, t.claim, op_name(t.op), surface_name(t.surface),
		    err_code(got), err_code(want));
	known = got == ERR_VAULT_NOT_GRANTED || got == ERR_LOCKED || got == ERR_PROPOSE_NOT_GRANTED;
	if (got != OK) {
		assert_int_equal(refusal.authenticated, known);
		return;
	}
	assert_true(uuid_equal(ruling.grant, grants_rig_id((uint8_t)(0x40 + t.token))));
	assert_int_equal(ruling.grant_type, t.claim);
	assert_int_equal(ruling.sudo, 0);
	assert_int_equal(ruling.classes, t.claim == GRANT_ORDINARY ? 1u << CLASS_ORDINARY :
	    t.token == TOKEN_NARROW ? NARROW_CLASSES : 0x0f);
}

static void
a_grants_ask_is_ruled_as_the_contract_says_in_every_state(void **state)
{
	struct grants_rig *g = *state;

	grants_rig_init(g);
	make_grants(g);
	for (unsigned bits = 0; bits < 128; bits++) {
		struct world w = { bits & 1, bits & 2, bits & 4, bits & 8, bits & 16, bits & 32, bits & 64 };

		make_world(grants_rig_self(g), &w);
		for (unsigned t = 0; t < TOKEN__COUNT; t++)
			for (unsigned op = OP_NONE; op <= OP__COUNT; op++)
				try_grant(g, &w, (struct try){ (enum token)t, 1 + (t + op + bits / 2) % 2, (enum op)op,
				    (op + bits) % 3 == 0 ? SURFACE_CLI : SURFACE_STDIO, bits % 3 != 1 });
	}
}

static void
a_grants_ask_is_of_a_type_and_comes_from_its_surfaces_alone(void **state)
{
	static const struct world open = { true, false, true, false, true, true, true };
	struct grants_rig *g = *state;

	grants_rig_init(g);
	make_grants(g);
	make_world(grants_rig_self(g), &open);
	for (unsigned claim = 0; claim <= 3; claim++)
		for (unsigned surface = SURFACE_NONE; surface <= SURFACE__COUNT; surface++)
			for (int its_vault = 0; its_vault < 2; its_vault++)
				for (unsigned t = 0; t < TOKEN__COUNT; t++)
					try_grant(g, &open, (struct try){ (enum token)t, claim, OP_READ, (enum surface)surface, its_vault });
}

static enum err
verdict_of_owner(bool initialized, bool unlocked, bool sudo, enum op op, enum surface surface, bool vault_known)
{
	if (surface != SURFACE_OWNER || op <= OP_NONE || op >= OP__COUNT || op == OP_PROPOSE ||
	    (op_is_profile(op) && op != OP_PROFILE_LIST && op != OP_PROFILE_CHANGE))
		return ERR_INVALID_ARGUMENT;
	if (!initialized)
		return ERR_NOT_INITIALIZED;
	if (!unlocked)
		return ERR_LOCKED;
	if (op == OP_CREDENTIAL_BYTES && !sudo)
		return ERR_SUDO_REQUIRED;
	if (op_is_profile(op))
		return ERR_PROFILE_OFF;
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
	assert_int_equal(ruling.sudo, (bits & 4) != 0);
	assert_int_equal(ruling.subject_kind, LOG_TERMINAL);
	assert_int_equal(ruling.grant_type, 0);
	assert_int_equal(ruling.sudo, (bits & 4) != 0);
	assert_int_equal(ruling.classes, op == OP_VAULT_LIST || op == OP_WRITE_NAME || op == OP_SEARCH ? 0 : 0x0f);
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
	ask.grant_type = GRANT_UNATTENDED;
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
	ask.grant_type = GRANT_UNATTENDED;
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
	make_world(grants_rig_self(g), &(struct world){ true, false, true, false, true, true, false });
	ask = ask_of(g, OP_LIST, SURFACE_CLI);
	token_bytes(TOKEN_NARROW, ask.token_id);
	ask.grant_type = GRANT_UNATTENDED;
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
	make_world(grants_rig_self(g), &(struct world){ true, false, true, false, true, true, false });
	ask = ask_of(g, OP_LIST, SURFACE_CLI);
	ask.vault = grants_rig_id(0x12);
	token_bytes(TOKEN_EXPIRED, ask.token_id);
	ask.grant_type = GRANT_UNATTENDED;
	assert_int_equal(rule(g, &ask, &ruling, &refusal), ERR_INVALID_GRANT);
	assert_int_equal(refusal.authenticated, 0);
}

/* The grant's own vaults, and wraps by which the keyring sees the token's half. */
static void
a_search_is_over_the_grants_vaults_or_one_of_them(void **state)
{
	struct grants_rig *g = *state;
	struct grant_record r;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;

	grants_rig_ready(g);
	r = record_of(g, TOKEN_ORDINARY);
	r.n_vaults = 2;
	r.vaults[1] = r.vaults[0];
	r.vaults[1].vault = grants_rig_id(0x13);
	assert_int_equal(grants_db_add_grant(grants_rig_self(g)->db, &r), OK);
	ask = ask_of(g, OP_SEARCH, SURFACE_STDIO);
	ask.grant_type = GRANT_ORDINARY;
	token_bytes(TOKEN_ORDINARY, ask.token_id);
	for (int i = 0; i < 2; i++) {
		ask.vault = i == 0 ? (struct uuid){ { 0 } } : r.vaults[1].vault;
		assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
		assert_int_equal(ruling.vaults.len, i == 0 ? 2 * UUID_LEN : UUID_LEN);
		assert_memory_equal(ruling.vaults.p + (i == 0 ? UUID_LEN : 0), r.vaults[1].vault.b, UUID_LEN);
		assert_int_equal(ruling.wraps.len, 1 + SEALED_KEY_LEN);
		assert_int_equal(ruling.classes, 1u << CLASS_ORDINARY);
	}
	ask.vault = grants_rig_id(0x14);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), ERR_VAULT_NOT_GRANTED);
	/* The owner's: all of them, or one that there is. */
	ask = ask_of(g, OP_SEARCH, SURFACE_OWNER);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
	assert_int_equal(ruling.vaults.len, UUID_LEN);
	assert_int_equal(ruling.wraps.len, 0);
	ask.vault = (struct uuid){ { 0 } };
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
	assert_int_equal(ruling.vaults.len, 0);
	ask.vault = grants_rig_id(0x14);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), ERR_NOT_FOUND);
}

static void
an_ordinary_grant_waits_for_the_owner_and_for_no_ban(void **state)
{
	struct grants_rig *g = *state;
	struct grant_record r;
	struct ask_body ask;
	struct refusal_body refusal;
	struct ruling_body ruling;

	grants_rig_ready(g);
	r = record_of(g, TOKEN_ORDINARY);
	assert_int_equal(grants_db_add_grant(grants_rig_self(g)->db, &r), OK);
	ask = ask_of(g, OP_READ, SURFACE_STDIO);
	ask.grant_type = GRANT_ORDINARY;
	token_bytes(TOKEN_ORDINARY, ask.token_id);
	grants_rig_self(g)->locking = 77;
	assert_int_equal(rule(g, &ask, &ruling, &refusal), ERR_LOCKED);
	grants_rig_self(g)->locking = 0;
	grants_rig_self(g)->enrolled = false;
	grants_rig_self(g)->loaded = false;
	assert_int_equal(ban_set(grants_rig_self(g)->ban, (struct ban_state){ true, true }), OK);
	assert_int_equal(rule(g, &ask, &ruling, &refusal), OK);
	assert_int_equal(ruling.deadline_boot_ms, clock_mono().ms + 2000);
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
	ask.grant_type = GRANT_UNATTENDED;
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
		GRANTS_TEST(a_grants_ask_is_of_a_type_and_comes_from_its_surfaces_alone),
		GRANTS_TEST(an_owners_ask_is_ruled_as_the_contract_says_in_every_state),
		GRANTS_TEST(a_ban_stops_no_owner_and_a_lock_of_the_library_no_grant),
		GRANTS_TEST(a_ruling_holds_for_two_seconds_and_only_the_keyring_can_check_it),
		GRANTS_TEST(a_narrowed_grant_brings_its_own_wraps_only),
		GRANTS_TEST(an_expired_grant_over_another_vault_says_only_that_it_is_invalid),
		GRANTS_TEST(a_search_is_over_the_grants_vaults_or_one_of_them),
		GRANTS_TEST(an_ordinary_grant_waits_for_the_owner_and_for_no_ban),
		GRANTS_TEST(a_ban_file_that_says_either_ban_stops_grants),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
