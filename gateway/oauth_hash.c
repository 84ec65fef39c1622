#include <string.h>

#include "escrow/random.h"
#include "gateway/oauth_hash.h"
#include "mailbox/base64.h"

#define PREFIX_LEN 4
#define RANDOM_LEN 32

static const char *const prefixes[] = {
	[OAUTH_ACCESS] = "mat_",
	[OAUTH_REFRESH] = "mrt_",
	[OAUTH_CODE] = "mac_",
};

void
oauth_token_make(enum oauth_token_kind kind, char out[OAUTH_TOKEN_LEN + 1])
{
	uint8_t bytes[RANDOM_LEN];

	random_bytes(bytes, sizeof bytes);
	memcpy(out, prefixes[kind], PREFIX_LEN);
	base64_encode((struct span){ bytes, sizeof bytes }, out + PREFIX_LEN);
	out[OAUTH_TOKEN_LEN] = '\0';
	wipe(bytes, sizeof bytes);
}

bool
oauth_token_formed(enum oauth_token_kind kind, struct span text)
{
	uint8_t bytes[RANDOM_LEN + 3];
	size_t len = 0;
	bool formed;

	if (text.len != OAUTH_TOKEN_LEN || memcmp(text.p, prefixes[kind], PREFIX_LEN) != 0)
		return false;
	formed = base64_decode((struct span){ text.p + PREFIX_LEN, text.len - PREFIX_LEN }, bytes, &len) == OK &&
	    len == RANDOM_LEN;
	wipe(bytes, sizeof bytes);
	return formed;
}

void
oauth_hash(struct span text, uint8_t out[SHA256_LEN])
{
	sha256(text.p, text.len, out);
}
