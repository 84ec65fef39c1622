#include <string.h>

#include "mailbox/wire.h"

struct wire_out
wire_out(void *buf, size_t cap)
{
	return (struct wire_out){ .p = buf, .cap = cap };
}

struct wire_in
wire_in(const void *buf, size_t len)
{
	return (struct wire_in){ .p = buf, .len = len };
}

void
wire_put_bytes(struct wire_out *o, const void *p, size_t len)
{
	if (o->failed || len > o->cap - o->len) {
		o->failed = true;
		return;
	}
	if (len > 0)
		memcpy(o->p + o->len, p, len);
	o->len += len;
}

static void
put_int(struct wire_out *o, uint64_t v, size_t width)
{
	uint8_t b[8];

	for (size_t i = 0; i < width; i++)
		b[i] = (uint8_t)(v >> (8 * (width - 1 - i)));
	wire_put_bytes(o, b, width);
}

void
wire_put_u8(struct wire_out *o, uint8_t v)
{
	put_int(o, v, 1);
}

void
wire_put_u16(struct wire_out *o, uint16_t v)
{
	put_int(o, v, 2);
}

void
wire_put_u32(struct wire_out *o, uint32_t v)
{
	put_int(o, v, 4);
}

void
wire_put_u64(struct wire_out *o, uint64_t v)
{
	put_int(o, v, 8);
}

void
wire_put_id(struct wire_out *o, struct uuid id)
{
	wire_put_bytes(o, id.b, UUID_LEN);
}

void
wire_put_span(struct wire_out *o, struct span s)
{
	if (s.len > UINT32_MAX) {
		o->failed = true;
		return;
	}
	wire_put_u32(o, (uint32_t)s.len);
	wire_put_bytes(o, s.p, s.len);
}

struct span
wire_take_raw(struct wire_in *in, size_t len)
{
	struct span s = { NULL, 0 };

	if (in->failed || len > in->len) {
		in->failed = true;
		return s;
	}
	s = (struct span){ in->p, len };
	in->p += len;
	in->len -= len;
	return s;
}

void
wire_take_bytes(struct wire_in *in, void *p, size_t len)
{
	struct span s = wire_take_raw(in, len);

	if (s.p == NULL)
		memset(p, 0, len);
	else if (len > 0)
		memcpy(p, s.p, len);
}

static uint64_t
take_int(struct wire_in *in, size_t width)
{
	struct span s = wire_take_raw(in, width);
	uint64_t v = 0;

	for (size_t i = 0; i < s.len; i++)
		v = v << 8 | s.p[i];
	return v;
}

uint8_t
wire_take_u8(struct wire_in *in)
{
	return (uint8_t)take_int(in, 1);
}

uint16_t
wire_take_u16(struct wire_in *in)
{
	return (uint16_t)take_int(in, 2);
}

uint32_t
wire_take_u32(struct wire_in *in)
{
	return (uint32_t)take_int(in, 4);
}

uint64_t
wire_take_u64(struct wire_in *in)
{
	return take_int(in, 8);
}

struct uuid
wire_take_id(struct wire_in *in)
{
	struct uuid id;

	wire_take_bytes(in, id.b, UUID_LEN);
	return id;
}

struct span
wire_take_span(struct wire_in *in, size_t max)
{
	uint32_t len = wire_take_u32(in);

	if (len > max)
		in->failed = true;
	return wire_take_raw(in, len);
}

bool
wire_done(const struct wire_in *in)
{
	return !in->failed && in->len == 0;
}

bool
wire_is_zero(struct span bytes)
{
	return bytes.len == 0 || (bytes.p[0] == 0 && memcmp(bytes.p, bytes.p + 1, bytes.len - 1) == 0);
}

struct span
wire_written(const struct wire_out *o)
{
	return (struct span){ o->p, o->len };
}
