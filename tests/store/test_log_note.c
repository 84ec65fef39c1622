#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/log_note.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* Made by golang.org/x/mod/sumdb/note from the seeds 32 x 01 (the log) and 32 x 03 (the witness). */
#define NAME      "memories/0198a000-0000-7000-8000-000000000001"
#define TEXT      NAME "\n65537\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
#define WITNESS   "\xe2\x80\x94 witness.example/w1 EQQ7o40TgtiEu0IPadX87N24+9ow9Fuv6WpgTsGBLzfP8AanFokz6x8RRohXtheHu" \
	"DB1I0lkzwog7D1qW78xSJRTwww=\n"
#define SIGNATURE "\xe2\x80\x94 " NAME " YzvjKLTGtjIzKivH1ZjGy4huxm8b4YewONNI07UuDW54clYWsIWhfJOgsx0MufgQ55FJjR3WIN8z" \
	"9lEuJ0dSGF4DWg4=\n"

struct keys {
	struct signer *log, *other;
};

static struct signer *
signer_filled(uint8_t byte)
{
	struct signer *s = NULL;
	struct key *seed;

	assert_int_equal(key_new(&seed), OK);
	memset(seed->b, byte, SIGN_SEED_LEN);
	assert_int_equal(signer_of_seed(seed, &s), OK);
	key_free(&seed);
	return s;
}

static int
start(void **state)
{
	static struct keys keys;

	assert_int_equal(secret_init(true), OK);
	keys = (struct keys){ signer_filled(1), signer_filled(2) };
	*state = &keys;
	return 0;
}

static int
end(void **state)
{
	struct keys *keys = *state;

	signer_free(&keys->log);
	signer_free(&keys->other);
	return 0;
}

static struct span
span_of(const char *text)
{
	return (struct span){ (const uint8_t *)text, strlen(text) };
}

static struct log_note
example(void)
{
	struct log_note n = { .origin = NAME, .size = 65537 };

	for (size_t i = 0; i < SHA256_LEN; i++)
		n.root[i] = (uint8_t)i;
	return n;
}

static enum err
take(const char *text)
{
	struct log_note n;

	return log_note_take(span_of(text), &n);
}

static enum log_note_vouch
vouched(const struct keys *keys, const char *text)
{
	struct log_note n;

	assert_int_equal(log_note_take(span_of(text), &n), OK);
	return log_note_vouched(&n, NAME, signer_public(keys->log));
}

static void
a_note_is_the_one_that_gos_note_package_makes(void **state)
{
	const struct keys *keys = *state;
	struct log_note n = example();
	char text[LOG_NOTE_MADE_MAX + 1];

	assert_int_equal(log_note_sign(&n, keys->log, text), strlen(TEXT "\n" SIGNATURE));
	assert_string_equal(text, TEXT "\n" SIGNATURE);
}

static void
the_longest_note_fits(void **state)
{
	const struct keys *keys = *state;
	struct log_note n = { .size = UINT64_MAX }, found;
	char text[LOG_NOTE_MADE_MAX + 1];

	memset(n.origin, 'o', LOG_ORIGIN_MAX);
	assert_int_equal(log_note_sign(&n, keys->log, text), LOG_NOTE_MADE_MAX);
	assert_int_equal(log_note_take(span_of(text), &found), OK);
	assert_int_equal(found.size, UINT64_MAX);
	assert_string_equal(found.origin, n.origin);
}

static void
a_note_of_several_signatures_is_vouched_for_by_those_who_signed(void **state)
{
	const struct keys *keys = *state;
	struct log_note n, wanted = example();

	assert_int_equal(log_note_take(span_of(TEXT "\n" WITNESS SIGNATURE), &n), OK);
	assert_string_equal(n.origin, NAME);
	assert_int_equal(n.size, 65537);
	assert_memory_equal(n.root, wanted.root, sizeof n.root);
	assert_int_equal(n.text.len, strlen(TEXT));
	assert_int_equal(n.extensions.len, 0);
	assert_int_equal(log_note_vouched(&n, NAME, signer_public(keys->log)), LOG_NOTE_SIGNED);
	assert_int_equal(log_note_vouched(&n, NAME, signer_public(keys->other)), LOG_NOTE_UNSIGNED);
	assert_int_equal(log_note_vouched(&n, "memories/other", signer_public(keys->log)), LOG_NOTE_UNSIGNED);
	assert_int_equal(vouched(keys, TEXT "\n" WITNESS), LOG_NOTE_UNSIGNED);
}

static void
a_signature_over_another_text_is_forged(void **state)
{
	const struct keys *keys = *state;
	char text[] = TEXT "\n" WITNESS SIGNATURE;

	text[strlen(NAME) + 1] = '7';
	assert_int_equal(vouched(keys, text), LOG_NOTE_FORGED);
}

static void
a_signature_too_short_or_too_long_is_forged(void **state)
{
	const struct keys *keys = *state;

	assert_int_equal(vouched(keys, TEXT "\n\xe2\x80\x94 " NAME " YzvjKLTG\n"), LOG_NOTE_FORGED);
	assert_int_equal(vouched(keys, TEXT "\n\xe2\x80\x94 " NAME " YzvjKLTGtjIzKivH1ZjGy4huxm8b4YewONNI07UuDW54clYW"
	    "sIWhfJOgsx0MufgQ55FJjR3WIN8z9lEuJ0dSGF4DWg4A\n"), LOG_NOTE_FORGED);
}

