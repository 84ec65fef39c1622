#include "store/log_commit.h"
#include "store/log_frame.h"

#define VERSION 1
#define LABEL "memories/commit/v1"

static void
put_body(struct wire_out *o, const struct log_commit *c)
{
	wire_put_u8(o, VERSION);
	wire_put_u64(o, c->first);
	wire_put_u32(o, c->count);
	wire_put_u16(o, c->flags);
	wire_put_u64(o, c->size);
	wire_put_u64(o, c->wall.ms);
	wire_put_id(o, c->epoch);
	wire_put_bytes(o, c->root, sizeof c->root);
	wire_put_bytes(o, c->previous, sizeof c->previous);
	wire_put_bytes(o, c->bytes_hash, sizeof c->bytes_hash);
}

void
log_commit_put(struct wire_out *o, const struct log_commit *c)
{
	put_body(o, c);
	wire_put_bytes(o, c->signature, sizeof c->signature);
}

void
log_commit_take(struct wire_in *in, struct log_commit *out)
{
	uint8_t version = wire_take_u8(in);

	out->first = wire_take_u64(in);
	out->count = wire_take_u32(in);
	out->flags = wire_take_u16(in);
	out->size = wire_take_u64(in);
	out->wall.ms = wire_take_u64(in);
	out->epoch = wire_take_id(in);
	wire_take_bytes(in, out->root, sizeof out->root);
	wire_take_bytes(in, out->previous, sizeof out->previous);
	wire_take_bytes(in, out->bytes_hash, sizeof out->bytes_hash);
	wire_take_bytes(in, out->signature, sizeof out->signature);
	if (version != VERSION || out->count < 1 || out->count > LOG_GROUP_RECORDS_MAX ||
	    out->flags & ~LOG_COMMIT_MANUAL_LOCK || out->first > UINT64_MAX - out->count ||
	    out->size != out->first + out->count)
		in->failed = true;
}

void
log_commit_sign(struct log_commit *c, const struct signer *epoch_key)
{
	uint8_t body[LOG_COMMIT_BODY_LEN];
	struct wire_out o = wire_out(body, sizeof body);

	put_body(&o, c);
	signer_sign(epoch_key, LABEL, wire_written(&o), c->signature);
}

bool
log_commit_valid(const struct log_commit *c, const uint8_t epoch_public[SIGN_PUBLIC_LEN])
{
	uint8_t body[LOG_COMMIT_BODY_LEN];
	struct wire_out o = wire_out(body, sizeof body);

	put_body(&o, c);
	return signature_valid(epoch_public, LABEL, wire_written(&o), c->signature);
}
