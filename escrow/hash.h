/*
 * hash: SHA-256 (FIPS 180-4), for the log and for tokens, and keyed BLAKE2b
 * (RFC 7693), from which keys are derived.
 */
#ifndef ESCROW_HASH_H
#define ESCROW_HASH_H

#include "escrow/secret.h"
#include "mailbox/wire.h"

#define SHA256_LEN 32

struct sha256 {
	uint64_t opaque[16];
};

void sha256_start(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *p, size_t len);
void sha256_end(struct sha256 *h, uint8_t out[SHA256_LEN]);

/* All at once. */
void sha256(const void *p, size_t len, uint8_t out[SHA256_LEN]);

/*
 * 32 bytes of BLAKE2b-256, keyed by key, over the label, a zero byte and the
 * context. The label says what the result is for; no two uses share one.
 * Source: docs/store-format.md, "Derivations".
 */
void derive(const struct key *key, const char *label, struct span context, struct key *out);

/* The same for results that are not secret: keyed tags and MACs. */
void keyed_tag(const struct key *key, const char *label, struct span context, uint8_t out[32]);

#endif
