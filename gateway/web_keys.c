#include <string.h>

#include "escrow/hash.h"
#include "gateway/web_keys.h"

static const char word[] = "web-keys/v1";

static struct span
binding(void)
{
	return (struct span){ (const uint8_t *)word, sizeof word };
}

void
web_key_of(const struct key *profile_key, struct key *out)
{
	derive(profile_key, "memories/profile-web/v1", (struct span){ NULL, 0 }, out);
}

enum err
web_keys_box(const struct key *down, const struct key *web, struct span verifier, uint8_t *out, size_t *len)
{
	struct secret *plain = NULL;
	enum err e;

	if (verifier.len > WEB_VERIFIER_MAX)
		return ERR_INTERNAL;
	if ((e = secret_new(KEY_LEN + verifier.len, &plain)) != OK)
		return e;
	memcpy(secret_bytes(plain), web->b, KEY_LEN);
	if (verifier.len > 0)
		memcpy(secret_bytes(plain) + KEY_LEN, verifier.p, verifier.len);
	seal(down->b, binding(), secret_span(plain), out);
	*len = secret_len(plain) + SEAL_OVERHEAD;
	secret_free(&plain);
	return OK;
}

static enum err
split(const struct secret *plain, struct key **web, struct secret **verifier)
{
	size_t len = secret_len(plain) - KEY_LEN;
	enum err e;

	if ((e = key_of(secret_view(plain), web)) != OK)
		return e;
	if ((e = secret_new(len, verifier)) != OK)
		key_free(web);
	else if (len > 0)
		memcpy(secret_bytes(*verifier), secret_view(plain) + KEY_LEN, len);
	return e;
}

enum err
web_keys_open(const struct key *down, struct span boxed, struct key **web, struct secret **verifier)
{
	struct secret *plain = NULL;
	enum err e;

	if (boxed.len < KEY_LEN + SEAL_OVERHEAD || boxed.len > WEB_KEYS_BOXED_MAX)
		return ERR_STORAGE_CORRUPT;
	if ((e = secret_new(boxed.len - SEAL_OVERHEAD, &plain)) != OK)
		return e;
	if ((e = seal_open(down->b, binding(), boxed, secret_bytes(plain))) == OK)
		e = split(plain, web, verifier);
	secret_free(&plain);
	return e;
}
