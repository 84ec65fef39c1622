/* What the owner sees of connections, and takes away from them; and what is tidied away. */
#include "tests/actors/oauth_rig.h"

static enum err
reduce(struct grants_rig *g, struct uuid id, uint8_t scopes, uint8_t categories, bool end)
{
	struct reduce_ask_body b = { .peer = g->peer, .connection = id, .scopes = scopes, .categories = categories, .end = end };

	assert_int_equal(grants_rig_say(g, MSG_REDUCE_WANTED, &b), OK);
	oauth_rig_drain(g);
	return grants_rig_end(g);
}

static enum err
rule(struct grants_rig *g, enum op op, unsigned tokens, struct ruling_body *r)
{
	struct ask_body ask = { .op = (uint8_t)op, .surface = SURFACE_HTTP, .grant_type = GRANT_CONNECTION };

	oauth_rig_hash(0x6000 + tokens, ask.token_id);
	assert_int_equal(grants_rig_say(g, MSG_HTTP_ASK, &ask), OK);
	if (rig_next(g->r) == MSG_HTTP_DENIED)
		return (enum err)rig_expect(g->r, MSG_HTTP_DENIED)->refusal.error;
	*r = rig_expect(g->r, MSG_PROFILE_WANTED)->ruling;
	return OK;
}

static void
what_is_taken_away_is_gone_from_the_same_token(void **state)
{
	struct grants_rig *g = *state;
	struct ruling_body r;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ | SEARCH | PROPOSE);
	assert_int_equal(rule(g, OP_PROFILE_SEARCH, 1, &r), OK);
	assert_int_equal(reduce(g, id, READ | SEARCH, 1u << CATEGORY_BASIC, false), OK);
	assert_int_equal(rule(g, OP_PROFILE_PROPOSE, 1, &r), ERR_INSUFFICIENT_SCOPE);
	assert_int_equal(rule(g, OP_PROFILE_SEARCH, 1, &r), OK);
	assert_int_equal(r.categories, 1u << CATEGORY_BASIC);
	assert_int_equal(reduce(g, id, READ | SEARCH, 0, false), OK);
	assert_int_equal(rule(g, OP_PROFILE_SEARCH, 1, &r), OK);
	assert_int_equal(r.categories, 0);
	/* A search falls with the read. */
	assert_int_equal(reduce(g, id, SEARCH, 0, false), OK);
	assert_int_equal(rule(g, OP_PROFILE_SEARCH, 1, &r), ERR_INSUFFICIENT_SCOPE);
	assert_int_equal(rule(g, OP_PROFILE_READ, 1, &r), ERR_INSUFFICIENT_SCOPE);
	assert_int_equal(oauth_rig_record(g, id).scopes, 0);
	/* And a refresh gives nothing of it back. */
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), ERR_INSUFFICIENT_SCOPE);
}

static void
nothing_can_be_added(void **state)
{
	struct grants_rig *g = *state;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(reduce(g, id, READ | PROPOSE, 1u << CATEGORY_BASIC, false), ERR_INVALID_ARGUMENT);
	assert_int_equal(reduce(g, id, READ, 1u << CATEGORY_BASIC | 1u << CATEGORY_GOAL, false), ERR_INVALID_ARGUMENT);
	assert_int_equal(reduce(g, id, 0xff, 0, false), ERR_INVALID_ARGUMENT);
	assert_int_equal(reduce(g, grants_rig_id(0x99), 0, 0, false), ERR_NOT_FOUND);
	assert_int_equal(reduce(g, grants_rig_id(0x99), 0, 0, true), ERR_NOT_FOUND);
	assert_int_equal(oauth_rig_record(g, id).scopes, READ);
	/* A code of before the reduction gives what is left. */
	{
		struct code_redeem_body b = oauth_rig_redeem_of(2, 2, 2);
		struct token_found_body found;

		id = oauth_rig_consent(g, 2, 2, READ | PROPOSE);
		assert_int_equal(reduce(g, id, READ, 0, false), OK);
		assert_int_equal(oauth_rig_redeem(g, &b, &found), OK);
		assert_int_equal(found.scopes, READ);
		assert_int_equal(found.categories, 0);
	}
}

