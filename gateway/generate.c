#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escrow/random.h"
#include "gateway/generate.h"
#include "mailbox/utf8.h"

static const struct {
	const char *name, *characters;
} classes[GENERATE__COUNT] = {
	[GENERATE_UPPER] = { "upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" },
	[GENERATE_LOWER] = { "lower", "abcdefghijklmnopqrstuvwxyz" },
	[GENERATE_DIGITS] = { "digits", "0123456789" },
	[GENERATE_SYMBOLS] = { "symbols", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" },
};

/* What may stand in a password: of each class, how many, and all in a row. */
struct alphabet {
	uint8_t  characters[96];
	uint8_t  class_of[96]; /* of each of them */
	unsigned n, n_of[GENERATE__COUNT];
};

bool
generate_class_of_name(struct span name, enum generate_class *out)
{
	for (unsigned c = 0; c < GENERATE__COUNT; c++)
		if (name.len == strlen(classes[c].name) && memcmp(name.p, classes[c].name, name.len) == 0) {
			*out = (enum generate_class)c;
			return true;
		}
	return false;
}

static enum err
refuse(const char **why, const char *sentence)
{
	*why = sentence;
	return ERR_INVALID_ARGUMENT;
}

static enum err
make_alphabet(const struct generate_terms *t, struct alphabet *a, const char **why)
{
	unsigned chosen = 0;

	*a = (struct alphabet){ .n = 0 };
	for (const char *p = t->exclude; *p != '\0'; p++)
		if (*p <= ' ' || *p > '~')
			return refuse(why, "only printable ASCII can be excluded: nothing else is used");
	for (unsigned c = 0; c < GENERATE__COUNT; c++) {
		if ((t->classes & 1u << c) == 0)
			continue;
		chosen++;
		for (const char *p = classes[c].characters; *p != '\0'; p++)
			if (strchr(t->exclude, *p) == NULL) {
				a->class_of[a->n] = (uint8_t)c;
				a->characters[a->n++] = (uint8_t)*p;
				a->n_of[c]++;
			}
		if (a->n_of[c] == 0)
			return refuse(why, "nothing of a chosen class is left: exclude less, or leave the class out");
	}
	if (chosen == 0)
		return refuse(why, "no class is chosen");
	return t->length >= chosen ? OK : refuse(why, "the length has no room for a character of each class");
}

/*
 * log2 of how many passwords there are: all strings but those that miss a
 * class, by inclusion and exclusion, relative to all.
 */
static double
password_bits(const struct generate_terms *t, const struct alphabet *a)
{
	double share = 0;

	for (unsigned missing = 0; missing < 1u << GENERATE__COUNT; missing++) {
		unsigned n = a->n, sign = 0;

		if ((missing & ~t->classes) != 0)
			continue;
		for (unsigned c = 0; c < GENERATE__COUNT; c++)
			if ((missing & 1u << c) != 0) {
				n -= a->n_of[c];
				sign ^= 1;
			}
		share += (sign ? -1 : 1) * pow((double)n / a->n, t->length);
	}
	return t->length * log2(a->n) + log2(share);
}

/* Returns the classes that are in it. */
static unsigned
draw(const struct alphabet *a, uint8_t *out, size_t len)
{
	unsigned seen = 0;

	for (size_t i = 0; i < len; i++) {
		uint32_t at = random_below(a->n);

		out[i] = a->characters[at];
		seen |= 1u << a->class_of[at];
	}
	return seen;
}

enum err
generate_password(const struct generate_terms *t, struct secret **out, uint64_t *bits, const char **why)
{
	struct alphabet a;
	struct secret *s;
	enum err e;

	if ((e = make_alphabet(t, &a, why)) != OK || (e = secret_new(t->length, &s)) != OK)
		return e;
	/* Mending a candidate would make some passwords likelier than others: a whole new one is drawn. */
	while (draw(&a, secret_bytes(s), t->length) != t->classes)
		continue;
	*bits = (uint64_t)floor(password_bits(t, &a));
	*out = s;
	return OK;
}

static bool
begins_with(struct span s, struct span with)
{
	return s.len >= with.len && memcmp(s.p, with.p, with.len) == 0;
}

/* Sorted, a word stands before those that begin with it, and nothing else in between. */
static bool
one_begins_with_another(const struct span *words, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (begins_with(words[i], words[i - 1]))
			return true;
	return false;
}

static bool
stands_in_one(struct span separator, const struct span *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memmem(words[i].p, words[i].len, separator.p, separator.len) != NULL)
			return true;
	return false;
}

