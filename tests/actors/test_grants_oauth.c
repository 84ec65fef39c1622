/* Codes and tokens: what they give, for how long, and what ends them. */
#include "tests/actors/oauth_rig.h"

static void
a_consent_takes_effect_when_its_record_is_durable(void **state)
{
	struct grants_rig *g = *state;
	struct consent_body b = oauth_rig_consent_of(1, 1, READ);
	struct code_redeem_body redeem = oauth_rig_redeem_of(1, 1, 1);
	struct client_wanted_body client;
	uint64_t event;

	oauth_rig_ready(g);
	memcpy(client.client, b.client, 32);
	memcpy(client.redirect, b.redirect_hash, 32);
	event = oauth_rig_consent_begin(g, &b);
	assert_true(rig_silent(g->r));
	assert_int_equal(oauth_rig_redeem(g, &redeem, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(grants_rig_say(g, MSG_CLIENT_WANTED, &client), OK);
	assert_true(uuid_is_zero(rig_expect(g->r, MSG_CLIENT_FOUND)->connection.connection));
	oauth_rig_kept(g, event, OK);
	assert_non_null(rig_expect(g->r, MSG_CONSENT_KEPT));
	assert_int_equal(grants_rig_say(g, MSG_CLIENT_WANTED, &client), OK);
	{
		const struct connection_body *c = &rig_expect(g->r, MSG_CLIENT_FOUND)->connection;

		assert_false(uuid_is_zero(c->connection));
		assert_int_equal(c->scopes, READ);
		assert_int_equal(c->name.len, 12);
		assert_memory_equal(c->redirect.p, "http://127.0.0.1/cb", 19);
	}
	assert_int_equal(oauth_rig_redeem(g, &redeem, NULL), OK);
}

static void
a_consent_that_cannot_be_recorded_gives_nothing(void **state)
{
	struct grants_rig *g = *state;
	struct consent_body b = oauth_rig_consent_of(1, 1, READ);
	struct code_redeem_body redeem = oauth_rig_redeem_of(1, 1, 1);

	oauth_rig_ready(g);
	oauth_rig_kept(g, oauth_rig_consent_begin(g, &b), ERR_AUDIT_FULL);
	assert_int_equal(oauth_rig_denied(g), ERR_AUDIT_FULL);
	/* The log goes away while it waits. */
	grants_rig_audit(g, false);
	(void)oauth_rig_consent_begin(g, &b);
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(oauth_rig_denied(g), ERR_AUDIT_UNAVAILABLE);
	assert_int_equal(grants_rig_say(g, MSG_CONSENT, &b), OK);
	assert_int_equal(oauth_rig_denied(g), ERR_AUDIT_UNAVAILABLE);
	/* Or says nothing. */
	grants_rig_audit(g, false);
	(void)oauth_rig_consent_begin(g, &b);
	fake_clock_advance(COMMAND_MS);
	(void)rig_tick(g->r, clock_mono());
	assert_int_equal(oauth_rig_denied(g), ERR_AUDIT_TIMEOUT);
	assert_int_equal(oauth_rig_redeem(g, &redeem, NULL), ERR_INVALID_TOKEN);
}

static void
a_consent_is_checked(void **state)
{
	static const uint8_t bad[] = { 0, SEARCH, SEARCH | PROPOSE, 1u << SCOPE__COUNT, 0xff };
	struct grants_rig *g = *state;
	struct consent_body b = oauth_rig_consent_of(1, 1, READ);

	oauth_rig_ready(g);
	for (size_t i = 0; i < sizeof bad; i++) {
		b.scopes = bad[i];
		assert_int_equal(grants_rig_say(g, MSG_CONSENT, &b), OK);
		assert_int_equal(oauth_rig_denied(g), ERR_INVALID_ARGUMENT);
	}
	b = oauth_rig_consent_of(1, 1, READ | SEARCH);
	b.categories = 1u << CATEGORY_HEALTH;
	assert_int_equal(grants_rig_say(g, MSG_CONSENT, &b), OK);
	assert_int_equal(oauth_rig_denied(g), ERR_INVALID_ARGUMENT);
	b.categories = CATEGORIES_SHAREABLE;
	(void)oauth_rig_consent_begin(g, &b);
	/* Two of one client at once. */
	assert_int_equal(grants_rig_say(g, MSG_CONSENT, &b), OK);
	assert_int_equal(oauth_rig_denied(g), ERR_BUSY);
}

static void
all_of_it_only_while_the_endpoint_serves(void **state)
{
	static const struct { enum http_phase phase; enum err e; } phases[] = {
		{ HTTP_OFF, ERR_PROFILE_OFF }, { HTTP_NEVER, ERR_PROFILE_OFF }, { HTTP_LOCKED, ERR_LOCKED },
		{ HTTP_MAINTENANCE, ERR_MAINTENANCE },
	};
	static const enum msg asks[] = { MSG_CLIENT_WANTED, MSG_CONSENT, MSG_CODE_REDEEM, MSG_TOKEN_REFRESH, MSG_TOKEN_REVOKE,
		MSG_TOKEN_CHECK };
	struct grants_rig *g = *state;
	struct consent_body consent = oauth_rig_consent_of(1, 2, READ);
	union any_body body;
	uint64_t event;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
		oauth_rig_phase(g, phases[i].phase);
		for (size_t j = 0; j < sizeof asks / sizeof *asks; j++) {
			memset(&body, 0, sizeof body);
			assert_int_equal(grants_rig_say(g, asks[j], &body), OK);
			assert_int_equal(oauth_rig_denied(g), phases[i].e);
			assert_true(rig_silent(g->r));
		}
	}
	/* It closes while a consent waits. */
	oauth_rig_phase(g, HTTP_SERVES);
	event = oauth_rig_consent_begin(g, &consent);
	oauth_rig_phase(g, HTTP_LOCKED);
	oauth_rig_kept(g, event, OK);
	assert_int_equal(rig_expect(g->r, MSG_EVENT_KEEP)->event.outcome, LOG_REFUSED);
	assert_int_equal(oauth_rig_denied(g), ERR_LOCKED);
	/* And what was there is there again. */
	oauth_rig_phase(g, HTTP_SERVES);
	assert_int_equal(oauth_rig_check(g, 1, NULL), OK);
}

static void
a_code_becomes_tokens_once_and_a_second_time_ends_all(void **state)
{
	struct grants_rig *g = *state;
	struct code_redeem_body b = oauth_rig_redeem_of(1, 1, 1);
	struct token_found_body found;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_consent(g, 1, 1, READ | PROPOSE);
	assert_int_equal(oauth_rig_redeem(g, &b, &found), OK);
	assert_true(uuid_equal(found.connection, id));
	assert_int_equal(found.scopes, READ | PROPOSE);
	assert_int_equal(found.categories, 1u << CATEGORY_BASIC);
	assert_int_equal(found.left_ms, 600000);
	assert_int_equal(found.refresh_left_ms, (uint64_t)30 * 86400000);
	assert_int_equal(oauth_rig_check(g, 1, NULL), OK);
	b = oauth_rig_redeem_of(1, 1, 2);
	assert_int_equal(grants_rig_say(g, MSG_CODE_REDEEM, &b), OK);
	assert_true(uuid_equal(rig_expect(g->r, MSG_CONNECTION_CHANGED)->one_id.id, id));
	assert_true(uuid_equal(rig_expect(g->r, MSG_CONNECTION_GONE)->one_id.id, id));
	{
		const struct event_body *event = &rig_expect(g->r, MSG_EVENT_KEEP)->event;

		assert_int_equal(event->type, LOG_REVOKE);
		assert_int_equal(event->subject_kind, LOG_CONNECTION_ID);
		assert_int_equal(event->surface, SURFACE_HTTP);
		assert_true(uuid_equal(event->subject, id));
	}
	assert_int_equal(oauth_rig_denied(g), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_REPLAYED);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 3, NULL), ERR_INVALID_TOKEN);
}

