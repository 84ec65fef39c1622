#include <sodium.h>

#include "escrow/seal.h"

#define NONCE_LEN crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG_LEN   crypto_aead_xchacha20poly1305_ietf_ABYTES

_Static_assert(NONCE_LEN + TAG_LEN == SEAL_OVERHEAD, "the overhead is nonce and tag");

void
seal(const uint8_t key[KEY_LEN], struct span ad, struct span plain, uint8_t *out)
{
	randombytes_buf(out, NONCE_LEN);
	crypto_aead_xchacha20poly1305_ietf_encrypt(out + NONCE_LEN, NULL, plain.p, plain.len,
	    ad.p, ad.len, NULL, out, key);
}

enum err
seal_open(const uint8_t key[KEY_LEN], struct span ad, struct span sealed, uint8_t *plain)
{
	if (sealed.len < SEAL_OVERHEAD)
		return ERR_STORAGE_CORRUPT;
	if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed.p + NONCE_LEN,
	    sealed.len - NONCE_LEN, ad.p, ad.len, sealed.p, key) != 0) {
		wipe(plain, sealed.len - SEAL_OVERHEAD);
		return ERR_STORAGE_CORRUPT;
	}
	return OK;
}

void
key_seal(const struct key *under, struct span ad, const struct key *k, uint8_t out[SEALED_KEY_LEN])
{
	seal(under->b, ad, (struct span){ k->b, KEY_LEN }, out);
}

enum err
key_open(const struct key *under, struct span ad, const uint8_t sealed[SEALED_KEY_LEN], struct key *out)
{
	return seal_open(under->b, ad, (struct span){ sealed, SEALED_KEY_LEN }, out->b);
}
