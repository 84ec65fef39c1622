/* The forms of docs/store-format.md, "Profile", byte by byte, and what is done with other bytes. */
#include "escrow/hash.h"
#include "escrow/seal.h"
#include "tests/store/profile_rig.h"

#define T 1764496800000

static struct uuid
uuid_from(uint8_t first)
{
	struct uuid u;

	for (size_t i = 0; i < UUID_LEN; i++)
		u.b[i] = (uint8_t)(first + i);
	return u;
}

static bool
takes_fact(struct span s)
{
	struct profile_fact f;

	return profile_fact_take(s, uuid_from(0x20), &f);
}

static bool
takes_share(struct span s)
{
	struct profile_share x;

	return profile_share_take(s, uuid_from(0x40), uuid_from(0x20), &x);
}

static bool
takes_proposal(struct span s)
{
	struct profile_proposal p;

	return profile_proposal_take(s, uuid_from(0x50), &p);
}

static bool
takes_ended(struct span s)
{
	struct profile_ended x;
	uint8_t same[PROFILE_SAME_LEN] = { 0 };

	return profile_ended_take(s, uuid_from(0x40), same, &x);
}

/* What was put is the documented bytes, is taken, and not when it is shorter, longer, or of another form. */
static void
assert_form(struct wire_out *o, bool (*takes)(struct span), const char *hex)
{
	hex_expect(o->p, o->len, hex);
	assert_true(takes((struct span){ o->p, o->len }));
	for (size_t n = 0; n < o->len; n++)
		assert_false(takes((struct span){ o->p, n }));
	o->p[o->len] = 0;
	assert_false(takes((struct span){ o->p, o->len + 1 }));
	o->p[0] = 2;
	assert_false(takes((struct span){ o->p, o->len }));
}

static struct profile_proposal
proposal(void)
{
	return (struct profile_proposal){ .proposal = uuid_from(0x50), .connection = uuid_from(0x40), .op = PROFILE_UPDATE,
		.category = CATEGORY_HABIT, .label = text_span("tea"), .value = text_span("black"), .evidence = text_span("said so"),
		.target = uuid_from(0x20), .target_revision = uuid_from(0x30), .created = { T }, .expires = { T + 30 * 86400000ull } };
}

static void
each_row_is_as_documented(void **state)
{
	struct profile_fact f = { .fact = uuid_from(0x20), .revision = uuid_from(0x30), .version = 3, .category = CATEGORY_HABIT,
		.uncertain = true, .created = { T }, .updated = { T + 5000 }, .label = text_span("\xe8\x8c\xb6"), .value = text_span("green") };
	struct profile_share s = { .revision = uuid_from(0x30), .made = { T } };
	struct profile_proposal p = proposal();
	struct profile_ended x = { .proposal = uuid_from(0x50), .end = PROFILE_DISMISSED, .ended = { T } };
	uint8_t buf[PROFILE_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);

	(void)state;
	profile_fact_put(&o, &f);
	assert_form(&o, takes_fact,
    "01303132333435363738393a3b3c3d3e3f00000000000000030201000000019ad43479000000019ad4348c8800000003"
    "e88cb600000005677265656e00000000");
	o = wire_out(buf, sizeof buf);
	profile_share_put(&o, &s);
	assert_form(&o, takes_share,
    "01303132333435363738393a3b3c3d3e3f0000019ad4347900");
	o = wire_out(buf, sizeof buf);
	profile_proposal_put(&o, &p);
	assert_form(&o, takes_proposal,
    "01404142434445464748494a4b4c4d4e4f02020000000374656100000005626c61636b000000077361696420736f2021"
    "22232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f0000019ad43479000000019b6eb34100");
	o = wire_out(buf, sizeof buf);
	profile_ended_put(&o, &x);
	assert_form(&o, takes_ended,
    "01505152535455565758595a5b5c5d5e5f020000019ad4347900");
}

static void
values_out_of_their_range_are_refused(void **state)
{
	static const struct { size_t at; uint8_t value; } facts[] = { { 25, CATEGORY__COUNT }, { 26, 2 }, { 27, 2 } };
	struct profile_fact f = { .version = 1, .category = CATEGORY_HABIT, .label = text_span("l"), .value = text_span("v") };
	struct profile_proposal p = proposal();
	uint8_t buf[PROFILE_ROW_MAX];
	struct wire_out o;

	(void)state;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		o = wire_out(buf, sizeof buf);
		profile_fact_put(&o, &f);
		assert_true(takes_fact((struct span){ buf, o.len }));
		buf[facts[i].at] = facts[i].value;
		assert_false(takes_fact((struct span){ buf, o.len }));
	}
	f.version = 0;
	o = wire_out(buf, sizeof buf);
	profile_fact_put(&o, &f);
	assert_false(takes_fact((struct span){ buf, o.len }));
	/* One to add has no target, and the others have one. */
	p.op = PROFILE_ADD;
	o = wire_out(buf, sizeof buf);
	profile_proposal_put(&o, &p);
	assert_false(takes_proposal((struct span){ buf, o.len }));
	buf[17] = 0;
	assert_false(takes_proposal((struct span){ buf, o.len }));
	buf[17] = 4;
	assert_false(takes_proposal((struct span){ buf, o.len }));
}

