#include <string.h>

#include "escrow/cert.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

/* The vectors of docs/store-format.md. */
#define LOG_SEED      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
#define DELEGATE_SEED "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const struct uuid boot = { { 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f } };
static const struct uuid epoch = { { 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f } };
static const struct uuid enrolment = { { 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f } };

static struct signer *log_key, *delegate;
static uint8_t boot_public[32], epoch_public[32];

static int
make_signers(void **state)
{
	struct key *a = hex_key(LOG_SEED), *b = hex_key(DELEGATE_SEED);

	(void)state;
	hex_bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a", boot_public, 32);
	hex_bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f", epoch_public, 32);
	assert_int_equal(signer_of_seed(a, &log_key), OK);
	assert_int_equal(signer_of_seed(b, &delegate), OK);
	key_free(&a);
	key_free(&b);
	return 0;
}

static int
free_signers(void **state)
{
	(void)state;
	signer_free(&log_key);
	signer_free(&delegate);
	return 0;
}

static struct cert
delegated_cert(void)
{
	struct delegation d;
	struct cert c;

	delegation_make(log_key, enrolment, signer_public(delegate), &d);
	cert_make(delegate, &d, CERT_EPOCH, epoch, epoch_public, &c);
	return c;
}

static void
encode(const struct cert *c, uint8_t out[CERT_LEN])
{
	struct wire_out o = wire_out(out, CERT_LEN);

	cert_put(&o, c);
	assert_false(o.failed);
	assert_int_equal(o.len, CERT_LEN);
}

static bool
bytes_valid(const uint8_t bytes[CERT_LEN])
{
	struct wire_in in = wire_in(bytes, CERT_LEN);
	struct cert c;

	cert_take(&in, &c);
	return wire_done(&in) && cert_valid(&c, signer_public(log_key));
}

static void
a_cert_of_the_log_key_has_its_bytes(void **state)
{
	uint8_t bytes[CERT_LEN];
	struct cert c;

	(void)state;
	cert_make(log_key, NULL, CERT_BOOT, boot, boot_public, &c);
	encode(&c, bytes);
	hex_expect(bytes, sizeof bytes,
	    "01707172737475767778797a7b7c7d7e7f8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e"
	    "6a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	    "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	    "000000000000000000000000000000000000e96b592c8ba347266050c46ffab1188562295d8b511fc2659f1e81e02c42"
	    "29c7bd084ab9bdad0afa8e40c23bbe62967204aade8644dc7827ec7cb48da797c203");
	assert_true(bytes_valid(bytes));
}

static void
a_cert_of_a_delegate_has_its_bytes(void **state)
{
	uint8_t bytes[CERT_LEN];
	struct cert c = delegated_cert();

	(void)state;
	encode(&c, bytes);
	hex_expect(bytes, sizeof bytes,
	    "02808182838485868788898a8b8c8d8e8fde9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b"
	    "4f01606162636465666768696a6b6c6d6e6f03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc86641255"
	    "31b8ba913da178c8e2a8d6f68673019abda301cc10c6aae2de0caf08d54ad4404c04f69ab0ae354c70324db3a32eec14"
	    "7454ddcf676db38f936c8b8f9742f93c9702d4c0ce02d455e6d03ebf17c249b77cd93385a52477bae034c5b79a2922ef"
	    "05eb616399462629153aef41df56b0f7df1c05642832325ae4ae6130ae3b78983904");
	assert_true(bytes_valid(bytes));
}

static void
no_byte_of_a_cert_can_be_changed(void **state)
{
	uint8_t bytes[2][CERT_LEN];
	struct cert c = delegated_cert();

	(void)state;
	encode(&c, bytes[0]);
	cert_make(log_key, NULL, CERT_BOOT, boot, boot_public, &c);
	encode(&c, bytes[1]);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < CERT_LEN; i++) {
			bytes[k][i] ^= 3;
			assert_false(bytes_valid(bytes[k]));
			bytes[k][i] ^= 3;
			assert_true(bytes_valid(bytes[k]));
		}
}

static void
a_cert_cut_short_or_with_a_purpose_that_is_none_is_refused(void **state)
{
	uint8_t bytes[CERT_LEN];
	struct cert c = delegated_cert();

	(void)state;
	encode(&c, bytes);
	for (size_t len = 0; len < CERT_LEN; len++) {
		struct wire_in in = wire_in(bytes, len);

		cert_take(&in, &c);
		assert_true(in.failed);
	}
	for (unsigned purpose = 0; purpose < 256; purpose += 4) {
		struct wire_in in = wire_in(bytes, CERT_LEN);

		bytes[0] = (uint8_t)purpose;
		cert_take(&in, &c);
		assert_true(in.failed);
	}
}

static void
a_cert_under_another_log_key_is_not_valid(void **state)
{
	struct cert direct, through = delegated_cert();

	(void)state;
	cert_make(log_key, NULL, CERT_BOOT, boot, boot_public, &direct);
	assert_true(cert_valid(&direct, signer_public(log_key)));
	assert_false(cert_valid(&direct, signer_public(delegate)));
	assert_false(cert_valid(&through, signer_public(delegate)));
}

static void
a_delegate_cannot_make_a_delegate(void **state)
{
	struct signer *second = NULL;
	struct delegation d;
	struct cert c;

	(void)state;
	assert_int_equal(signer_new(&second), OK);
	delegation_make(delegate, enrolment, signer_public(second), &d);
	cert_make(second, &d, CERT_EPOCH, epoch, epoch_public, &c);
	assert_false(cert_valid(&c, signer_public(log_key)));
	signer_free(&second);
}

static void
a_cert_that_a_delegate_signed_without_saying_so_is_not_valid(void **state)
{
	struct cert c = delegated_cert();

	(void)state;
	c.delegated = false;
	assert_false(cert_valid(&c, signer_public(log_key)));
}

static void
a_delegation_goes_there_and_back(void **state)
{
	uint8_t bytes[DELEGATION_LEN];
	struct wire_out o = wire_out(bytes, sizeof bytes);
	struct wire_in in = wire_in(bytes, sizeof bytes);
	struct delegation d, again;

	(void)state;
	delegation_make(log_key, enrolment, signer_public(delegate), &d);
	delegation_put(&o, &d);
	assert_int_equal(o.len, DELEGATION_LEN);
	delegation_take(&in, &again);
	assert_true(wire_done(&in));
	assert_memory_equal(&d, &again, sizeof d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cert_of_the_log_key_has_its_bytes),
		cmocka_unit_test(a_cert_of_a_delegate_has_its_bytes),
		cmocka_unit_test(no_byte_of_a_cert_can_be_changed),
		cmocka_unit_test(a_cert_cut_short_or_with_a_purpose_that_is_none_is_refused),
		cmocka_unit_test(a_cert_under_another_log_key_is_not_valid),
		cmocka_unit_test(a_delegate_cannot_make_a_delegate),
		cmocka_unit_test(a_cert_that_a_delegate_signed_without_saying_so_is_not_valid),
		cmocka_unit_test(a_delegation_goes_there_and_back),
	};

	return secret_init(true) != OK || cmocka_run_group_tests(tests, make_signers, free_signers) != 0;
}
