#include "mailbox/edge_frame.h"

/* A type and an ask id: no message is shorter. */
#define MESSAGE_MIN 10

void
edge_frame_put_hello(struct wire_out *o, const struct edge_hello *hello)
{
	wire_put_u8(o, EDGE_FRAME_HELLO);
	wire_put_u64(o, hello->fingerprint);
	wire_put_bytes(o, hello->nonce, EDGE_NONCE_LEN);
}

void
edge_frame_put_proof(struct wire_out *o, const uint8_t tag[EDGE_TAG_LEN])
{
	wire_put_u8(o, EDGE_FRAME_PROOF);
	wire_put_bytes(o, tag, EDGE_TAG_LEN);
}

enum edge_frame
edge_frame_kind(struct wire_in *in)
{
	uint8_t kind;

	if (in->len > EDGE_FRAME_MAX)
		return EDGE_FRAME_NONE;
	kind = wire_take_u8(in);
	return kind <= EDGE_FRAME_MESSAGES ? (enum edge_frame)kind : EDGE_FRAME_NONE;
}

void
edge_frame_take_hello(struct wire_in *in, struct edge_hello *hello)
{
	hello->fingerprint = wire_take_u64(in);
	wire_take_bytes(in, hello->nonce, EDGE_NONCE_LEN);
	if (!wire_done(in))
		in->failed = true;
}

void
edge_frame_take_proof(struct wire_in *in, uint8_t tag[EDGE_TAG_LEN])
{
	wire_take_bytes(in, tag, EDGE_TAG_LEN);
	if (!wire_done(in))
		in->failed = true;
}

bool
edge_frame_next(struct wire_in *in, struct span *message)
{
	struct span s;

	if (wire_done(in))
		return false;
	s = wire_take_span(in, MESSAGE_MAX);
	if (s.len < MESSAGE_MIN)
		in->failed = true;
	if (in->failed)
		return false;
	*message = s;
	return true;
}
