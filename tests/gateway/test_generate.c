#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/generate.h"
#include "gateway/word_list.h"
#include "tests/support/check.h"

#define ALL 15u

static const char *const characters[] = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
};

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static enum err
password(unsigned length, unsigned classes, const char *exclude, char *text, uint64_t *bits)
{
	struct generate_terms t = { .length = length, .classes = classes, .exclude = exclude };
	struct secret *s = NULL;
	const char *why = NULL;
	enum err e = generate_password(&t, &s, bits, &why);

	if (e == OK) {
		assert_int_equal(secret_len(s), length);
		memcpy(text, secret_view(s), length);
		text[length] = '\0';
		secret_free(&s);
	} else {
		assert_non_null(why);
	}
	return e;
}

static void
every_chosen_class_is_in_every_password_and_no_other(void **state)
{
	char text[GENERATE_LENGTH_MAX + 1];
	uint64_t bits;

	(void)state;
	for (unsigned round = 0; round < 50; round++)
		for (unsigned chosen = 1; chosen <= ALL; chosen++) {
			assert_int_equal(password(4, chosen, "", text, &bits), OK);
			for (unsigned c = 0; c < GENERATE__COUNT; c++)
				assert_int_equal(strpbrk(text, characters[c]) != NULL, (chosen >> c) & 1);
		}
}

static void
what_is_excluded_never_comes(void **state)
{
	char text[GENERATE_LENGTH_MAX + 1];
	uint64_t bits;

	(void)state;
	assert_int_equal(password(GENERATE_LENGTH_MAX, ALL, GENERATE_AMBIGUOUS "abcXYZ789{}", text, &bits), OK);
	assert_null(strpbrk(text, GENERATE_AMBIGUOUS "abcXYZ789{}"));
	assert_int_equal(password(40, 4, "012345678", text, &bits), OK);
	assert_int_equal(strspn(text, "9"), 40);
	assert_int_equal(bits, 0);
}

static void
all_printable_characters_come(void **state)
{
	char text[GENERATE_LENGTH_MAX + 1], seen[128] = { 0 };
	uint64_t bits;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		assert_int_equal(password(GENERATE_LENGTH_MAX, ALL, "", text, &bits), OK);
		for (const char *p = text; *p != '\0'; p++)
			seen[(unsigned)*p] = 1;
	}
	for (unsigned c = 0; c < 128; c++)
		assert_int_equal(seen[c], c > ' ' && c <= '~');
}

/*
 * Two characters of one letter and one digit each: `a1` and `1a`, and nothing
 * else, as often as each other. Mending a candidate that misses a class at a fixed
 * place would make one of them come twice as often.
 */
static void
no_password_is_likelier_than_another(void **state)
{
	unsigned n = 0;
	char text[GENERATE_LENGTH_MAX + 1];
	uint64_t bits;

	(void)state;
	for (unsigned round = 0; round < 10000; round++) {
		assert_int_equal(password(2, 6, "bcdefghijklmnopqrstuvwxyz023456789", text, &bits), OK);
		assert_true(strcmp(text, "a1") == 0 || strcmp(text, "1a") == 0);
		n += text[0] == 'a';
	}
	/* Ten standard deviations. */
	assert_in_range(n, 4500, 5500);
	assert_int_equal(bits, 1);
}

static void
the_entropy_is_that_of_the_passwords_that_can_come(void **state)
{
	char text[GENERATE_LENGTH_MAX + 1];
	uint64_t bits;

	(void)state;
	assert_int_equal(password(20, ALL, "", text, &bits), OK);
	assert_int_equal(bits, 130); /* 131.09 of all strings, less 0.19 for those without a digit, and so on */
	assert_int_equal(password(10, 4, "", text, &bits), OK);
	assert_int_equal(bits, 33);
	assert_int_equal(password(4, ALL, "", text, &bits), OK);
	assert_int_equal(bits, 22); /* 4! * 26 * 26 * 10 * 32 */
	assert_int_equal(password(64, 2, "", text, &bits), OK);
	assert_int_equal(bits, 300);
}

static void
what_could_give_no_password_is_refused(void **state)
{
	char text[GENERATE_LENGTH_MAX + 1];
	uint64_t bits;

	(void)state;
	assert_int_equal(password(3, ALL, "", text, &bits), ERR_INVALID_ARGUMENT);
	assert_int_equal(password(8, 0, "", text, &bits), ERR_INVALID_ARGUMENT);
	assert_int_equal(password(8, ALL, "0123456789", text, &bits), ERR_INVALID_ARGUMENT);
	assert_int_equal(password(8, ALL, "\xc3\xa9", text, &bits), ERR_INVALID_ARGUMENT);
	assert_int_equal(password(8, ALL, " ", text, &bits), ERR_INVALID_ARGUMENT);
}

static void
classes_have_their_names(void **state)
{
	enum generate_class c;

	(void)state;
	assert_true(generate_class_of_name(span_of("symbols"), &c));
	assert_int_equal(c, GENERATE_SYMBOLS);
	assert_true(generate_class_of_name(span_of("upper"), &c));
	assert_int_equal(c, GENERATE_UPPER);
	assert_false(generate_class_of_name(span_of("Upper"), &c));
	assert_false(generate_class_of_name(span_of(""), &c));
}

