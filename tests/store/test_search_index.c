#include <stdio.h>
#include <stdlib.h>

#include "tests/store/search_rig.h"

/* The query finds asset 1, whose body is the text, strictly. */
static void
check_finds(const char *text, const char *query, bool finds)
{
	struct search_rig r;

	search_rig_open(&r);
	search_rig_add(&r, 1, "", text);
	if ((search_rig_ask_strictly(&r, query) == 1) != finds)
		fail_msg("%s in %s: %s", query, text, finds ? "not found" : "found");
	search_rig_close(&r);
}

static void
a_run_is_found_as_it_stands_anywhere(void **state)
{
	(void)state;
	check_finds("我在学习机器学习。", "机器学习", true);
	check_finds("我在学习机器学习。", "学习机器", true);
	check_finds("机器学习入门", "学习机器", false);
	check_finds("机器，学习", "机器学习", false);
	check_finds("东京の天気", "天気", true);
	check_finds("大阪へ引っ越した", "引っ越し", true);
	check_finds("학교에서 공부한다", "학교", true);
	check_finds("학교에서 공부한다", "교에", true);
}

static void
a_single_character_is_found(void **state)
{
	(void)state;
	check_finds("我养了一只猫。", "猫", true);
	check_finds("猫", "猫", true);
	check_finds("今日は犬と散歩した", "犬", true);
	check_finds("집에 간다", "집", true);
	check_finds("生日🎂快乐", "🎂", true);
	check_finds("我养了一只猫。", "狗", false);
}

static void
widths_cases_and_forms_are_the_same(void **state)
{
	(void)state;
	check_finds("ＡＢＣ１２３ 股票", "abc123", true);
	check_finds("abc123", "ＡＢＣ１２３", true);
	check_finds("ﾎﾟｹｯﾄ ｶﾞﾑ", "ポケット", true);
	check_finds("ガム", "ｶﾞﾑ", true);
	check_finds("Cafe\xcc\x81 Straße", "CAFÉ strasse", true);
	check_finds("café", "cafe", true);
	check_finds("cafe", "café", true);
	check_finds("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab\xe1\x84\x80\xe1\x85\xb3\xe1\x86\xaf", "한글", true);
	check_finds("ﬁnance ①", "finance 1", true);
	check_finds("ИВАН", "иван", true);
	check_finds("ΣΊΣΥΦΟΣ", "σίσυφος", true);
	check_finds("soft\xc2\xadhyphen", "softhyphen", true);
}

static void
words_are_whole_and_the_last_may_go_on(void **state)
{
	(void)state;
	check_finds("the category of things", "cat", true);
	check_finds("the category of things", "cat ", false);
	check_finds("the category of things", "cat things", false);
	check_finds("the category of things", "things cat", true);
	check_finds("the category of things", "egory", false);
	check_finds("the category of things", "c", false);
	check_finds("plan c", "c", true);
}

static void
phrases_and_joined_words_stand_together(void **state)
{
	(void)state;
	check_finds("write to user@example.com today", "user@example.com", true);
	check_finds("example user com", "user@example.com", false);
	check_finds("pi is 3.14", "3.14", true);
	check_finds("14 of 3", "3.14", false);
	check_finds("add 1½ cups", "1½", true);
	check_finds("half of it: 1/2", "½", true);
	check_finds("2 of 1", "½", false);
	check_finds("black and white cat", "\"white cat\"", true);
	check_finds("cat, white and black", "\"white cat\"", false);
	check_finds("用 Python 学习机器", "“python 学习”", true);
	check_finds("学习用 Python", "“python 学习”", false);
	check_finds("a \"quote left open", "\"quote left", true);
}

static void
mixed_words_are_found_each(void **state)
{
	(void)state;
	check_finds("隐私 plan 2026", "隐私plan", true);
	check_finds("买了iPhone手机", "iphone 手机", true);
	check_finds("A4紙を買う", "a4紙", true);
}

static void
what_has_all_is_found_else_what_has_any(void **state)
{
	struct search_rig r;

	(void)state;
	search_rig_open(&r);
	search_rig_add(&r, 1, "passport", "number E1234");
	search_rig_add(&r, 2, "护照", "护照号码在抽屉里");
	search_rig_add(&r, 3, "number", "of the house");
	assert_int_equal(search_rig_ask(&r, "passport number"), 1);
	assert_false(r.found.relaxed);
	assert_int_equal(search_rig_ask(&r, "where is my passport number"), 2);
	assert_true(r.found.relaxed);
	assert_int_equal(search_rig_hit(&r, 0), 1);
	assert_int_equal(search_rig_ask(&r, "我的护照号码是多少"), 1);
	assert_int_equal(search_rig_ask_strictly(&r, "我的护照号码是多少"), 0);
	assert_int_equal(search_rig_ask(&r, "照护码号"), 0);
	assert_int_equal(search_rig_ask(&r, "护照抽屉"), 1);
	assert_true(r.found.relaxed);
	assert_int_equal(search_rig_ask(&r, "抽屉护照"), 0);
	assert_int_equal(search_rig_ask(&r, "\"护照抽屉\""), 0);
	search_rig_close(&r);
}

