/* Who sees which facts, their version, and what an overview, its pages and a search say. */
#include <string.h>

#include "escrow/secret.h"
#include "gateway/json.h"
#include "gateway/profile_result.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

#define ALL 0xffu

static struct profile_book book;
static const struct uuid me = { { 0x31 } }, other = { { 0x32 } };

static int
setup(void **state)
{
	(void)state;
	return profile_book_new(&book) == OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	profile_book_free(&book);
	return 0;
}

static struct uuid
fact_id(unsigned n)
{
	return (struct uuid){ { 0x21, [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } };
}

static struct profile_fact
fact_of(unsigned n, enum category c, const char *value)
{
	return (struct profile_fact){ .fact = fact_id(n), .revision = { { 0x41, [14] = (uint8_t)(n >> 8), [15] = (uint8_t)n } },
		.version = 1, .category = c, .created = { 1000 }, .updated = { 1764496800000 + n * 1000 },
		.label = { (const uint8_t *)"label", 5 }, .value = { (const uint8_t *)value, strlen(value) },
		.evidence = { (const uint8_t *)"EVIDENCE", 8 } };
}

static void
put(const struct profile_fact *f, const struct uuid *connection)
{
	struct profile_share s = { .fact = f->fact, .revision = f->revision };

	assert_int_equal(profile_book_put_fact(&book, f), OK);
	if (connection != NULL) {
		s.connection = *connection;
		assert_int_equal(profile_book_put_share(&book, &s), OK);
	}
}

static size_t
n_seen(struct uuid connection, unsigned categories)
{
	struct profile_view v;
	size_t n;

	assert_int_equal(profile_view_make(&book, connection, categories, &v), OK);
	n = v.n;
	for (size_t i = 0; i < n; i++)
		assert_true(profile_fact_visible(&book, v.facts[i], connection, categories));
	profile_view_free(&v);
	return n;
}

static void
only_what_is_shared_with_it_is_seen(void **state)
{
	struct profile_fact a = fact_of(1, CATEGORY_BASIC, "a"), b = fact_of(2, CATEGORY_GOAL, "b"), c = fact_of(3, CATEGORY_GOAL, "c");

	(void)state;
	put(&a, &me);
	put(&b, &other);
	put(&c, NULL);
	assert_int_equal(n_seen(me, ALL), 1);
	assert_int_equal(n_seen(other, ALL), 1);
	assert_int_equal(n_seen((struct uuid){ { 0x33 } }, ALL), 0);
}

/* A category that a connection allows is an upper bound. */
static void
a_category_that_is_not_allowed_hides_it(void **state)
{
	struct profile_fact a = fact_of(1, CATEGORY_BASIC, "a"), b = fact_of(2, CATEGORY_GOAL, "b");

	(void)state;
	put(&a, &me);
	put(&b, &me);
	assert_int_equal(n_seen(me, ALL), 2);
	assert_int_equal(n_seen(me, 1u << CATEGORY_GOAL), 1);
	assert_int_equal(n_seen(me, 0), 0);
}

static void
what_is_never_shared_is_not_even_if_a_share_says_so(void **state)
{
	struct profile_fact f[] = { fact_of(1, CATEGORY_HEALTH, "x"), fact_of(2, CATEGORY_RELATIONSHIP, "x"),
		fact_of(3, CATEGORY_UNCATEGORIZED, "x"), fact_of(4, CATEGORY_BASIC, "x"), fact_of(5, CATEGORY_BASIC, "x"),
		fact_of(6, CATEGORY_BASIC, "x") };

	(void)state;
	f[3].uncertain = true;
	f[4].sensitive = true;
	f[5].archived = true;
	for (size_t i = 0; i < sizeof f / sizeof *f; i++)
		put(&f[i], &me);
	assert_int_equal(n_seen(me, ALL), 0);
}

static void
an_edit_voids_it_until_it_is_shared_again(void **state)
{
	struct profile_fact a = fact_of(1, CATEGORY_BASIC, "a");

	(void)state;
	put(&a, &me);
	a.revision.b[1] = 9;
	a.version = 2;
	put(&a, NULL);
	assert_int_equal(n_seen(me, ALL), 0);
	assert_false(profile_fact_visible(&book, &a, me, ALL));
	put(&a, &me);
	assert_int_equal(n_seen(me, ALL), 1);
}

static void
version_of(struct uuid connection, uint8_t out[PROFILE_VERSION_LEN])
{
	struct profile_view v;

	assert_int_equal(profile_view_make(&book, connection, ALL, &v), OK);
	memcpy(out, v.version, PROFILE_VERSION_LEN);
	profile_view_free(&v);
}

/* docs/store-format.md, "Profile". */
static void
the_version_is_the_documented_one(void **state)
{
	struct profile_fact a = fact_of(1, CATEGORY_GOAL, "run"), b = fact_of(2, CATEGORY_BASIC, "\xe5\x8c\x97\xe4\xba\xac");
	uint8_t version[PROFILE_VERSION_LEN];

	(void)state;
	version_of(me, version);
	hex_expect(version, sizeof version, "8f33e89d47214e50295729f0136db20cd0029dd7cf8e33607e5de212e55fa025");
	put(&a, &me);
	put(&b, &me);
	version_of(me, version);
	hex_expect(version, sizeof version, "ad3f610e74b8054e19fc6a8d101f34a643366f9f25a0a76877aa4891ff5d0a94");
}

static void
the_version_follows_what_is_seen_and_nothing_else(void **state)
{
	struct profile_fact a = fact_of(1, CATEGORY_GOAL, "run"), b = fact_of(2, CATEGORY_BASIC, "x");
	uint8_t before[PROFILE_VERSION_LEN], after[PROFILE_VERSION_LEN];

	(void)state;
	put(&a, &me);
	version_of(me, before);
	put(&b, &other);
	a.evidence = (struct span){ (const uint8_t *)"more", 4 };
	put(&a, NULL);
	version_of(me, after);
	assert_memory_equal(before, after, sizeof before);
	a.value = (struct span){ (const uint8_t *)"ran", 3 };
	put(&a, NULL);
	version_of(me, after);
	assert_memory_not_equal(before, after, sizeof before);
	put(&b, &me);
	version_of(me, before);
	assert_memory_not_equal(before, after, sizeof before);
}

static struct json *
page(uint64_t offset, struct profile_shown *shown, struct span *text)
{
	static struct json_writer w;
	struct profile_view v;
	struct json *root = NULL;

	json_write_free(&w);
	memset(shown, 0, sizeof *shown);
	assert_int_equal(profile_view_make(&book, me, ALL, &v), OK);
	assert_int_equal(profile_page_write(&v, offset, &w, shown), OK);
	profile_view_free(&v);
	assert_int_equal(json_write_done(&w, text), OK);
	assert_int_equal(json_parse(*text, &root), OK);
	if (shown->n == 0)
		json_write_free(&w);
	return root;
}

static void
an_empty_overview_says_so(void **state)
{
	struct profile_shown shown;
	struct span text;
	struct json *root = page(0, &shown, &text);

	(void)state;
	assert_int_equal(json_type(json_member(root, "updated_at")), JSON_NULL);
	assert_int_equal(json_type(json_member(root, "next_uri")), JSON_NULL);
	assert_int_equal(json_type(json_member(root, "next_offset")), JSON_NULL);
	assert_null(json_first(json_member(root, "facts")));
	json_free(&root);
}

/* All pages together are all facts, once each, within their limits; neither evidence nor others' facts are in them. */
static void
walk_pages(size_t n_facts, size_t pages_min)
{
	struct profile_shown shown;
	struct span text;
	uint64_t offset = 0, next = 0;
	size_t pages = 0, seen = 0;
	bool more = true;

	for (; more; pages++, offset = next) {
		struct json *root = page(offset, &shown, &text);
		struct span uri;
		size_t n = 0;

		assert_true(text.len <= PROFILE_CONNECTION_RESULT_MAX);
		assert_null(memmem(text.p, text.len, "EVIDENCE", 8));
		for (const struct json *f = json_first(json_member(root, "facts")); f != NULL; f = json_next(f), n++) {
			char id[UUID_TEXT_LEN + 1];
			struct span s;

			uuid_text(fact_id((unsigned)seen++), id);
			assert_int_equal(json_string(f, "id", &s), JSON_GOT);
			assert_memory_equal(s.p, id, UUID_TEXT_LEN);
			assert_memory_equal(shown.rows[n].fact.b, fact_id((unsigned)seen - 1).b, UUID_LEN);
		}
		assert_in_range(n, 1, PROFILE_OVERVIEW_MAX);
		assert_int_equal(n, shown.n);
		assert_int_equal(json_bool(root, "has_more", &more), JSON_GOT);
		if (more) {
			assert_int_equal(json_u64(root, "next_offset", &next), JSON_GOT);
			assert_int_equal(next, offset + n);
			assert_int_equal(json_string(root, "next_uri", &uri), JSON_GOT);
			assert_memory_equal(uri.p, "lifeos://profile/summary?version=", 33);
		}
		json_free(&root);
	}
	assert_int_equal(seen, n_facts);
	assert_true(pages >= pages_min);
}

static void
pages_are_the_whole_in_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		struct profile_fact f = fact_of(i, CATEGORY_HABIT, "short");

		put(&f, &me);
	}
	walk_pages(120, 3);
}

