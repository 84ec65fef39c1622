/* Any bytes as an otpauth:// URI or a seed: what is taken can be written, and is read back as the same. */
#include <stdlib.h>
#include <string.h>

#include "gateway/otp_uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct secret *form = NULL, *again = NULL;
	struct otp_uri u, v;
	const char *why = NULL;

	if (secret_init(true) != OK)
		abort();
	if (otp_uri_parse((struct span){ data, len }, &u, &why) != OK) {
		if (why == NULL)
			abort();
		return 0;
	}
	if (u.seed_len < OTP_SEED_MIN || u.seed_len > OTP_SEED_MAX || (u.hotp ? u.period != 0 : u.period == 0))
		abort();
	if (otp_uri_write(&u, &form) != OK || otp_uri_parse(secret_span(form), &v, &why) != OK ||
	    otp_uri_write(&v, &again) != OK || secret_len(form) != secret_len(again) ||
	    memcmp(secret_view(form), secret_view(again), secret_len(form)) != 0)
		abort();
	secret_free(&form);
	secret_free(&again);
	return 0;
}