/* A wrong verifier, client or redirect URI, the code's own being right. */
static struct code_redeem_body
wrong_of(unsigned how, unsigned tokens)
{
	struct code_redeem_body b = oauth_rig_redeem_of(1, 1, tokens);

	if (how == 0)
		b.challenge[5] ^= 1;
	else if (how == 1)
		b.client[5] ^= 1;
	else
		b.redirect_given[5] ^= 1;
	return b;
}

static void
a_wrong_redemption_never_revokes_and_burns_after_three(void **state)
{
	struct grants_rig *g = *state;
	struct code_redeem_body right = oauth_rig_redeem_of(1, 1, 9), wrong;
	struct uuid id;

	oauth_rig_ready(g);
	/* Two wrong ones, then the right one; wrong ones after it change nothing. */
	id = oauth_rig_connect(g, READ);
	for (unsigned i = 0; i < 6; i++) {
		wrong = wrong_of(i % 3, 2);
		assert_int_equal(oauth_rig_redeem(g, &wrong, NULL), ERR_INVALID_TOKEN);
		assert_int_equal(oauth_rig_check(g, 1, NULL), OK);
	}
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_LIVES);
	(void)oauth_rig_consent(g, 1, 2, READ);
	for (unsigned i = 0; i < 3; i++) {
		wrong = wrong_of(i, 3);
		oauth_rig_hash(0x5002, wrong.code);
		assert_int_equal(oauth_rig_redeem(g, &wrong, NULL), ERR_INVALID_TOKEN);
	}
	oauth_rig_hash(0x5002, right.code);
	assert_int_equal(oauth_rig_redeem(g, &right, NULL), ERR_INVALID_TOKEN);
	/* Two are forgiven, and without a redirect URI it goes too. */
	(void)oauth_rig_consent(g, 1, 3, READ);
	for (unsigned i = 0; i < 2; i++) {
		wrong = wrong_of(0, 4);
		oauth_rig_hash(0x5003, wrong.code);
		assert_int_equal(oauth_rig_redeem(g, &wrong, NULL), ERR_INVALID_TOKEN);
	}
	oauth_rig_hash(0x5003, right.code);
	right.has_redirect = 0;
	memset(right.redirect_given, 0, 32);
	assert_int_equal(oauth_rig_redeem(g, &right, NULL), OK);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_LIVES);
}

