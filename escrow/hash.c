#include <sodium.h>
#include <string.h>

#include "escrow/hash.h"

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(struct sha256), "struct sha256 is too small");

void
sha256_start(struct sha256 *h)
{
	crypto_hash_sha256_init((crypto_hash_sha256_state *)h);
}

void
sha256_add(struct sha256 *h, const void *p, size_t len)
{
	crypto_hash_sha256_update((crypto_hash_sha256_state *)h, p, len);
}

void
sha256_end(struct sha256 *h, uint8_t out[SHA256_LEN])
{
	crypto_hash_sha256_final((crypto_hash_sha256_state *)h, out);
}

void
sha256(const void *p, size_t len, uint8_t out[SHA256_LEN])
{
	crypto_hash_sha256(out, p, len);
}

void
keyed_tag(const struct key *key, const char *label, struct span context, uint8_t out[32])
{
	crypto_generichash_state s;

	crypto_generichash_init(&s, key->b, KEY_LEN, 32);
	crypto_generichash_update(&s, (const uint8_t *)label, strlen(label) + 1);
	crypto_generichash_update(&s, context.p, context.len);
	crypto_generichash_final(&s, out, 32);
	wipe(&s, sizeof s);
}

void
derive(const struct key *key, const char *label, struct span context, struct key *out)
{
	keyed_tag(key, label, context, out->b);
}
