#include <stdio.h>
#include <string.h>

#include "tools/bench_words.h"

#define N_HAN 3500

/* SplitMix64. */
static uint64_t
next(struct bench_words *w)
{
	uint64_t z = w->state += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

uint32_t
bench_words_below(struct bench_words *w, uint32_t n)
{
	return (uint32_t)(next(w) % n);
}

/* By Zipf's law, of the first n ranks. */
static uint32_t
any_rank(struct bench_words *w, uint32_t n)
{
	double at = (double)(next(w) >> 11) / 9007199254740992.0 * w->sums[n - 1];
	uint32_t low = 0, high = n - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (w->sums[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
make_chinese(struct bench_words *w, uint32_t rank, char *out)
{
	uint32_t of_ten = bench_words_below(w, 10), n = rank < 60 || (rank < 600 && of_ten < 4) ? 1 : of_ten < 8 ? 2 : of_ten < 9 ? 3 : 4;

	for (uint32_t i = 0; i < n; i++) {
		/* Spread over the block as characters in use are. */
		uint32_t point = 0x4e00 + (rank < 60 ? rank * 331 : any_rank(w, N_HAN) * 5939) % 20000;

		*out++ = (char)(0xe0 | point >> 12);
		*out++ = (char)(0x80 | (point >> 6 & 63));
		*out++ = (char)(0x80 | (point & 63));
	}
}

static void
make_english(struct bench_words *w, uint32_t rank, char *out)
{
	static const char *const parts[] = { "ba", "con", "de", "er", "fi", "ga", "ho", "in", "ju", "ka", "lo", "men", "no", "ou",
		"pre", "qui", "re", "sta", "tion", "un", "ver", "wi", "ex", "ly", "za", "ing", "th", "el", "mor", "pla" };
	uint32_t n = rank < 100 ? 1 : 2 + bench_words_below(w, 3);

	for (uint32_t i = 0; i < n; i++) {
		const char *part = parts[bench_words_below(w, sizeof parts / sizeof *parts)];
		size_t len = strlen(part);

		memcpy(out, part, len);
		out += len;
	}
	if (rank < 100)
		snprintf(out, 4, "%c", (char)('a' + rank % 26));
}

void
bench_words_make(uint64_t seed, struct bench_words *out)
{
	double sum = 0;

	memset(out, 0, sizeof *out);
	out->state = seed;
	for (uint32_t i = 0; i < BENCH_WORDS; i++)
		out->sums[i] = sum += 1 / (i + 2.7);
	for (uint32_t i = 0; i < BENCH_WORDS; i++) {
		make_chinese(out, i, out->words[BENCH_CHINESE][i]);
		make_english(out, i, out->words[BENCH_ENGLISH][i]);
	}
}

const char *
bench_words_any(struct bench_words *w, enum bench_language l)
{
	return w->words[l][any_rank(w, BENCH_WORDS)];
}

static uint32_t
characters(const char *s)
{
	uint32_t n = 0;

	for (; *s != '\0'; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

/* Sentences, each in one language, with now and then a word of the other. */
size_t
bench_words_text(struct bench_words *w, uint32_t n_chars, char *out, size_t cap)
{
	enum bench_language l = BENCH_CHINESE, of;
	uint32_t left = 0, n = 0;
	const char *word, *end;
	size_t len = 0;

	while (n < n_chars && len + BENCH_WORD_MAX + 4 < cap) {
		if (left == 0) {
			l = bench_words_below(w, 2) == 0 ? BENCH_CHINESE : BENCH_ENGLISH;
			left = 5 + bench_words_below(w, 12);
		}
		of = bench_words_below(w, 12) == 0 ? (enum bench_language)(1 - l) : l;
		word = bench_words_any(w, of);
		end = --left == 0 ? l == BENCH_CHINESE ? "。" : ". " : of == BENCH_ENGLISH ? " " : "";
		if ((n += characters(word) + characters(end)) > n_chars)
			break;
		len += (size_t)snprintf(out + len, cap - len, "%s%s", word, end);
	}
	return len;
}