static void
a_code_lives_two_minutes(void **state)
{
	struct grants_rig *g = *state;
	struct code_redeem_body b = oauth_rig_redeem_of(1, 1, 1);

	oauth_rig_ready(g);
	(void)oauth_rig_consent(g, 1, 1, READ);
	fake_clock_advance(CONNECTION_CODE_MS - 1);
	assert_int_equal(oauth_rig_redeem(g, &b, NULL), OK);
	b = oauth_rig_redeem_of(2, 2, 2);
	(void)oauth_rig_consent(g, 2, 2, READ);
	fake_clock_advance(CONNECTION_CODE_MS);
	assert_int_equal(oauth_rig_redeem(g, &b, NULL), ERR_INVALID_TOKEN);
	/* At 301 s whatever is decided. */
	assert_true(CONNECTION_CODE_MS <= 300000);
}

static void
an_access_token_lives_ten_minutes(void **state)
{
	struct grants_rig *g = *state;
	struct token_found_body found;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	fake_clock_advance(599000);
	assert_int_equal(oauth_rig_check(g, 1, &found), OK);
	assert_int_equal(found.left_ms, 1000);
	fake_clock_advance(1000);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	fake_clock_advance(1000);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), OK);
	assert_int_equal(oauth_rig_check(g, 2, NULL), OK);
}

static void
a_spent_refresh_token_ends_the_connection(void **state)
{
	struct grants_rig *g = *state;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), OK);
	assert_int_equal(oauth_rig_refresh(g, 1, 2, 3, NULL), OK);
	assert_int_equal(oauth_rig_check(g, 3, NULL), OK);
	assert_int_equal(oauth_rig_check(g, 1, NULL), OK);
	/* The grandparent, shown by another client. */
	assert_int_equal(oauth_rig_refresh(g, 7, 1, 4, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_REPLAYED);
	assert_int_equal(oauth_rig_check(g, 3, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 3, 5, NULL), ERR_INVALID_TOKEN);
}