static void
the_title_goes_before_the_body_and_the_whole_word_before_its_beginning(void **state)
{
	struct search_rig r;

	(void)state;
	search_rig_open(&r);
	search_rig_add(&r, 1, "notes", "budget budget budget budget budget budget");
	search_rig_add(&r, 2, "the budget of a year in the house by the lake", "nothing else");
	search_rig_add(&r, 3, "budgets", "budgeting");
	assert_int_equal(search_rig_ask(&r, "budget"), 3);
	assert_int_equal(search_rig_hit(&r, 0), 2);
	assert_int_equal(search_rig_hit(&r, 1), 1);
	assert_int_equal(search_rig_hit(&r, 2), 3);
	search_rig_close(&r);
}

static void
words_side_by_side_go_before_words_apart(void **state)
{
	struct search_rig r;

	(void)state;
	search_rig_open(&r);
	search_rig_add(&r, 1, "", "york is new to me");
	search_rig_add(&r, 2, "", "a week in new york with friends and too much luggage");
	search_rig_add(&r, 3, "", "new york");
	search_rig_add(&r, 4, "", "nothing of the kind");
	assert_int_equal(search_rig_ask(&r, "new york"), 3);
	assert_int_equal(search_rig_hit(&r, 0), 3);
	assert_int_equal(search_rig_hit(&r, 1), 2);
	assert_int_equal(search_rig_ask(&r, "york new"), 3);
	assert_int_equal(search_rig_ask(&r, "new york paris"), 3);
	assert_true(r.found.relaxed);
	assert_int_equal(search_rig_hit(&r, 0), 3);
	search_rig_close(&r);
}

