#include <string.h>

#include "gateway/sensitive_inside.h"

#define SEED_WORDS 12

/*
 * Words of three to eight letters that sentences cannot do without and that
 * the list of BIP-39 does not have. Twelve in a row without one of them, and
 * without a shorter or longer word, is hardly a sentence.
 */
static const char *const joiners[] = {
	"the", "and", "for", "with", "are", "was", "were", "but", "not", "from", "has", "had", "his", "her", "she",
	"him", "our", "would", "could", "which", "than", "their", "been", "its", "who", "because", "while", "each", "did",
	"does", "per", "these", "those", "some", "many", "lives", "likes", "works", "years",
};

static bool
joins(struct span t, size_t i)
{
	for (size_t k = 0; k < sizeof joiners / sizeof *joiners; k++)
		if (sensitive_word(t, i, joiners[k]))
			return true;
	return false;
}

static size_t
letters(struct span t, size_t i)
{
	size_t n = 0;

	while (sensitive_letter(t, i + n))
		n++;
	return n;
}

/* Blanks, line ends, and the number of a word in a list: "3. ", "3) ". */
static size_t
between(struct span t, size_t i)
{
	size_t from = i;

	while (i < t.len && (memchr(" \n,.)", t.p[i], 5) != NULL || sensitive_digit(t, i)))
		i++;
	return i - from;
}

size_t
sensitive_seed_words(struct span t, size_t i)
{
	size_t n = 0, len;

	for (;;) {
		len = letters(t, i);
		if (len < 3 || len > 8 || joins(t, i))
			return n;
		n++;
		i += len;
		if ((len = between(t, i)) == 0)
			return n;
		i += len;
	}
}

static bool
is_han(struct span t, size_t i)
{
	return i + 2 < t.len && t.p[i] >= 0xe4 && t.p[i] <= 0xe9;
}

/* The Chinese list has a character a word: 的 一 是 … */
static size_t
lone_han(struct span t, size_t i)
{
	size_t n = 0;

	while (is_han(t, i)) {
		n++;
		i += 3;
		if (!(i < t.len && t.p[i] == ' '))
			return i >= t.len || t.p[i] < 0x80 ? n : n - 1;
		i++;
	}
	return n;
}

/* Commas alone part a list of things that one likes; a phrase has none. */
static bool
has_commas(struct span t, size_t i, size_t words)
{
	size_t commas = 0;

	for (; i < t.len && words > 0; i++) {
		commas += t.p[i] == ',';
		words -= sensitive_letter(t, i) && !sensitive_letter(t, i + 1);
	}
	return commas > 2;
}

enum sensitive
sensitive_seed(struct span t)
{
	for (size_t i = 0; i < t.len; i++) {
		if (sensitive_letter(t, i) && !(i > 0 && sensitive_alnum(t, i - 1)) && sensitive_seed_words(t, i) >= SEED_WORDS &&
		    !has_commas(t, i, SEED_WORDS))
			return SENSITIVE_SEED;
		if (is_han(t, i) && !(i > 0 && t.p[i - 1] >= 0x80) && lone_han(t, i) >= SEED_WORDS)
			return SENSITIVE_SEED;
	}
	return SENSITIVE_NONE;
}
