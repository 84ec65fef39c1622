#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "mailbox/protocol.h"

/*
 * A body of any row, its fields counted up, its spans short. The table is the
 * only list of fields, so the fill is made from it too.
 */
static uint8_t count;
static bool is_full; /* every span as long as it can be */
static const uint8_t span_bytes[MESSAGE_MAX] = "spanned";

#define U8(name)         b->name = ++count;
#define U16(name)        b->name = (uint16_t)(++count * 257);
#define U32(name)        b->name = ++count * 16909060u;
#define U64(name)        b->name = ++count * UINT64_C(72340172838076673);
#define ID(name)         memset(b->name.b, ++count, UUID_LEN);
#define BYTES(name, n)   memset(b->name, ++count, n);
#define SPAN(name, max)  b->name = (struct span){ span_bytes, is_full ? (max) : ++count % 8u };
#define SUB(body, name)  fill_##body(&b->name);
#define BODY(name, fields) \
	static void fill_##name(struct name##_body *b) { fields }
#include "mailbox/bodies.tbl.h"
#undef BODY
#undef U8
#undef U16
#undef U32
#undef U64
#undef ID
#undef BYTES
#undef SPAN
#undef SUB

static void
fill(enum body body, union any_body *b)
{
	memset(b, 0, sizeof *b);
	switch (body) {
#define BODY(name, fields) case BODY_##name: fill_##name(&b->name); break;
#include "mailbox/bodies.tbl.h"
#undef BODY
	case BODY__COUNT:
		break;
	}
}

static size_t
encode(unsigned type, uint8_t *buf, size_t cap)
{
	union any_body b;
	struct wire_out o = wire_out(buf, cap);

	fill(msg_row(type)->body, &b);
	message_put(&o, (enum msg)type, 77, &b);
	assert_false(o.failed);
	return o.len;
}

static bool
takes(const uint8_t *buf, size_t len, enum actor from, enum actor to)
{
	struct wire_in in = wire_in(buf, len);
	union any_body b;
	enum msg type = MSG_NONE;
	uint64_t ask_id;

	message_take(&in, from, to, &type, &ask_id, &b);
	return !in.failed;
}

static void
every_message_survives_the_way(void **state)
{
	static uint8_t buf[MESSAGE_MAX];
	static uint8_t again[MESSAGE_MAX];

	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);
		size_t len = encode(t, buf, sizeof buf);
		struct wire_in in = wire_in(buf, len);
		struct wire_out o = wire_out(again, sizeof again);
		union any_body b;
		enum msg type = MSG_NONE;
		uint64_t ask_id = 0;

		message_take(&in, row->from, row->to, &type, &ask_id, &b);
		assert_true(wire_done(&in));
		assert_int_equal(type, t);
		assert_int_equal(ask_id, 77);
		message_put(&o, type, ask_id, &b);
		assert_false(o.failed);
		assert_int_equal(o.len, len);
		assert_memory_equal(again, buf, len);
	}
}

static void
the_longest_message_of_every_row_fits(void **state)
{
	static uint8_t buf[MESSAGE_MAX];

	(void)state;
	is_full = true;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++)
		assert_true(encode(t, buf, sizeof buf) <= MESSAGE_MAX);
	is_full = false;
}

static void
a_message_one_byte_short_or_long_is_refused(void **state)
{
	static uint8_t buf[MESSAGE_MAX];

	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);
		size_t len = encode(t, buf, sizeof buf - 1);

		buf[len] = 0;
		assert_true(takes(buf, len, row->from, row->to));
		assert_false(takes(buf, len - 1, row->from, row->to));
		assert_false(takes(buf, len + 1, row->from, row->to));
	}
}

static void
a_message_from_the_wrong_edge_is_refused(void **state)
{
	static uint8_t buf[MESSAGE_MAX];

	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);
		size_t len = encode(t, buf, sizeof buf);

		for (int from = 0; from < ACTOR__COUNT; from++)
			for (int to = 0; to < ACTOR__COUNT; to++)
				assert_int_equal(takes(buf, len, (enum actor)from, (enum actor)to),
				    (int)row->from == from && (int)row->to == to);
	}
}

