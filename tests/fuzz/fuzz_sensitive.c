/* Any bytes are looked at without reading past them; what is hidden between two characters changes no answer. */
#include <stdlib.h>
#include <string.h>

#include "gateway/sensitive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static uint8_t longer[SENSITIVE_TEXT_MAX];
	enum sensitive k = sensitive_kind((struct span){ data, len });

	if ((unsigned)k >= SENSITIVE__COUNT || sensitive_text((struct span){ data, len }) != (k != SENSITIVE_NONE))
		abort();
	if (len + 3 > sizeof longer)
		return 0;
	memcpy(longer, "\xe2\x80\x8b", 3);
	memcpy(longer + 3, data, len);
	if (sensitive_kind((struct span){ longer, len + 3 }) != k)
		abort();
	return 0;
}
