/* The profile's database: what is kept, what a failed change leaves, and what somebody else's hands in its file show. */
#include <stdio.h>

#include "store/profile_db_inside.h"
#include "tests/store/profile_rig.h"
#include "tests/support/disk.h"

static void
put_fact(struct profile_rig *r, uint8_t id, uint64_t version, const char *value)
{
	struct profile_fact f = a_fact(id, version, value);

	profile_db_put_fact(r->db, &f);
}

static void
share(struct profile_rig *r, uint8_t connection, uint8_t fact, uint64_t version)
{
	struct profile_share s = { .connection = an_id(connection), .fact = an_id(fact), .revision = an_id((uint8_t)(0x80 + version)),
		.made = { 7 } };

	profile_db_put_share(r->db, &s);
}

static void
propose(struct profile_rig *r, uint8_t id, uint8_t connection, const char *value)
{
	struct profile_proposal p = a_proposal(id, connection, value);

	profile_db_put_proposal(r->db, &p);
}

static void
end(struct profile_rig *r, uint8_t connection, uint8_t same)
{
	struct profile_ended x = { .connection = an_id(connection), .proposal = an_id(0x77), .end = PROFILE_DISMISSED, .ended = { 8 } };

	memset(x.same, same, sizeof x.same);
	profile_db_put_ended(r->db, &x);
}

static void
fill(struct profile_rig *r)
{
	put_fact(r, 0x22, 2, "secret garden");
	put_fact(r, 0x21, 1, "tea");
	share(r, 0x31, 0x21, 1);
	share(r, 0x32, 0x21, 1);
	share(r, 0x31, 0x22, 2);
	propose(r, 0x41, 0x31, "coffee");
	end(r, 0x31, 5);
	profile_db_put_verifier(r->db, text_span("$argon2id$x"));
	assert_int_equal(profile_db_commit(r->db), OK);
}

static void
assert_filled(struct profile_rig *r)
{
	const struct profile_book *b = profile_db_book(r->db);
	const struct profile_fact *f = profile_book_fact(b, an_id(0x22));
	uint8_t same[PROFILE_SAME_LEN];
	size_t n;

	memset(same, 5, sizeof same);
	assert_int_equal(b->n_facts, 2);
	assert_non_null(f);
	assert_int_equal(f->version, 2);
	assert_true(f->sensitive);
	assert_memory_equal(f->value.p, "secret garden", f->value.len);
	assert_memory_equal(f->evidence.p, "evidence", f->evidence.len);
	assert_true(uuid_equal(b->facts[0]->fact, an_id(0x21)));
	assert_false(b->facts[0]->sensitive);
	assert_non_null(profile_book_shares_of(b, an_id(0x31), &n));
	assert_int_equal(n, 2);
	assert_true(uuid_equal(profile_book_share(b, an_id(0x31), an_id(0x22))->revision, an_id(0x82)));
	assert_memory_equal(profile_book_proposal(b, an_id(0x41))->value.p, "coffee", 6);
	assert_int_equal(profile_book_ended(b, an_id(0x31), same)->end, PROFILE_DISMISSED);
	assert_int_equal(profile_db_verifier(r->db).len, 11);
}

static void
all_of_it_is_there_again(void **state)
{
	struct profile_rig *r = *state;

	fill(r);
	assert_filled(r);
	profile_rig_reopen(r);
	assert_filled(r);
}

static void
nothing_of_it_is_read_under_another_key(void **state)
{
	struct profile_rig *r = *state;
	struct key *right = r->key;

	fill(r);
	profile_db_close(&r->db);
	assert_int_equal(key_random(&r->key), OK);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
	assert_null(r->db);
	key_free(&r->key);
	r->key = right;
}

