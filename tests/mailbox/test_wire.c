#include "tests/support/check.h"

#include <string.h>

#include "mailbox/wire.h"

static void
what_was_put_is_taken_again(void **state)
{
	uint8_t buf[128];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct uuid id = { { 1, 2, 3 } };
	struct wire_in in;
	struct span s;
	uint8_t two[2];

	(void)state;
	wire_put_u8(&o, 0xfe);
	wire_put_u16(&o, 0xfedc);
	wire_put_u32(&o, 0xfedcba98);
	wire_put_u64(&o, UINT64_C(0xfedcba9876543210));
	wire_put_id(&o, id);
	wire_put_bytes(&o, "ab", 2);
	wire_put_span(&o, (struct span){ (const uint8_t *)"xyz", 3 });
	assert_false(o.failed);
	in = wire_in(wire_written(&o).p, wire_written(&o).len);
	assert_int_equal(wire_take_u8(&in), 0xfe);
	assert_int_equal(wire_take_u16(&in), 0xfedc);
	assert_int_equal(wire_take_u32(&in), 0xfedcba98);
	assert_true(wire_take_u64(&in) == UINT64_C(0xfedcba9876543210));
	assert_true(uuid_equal(wire_take_id(&in), id));
	wire_take_bytes(&in, two, 2);
	assert_memory_equal(two, "ab", 2);
	assert_false(wire_done(&in));
	s = wire_take_span(&in, 3);
	assert_int_equal(s.len, 3);
	assert_memory_equal(s.p, "xyz", 3);
	assert_true(wire_done(&in));
}

static void
numbers_are_big_endian(void **state)
{
	uint8_t buf[4];
	struct wire_out o = wire_out(buf, sizeof buf);

	(void)state;
	wire_put_u32(&o, 0x01020304);
	assert_memory_equal(buf, "\1\2\3\4", 4);
}

static void
a_writer_that_is_full_stays_failed_and_keeps_what_fit(void **state)
{
	uint8_t buf[4] = { 0, 0, 9, 9 };
	struct wire_out o = wire_out(buf, 3);

	(void)state;
	wire_put_u16(&o, 0x0102);
	wire_put_u16(&o, 0x0304);
	assert_true(o.failed);
	assert_int_equal(o.len, 2);
	wire_put_u8(&o, 5);
	assert_true(o.failed);
	assert_int_equal(o.len, 2);
	assert_int_equal(buf[3], 9);
}

static void
a_reader_that_lacks_bytes_stays_failed_and_gives_zeros(void **state)
{
	struct wire_in in = wire_in("\1\2\3", 3);
	uint8_t four[4] = { 7, 7, 7, 7 };

	(void)state;
	assert_int_equal(wire_take_u32(&in), 0);
	assert_true(in.failed);
	assert_int_equal(wire_take_u8(&in), 0);
	wire_take_bytes(&in, four, 4);
	assert_memory_equal(four, "\0\0\0\0", 4);
	assert_null(wire_take_raw(&in, 1).p);
	assert_true(uuid_is_zero(wire_take_id(&in)));
	assert_false(wire_done(&in));
}

static void
a_span_over_its_maximum_or_over_the_end_fails(void **state)
{
	static const uint8_t bytes[] = { 0, 0, 0, 3, 'a', 'b', 'c' };
	struct wire_in over_max = wire_in(bytes, sizeof bytes);
	struct wire_in over_end = wire_in(bytes, sizeof bytes - 1);
	struct wire_in huge = wire_in("\xff\xff\xff\xff", 4);

	(void)state;
	wire_take_span(&over_max, 2);
	assert_true(over_max.failed);
	wire_take_span(&over_end, 100);
	assert_true(over_end.failed);
	wire_take_span(&huge, SIZE_MAX);
	assert_true(huge.failed);
}

static void
an_empty_span_is_a_span(void **state)
{
	uint8_t buf[4];
	struct wire_out o = wire_out(buf, sizeof buf);
	struct wire_in in;

	(void)state;
	wire_put_span(&o, (struct span){ NULL, 0 });
	assert_false(o.failed);
	in = wire_in(buf, o.len);
	assert_int_equal(wire_take_span(&in, 0).len, 0);
	assert_true(wire_done(&in));
}

static void
one_byte_that_is_not_zero_is_seen_wherever_it_stands(void **state)
{
	uint8_t bytes[9] = { 0 };

	(void)state;
	assert_true(wire_is_zero((struct span){ NULL, 0 }));
	assert_true(wire_is_zero((struct span){ bytes, sizeof bytes }));
	for (size_t i = 0; i < sizeof bytes; i++) {
		bytes[i] = 1;
		assert_false(wire_is_zero((struct span){ bytes, sizeof bytes }));
		assert_true(wire_is_zero((struct span){ bytes, i }));
		bytes[i] = 0;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_put_is_taken_again),
		cmocka_unit_test(numbers_are_big_endian),
		cmocka_unit_test(a_writer_that_is_full_stays_failed_and_keeps_what_fit),
		cmocka_unit_test(a_reader_that_lacks_bytes_stays_failed_and_gives_zeros),
		cmocka_unit_test(a_span_over_its_maximum_or_over_the_end_fails),
		cmocka_unit_test(an_empty_span_is_a_span),
		cmocka_unit_test(one_byte_that_is_not_zero_is_seen_wherever_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
