/* generate: a new password or passphrase on stdout; without a home, without a daemon. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/generate.h"
#include "gateway/word_list.h"
#include "tools/command/command.h"
#include "tools/command/source.h"

#define LENGTH_DEFAULT 20
#define EXCLUDE_MAX    128

/* "upper,digits": each name once, none empty. */
static enum err
take_classes(struct invocation *in, unsigned *out)
{
	const char *p = option_given(in, "--classes") ? option_value(in, "--classes") : "upper,lower,digits,symbols";

	*out = 0;
	for (;;) {
		size_t len = strcspn(p, ",");
		enum generate_class c;

		if (!generate_class_of_name((struct span){ (const uint8_t *)p, len }, &c) || (*out & 1u << c) != 0)
			return invalid(in, "--classes takes some of upper, lower, digits and symbols, with commas between");
		*out |= 1u << c;
		if (p[len] == '\0')
			return OK;
		p += len + 1;
	}
}

static enum err
make_password(struct invocation *in, struct secret **out, uint64_t *bits)
{
	char exclude[EXCLUDE_MAX + sizeof GENERATE_AMBIGUOUS];
	struct generate_terms t = { .exclude = exclude };
	const char *given = option_given(in, "--exclude") ? option_value(in, "--exclude") : "", *why;
	uint64_t length;
	enum err e;

	if (option_given(in, "--separator") || option_given(in, "--word-list"))
		return invalid(in, "--separator and --word-list go with --words");
	if ((e = option_u64(in, "--length", 1, GENERATE_LENGTH_MAX, LENGTH_DEFAULT, &length)) != OK ||
	    (e = take_classes(in, &t.classes)) != OK)
		return e;
	if (strlen(given) > EXCLUDE_MAX)
		return invalid(in, "--exclude takes at most 128 characters");
	snprintf(exclude, sizeof exclude, "%s%s", given, option_given(in, "--no-ambiguous") ? GENERATE_AMBIGUOUS : "");
	t.length = (unsigned)length;
	return (e = generate_password(&t, out, bits, &why)) == ERR_INVALID_ARGUMENT ? invalid(in, why) : e;
}

static enum err
read_list(struct invocation *in, struct secret **text, struct span **words, size_t *n)
{
	struct source s;
	const char *why;
	enum err e;

	if ((e = source_open(in, option_value(in, "--word-list"), &s)) != OK)
		return e;
	e = source_read(&s, SMALL_MAX, text);
	source_close(&s);
	if (e == ERR_TOO_LARGE)
		explain(in, "the word list is larger than 1 MiB");
	if (e == OK && (e = generate_read_words(secret_span(*text), words, n, &why)) == ERR_INVALID_CONTENT)
		explain(in, why);
	return e;
}

static enum err
make_words(struct invocation *in, struct secret **out, uint64_t *bits)
{
	const char *separator = option_given(in, "--separator") ? option_value(in, "--separator") : "-", *why;
	struct secret *text = NULL;
	struct span *own = NULL;
	const struct span *words;
	uint64_t count;
	size_t n;
	enum err e;

	if (option_given(in, "--length") || option_given(in, "--classes") || option_given(in, "--exclude") ||
	    option_given(in, "--no-ambiguous"))
		return invalid(in, "--words goes with --separator and --word-list only");
	if ((e = option_u64(in, "--words", 1, GENERATE_WORDS_MAX, 0, &count)) != OK)
		return e;
	if (strlen(separator) > GENERATE_SEPARATOR_MAX)
		return invalid(in, "--separator takes at most 16 bytes");
	words = word_list(&n);
	if (option_given(in, "--word-list") && (e = read_list(in, &text, &own, &n)) == OK)
		words = own;
	if (e == OK && (e = generate_words((unsigned)count, (struct span){ (const uint8_t *)separator, strlen(separator) },
	    words, n, out, bits, &why)) == ERR_INVALID_ARGUMENT)
		e = invalid(in, why);
	free(own);
	secret_free(&text);
	return e;
}

static enum err
print_made(const struct invocation *in, const struct secret *made, uint64_t bits)
{
	struct json_writer w = { 0 };
	enum err e;

	if (in->json) {
		json_write_object(&w);
		json_member_string(&w, "secret", secret_span(made));
		json_member_u64(&w, "entropy_bits", bits);
		json_write_end(&w);
		return print_json(&w);
	}
	if ((e = print_bytes(secret_span(made))) == OK && (e = print_line("\n")) == OK)
		fprintf(stderr, "%llu bits of entropy\n", (unsigned long long)bits);
	return e;
}

enum err
run_generate(struct invocation *in)
{
	struct secret *made = NULL;
	uint64_t bits;
	enum err e = option_given(in, "--words") ? make_words(in, &made, &bits) : make_password(in, &made, &bits);

	if (e == OK)
		e = print_made(in, made, bits);
	secret_free(&made);
	return e;
}