static void
an_end_is_at_once_and_for_ever(void **state)
{
	struct grants_rig *g = *state;
	struct reduce_ask_body b = { .peer = g->peer, .end = 1 };
	struct ruling_body r;
	const struct event_body *event;

	oauth_rig_ready(g);
	b.connection = oauth_rig_connect(g, READ);
	/* The log is away: it is done all the same, and told to it later. */
	rig_edge(g->r, ACTOR_AUDIT, false);
	assert_int_equal(grants_rig_say(g, MSG_REDUCE_WANTED, &b), OK);
	assert_true(uuid_equal(rig_expect(g->r, MSG_CONNECTION_CHANGED)->one_id.id, b.connection));
	assert_true(uuid_equal(rig_expect(g->r, MSG_CONNECTION_GONE)->one_id.id, b.connection));
	assert_int_equal(grants_rig_end(g), OK);
	assert_int_equal(rule(g, OP_PROFILE_READ, 1, &r), ERR_INVALID_TOKEN);
	assert_int_equal(oauth_rig_refresh(g, 1, 1, 2, NULL), ERR_INVALID_TOKEN);
	rig_edge(g->r, ACTOR_AUDIT, true);
	rig_forget(g->r);
	assert_int_equal(rig_deliver(g->r, MSG_LOG_BAN, ACTOR_AUDIT, 0, &(struct log_ban_body){ 0 }), OK);
	while (rig_next(g->r) != MSG_EVENT_KEEP && rig_next(g->r) != MSG_NONE)
		(void)rig_expect(g->r, rig_next(g->r));
	event = &rig_expect(g->r, MSG_EVENT_KEEP)->event;
	assert_int_equal(event->type, LOG_REVOKE);
	assert_int_equal(event->surface, SURFACE_OWNER);
	assert_true(uuid_equal(event->subject, b.connection));
	/* Again: done. Reduced: there is none. */
	oauth_rig_kept(g, rig_ask_id(g->r), OK);
	assert_int_equal(reduce(g, b.connection, 0, 0, true), OK);
	assert_int_equal(reduce(g, b.connection, 0, 0, false), ERR_NOT_FOUND);
	assert_int_equal(oauth_rig_record(g, b.connection).end, CONNECTION_REVOKED);
}

static void
a_reduction_is_told(void **state)
{
	struct grants_rig *g = *state;
	struct reduce_ask_body b = { .peer = g->peer };
	const struct event_body *event;

	oauth_rig_ready(g);
	b.connection = oauth_rig_connect(g, READ);
	assert_int_equal(grants_rig_say(g, MSG_REDUCE_WANTED, &b), OK);
	assert_true(uuid_equal(rig_expect(g->r, MSG_CONNECTION_CHANGED)->one_id.id, b.connection));
	event = &rig_expect(g->r, MSG_EVENT_KEEP)->event;
	assert_int_equal(event->type, LOG_CONFIG);
	assert_int_equal(event->config, CONFIG_CONNECTION_REDUCED);
	assert_true(uuid_equal(event->about, b.connection));
	assert_int_equal(grants_rig_end(g), OK);
	/* Only by the owner of an open library. */
	grants_rig_keyring(g, false, true);
	assert_int_equal(reduce(g, b.connection, 0, 0, true), ERR_LOCKED);
	assert_int_equal(oauth_rig_record(g, b.connection).end, CONNECTION_LIVES);
}

/* The owner's ask about that connection: the error, or the categories of its ruling. */
static enum err
owner_rule(struct grants_rig *g, enum op op, struct uuid connection, uint8_t *categories)
{
	struct ask_body ask = { .peer = g->peer, .op = (uint8_t)op, .surface = SURFACE_OWNER, .vault = connection };

	assert_int_equal(grants_rig_say(g, MSG_RULING_WANTED, &ask), OK);
	if (rig_next(g->r) == MSG_ASK_DENIED)
		return (enum err)rig_expect(g->r, MSG_ASK_DENIED)->refusal.error;
	*categories = rig_expect(g->r, MSG_PROFILE_WANTED)->ruling.categories;
	return OK;
}

static void
the_owners_ask_about_a_connection_carries_its_categories(void **state)
{
	struct grants_rig *g = *state;
	uint8_t categories;
	struct uuid id;

	oauth_rig_ready(g);
	id = oauth_rig_connect(g, READ);
	assert_int_equal(owner_rule(g, OP_PROFILE_CHANGE, NOTHING_MADE, &categories), OK);
	assert_int_equal(categories, 0);
	assert_int_equal(owner_rule(g, OP_PROFILE_CHANGE, id, &categories), OK);
	assert_int_equal(categories, 1u << CATEGORY_BASIC);
	assert_int_equal(owner_rule(g, OP_PROFILE_CHANGE, grants_rig_id(0x99), &categories), ERR_NOT_FOUND);
	assert_int_equal(reduce(g, id, 0, 0, true), OK);
	assert_int_equal(owner_rule(g, OP_PROFILE_CHANGE, id, &categories), ERR_NOT_FOUND);
	assert_int_equal(owner_rule(g, OP_PROFILE_LIST, id, &categories), OK);
	assert_int_equal(categories, 0);
}

static size_t
page(struct grants_rig *g, uint64_t offset, uint32_t limit, struct connection_body *rows, bool *more)
{
	struct grants_ask_body b = { .peer = g->peer, .offset = offset, .limit = limit };
	const struct connections_page_body *p;
	struct wire_in in;

	assert_int_equal(grants_rig_say(g, MSG_CONNECTIONS_WANTED, &b), OK);
	p = &rig_expect(g->r, MSG_CONNECTIONS_USAGE_WANTED)->connections_page;
	assert_int_equal(p->offset, offset);
	in = wire_in(p->rows.p, p->rows.len);
	for (unsigned i = 0; i < p->n_rows; i++)
		connection_body_take(&in, &rows[i]);
	assert_true(wire_done(&in));
	*more = p->more;
	return p->n_rows;
}

