#include "gateway/word_list.h"

static const struct span words[] = {
#define W(word) { (const uint8_t *)#word, sizeof #word - 1 },
#include "gateway/word_list.tbl.h"
#undef W
};

const struct span *
word_list(size_t *n)
{
	*n = sizeof words / sizeof *words;
	return words;
}
