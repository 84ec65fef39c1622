#include <string.h>

#include "store/merkle.h"
#include "tests/support/check.h"

static void
hex(const uint8_t h[SHA256_LEN], char out[2 * SHA256_LEN + 1])
{
	for (size_t i = 0; i < SHA256_LEN; i++)
		for (size_t j = 0; j < 2; j++)
			out[2 * i + j] = "0123456789abcdef"[h[i] >> (4 - 4 * j) & 15];
	out[2 * SHA256_LEN] = '\0';
}

/* The inputs and roots that implementations of RFC 6962 are commonly tested with. */
static void
roots_are_those_of_rfc_6962(void **state)
{
	static const struct span leaves[] = {
		{ (const uint8_t *)"", 0 }, { (const uint8_t *)"\x00", 1 }, { (const uint8_t *)"\x10", 1 },
		{ (const uint8_t *)"\x20\x21", 2 }, { (const uint8_t *)"\x30\x31", 2 },
		{ (const uint8_t *)"\x40\x41\x42\x43", 4 },
		{ (const uint8_t *)"\x50\x51\x52\x53\x54\x55\x56\x57", 8 },
		{ (const uint8_t *)"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f", 16 },
	};
	static const char *const roots[] = {
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
		"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
		"aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
		"d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
		"4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
		"76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
		"ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
		"5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
	};
	struct merkle m = { .size = 0 };
	char text[2 * SHA256_LEN + 1];
	uint8_t h[SHA256_LEN];

	(void)state;
	for (size_t n = 0;; n++) {
		merkle_root(&m, h);
		hex(h, text);
		assert_string_equal(text, roots[n]);
		if (n == sizeof leaves / sizeof *leaves)
			break;
		merkle_leaf(leaves[n], h);
		merkle_add(&m, h);
	}
}

/* The definition: the largest power of two below n on the left. */
static void
root_by_definition(uint8_t leaves[][SHA256_LEN], size_t n, uint8_t out[SHA256_LEN])
{
	uint8_t both[1 + 2 * SHA256_LEN] = { 1 };
	size_t left = 1;

	if (n == 1) {
		memcpy(out, leaves[0], SHA256_LEN);
		return;
	}
	while (2 * left < n)
		left *= 2;
	root_by_definition(leaves, left, both + 1);
	root_by_definition(leaves + left, n - left, both + 1 + SHA256_LEN);
	sha256(both, sizeof both, out);
}

static void
a_growing_root_is_the_root_by_definition(void **state)
{
	static uint8_t leaves[300][SHA256_LEN];
	struct merkle m = { .size = 0 };
	uint8_t expected[SHA256_LEN], found[SHA256_LEN];

	(void)state;
	for (size_t n = 0; n < 300; n++) {
		merkle_leaf((struct span){ (const uint8_t *)&n, sizeof n }, leaves[n]);
		merkle_add(&m, leaves[n]);
		root_by_definition(leaves, n + 1, expected);
		merkle_root(&m, found);
		assert_memory_equal(found, expected, sizeof found);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roots_are_those_of_rfc_6962),
		cmocka_unit_test(a_growing_root_is_the_root_by_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