static void
of_equals_the_later_goes_first_then_the_smaller_id(void **state)
{
	struct search_field f = { SEARCH_BODY, 0, search_rig_span("same words") };
	struct search_document d = { .vault = search_rig_vault(1), .kind = KIND_MEMORY, .fields = &f, .n_fields = 1 };
	static const uint64_t updated[] = { 5, 9, 5, 9, 1 };
	static const uint32_t order[] = { 2, 4, 1, 3, 5 };
	struct search_rig r;

	(void)state;
	search_rig_open(&r);
	for (uint32_t i = 5; i-- > 0;) {
		d.asset = search_rig_asset(i + 1);
		d.updated = updated[i];
		assert_int_equal(search_index_put(r.ix, &d), OK);
	}
	assert_int_equal(search_rig_ask(&r, "words"), 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(search_rig_hit(&r, i), order[i]);
	search_rig_close(&r);
}

static void
a_hit_says_where_in_the_text_as_given(void **state)
{
	struct search_field fields[] = { { SEARCH_TITLE, 0, search_rig_span("Wi-Fi") },
		{ SEARCH_FIELD_NAME, 0, search_rig_span("network") }, { SEARCH_FIELD_VALUE, 0, search_rig_span("home") },
		{ SEARCH_FIELD_NAME, 1, search_rig_span("ｶﾞﾑ") }, { SEARCH_FIELD_VALUE, 1, search_rig_span("用 Cafe\xcc\x81 的密码！") },
		{ SEARCH_TAG, 0, search_rig_span("router") } };
	struct search_document d = { .vault = search_rig_vault(1), .asset = search_rig_asset(1), .kind = KIND_CARD,
		.fields = fields, .n_fields = 6 };
	struct search_rig r;
	const struct search_hit *h = &r.hits[0];

	(void)state;
	search_rig_open(&r);
	assert_int_equal(search_index_put(r.ix, &d), OK);
	assert_int_equal(search_rig_ask(&r, "café"), 1);
	assert_int_equal(h->part, SEARCH_FIELD_VALUE);
	assert_int_equal(h->number, 1);
	assert_int_equal(h->offset, 4);
	assert_int_equal(h->length, 6);
	assert_int_equal(h->excerpt_len, fields[4].text.len);
	assert_memory_equal(h->excerpt + h->match_offset, "Cafe\xcc\x81", h->match_length);
	assert_int_equal(search_rig_ask(&r, "ガム"), 1);
	assert_int_equal(h->part, SEARCH_FIELD_NAME);
	assert_int_equal(h->length, 9);
	assert_int_equal(search_rig_ask(&r, "router"), 1);
	assert_int_equal(h->part, SEARCH_TAG);
	assert_memory_equal(h->title.p, "Wi-Fi", 5);
	search_rig_close(&r);
}

static void
an_excerpt_is_cut_between_characters_around_the_match(void **state)
{
	char body[4096] = "";
	struct search_rig r;
	const struct search_hit *h = &r.hits[0];
	size_t len = 0;

	(void)state;
	search_rig_open(&r);
	for (int i = 0; i < 200; i++)
		len += (size_t)snprintf(body + len, sizeof body - len, "%s", i == 120 ? "护照号码" : "字");
	search_rig_add(&r, 1, "t", body);
	assert_int_equal(search_rig_ask(&r, "护照号码"), 1);
	assert_int_equal(h->offset, 360);
	assert_int_equal(h->length, 12);
	assert_true(h->excerpt_len <= SEARCH_EXCERPT_MAX && h->excerpt_len % 3 == 0 && h->excerpt_offset % 3 == 0);
	assert_memory_equal(h->excerpt, body + h->excerpt_offset, h->excerpt_len);
	assert_memory_equal(h->excerpt + h->match_offset, "护照号码", 12);
	assert_int_equal(h->match_length, 12);
	search_rig_close(&r);
}

static void
a_match_behind_many_near_misses_is_shown_at_its_place(void **state)
{
	static const char misses[] = "护照，号码 护照号 照号码 号码护照 alpha gamma beta alpha 字 beta ";
	size_t step = sizeof misses - 1, len = 0, cap = 5000 * step + 64;
	char *body = malloc(cap);
	struct search_rig r;
	const struct search_hit *h = &r.hits[0];

	(void)state;
	assert_non_null(body);
	while (len + step + 64 < cap)
		len += (size_t)snprintf(body + len, cap - len, "%s", misses);
	(void)snprintf(body + len, cap - len, "护护照号码 alpha beta");
	search_rig_open(&r);
	search_rig_add(&r, 1, "t", body);
	assert_int_equal(search_rig_ask_strictly(&r, "护照号码"), 1);
	assert_int_equal(h->offset, len + 3);
	assert_memory_equal(h->excerpt + h->match_offset, "护照号码", 12);
	assert_int_equal(search_rig_ask_strictly(&r, "\"alpha beta\""), 1);
	assert_int_equal(h->offset, len + 16);
	search_rig_close(&r);
	free(body);
}

static void
vaults_and_kinds_narrow_a_search(void **state)
{
	struct uuid vaults[] = { search_rig_vault(2), search_rig_vault(9) };
	struct search_query q = { .text = search_rig_span("shared"), .limit = 10 };
	struct search_rig r;

	(void)state;
	search_rig_open(&r);
	for (uint32_t v = 1; v <= 3; v++)
		assert_int_equal(search_rig_put(&r, v, v, search_rig_span("shared"), search_rig_span("x")), OK);
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	assert_int_equal(r.found.total, 3);
	q.vaults = vaults;
	q.n_vaults = 2;
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	assert_int_equal(r.found.total, 1);
	assert_int_equal(search_rig_hit(&r, 0), 2);
	q.kinds = 1U << KIND_CARD;
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	assert_int_equal(r.found.total, 0);
	search_index_remove_vault(r.ix, search_rig_vault(2));
	q.kinds = 0;
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	assert_int_equal(r.found.total, 0);
	search_rig_close(&r);
}

/* The score in a vault is what it is when the other vaults are not there. */
static void
what_other_vaults_hold_changes_no_score(void **state)
{
	struct uuid vault = search_rig_vault(1);
	struct search_query q = { .vaults = &vault, .n_vaults = 1, .text = search_rig_span("blue house"), .limit = 10 };
	struct search_rig r;
	double score;

	(void)state;
	search_rig_open(&r);
	search_rig_add(&r, 1, "blue", "house by the sea");
	search_rig_add(&r, 2, "red", "nothing");
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	score = r.hits[0].score;
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(search_rig_put(&r, 2, 100 + i, search_rig_span("blue house"), search_rig_span("")), OK);
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	assert_int_equal(r.found.total, 1);
	assert_true(r.hits[0].score >= score && r.hits[0].score <= score);
	search_rig_close(&r);
}

static void
pages_follow_each_other(void **state)
{
	struct search_query q = { .text = search_rig_span("word"), .limit = 7 };
	struct search_rig r;
	char body[64];

	(void)state;
	search_rig_open(&r);
	for (uint32_t i = 1; i <= 40; i++) {
		snprintf(body, sizeof body, "word%*s", (int)(i % 5) * 8, i % 5 == 0 ? "" : "other other");
		search_rig_add(&r, i, "", body);
	}
	assert_int_equal(search_rig_ask(&r, "word"), 40);
	for (q.offset = 0; q.offset < 50; q.offset += q.limit) {
		struct search_hit page[7];
		struct search_found found;

		assert_int_equal(search_index_find(r.ix, &q, page, &found), OK);
		assert_int_equal(found.total, 40);
		assert_int_equal(found.n_hits, q.offset >= 40 ? 0 : q.offset + 7 > 40 ? 40 - q.offset : 7);
		for (uint32_t i = 0; i < found.n_hits; i++)
			assert_true(uuid_equal(page[i].asset, r.hits[q.offset + i].asset));
	}
	search_rig_close(&r);
}

static void
a_query_out_of_its_limits_is_refused_and_an_empty_one_finds_nothing(void **state)
{
	char text[SEARCH_QUERY_MAX + 1];
	struct search_query q = { .text = { (const uint8_t *)text, sizeof text }, .limit = 1 };
	struct search_rig r;

	(void)state;
	memset(text, 'a', sizeof text);
	search_rig_open(&r);
	search_rig_add(&r, 1, "a", "b");
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), ERR_INVALID_ARGUMENT);
	q.text.len--;
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), OK);
	q.limit = 0;
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), ERR_INVALID_ARGUMENT);
	q.limit = SEARCH_LIMIT_MAX + 1;
	assert_int_equal(search_index_find(r.ix, &q, r.hits, &r.found), ERR_INVALID_ARGUMENT);
	assert_int_equal(search_rig_ask(&r, ""), 0);
	assert_int_equal(search_rig_ask(&r, "?! \xff\xfe \"\""), 0);
	search_rig_close(&r);
}

