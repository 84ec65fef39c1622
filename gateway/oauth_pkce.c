#include <string.h>

#include "gateway/oauth_pkce.h"
#include "mailbox/base64.h"

#define CHALLENGE_CHARS 43
#define VERIFIER_MIN    43
#define VERIFIER_MAX    128

bool
oauth_pkce_challenge(struct span text, uint8_t out[SHA256_LEN])
{
	uint8_t bytes[SHA256_LEN + 3];
	size_t len = 0;

	if (text.len != CHALLENGE_CHARS || base64_decode(text, bytes, &len) != OK || len != SHA256_LEN)
		return false;
	memcpy(out, bytes, SHA256_LEN);
	return true;
}

static bool
is_unreserved(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
	    c == '_' || c == '~';
}

bool
oauth_pkce_verifier(struct span text, uint8_t challenge[SHA256_LEN])
{
	if (text.len < VERIFIER_MIN || text.len > VERIFIER_MAX)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!is_unreserved(text.p[i]))
			return false;
	sha256(text.p, text.len, challenge);
	return true;
}
