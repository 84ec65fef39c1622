#include <string.h>

#include "escrow/binding.h"
#include "escrow/hash.h"
#include "mailbox/words.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* The vectors of docs/store-format.md. */
#define KEY_00   "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define OPENER   "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
#define TOKEN_ID "55b44a5de5d97f6096f28a28ad70b7f459641e2393e9b55baf501380aee11028"

#define PEER_LEN 28

static struct uuid
id_from(uint8_t first)
{
	struct uuid id;

	for (size_t i = 0; i < UUID_LEN; i++)
		id.b[i] = (uint8_t)(first + i);
	return id;
}

static struct ask_body
an_ask(void)
{
	struct ask_body ask = { .peer = { .uid = 1000, .pid = 77 }, .boot = id_from(0x70), .client_ask = 7, .op = OP_READ,
		.surface = SURFACE_CLI, .vault = id_from(0x10), .asset = id_from(0x20), .revision = id_from(0x30),
		.offset = 4096, .limit = 100, .grant_type = GRANT_UNATTENDED };

	hex_bytes(OPENER, ask.opener, sizeof ask.opener);
	hex_bytes(TOKEN_ID, ask.token_id, sizeof ask.token_id);
	return ask;
}

static struct mint_ask_body
a_mint(const uint8_t vault[UUID_LEN])
{
	struct mint_ask_body mint = { .peer = { .uid = 1000 }, .client_ask = 7, .expires_wall_ms = 1000,
		.vaults = { vault, UUID_LEN } };

	hex_bytes(OPENER, mint.opener, sizeof mint.opener);
	hex_bytes(TOKEN_ID, mint.token_id, sizeof mint.token_id);
	return mint;
}

static struct ruling_body
a_ruling(void)
{
	struct ruling_body r = { .ask = an_ask(), .deadline_boot_ms = 5000, .classes = 0x0f, .subject_kind = 1,
		.subject = id_from(0x40), .grant = id_from(0x40), .grant_revision = 9 };

	memset(&r.ask.peer, 0, sizeof r.ask.peer);
	return r;
}

static void
an_asks_binding_is_its_bytes_without_who_asks(void **state)
{
	uint8_t buf[BINDING_MAX], boxed[72] = { 1 };
	struct ask_body ask = an_ask();
	struct span s;

	(void)state;
	ask.boxed_half = (struct span){ boxed, sizeof boxed };
	s = ask_binding(&ask, buf);
	hex_expect(s.p, s.len,
	    "61736b2f76310000000000000000000000000000000000000000000000000000000000707172737475767778797a7b7c"
	    "7d7e7f00000000000000070301101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132"
	    "333435363738393a3b3c3d3e3f0000000000001000000000640000de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b"
	    "78674dadfc7e146f882b4f55b44a5de5d97f6096f28a28ad70b7f459641e2393e9b55baf501380aee11028010000000000000000");
}

static void
a_mints_binding_is_its_bytes_without_who_asks(void **state)
{
	uint8_t buf[BINDING_MAX];
	struct uuid vault = id_from(0x10);
	struct mint_ask_body mint = a_mint(vault.b);
	struct span s = mint_binding(&mint, buf);

	(void)state;
	hex_expect(s.p, s.len,
	    "6d696e742f763100000000000000000000000000000000000000000000000000000000000000000000000007de9edb7d"
	    "7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f55b44a5de5d97f6096f28a28ad70b7f459641e23"
	    "93e9b55baf501380aee110280000000000000000000003e80000000000000000000010101112131415161718191a1b1c1d1e1f");
}

static void
a_keks_binding_tells_unlock_from_sudo(void **state)
{
	uint8_t buf[BINDING_MAX];
	struct span s = kek_binding(7, true, buf);

	(void)state;
	hex_expect(s.p, s.len, "6b656b2f763100000000000000000701");
	s = kek_binding(7, false, buf);
	assert_int_equal(s.p[s.len - 1], 0);
}

static void
a_rulings_mac_is_that_of_the_documents(void **state)
{
	struct key *k = hex_key(KEY_00);
	struct ruling_body r = a_ruling();
	uint8_t mac[32];

	(void)state;
	memset(r.mac, 9, sizeof r.mac);
	ruling_mac(k, &r, mac);
	hex_expect(mac, sizeof mac, "a53ad03a2a98b96264681959d893bf4da20a1ede378d24ae7e2a561448c30567");
	key_free(&k);
}

