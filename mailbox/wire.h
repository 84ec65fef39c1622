/*
 * wire: bounds-checked big-endian put and take, for frames and for what lies
 * on disk. A writer or reader that failed once stays failed, so a caller
 * checks once, at the end.
 */
#ifndef MAILBOX_WIRE_H
#define MAILBOX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mailbox/uuid.h"

/* Bytes that somebody else owns. */
struct span {
	const uint8_t *p;
	size_t         len;
};

struct wire_out {
	uint8_t *p;     /* borrowed */
	size_t   cap;
	size_t   len;
	bool     failed; /* something did not fit; len is what did */
};

struct wire_in {
	const uint8_t *p;     /* borrowed */
	size_t         len;   /* what is left */
	bool           failed; /* something was missing or out of range */
};

struct wire_out wire_out(void *buf, size_t cap);
struct wire_in  wire_in(const void *buf, size_t len);

void wire_put_u8(struct wire_out *o, uint8_t v);
void wire_put_u16(struct wire_out *o, uint16_t v);
void wire_put_u32(struct wire_out *o, uint32_t v);
void wire_put_u64(struct wire_out *o, uint64_t v);
void wire_put_id(struct wire_out *o, struct uuid id);
void wire_put_bytes(struct wire_out *o, const void *p, size_t len);

/* A u32 length and the bytes. */
void wire_put_span(struct wire_out *o, struct span s);

/* On failure these return zeros, and nothing past the end was read. */
uint8_t     wire_take_u8(struct wire_in *in);
uint16_t    wire_take_u16(struct wire_in *in);
uint32_t    wire_take_u32(struct wire_in *in);
uint64_t    wire_take_u64(struct wire_in *in);
struct uuid wire_take_id(struct wire_in *in);
void        wire_take_bytes(struct wire_in *in, void *p, size_t len);

/* Points into the input, valid as long as it. A length over max fails. */
struct span wire_take_span(struct wire_in *in, size_t max);

/* Points at the next len bytes of the input. */
struct span wire_take_raw(struct wire_in *in, size_t len);

/* True when nothing failed and nothing is left. */
bool wire_done(const struct wire_in *in);

/* True when no byte of it is anything but zero. */
bool wire_is_zero(struct span bytes);

/* What was written so far. */
struct span wire_written(const struct wire_out *o);

#endif
