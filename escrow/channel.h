/*
 * channel: what an asker and the keyring share. The asker makes an opener pair
 * when it starts, the keyring a boot pair; X25519 of the two gives one key a
 * direction: up for what the asker boxes, down for tickets.
 * Source: RFC 7748; docs/store-format.md, "Channels".
 */
#ifndef ESCROW_CHANNEL_H
#define ESCROW_CHANNEL_H

#include "escrow/secret.h"

#define CHANNEL_PUBLIC_LEN 32

/* A key pair: the asker's opener, or the keyring's boot key. */
struct key_pair {
	struct key *secret;
	uint8_t     public_key[CHANNEL_PUBLIC_LEN];
};

enum err key_pair_new(struct key_pair *out); /* ERR_NO_MEMORY */
void     key_pair_free(struct key_pair *p);

struct channel {
	struct key *up;
	struct key *down;
};

/* ERR_INVALID_ARGUMENT: the other's key is of low order. ERR_NO_MEMORY. */
enum err channel_of_opener(const struct key_pair *opener, const uint8_t boot_public[32], struct channel *out);
enum err channel_of_boot(const struct key_pair *boot, const uint8_t opener_public[32], struct channel *out);

/* Between keyring and search, which share a key from start. ERR_NO_MEMORY. */
enum err channel_of_pair(const uint8_t pair_key[KEY_LEN], struct channel *out);
void     channel_free(struct channel *c);

#endif
