/*
 * seal: XChaCha20-Poly1305 with a random nonce in front: nonce 24, ciphertext,
 * tag 16. Source: draft-irtf-cfrg-xchacha-03, as libsodium has it.
 */
#ifndef ESCROW_SEAL_H
#define ESCROW_SEAL_H

#include "escrow/secret.h"

#define SEAL_OVERHEAD  40u
#define SEALED_KEY_LEN 72u

/* out: plain.len + SEAL_OVERHEAD bytes. key: KEY_LEN bytes. */
void seal(const uint8_t key[KEY_LEN], struct span ad, struct span plain, uint8_t *out);

/*
 * plain: sealed.len - SEAL_OVERHEAD bytes, wiped on failure.
 * ERR_STORAGE_CORRUPT: too short, another key, other associated data, or changed.
 */
enum err seal_open(const uint8_t key[KEY_LEN], struct span ad, struct span sealed, uint8_t *plain);

/* The first KEY_LEN bytes of a key, sealed under another. */
void     key_seal(const struct key *under, struct span ad, const struct key *k, uint8_t out[SEALED_KEY_LEN]);
enum err key_open(const struct key *under, struct span ad, const uint8_t sealed[SEALED_KEY_LEN], struct key *out);

#endif
