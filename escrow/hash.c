#include <nettle/sha2.h>
#include <sodium.h>
#include <string.h>

#include "escrow/hash.h"

_Static_assert(sizeof(struct sha256_ctx) <= sizeof(struct sha256), "struct sha256 is too small");

void
sha256_start(struct sha256 *h)
{
	sha256_init((struct sha256_ctx *)h);
}

void
sha256_add(struct sha256 *h, const void *p, size_t len)
{
	sha256_update((struct sha256_ctx *)h, len, p);
}

/* Nettle leaves the last block where it was, and tokens are hashed here. */
void
sha256_end(struct sha256 *h, uint8_t out[SHA256_LEN])
{
	sha256_digest((struct sha256_ctx *)h, SHA256_LEN, out);
	wipe(h, sizeof *h);
}

void
sha256(const void *p, size_t len, uint8_t out[SHA256_LEN])
{
	struct sha256 h;

	sha256_start(&h);
	sha256_add(&h, p, len);
	sha256_end(&h, out);
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
