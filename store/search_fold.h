/*
 * search_fold: texts that look the same, made the same. The only user of
 * utf8proc.
 *
 * NFKC and full case folding (full width to plain, half-width kana to kana
 * with its sound mark, ligatures to letters), marks off Latin and Greek
 * letters, default-ignorable characters dropped. Any bytes go in; a byte that
 * is no part of well-formed UTF-8 is a character that parts words.
 * Source: Unicode 15, UAX #15, and what the folded forms are for:
 * docs/decisions/0024-search.md.
 */
#ifndef STORE_SEARCH_FOLD_H
#define STORE_SEARCH_FOLD_H

#include "escrow/secret.h"
#include "mailbox/wire.h"

enum search_class {
	SEARCH_BREAK,  /* spaces, punctuation: between words */
	SEARCH_LETTER, /* letters, digits and marks of scripts with spaces between words */
	SEARCH_RUN,    /* Han, kana, Hangul, bopomofo: no spaces */
	SEARCH_SYMBOL, /* emoji and the like: each a word of its own */
};

/* One folded character. */
struct search_char {
	uint32_t          point;  /* 0xfffd for what is no UTF-8 */
	enum search_class of;
	uint32_t          offset; /* what it was made from: bytes of the text */
	uint32_t          end;
};

/* Where folding has got to. */
struct search_folding {
	struct span        text; /* borrowed */
	size_t             at;
	struct search_char ready[40]; /* decomposed, not yet given out */
	unsigned           n_ready;
	unsigned           next;
};

/* text is shorter than 4 GiB. */
void search_fold_start(struct search_folding *f, struct span text);

/* False at the end. Several characters may be made from the same bytes, and one from several. */
bool search_fold_next(struct search_folding *f, struct search_char *out);

/* Writes the point as UTF-8; returns its length, 1 .. 4. out has room for that many. */
size_t search_fold_encode(uint32_t point, uint8_t *out);

/*
 * The whole text folded, as UTF-8: a text contains another, as people see it,
 * when its folded bytes contain the other's. ERR_NO_MEMORY.
 */
enum err search_fold(struct span text, struct secret **out);

#endif