static void
a_replaced_document_is_found_by_what_it_says_now(void **state)
{
	struct search_stats stats;
	struct search_rig r;

	(void)state;
	search_rig_open(&r);
	search_rig_add(&r, 1, "first", "apples 苹果");
	search_rig_add(&r, 1, "second", "pears 梨子");
	assert_int_equal(search_rig_ask(&r, "apples"), 0);
	assert_int_equal(search_rig_ask(&r, "苹果"), 0);
	assert_int_equal(search_rig_ask(&r, "梨"), 1);
	search_index_stats(r.ix, &stats);
	assert_int_equal(stats.n_documents, 1);
	search_index_remove(r.ix, search_rig_vault(1), search_rig_asset(1));
	search_index_remove(r.ix, search_rig_vault(1), search_rig_asset(1));
	assert_int_equal(search_rig_ask(&r, "pears"), 0);
	search_index_stats(r.ix, &stats);
	assert_int_equal(stats.n_documents, 0);
	assert_int_equal(stats.n_terms, 0);
	assert_int_equal(stats.text_bytes, 0);
	search_rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_found_as_it_stands_anywhere),
		cmocka_unit_test(a_single_character_is_found),
		cmocka_unit_test(widths_cases_and_forms_are_the_same),
		cmocka_unit_test(words_are_whole_and_the_last_may_go_on),
		cmocka_unit_test(phrases_and_joined_words_stand_together),
		cmocka_unit_test(mixed_words_are_found_each),
		cmocka_unit_test(what_has_all_is_found_else_what_has_any),
		cmocka_unit_test(the_title_goes_before_the_body_and_the_whole_word_before_its_beginning),
		cmocka_unit_test(words_side_by_side_go_before_words_apart),
		cmocka_unit_test(of_equals_the_later_goes_first_then_the_smaller_id),
		cmocka_unit_test(a_hit_says_where_in_the_text_as_given),
		cmocka_unit_test(an_excerpt_is_cut_between_characters_around_the_match),
		cmocka_unit_test(a_match_behind_many_near_misses_is_shown_at_its_place),
		cmocka_unit_test(vaults_and_kinds_narrow_a_search),
		cmocka_unit_test(what_other_vaults_hold_changes_no_score),
		cmocka_unit_test(pages_follow_each_other),
		cmocka_unit_test(a_query_out_of_its_limits_is_refused_and_an_empty_one_finds_nothing),
		cmocka_unit_test(a_replaced_document_is_found_by_what_it_says_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