/* Three of them at once, with what grants sees of it: one after the other. HTTP holds them together before. */
static void
of_parallel_refreshes_one_wins_and_no_two_successors_live(void **state)
{
	struct grants_rig *g = *state;
	enum err e[3];

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	for (unsigned i = 0; i < 3; i++)
		e[i] = oauth_rig_refresh(g, 1, 1, 2 + i, NULL);
	assert_int_equal(e[0], OK);
	assert_int_equal(e[1], ERR_INVALID_TOKEN);
	assert_int_equal(e[2], ERR_INVALID_TOKEN);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(oauth_rig_check(g, 2 + i, NULL), ERR_INVALID_TOKEN);
}

static void
a_live_refresh_token_of_another_client_is_nothing(void **state)
{
	struct grants_rig *g = *state;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(oauth_rig_refresh(g, 2, 1, 2, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_LIVES);
	/* A token is not a token of the other kind. */
	{
		struct token_refresh_body b = oauth_rig_refresh_of(1, 1, 2);
		struct token_check_body check;

		oauth_rig_hash(0x6001, b.token);
		assert_int_equal(grants_rig_say(g, MSG_TOKEN_REFRESH, &b), OK);
		assert_int_equal(oauth_rig_tokens(g, NULL), ERR_INVALID_TOKEN);
		oauth_rig_hash(0x7001, check.token);
		assert_int_equal(grants_rig_say(g, MSG_TOKEN_CHECK, &check), OK);
		assert_int_equal(oauth_rig_tokens(g, NULL), ERR_INVALID_TOKEN);
	}
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), OK);
}

static void
refreshing_ends_thirty_days_after_the_consent(void **state)
{
	struct grants_rig *g = *state;
	struct token_found_body found;
	unsigned day;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	for (day = 1; day < 30; day++) {
		fake_clock_advance(86400000);
		assert_int_equal(oauth_rig_refresh(g, 1, day, day + 1, NULL), OK);
	}
	/* The last access token ends with it. */
	fake_clock_advance(86400000 - 1000);
	assert_int_equal(oauth_rig_refresh(g, 1, 30, 31, &found), OK);
	assert_int_equal(found.left_ms, 1000);
	assert_int_equal(found.refresh_left_ms, 1000);
	fake_clock_advance(1000);
	assert_int_equal(oauth_rig_check(g, 31, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 31, 32, NULL), ERR_INVALID_TOKEN);
}

static void
scopes_only_shrink_at_a_refresh(void **state)
{
	struct grants_rig *g = *state;
	struct token_found_body found;
	struct token_refresh_body b = oauth_rig_refresh_of(1, 1, 2);

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ | SEARCH | PROPOSE);
	b.scopes = READ | CORRECT;
	assert_int_equal(grants_rig_say(g, MSG_TOKEN_REFRESH, &b), OK);
	assert_int_equal(oauth_rig_tokens(g, NULL), ERR_INSUFFICIENT_SCOPE);
	b.scopes = SEARCH;
	assert_int_equal(grants_rig_say(g, MSG_TOKEN_REFRESH, &b), OK);
	assert_int_equal(oauth_rig_tokens(g, NULL), ERR_INSUFFICIENT_SCOPE);
	b.scopes = READ;
	assert_int_equal(grants_rig_say(g, MSG_TOKEN_REFRESH, &b), OK);
	assert_int_equal(oauth_rig_tokens(g, &found), OK);
	assert_int_equal(found.scopes, READ);
	/* The refresh token has them still. */
	assert_int_equal(oauth_rig_refresh(g, 1, 2, 3, &found), OK);
	assert_int_equal(found.scopes, READ | SEARCH | PROPOSE);
}

