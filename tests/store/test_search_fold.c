#include <stdio.h>
#include <string.h>

#include "store/search_fold.h"
#include "store/search_tokens.h"
#include "tests/support/check.h"

static void
check_fold(const char *text, const char *folded)
{
	struct secret *s;

	assert_int_equal(search_fold((struct span){ (const uint8_t *)text, strlen(text) }, &s), OK);
	if (secret_len(s) != strlen(folded) || memcmp(secret_view(s), folded, secret_len(s)) != 0)
		fail_msg("%s: %.*s is not %s", text, (int)secret_len(s), (const char *)secret_view(s), folded);
	secret_free(&s);
}

static void
texts_that_look_the_same_fold_to_the_same(void **state)
{
	(void)state;
	check_fold("Hello, World!", "hello, world!");
	check_fold("ＡＢＣ　１２３", "abc 123");
	check_fold("ｶﾞｷﾞﾊﾟ", "ガギパ");
	check_fold("カ\xe3\x82\x99", "ガ");
	check_fold("Éé E\xcc\x81 ñ ø", "ee e n ø");
	check_fold("STRASSE straße", "strasse strasse");
	check_fold("ﬃ ½ ㎏ ㍿", "ffi 1⁄2 kg 株式会社");
	check_fold("한글", "한글");
	check_fold("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab\xe1\x84\x80\xe1\x85\xb3\xe1\x86\xaf", "한글");
	check_fold("ㅎㅏㄴ", "하ᄂ");
	check_fold("東京都", "東京都");
	check_fold("a\xe2\x80\x8b\xc2\xad\xef\xbb\xbf" "b", "ab");
	check_fold("", "");
}

static void
what_is_no_utf8_becomes_a_replacement_for_each_byte(void **state)
{
	(void)state;
	check_fold("a\xff\xc0" "b", "a\xef\xbf\xbd\xef\xbf\xbd" "b");
	check_fold("\xe6\x9c", "\xef\xbf\xbd\xef\xbf\xbd");
	check_fold("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_fold("\xf0\x9f\x8e", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void
any_code_point_folds_and_says_where_it_was(void **state)
{
	struct search_folding f;
	struct search_char c;
	uint8_t bytes[6] = "a";
	size_t len;

	(void)state;
	for (uint32_t point = 0x80; point < 0x110000; point++) {
		if (point >= 0xd800 && point <= 0xdfff)
			continue;
		len = 1 + search_fold_encode(point, bytes + 1);
		bytes[len++] = 'z';
		search_fold_start(&f, (struct span){ bytes, len });
		while (search_fold_next(&f, &c))
			assert_true(c.offset < c.end && c.end <= len && c.point < 0x110000);
		assert_int_equal(c.point, 'z');
		assert_int_equal(c.end, len);
	}
}

struct said {
	char   text[512];
	size_t len;
};

static bool
say(void *arg, const struct search_token *t)
{
	struct said *s = arg;

	s->len += (size_t)snprintf(s->text + s->len, sizeof s->text - s->len, "%.*s@%u:%u-%u%s ", (int)t->term_len,
	    (const char *)t->term, t->position, t->offset, t->end, t->alone ? "!" : "");
	return true;
}

static void
check_tokens(const char *text, const char *tokens)
{
	struct said s = { .len = 0 };

	(void)search_tokens((struct span){ (const uint8_t *)text, strlen(text) }, 0, say, &s);
	assert_string_equal(s.text, tokens);
}

static void
tokens_stand_at_their_bytes(void **state)
{
	(void)state;
	check_tokens("Big Cats", "big@0:0-3 cats@1:4-8 ");
	check_tokens("机器 学", "机@0:0-3 机器@0:0-6 器@1:3-6 学@2:7-10! ");
	check_tokens("用Ａ紙", "用@0:0-3! a@1:3-6 紙@2:6-9! ");
	check_tokens("ｶﾞム", "ガ@0:0-6 ガム@0:0-9 ム@1:6-9 ");
	check_tokens("🎂🎂", "🎂@0:0-4! 🎂@1:4-8! ");
	check_tokens("cafe\xcc\x81!", "cafe@0:0-6 ");
	check_tokens("a\xff" "b", "a@0:0-1 b@1:2-3 ");
	check_tokens(" ,。", "");
}

static void
a_long_word_is_several_that_follow_each_other(void **state)
{
	char text[201];
	struct said s = { .len = 0 };

	(void)state;
	memset(text, 'x', 200);
	text[200] = '\0';
	assert_int_equal(search_tokens((struct span){ (const uint8_t *)text, 200 }, 5, say, &s), 9);
	assert_non_null(strstr(s.text, "@5:0-61 "));
	assert_non_null(strstr(s.text, "@8:183-200 "));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_that_look_the_same_fold_to_the_same),
		cmocka_unit_test(what_is_no_utf8_becomes_a_replacement_for_each_byte),
		cmocka_unit_test(any_code_point_folds_and_says_where_it_was),
		cmocka_unit_test(tokens_stand_at_their_bytes),
		cmocka_unit_test(a_long_word_is_several_that_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