static void
the_built_in_words_are_sorted_and_none_begins_with_another(void **state)
{
	size_t n;
	const struct span *words = word_list(&n);

	(void)state;
	assert_int_equal(n, 7837);
	for (size_t i = 0; i < n; i++) {
		assert_in_range(words[i].len, 4, 7);
		for (size_t k = 0; k < words[i].len; k++)
			assert_in_range(words[i].p[k], 'a', 'z');
		if (i > 0) {
			assert_true(strcmp((const char *)words[i - 1].p, (const char *)words[i].p) < 0);
			assert_int_not_equal(strncmp((const char *)words[i - 1].p, (const char *)words[i].p, words[i - 1].len), 0);
		}
	}
}

static void
a_passphrase_is_words_of_the_list_with_the_separator_between(void **state)
{
	struct span words[3] = { span_of("aa"), span_of("b"), span_of("ccc") };
	struct secret *s = NULL;
	unsigned seen = 0;
	const char *why;
	uint64_t bits;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		char text[100], *rest = text, *word;
		unsigned n = 0;

		assert_int_equal(generate_words(5, span_of("--"), words, 3, &s, &bits, &why), OK);
		memcpy(text, secret_view(s), secret_len(s));
		text[secret_len(s)] = '\0';
		secret_free(&s);
		for (; rest != NULL; n++) {
			word = rest;
			if ((rest = strstr(rest, "--")) != NULL) {
				*rest = '\0';
				rest += 2;
			}
			assert_true(strcmp(word, "aa") == 0 || strcmp(word, "b") == 0 || strcmp(word, "ccc") == 0);
			seen |= word[0] == 'a' ? 1 : word[0] == 'b' ? 2 : 4;
		}
		assert_int_equal(n, 5);
	}
	assert_int_equal(seen, 7);
	assert_int_equal(bits, 7); /* 5 * 1.58 */
}

static void
words_that_could_be_told_apart_in_two_ways_are_refused(void **state)
{
	struct span words[3] = { span_of("a"), span_of("a-b"), span_of("b") };
	struct secret *s = NULL;
	const char *why;
	uint64_t bits;
	size_t n;
	const struct span *own = word_list(&n);

	(void)state;
	assert_int_equal(generate_words(5, span_of("-"), words, 3, &s, &bits, &why), ERR_INVALID_ARGUMENT);
	assert_int_equal(generate_words(5, span_of(""), words, 3, &s, &bits, &why), ERR_INVALID_ARGUMENT);
	assert_int_equal(generate_words(5, span_of("_"), words, 3, &s, &bits, &why), OK);
	secret_free(&s);
	assert_int_equal(generate_words(6, span_of(""), own, n, &s, &bits, &why), OK);
	assert_int_equal(bits, 77);
	secret_free(&s);
}

static const struct {
	const char *text, *words; /* with blanks between; NULL: refused */
} lists[] = {
	{ "b\na\n", "a b" },
	{ "b\r\na", "a b" },
	{ "\n\n b \n\ta\t\nb\n", "a b" },
	{ "11111\tabacus\n11112\tabdomen\n", "abacus abdomen" },
	{ "2\n4\n", "2 4" },
	{ "7 x\na\n", NULL },
	{ "钥匙\n牛奶\n", "牛奶 钥匙" },
	{ "ab\na\nb\n", "a ab b" },
	{ "one\n", NULL },
	{ "one\none\n", NULL },
	{ "", NULL },
	{ "two words\na\n", NULL },
	{ "a\nb\xff\n", NULL },
	{ "a\n\x01\n", NULL },
};

static void
a_word_list_is_a_word_a_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct span *words = NULL;
		char text[100] = "";
		const char *why;
		size_t n;
		enum err e = generate_read_words(span_of(lists[i].text), &words, &n, &why);

		assert_int_equal(e, lists[i].words != NULL ? OK : ERR_INVALID_CONTENT);
		if (e != OK)
			continue;
		for (size_t k = 0; k < n; k++) {
			if (k > 0)
				strcat(text, " ");
			strncat(text, (const char *)words[k].p, words[k].len);
		}
		assert_string_equal(text, lists[i].words);
		free(words);
	}
}

static int
ready(void **state)
{
	(void)state;
	return secret_init(true) != OK;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_chosen_class_is_in_every_password_and_no_other),
		cmocka_unit_test(what_is_excluded_never_comes),
		cmocka_unit_test(all_printable_characters_come),
		cmocka_unit_test(no_password_is_likelier_than_another),
		cmocka_unit_test(the_entropy_is_that_of_the_passwords_that_can_come),
		cmocka_unit_test(what_could_give_no_password_is_refused),
		cmocka_unit_test(classes_have_their_names),
		cmocka_unit_test(the_built_in_words_are_sorted_and_none_begins_with_another),
		cmocka_unit_test(a_passphrase_is_words_of_the_list_with_the_separator_between),
		cmocka_unit_test(words_that_could_be_told_apart_in_two_ways_are_refused),
		cmocka_unit_test(a_word_list_is_a_word_a_line),
	};

	return cmocka_run_group_tests(tests, ready, NULL) != 0;
}
