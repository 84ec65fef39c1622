/*
 * Any bytes as a row of the profile, once its seal is off: a decoder refuses
 * them, or its encoder gives the same bytes back. The first byte says which.
 */
#include <stdlib.h>
#include <string.h>

#include "store/profile_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct uuid id; /* for what stands in the key */

static bool
recode_fact(struct span value, struct wire_out *o)
{
	struct profile_fact f;

	if (!profile_fact_take(value, id, &f))
		return false;
	profile_fact_put(o, &f);
	return true;
}

static bool
recode_share(struct span value, struct wire_out *o)
{
	struct profile_share s;

	if (!profile_share_take(value, id, id, &s))
		return false;
	profile_share_put(o, &s);
	return true;
}

static bool
recode_proposal(struct span value, struct wire_out *o)
{
	struct profile_proposal p;

	if (!profile_proposal_take(value, id, &p))
		return false;
	profile_proposal_put(o, &p);
	return true;
}

static bool
recode_ended(struct span value, struct wire_out *o)
{
	static const uint8_t same[PROFILE_SAME_LEN];
	struct profile_ended x;

	if (!profile_ended_take(value, id, same, &x))
		return false;
	profile_ended_put(o, &x);
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool (*const recode[])(struct span, struct wire_out *) = { recode_fact, recode_share, recode_proposal, recode_ended };
	uint8_t buf[PROFILE_ROW_MAX];
	struct wire_out o = wire_out(buf, sizeof buf);

	if (len > 0 && recode[data[0] % 4]((struct span){ data + 1, len - 1 }, &o) &&
	    (o.failed || o.len != len - 1 || memcmp(buf, data + 1, o.len) != 0))
		abort();
	return 0;
}
