/* oauth_pkce: proof key for code exchange, S256 alone. Source: RFC 7636. */
#ifndef GATEWAY_OAUTH_PKCE_H
#define GATEWAY_OAUTH_PKCE_H

#include "escrow/hash.h"
#include "mailbox/wire.h"

/* A challenge as it is sent: 43 characters of base64url. False: it is none. */
bool oauth_pkce_challenge(struct span text, uint8_t out[SHA256_LEN]);

/* The challenge that a verifier has. False: not 43 .. 128 unreserved characters. */
bool oauth_pkce_verifier(struct span text, uint8_t challenge[SHA256_LEN]);

#endif
