#include "store/revision.h"

#define VERSION 1

void
revision_row_put(struct wire_out *o, const struct revision_row *r)
{
	if (r->n_parents > REVISION_PARENTS_MAX) {
		o->failed = true;
		return;
	}
	wire_put_u8(o, VERSION);
	wire_put_id(o, r->vault);
	wire_put_id(o, r->asset);
	wire_put_id(o, r->revision);
	wire_put_u8(o, (uint8_t)r->kind);
	wire_put_u8(o, (uint8_t)r->key_class);
	wire_put_u8(o, r->deleted);
	wire_put_u64(o, r->bytes);
	wire_put_u64(o, r->created.ms);
	wire_put_u64(o, r->asset_created.ms);
	wire_put_u16(o, r->n_parents);
	for (size_t i = 0; i < r->n_parents; i++)
		wire_put_id(o, r->parents[i]);
}

/* The three small numbers after the ids: each has few values, and they must agree. */
static void
take_words(struct wire_in *in, struct revision_row *r)
{
	uint8_t kind = wire_take_u8(in), key_class = wire_take_u8(in), deleted = wire_take_u8(in);

	if (!kind_known(kind) || key_class >= CLASS__COUNT || deleted > 1) {
		in->failed = true;
		return;
	}
	r->kind = (enum kind)kind;
	r->key_class = (enum key_class)key_class;
	r->deleted = deleted == 1;
	if (!revision_class_fits(r->kind, r->key_class))
		in->failed = true;
}

void
revision_row_take(struct wire_in *in, struct revision_row *out)
{
	struct revision_row r = { .n_parents = 0 };

	if (wire_take_u8(in) != VERSION)
		in->failed = true;
	r.vault = wire_take_id(in);
	r.asset = wire_take_id(in);
	r.revision = wire_take_id(in);
	take_words(in, &r);
	r.bytes = wire_take_u64(in);
	r.created.ms = wire_take_u64(in);
	r.asset_created.ms = wire_take_u64(in);
	r.n_parents = wire_take_u16(in);
	if (r.n_parents > REVISION_PARENTS_MAX || r.bytes > FILE_LEN_MAX || (r.deleted && r.bytes > 0))
		in->failed = true;
	for (size_t i = 0; !in->failed && i < r.n_parents; i++)
		r.parents[i] = wire_take_id(in);
	if (!in->failed)
		*out = r;
}

bool
revision_class_fits(enum kind kind, enum key_class key_class)
{
	return key_class == class_of(kind, false) || key_class == class_of(kind, true);
}

uint32_t
revision_n_chunks(uint64_t bytes)
{
	return bytes == 0 ? 1 : (uint32_t)((bytes - 1) / CHUNK_LEN + 1);
}