static void
nothing_stands_in_the_file_in_clear(void **state)
{
	struct profile_rig *r = *state;
	static char bytes[1 << 20];
	FILE *f;
	size_t n;

	put_fact(r, 0x21, 1, "MARKER-walrus");
	profile_db_put_verifier(r->db, text_span("MARKER-verifier"));
	assert_int_equal(profile_db_commit(r->db), OK);
	f = fopen(temp_dir_at(r->dir, "data.mdb"), "rb");
	assert_non_null(f);
	n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	assert_true(n > 4096);
	assert_null(memmem(bytes, n, "MARKER", 6));
}

/* One table's row, put or taken as somebody with a tool would. */
static void
tamper(struct profile_rig *r, size_t table, const void *key, size_t key_len, const uint8_t *value, size_t len)
{
	struct env *env = NULL;

	assert_int_equal(env_open(profile_path(r), profile_tables, 6, &env), OK);
	assert_int_equal(env_begin(env), OK);
	if (value == NULL)
		assert_int_equal(env_delete(env, table, (struct span){ key, key_len }), OK);
	else
		assert_int_equal(env_put(env, table, (struct span){ key, key_len }, (struct span){ value, len }, NULL), OK);
	assert_int_equal(env_commit(env), OK);
	env_close(&env);
}

static size_t
read_row(struct profile_rig *r, size_t table, const void *key, size_t key_len, uint8_t *out)
{
	struct env *env = NULL;
	struct span v;
	size_t len;

	assert_int_equal(env_open(profile_path(r), profile_tables, 6, &env), OK);
	assert_int_equal(env_look(env), OK);
	assert_int_equal(env_get(env, table, (struct span){ key, key_len }, &v), OK);
	memcpy(out, v.p, v.len);
	len = v.len;
	env_close(&env);
	return len;
}

/* The owner has changed a fact, which voids its sharing; the row as it was before would undo that. */
static void
a_row_put_back_is_seen(void **state)
{
	struct profile_rig *r = *state;
	struct uuid fact = an_id(0x21);
	uint8_t old[8192];
	size_t len;

	fill(r);
	profile_db_close(&r->db);
	len = read_row(r, 0, fact.b, UUID_LEN, old);
	assert_int_equal(profile_rig_try_open(r), OK);
	put_fact(r, 0x21, 2, "tea, but only at home");
	assert_int_equal(profile_db_commit(r->db), OK);
	profile_db_close(&r->db);
	tamper(r, 0, fact.b, UUID_LEN, old, len);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
}

static void
a_share_put_back_is_seen(void **state)
{
	struct profile_rig *r = *state;
	uint8_t key[2 * UUID_LEN], old[8192];
	size_t len;

	memset(key, 0x31, UUID_LEN);
	memset(key + UUID_LEN, 0x21, UUID_LEN);
	fill(r);
	profile_db_close(&r->db);
	len = read_row(r, 1, key, sizeof key, old);
	assert_int_equal(profile_rig_try_open(r), OK);
	profile_db_remove_share(r->db, an_id(0x31), an_id(0x21));
	assert_int_equal(profile_db_commit(r->db), OK);
	profile_db_close(&r->db);
	tamper(r, 1, key, sizeof key, old, len);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
	/* And with it taken away again, all is well. */
	tamper(r, 1, key, sizeof key, NULL, 0);
	assert_int_equal(profile_rig_try_open(r), OK);
}

static void
a_row_moved_or_taken_away_is_seen(void **state)
{
	struct profile_rig *r = *state;
	struct uuid a = an_id(0x21), b = an_id(0x22), absent = an_id(0x23);
	uint8_t row[8192], other[8192];
	size_t len, other_len;

	fill(r);
	profile_db_close(&r->db);
	len = read_row(r, 0, a.b, UUID_LEN, row);
	other_len = read_row(r, 0, b.b, UUID_LEN, other);
	tamper(r, 0, absent.b, UUID_LEN, row, len);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
	tamper(r, 0, absent.b, UUID_LEN, NULL, 0);
	tamper(r, 0, a.b, UUID_LEN, other, other_len);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
	tamper(r, 0, a.b, UUID_LEN, NULL, 0);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
	row[len - 1] ^= 1;
	tamper(r, 0, a.b, UUID_LEN, row, len);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
	row[len - 1] ^= 1;
	tamper(r, 0, a.b, UUID_LEN, row, len);
	tamper(r, 4, "state", 5, NULL, 0);
	assert_int_equal(profile_rig_try_open(r), ERR_STORAGE_CORRUPT);
}

