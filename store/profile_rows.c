#include <string.h>

#include "store/profile_rows.h"

#define FORM 1

const char *
profile_op_name(enum profile_op op)
{
	static const char *const names[] = { "?", "add", "update", "archive" };

	return op >= PROFILE_ADD && op <= PROFILE_ARCHIVE ? names[op] : names[0];
}

bool
profile_op_of_name(const char *name, size_t len, enum profile_op *out)
{
	for (unsigned op = PROFILE_ADD; op <= PROFILE_ARCHIVE; op++)
		if (strlen(profile_op_name((enum profile_op)op)) == len &&
		    memcmp(profile_op_name((enum profile_op)op), name, len) == 0) {
			*out = (enum profile_op)op;
			return true;
		}
	return false;
}

static struct wire_in
begin(struct span value)
{
	struct wire_in in = wire_in(value.p, value.len);

	if (wire_take_u8(&in) != FORM)
		in.failed = true;
	return in;
}

static bool
take_bool(struct wire_in *in)
{
	uint8_t v = wire_take_u8(in);

	if (v > 1)
		in->failed = true;
	return v == 1;
}

static enum category
take_category(struct wire_in *in)
{
	uint8_t v = wire_take_u8(in);

	if (v >= CATEGORY__COUNT)
		in->failed = true;
	return in->failed ? CATEGORY_UNCATEGORIZED : (enum category)v;
}

static struct span
take_text(struct wire_in *in)
{
	return wire_take_span(in, PROFILE_TEXT_BYTES_MAX);
}

void
profile_fact_put(struct wire_out *o, const struct profile_fact *f)
{
	wire_put_u8(o, FORM);
	wire_put_id(o, f->revision);
	wire_put_u64(o, f->version);
	wire_put_u8(o, (uint8_t)f->category);
	wire_put_u8(o, f->uncertain);
	wire_put_u8(o, f->archived);
	wire_put_u64(o, f->created.ms);
	wire_put_u64(o, f->updated.ms);
	wire_put_span(o, f->label);
	wire_put_span(o, f->value);
	wire_put_span(o, f->evidence);
}

bool
profile_fact_take(struct span value, struct uuid fact, struct profile_fact *out)
{
	struct wire_in in = begin(value);
	struct profile_fact f = { .fact = fact };

	f.revision = wire_take_id(&in);
	f.version = wire_take_u64(&in);
	f.category = take_category(&in);
	f.uncertain = take_bool(&in);
	f.archived = take_bool(&in);
	f.created.ms = wire_take_u64(&in);
	f.updated.ms = wire_take_u64(&in);
	f.label = take_text(&in);
	f.value = take_text(&in);
	f.evidence = take_text(&in);
	if (!wire_done(&in) || f.version == 0)
		return false;
	*out = f;
	return true;
}

void
profile_share_put(struct wire_out *o, const struct profile_share *s)
{
	wire_put_u8(o, FORM);
	wire_put_id(o, s->revision);
	wire_put_u64(o, s->made.ms);
}

bool
profile_share_take(struct span value, struct uuid connection, struct uuid fact, struct profile_share *out)
{
	struct wire_in in = begin(value);
	struct profile_share s = { .connection = connection, .fact = fact };

	s.revision = wire_take_id(&in);
	s.made.ms = wire_take_u64(&in);
	if (!wire_done(&in))
		return false;
	*out = s;
	return true;
}

void
profile_proposal_put(struct wire_out *o, const struct profile_proposal *p)
{
	wire_put_u8(o, FORM);
	wire_put_id(o, p->connection);
	wire_put_u8(o, (uint8_t)p->op);
	wire_put_u8(o, (uint8_t)p->category);
	wire_put_span(o, p->label);
	wire_put_span(o, p->value);
	wire_put_span(o, p->evidence);
	wire_put_id(o, p->target);
	wire_put_id(o, p->target_revision);
	wire_put_u64(o, p->created.ms);
	wire_put_u64(o, p->expires.ms);
}

bool
profile_proposal_take(struct span value, struct uuid proposal, struct profile_proposal *out)
{
	struct wire_in in = begin(value);
	struct profile_proposal p = { .proposal = proposal };
	uint8_t op;

	p.connection = wire_take_id(&in);
	op = wire_take_u8(&in);
	p.category = take_category(&in);
	p.label = take_text(&in);
	p.value = take_text(&in);
	p.evidence = take_text(&in);
	p.target = wire_take_id(&in);
	p.target_revision = wire_take_id(&in);
	p.created.ms = wire_take_u64(&in);
	p.expires.ms = wire_take_u64(&in);
	if (!wire_done(&in) || op < PROFILE_ADD || op > PROFILE_ARCHIVE || uuid_is_zero(p.target) != (op == PROFILE_ADD))
		return false;
	p.op = (enum profile_op)op;
	*out = p;
	return true;
}

void
profile_ended_put(struct wire_out *o, const struct profile_ended *x)
{
	wire_put_u8(o, FORM);
	wire_put_id(o, x->proposal);
	wire_put_u8(o, (uint8_t)x->end);
	wire_put_u64(o, x->ended.ms);
}

bool
profile_ended_take(struct span value, struct uuid connection, const uint8_t same[PROFILE_SAME_LEN],
    struct profile_ended *out)
{
	struct wire_in in = begin(value);
	struct profile_ended x = { .connection = connection };
	uint8_t end;

	memcpy(x.same, same, sizeof x.same);
	x.proposal = wire_take_id(&in);
	end = wire_take_u8(&in);
	x.ended.ms = wire_take_u64(&in);
	if (!wire_done(&in) || end < PROFILE_CONFIRMED || end > PROFILE_EXPIRED)
		return false;
	x.end = (enum profile_end)end;
	*out = x;
	return true;
}
