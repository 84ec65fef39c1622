/* Any bytes as a word list: what is taken is sorted, each word once, and can be drawn from. */
#include <stdlib.h>
#include <string.h>

#include "gateway/generate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct secret *out = NULL;
	struct span *words = NULL;
	const char *why = NULL;
	uint64_t bits;
	size_t n;

	if (secret_init(true) != OK)
		abort();
	if (generate_read_words((struct span){ data, len }, &words, &n, &why) != OK)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (words[i].len == 0 || (i > 0 && words[i].len == words[i - 1].len && memcmp(words[i].p, words[i - 1].p, words[i].len) == 0))
			abort();
	if (generate_words(3, (struct span){ (const uint8_t *)"-", 1 }, words, n, &out, &bits, &why) == OK)
		secret_free(&out);
	free(words);
	return 0;
}
