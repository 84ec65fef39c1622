/* sign: Ed25519 (RFC 8032). */
#ifndef ESCROW_SIGN_H
#define ESCROW_SIGN_H

#include "escrow/secret.h"

#define SIGN_PUBLIC_LEN 32
#define SIGN_SEED_LEN   32
#define SIGNATURE_LEN   64

struct signer; /* a secret key, in the slab; wiped by signer_free */

/* A fresh key pair. ERR_NO_MEMORY. */
enum err signer_new(struct signer **out);

/* From a 32-byte seed (the first KEY_LEN bytes of the key). */
enum err signer_of_seed(const struct key *seed, struct signer **out);

/* Copies the seed out, to be sealed. */
void signer_seed(const struct signer *s, struct key *seed);

const uint8_t *signer_public(const struct signer *s);

void signer_free(struct signer **s);

/* Signs the label, a zero byte and the message. */
void signer_sign(const struct signer *s, const char *label, struct span message,
    uint8_t out[SIGNATURE_LEN]);

/* The message alone, for formats that fix what is signed (C2SP notes). */
void signer_sign_raw(const struct signer *s, struct span message, uint8_t out[SIGNATURE_LEN]);

bool signature_valid(const uint8_t public_key[SIGN_PUBLIC_LEN], const char *label,
    struct span message, const uint8_t signature[SIGNATURE_LEN]);

bool signature_valid_raw(const uint8_t public_key[SIGN_PUBLIC_LEN], struct span message,
    const uint8_t signature[SIGNATURE_LEN]);

#endif
