#include <string.h>

#include "store/db_records.h"

#define BLOCK_VERSION 2

static struct db_key
join_ids(const struct uuid *ids, size_t n)
{
	struct db_key k = { .len = n * UUID_LEN };

	memcpy(k.b, ids, k.len);
	return k;
}

struct db_key
db_records_key1(struct uuid a)
{
	return join_ids(&a, 1);
}

struct db_key
db_records_key2(struct uuid a, struct uuid b)
{
	return join_ids((struct uuid[]){ a, b }, 2);
}

struct db_key
db_records_key3(struct uuid a, struct uuid b, struct uuid c)
{
	return join_ids((struct uuid[]){ a, b, c }, 3);
}

struct db_key
db_records_chunk_key(struct uuid revision, uint32_t index)
{
	struct db_key k;
	struct wire_out o = wire_out(k.b, sizeof k.b);

	wire_put_id(&o, revision);
	wire_put_u32(&o, index);
	k.len = o.len;
	return k;
}

struct span
db_records_span(const struct db_key *key)
{
	return (struct span){ key->b, key->len };
}

bool
db_records_key_id(struct span key, size_t n_ids, size_t place, struct uuid *out)
{
	if (key.len != n_ids * UUID_LEN)
		return false;
	memcpy(out->b, key.p + place * UUID_LEN, UUID_LEN);
	return true;
}

bool
db_records_is_chunk_of(struct span key, struct uuid revision, struct db_key *out)
{
	if (key.len != UUID_LEN + 4 || memcmp(key.p, revision.b, UUID_LEN) != 0)
		return false;
	memcpy(out->b, key.p, key.len);
	out->len = key.len;
	return true;
}

struct wire_in
db_records_start_of(uint8_t version, struct span value)
{
	struct wire_in in = wire_in(value.p, value.len);

	if (wire_take_u8(&in) != version)
		in.failed = true;
	return in;
}

struct wire_in
db_records_start(struct span value)
{
	return db_records_start_of(DB_RECORD_VERSION, value);
}

bool
db_records_take_bool(struct wire_in *in)
{
	uint8_t v = wire_take_u8(in);

	if (v > 1)
		in->failed = true;
	return v == 1;
}

void
db_records_put_vault(struct wire_out *o, const struct vault_row *v)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u8(o, v->active);
	wire_put_u64(o, v->created.ms);
	wire_put_id(o, v->name_revision);
	wire_put_u64(o, v->n_assets);
	wire_put_span(o, (struct span){ v->sealed_name, v->name_len });
}

bool
db_records_take_vault(struct span value, struct uuid vault, struct vault_row *out)
{
	struct wire_in in = db_records_start(value);
	struct vault_row v = { .vault = vault };
	struct span name;

	v.active = db_records_take_bool(&in);
	v.created.ms = wire_take_u64(&in);
	v.name_revision = wire_take_id(&in);
	v.n_assets = wire_take_u64(&in);
	name = wire_take_span(&in, SEALED_NAME_MAX);
	if (!wire_done(&in))
		return false;
	v.name_len = (uint16_t)name.len;
	memcpy(v.sealed_name, name.p, name.len);
	*out = v;
	return true;
}

void
db_records_put_asset(struct wire_out *o, const struct db_asset *a)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u8(o, (uint8_t)a->row.kind);
	wire_put_u8(o, (uint8_t)a->row.key_class);
	wire_put_u64(o, a->row.created.ms);
	wire_put_u8(o, (uint8_t)a->row.n_heads);
	for (size_t i = 0; i < a->row.n_heads; i++) {
		wire_put_id(o, a->row.heads[i]);
		wire_put_u8(o, a->tombstone[i]);
	}
}

static void
take_heads(struct wire_in *in, struct db_asset *a)
{
	a->row.n_heads = wire_take_u8(in);
	if (a->row.n_heads > ASSET_HEADS_MAX)
		in->failed = true;
	for (size_t i = 0; !in->failed && i < a->row.n_heads; i++) {
		a->row.heads[i] = wire_take_id(in);
		a->tombstone[i] = db_records_take_bool(in);
		if (i > 0 && uuid_compare(a->row.heads[i - 1], a->row.heads[i]) >= 0)
			in->failed = true;
	}
}

bool
db_records_take_asset(struct span value, struct uuid vault, struct uuid asset, struct db_asset *out)
{
	struct wire_in in = db_records_start(value);
	struct db_asset a = { .row = { .vault = vault, .asset = asset } };
	uint8_t kind = wire_take_u8(&in), key_class = wire_take_u8(&in);

	if (!kind_known(kind) || key_class >= CLASS__COUNT)
		return false;
	a.row.kind = (enum kind)kind;
	a.row.key_class = (enum key_class)key_class;
	a.row.created.ms = wire_take_u64(&in);
	take_heads(&in, &a);
	if (!wire_done(&in) || !revision_class_fits(a.row.kind, a.row.key_class))
		return false;
	db_records_set_deleted(&a);
	*out = a;
	return true;
}

