/* Which asks over HTTP get a ruling, and what stands in it. */
#include "tests/actors/oauth_rig.h"

static struct ask_body
ask_of(const struct grants_rig *g, enum op op, unsigned tokens)
{
	struct ask_body ask = { .peer = g->peer, .op = (uint8_t)op, .surface = SURFACE_HTTP, .grant_type = GRANT_CONNECTION,
		.limit = 50 };

	oauth_rig_hash(0x6000 + tokens, ask.token_id);
	return ask;
}

/* The refusal's error, or OK and the ruling. */
static enum err
rule(struct grants_rig *g, const struct ask_body *ask, struct ruling_body *ruling, struct refusal_body *refusal)
{
	const union any_body *b;

	assert_int_equal(grants_rig_say(g, MSG_HTTP_ASK, ask), OK);
	if (rig_next(g->r) == MSG_HTTP_DENIED) {
		*refusal = rig_expect(g->r, MSG_HTTP_DENIED)->refusal;
		assert_int_equal(rig_ask_id(g->r), g->n_asks);
		assert_true(rig_silent(g->r));
		return (enum err)refusal->error;
	}
	assert_non_null(b = rig_expect(g->r, MSG_PROFILE_WANTED));
	assert_int_equal(rig_ask_id(g->r), g->n_asks);
	assert_true(rig_silent(g->r));
	*ruling = b->ruling;
	return OK;
}

static enum err
rule_op(struct grants_rig *g, enum op op, unsigned tokens)
{
	struct ask_body ask = ask_of(g, op, tokens);
	struct ruling_body ruling;
	struct refusal_body refusal;

	return rule(g, &ask, &ruling, &refusal);
}

static void
a_ruling_names_the_connection_and_its_rights(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = ask_of(g, OP_PROFILE_READ, 1);
	struct ruling_body r;
	struct refusal_body refusal;
	uint8_t mac[32];
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ | PROPOSE);
	assert_int_equal(rule(g, &ask, &r, &refusal), OK);
	assert_int_equal(r.subject_kind, LOG_CONNECTION_ID);
	assert_true(uuid_equal(r.subject, id) && uuid_equal(r.grant, id));
	assert_int_equal(r.grant_type, GRANT_CONNECTION);
	assert_int_equal(r.grant_revision, oauth_rig_record(g, id).revision);
	assert_int_equal(r.scopes, READ | PROPOSE);
	assert_int_equal(r.categories, 1u << CATEGORY_BASIC);
	assert_int_equal(r.deadline_boot_ms, clock_mono().ms + RULING_MS);
	assert_int_equal(r.sudo, 0);
	/* No key of a vault goes with it. */
	assert_int_equal(r.classes, 0);
	assert_int_equal(r.wraps.len, 0);
	assert_int_equal(r.vaults.len, 0);
	ruling_mac(grants_rig_self(g)->ruling_key, &r, mac);
	assert_memory_equal(mac, r.mac, 32);
}

static void
an_operation_takes_its_scope(void **state)
{
	static const struct { enum op op; uint8_t needs; } ops[] = {
		{ OP_PROFILE_READ, READ }, { OP_PROFILE_SEARCH, READ | SEARCH }, { OP_PROFILE_PROPOSE, PROPOSE },
		{ OP_PROFILE_CORRECT, CORRECT },
	};
	struct grants_rig *g = *state;

	oauth_rig_ready(g);
	for (uint8_t scopes = 1; scopes <= SCOPES_ALL; scopes++) {
		struct code_redeem_body b = oauth_rig_redeem_of(1, scopes, scopes);

		if (!connection_scopes_hold(scopes))
			continue;
		(void)oauth_rig_consent(g, 1, scopes, scopes);
		assert_int_equal(oauth_rig_redeem(g, &b, NULL), OK);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(rule_op(g, ops[i].op, scopes), (scopes & ops[i].needs) == ops[i].needs ? OK
			    : ERR_INSUFFICIENT_SCOPE);
	}
}

static void
no_other_operation_and_no_other_way_in(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask;
	struct ruling_body r;
	struct refusal_body refusal;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, SCOPES_ALL);
	for (unsigned op = 0; op <= OP__COUNT; op++) {
		bool its = op >= OP_PROFILE_READ && op <= OP_PROFILE_CORRECT;

		assert_int_equal(rule_op(g, (enum op)op, 1), its ? OK : ERR_INVALID_ARGUMENT);
	}
	for (unsigned surface = 0; surface < SURFACE__COUNT; surface++) {
		ask = ask_of(g, OP_PROFILE_READ, 1);
		ask.surface = (uint8_t)surface;
		assert_int_equal(rule(g, &ask, &r, &refusal), surface == SURFACE_HTTP ? OK : ERR_INVALID_ARGUMENT);
	}
	for (unsigned type = 0; type <= 4; type++) {
		ask = ask_of(g, OP_PROFILE_READ, 1);
		ask.grant_type = (uint8_t)type;
		assert_int_equal(rule(g, &ask, &r, &refusal), type == GRANT_CONNECTION ? OK : ERR_INVALID_ARGUMENT);
	}
	ask = ask_of(g, OP_PROFILE_READ, 1);
	ask.vault = g->vault;
	assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_ARGUMENT);
}

