/*
 * generate: passwords and passphrases of the system's randomness, and how much
 * of it is in them.
 */
#ifndef GATEWAY_GENERATE_H
#define GATEWAY_GENERATE_H

#include "escrow/secret.h"

enum generate_class {
	GENERATE_UPPER,
	GENERATE_LOWER,
	GENERATE_DIGITS,
	GENERATE_SYMBOLS, /* the printable ASCII that is none of the others and no blank */
	GENERATE__COUNT
};

#define GENERATE_LENGTH_MAX    1024u
#define GENERATE_WORDS_MAX     64u
#define GENERATE_SEPARATOR_MAX 16u

/* What --no-ambiguous leaves out: characters that look alike, and quotes. */
#define GENERATE_AMBIGUOUS "0Oo1lI|`'\""

struct generate_terms {
	unsigned    length;  /* characters, 1 .. GENERATE_LENGTH_MAX */
	unsigned    classes; /* a bit each; at least one */
	const char *exclude; /* printable ASCII without the blank; "" for nothing */
};

/* "upper"; false when the word is no class. */
bool generate_class_of_name(struct span name, enum generate_class *out);

/*
 * A password in which each chosen class is there; every such password is as
 * likely as any other.
 *
 * *out   new, length bytes; the caller frees
 * *bits  of randomness in it, rounded down
 * *why   for people, of ERR_INVALID_ARGUMENT
 *
 * ERR_INVALID_ARGUMENT: a class has no characters left, the length is smaller
 * than the number of classes, or the exclusion holds something that no
 * password could. ERR_NO_MEMORY.
 */
enum err generate_password(const struct generate_terms *t, struct secret **out, uint64_t *bits, const char **why);

/*
 * n words with the separator between them, each drawn from all words.
 *
 * words  sorted by their bytes, each once
 *
 * As generate_password. ERR_INVALID_ARGUMENT: the words could be told apart in
 * more than one way: the separator is empty or stands in a word, and one word
 * begins with another.
 */
enum err generate_words(unsigned n, struct span separator, const struct span *words, size_t n_words,
    struct secret **out, uint64_t *bits, const char **why);

/*
 * Reads a word list: a word a line, of UTF-8 without blanks; dice numbers
 * before it are dropped, so is what is there twice. Sorts it as
 * generate_words wants.
 *
 * *out  new, the caller frees; its words are borrowed from text
 * *why  for people, of ERR_INVALID_CONTENT: a line is none, or there are fewer than two words
 */
enum err generate_read_words(struct span text, struct span **out, size_t *n, const char **why);

#endif