static void
the_extension_lines_are_handed_out(void **state)
{
	struct log_note n;

	(void)state;
	assert_int_equal(log_note_text_take(span_of(TEXT "segment 3 offset 110\nmore\n"), &n), OK);
	assert_int_equal(n.extensions.len, strlen("segment 3 offset 110\nmore\n"));
	assert_memory_equal(n.extensions.p, "segment", 7);
	assert_int_equal(take(TEXT "more\n\n" SIGNATURE), OK);
}

static void
there_is_one_spelling_of_a_text(void **state)
{
	static const char root[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
	static const char *const bad[][3] = {
		{ "", "1", root }, { "o", "", root }, { "o", "01", root }, { "o", "+1", root }, { "o", "1 ", root },
		{ "o", "18446744073709551616", root }, { "o", "0x1", root }, { "o\r", "1", root }, { "\xff", "1", root },
		{ "o", "1", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" },
		{ "o", "1", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=" },
		{ "o", "1", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8f" },
		{ "o", "1", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==" }, { "o", "1", "" },
		{ "0123456789012345678901234567890123456789012345678901234567890123", "1", root },
	};
	struct log_note n;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, "%s\n%s\n%s\n", bad[i][0], bad[i][1], bad[i][2]);
		assert_int_equal(log_note_text_take(span_of(text), &n), ERR_INVALID_CONTENT);
	}
	assert_int_equal(log_note_text_take(span_of("o\n0\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"), &n), OK);
	assert_int_equal(log_note_text_take(span_of("o\n18446744073709551615\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"), &n), OK);
	assert_int_equal(log_note_text_take(span_of(TEXT "more"), &n), ERR_INVALID_CONTENT);
	assert_int_equal(log_note_text_take(span_of(TEXT "\n"), &n), ERR_INVALID_CONTENT);
}

static void
what_is_no_signature_line_makes_no_note(void **state)
{
	static const char *const bad[] = {
		TEXT, TEXT "\n", TEXT SIGNATURE, TEXT "\n\n" SIGNATURE, "\n" SIGNATURE, TEXT "\n" SIGNATURE "\n",
		TEXT "\n" SIGNATURE "x\n", TEXT "\n- n AAAAAAA=\n", TEXT "\n\xe2\x80\x94 n\n", TEXT "\n\xe2\x80\x94  AAAAAAA=\n",
		TEXT "\n\xe2\x80\x94 n AAAAAA==\n", TEXT "\n\xe2\x80\x94 n AAAAAAB=\n", TEXT "\n\xe2\x80\x94 n+m AAAAAAA=\n",
		TEXT "\n\xe2\x80\x94 n\xc2\xa0m AAAAAAA=\n", TEXT "\n\xe2\x80\x94 n m AAAAAAA=\n", TEXT "\n\xe2\x80\x94 n AAAAAAA=",
		TEXT "\n\xe2\x80\x94 n\t AAAAAAA=\n", TEXT "\n\xe2\x80\x94 \xff AAAAAAA=\n", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (take(bad[i]) != ERR_INVALID_CONTENT)
			fail_msg("taken: %s", bad[i]);
	assert_int_equal(take(TEXT "\n\xe2\x80\x94 \xc3\xa9 AAAAAAA=\n"), OK);
}

static void
any_flipped_bit_is_noticed(void **state)
{
	const struct keys *keys = *state;
	char text[] = TEXT "\n" SIGNATURE;
	size_t len = strlen(text);
	struct log_note n;

	for (size_t i = 0; i < len * 8; i++) {
		text[i / 8] ^= (char)(1 << i % 8);
		if (log_note_take((struct span){ (uint8_t *)text, len }, &n) == OK)
			assert_int_not_equal(log_note_vouched(&n, NAME, signer_public(keys->log)), LOG_NOTE_SIGNED);
		text[i / 8] ^= (char)(1 << i % 8);
	}
	for (size_t i = 0; i < len; i++)
		assert_int_equal(log_note_take((struct span){ (uint8_t *)text, i }, &n), ERR_INVALID_CONTENT);
	assert_int_equal(vouched(keys, text), LOG_NOTE_SIGNED);
}

static void
a_note_that_is_too_long_is_not_taken(void **state)
{
	size_t len = strlen(TEXT "\n" SIGNATURE), n_lines = LOG_NOTE_MAX / strlen(SIGNATURE) + 1;
	char *text = calloc(1, len + n_lines * strlen(SIGNATURE) + 1);
	struct log_note n;
	size_t at = strlen(TEXT) + 1;

	(void)state;
	assert_non_null(text);
	memcpy(text, TEXT "\n", at);
	for (size_t i = 0; i < n_lines; i++, at += strlen(SIGNATURE))
		memcpy(text + at, SIGNATURE, strlen(SIGNATURE));
	assert_int_equal(log_note_take((struct span){ (uint8_t *)text, len + 99 * strlen(SIGNATURE) }, &n), OK);
	assert_int_equal(log_note_take((struct span){ (uint8_t *)text, at }, &n), ERR_INVALID_CONTENT);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_note_is_the_one_that_gos_note_package_makes),
		cmocka_unit_test(the_longest_note_fits),
		cmocka_unit_test(a_note_of_several_signatures_is_vouched_for_by_those_who_signed),
		cmocka_unit_test(a_signature_over_another_text_is_forged),
		cmocka_unit_test(a_signature_too_short_or_too_long_is_forged),
		cmocka_unit_test(the_extension_lines_are_handed_out),
		cmocka_unit_test(there_is_one_spelling_of_a_text),
		cmocka_unit_test(what_is_no_signature_line_makes_no_note),
		cmocka_unit_test(any_flipped_bit_is_noticed),
		cmocka_unit_test(a_note_that_is_too_long_is_not_taken),
	};

	return cmocka_run_group_tests(tests, start, end) != 0;
}