static void
long_facts_make_more_pages(void **state)
{
	static char value[4 * 300 + 1];

	(void)state;
	for (size_t i = 0; i < 300; i++)
		memcpy(value + 4 * i, "\xf0\x9f\x98\x80", 5);
	for (unsigned i = 0; i < 60; i++) {
		struct profile_fact f = fact_of(i, CATEGORY_HABIT, value);

		put(&f, &me);
	}
	walk_pages(60, 5);
}

static void
past_the_end_is_out_of_range(void **state)
{
	struct profile_fact f = fact_of(1, CATEGORY_HABIT, "x");
	struct profile_shown shown = { .n = 0 };
	struct json_writer w = { 0 };
	struct profile_view v;

	(void)state;
	put(&f, &me);
	assert_int_equal(profile_view_make(&book, me, ALL, &v), OK);
	assert_int_equal(profile_page_write(&v, 1, &w, &shown), ERR_OFFSET_OUT_OF_RANGE);
	assert_int_equal(profile_page_write(&v, UINT64_MAX, &w, &shown), ERR_OFFSET_OUT_OF_RANGE);
	profile_view_free(&v);
	json_write_free(&w);
}

static void
the_summary_counts_what_is_seen(void **state)
{
	struct profile_fact a = fact_of(1, CATEGORY_BASIC, "a"), b = fact_of(2, CATEGORY_GOAL, "b"), c = fact_of(3, CATEGORY_GOAL, "c"),
	    d = fact_of(4, CATEGORY_HEALTH, "d");
	char text[PROFILE_SUMMARY_MAX];
	struct profile_view v;

	(void)state;
	put(&a, &me);
	put(&b, &me);
	put(&c, &me);
	put(&d, &me);
	assert_int_equal(profile_view_make(&book, me, ALL, &v), OK);
	profile_summary(&v, text);
	assert_string_equal(text, "3 facts are shared with you: 1 basic, 2 goal. Last changed 2025-11-30T10:00:03Z.");
	profile_view_free(&v);
}