enum err
generate_words(unsigned n, struct span separator, const struct span *words, size_t n_words,
    struct secret **out, uint64_t *bits, const char **why)
{
	struct wire_out o;
	struct secret *s;
	size_t longest = 0;
	enum err e;

	if ((separator.len == 0 || stands_in_one(separator, words, n_words)) && one_begins_with_another(words, n_words))
		return refuse(why, "with this separator the words could not be told apart: one begins with another");
	for (size_t i = 0; i < n_words; i++)
		longest = words[i].len > longest ? words[i].len : longest;
	if ((e = secret_new(n * (longest + separator.len), &s)) != OK)
		return e;
	o = wire_out(secret_bytes(s), secret_len(s));
	for (unsigned i = 0; i < n; i++) {
		struct span word = words[random_below((uint32_t)n_words)];

		if (i > 0)
			wire_put_bytes(&o, separator.p, separator.len);
		wire_put_bytes(&o, word.p, word.len);
	}
	secret_cut(s, wire_written(&o).len);
	*bits = (uint64_t)floor(n * log2((double)n_words));
	*out = s;
	return OK;
}

static int
compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int order = memcmp(x->p, y->p, x->len < y->len ? x->len : y->len);

	return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

static struct span
trimmed(struct span s)
{
	while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = (struct span){ s.p + 1, s.len - 1 };
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t' || s.p[s.len - 1] == '\r'))
		s.len--;
	return s;
}

/* A line's word; dice numbers and blanks before it are dropped. */
static bool
word_of_line(struct span line, struct span *out)
{
	struct span rest = line = trimmed(line);

	while (rest.len > 0 && rest.p[0] >= '1' && rest.p[0] <= '6')
		rest = (struct span){ rest.p + 1, rest.len - 1 };
	if (rest.len > 0 && rest.len < line.len && (rest.p[0] == ' ' || rest.p[0] == '\t'))
		line = trimmed(rest);
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] <= ' ' || line.p[i] == 0x7f)
			return false;
	*out = line;
	return utf8_valid(line);
}

static size_t
without_doubles(struct span *words, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept == 0 || compare(&words[kept - 1], &words[i]) != 0)
			words[kept++] = words[i];
	return kept;
}

enum err
generate_read_words(struct span text, struct span **out, size_t *n, const char **why)
{
	struct span *words = malloc((text.len / 2 + 2) * sizeof *words);
	size_t at = 0, end, n_words = 0;
	bool ok = true;

	if (words == NULL)
		return ERR_NO_MEMORY;
	for (; at < text.len && ok; at = end + 1) {
		const uint8_t *newline = memchr(text.p + at, '\n', text.len - at);

		end = newline != NULL ? (size_t)(newline - text.p) : text.len;
		if ((ok = word_of_line((struct span){ text.p + at, end - at }, &words[n_words])) && words[n_words].len > 0)
			n_words++;
	}
	*why = ok ? "the word list has fewer than two words" : "a line of the word list is not one word of UTF-8";
	qsort(words, n_words, sizeof *words, compare);
	n_words = without_doubles(words, n_words);
	if (!ok || n_words < 2) {
		free(words);
		return ERR_INVALID_CONTENT;
	}
	*out = words;
	*n = n_words;
	return OK;
}