static void
an_unknown_token_learns_nothing(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = ask_of(g, OP_PROFILE_READ, 2);
	struct ruling_body r;
	struct refusal_body refusal;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	for (unsigned phase = HTTP_OFF; phase <= HTTP_NEVER; phase++) {
		oauth_rig_phase(g, (enum http_phase)phase);
		assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_TOKEN);
		assert_false(refusal.authenticated);
		assert_int_equal(refusal.subject_kind, LOG_NOBODY);
	}
	memset(ask.token_id, 0, 32);
	assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_TOKEN);
}

/* The token of a client file, as it is and hashed, of both types; and of a connection at the gate. */
static void
tokens_of_vaults_are_none_here_and_a_connections_none_there(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = ask_of(g, OP_PROFILE_READ, 1);
	struct ruling_body r;
	struct refusal_body refusal;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, SCOPES_ALL);
	memcpy(ask.token_id, g->token_id, 32);
	assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_TOKEN);
	sha256(g->token_id, 32, ask.token_id);
	assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_TOKEN);
	assert_int_equal(grants_db_revoke(grants_rig_self(g)->db, GRANT_UNATTENDED, g->grant), OK);
	g->grant = grants_rig_id(0x42);
	grants_rig_grant_of(g, GRANT_ORDINARY, 0, 1u << CLASS_ORDINARY);
	assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_TOKEN);
	for (unsigned op = OP_LIST; op < OP__COUNT; op++) {
		for (unsigned surface = 0; surface < SURFACE__COUNT; surface++) {
			ask = ask_of(g, (enum op)op, 1);
			ask.surface = (uint8_t)surface;
			ask.vault = g->vault;
			assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
			assert_non_null(rig_expect(g->r, MSG_ASK_DENIED));
			assert_true(rig_silent(g->r));
		}
	}
}

static void
a_refusal_names_who_showed_a_token(void **state)
{
	static const struct { enum http_phase phase; enum err e; } phases[] = {
		{ HTTP_OFF, ERR_PROFILE_OFF }, { HTTP_NEVER, ERR_PROFILE_OFF }, { HTTP_LOCKED, ERR_LOCKED },
		{ HTTP_MAINTENANCE, ERR_MAINTENANCE }, { HTTP_SERVES, ERR_INSUFFICIENT_SCOPE },
	};
	struct grants_rig *g = *state;
	struct ask_body ask = ask_of(g, OP_PROFILE_CORRECT, 1);
	struct ruling_body r;
	struct refusal_body refusal;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
		oauth_rig_phase(g, phases[i].phase);
		assert_int_equal(rule(g, &ask, &r, &refusal), phases[i].e);
		assert_true(refusal.authenticated);
		assert_int_equal(refusal.subject_kind, LOG_CONNECTION_ID);
		assert_true(uuid_equal(refusal.subject, id));
	}
}

static void
a_ruling_does_not_outlast_its_token(void **state)
{
	struct grants_rig *g = *state;
	struct ask_body ask = ask_of(g, OP_PROFILE_READ, 1);
	struct ruling_body r;
	struct refusal_body refusal;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	fake_clock_advance(599000);
	assert_int_equal(rule(g, &ask, &r, &refusal), OK);
	assert_int_equal(r.deadline_boot_ms, clock_mono().ms + 1000);
	fake_clock_advance(2000);
	assert_int_equal(rule(g, &ask, &r, &refusal), ERR_INVALID_TOKEN);
	assert_false(refusal.authenticated);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(a_ruling_names_the_connection_and_its_rights),
		GRANTS_TEST(an_operation_takes_its_scope),
		GRANTS_TEST(no_other_operation_and_no_other_way_in),
		GRANTS_TEST(an_unknown_token_learns_nothing),
		GRANTS_TEST(tokens_of_vaults_are_none_here_and_a_connections_none_there),
		GRANTS_TEST(a_refusal_names_who_showed_a_token),
		GRANTS_TEST(a_ruling_does_not_outlast_its_token),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