/* Changes each byte of a body; where it is a body still, the binding must notice. */
static void
every_byte_after_the_peer_is_bound(enum body kind, const void *body, size_t spared_at_end)
{
	uint8_t bytes[BINDING_MAX], base[BINDING_MAX], buf[BINDING_MAX];
	struct wire_out o = wire_out(bytes, sizeof bytes);
	union any_body changed;
	struct span was, is;

	body_put(&o, kind, body);
	was = kind == BODY_ask ? ask_binding(body, base) : mint_binding(body, base);
	for (size_t i = PEER_LEN; i < o.len - spared_at_end; i++) {
		struct wire_in in = wire_in(bytes, o.len);

		bytes[i] ^= 1;
		body_take(&in, kind, &changed);
		is = kind == BODY_ask ? ask_binding(&changed.ask, buf) : mint_binding(&changed.mint_ask, buf);
		bytes[i] ^= 1;
		if (!wire_done(&in))
			continue;
		assert_false(is.len == was.len && memcmp(is.p, was.p, was.len) == 0);
	}
}

static void
no_byte_of_an_ask_or_a_mint_is_left_out(void **state)
{
	struct uuid vault = id_from(0x10);
	struct mint_ask_body mint = a_mint(vault.b);
	struct ask_body ask = an_ask();

	(void)state;
	every_byte_after_the_peer_is_bound(BODY_ask, &ask, 4);
	every_byte_after_the_peer_is_bound(BODY_mint_ask, &mint, 0);
}

static void
no_byte_of_a_ruling_is_left_out_of_its_mac(void **state)
{
	struct key *k = hex_key(KEY_00);
	uint8_t bytes[BINDING_MAX], wraps[73] = { 0 }, was[32], is[32];
	struct wire_out o = wire_out(bytes, sizeof bytes);
	struct ruling_body r = a_ruling();
	union any_body changed;

	(void)state;
	r.wraps = (struct span){ wraps, sizeof wraps };
	ruling_mac(k, &r, was);
	ruling_body_put(&o, &r);
	for (size_t i = 0; i < o.len - sizeof r.mac; i++) {
		struct wire_in in = wire_in(bytes, o.len);

		bytes[i] ^= 1;
		body_take(&in, BODY_ruling, &changed);
		ruling_mac(k, &changed.ruling, is);
		bytes[i] ^= 1;
		if (!wire_done(&in))
			continue;
		assert_memory_not_equal(was, is, sizeof is);
	}
	key_free(&k);
}

static void
a_ruling_of_the_longest_spans_is_bound_to_its_end(void **state)
{
	struct key *k = hex_key(KEY_00);
	uint8_t wraps[292] = { 0 }, boxed[72] = { 0 }, was[32], is[32];
	struct ruling_body r = a_ruling();

	(void)state;
	r.ask.boxed_half = (struct span){ boxed, sizeof boxed };
	r.wraps = (struct span){ wraps, sizeof wraps };
	ruling_mac(k, &r, was);
	wraps[sizeof wraps - 1] ^= 1;
	ruling_mac(k, &r, is);
	assert_memory_not_equal(was, is, sizeof is);
	key_free(&k);
}

static void
a_mint_of_the_most_vaults_is_bound_to_its_end(void **state)
{
	static uint8_t vaults[1024];
	uint8_t base[BINDING_MAX], buf[BINDING_MAX];
	struct mint_ask_body mint = a_mint(vaults);
	struct span was, is;

	(void)state;
	mint.vaults.len = sizeof vaults;
	was = mint_binding(&mint, base);
	vaults[sizeof vaults - 1] ^= 1;
	is = mint_binding(&mint, buf);
	assert_int_equal(was.len, is.len);
	assert_memory_not_equal(was.p, is.p, was.len);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_asks_binding_is_its_bytes_without_who_asks),
		cmocka_unit_test(a_mints_binding_is_its_bytes_without_who_asks),
		cmocka_unit_test(a_keks_binding_tells_unlock_from_sudo),
		cmocka_unit_test(a_rulings_mac_is_that_of_the_documents),
		cmocka_unit_test(no_byte_of_an_ask_or_a_mint_is_left_out),
		cmocka_unit_test(no_byte_of_a_ruling_is_left_out_of_its_mac),
		cmocka_unit_test(a_ruling_of_the_longest_spans_is_bound_to_its_end),
		cmocka_unit_test(a_mint_of_the_most_vaults_is_bound_to_its_end),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