static void
a_page_shows_them_in_the_order_of_ids(void **state)
{
	struct grants_rig *g = *state;
	struct connection_body rows[100];
	struct uuid ids[5];
	bool more;

	oauth_rig_ready(g);
	for (unsigned i = 0; i < 5; i++) {
		ids[i] = oauth_rig_consent(g, i + 1, i + 1, READ);
		fake_clock_advance(1000);
	}
	assert_int_equal(reduce(g, ids[1], 0, 0, true), OK);
	assert_int_equal(page(g, 0, 100, rows, &more), 5);
	assert_false(more);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(uuid_equal(rows[i].connection, ids[i]));
		assert_int_equal(rows[i].revoked, i == 1 ? CONNECTION_REVOKED : CONNECTION_LIVES);
		assert_int_equal(rows[i].created_wall_ms, 1764496800000 + 1000 * i);
		assert_int_equal(rows[i].ends_wall_ms, i == 1 ? 0 : 1764496800000 + 1000 * i + CONNECTION_REFRESH_MS);
		assert_int_equal(rows[i].name.len, 12);
	}
	assert_int_equal(page(g, 1, 2, rows, &more), 2);
	assert_true(more && uuid_equal(rows[0].connection, ids[1]));
	assert_int_equal(page(g, 3, 2, rows, &more), 2);
	assert_false(more);
	assert_int_equal(page(g, 7, 2, rows, &more), 0);
}

static void
the_largest_page_fits(void **state)
{
	static uint8_t redirect[CONNECTION_REDIRECT_MAX], name[CONNECTION_NAME_MAX];
	struct grants_rig *g = *state;
	struct connection_consent c = { .scopes = READ, .name = { name, sizeof name }, .redirect = { redirect, sizeof redirect } };
	static struct connection_body rows[100];
	struct moment at = { .now = { 1 } };
	bool more;

	oauth_rig_ready(g);
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
		c.connection = grants_rig_id(0);
		c.connection.b[14] = (uint8_t)(i >> 8);
		c.connection.b[15] = (uint8_t)(i + 1);
		oauth_rig_hash(i, c.client);
		oauth_rig_hash(i, c.code);
		assert_int_equal(grants_db_consent(grants_rig_self(g)->db, &c, &at), OK);
	}
	assert_int_equal(page(g, 0, 100, rows, &more), 100);
	assert_true(more);
	/* And there is no room for another, before anything is recorded. */
	{
		struct consent_body b = oauth_rig_consent_of(1, 1, READ);

		assert_int_equal(grants_rig_say(g, MSG_CONSENT, &b), OK);
		assert_int_equal(oauth_rig_denied(g), ERR_PROFILE_FULL);
		assert_true(rig_silent(g->r));
	}
}

/* Ticks until a round of tidying is over. */
static void
tidy(struct grants_rig *g)
{
	for (int i = 0; i < 50; i++) {
		struct mono_ms next = rig_tick(g->r, clock_mono());

		rig_forget(g->r);
		if (next.ms > clock_mono().ms)
			fake_clock_advance(next.ms - clock_mono().ms < 1000 ? next.ms - clock_mono().ms : 1000);
	}
}

static void
one_that_is_over_is_listed_for_thirty_days(void **state)
{
	struct grants_rig *g = *state;
	struct connection_body rows[4];
	struct uuid ended;
	bool more;

	oauth_rig_ready(g);
	ended = oauth_rig_connect(g, READ);
	(void)oauth_rig_consent(g, 2, 2, READ);
	assert_int_equal(reduce(g, ended, 0, 0, true), OK);
	fake_clock_advance(CONNECTION_KEEP_MS - 3600000);
	tidy(g);
	assert_int_equal(page(g, 0, 4, rows, &more), 2);
	fake_clock_advance(3600000);
	tidy(g);
	assert_int_equal(page(g, 0, 4, rows, &more), 1);
	assert_false(uuid_equal(rows[0].connection, ended));
	/* One that nobody has refreshed goes so long after it could be. */
	fake_clock_advance(CONNECTION_KEEP_MS);
	tidy(g);
	assert_int_equal(page(g, 0, 4, rows, &more), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(what_is_taken_away_is_gone_from_the_same_token),
		GRANTS_TEST(nothing_can_be_added),
		GRANTS_TEST(an_end_is_at_once_and_for_ever),
		GRANTS_TEST(a_reduction_is_told),
		GRANTS_TEST(the_owners_ask_about_a_connection_carries_its_categories),
		GRANTS_TEST(a_page_shows_them_in_the_order_of_ids),
		GRANTS_TEST(the_largest_page_fits),
		GRANTS_TEST(one_that_is_over_is_listed_for_thirty_days),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
