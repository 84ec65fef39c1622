#include <string.h>

#include "escrow/deposit.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

static struct uuid
id_from(uint8_t first)
{
	struct uuid id;

	for (size_t i = 0; i < UUID_LEN; i++)
		id.b[i] = (uint8_t)(first + i);
	return id;
}

/* The vectors of docs/store-format.md. */
static void
a_piece_is_bound_to_its_bytes(void **state)
{
	static const uint8_t row[2] = { 0xde, 0xad };
	uint8_t buf[PIECE_BINDING_MAX];
	struct span s;

	(void)state;
	s = piece_binding(PART_HEAD, id_from(0x20), id_from(0x30), 0, false, (struct span){ row, 2 }, buf);
	hex_expect(s.p, s.len, "70696563652f76310001202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f000000000000"
	    "000002dead");
	s = piece_binding(PART_CONTENT, id_from(0x20), id_from(0x30), 7, true, (struct span){ NULL, 0 }, buf);
	hex_expect(s.p, s.len, "70696563652f76310004202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f000000070100"
	    "000000");
}

static void
a_piece_of_the_longest_row_fits(void **state)
{
	static const uint8_t row[512];
	uint8_t buf[PIECE_BINDING_MAX];

	(void)state;
	assert_int_equal(piece_binding(PART_META, id_from(1), id_from(2), 0, false,
	    (struct span){ row, sizeof row }, buf).len, 9 + 1 + 32 + 4 + 1 + 4 + sizeof row);
}

static void
every_part_of_a_place_changes_the_binding(void **state)
{
	static const uint8_t row[2] = { 1, 2 };
	static const struct span rows[2] = { { row, 2 }, { row, 1 } };
	uint8_t base[PIECE_BINDING_MAX], buf[PIECE_BINDING_MAX];
	struct span s = piece_binding(PART_HEAD, id_from(1), id_from(2), 0, false, rows[0], base), other;

	(void)state;
	for (int i = 0; i < 6; i++) {
		other = piece_binding(i == 0 ? PART_TITLE : PART_HEAD, id_from(i == 1 ? 9 : 1), id_from(i == 2 ? 9 : 2),
		    i == 3, i == 4, rows[i == 5], buf);
		assert_false(other.len == s.len && memcmp(other.p, s.p, s.len) == 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_piece_is_bound_to_its_bytes),
		cmocka_unit_test(a_piece_of_the_longest_row_fits),
		cmocka_unit_test(every_part_of_a_place_changes_the_binding),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
