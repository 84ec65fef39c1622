/*
 * search_tokens: the words of a text, folded, with their places.
 *
 * Scripts with spaces between words give words; of Han, kana and Hangul each
 * character is a token, and each two that stand side by side are one more, at
 * the place of the first. So one-character words are found, and a longer one
 * is where its pairs follow each other. A word longer than SEARCH_TERM_MAX
 * bytes is several that follow each other.
 */
#ifndef STORE_SEARCH_TOKENS_H
#define STORE_SEARCH_TOKENS_H

#include "mailbox/wire.h"

#define SEARCH_TERM_MAX 64

enum search_token_kind {
	SEARCH_WORD,
	SEARCH_ONE, /* a single character; its place is not kept in an index */
	SEARCH_TWO,
};

struct search_token {
	enum search_token_kind kind;
	const uint8_t         *term;     /* folded UTF-8, until the function returns */
	size_t                 term_len; /* 1 .. SEARCH_TERM_MAX */
	uint32_t               position; /* words and characters are counted from 0 */
	uint32_t               offset;   /* bytes of the text that it was made from */
	uint32_t               end;
	bool                   alone; /* SEARCH_ONE: no other of a run stands beside it */
};

/* False: enough. */
typedef bool search_token_fn(void *arg, const struct search_token *t);

/*
 * Tells fn of each token, in the order of their positions; the first is
 * `position`. Returns the next free position.
 */
uint32_t search_tokens(struct span text, uint32_t position, search_token_fn *fn, void *arg);

#endif
