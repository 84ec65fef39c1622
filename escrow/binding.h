/*
 * binding: what a boxed secret or a MAC covers, as canonical bytes made from a
 * message's own body. What the gateway fills in (who asks) is left out, so the
 * asker can bind what it knows.
 */
#ifndef ESCROW_BINDING_H
#define ESCROW_BINDING_H

#include "escrow/secret.h"
#include "mailbox/protocol.h"

#define BINDING_MAX 4096

/* What the token's half and a search's words are boxed with: the whole ask but for the two, opener included. */
struct span ask_binding(const struct ask_body *ask, uint8_t buf[BINDING_MAX]);
struct span mint_binding(const struct mint_ask_body *ask, uint8_t buf[BINDING_MAX]);

/* What a password's key is boxed with; load says unlock, not sudo. */
struct span kek_binding(uint64_t client_ask, bool load, uint8_t buf[BINDING_MAX]);

/* What a new password's key is boxed with. */
struct span passwd_binding(const struct passwd_offer_body *offer, uint8_t buf[BINDING_MAX]);

/* The MAC of a ruling, under the key that grants and keyring share. */
void ruling_mac(const struct key *k, const struct ruling_body *r, uint8_t out[32]);

#endif
