#include <stdio.h>
#include <string.h>

#include "gateway/otp_uri.h"
#include "tests/support/check.h"
#include "tests/support/hex.h"

#define SEED "JBSWY3DPEHPK3PXP" /* "Hello!" and 0xdeadbeef */

static enum err
parse(const char *text, struct otp_uri *u, const char **why)
{
	*why = NULL;
	return otp_uri_parse((struct span){ (const uint8_t *)text, strlen(text) }, u, why);
}

static void
expect_form(const char *text, const char *form)
{
	struct secret *out = NULL;
	struct otp_uri u;
	const char *why;

	if (parse(text, &u, &why) != OK)
		fail_msg("%s: %s", text, why);
	assert_int_equal(otp_uri_write(&u, &out), OK);
	if (secret_len(out) != strlen(form) || memcmp(secret_view(out), form, strlen(form)) != 0)
		fail_msg("%s became %.*s", text, (int)secret_len(out), (const char *)secret_view(out));
	secret_free(&out);
}

static const struct {
	const char *text, *form;
} forms[] = {
	{ SEED, "otpauth://totp/?secret=" SEED "&algorithm=SHA1&digits=6&period=30" },
	{ "jbsw y3dp-ehpk 3pxp\n", "otpauth://totp/?secret=" SEED "&algorithm=SHA1&digits=6&period=30" },
	{ " \t" SEED "\r\n", "otpauth://totp/?secret=" SEED "&algorithm=SHA1&digits=6&period=30" },
	/* 17 bytes, padded; the same without. */
	{ "GEZDGNBVGY3TQOJQGEZDGNBVGY======", "otpauth://totp/?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY&algorithm=SHA1&digits=6&period=30" },
	{ "GEZDGNBVGY3TQOJQGEZDGNBVGY", "otpauth://totp/?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY&algorithm=SHA1&digits=6&period=30" },
	/* The last letter's two spare bits are no part of the seed. */
	{ "GEZDGNBVGY3TQOJQGEZDGNBVGZ", "otpauth://totp/?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY&algorithm=SHA1&digits=6&period=30" },
	{ "otpauth://totp/?secret=" SEED, "otpauth://totp/?secret=" SEED "&algorithm=SHA1&digits=6&period=30" },
	{ "OTPAUTH://TOTP/?secret=" SEED, "otpauth://totp/?secret=" SEED "&algorithm=SHA1&digits=6&period=30" },
	{ "otpauth://totp/Example:alice@google.com?secret=" SEED "&issuer=Example",
	    "otpauth://totp/Example:alice@google.com?secret=" SEED "&issuer=Example&algorithm=SHA1&digits=6&period=30" },
	{ "otpauth://totp/ACME%20Co:john.doe@email.com?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ&issuer=ACME%20Co&algorithm=SHA1&digits=6&period=30",
	    "otpauth://totp/ACME%20Co:john.doe@email.com?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ&issuer=ACME%20Co&algorithm=SHA1&digits=6&period=30" },
	{ "otpauth://totp/a b/%e9%92%a5?issuer=x%26y&period=60&digits=8&algorithm=sha512&secret=" SEED,
	    "otpauth://totp/a%20b%2F%E9%92%A5?secret=" SEED "&issuer=x%26y&algorithm=SHA512&digits=8&period=60" },
	{ "otpauth://totp/\xe9\x92\xa5?secret=" SEED "&algorithm=SHA-256&image=https://x/y.png",
	    "otpauth://totp/%E9%92%A5?secret=" SEED "&algorithm=SHA256&digits=6&period=30" },
	{ "otpauth://totp/x?secret=gezdgnbvgy3tqojqgezdgnbvgy%3D%3D%3D%3d%3D%3D",
	    "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY&algorithm=SHA1&digits=6&period=30" },
	{ "otpauth://hotp/x?secret=" SEED "&counter=0", "otpauth://hotp/x?secret=" SEED "&algorithm=SHA1&digits=6&counter=0" },
	{ "otpauth://hotp/x?counter=18446744073709551614&secret=" SEED "&digits=7",
	    "otpauth://hotp/x?secret=" SEED "&algorithm=SHA1&digits=7&counter=18446744073709551614" },
};

static void
what_sites_hand_out_becomes_one_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		expect_form(forms[i].text, forms[i].form);
}

static void
what_was_written_is_read_as_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		expect_form(forms[i].form, forms[i].form);
}

static void
a_seed_is_the_bytes_that_base32_stands_for(void **state)
{
	struct otp_uri u;
	const char *why;

	(void)state;
	assert_int_equal(parse(SEED, &u, &why), OK);
	hex_expect(u.seed, u.seed_len, "48656c6c6f21deadbeef");
}

