/* Minting, listing and revoking grants of both types: what each may have, and what neither may. */
#include "tests/actors/grants_rig.h"

static struct mint_ask_body
a_mint(const struct grants_rig *g, enum grant_type type)
{
	struct mint_ask_body ask = { .peer = g->peer, .client_ask = 3, .vaults = { g->vault.b, UUID_LEN },
		.grant_type = (uint8_t)type, .classes = type == GRANT_ORDINARY ? 1u << CLASS_ORDINARY : 0x0f };

	memset(ask.token_id, 0x5c, sizeof ask.token_id);
	return ask;
}

/* OK when the keyring is asked for keys; what it is told is dropped. */
static enum err
mint(struct grants_rig *g, const struct mint_ask_body *ask)
{
	assert_int_equal(grants_rig_say(g, MSG_MINT_WANTED, ask), OK);
	if (rig_next(g->r) != MSG_GRANT_KEYS_WANTED)
		return grants_rig_end(g);
	rig_forget(g->r);
	return OK;
}

static void
give_keys(struct grants_rig *g)
{
	struct vault_keys_made_body v = { .vault = g->vault };
	uint8_t buf[400];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct grant_keys_made_body made;

	memset(v.sealed, 0x66, sizeof v.sealed);
	vault_keys_made_body_put(&o, &v);
	made = (struct grant_keys_made_body){ .wraps = wire_written(&o) };
	assert_int_equal(rig_deliver(g->r, MSG_GRANT_KEYS, ACTOR_KEYRING, g->n_asks, &made), OK);
}

/* The keyring makes none, so that not too many wait. */
static void
no_keys(struct grants_rig *g)
{
	assert_int_equal(rig_deliver(g->r, MSG_KEYS_NOT_MADE, ACTOR_KEYRING, g->n_asks, &(struct result_body){ .error = ERR_BUSY }), OK);
	assert_int_equal(grants_rig_end(g), ERR_BUSY);
}

static struct grant_record *
the_minted(struct grants_rig *g, const struct mint_ask_body *ask)
{
	static struct grant_record r;
	struct grant_use use;
	uint8_t hash[32];

	sha256(ask->token_id, sizeof ask->token_id, hash);
	assert_int_equal(grants_db_use(grants_rig_self(g)->db, hash, g->vault, &use), OK);
	assert_int_equal(grants_db_grant(grants_rig_self(g)->db, use.grant, &r), OK);
	return &r;
}

static void
an_ordinary_mint_needs_sudo_and_no_unattended_access(void **state)
{
	struct grants_rig *g = *state;
	struct grants *self;
	struct mint_ask_body ask = a_mint(g, GRANT_ORDINARY);
	struct grant_record *r;
	const union any_body *b;

	grants_rig_ready(g);
	self = grants_rig_self(g);
	self->enrolled = self->loaded = false;
	self->library.center_managed = true;
	ask.may_propose = 1;
	ask.label = (struct span){ (const uint8_t *)"notes", 5 };
	ask.expires_wall_ms = clock_wall().ms + 5000;
	assert_int_equal(mint(g, &ask), OK);
	give_keys(g);
	assert_non_null(b = rig_expect(g->r, MSG_EVENT_KEEP));
	assert_int_equal(b->event.type, LOG_GRANT);
	assert_int_equal(b->event.grant_type, GRANT_ORDINARY);
	/* Not even a disable in between is about it. */
	assert_int_equal(ban_set(self->ban, (struct ban_state){ .disabled = true }), OK);
	grants_rig_kept(g, OK);
	assert_int_equal(grants_rig_end(g), OK);
	r = the_minted(g, &ask);
	assert_int_equal(r->type, GRANT_ORDINARY);
	assert_int_equal(r->classes, 1u << CLASS_ORDINARY);
	assert_true(r->may_propose);
	assert_string_equal(r->label, "notes");
	assert_int_equal(r->life.created.ms, clock_wall().ms);
	assert_int_equal(r->life.expires.ms, clock_wall().ms + 5000);
	assert_int_equal(r->life.minted.ms, clock_mono().ms);
	assert_true(uuid_equal(r->life.boot, clock_boot()));
	/* It is looked at when its time has come. */
	assert_int_equal(rig_tick(g->r, clock_mono()).ms, clock_mono().ms + 5000);
	ask.peer.session++;
	assert_int_equal(mint(g, &ask), ERR_SUDO_REQUIRED);
	ask.peer.session--;
	self->unlocked = false;
	assert_int_equal(mint(g, &ask), ERR_LOCKED);
}

static void
each_type_is_minted_for_what_it_may_have_alone(void **state)
{
	struct grants_rig *g = *state;
	struct mint_ask_body ask;

	grants_rig_ready(g);
	for (unsigned type = 0; type <= 3; type++)
		for (unsigned classes = 0; classes <= 16; classes++)
			for (unsigned propose = 0; propose <= 2; propose++) {
				bool ordinary = type == GRANT_ORDINARY && classes == 1 && propose <= 1;
				bool unattended = type == GRANT_UNATTENDED && classes >= 1 && classes <= 15 && propose == 0;

				ask = a_mint(g, (enum grant_type)type);
				ask.classes = (uint8_t)classes;
				ask.may_propose = (uint8_t)propose;
				if (mint(g, &ask) != (ordinary || unattended ? OK : ERR_INVALID_ARGUMENT))
					fail_msg("type %u, classes %u, propose %u", type, classes, propose);
				if (ordinary || unattended)
					no_keys(g);
			}
}

