/*
 * oauth_hash: codes and tokens, and the hashes by which everybody else knows
 * them. A token is "mat_", "mrt_" or "mac_" (access, refresh, code) and 43
 * characters of base64url: 32 random bytes. It is hashed whole: SHA-256, no
 * salt, for what is hashed cannot be guessed.
 */
#ifndef GATEWAY_OAUTH_HASH_H
#define GATEWAY_OAUTH_HASH_H

#include "escrow/hash.h"
#include "mailbox/wire.h"

enum oauth_token_kind {
	OAUTH_ACCESS,
	OAUTH_REFRESH,
	OAUTH_CODE,
};

#define OAUTH_TOKEN_LEN 47

/* A new one, and a NUL. The caller wipes it. */
void oauth_token_make(enum oauth_token_kind kind, char out[OAUTH_TOKEN_LEN + 1]);

/* True when it has the form of one; what has not is nobody's. */
bool oauth_token_formed(enum oauth_token_kind kind, struct span text);

/* SHA-256 of the bytes: of a token, of a client id, of a redirect URI. */
void oauth_hash(struct span text, uint8_t out[SHA256_LEN]);

#endif
