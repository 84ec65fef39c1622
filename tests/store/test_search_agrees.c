#include <stdio.h>
#include <stdlib.h>

#include "tests/store/search_naive.h"
#include "tests/store/search_rig.h"

#define N_DOCS    60
#define TEXT_MAX  400
#define N_ROUNDS  12
#define N_QUERIES 400

static uint64_t state_of_chance;

static uint32_t
below(uint32_t n)
{
	state_of_chance = state_of_chance * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(state_of_chance >> 33) % n;
}

/* Few enough that texts meet: runs, widths, marks, letters, breaks, what is no UTF-8. */
static const char *const pieces[] = { "机", "器", "学", "习", "的", "ガ", "ｶﾞ", "カ", "가", "ー", "a", "b", "ab", "é", "E\xcc\x81", "Ａ",
	"1", "ß", "🎂", " ", " ", "  ", "，", "。", ". ", "\n", "\xff", "\xe6\x9c", "\xe2\x80\x8d" };

static size_t
random_text(uint32_t n_pieces, char *out)
{
	size_t len = 0;

	for (uint32_t i = 0; i < n_pieces; i++)
		len += (size_t)snprintf(out + len, TEXT_MAX - len, "%s", pieces[below(sizeof pieces / sizeof *pieces)]);
	return len;
}

struct doc {
	char   title[TEXT_MAX];
	char   body[TEXT_MAX];
	bool   is_there;
	uint32_t vault;
};

static void
make_doc(struct doc *d)
{
	random_text(below(6), d->title);
	random_text(below(40), d->body);
	d->is_there = true;
}

static void
put_doc(struct search_rig *r, const struct doc *d, uint32_t i)
{
	assert_int_equal(search_rig_put(r, d->vault, i, search_rig_span(d->title), search_rig_span(d->body)), OK);
}

static bool
is_hit(const struct search_rig *r, uint32_t asset)
{
	for (uint32_t i = 0; i < r->found.n_hits; i++)
		if (search_rig_hit(r, i) == asset)
			return true;
	return false;
}

static void
check_place(const struct search_hit *h, const struct doc *d)
{
	struct span text = search_rig_span(h->part == SEARCH_TITLE ? d->title : d->body);

	assert_true(h->length > 0 && h->offset + h->length <= text.len);
	assert_true(h->excerpt_len <= SEARCH_EXCERPT_MAX && h->excerpt_offset + h->excerpt_len <= text.len);
	assert_memory_equal(h->excerpt, text.p + h->excerpt_offset, h->excerpt_len);
	assert_int_equal(h->excerpt_offset + h->match_offset, h->offset);
	assert_true(h->match_length <= h->length && h->match_offset + h->match_length <= h->excerpt_len);
}

static void
check_query(struct search_rig *r, const struct doc *docs)
{
	char query[TEXT_MAX + 3], inner[TEXT_MAX];
	bool quoted = below(3) == 0;
	static struct naive_text fields[2];
	uint64_t total;

	random_text(1 + below(5), inner);
	snprintf(query, sizeof query, quoted ? "\"%s\"" : "%s", inner);
	total = search_rig_ask_strictly(r, query);
	for (uint32_t i = 0; i < N_DOCS; i++) {
		bool wanted;

		naive_cut(search_rig_span(docs[i].title), &fields[0]);
		naive_cut(search_rig_span(docs[i].body), &fields[1]);
		wanted = docs[i].is_there && naive_finds(search_rig_span(inner), quoted, fields, 2);
		if (wanted != is_hit(r, i))
			fail_msg("%s: '%s' in '%s' / '%s'", wanted ? "missed" : "hit wrongly", query, docs[i].title, docs[i].body);
		total -= wanted;
	}
	assert_int_equal(total, 0);
	for (uint32_t i = 0; i < r->found.n_hits; i++)
		check_place(&r->hits[i], &docs[search_rig_hit(r, i)]);
	if (r->found.n_hits > 0)
		return;
	(void)search_rig_ask(r, query);
	assert_int_equal(r->found.relaxed, r->found.total > 0);
	for (uint32_t i = 0; i < r->found.n_hits; i++)
		check_place(&r->hits[i], &docs[search_rig_hit(r, i)]);
}

static void
what_contains_a_query_is_hit_and_nothing_else(void **state)
{
	static struct doc docs[N_DOCS];
	struct search_rig r;

	(void)state;
	for (unsigned round = 0; round < N_ROUNDS; round++) {
		state_of_chance = round;
		search_rig_open(&r);
		for (uint32_t i = 0; i < N_DOCS; i++) {
			docs[i].vault = 1 + below(3);
			make_doc(&docs[i]);
			put_doc(&r, &docs[i], i);
		}
		for (unsigned q = 0; q < N_QUERIES; q++)
			check_query(&r, docs);
		search_rig_close(&r);
	}
}

