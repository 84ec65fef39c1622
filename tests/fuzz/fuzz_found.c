/* Any bytes as a page of search results: what is taken is what would be written. */
#include <stdlib.h>
#include <string.h>

#include "gateway/found.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct found_row rows[FOUND_ROWS_MAX];
	static uint8_t again[FOUND_LEN_MAX];
	struct wire_out o = wire_out(again, sizeof again);
	struct found_page page;

	if (len > sizeof again || found_take((struct span){ data, len }, &page, rows) != OK)
		return 0;
	found_page_put(&o, &page);
	for (size_t i = 0; i < page.n_rows; i++)
		found_row_put(&o, &rows[i]);
	if (o.failed || o.len != len || memcmp(again, data, len) != 0)
		abort();
	return 0;
}