static void
an_unknown_type_is_refused(void **state)
{
	static const unsigned types[] = { MSG_NONE, MSG__COUNT, 0xffff };
	uint8_t buf[64] = { 0 };
	struct wire_out o = wire_out(buf, sizeof buf);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		buf[0] = (uint8_t)(types[i] >> 8);
		buf[1] = (uint8_t)types[i];
		for (int from = 0; from < ACTOR__COUNT; from++)
			for (int to = 0; to < ACTOR__COUNT; to++)
				assert_false(takes(buf, sizeof buf, (enum actor)from, (enum actor)to));
		assert_null(msg_row(types[i]));
		assert_string_equal(msg_name(types[i]), "?");
	}
	message_put(&o, MSG__COUNT, 1, buf);
	assert_true(o.failed);
}

static void
a_span_too_long_for_its_field_is_not_put(void **state)
{
	static uint8_t buf[MESSAGE_MAX];
	static uint8_t detail[1025];
	struct refusal_body body = { .detail = { detail, 1025 } };
	struct wire_out o = wire_out(buf, sizeof buf);

	(void)state;
	message_put(&o, MSG_REFUSED, 1, &body);
	assert_true(o.failed);
	body.detail.len = 1024;
	o = wire_out(buf, sizeof buf);
	message_put(&o, MSG_REFUSED, 1, &body);
	assert_false(o.failed);
}

static void
a_ticket_reaches_the_gate_from_audit_only(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		if (row->to == ACTOR_GATE && row->carries == CARRIES_TICKET)
			assert_int_equal(row->from, ACTOR_AUDIT);
		if (row->to == ACTOR_CLIENT && row->carries == CARRIES_TICKET)
			assert_int_equal(row->from, ACTOR_GATE);
	}
}

static void
every_row_has_names_and_a_place_for_its_body(void **state)
{
	(void)state;
	for (unsigned t = MSG_NONE + 1; t < MSG__COUNT; t++) {
		const struct msg_row *row = msg_row(t);

		assert_string_equal(msg_name(t), row->name);
		assert_true(row->body < BODY__COUNT);
		assert_string_not_equal(body_name(row->body), "?");
		assert_string_not_equal(carries_name(row->carries), "?");
		assert_string_not_equal(actor_name(row->from), "?");
		assert_string_not_equal(actor_name(row->to), "?");
		assert_true(row->from != row->to);
		assert_true(actors_joined(row->from, row->to));
		assert_true(actors_joined(row->to, row->from));
	}
	assert_string_equal(actor_name(ACTOR__COUNT), "?");
	assert_string_equal(body_name(BODY__COUNT), "?");
	assert_string_equal(carries_name((enum carries)99), "?");
	assert_false(actors_joined(ACTOR_CLIENT, ACTOR_KEYRING));
	assert_false(actors_joined(ACTOR_CLIENT, ACTOR_VAULT));
}

static void
the_fingerprint_stands_still(void **state)
{
	(void)state;
	assert_true(protocol_fingerprint() == protocol_fingerprint());
	assert_true(protocol_fingerprint() != 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_survives_the_way),
		cmocka_unit_test(the_longest_message_of_every_row_fits),
		cmocka_unit_test(a_message_one_byte_short_or_long_is_refused),
		cmocka_unit_test(a_message_from_the_wrong_edge_is_refused),
		cmocka_unit_test(an_unknown_type_is_refused),
		cmocka_unit_test(a_span_too_long_for_its_field_is_not_put),
		cmocka_unit_test(a_ticket_reaches_the_gate_from_audit_only),
		cmocka_unit_test(every_row_has_names_and_a_place_for_its_body),
		cmocka_unit_test(the_fingerprint_stands_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