static enum err
mint_labelled(struct grants_rig *g, const char *label, size_t len)
{
	struct mint_ask_body ask = a_mint(g, GRANT_UNATTENDED);

	ask.label = (struct span){ (const uint8_t *)label, len };
	return mint(g, &ask);
}

static void
a_label_is_one_line_of_at_most_64_characters(void **state)
{
	struct grants_rig *g = *state;
	char text[128];

	grants_rig_ready(g);
	memset(text, 'x', sizeof text);
	assert_int_equal(mint_labelled(g, text, 64), OK);
	assert_int_equal(mint_labelled(g, text, 65), ERR_INVALID_ARGUMENT);
	for (size_t i = 0; i < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	assert_int_equal(mint_labelled(g, text, 128), OK);
	assert_int_equal(mint_labelled(g, text, 127), ERR_INVALID_ARGUMENT);
	assert_int_equal(mint_labelled(g, "a\nb", 3), ERR_INVALID_ARGUMENT);
	assert_int_equal(mint_labelled(g, "a\0b", 3), ERR_INVALID_ARGUMENT);
	assert_int_equal(mint_labelled(g, "\x7f", 1), ERR_INVALID_ARGUMENT);
	assert_int_equal(mint_labelled(g, "\xff", 1), ERR_INVALID_ARGUMENT);
}

static void
a_grant_ends_in_the_future_and_within_ten_years_or_never(void **state)
{
	struct grants_rig *g = *state;
	struct mint_ask_body ask = a_mint(g, GRANT_UNATTENDED);
	uint64_t now = clock_wall().ms;

	grants_rig_ready(g);
	for (int i = 0; i < 6; i++) {
		ask.expires_wall_ms = i == 0 ? 1 : i == 1 ? now : i == 2 ? now + GRANT_TERM_MAX_MS + 1 : i == 3 ? UINT64_MAX
		    : i == 4 ? now + 1 : now + GRANT_TERM_MAX_MS;
		assert_int_equal(mint(g, &ask), i < 4 ? ERR_INVALID_ARGUMENT : OK);
	}
}

static struct grant_row_body
only_row(struct grants_rig *g, enum grant_type type)
{
	struct grants_ask_body ask = { .peer = g->peer, .grant_type = (uint8_t)type, .limit = 100 };
	struct grant_row_body row;
	const union any_body *b;
	struct wire_in in;

	assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &ask), OK);
	assert_non_null(b = rig_expect(g->r, MSG_USAGE_WANTED));
	assert_int_equal(b->grants_page.n_rows, 1);
	in = wire_in(b->grants_page.rows.p, b->grants_page.rows.len);
	grant_row_body_take(&in, &row);
	assert_true(wire_done(&in));
	return row;
}

static void
each_type_has_its_own_list_and_revokes_its_own_alone(void **state)
{
	struct grants_rig *g = *state;
	struct revoke_ask_body ask = { .peer = g->peer };
	struct grants_ask_body none = { .peer = g->peer, .grant_type = 3, .limit = 100 };
	struct grant_row_body row;
	struct uuid unattended = g->grant, ordinary = grants_rig_id(0x42);

	grants_rig_ready(g);
	g->grant = ordinary;
	g->token_id[0]++;
	grants_rig_grant_of(g, GRANT_ORDINARY, 5000, 1u << CLASS_ORDINARY);
	assert_true(uuid_equal(only_row(g, GRANT_UNATTENDED).grant, unattended));
	row = only_row(g, GRANT_ORDINARY);
	assert_true(uuid_equal(row.grant, ordinary));
	assert_int_equal(row.grant_type, GRANT_ORDINARY);
	assert_int_equal(row.classes, 1u << CLASS_ORDINARY);
	assert_int_equal(row.expired, 0);
	fake_clock_advance(5000);
	/* Also before it is marked. */
	assert_int_equal(only_row(g, GRANT_ORDINARY).expired, 1);
	assert_int_equal(grants_rig_say(g, MSG_GRANTS_WANTED, &none), OK);
	assert_int_equal(grants_rig_end(g), ERR_INVALID_ARGUMENT);
	ask.grant_type = GRANT_UNATTENDED;
	ask.grant = ordinary;
	assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_FOUND);
	ask.grant_type = GRANT_ORDINARY;
	ask.grant = unattended;
	assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
	assert_int_equal(grants_rig_end(g), ERR_NOT_FOUND);
	ask.grant = ordinary;
	assert_int_equal(grants_rig_say(g, MSG_REVOKE_WANTED, &ask), OK);
	assert_int_equal(rig_expect(g->r, MSG_EVENT_KEEP)->event.type, LOG_REVOKE);
	assert_true(uuid_equal(rig_expect(g->r, MSG_GRANT_DROP)->one_id.id, ordinary));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		GRANTS_TEST(an_ordinary_mint_needs_sudo_and_no_unattended_access),
		GRANTS_TEST(each_type_is_minted_for_what_it_may_have_alone),
		GRANTS_TEST(a_label_is_one_line_of_at_most_64_characters),
		GRANTS_TEST(a_grant_ends_in_the_future_and_within_ten_years_or_never),
		GRANTS_TEST(each_type_has_its_own_list_and_revokes_its_own_alone),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