static void
a_change_that_fails_leaves_all_as_it_was(void **state)
{
	struct profile_rig *r = *state;
	uint64_t change;

	fill(r);
	change = profile_db_change(r->db);
	put_fact(r, 0x21, 2, "juice");
	put_fact(r, 0x2a, 1, "more");
	profile_db_remove_proposal(r->db, an_id(0x41));
	r->db->failed = ERR_PROFILE_FULL;
	assert_int_equal(profile_db_commit(r->db), ERR_PROFILE_FULL);
	assert_filled(r);
	assert_true(profile_db_change(r->db) > change);
	profile_rig_reopen(r);
	assert_filled(r);
}

static void
without_memory_nothing_changes(void **state)
{
	struct profile_rig *r = *state;
	char value[1000];

	fill(r);
	memset(value, 'x', sizeof value - 1);
	value[sizeof value - 1] = '\0';
	r->db->book.bill.max = r->db->book.bill.bytes;
	for (uint8_t i = 0; i < 200; i++)
		put_fact(r, (uint8_t)(0x23 + i), 1, value);
	assert_int_equal(profile_db_commit(r->db), ERR_NO_MEMORY);
	assert_int_equal(profile_db_failure(r->db), OK);
	assert_filled(r);
	put_fact(r, 0x23, 1, value);
	assert_int_equal(profile_db_commit(r->db), OK);
	profile_rig_reopen(r);
	assert_int_equal(profile_db_book(r->db)->n_facts, 3);
}

static void
a_disk_that_fails_leaves_the_last_change(void **state)
{
	struct profile_rig *r = *state;
	enum err e;

	fill(r);
	disk_limit(8192);
	put_fact(r, 0x21, 2, "juice");
	e = profile_db_commit(r->db);
	disk_unlimit();
	assert_true(e == ERR_STORAGE_FAILED || e == ERR_STORAGE_FULL);
	if (profile_db_failure(r->db) != OK)
		assert_int_equal(profile_db_book(r->db)->n_facts, 0);
	else
		assert_filled(r);
	profile_rig_reopen(r);
	assert_filled(r);
}

static void
what_belongs_to_a_connection_goes_with_it(void **state)
{
	struct profile_rig *r = *state;
	size_t n;

	fill(r);
	end(r, 0x32, 5);
	propose(r, 0x42, 0x32, "milk");
	profile_db_remove_connection(r->db, an_id(0x31));
	assert_int_equal(profile_db_commit(r->db), OK);
	for (int i = 0; i < 2; i++) {
		const struct profile_book *b = profile_db_book(r->db);

		assert_int_equal(b->n_shares, 1);
		assert_int_equal(b->n_proposals, 1);
		assert_int_equal(b->n_ended, 1);
		assert_int_equal(b->n_facts, 2);
		(void)profile_book_shares_of(b, an_id(0x32), &n);
		assert_int_equal(n, 1);
		profile_rig_reopen(r);
	}
}

static void
a_connection_that_ended_meanwhile_is_gone_when_it_is_opened(void **state)
{
	struct profile_rig *r = *state;

	fill(r);
	profile_db_close(&r->db);
	assert_int_equal(profile_db_note_gone(profile_path(r), an_id(0x31)), OK);
	assert_int_equal(profile_db_note_gone(profile_path(r), an_id(0x3f)), OK);
	for (int i = 0; i < 2; i++) {
		profile_rig_reopen(r);
		assert_int_equal(profile_db_book(r->db)->n_shares, 1);
		assert_int_equal(profile_db_book(r->db)->n_proposals, 0);
		assert_int_equal(profile_db_book(r->db)->n_ended, 0);
	}
}