static enum err
revoke(struct grants_rig *g, unsigned client, unsigned hash)
{
	struct token_revoke_body b;
	bool said = false;

	oauth_rig_hash(0x1000 + client, b.client);
	oauth_rig_hash(hash, b.token);
	assert_int_equal(grants_rig_say(g, MSG_TOKEN_REVOKE, &b), OK);
	oauth_rig_drain(g);
	said = rig_expect(g->r, MSG_TOKEN_REVOKED) != NULL;
	assert_true(rig_silent(g->r));
	return said ? OK : ERR_INTERNAL;
}

static void
a_client_gives_its_own_connection_up_and_no_other(void **state)
{
	struct grants_rig *g = *state;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(revoke(g, 1, 0x9999), OK);
	assert_int_equal(revoke(g, 2, 0x7001), OK);
	assert_int_equal(revoke(g, 2, 0x6001), OK);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_LIVES);
	assert_int_equal(revoke(g, 1, 0x6001), OK);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_LEFT);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	/* By the refresh token; a new consent makes a new connection. */
	{
		struct code_redeem_body b = oauth_rig_redeem_of(1, 2, 2);
		struct uuid next = oauth_rig_consent(g, 1, 2, READ);

		assert_false(uuid_equal(next, id));
		assert_int_equal(oauth_rig_redeem(g, &b, NULL), OK);
		assert_int_equal(revoke(g, 1, 0x7002), OK);
		assert_int_equal(oauth_rig_record(g, next).end, CONNECTION_LEFT);
	}
}

static void
a_new_consent_goes_on_with_the_connection_and_ends_its_tokens(void **state)
{
	struct grants_rig *g = *state;
	struct code_redeem_body b = oauth_rig_redeem_of(1, 2, 5);
	struct token_found_body found;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), OK);
	assert_true(uuid_equal(oauth_rig_consent(g, 1, 2, READ | PROPOSE), id));
	assert_int_equal(oauth_rig_check(g, 2, NULL), ERR_INVALID_TOKEN);
	/* Old ones, live and spent, are dead and say nothing about the new. */
	assert_int_equal(oauth_rig_refresh(g, 1, 2, 3, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 4, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_redeem(g, &b, &found), OK);
	assert_int_equal(found.scopes, READ | PROPOSE);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_LIVES);
	/* The same client at another redirect URI is another connection. */
	{
		struct consent_body other = oauth_rig_consent_of(1, 3, READ);

		other.redirect_hash[7] ^= 1;
		oauth_rig_kept(g, oauth_rig_consent_begin(g, &other), OK);
		assert_false(uuid_equal(rig_expect(g->r, MSG_CONSENT_KEPT)->one_id.id, id));
	}
}

static void
tokens_survive_a_restart_and_spent_ones_are_known(void **state)
{
	struct grants_rig *g = *state;
	struct code_redeem_body b = oauth_rig_redeem_of(1, 1, 8);
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), OK);
	oauth_rig_restart(g);
	assert_int_equal(oauth_rig_check(g, 2, NULL), OK);
	assert_int_equal(oauth_rig_refresh(g, 1, 2, 3, NULL), OK);
	oauth_rig_restart(g);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 4, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_REPLAYED);
	/* And a used code. */
	id = oauth_rig_consent(g, 1, 2, READ);
	oauth_rig_hash(0x5002, b.code);
	assert_int_equal(oauth_rig_redeem(g, &b, NULL), OK);
	oauth_rig_restart(g);
	b = oauth_rig_redeem_of(1, 2, 9);
	assert_int_equal(oauth_rig_redeem(g, &b, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_check(g, 8, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_record(g, id).end, CONNECTION_REPLAYED);
}

static void
an_end_that_the_log_has_not_is_told_after_a_restart(void **state)
{
	struct grants_rig *g = *state;
	struct code_redeem_body b = oauth_rig_redeem_of(1, 1, 8);
	const struct event_body *event;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(grants_rig_say(g, MSG_CODE_REDEEM, &b), OK);
	rig_forget(g->r);
	grants_rig_restart(g);
	rig_edge(g->r, ACTOR_AUDIT, true);
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
	while (rig_next(g->r) != MSG_EVENT_KEEP && rig_next(g->r) != MSG_NONE)
		(void)rig_expect(g->r, rig_next(g->r));
	event = &rig_expect(g->r, MSG_EVENT_KEEP)->event;
	assert_int_equal(event->type, LOG_REVOKE);
	assert_int_equal(event->subject_kind, LOG_CONNECTION_ID);
	assert_int_equal(event->surface, SURFACE_HTTP);
	assert_true(uuid_equal(event->subject, id));
}

static void
a_clock_set_back_lengthens_no_life(void **state)
{
	struct grants_rig *g = *state;
	uint64_t wall;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	wall = clock_wall().ms;
	fake_clock_advance(600000);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	fake_clock_set_wall(wall - 3600000);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	oauth_rig_restart(g);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	/* And after the machine itself has started anew. */
	fake_clock_reboot(1000);
	fake_clock_set_wall(wall - 3600000);
	oauth_rig_restart(g);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	/* A token made now lasts its ten minutes, and no more. */
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), OK);
	fake_clock_advance(599999);
	assert_int_equal(oauth_rig_check(g, 2, NULL), OK);
	fake_clock_advance(1);
	assert_int_equal(oauth_rig_check(g, 2, NULL), ERR_INVALID_TOKEN);
}