static void
check_same(struct search_rig *a, struct search_rig *b)
{
	char query[TEXT_MAX];

	random_text(1 + below(4), query);
	assert_int_equal(search_rig_ask(a, query), search_rig_ask(b, query));
	assert_int_equal(a->found.n_hits, b->found.n_hits);
	for (uint32_t i = 0; i < a->found.n_hits; i++) {
		assert_int_equal(search_rig_hit(a, i), search_rig_hit(b, i));
		assert_true(a->hits[i].score >= b->hits[i].score && a->hits[i].score <= b->hits[i].score);
		assert_int_equal(a->hits[i].offset, b->hits[i].offset);
	}
}

static void
check_as_rebuilt(struct search_rig *r, const struct doc *docs)
{
	struct search_stats stats, anew;
	struct search_rig b;

	search_rig_open(&b);
	for (uint32_t i = N_DOCS; i-- > 0;)
		if (docs[i].is_there)
			put_doc(&b, &docs[i], i);
	for (unsigned i = 0; i < 60; i++)
		check_same(r, &b);
	search_index_stats(r->ix, &stats);
	search_index_stats(b.ix, &anew);
	assert_int_equal(stats.n_documents, anew.n_documents);
	assert_int_equal(stats.n_terms, anew.n_terms);
	assert_int_equal(stats.text_bytes, anew.text_bytes);
	search_rig_close(&b);
}

static void
change_any(struct search_rig *r, struct doc *docs)
{
	uint32_t i = below(N_DOCS);

	if (below(3) > 0) {
		make_doc(&docs[i]);
		put_doc(r, &docs[i], i);
		return;
	}
	docs[i].is_there = false;
	search_index_remove(r->ix, search_rig_vault(docs[i].vault), search_rig_asset(i));
}

static void
an_index_that_was_changed_is_as_one_built_anew(void **state)
{
	static struct doc docs[N_DOCS];
	struct search_stats stats;
	struct search_rig r;

	(void)state;
	state_of_chance = 77;
	search_rig_open(&r);
	for (uint32_t i = 0; i < N_DOCS; i++)
		docs[i] = (struct doc){ .vault = 1 + i % 2 };
	for (unsigned step = 0; step < 3000; step++) {
		change_any(&r, docs);
		if (step % 150 == 149)
			check_as_rebuilt(&r, docs);
	}
	search_index_stats(r.ix, &stats);
	assert_true(stats.bytes < 4U << 20);
	for (uint32_t i = 0; i < N_DOCS; i++)
		search_index_remove(r.ix, search_rig_vault(docs[i].vault), search_rig_asset(i));
	search_index_stats(r.ix, &stats);
	assert_int_equal(stats.n_terms, 0);
	search_rig_close(&r);
}

/* A big one among small ones, so that what fails is now a document, now a posting, now a term. */
static void
fill_until_it_is_full(struct search_rig *r, struct doc *docs, size_t max_bytes)
{
	static char big[40000];
	enum err e;

	assert_int_equal(search_index_new(max_bytes, &r->ix), OK);
	memset(docs, 0, N_DOCS * sizeof *docs);
	for (uint32_t i = 0; i < N_DOCS; i++) {
		docs[i].vault = 1;
		make_doc(&docs[i]);
		docs[i].is_there = search_rig_put(r, 1, i, search_rig_span(docs[i].title), search_rig_span(docs[i].body)) == OK;
	}
	for (size_t i = 0; i + 8 < sizeof big; i += 8)
		snprintf(big + i, 9, "w%06x ", below(1U << 24));
	e = search_rig_put(r, 1, 0, search_rig_span("big"), search_rig_span(big));
	assert_true(e == OK || e == ERR_NO_MEMORY);
	if (e == OK) {
		assert_int_equal(search_rig_ask(r, "big"), 1);
		search_index_remove(r->ix, search_rig_vault(1), search_rig_asset(0));
		docs[0].is_there = false;
	}
}

static void
what_does_not_fit_leaves_what_was_there(void **state)
{
	static struct doc docs[N_DOCS];
	unsigned n_full = 0, n_fitting = 0;
	struct search_rig r;

	(void)state;
	state_of_chance = 5;
	for (size_t max = 192 << 10; max < 2U << 20; max += 28 << 10) {
		fill_until_it_is_full(&r, docs, max);
		n_full += docs[0].is_there;
		n_fitting += !docs[0].is_there;
		check_as_rebuilt(&r, docs);
		search_rig_close(&r);
	}
	assert_true(n_full > 3 && n_fitting > 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_contains_a_query_is_hit_and_nothing_else),
		cmocka_unit_test(an_index_that_was_changed_is_as_one_built_anew),
		cmocka_unit_test(what_does_not_fit_leaves_what_was_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
