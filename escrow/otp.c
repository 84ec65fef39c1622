#include <nettle/hmac.h>
#include <stdio.h>

#include "escrow/otp.h"

#define COUNTER_LEN 8

union hmac {
	struct hmac_sha1_ctx   sha1;
	struct hmac_sha256_ctx sha256;
	struct hmac_sha512_ctx sha512;
};

/* Returns the digest's length. */
static size_t
tag(struct span seed, enum otp_hash hash, const uint8_t message[COUNTER_LEN], uint8_t out[SHA512_DIGEST_SIZE])
{
	union hmac h;
	size_t len = 0;

	switch (hash) {
	case OTP_SHA1:
		hmac_sha1_set_key(&h.sha1, seed.len, seed.p);
		hmac_sha1_update(&h.sha1, COUNTER_LEN, message);
		hmac_sha1_digest(&h.sha1, len = SHA1_DIGEST_SIZE, out);
		break;
	case OTP_SHA256:
		hmac_sha256_set_key(&h.sha256, seed.len, seed.p);
		hmac_sha256_update(&h.sha256, COUNTER_LEN, message);
		hmac_sha256_digest(&h.sha256, len = SHA256_DIGEST_SIZE, out);
		break;
	case OTP_SHA512:
		hmac_sha512_set_key(&h.sha512, seed.len, seed.p);
		hmac_sha512_update(&h.sha512, COUNTER_LEN, message);
		hmac_sha512_digest(&h.sha512, len = SHA512_DIGEST_SIZE, out);
		break;
	}
	wipe(&h, sizeof h);
	return len;
}

/* RFC 4226, 5.3: 31 bits from where the digest's last four bits point. */
static uint32_t
truncate_tag(const uint8_t *digest, size_t len)
{
	const uint8_t *p = digest + (digest[len - 1] & 0xf);

	return (uint32_t)(p[0] & 0x7f) << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void
otp_code(struct span seed, enum otp_hash hash, uint64_t counter, unsigned digits, char out[OTP_DIGITS_MAX + 1])
{
	uint8_t message[COUNTER_LEN], digest[SHA512_DIGEST_SIZE];
	uint32_t value, modulus = 1;

	for (size_t i = 0; i < COUNTER_LEN; i++)
		message[i] = (uint8_t)(counter >> (56 - 8 * i));
	value = truncate_tag(digest, tag(seed, hash, message, digest));
	for (unsigned i = 0; i < digits; i++)
		modulus *= 10;
	snprintf(out, OTP_DIGITS_MAX + 1, "%0*u", (int)digits, (unsigned)(value % modulus));
	wipe(digest, sizeof digest);
	wipe(&value, sizeof value);
}

uint64_t
otp_counter_at(struct wall_ms now, uint32_t period, uint32_t *seconds_left)
{
	uint64_t seconds = now.ms / 1000;

	*seconds_left = period - (uint32_t)(seconds % period);
	return seconds / period;
}
