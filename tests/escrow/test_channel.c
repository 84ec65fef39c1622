#include <string.h>

#include "escrow/channel.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* RFC 7748, 6.1; the keeper of the boot key is Alice, the opener Bob. */
#define BOOT_SECRET   "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
#define BOOT_PUBLIC   "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
#define OPENER_SECRET "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
#define OPENER_PUBLIC "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"

static struct key_pair
pair(const char *secret, const char *public_key)
{
	struct key_pair p = { .secret = hex_key(secret) };

	hex_bytes(public_key, p.public_key, sizeof p.public_key);
	return p;
}

static void
expect_vector(const struct channel *c)
{
	hex_expect(c->up->b, KEY_LEN, "584033832e68f32e0f3247f4ca0c2e75aa892e7af5267332a50fd2598c5cc462");
	hex_expect(c->down->b, KEY_LEN, "2dd040d4f4896be4667866ea3bfe91c59f54b03ffe22a06889f46dde7c2fcad0");
}

/* The shared secret of RFC 7748 goes into the vectors of docs/store-format.md. */
static void
both_ends_find_the_same_two_keys(void **state)
{
	struct key_pair boot = pair(BOOT_SECRET, BOOT_PUBLIC), opener = pair(OPENER_SECRET, OPENER_PUBLIC);
	struct channel c;

	(void)state;
	assert_int_equal(channel_of_opener(&opener, boot.public_key, &c), OK);
	expect_vector(&c);
	channel_free(&c);
	assert_int_equal(channel_of_boot(&boot, opener.public_key, &c), OK);
	expect_vector(&c);
	channel_free(&c);
	assert_null(c.up);
	assert_null(c.down);
	key_pair_free(&boot);
	key_pair_free(&opener);
}

static void
fresh_pairs_agree_and_share_with_nobody_else(void **state)
{
	struct key_pair boot = { .secret = NULL }, opener = { .secret = NULL }, other = { .secret = NULL };
	struct channel a, b, c;

	(void)state;
	assert_int_equal(key_pair_new(&boot), OK);
	assert_int_equal(key_pair_new(&opener), OK);
	assert_int_equal(key_pair_new(&other), OK);
	assert_int_equal(channel_of_opener(&opener, boot.public_key, &a), OK);
	assert_int_equal(channel_of_boot(&boot, opener.public_key, &b), OK);
	assert_int_equal(channel_of_boot(&boot, other.public_key, &c), OK);
	assert_memory_equal(a.up->b, b.up->b, KEY_LEN);
	assert_memory_equal(a.down->b, b.down->b, KEY_LEN);
	assert_memory_not_equal(a.up->b, a.down->b, KEY_LEN);
	assert_memory_not_equal(a.up->b, c.up->b, KEY_LEN);
	channel_free(&a);
	channel_free(&b);
	channel_free(&c);
	key_pair_free(&boot);
	key_pair_free(&opener);
	key_pair_free(&other);
}

/* Every encoding of a point whose order divides eight: with these the other end chooses the secret. */
static const char *const low_order[] = {
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
	"5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"0100000000000000000000000000000000000000000000000000000000000080",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
};

static void
a_key_of_low_order_is_refused_at_both_ends_and_leaves_no_key(void **state)
{
	struct key_pair boot = pair(BOOT_SECRET, BOOT_PUBLIC);
	size_t left = keys_left();
	struct channel c;

	(void)state;
	for (size_t i = 0; i < sizeof low_order / sizeof *low_order; i++) {
		uint8_t point[32];

		hex_bytes(low_order[i], point, sizeof point);
		assert_int_equal(channel_of_boot(&boot, point, &c), ERR_INVALID_ARGUMENT);
		assert_null(c.up);
		assert_int_equal(channel_of_opener(&boot, point, &c), ERR_INVALID_ARGUMENT);
	}
	assert_int_equal(keys_left(), left);
	key_pair_free(&boot);
}

static void
a_full_slab_makes_no_channel_and_keeps_nothing(void **state)
{
	static struct key *taken[2048];
	struct key_pair boot = pair(BOOT_SECRET, BOOT_PUBLIC), opener = pair(OPENER_SECRET, OPENER_PUBLIC);
	struct channel c;
	size_t n = 0;

	(void)state;
	while (key_new(&taken[n]) == OK)
		n++;
	for (size_t spare = 0; spare < 3; spare++) {
		assert_int_equal(channel_of_opener(&opener, boot.public_key, &c), ERR_NO_MEMORY);
		assert_null(c.up);
		assert_int_equal(keys_left(), spare);
		key_free(&taken[--n]);
	}
	assert_int_equal(channel_of_opener(&opener, boot.public_key, &c), OK);
	channel_free(&c);
	while (n > 0)
		key_free(&taken[--n]);
	key_pair_free(&boot);
	key_pair_free(&opener);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_find_the_same_two_keys),
		cmocka_unit_test(fresh_pairs_agree_and_share_with_nobody_else),
		cmocka_unit_test(a_key_of_low_order_is_refused_at_both_ends_and_leaves_no_key),
		cmocka_unit_test(a_full_slab_makes_no_channel_and_keeps_nothing),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