/* Inside the database: its keys, and the tags that it is held together by. */
static void
keys_and_tags_are_as_documented(void **state)
{
	static const char *const keys[] = {
		"01f7d304e0de4b040c294a2cdd6b223302fd9a3a7f6af5bb00f1c6bc43fa425b",
		"4661960f09f9412301da67eebc07429f446662485fe6b30c5c4089230ec1362b",
		"066b71031bd3a4219fbc9b3e4a5dd67f276583334d6c617196f6402fa2c8abb5",
		"308b246cd94b0a8ade24895748d61460744c7cddfc9cc7ff887f795c91ae410f",
		"52a68fe16997f02b7e5d7739c97038812a19629f76bb8dd456d77d2407f1d3fc",
		"0d016c01b05ba4b56b0ea252ae38a21e47f61938fb6d518972edf5f011b8ce03",
		"3fb92b38199d29a0c54767e68af461de9f6e19a33e984d3dfa0cc0ef0e661147",
	};
	struct key *k = hex_key("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), *out = NULL, *set = NULL;
	uint8_t row[9 + 2 * UUID_LEN + 64] = "share/v1", tag[32], same[PROFILE_SAME_LEN];
	struct profile_proposal p = proposal();
	struct profile_db *db = NULL;
	void *dir = NULL;

	(void)state;
	assert_int_equal(key_new(&out), OK);
	assert_int_equal(key_new(&set), OK);
	for (size_t i = 0; i < 5; i++) {
		derive(k, "memories/profile-table/v1", text_span(profile_tables[i]), out);
		hex_expect(out->b, KEY_LEN, keys[i]);
	}
	derive(k, "memories/profile-set/v1", (struct span){ NULL, 0 }, set);
	hex_expect(set->b, KEY_LEN, keys[5]);
	memcpy(row + 9, uuid_from(0x40).b, UUID_LEN);
	memcpy(row + 9 + UUID_LEN, uuid_from(0x20).b, UUID_LEN);
	for (size_t i = 0; i < 64; i++)
		row[9 + 2 * UUID_LEN + i] = (uint8_t)i;
	keyed_tag(set, "memories/profile-row/v1", (struct span){ row, sizeof row }, tag);
	hex_expect(tag, sizeof tag, "7eeb961ce6981761a7ded758989fda372bdb4c21d8c569575b13b7161bf7e11a");
	assert_int_equal(temp_dir_setup(&dir), 0);
	assert_int_equal(profile_db_open(((struct temp_dir *)dir)->path, k, says_secret, &db), OK);
	profile_db_same(db, &p, same);
	hex_expect(same, sizeof same, "a4998c7c7bca8a96a2a7447129807777cdcbf2c33ac58c2aa2f1bafccb4add7e");
	profile_db_close(&db);
	assert_int_equal(temp_dir_teardown(&dir), 0);
	key_free(&k);
	key_free(&out);
	key_free(&set);
}

/*
 * A whole database as another program reads it: rows opened by the documented
 * keys and associated data, and the tag over all found again.
 */
static void
another_program_can_read_it(void **state)
{
	struct profile_rig *r = *state;
	struct profile_fact f = a_fact(0x21, 1, "tea");
	struct key *table = NULL, *set = NULL, *meta = NULL;
	uint8_t row[32 + 2 * PROFILE_ROW_MAX], plain[PROFILE_ROW_MAX], tag[32];
	struct env *env = NULL;
	struct span sealed;
	struct uuid fact = an_id(0x21);

	profile_db_put_fact(r->db, &f);
	assert_int_equal(profile_db_commit(r->db), OK);
	profile_db_close(&r->db);
	assert_int_equal(key_new(&table), OK);
	assert_int_equal(key_new(&set), OK);
	assert_int_equal(key_new(&meta), OK);
	derive(r->key, "memories/profile-table/v1", text_span("fact"), table);
	derive(r->key, "memories/profile-table/v1", text_span("meta"), meta);
	derive(r->key, "memories/profile-set/v1", (struct span){ NULL, 0 }, set);
	assert_int_equal(env_open(profile_path(r), profile_tables, 6, &env), OK);
	assert_int_equal(env_look(env), OK);
	assert_int_equal(env_get(env, 0, (struct span){ fact.b, UUID_LEN }, &sealed), OK);
	memcpy(row, "fact/v1", 8);
	memcpy(row + 8, fact.b, UUID_LEN);
	memcpy(row + 8 + UUID_LEN, sealed.p, sealed.len);
	assert_int_equal(seal_open(table->b, (struct span){ row, 8 + UUID_LEN }, sealed, plain), OK);
	assert_true(takes_fact((struct span){ plain, sealed.len - SEAL_OVERHEAD }));
	keyed_tag(set, "memories/profile-row/v1", (struct span){ row, 8 + UUID_LEN + sealed.len }, tag);
	assert_int_equal(env_get(env, 4, text_span("state"), &sealed), OK);
	assert_int_equal(sealed.len, 49 + SEAL_OVERHEAD);
	assert_int_equal(seal_open(meta->b, (struct span){ (const uint8_t *)"meta/v1\0state", 13 }, sealed, plain), OK);
	assert_memory_equal(plain + 17, tag, sizeof tag);
	env_close(&env);
	key_free(&table);
	key_free(&set);
	key_free(&meta);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_as_documented),
		cmocka_unit_test(values_out_of_their_range_are_refused),
		cmocka_unit_test(keys_and_tags_are_as_documented),
		cmocka_unit_test_setup_teardown(another_program_can_read_it, profile_rig_setup, profile_rig_teardown),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
