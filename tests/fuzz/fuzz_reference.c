/* References in any bytes: each lies in the text behind the one before it, and is one by itself. */
#include <stdlib.h>
#include <string.h>

#include "gateway/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span text = { data, len };
	struct reference r, same;
	size_t from = 0;

	while (reference_find(text, from, &r)) {
		if (r.at < from || r.len > len - r.at || uuid_is_zero(r.credential) || uuid_is_zero(r.vault) != (r.name[0] != '\0'))
			abort();
		if (!reference_is((struct span){ data + r.at, r.len }, &same) || strcmp(same.name, r.name) != 0)
			abort();
		from = r.at + r.len;
	}
	return 0;
}
