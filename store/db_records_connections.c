#include <string.h>

#include "store/db_records_connections.h"

static void
put_text(struct wire_out *o, const uint8_t *p, size_t len)
{
	wire_put_span(o, (struct span){ p, len });
}

static uint16_t
take_text(struct wire_in *in, uint8_t *out, size_t max)
{
	struct span s = wire_take_span(in, max);

	if (in->failed)
		return 0;
	if (s.len > 0)
		memcpy(out, s.p, s.len);
	return (uint16_t)s.len;
}

void
db_records_put_connection(struct wire_out *o, const struct connection_record *c)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_bytes(o, c->client, SHA256_LEN);
	wire_put_bytes(o, c->redirect_hash, SHA256_LEN);
	wire_put_u64(o, c->created.ms);
	wire_put_u64(o, c->revision);
	wire_put_u32(o, c->generation);
	wire_put_u8(o, c->scopes);
	wire_put_u8(o, c->categories);
	wire_put_u64(o, c->refresh_ends.ms);
	wire_put_u32(o, c->n_refreshes);
	wire_put_u8(o, (uint8_t)c->end);
	wire_put_u64(o, c->ended.ms);
	put_text(o, c->name, c->name_len);
	put_text(o, c->redirect, c->redirect_len);
	wire_put_u8(o, c->n_access);
	wire_put_bytes(o, c->access, (size_t)c->n_access * SHA256_LEN);
}

static bool
is_connection(const struct connection_record *c)
{
	if ((c->scopes & ~SCOPES_ALL) != 0 || scopes_closed(c->scopes) != c->scopes || (c->categories & ~CATEGORIES_SHAREABLE) != 0)
		return false;
	if (c->end > CONNECTION_REPLAYED || c->n_access > CONNECTION_ACCESS_MAX)
		return false;
	return c->end == CONNECTION_LIVES ? c->ended.ms == 0 : c->n_access == 0;
}

bool
db_records_take_connection(struct span value, struct uuid connection, struct connection_record *out)
{
	struct wire_in in = db_records_start(value);
	struct connection_record c = { .connection = connection };

	wire_take_bytes(&in, c.client, SHA256_LEN);
	wire_take_bytes(&in, c.redirect_hash, SHA256_LEN);
	c.created.ms = wire_take_u64(&in);
	c.revision = wire_take_u64(&in);
	c.generation = wire_take_u32(&in);
	c.scopes = wire_take_u8(&in);
	c.categories = wire_take_u8(&in);
	c.refresh_ends.ms = wire_take_u64(&in);
	c.n_refreshes = wire_take_u32(&in);
	c.end = (enum connection_end)wire_take_u8(&in);
	c.ended.ms = wire_take_u64(&in);
	c.name_len = take_text(&in, c.name, sizeof c.name);
	c.redirect_len = take_text(&in, c.redirect, sizeof c.redirect);
	c.n_access = wire_take_u8(&in);
	if (in.failed || !is_connection(&c))
		return false;
	wire_take_bytes(&in, c.access, (size_t)c.n_access * SHA256_LEN);
	if (!wire_done(&in))
		return false;
	*out = c;
	return true;
}

static void
put_family(struct wire_out *o, const struct db_family *f)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_id(o, f->connection);
	wire_put_u32(o, f->generation);
}

static struct db_family
take_family(struct wire_in *in)
{
	struct db_family f;

	f.connection = wire_take_id(in);
	f.generation = wire_take_u32(in);
	return f;
}

static uint8_t
take_scopes(struct wire_in *in)
{
	uint8_t scopes = wire_take_u8(in);

	if ((scopes & ~SCOPES_ALL) != 0)
		in->failed = true;
	return scopes;
}

void
db_records_put_code(struct wire_out *o, const struct db_code *c)
{
	put_family(o, &c->family);
	wire_put_bytes(o, c->redirect_given, SHA256_LEN);
	wire_put_bytes(o, c->challenge, SHA256_LEN);
	wire_put_u8(o, c->scopes);
	wire_put_u64(o, c->ends.ms);
	wire_put_u8(o, c->n_wrong);
	wire_put_u8(o, c->used);
}

bool
db_records_take_code(struct span value, struct db_code *out)
{
	struct wire_in in = db_records_start(value);
	struct db_code c = { .family = take_family(&in) };

	wire_take_bytes(&in, c.redirect_given, SHA256_LEN);
	wire_take_bytes(&in, c.challenge, SHA256_LEN);
	c.scopes = take_scopes(&in);
	c.ends.ms = wire_take_u64(&in);
	c.n_wrong = wire_take_u8(&in);
	c.used = db_records_take_bool(&in);
	if (!wire_done(&in) || c.n_wrong > CODE_WRONG_MAX)
		return false;
	*out = c;
	return true;
}

void
db_records_put_access(struct wire_out *o, const struct db_access *a)
{
	put_family(o, &a->family);
	wire_put_u8(o, a->scopes);
	wire_put_u64(o, a->ends.ms);
}

bool
db_records_take_access(struct span value, struct db_access *out)
{
	struct wire_in in = db_records_start(value);
	struct db_access a = { .family = take_family(&in) };

	a.scopes = take_scopes(&in);
	a.ends.ms = wire_take_u64(&in);
	if (!wire_done(&in))
		return false;
	*out = a;
	return true;
}

void
db_records_put_refresh(struct wire_out *o, const struct db_refresh *r)
{
	put_family(o, &r->family);
	wire_put_u8(o, r->scopes);
	wire_put_u8(o, r->spent);
}

bool
db_records_take_refresh(struct span value, struct db_refresh *out)
{
	struct wire_in in = db_records_start(value);
	struct db_refresh r = { .family = take_family(&in) };

	r.scopes = take_scopes(&in);
	r.spent = db_records_take_bool(&in);
	if (!wire_done(&in))
		return false;
	*out = r;
	return true;
}

void
db_records_put_moment(struct wire_out *o, const struct moment *m)
{
	wire_put_u8(o, DB_RECORD_VERSION);
	wire_put_u64(o, m->now.ms);
	wire_put_id(o, m->boot);
	wire_put_u64(o, m->mono.ms);
}

bool
db_records_take_moment(struct span value, struct moment *out)
{
	struct wire_in in = db_records_start(value);
	struct moment m;

	m.now.ms = wire_take_u64(&in);
	m.boot = wire_take_id(&in);
	m.mono.ms = wire_take_u64(&in);
	if (!wire_done(&in))
		return false;
	*out = m;
	return true;
}
