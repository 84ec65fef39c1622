/* Any bytes as a remembered checkpoint: what is taken is what would be written. */
#include <stdlib.h>
#include <string.h>

#include "gateway/remembered_form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char again[REMEMBERED_TEXT_MAX + 1];
	struct log_point p;
	struct uuid library;

	if (uuid_parse("0198a000-0000-7000-8000-000000000001", &library) != OK)
		abort();
	if (remembered_form_take((struct span){ data, len }, library, &p) != OK)
		return 0;
	if (remembered_form_put(library, &p, again) != len || memcmp(again, data, len) != 0)
		abort();
	return 0;
}