/* Each with a word of the reason that it must give. */
static const struct {
	const char *text, *why;
} refused[] = {
	{ "", "nothing" },
	{ " \n", "nothing" },
	{ "JBSWY3DPEHPK3PX1", "base32" },
	{ "JBSWY3DPEHPK3PX0", "base32" },
	{ "JBSWY3DP EHPK3PX\xc3\xa9", "base32" },
	{ "JBSWY3DPEHPK3PXPA", "letter" },
	{ "JBSWY3DPEHPK3PXPABC", "letter" },
	{ "JBSWY3DPEHPK3PXPABCDEF", "letter" },
	{ "JBSWY3DP", "80 bits" },
	{ "JBSWY3DPEHPK3PXP========", "padding" },
	{ "GEZDGNBVGY3TQOJQ====GEZDGNBVGY", "padding" },
	{ "https://example.com/?secret=" SEED, "base32" },
	{ "otpauth://", "base32" },
	{ "otpauth://totp", "begins" },
	{ "otpauth://steam/x?secret=" SEED, "begins" },
	{ "otpauth://totp/x", "no parameters" },
	{ "otpauth://totp/x?", "no value" },
	{ "otpauth://totp/x?issuer=y", "no secret" },
	{ "otpauth://totp/x?secret", "no value" },
	{ "otpauth://totp/x?secret=", "80 bits" },
	{ "otpauth://totp/x?secret=JBSW Y3DP EHPK 3PXP", "base32" },
	{ "otpauth://totp/x?secret=" SEED "&", "no value" },
	{ "otpauth://totp/x?secret=" SEED "&secret=" SEED, "twice" },
	{ "otpauth://totp/x?secret=" SEED "&issuer=a&issuer=b", "twice" },
	{ "otpauth://totp/x?secret=" SEED "&algorithm=SHA1&algorithm=SHA1", "twice" },
	{ "otpauth://totp/x?secret=" SEED "&algorithm=MD5", "algorithm" },
	{ "otpauth://totp/x?secret=" SEED "&digits=5", "digits" },
	{ "otpauth://totp/x?secret=" SEED "&digits=9", "digits" },
	{ "otpauth://totp/x?secret=" SEED "&digits=6&digits=6", "digits" },
	{ "otpauth://totp/x?secret=" SEED "&digits=+6", "digits" },
	{ "otpauth://totp/x?secret=" SEED "&period=0", "period" },
	{ "otpauth://totp/x?secret=" SEED "&period=3601", "period" },
	{ "otpauth://totp/x?secret=" SEED "&period=", "period" },
	{ "otpauth://totp/x?secret=" SEED "&counter=1", "counter" },
	{ "otpauth://hotp/x?secret=" SEED, "counter" },
	{ "otpauth://hotp/x?secret=" SEED "&counter=1&period=30", "period" },
	{ "otpauth://hotp/x?secret=" SEED "&counter=18446744073709551615", "counter" },
	{ "otpauth://hotp/x?secret=" SEED "&counter=18446744073709551616", "counter" },
	{ "otpauth://hotp/x?secret=" SEED "&counter=-1", "counter" },
	{ "otpauth://totp/x?secret=" SEED "&encoder=steam", "none of" },
	{ "otpauth://totp/x?secret=" SEED "&Digits=6", "none of" },
	{ "otpauth://totp/%zz?secret=" SEED, "%XX" },
	{ "otpauth://totp/%?secret=" SEED, "%XX" },
	{ "otpauth://totp/%0a?secret=" SEED, "control" },
	{ "otpauth://totp/%00?secret=" SEED, "control" },
	{ "otpauth://totp/%ff?secret=" SEED, "UTF-8" },
	{ "otpauth://totp/x?secret=" SEED "#frag", "fragment" },
	{ "otpauth://totp/x?secret=" SEED "%0", "%XX" },
};

static void
anything_else_is_refused_with_its_reason(void **state)
{
	struct otp_uri u;
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (parse(refused[i].text, &u, &why) != ERR_INVALID_CONTENT)
			fail_msg("taken: %s", refused[i].text);
		if (strstr(why, refused[i].why) == NULL)
			fail_msg("%s: %s", refused[i].text, why);
	}
}

static void
a_seed_of_128_bytes_is_the_longest(void **state)
{
	char text[300] = "";
	struct otp_uri u;
	const char *why;

	(void)state;
	memset(text, 'A', 205);
	assert_int_equal(parse(text, &u, &why), OK);
	assert_int_equal(u.seed_len, OTP_SEED_MAX);
	memset(text, 'A', 207);
	assert_int_equal(parse(text, &u, &why), ERR_INVALID_CONTENT);
	assert_non_null(strstr(why, "128"));
}

static void
the_longest_of_everything_still_can_be_written(void **state)
{
	char text[1200] = "otpauth://hotp/";
	struct secret *out = NULL;
	struct otp_uri u;
	const char *why;
	size_t n = strlen(text);

	(void)state;
	memset(text + n, 'l', 253);
	n += 253;
	n += (size_t)snprintf(text + n, sizeof text - n, "?algorithm=SHA512&digits=8&counter=18446744073709551614&issuer=");
	memset(text + n, 'i', 253);
	n += 253;
	n += (size_t)snprintf(text + n, sizeof text - n, "&secret=");
	memset(text + n, 'A', 205);
	text[n + 205] = '\0';
	assert_int_equal(parse(text, &u, &why), OK);
	assert_int_equal(otp_uri_write(&u, &out), OK);
	assert_int_equal(secret_len(out), strlen(text));
	secret_free(&out);
}

static int
ready(void **state)
{
	(void)state;
	return secret_init(true) != OK;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_sites_hand_out_becomes_one_form),
		cmocka_unit_test(what_was_written_is_read_as_the_same),
		cmocka_unit_test(a_seed_is_the_bytes_that_base32_stands_for),
		cmocka_unit_test(anything_else_is_refused_with_its_reason),
		cmocka_unit_test(a_seed_of_128_bytes_is_the_longest),
		cmocka_unit_test(the_longest_of_everything_still_can_be_written),
	};

	return cmocka_run_group_tests(tests, ready, NULL) != 0;
}