static void
its_clock_never_goes_back(void **state)
{
	struct profile_rig *r = *state;

	assert_int_equal(profile_db_now(r->db).ms, 1764496800000);
	fill(r);
	fake_clock_set(1764496800000 - 5000, 100000);
	assert_int_equal(profile_db_now(r->db).ms, 1764496800000);
	profile_rig_reopen(r);
	assert_int_equal(profile_db_now(r->db).ms, 1764496800000);
	fake_clock_set(1764496800000 + 5000, 100000);
	assert_int_equal(profile_db_now(r->db).ms, 1764496805000);
	profile_db_keep_clock(r->db);
	assert_int_equal(profile_db_commit(r->db), OK);
	fake_clock_set(1764496800000, 100000);
	profile_rig_reopen(r);
	assert_int_equal(profile_db_now(r->db).ms, 1764496805000);
}

static void
proposals_are_the_same_by_what_they_want(void **state)
{
	struct profile_rig *r = *state;
	struct profile_proposal p = a_proposal(0x41, 0x31, "coffee"), q = a_proposal(0x42, 0x31, "coffee");
	uint8_t a[PROFILE_SAME_LEN], b[PROFILE_SAME_LEN];

	q.evidence = text_span("said so");
	q.created.ms = 9;
	profile_db_same(r->db, &p, a);
	profile_db_same(r->db, &q, b);
	assert_memory_equal(a, b, sizeof a);
	/* The bounds between texts count. */
	q.label = text_span("labelc");
	q.value = text_span("offee");
	profile_db_same(r->db, &q, b);
	assert_memory_not_equal(a, b, sizeof a);
	q = p;
	q.category = CATEGORY_HABIT;
	profile_db_same(r->db, &q, b);
	assert_memory_not_equal(a, b, sizeof a);
}

/* Many of everything, in any order, against what a list says. */
static void
many_are_found_in_order(void **state)
{
	struct profile_rig *r = *state;
	const struct profile_book *b = profile_db_book(r->db);
	char text[16] = "";

	for (unsigned i = 0; i < 500; i++) {
		struct profile_fact f = a_fact(1, 1, text);
		unsigned n = i * 7919 % 500;

		snprintf(text, sizeof text, "value %u", n);
		f.value = text_span(text);
		f.fact.b[14] = (uint8_t)(n >> 8);
		f.fact.b[15] = (uint8_t)n;
		profile_db_put_fact(r->db, &f);
	}
	assert_int_equal(profile_db_commit(r->db), OK);
	profile_rig_reopen(r);
	b = profile_db_book(r->db);
	assert_int_equal(b->n_facts, 500);
	for (unsigned i = 0; i < 500; i++) {
		snprintf(text, sizeof text, "value %u", i);
		assert_int_equal(b->facts[i]->value.len, strlen(text));
		assert_memory_equal(b->facts[i]->value.p, text, strlen(text));
	}
}

#define WITH(f) cmocka_unit_test_setup_teardown(f, profile_rig_setup, profile_rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(all_of_it_is_there_again),
		WITH(nothing_of_it_is_read_under_another_key),
		WITH(nothing_stands_in_the_file_in_clear),
		WITH(a_row_put_back_is_seen),
		WITH(a_share_put_back_is_seen),
		WITH(a_row_moved_or_taken_away_is_seen),
		WITH(a_change_that_fails_leaves_all_as_it_was),
		WITH(without_memory_nothing_changes),
		WITH(a_disk_that_fails_leaves_the_last_change),
		WITH(what_belongs_to_a_connection_goes_with_it),
		WITH(a_connection_that_ended_meanwhile_is_gone_when_it_is_opened),
		WITH(its_clock_never_goes_back),
		WITH(proposals_are_the_same_by_what_they_want),
		WITH(many_are_found_in_order),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
