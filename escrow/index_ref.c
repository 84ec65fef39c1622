#include "escrow/index_ref.h"

static struct span
encode(const struct key_ref_body *ref, uint8_t buf[INDEX_REF_LEN])
{
	struct wire_out o = wire_out(buf, INDEX_REF_LEN);

	key_ref_body_put(&o, ref);
	return wire_written(&o);
}

struct span
index_ref(enum key_class c, uint8_t buf[INDEX_REF_LEN])
{
	return encode(&(struct key_ref_body){ .key_class = (uint8_t)c }, buf);
}

struct span
index_ref_found(uint8_t buf[INDEX_REF_LEN])
{
	return encode(&(struct key_ref_body){ .part = PART_FOUND }, buf);
}
