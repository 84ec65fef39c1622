/*
 * otp_uri: what makes one-time codes, as sites hand it out: an otpauth:// URI
 * (Google Authenticator's "Key URI Format"), or a bare seed in base32.
 *
 * There is one form that we write, whatever was read:
 *
 *   otpauth://totp/LABEL?secret=BASE32&issuer=I&algorithm=SHA1&digits=6&period=30
 *   otpauth://hotp/LABEL?secret=BASE32&issuer=I&algorithm=SHA1&digits=6&counter=0
 *
 * with the label and the issuer (left out if there is none) percent-encoded as
 * they were, the seed in capitals without padding. docs/decisions/0022 says
 * what is taken and what is not.
 */
#ifndef GATEWAY_OTP_URI_H
#define GATEWAY_OTP_URI_H

#include "escrow/otp.h"

#define OTP_URI_MAX    1024u /* bytes of the text */
#define OTP_URI_LABEL  256u  /* bytes of label and of issuer, encoded */
#define OTP_COUNTER_MAX (UINT64_MAX - 1)

struct otp_uri {
	bool          hotp;
	enum otp_hash hash;
	unsigned      digits;
	uint32_t      period;  /* seconds; 0 for HOTP */
	uint64_t      counter; /* HOTP: of the next code */
	size_t        label_len, issuer_len, seed_len;
	char          label[OTP_URI_LABEL], issuer[OTP_URI_LABEL];
	uint8_t       seed[OTP_SEED_MAX];
};

/*
 * Reads either form. Blanks and one newline around it are dropped; a bare seed
 * may stand in groups, with blanks or dashes between them, and means TOTP with
 * SHA-1, six digits and 30 seconds.
 *
 * *out  the caller wipes it, also after an error
 * *why  for people, of ERR_INVALID_CONTENT; never holds anything of the text
 *
 * ERR_INVALID_CONTENT.
 */
enum err otp_uri_parse(struct span text, struct otp_uri *out, const char **why);

/*
 * Writes the one form.
 *
 * *out  new; the caller frees
 * ERR_NO_MEMORY.
 */
enum err otp_uri_write(const struct otp_uri *u, struct secret **out);

#endif
