/*
 * web_keys: what the pages need of the profile: a key for client ids, CSRF
 * marks and cookies, and the verifier of the profile's password. It goes boxed
 * from profile to HTTP, under `down` of the channel that the two share from
 * start (channel_of_pair). Source: docs/store-format.md, "Profile".
 */
#ifndef GATEWAY_WEB_KEYS_H
#define GATEWAY_WEB_KEYS_H

#include "escrow/seal.h"

#define WEB_VERIFIER_MAX   128 /* "$argon2id$...", without an end */
#define WEB_KEYS_BOXED_MAX (KEY_LEN + WEB_VERIFIER_MAX + SEAL_OVERHEAD)

/* The same for as long as the profile has its key, so client ids outlive a restart. */
void web_key_of(const struct key *profile_key, struct key *out);

/*
 * out: WEB_KEYS_BOXED_MAX bytes of room. verifier: empty while no password is set.
 * ERR_INTERNAL: it is too long. ERR_NO_MEMORY.
 */
enum err web_keys_box(const struct key *down, const struct key *web, struct span verifier, uint8_t *out, size_t *len);

/* *web and *verifier (perhaps of length 0) are new. ERR_STORAGE_CORRUPT: it is no such box. ERR_NO_MEMORY. */
enum err web_keys_open(const struct key *down, struct span boxed, struct key **web, struct secret **verifier);

#endif