static void
a_clock_set_ahead_ends_lives_and_what_comes_after_lasts(void **state)
{
	struct grants_rig *g = *state;
	uint64_t wall;

	oauth_rig_ready(g);
	(void)oauth_rig_connect(g, READ);
	wall = clock_wall().ms;
	fake_clock_set_wall(wall + (uint64_t)365 * 86400000);
	assert_int_equal(oauth_rig_check(g, 1, NULL), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), ERR_INVALID_TOKEN);
	fake_clock_set_wall(wall);
	{
		struct code_redeem_body b = oauth_rig_redeem_of(1, 2, 3);

		(void)oauth_rig_consent(g, 1, 2, READ);
		fake_clock_advance(CONNECTION_CODE_MS - 1);
		assert_int_equal(oauth_rig_redeem(g, &b, NULL), OK);
		fake_clock_advance(600000);
		assert_int_equal(oauth_rig_check(g, 3, NULL), ERR_INVALID_TOKEN);
		assert_int_equal(oauth_rig_refresh(g, 1, 3, 4, NULL), OK);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(a_consent_takes_effect_when_its_record_is_durable),
		GRANTS_TEST(a_consent_that_cannot_be_recorded_gives_nothing),
		GRANTS_TEST(a_consent_is_checked),
		GRANTS_TEST(all_of_it_only_while_the_endpoint_serves),
		GRANTS_TEST(a_code_becomes_tokens_once_and_a_second_time_ends_all),
		GRANTS_TEST(a_wrong_redemption_never_revokes_and_burns_after_three),
		GRANTS_TEST(a_code_lives_two_minutes),
		GRANTS_TEST(an_access_token_lives_ten_minutes),
		GRANTS_TEST(a_spent_refresh_token_ends_the_connection),
		GRANTS_TEST(of_parallel_refreshes_one_wins_and_no_two_successors_live),
		GRANTS_TEST(a_live_refresh_token_of_another_client_is_nothing),
		GRANTS_TEST(refreshing_ends_thirty_days_after_the_consent),
		GRANTS_TEST(scopes_only_shrink_at_a_refresh),
		GRANTS_TEST(a_client_gives_its_own_connection_up_and_no_other),
		GRANTS_TEST(a_new_consent_goes_on_with_the_connection_and_ends_its_tokens),
		GRANTS_TEST(tokens_survive_a_restart_and_spent_ones_are_known),
		GRANTS_TEST(an_end_that_the_log_has_not_is_told_after_a_restart),
		GRANTS_TEST(a_clock_set_back_lengthens_no_life),
		GRANTS_TEST(a_clock_set_ahead_ends_lives_and_what_comes_after_lasts),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
