/*
 * bench_words: texts that are distributed as people's are: words by Zipf's law,
 * Chinese and English mixed, the same for the same seed.
 */
#ifndef TOOLS_BENCH_WORDS_H
#define TOOLS_BENCH_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "mailbox/wire.h"

#define BENCH_WORDS    40000 /* of each language */
#define BENCH_WORD_MAX 24    /* bytes */

enum bench_language { BENCH_CHINESE, BENCH_ENGLISH, BENCH_LANGUAGES };

struct bench_words {
	uint64_t state;
	char     words[BENCH_LANGUAGES][BENCH_WORDS][BENCH_WORD_MAX]; /* by rank */
	double   sums[BENCH_WORDS]; /* of 1 / (rank + 2.7): Zipf, Mandelbrot */
};

void bench_words_make(uint64_t seed, struct bench_words *out);

/* 0 .. n - 1, each as often. */
uint32_t bench_words_below(struct bench_words *w, uint32_t n);

/* As often as its rank says. */
const char *bench_words_any(struct bench_words *w, enum bench_language l);

/* A text of so many characters, or one or two less; returns its bytes. cap >= 4 * n_chars + 32. */
size_t bench_words_text(struct bench_words *w, uint32_t n_chars, char *out, size_t cap);

#endif
