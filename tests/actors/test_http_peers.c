/* How many connections an address may have. */
#include <string.h>

#include "actors/http_peers.h"
#include "escrow/secret.h"
#include "tests/support/check.h"

static struct http_address
address(const char *text)
{
	struct http_address a;

	assert_true(http_address_parse((struct span){ (const uint8_t *)text, strlen(text) }, &a));
	return a;
}

static enum err
add(struct http_peers *p, const char *text, unsigned max, struct http_peer **out)
{
	struct http_address a = address(text);

	return http_peers_add(p, &a, max, out);
}

static void
one_address_has_so_many_and_no_more(void **state)
{
	struct http_peers *p = NULL;
	struct http_peer *a = NULL, *b = NULL, *c = NULL;

	(void)state;
	assert_int_equal(http_peers_new(&p), OK);
	assert_int_equal(add(p, "192.0.2.1", 2, &a), OK);
	assert_int_equal(add(p, "192.0.2.1", 2, &b), OK);
	assert_ptr_equal(a, b);
	assert_int_equal(add(p, "192.0.2.1", 2, &c), ERR_BUSY);
	assert_int_equal(add(p, "192.0.2.2", 2, &c), OK);
	http_peers_remove(p, a);
	assert_int_equal(add(p, "192.0.2.1", 2, &a), OK);
	http_peers_remove(p, a);
	http_peers_remove(p, b);
	http_peers_remove(p, c);
	http_peers_free(&p);
}

/* Who has one address of IPv6 has 2^64 of them. */
static void
a_network_of_ipv6_is_one_address(void **state)
{
	struct http_peers *p = NULL;
	struct http_peer *a = NULL, *b = NULL;

	(void)state;
	assert_int_equal(http_peers_new(&p), OK);
	assert_int_equal(add(p, "2001:db8::1", 1, &a), OK);
	assert_int_equal(add(p, "2001:db8::2", 1, &b), ERR_BUSY);
	assert_int_equal(add(p, "2001:db8:0:1::1", 1, &b), OK);
	http_peers_free(&p);
}

static void
many_addresses_are_kept_apart(void **state)
{
	static struct http_peer *all[5000];
	struct http_peers *p = NULL;
	struct http_address a = address("10.0.0.0");

	(void)state;
	assert_int_equal(http_peers_new(&p), OK);
	for (size_t i = 0; i < 5000; i++) {
		a.b[14] = (uint8_t)(i >> 8);
		a.b[15] = (uint8_t)i;
		assert_int_equal(http_peers_add(p, &a, 1, &all[i]), OK);
	}
	for (size_t i = 0; i < 5000; i += 2)
		http_peers_remove(p, all[i]);
	for (size_t i = 0; i < 5000; i++) {
		struct http_peer *again = NULL;

		a.b[14] = (uint8_t)(i >> 8);
		a.b[15] = (uint8_t)i;
		assert_int_equal(http_peers_add(p, &a, 1, &again), i % 2 == 0 ? OK : ERR_BUSY);
	}
	http_peers_free(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_address_has_so_many_and_no_more),
		cmocka_unit_test(a_network_of_ipv6_is_one_address),
		cmocka_unit_test(many_addresses_are_kept_apart),
	};

	return secret_init(true) == OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
