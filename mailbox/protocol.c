#include <string.h>

#include "mailbox/protocol.h"

#define U8(name)         wire_put_u8(o, b->name);
#define U16(name)        wire_put_u16(o, b->name);
#define U32(name)        wire_put_u32(o, b->name);
#define U64(name)        wire_put_u64(o, b->name);
#define ID(name)         wire_put_id(o, b->name);
#define BYTES(name, n)   wire_put_bytes(o, b->name, n);
#define SPAN(name, max)  put_span(o, b->name, max);
#define SUB(body, name)  body##_body_put(o, &b->name);
#define BODY(name, fields) \
	void name##_body_put(struct wire_out *o, const struct name##_body *b) { fields }

/* What is too long for its field must not be sent: the receiver would drop it. */
static void
put_span(struct wire_out *o, struct span s, size_t max)
{
	if (s.len > max)
		o->failed = true;
	wire_put_span(o, s);
}

#include "mailbox/bodies.tbl.h"

#define U8(name)         b->name = wire_take_u8(in);
#define U16(name)        b->name = wire_take_u16(in);
#define U32(name)        b->name = wire_take_u32(in);
#define U64(name)        b->name = wire_take_u64(in);
#define ID(name)         b->name = wire_take_id(in);
#define BYTES(name, n)   wire_take_bytes(in, b->name, n);
#define SPAN(name, max)  b->name = wire_take_span(in, max);
#define SUB(body, name)  body##_body_take(in, &b->name);
#define BODY(name, fields) \
	void name##_body_take(struct wire_in *in, struct name##_body *b) { fields }
#include "mailbox/bodies.tbl.h"

struct body_row {
	const char *name;
	void (*put)(struct wire_out *o, const void *b);
	void (*take)(struct wire_in *in, union any_body *b);
};

#define BODY(name, fields) \
	static void name##_put_any(struct wire_out *o, const void *b) { name##_body_put(o, b); } \
	static void name##_take_any(struct wire_in *in, union any_body *b) { name##_body_take(in, &b->name); }
#include "mailbox/bodies.tbl.h"

static const struct body_row bodies[BODY__COUNT] = {
#define BODY(name, fields) { #name, name##_put_any, name##_take_any },
#include "mailbox/bodies.tbl.h"
};

static const struct msg_row rows[MSG__COUNT] = {
#define MSG(name, from, to, ask, body, carries) \
	[MSG_##name] = { #name, ACTOR_##from, ACTOR_##to, ASK_##ask, BODY_##body, CARRIES_##carries },
#include "mailbox/protocol.tbl.h"
#undef MSG
};

static const char *const actor_names[ACTOR__COUNT] = {
	[ACTOR_CLIENT] = "client", [ACTOR_GATE] = "gate", [ACTOR_GRANTS] = "grants",
	[ACTOR_VAULT] = "vault", [ACTOR_KEYRING] = "keyring", [ACTOR_AUDIT] = "audit",
	[ACTOR_CUSTODY] = "custody", [ACTOR_SEARCH] = "search", [ACTOR_PROFILE] = "profile", [ACTOR_HTTP] = "http",
};

const struct msg_row *
msg_row(unsigned type)
{
	return type > MSG_NONE && type < MSG__COUNT ? &rows[type] : NULL;
}

const char *
msg_name(unsigned type)
{
	const struct msg_row *row = msg_row(type);

	return row != NULL ? row->name : "?";
}

const char *
actor_name(unsigned actor)
{
	return actor < ACTOR__COUNT ? actor_names[actor] : "?";
}

const char *
body_name(unsigned body)
{
	return body < BODY__COUNT ? bodies[body].name : "?";
}

const char *
carries_name(enum carries c)
{
	switch (c) {
	case CARRIES_NOTHING:
		return "nothing";
	case CARRIES_SEALED:
		return "sealed";
	case CARRIES_TICKET:
		return "ticket";
	case CARRIES_BOXED:
		return "boxed";
	}
	return "?";
}

bool
actors_joined(enum actor a, enum actor b)
{
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++)
		if ((rows[t].from == a && rows[t].to == b) || (rows[t].from == b && rows[t].to == a))
			return true;
	return false;
}

void
body_put(struct wire_out *o, enum body body, const void *b)
{
	bodies[body].put(o, b);
}

void
body_take(struct wire_in *in, enum body body, union any_body *b)
{
	bodies[body].take(in, b);
}

void
message_put(struct wire_out *o, enum msg type, uint64_t ask_id, const void *body)
{
	const struct msg_row *row = msg_row(type);

	if (row == NULL) {
		o->failed = true;
		return;
	}
	wire_put_u16(o, (uint16_t)type);
	wire_put_u64(o, ask_id);
	body_put(o, row->body, body);
}

void
message_take(struct wire_in *in, enum actor from, enum actor to,
    enum msg *type, uint64_t *ask_id, union any_body *body)
{
	const struct msg_row *row = msg_row(wire_take_u16(in));

	if (row == NULL || row->from != from || row->to != to) {
		in->failed = true;
		return;
	}
	*type = (enum msg)(row - rows);
	*ask_id = wire_take_u64(in);
	body_take(in, row->body, body);
	if (!wire_done(in))
		in->failed = true;
}

/* FNV-1a, 64 bits: it tells builds apart, it protects nothing. */
static void
mix(uint64_t *h, const char *text)
{
	for (; *text != '\0'; text++)
		*h = (*h ^ (uint8_t)*text) * UINT64_C(1099511628211);
}

uint64_t
protocol_fingerprint(void)
{
	uint64_t h = UINT64_C(14695981039346656037);

#define MSG(name, from, to, ask, body, carries) mix(&h, #name #from #to #ask #body #carries ";");
#include "mailbox/protocol.tbl.h"
#undef MSG
#define BODY(name, fields) mix(&h, #name #fields ";");
#include "mailbox/bodies.tbl.h"
	mix(&h, MEMORIES_VERSION);
	return h;
}