static struct json *
hits(uint64_t offset, uint64_t total, uint64_t window)
{
	struct profile_fact f = fact_of(1, CATEGORY_BASIC, "a");
	struct profile_hits h = { .n = 1, .offset = offset, .total = total, .window = window };
	struct profile_shown shown = { .n = 0 };
	struct json_writer w = { 0 };
	struct profile_view v;
	struct span text;
	struct json *root = NULL;

	put(&f, &me);
	h.facts[0] = profile_book_fact(&book, f.fact);
	assert_int_equal(profile_view_make(&book, me, ALL, &v), OK);
	assert_int_equal(profile_hits_write(&v, &h, &w, &shown), OK);
	assert_int_equal(shown.n, 1);
	profile_view_free(&v);
	assert_int_equal(json_write_done(&w, &text), OK);
	assert_int_equal(json_parse(text, &root), OK);
	json_write_free(&w);
	return root;
}

static void
a_search_says_when_its_window_ends_before_its_matches(void **state)
{
	static const struct {
		uint64_t offset, total, window;
		bool next, exhausted;
	} cases[] = {
		{ 0, 1, 10000, false, false },
		{ 0, 2, 10000, true, false },
		{ 9999, 10001, 10000, true, false },
		{ 10000, 10001, 10000, false, false },
		{ 10000, 10002, 10000, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct json *root = hits(cases[i].offset, cases[i].total, cases[i].window);
		struct span message;
		bool exhausted;

		assert_int_equal(json_type(json_member(root, "next_offset")), cases[i].next ? JSON_NUMBER : JSON_NULL);
		assert_int_equal(json_bool(root, "window_exhausted", &exhausted), JSON_GOT);
		assert_int_equal(exhausted, cases[i].exhausted);
		assert_int_equal(json_string(root, "message", &message) == JSON_GOT, cases[i].exhausted);
		json_free(&root);
	}
}

#define WITH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(only_what_is_shared_with_it_is_seen),
		WITH(a_category_that_is_not_allowed_hides_it),
		WITH(what_is_never_shared_is_not_even_if_a_share_says_so),
		WITH(an_edit_voids_it_until_it_is_shared_again),
		WITH(the_version_is_the_documented_one),
		WITH(the_version_follows_what_is_seen_and_nothing_else),
		WITH(an_empty_overview_says_so),
		WITH(pages_are_the_whole_in_order),
		WITH(long_facts_make_more_pages),
		WITH(past_the_end_is_out_of_range),
		WITH(the_summary_counts_what_is_seen),
		WITH(a_search_says_when_its_window_ends_before_its_matches),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
