/*
 * otp: one-time codes, HOTP (RFC 4226) and TOTP (RFC 6238).
 */
#ifndef ESCROW_OTP_H
#define ESCROW_OTP_H

#include "escrow/secret.h"
#include "mailbox/clock.h"

#define OTP_DIGITS_MIN   6
#define OTP_DIGITS_MAX   8
#define OTP_PERIOD_MAX   3600u /* seconds */
#define OTP_SEED_MIN     10u   /* bytes; RFC 4226 wants 16, many sites give 10 */
#define OTP_SEED_MAX     128u

enum otp_hash {
	OTP_SHA1,
	OTP_SHA256,
	OTP_SHA512,
};

/*
 * The code of that counter: digits characters and a NUL, which the caller
 * wipes.
 *
 * seed    borrowed; any length
 * digits  OTP_DIGITS_MIN .. OTP_DIGITS_MAX
 */
void otp_code(struct span seed, enum otp_hash hash, uint64_t counter, unsigned digits,
    char out[OTP_DIGITS_MAX + 1]);

/*
 * TOTP's counter at that time, from the Unix epoch on, and how many seconds it
 * still holds, 1 .. period.
 *
 * period  seconds, 1 .. OTP_PERIOD_MAX
 */
uint64_t otp_counter_at(struct wall_ms now, uint32_t period, uint32_t *seconds_left);

#endif
