/* Any bytes as a request to the profile; the first says which op. What is taken keeps what the rest of the program relies on. */
#include <stdlib.h>

#include "gateway/profile_request.h"
#include "mailbox/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
hold(bool claim)
{
	if (!claim)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct { unsigned has; size_t max; } texts[] = { { PROFILE_HAS_LABEL, 40 }, { PROFILE_HAS_VALUE, 300 },
		{ PROFILE_HAS_EVIDENCE, 300 }, { PROFILE_HAS_QUERY, 200 } };
	struct profile_request r;
	struct span taken[4];

	if (len == 0)
		return 0;
	if (profile_request_parse((enum op)(OP_PROFILE_READ + data[0] % 6), (struct span){ data + 1, len - 1 }, &r) == OK) {
		taken[0] = r.label;
		taken[1] = r.value;
		taken[2] = r.evidence;
		taken[3] = r.query;
		for (size_t i = 0; i < 4; i++)
			hold((r.has & texts[i].has) == 0 ? taken[i].len == 0 : utf8_valid(taken[i]) && taken[i].len <= 4 * texts[i].max);
		hold(r.n_refs <= PROFILE_LIST_LIMIT_MAX && r.limit <= PROFILE_LIST_LIMIT_MAX && r.category < CATEGORY__COUNT);
		hold((r.what == PROFILE_SEARCH) == ((r.has & PROFILE_HAS_QUERY) != 0));
	}
	profile_request_free(&r);
	return 0;
}