bool
db_records_is_live(const struct db_asset *a)
{
	for (size_t i = 0; i < a->row.n_heads; i++)
		if (!a->tombstone[i])
			return true;
	return false;
}

void
db_records_set_deleted(struct db_asset *a)
{
	a->row.deleted = a->row.n_heads > 0 && !db_records_is_live(a);
}

void
db_records_put_block(struct wire_out *o, const struct db_block *b)
{
	wire_put_u8(o, BLOCK_VERSION);
	wire_put_u16(o, b->n_rows);
	for (size_t i = 0; i < CLASS__COUNT; i++)
		wire_put_u16(o, b->n_live[i]);
}

static bool
is_row_count(uint16_t n)
{
	return n >= 1 && n <= DB_BLOCK_MAX;
}

bool
db_records_take_block(struct span value, struct db_block *out)
{
	struct wire_in in = wire_in(value.p, value.len);
	uint8_t version = wire_take_u8(&in);
	unsigned n_live = 0;
	struct db_block b;

	b.n_rows = wire_take_u16(&in);
	for (size_t i = 0; i < CLASS__COUNT; i++)
		n_live += b.n_live[i] = wire_take_u16(&in);
	if (!wire_done(&in) || version != BLOCK_VERSION || !is_row_count(b.n_rows) || n_live > b.n_rows)
		return false;
	*out = b;
	return true;
}

bool
db_records_take_old_block(struct span value, uint16_t *n_rows)
{
	struct wire_in in = db_records_start(value);
	uint16_t n = wire_take_u16(&in), n_live = wire_take_u16(&in);

	if (!wire_done(&in) || !is_row_count(n) || n_live > n)
		return false;
	*n_rows = n;
	return true;
}

void
db_records_put_revision(struct wire_out *o, const struct new_revision *r)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u8(o, r->quarantined);
	revision_row_put(o, &r->row);
	wire_put_span(o, r->sealed_head);
	wire_put_span(o, r->sealed_title);
	wire_put_span(o, r->sealed_meta);
}

bool
db_records_take_revision(struct span value, struct uuid revision, struct revision_record *out)
{
	struct wire_in in = db_records_start(value);
	struct revision_record r = { .head = false };

	r.quarantined = db_records_take_bool(&in);
	revision_row_take(&in, &r.row);
	r.sealed_head = wire_take_span(&in, SEALED_HEAD_LEN);
	r.sealed_title = wire_take_span(&in, SEALED_TITLE_MAX);
	r.sealed_meta = wire_take_span(&in, SEALED_META_MAX);
	if (!wire_done(&in) || !uuid_equal(r.row.revision, revision))
		return false;
	if (r.sealed_head.len != SEALED_HEAD_LEN && (r.sealed_head.len != 0 || !r.quarantined))
		return false;
	*out = r;
	return true;
}

void
db_records_put_proposal(struct wire_out *o, const struct proposal *p)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_id(o, p->grant);
	revision_row_put(o, &p->row);
	wire_put_span(o, p->sealed_head);
	wire_put_span(o, p->sealed_title);
	wire_put_span(o, p->sealed_meta);
}

bool
db_records_take_proposal(struct span value, struct uuid proposal, struct proposal *out)
{
	struct wire_in in = db_records_start(value);
	struct proposal p = { .grant = wire_take_id(&in) };

	revision_row_take(&in, &p.row);
	p.sealed_head = wire_take_span(&in, SEALED_HEAD_LEN);
	p.sealed_title = wire_take_span(&in, SEALED_TITLE_MAX);
	p.sealed_meta = wire_take_span(&in, SEALED_META_MAX);
	if (!wire_done(&in) || !uuid_equal(p.row.revision, proposal) || p.sealed_head.len != SEALED_HEAD_LEN)
		return false;
	*out = p;
	return true;
}

void
db_records_put_staging(struct wire_out *o, const struct db_staging *s)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u8(o, s->dropped);
	wire_put_u32(o, s->n_chunks);
	wire_put_u32(o, s->end);
}

bool
db_records_take_staging(struct span value, struct db_staging *out)
{
	struct wire_in in = db_records_start(value);
	struct db_staging s;

	s.dropped = db_records_take_bool(&in);
	s.n_chunks = wire_take_u32(&in);
	s.end = wire_take_u32(&in);
	if (!wire_done(&in) || s.n_chunks == 0 || s.n_chunks > s.end || s.end > DB_N_CHUNKS_MAX)
		return false;
	*out = s;
	return true;
}
