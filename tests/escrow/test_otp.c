#include <stdio.h>

#include "escrow/otp.h"
#include "tests/support/check.h"

static const char digits_of_seeds[] = "1234567890123456789012345678901234567890123456789012345678901234";

static struct span
seed_of(size_t len)
{
	return (struct span){ (const uint8_t *)digits_of_seeds, len };
}

/* RFC 4226, appendix D: the 31 bits before they are cut to six digits. */
static const uint32_t rfc4226[] = {
	1284755224, 1094287082, 137359152, 1726969429, 1640338314, 868254676, 1918287922, 82162583, 673399871, 645520489,
};

static void
hotp_gives_the_codes_of_rfc_4226(void **state)
{
	static const char *const codes[] = { "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
		"399871", "520489" };
	char out[OTP_DIGITS_MAX + 1];

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		otp_code(seed_of(20), OTP_SHA1, i, 6, out);
		assert_string_equal(out, codes[i]);
	}
}

static void
seven_and_eight_digits_are_more_of_the_same_number(void **state)
{
	char out[OTP_DIGITS_MAX + 1], wanted[16];

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		otp_code(seed_of(20), OTP_SHA1, i, 7, out);
		snprintf(wanted, sizeof wanted, "%07u", rfc4226[i] % 10000000);
		assert_string_equal(out, wanted);
		otp_code(seed_of(20), OTP_SHA1, i, 8, out);
		snprintf(wanted, sizeof wanted, "%08u", rfc4226[i] % 100000000);
		assert_string_equal(out, wanted);
	}
}

/* RFC 6238, appendix B; its seeds for SHA-256 and SHA-512 are 32 and 64 bytes long. */
static const struct {
	uint64_t      unix_s;
	enum otp_hash hash;
	const char   *code;
} rfc6238[] = {
	{ 59, OTP_SHA1, "94287082" }, { 59, OTP_SHA256, "46119246" }, { 59, OTP_SHA512, "90693936" },
	{ 1111111109, OTP_SHA1, "07081804" }, { 1111111109, OTP_SHA256, "68084774" }, { 1111111109, OTP_SHA512, "25091201" },
	{ 1111111111, OTP_SHA1, "14050471" }, { 1111111111, OTP_SHA256, "67062674" }, { 1111111111, OTP_SHA512, "99943326" },
	{ 1234567890, OTP_SHA1, "89005924" }, { 1234567890, OTP_SHA256, "91819424" }, { 1234567890, OTP_SHA512, "93441116" },
	{ 2000000000, OTP_SHA1, "69279037" }, { 2000000000, OTP_SHA256, "90698825" }, { 2000000000, OTP_SHA512, "38618901" },
	{ 20000000000, OTP_SHA1, "65353130" }, { 20000000000, OTP_SHA256, "77737706" }, { 20000000000, OTP_SHA512, "47863826" },
};

static void
totp_gives_the_codes_of_rfc_6238(void **state)
{
	static const size_t lens[] = { 20, 32, 64 };
	char out[OTP_DIGITS_MAX + 1];
	uint32_t left;

	(void)state;
	for (size_t i = 0; i < sizeof rfc6238 / sizeof *rfc6238; i++) {
		otp_code(seed_of(lens[rfc6238[i].hash]), rfc6238[i].hash,
		    otp_counter_at((struct wall_ms){ rfc6238[i].unix_s * 1000 }, 30, &left), 8, out);
		assert_string_equal(out, rfc6238[i].code);
	}
}

static void
a_step_holds_until_the_last_millisecond_of_its_period(void **state)
{
	uint32_t left = 0;

	(void)state;
	assert_int_equal(otp_counter_at((struct wall_ms){ 0 }, 30, &left), 0);
	assert_int_equal(left, 30);
	assert_int_equal(otp_counter_at((struct wall_ms){ 29999 }, 30, &left), 0);
	assert_int_equal(left, 1);
	assert_int_equal(otp_counter_at((struct wall_ms){ 30000 }, 30, &left), 1);
	assert_int_equal(left, 30);
	assert_int_equal(otp_counter_at((struct wall_ms){ 3599999 }, 3600, &left), 0);
	assert_int_equal(left, 1);
}

static void
the_counter_counts_in_all_of_its_64_bits(void **state)
{
	char low[OTP_DIGITS_MAX + 1], high[OTP_DIGITS_MAX + 1];

	(void)state;
	otp_code(seed_of(20), OTP_SHA1, 1, 8, low);
	otp_code(seed_of(20), OTP_SHA1, (uint64_t)1 << 32 | 1, 8, high);
	assert_string_not_equal(low, high);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hotp_gives_the_codes_of_rfc_4226),
		cmocka_unit_test(seven_and_eight_digits_are_more_of_the_same_number),
		cmocka_unit_test(totp_gives_the_codes_of_rfc_6238),
		cmocka_unit_test(a_step_holds_until_the_last_millisecond_of_its_period),
		cmocka_unit_test(the_counter_counts_in_all_of_its_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
